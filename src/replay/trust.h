/*
 * Which hosts of an archive had validators that were caught lying (quality/intervals.h). Any thread
 * may ask.
 */
#ifndef REPLAY_TRUST_H
#define REPLAY_TRUST_H

#include <pthread.h>
#include <stdbool.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/lists.h"
#include "base/slice.h"
#include "catalog/catalog.h"
#include "quality/intervals.h"

/* Fields are its own. */
struct trust {
	pthread_mutex_t lock;
	struct arena arena;
	struct strmap liars;     /* hosts */
	struct u32_vec captures; /* that have been read */
	bool is_read;            /* all that were over */
	bool is_lost;            /* no memory for a liar: nobody is trusted any more */
};

void trust_init(struct trust *t);
void trust_release(struct trust *t);

/* Reads the observations of a capture, once: 0, or as the catalog's functions. */
int trust_read_capture(
	struct trust *t, struct catalog *catalog, uint32_t capture, struct err *err) SP_MUST_CHECK;

/* All captures that are over have been read. */
void trust_settle(struct trust *t);

/* Adds what a page showed. */
void trust_join(struct trust *t, slice url, const struct validator_trust *page);

/* Whether nothing is known against the host of the URL. */
bool trust_holds(struct trust *t, slice url);

#endif
