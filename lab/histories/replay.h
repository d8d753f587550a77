/*
 * Captures of a real site at random moments of its recorded history, by several arms: strategies,
 * and the first strategy with gains. All arms see the same draws, so they can be compared draw by
 * draw.
 *
 * Starts are uniform over the time range, but for its first fifth, which is only past, and for
 * twice the length of a crawl at its end, so that also a crawl with extra requests ends within what
 * was recorded. That range can be cut in halves: one to choose parameters on, one to report.
 */
#ifndef HISTORIES_REPLAY_H
#define HISTORIES_REPLAY_H

#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "histories/draw.h"
#include "histories/history.h"
#include "histories/past_capture.h"
#include "histories/proof.h"
#include "plan/plan.h"

/*
 * How far a mean over draws may be off: a bootstrap of blocks.
 *
 * Crawls drawn from one history overlap when they are long, and then tell the same story twice. So
 * what is drawn again is not the single value but the block, the values whose crawls begin in the
 * same stretch of time; a stretch being as long as a crawl, values of different blocks (but for
 * neighbours) have nothing in common. The interval is that between the quantiles 2.5 % and 97.5 %
 * of the means.
 */

enum { BOOTSTRAP_ROUNDS = 2000 };

struct bootstrap_mean {
	double mean, low, high;
};

/*
 * values[i] belongs to blocks[i], blocks being numbered from 0 to block_count - 1 (some
 * may be empty). The same seed gives the same interval. All NAN when a value is. 0 or ERR_NOMEM.
 */
struct bootstrap {
	const uint32_t *blocks;
	size_t count;
	uint32_t block_count;
	uint64_t seed;
};

int bootstrap_mean(const struct bootstrap *b, const double *values,
	struct bootstrap_mean *ret_mean) SP_MUST_CHECK;

struct replay_arm {
	const struct plan_strategy *strategy;
	unsigned gains; /* set of enum gain; needs a strategy with revisits */
};

enum replay_half {
	REPLAY_ALL,
	REPLAY_FIRST,
	REPLAY_SECOND,
};

/* Sees the capture of an arm, without its third visits. */
typedef void replay_watch(
	void *context, size_t arm, const struct draw *draw, const struct past_capture *capture);

/* Borrows everything. */
struct replay_params {
	const struct history *history;
	const struct replay_arm *arms;
	size_t arm_count;
	size_t draws;
	double days; /* length of a plain crawl */
	enum draw_rates rates;
	double memory; /* draw_params.memory */
	const struct history_links
		*links; /* draw_params.links; then no gains that order downloads otherwise */
	double tau;
	unsigned canary_period;
	enum replay_half half;
	uint64_t seed;
	unsigned threads;                           /* 0: one for each processor */
	void (*report)(void *context, size_t done); /* may be NULL */
	void *context;
	replay_watch *watch; /* sees the captures of the first draw, in any thread; may be NULL */
	void *watch_context;
};

struct replay_draw {
	double start; /* days */
	double pages;
	double linked; /* of the pages: not known at the start */
};

struct replay {
	size_t draws, arms;
	struct replay_draw *drawn;
	struct proof *values; /* of draw d and arm a: values[d * arms + a] */
	uint32_t *blocks;     /* by draw, for the bootstrap */
	uint32_t block_count;
	uint64_t seed;
};

/*
 * The same result for any number of threads. 0, ERR_RANGE when the history is too short for such
 * crawls or has no pages, ERR_NOMEM; the sentence is in err. Free with replay_release.
 */
int replay_run(const struct replay_params *params, struct replay *ret_replay,
	struct err *err) SP_MUST_CHECK;
void replay_release(struct replay *r);

/*
 * The mean of a value, which is named by its place: offsetof(struct proof, sharp). With a base, the
 * mean difference to that arm, draw by draw. 0 or ERR_NOMEM.
 */
int replay_mean(const struct replay *r, size_t arm, size_t base, size_t value,
	struct bootstrap_mean *ret_mean) SP_MUST_CHECK;

#define REPLAY_NO_BASE SIZE_MAX

#endif
