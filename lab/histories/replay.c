#include "histories/replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/sort.h"
#include "histories/canaries.h"
#include "histories/gains.h"
#include "histories/schedule.h"

struct block {
	double sum;
	size_t count;
};

/* The blocks that hold something, at the beginning of the array; how many. */
static uint32_t fill(const struct bootstrap *b, const double *values, struct block *blocks)
{
	uint32_t used = 0;

	for (size_t i = 0; i < b->count; i++) {
		blocks[b->blocks[i]].sum += values[i];
		blocks[b->blocks[i]].count++;
	}
	for (uint32_t i = 0; i < b->block_count; i++)
		if (blocks[i].count > 0)
			blocks[used++] = blocks[i];
	return used;
}

/* The mean over all blocks, or with a generator over as many, drawn with repetition. */
static double mean_of(const struct block *blocks, uint32_t used, struct rng *rng)
{
	struct block all = {0};

	for (uint32_t i = 0; i < used; i++) {
		const struct block *one = &blocks[rng ? rng_below(rng, used) : i];

		all.sum += one->sum;
		all.count += one->count;
	}
	return all.sum / (double)all.count;
}

int bootstrap_mean(const struct bootstrap *b, const double *values, struct bootstrap_mean *ret_mean)
{
	struct block *blocks = calloc(b->block_count + 1, sizeof *blocks);
	double *means = calloc(BOOTSTRAP_ROUNDS, sizeof *means), mean = NAN;
	struct bootstrap_mean result = {NAN, NAN, NAN};
	int rc = blocks && means ? 0 : ERR_NOMEM;
	struct rng rng;

	rng_init(&rng, b->seed);
	if (rc == 0) {
		uint32_t used = fill(b, values, blocks);

		mean = mean_of(blocks, used, NULL);
		for (int i = 0; !isnan(mean) && i < BOOTSTRAP_ROUNDS; i++)
			means[i] = mean_of(blocks, used, &rng);
	}
	if (rc == 0 && !isnan(mean)) {
		qsort(means, BOOTSTRAP_ROUNDS, sizeof *means, sort_by_value);
		result = (struct bootstrap_mean){mean, means[BOOTSTRAP_ROUNDS / 40],
			means[BOOTSTRAP_ROUNDS - 1 - BOOTSTRAP_ROUNDS / 40]};
	}
	free(blocks);
	free(means);
	if (rc == 0)
		*ret_mean = result;
	return rc;
}

enum { TRIES = 100 }; /* for a start at which some page is there */

static const double PAST_SHARE = 0.2, MARGIN = 2;

struct range {
	double from, to; /* of starts, days */
};

struct run {
	const struct replay_params *params;
	struct range range;
	struct rng *randoms; /* by draw */
	struct replay result;
};

static struct range find_range(const struct replay_params *p)
{
	double first = p->history->days * PAST_SHARE, last = p->history->days;
	double middle = (first + last) / 2;

	if (p->half == REPLAY_FIRST)
		last = middle;
	if (p->half == REPLAY_SECOND)
		first = middle;
	return (struct range){first, last - MARGIN * p->days};
}

static int make_draw(const struct run *r, size_t i, struct draw *ret_draw)
{
	const struct replay_params *p = r->params;
	struct draw_params params = {
		.days = p->days,
		.rates = p->rates,
		.memory = p->memory,
		.links = p->links,
		.randoms = r->randoms[i],
	};
	int rc = ERR_NOTFOUND;

	for (int k = 0; rc == ERR_NOTFOUND && k < TRIES; k++) {
		params.start =
			r->range.from + rng_double(&params.randoms) * (r->range.to - r->range.from);
		rc = draw_make(p->history, &params, ret_draw);
	}
	return rc;
}

static int schedule(const struct replay_params *p, const struct draw *draw,
	const struct replay_arm *arm, struct past_capture *ret_capture)
{
	struct schedule_params params = {.draw = draw, .strategy = arm->strategy, .tau = p->tau};
	struct err err = {0}; /* nothing but memory can fail */

	if (arm->gains & GAIN_SUBSITES)
		return schedule_subsites(&params, ret_capture, &err);
	if (arm->gains & GAIN_CANARIES)
		return schedule_canaries(&params, p->canary_period, ret_capture, &err);
	return schedule_plain(&params, ret_capture, &err);
}

/* The first of the arms that makes the same downloads, third visits aside. */
static size_t first_alike(const struct replay_params *p, size_t arm)
{
	const struct replay_arm *a = &p->arms[arm];
	size_t i = 0;

	while (p->arms[i].strategy != a->strategy ||
		(p->arms[i].gains & GAINS_OF_PLAN) != (a->gains & GAINS_OF_PLAN))
		i++;
	return i;
}

