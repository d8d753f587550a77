#include "crawl/relog.h"

#include <string.h>

#include "quality/legs.h"

/* An attempt, as far as the planner is concerned. */
struct fact {
	int64_t begin, end; /* wall, ns */
	uint32_t page;
	uint8_t leg; /* enum attempt_leg */
	uint8_t attempt;
	uint8_t outcome; /* enum plan_outcome */
};

VEC_DECLARE(facts, struct fact);

struct relogging {
	const struct capture *capture;
	struct facts facts;
	struct relog_events *events;
	struct err *err;
};

/* ---- attempts ---- */

static bool is_transient(const struct attempt *a)
{
	static const unsigned STATUSES[] = {408, 425, 429, 500, 502, 503, 504};
	slice left = a->failure, word = slice_take(&left, ':');

	for (size_t i = 0; i < sizeof STATUSES / sizeof STATUSES[0]; i++)
		if (a->status == STATUSES[i])
			return true;
#define X(name, text)                                          \
	if (a->failure.ptr && slice_eq(word, slice_str(text))) \
		return net_failure_is_transient(name);
	NET_FAILURES(X)
#undef X
	return a->truncated;
}

static enum plan_outcome outcome_of(const struct attempt *a)
{
	struct observation o = legs_observe(a);

	if (observation_is_usable(&o))
		return PLAN_OK;
	return is_transient(a) ? PLAN_RETRY : PLAN_FAILED;
}

/* What another attempt follows was to be tried again; what a late one follows was put off. */
static void note_next(struct fact *last, const struct fact *next)
{
	if (last->page != next->page)
		return;
	if (last->leg == next->leg)
		last->outcome = PLAN_RETRY;
	else if (last->leg == ATTEMPT_VISIT && next->leg == ATTEMPT_LATE)
		last->outcome = PLAN_PUT_OFF;
}

/* A page that was asked for once more (REQUEST_AGAIN): the planner did not order that. */
static bool is_beside_plan(const struct capture *c, const struct attempt *a)
{
	unsigned attempts = c->settings->attempts ? c->settings->attempts : PLAN_ATTEMPTS;

	return a->leg == ATTEMPT_VISIT && a->number > attempts;
}

/* They come by page, leg and number. */
static int on_observation(void *context, const struct attempt *a)
{
	struct relogging *r = context;
	struct fact f = {
		.begin = a->wall.sent ? a->wall.sent : a->wall.last_byte,
		.end = a->wall.last_byte,
		.page = a->page,
		.leg = (uint8_t)a->leg,
		.attempt = (uint8_t)a->number,
		.outcome = (uint8_t)outcome_of(a),
	};

	if (a->page >= r->capture->pages.list.len || a->leg > ATTEMPT_LATE ||
		is_beside_plan(r->capture, a))
		return 0;
	if (r->facts.len > 0)
		note_next(&r->facts.ptr[r->facts.len - 1], &f);
	return err_code(r->err, facts_push(&r->facts, f));
}

static int by_time(const void *a, const void *b)
{
	const struct fact *x = a, *y = b;
	int after_barrier = (x->leg != ATTEMPT_VISIT) - (y->leg != ATTEMPT_VISIT);

	if (after_barrier)
		return after_barrier;
	return x->begin == y->begin ? 0 : x->begin < y->begin ? -1 : 1;
}

/* ---- events ---- */

static int add(struct relogging *r, const struct catalog_event *e)
{
	return relog_events_push(r->events, *e);
}

/* Pages of the visits, or those that were found after them. */
static int add_discovered(struct relogging *r, bool late)
{
	uint8_t *known = calloc(r->capture->pages.list.len + 1, 1);
	int rc = known ? 0 : ERR_NOMEM;

	/* Visits come first, so a page that was put off is one of theirs. */
	for (size_t i = 0; rc == 0 && i < r->facts.len; i++) {
		const struct fact *f = &r->facts.ptr[i];
		bool is_new = !known[f->page];

		known[f->page] = 1;
		if (is_new && (f->leg == ATTEMPT_LATE) == late)
			rc = add(r, &(struct catalog_event){
					    .kind = CATALOG_EVENT_DISCOVERED, .page = f->page});
	}
	free(known);
	return rc;
}

static int add_fact(struct relogging *r, const struct fact *f)
{
	static const enum plan_leg LEGS[] = {
		[ATTEMPT_VISIT] = PLAN_VISIT,
		[ATTEMPT_REVISIT] = PLAN_REVISIT,
		[ATTEMPT_LATE] = PLAN_LATE,
	};
	int64_t started = r->capture->row.started;
	struct catalog_event e = {
		.kind = CATALOG_EVENT_NEXT,
		.page = f->page,
		.leg = (uint8_t)LEGS[f->leg],
		.attempt = f->attempt,
		.begin = clock_seconds(f->begin - started),
	};
	int rc = add(r, &e);

	e.kind = CATALOG_EVENT_DONE;
	e.outcome = f->outcome;
	e.end = clock_seconds(f->end - started);
	return rc ? rc : add(r, &e);
}

/* Between the visits and what follows them. */
static int add_barrier(struct relogging *r)
{
	int rc = 0;

	if (r->capture->row.ended_by != CATALOG_END_NONE)
		rc = add(r, &(struct catalog_event){.kind = CATALOG_EVENT_END_VISITS});
	return rc;
}

static int add_withdrawn(struct relogging *r)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < r->facts.len; i++) {
		const struct fact *f = &r->facts.ptr[i];

		if (f->attempt == 1 && f->leg != ATTEMPT_REVISIT &&
			!r->capture->pages.list.ptr[f->page].taken)
			rc = add(r, &(struct catalog_event){
					    .kind = CATALOG_EVENT_WITHDRAW, .page = f->page});
	}
	return rc;
}

static int add_all(struct relogging *r)
{
	bool is_behind = false;
	int rc = add_discovered(r, false);

	for (size_t i = 0; rc == 0 && i < r->facts.len; i++) {
		const struct fact *f = &r->facts.ptr[i];

		if (!is_behind && f->leg != ATTEMPT_VISIT) {
			is_behind = true;
			rc = add_barrier(r);
		}
		if (rc == 0)
			rc = add_fact(r, f);
		/* Once a revisit was ordered, the planner takes what is found for late. */
		if (rc == 0 && is_behind && (i == 0 || r->facts.ptr[i - 1].leg == ATTEMPT_VISIT))
			rc = add_discovered(r, true);
	}
	return rc ? rc : add_withdrawn(r);
}

int relog(
	const struct capture *c, struct catalog *catalog, struct relog_events *ret, struct err *err)
{
	struct relogging r = {.capture = c, .events = ret, .err = err};
	int rc = catalog_each_observation(catalog, c->row.id, on_observation, &r, err);

	if (rc == 0 && r.facts.len > 0) {
		qsort(r.facts.ptr, r.facts.len, sizeof r.facts.ptr[0], by_time);
		rc = err_code(err, add_all(&r));
	}
	facts_release(&r.facts);
	return rc;
}
