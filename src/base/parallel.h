/*
 * A loop whose rounds do not depend on each other, spread over threads. What each round writes has
 * to be its own; then the result is the same for any number of threads.
 */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stddef.h>

#include "base/api.h"

enum { PARALLEL_THREADS_MAX = 256 };

/* Borrows the contexts. */
struct parallel {
	unsigned threads; /* the caller's own included; 0: one for each processor */
	size_t count;
	int (*work)(void *context, size_t i); /* 0 or an error; called in any thread */
	void *context;
	void (*report)(void *context, size_t done); /* never two at a time; may be NULL */
	void *report_context;
};

/*
 * Does rounds 0 to count-1, and returns when all are over. After an error no new round begins: the
 * error of the earliest round that failed is returned. Where no thread can be had, the others do
 * its work.
 */
int parallel_run(const struct parallel *p) SP_MUST_CHECK;

#endif
