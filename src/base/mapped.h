/*
 * A large array of zeros. Beyond the program's budget (base/mem.h) it is a file without a name that
 * is mapped: the system writes it to disk when it needs the memory, and what is not in use takes
 * none of the program's own once mapped_rest was called. Pointers into it last until it is
 * released.
 */
#ifndef BASE_MAPPED_H
#define BASE_MAPPED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/api.h"
#include "base/err.h"

/* Fields may be read. */
struct mapped {
	void *ptr;
	size_t size;
	bool is_file;
};

/* 0, or ERR_IO with a sentence: there is no room for the file. Ends the program without memory. */
int mapped_new(struct mapped *m, size_t count, size_t size, struct err *err) SP_MUST_CHECK;

/* What it has in memory may go, and comes back when it is used. For arrays that are passed through.
 */
void mapped_rest(const struct mapped *m);

/* Safe on a zeroed struct. */
void mapped_release(struct mapped *m);

#endif
