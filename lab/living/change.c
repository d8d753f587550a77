#include "living/change.h"

#include <assert.h>
#include <math.h>

#include "base/clock.h"
#include "base/rng.h"

/* The k-th number of a stream, without having drawn those before: it is a hash of both. */
enum purpose {
	PURPOSE_GAP = 1,
	PURPOSE_REVERT,
	PURPOSE_COMMIT,
	PURPOSE_TOUCHED,
};

static const double LONGEST_SECONDS = 3e9; /* a century; int64_t holds three */

uint64_t change_mix(uint64_t seed, uint64_t purpose, uint64_t id)
{
	uint64_t state = seed;

	state = rng_splitmix64(&state) ^ purpose;
	state = rng_splitmix64(&state) ^ id;
	return rng_splitmix64(&state);
}

double change_uniform(uint64_t seed, uint64_t purpose, uint64_t id)
{
	return (double)(change_mix(seed, purpose, id) >> 11) * 0x1p-53;
}

static int64_t poisson_next(const struct change_source *s, const struct change_cursor *c)
{
	double gap;

	if (s->rate <= 0)
		return CHANGE_NEVER;
	gap = -log1p(-change_uniform(s->stream, PURPOSE_GAP, c->count)) / s->rate;
	if (gap > LONGEST_SECONDS || c->at_ns > INT64_MAX / 4)
		return CHANGE_NEVER;
	/* Two changes are never at the same time: each version has its instant. */
	return c->at_ns + 1 + (int64_t)(gap * (double)CLOCK_NS_PER_SECOND);
}

/*
 * The next commit that touches the resource. Commit k lies in the k-th interval, somewhere, so that
 * no one has to walk along the commits before it.
 */
static int64_t commit_next(const struct change_source *s, const struct change_cursor *c)
{
	double interval = s->commit_seconds * (double)CLOCK_NS_PER_SECOND;

	if (s->commit_seconds <= 0 || s->commit_share <= 0)
		return CHANGE_NEVER;
	for (double k = floor((double)c->at_ns / interval);; k++) {
		uint64_t id = (uint64_t)k;
		double at = (k + change_uniform(s->commit_stream, PURPOSE_COMMIT, id)) * interval;

		if (at > LONGEST_SECONDS * (double)CLOCK_NS_PER_SECOND)
			return CHANGE_NEVER;
		if ((int64_t)at > c->at_ns &&
			change_uniform(s->stream, PURPOSE_TOUCHED, id) < s->commit_share)
			return (int64_t)at;
	}
}

static int64_t next_of(const struct change_source *s, const struct change_cursor *c)
{
	if (!s->is_recorded) {
		int64_t own = poisson_next(s, c), commit = commit_next(s, c);

		return own < commit ? own : commit;
	}
	return c->count < s->recorded_len ? s->recorded[c->count].at_ns : CHANGE_NEVER;
}

static uint32_t poisson_version(const struct change_source *s, const struct change_cursor *c)
{
	if (s->vanishing && (c->count + s->absent_first) % 2)
		return LIVING_GONE;
	if (!s->vanishing && c->count >= 2 &&
		change_uniform(s->stream, PURPOSE_REVERT, c->count) < s->reverts)
		return c->previous;
	return c->count + 1;
}

static void apply(const struct change_source *s, struct change_cursor *c)
{
	uint32_t version;

	c->count++;
	if (!s->is_recorded)
		version = poisson_version(s, c);
	else
		version = s->recorded[c->count - 1].gone ? LIVING_GONE : c->count;
	c->previous = c->version;
	c->version = version;
}

struct change_cursor change_begin(const struct change_source *s)
{
	struct change_cursor c = {.version = s->is_recorded || s->absent_first ? LIVING_GONE : 1};

	while ((c.next_ns = next_of(s, &c)) <= 0)
		apply(s, &c);
	return c;
}

void change_step(const struct change_source *s, struct change_cursor *c)
{
	assert(c->next_ns != CHANGE_NEVER);
	c->at_ns = c->next_ns;
	apply(s, c);
	c->next_ns = next_of(s, c);
}

struct change_cursor change_at(const struct change_source *s, int64_t at_ns)
{
	struct change_cursor c = change_begin(s);

	while (c.next_ns <= at_ns && c.next_ns != CHANGE_NEVER)
		change_step(s, &c);
	return c;
}