static int weigh(const struct replay_arm *arm, const struct draw *draw,
	const struct past_capture *capture, struct proof *ret)
{
	struct proof_params params = {
		.last_modified = arm->gains & GAIN_LAST_MODIFIED,
		.best_instant = arm->gains & GAIN_BEST_INSTANT,
	};
	struct past_capture longer = {0};
	int rc;

	if (!(arm->gains & GAIN_THIRD_VISIT))
		return proof_weigh(draw, capture, &params, ret);
	rc = past_capture_copy(capture, &longer);
	if (rc == 0)
		rc = schedule_third_visits(draw, &longer);
	if (rc == 0)
		rc = proof_weigh(draw, &longer, &params, ret);
	past_capture_release(&longer);
	return rc;
}

static int run_arms(
	const struct replay_params *p, const struct draw *draw, bool watched, struct proof *values)
{
	struct past_capture *captures = calloc(p->arm_count, sizeof *captures);
	int rc = captures ? 0 : ERR_NOMEM;

	for (size_t a = 0; rc == 0 && a < p->arm_count; a++) {
		size_t like = first_alike(p, a);

		if (like == a)
			rc = schedule(p, draw, &p->arms[a], &captures[a]);
		if (rc == 0 && like == a && watched)
			p->watch(p->watch_context, a, draw, &captures[a]);
		if (rc == 0)
			rc = weigh(&p->arms[a], draw, &captures[like], &values[a]);
	}
	for (size_t a = 0; captures && a < p->arm_count; a++)
		past_capture_release(&captures[a]);
	free(captures);
	return rc;
}

static int run_draw(void *context, size_t i)
{
	struct run *r = context;
	const struct replay_params *p = r->params;
	struct draw draw = {0};
	int rc = make_draw(r, i, &draw);

	if (rc)
		return rc;
	r->result.drawn[i] = (struct replay_draw){.start = draw.params.start,
		.pages = (double)draw.site.n,
		.linked = p->links ? (double)(draw.site.n - draw.seeds.len) : 0};
	r->result.blocks[i] = (uint32_t)((draw.params.start - r->range.from) / p->days);
	rc = run_arms(p, &draw, p->watch && i == 0, &r->result.values[i * p->arm_count]);
	draw_release(&draw);
	return rc;
}

static int allocate(struct run *r)
{
	const struct replay_params *p = r->params;
	struct rng parent;

	r->result = (struct replay){
		.draws = p->draws,
		.arms = p->arm_count,
		.drawn = calloc(p->draws, sizeof *r->result.drawn),
		.values = calloc(p->draws * p->arm_count, sizeof *r->result.values),
		.blocks = calloc(p->draws, sizeof *r->result.blocks),
		.block_count = (uint32_t)((r->range.to - r->range.from) / p->days) + 1,
		.seed = p->seed,
	};
	r->randoms = calloc(p->draws, sizeof *r->randoms);
	if (!r->result.drawn || !r->result.values || !r->result.blocks || !r->randoms)
		return ERR_NOMEM;
	rng_init(&parent, p->seed);
	for (size_t i = 0; i < p->draws; i++)
		rng_split(&parent, &r->randoms[i]);
	return 0;
}

int replay_run(const struct replay_params *params, struct replay *ret_replay, struct err *err)
{
	struct run r = {.params = params, .range = find_range(params)};
	struct parallel loop = {
		.threads = params->threads,
		.count = params->draws,
		.work = run_draw,
		.context = &r,
		.report = params->report,
		.report_context = params->context,
	};
	int rc;

	if (!(r.range.from < r.range.to))
		return err_set(err, ERR_RANGE,
			"%.0f days of history are too few for crawls of %g days",
			params->history->days, params->days);
	rc = allocate(&r);
	if (rc == 0)
		rc = parallel_run(&loop);
	free(r.randoms);
	if (rc == 0) {
		*ret_replay = r.result;
		return 0;
	}
	replay_release(&r.result);
	if (rc == ERR_NOTFOUND)
		return err_set(err, ERR_RANGE, "there is hardly ever a page to capture");
	return err_code(err, rc);
}

void replay_release(struct replay *r)
{
	free(r->drawn);
	free(r->values);
	free(r->blocks);
	*r = (struct replay){0};
}

static double value_at(const struct replay *r, size_t draw, size_t arm, size_t value)
{
	double result;

	memcpy(&result, (const char *)&r->values[draw * r->arms + arm] + value, sizeof result);
	return result;
}

int replay_mean(const struct replay *r, size_t arm, size_t base, size_t value,
	struct bootstrap_mean *ret_mean)
{
	struct bootstrap b = {r->blocks, r->draws, r->block_count, r->seed};
	double *values = calloc(r->draws, sizeof *values);
	int rc;

	if (!values)
		return ERR_NOMEM;
	for (size_t i = 0; i < r->draws; i++) {
		values[i] = value_at(r, i, arm, value);
		if (base != REPLAY_NO_BASE)
			values[i] -= value_at(r, i, base, value);
	}
	rc = bootstrap_mean(&b, values, ret_mean);
	free(values);
	return rc;
}
