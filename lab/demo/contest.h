/*
 * A contest: identical copies of a living site (same seed, same changes) captured at once, at the
 * same politeness, each by another strategy and into an archive of its own; then every claim is
 * held against the truth.
 */
#ifndef DEMO_CONTEST_H
#define DEMO_CONTEST_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/api.h"
#include "base/err.h"
#include "crawl/crawl.h"
#include "living/params.h"
#include "living/site.h"

enum {
	CONTESTANTS_MAX = 8,
	CONTEST_PATH_SIZE = 4096,
};

/* What a capture claims against what is true. */
struct contest_score {
	size_t pages;   /* known */
	size_t claimed; /* called sharp */
	size_t true_; /* unchanged in truth from the end of the visit to the start of the revisit */
	size_t false_;   /* called sharp, and changed in truth */
	double expected; /* sharp ones, of the intervals as they were */
	double seconds;  /* that the capture took */
};

struct contestant {
	const char *strategy;
	char archive[CONTEST_PATH_SIZE];
	char rates[CONTEST_PATH_SIZE];
	char url[64]; /* of the start page */
	struct living_site *site;
	struct crawl_settings settings;
	struct crawl_options options;
	bool finished;
	struct contest_score score;
	struct err err; /* of the capture, when rc is not 0 */
	int rc;
	pthread_t thread;
	bool started; /* the thread is there to be joined */

	pthread_mutex_t lock; /* of the rest */
	struct crawl_progress progress;
	bool done;
};

struct contest_params {
	const char *dir;               /* where archives go, which must exist */
	const char *const *strategies; /* ends with NULL */
	struct living_params site;
	double delay;
	int stop_fd; /* as crawl_options */
};

struct contest {
	struct contestant list[CONTESTANTS_MAX];
	size_t count;
};

/* Starts the sites and the captures. To be released in any case. */
int contest_start(
	struct contest *c, const struct contest_params *params, struct err *err) SP_MUST_CHECK;

/* How far a contestant is; false when it is done. */
bool contest_progress(struct contest *c, size_t i, struct crawl_progress *ret);

/* Waits for all of them and compares with the truth: 0, or the first error. */
int contest_finish(struct contest *c, struct err *err) SP_MUST_CHECK;

/* Ends the sites. Captures must have ended: contest_finish, or contest_start failed. */
void contest_release(struct contest *c);

/* The pair of a shop as an archive shows it: the editions, by its visits, 0 when there is none. */
struct contest_pair {
	unsigned prices, terms;
	bool sharp; /* both are */
};

int contest_pair(
	const struct contestant *who, struct contest_pair *ret, struct err *err) SP_MUST_CHECK;

#endif
