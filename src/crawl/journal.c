#include "crawl/journal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/vec.h"
#include "catalog/catalog.h"
#include "crawl/capture.h"
#include "crawl/restore.h"
#include "proof/legs.h"

/*
 * Calls the planner and logs each call that changes it in the catalog, with its arguments.
 * Replaying the log into a fresh planner restores the old one (plan.h, invariant 3). A newer
 * version that would give other orders must take those of the log, and continues from there.
 */

/*
 * The planner's log of a capture whose catalog was made anew from the WARC files (src/archive),
 * which have no log: what must have happened, from the attempts that were made. Orders that led to
 * no attempt are missing; the planner gives them again.
 */

VEC_DECLARE(relog_events, struct catalog_event);

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
	uint8_t leg;  /* enum attempt_leg: the last one that has begun */
	bool is_cut;  /* a limit has ended the visits */
	size_t unfit; /* attempts that cannot have come behind the others */
	struct relog_events *events;
};

/* ---- attempts ---- */

static unsigned attempts_of(const struct capture *c)
{
	return c->settings->attempts ? c->settings->attempts : PLAN_ATTEMPTS;
}

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

/*
 * What the planner was told of an attempt that nothing followed: slow_outcome, put_off and skip
 * (requests.c, orders.c) say the same as they happen.
 */
static enum plan_outcome outcome_of(const struct relogging *r, const struct attempt *a)
{
	struct observation o = legs_observe(a);

	if (observation_is_usable(&o))
		return PLAN_OK;
	switch (attempt_failure(a->failure)) {
	case FAILURE_HOURS:
		return PLAN_PUT_OFF;
	case FAILURE_SLOW: /* one that was sent has another try */
		return a->leg == ATTEMPT_REVISIT ||
				       (a->leg == ATTEMPT_VISIT && a->wall.sent && a->number == 1 &&
					       attempts_of(r->capture) > 1)
			       ? PLAN_RETRY
			       : PLAN_PUT_OFF;
	case FAILURE_HOST_DOWN:
		return PLAN_RETRY;
	default:
		return is_transient(a) ? PLAN_RETRY : PLAN_FAILED;
	}
}

/*
 * A page that was asked for once more (REQUEST_AGAIN): the planner did not order that. Its number
 * is above those of the plan, as is that of a page that was tried again after all had failed.
 */
static bool is_beside_plan(
	const struct relogging *r, const struct attempt *a, const struct fact *last)
{
	return a->leg == ATTEMPT_VISIT && a->number > attempts_of(r->capture) && last &&
	       last->outcome == PLAN_OK;
}

/*
 * What the attempt before it was told, by the one that follows it in another leg; false if none
 * can: then an attempt between them is lost, and the page is asked for once more.
 */
static bool follow_leg(struct fact *last, const struct fact *f)
{
	if (f->leg == ATTEMPT_REVISIT)
		return last->outcome == PLAN_OK;
	if (last->leg != ATTEMPT_VISIT || last->outcome == PLAN_OK)
		return false;
	last->outcome = PLAN_PUT_OFF;
	return true;
}

/*
 * Adds what came before the attempt and what it was. Numbers between them are of orders that left
 * no attempt that can be read: their records are lost, or the page was left out for a while.
 */
static bool add_fact(struct relogging *r, const struct fact *f)
{
	struct fact *last = r->facts.len ? &r->facts.ptr[r->facts.len - 1] : NULL;
	struct fact next = *f;
	unsigned number = 1;

	if (last && last->page != f->page)
		last = NULL;
	if (!last && f->leg == ATTEMPT_REVISIT) /* its visit is lost */
		return false;
	if (last && last->leg != f->leg && !follow_leg(last, f))
		return false;
	if (last && (last->leg == f->leg || f->leg == ATTEMPT_LATE))
		number = last->attempt + 1U;
	if (f->attempt < number)
		return false;
	if (last && last->leg == f->leg)
		last->outcome = PLAN_RETRY;
	if (last && next.begin < last->begin) /* somebody has set the clock back */
		next.begin = last->begin;
	for (; number < f->attempt; number++) {
		bool is_put_off = !last && f->leg == ATTEMPT_LATE; /* or it would be its first */

		facts_push(&r->facts,
			(struct fact){
				.begin = next.begin,
				.end = next.begin,
				.page = f->page,
				.leg = is_put_off ? ATTEMPT_VISIT : f->leg,
				.attempt = (uint8_t)number,
				.outcome = is_put_off && number + 1U == f->attempt ? PLAN_PUT_OFF
										   : PLAN_RETRY,
			});
	}
	facts_push(&r->facts, next);
	return true;
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
		.outcome = (uint8_t)outcome_of(r, a),
	};
	const struct fact *last = r->facts.len ? &r->facts.ptr[r->facts.len - 1] : NULL;

	if (a->page >= r->capture->pages.list.len || a->leg > ATTEMPT_LATE ||
		is_beside_plan(r, a, last && last->page == a->page ? last : NULL))
		return 0;
	if (a->number == 0 || a->number > UINT8_MAX || !add_fact(r, &f))
		r->unfit++;
	else if (f.leg > r->leg)
		r->leg = f.leg;
	return 0;
}

/* Legs follow each other, whatever the clock says. */
static int by_time(const void *a, const void *b)
{
	const struct fact *x = a, *y = b;

	if (x->leg != y->leg)
		return x->leg < y->leg ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	if (x->page != y->page)
		return x->page < y->page ? -1 : 1;
	return (x->attempt > y->attempt) - (x->attempt < y->attempt);
}

/*
 * The planner is in a later leg, so it waits for nothing of the earlier ones: a page whose next
 * visit is lost comes late, one whose revisit is lost has none.
 */
static void close_legs(struct relogging *r)
{
	size_t count = r->facts.len;

	for (size_t i = 0; i < count; i++) {
		struct fact *f = &r->facts.ptr[i];
		bool is_last = i + 1 == count || f[1].page != f->page;

		if (!is_last || f->leg >= r->leg)
			continue;
		if (f->outcome == PLAN_RETRY && f->attempt < attempts_of(r->capture))
			f->outcome =
				f->leg == ATTEMPT_VISIT && !r->is_cut ? PLAN_PUT_OFF : PLAN_FAILED;
		if (f->leg == ATTEMPT_VISIT && f->outcome == PLAN_OK && r->leg == ATTEMPT_LATE)
			facts_push(&r->facts, (struct fact){f->end, f->end, f->page,
						      ATTEMPT_REVISIT, 1, PLAN_FAILED});
	}
}

/* ---- events ---- */

static int add(struct relogging *r, const struct catalog_event *e)
{
	relog_events_push(r->events, *e);
	return 0;
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

static int add_order(struct relogging *r, const struct fact *f)
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

	TRY(add(r, &e));
	e.kind = CATALOG_EVENT_DONE;
	e.outcome = f->outcome;
	e.end = clock_seconds(f->end - started);
	return add(r, &e);
}

static int add_withdrawn(struct relogging *r)
{
	for (size_t i = 0; i < r->facts.len; i++) {
		const struct fact *f = &r->facts.ptr[i];
		const struct crawl_page *p = &r->capture->pages.list.ptr[f->page];

		/* One that repeats another may be taken again. */
		if (f->attempt == 1 && f->leg != ATTEMPT_REVISIT && !p->taken &&
			!left_out_is_repeat((enum left_out)p->left_out))
			TRY(add(r, &(struct catalog_event){
					   .kind = CATALOG_EVENT_WITHDRAW, .page = f->page}));
	}
	return 0;
}

/* Once the planner is behind the visits, it takes what is found for late. */
static int add_barrier(struct relogging *r)
{
	if (r->is_cut)
		TRY(add(r, &(struct catalog_event){.kind = CATALOG_EVENT_END_VISITS}));
	if (r->leg == ATTEMPT_VISIT)
		return 0;
	TRY(add(r, &(struct catalog_event){.kind = CATALOG_EVENT_STEP}));
	return add_discovered(r, true);
}

static int add_all(struct relogging *r)
{
	size_t i = 0;

	TRY(add_discovered(r, false));
	for (; i < r->facts.len && r->facts.ptr[i].leg == ATTEMPT_VISIT; i++)
		TRY(add_order(r, &r->facts.ptr[i]));
	TRY(add_barrier(r));
	for (; i < r->facts.len; i++)
		TRY(add_order(r, &r->facts.ptr[i]));
	return add_withdrawn(r);
}

/* Appends the events, in their order; none for a capture without attempts. 0, ERR_NOMEM, … */
static SP_MUST_CHECK int relog(
	const struct capture *c, struct catalog *catalog, struct relog_events *ret, struct err *err)
{
	struct relogging r = {
		.capture = c, .is_cut = c->row.ended_by != CATALOG_END_NONE, .events = ret};
	int rc = catalog_each_observation(catalog, c->row.id, on_observation, &r, err);

	if (rc == 0 && r.unfit > 0)
		log_warn("crawl",
			"capture %u: %zu attempts cannot be told from others that are lost; their "
			"pages are asked for once more",
			(unsigned)c->row.id, r.unfit);
	if (rc == 0 && r.facts.len > 0) {
		close_legs(&r);
		qsort(r.facts.ptr, r.facts.len, sizeof r.facts.ptr[0], by_time);
		rc = err_code(err, add_all(&r));
	}
	facts_release(&r.facts);
	return rc;
}

static int append(struct capture *c, const struct catalog_event *e)
{
	capture_store(c, &(struct catalog_row){CATALOG_ROW_EVENT, .event = e});
	return 0;
}

/* A page that the planner knows already stays where it is. */
static int place(struct capture *c, uint32_t page)
{
	const struct crawl_page *p = &c->pages.list.ptr[page];
	int rc = 0;

	if (crawl_page_has_host(p))
		rc = plan_place(
			c->plan, page, hosts_at(&c->hosts, p->host)->server % PLAN_SERVERS_MAX);
	return rc == ERR_STATE ? 0 : rc;
}

static int apply_discovered(struct capture *c, uint32_t page, struct err *err)
{
	struct page_prior prior;
	int rc = pages_prior(&c->pages, page, &prior, err);

	if (rc)
		return rc;
	rc = place(c, page);
	if (rc == 0)
		rc = plan_discovered(c->plan, page, prior.survival,
			prior.weight * (float)importance_weight(c, page));
	if (rc)
		return err_set(err, rc, "page %u: %s", (unsigned)page, err_name(rc));
	c->pages.list.ptr[page].planned = true;
	STAGE_SET(c, asleep, false);
	return 0;
}

int journal_discovered(struct capture *c, uint32_t page, struct err *err)
{
	TRY(apply_discovered(c, page, err));
	return append(c, &(struct catalog_event){.kind = CATALOG_EVENT_DISCOVERED, .page = page});
}

/* Orders are numbered as they are given out: that is a page's position in the plan. */
static void apply_order(struct capture *c, const struct plan_order *order)
{
	if (order->attempt == 1 && order->leg == PLAN_VISIT)
		c->pages.list.ptr[order->page].position = c->stage.visits_ordered++;
	if (order->attempt == 1 && order->leg == PLAN_REVISIT)
		c->stage.revisits_ordered++;
	STAGE_SET(c, begun, true);
}

static void record_position(struct capture *c, const struct plan_order *order)
{
	if (order->attempt > 1 || order->leg == PLAN_LATE)
		return;
	capture_store(c, &(struct catalog_row){CATALOG_ROW_PLAN,
				 .plan = &(struct catalog_plan){.page = order->page,
					 .visit = c->pages.list.ptr[order->page].position,
					 .revisit = order->leg == PLAN_REVISIT
							    ? (int64_t)c->stage.revisits_ordered - 1
							    : -1,
					 .hopeless = order->hopeless}});
}

int journal_next(struct capture *c, enum plan_step *ret_step, struct plan_order *ret_order)
{
	double now = capture_now(c);
	struct catalog_event e = {.kind = CATALOG_EVENT_STEP, .begin = now};

	*ret_step = plan_next(c->plan, now, ret_order);
	if (*ret_step == PLAN_ORDER) {
		e.kind = CATALOG_EVENT_NEXT;
		e.page = ret_order->page;
		e.leg = (uint8_t)ret_order->leg;
		e.attempt = (uint8_t)ret_order->attempt;
		e.hopeless = ret_order->hopeless;
		apply_order(c, ret_order);
		record_position(c, ret_order);
	}
	return append(c, &e);
}

int journal_done(struct capture *c, const struct plan_order *order, enum plan_outcome outcome,
	double begin, double end, struct err *err)
{
	TRY(outcome == PLAN_RETURNED ? 0 : importance_done(c, order->page, err));
	plan_done(c->plan, order, outcome, begin, end);
	STAGE_SET(c, asleep, false);
	return append(c, &(struct catalog_event){
				 .kind = CATALOG_EVENT_DONE,
				 .page = order->page,
				 .leg = (uint8_t)order->leg,
				 .attempt = (uint8_t)order->attempt,
				 .outcome = (uint8_t)outcome,
				 .hopeless = order->hopeless,
				 .begin = begin,
				 .end = end,
			 });
}

int journal_withdraw(struct capture *c, uint32_t page, struct err *err)
{
	int rc = plan_withdraw(c->plan, page);

	if (rc)
		return err_set(err, rc, "page %u: %s", (unsigned)page, err_name(rc));
	rc = importance_done(c, page, err);
	if (rc)
		return rc;
	return append(c, &(struct catalog_event){.kind = CATALOG_EVENT_WITHDRAW, .page = page});
}

int journal_retry(struct capture *c, uint32_t page, struct err *err)
{
	size_t failed = plan_progress(c->plan).failed;
	int rc = plan_retry(c->plan, page);

	if (rc)
		return err_set(err, rc, "page %u: %s", (unsigned)page, err_name(rc));
	if (plan_progress(c->plan).failed == failed)
		return 0;
	STAGE_SET(c, asleep, false);
	return append(c, &(struct catalog_event){.kind = CATALOG_EVENT_RETRY, .page = page});
}

static void apply_end_visits(struct capture *c)
{
	plan_end_visits(c->plan);
	STAGE_SET(c, visits_ended, true);
	STAGE_SET(c, cut, true);
	STAGE_SET(c, asleep, false);
}

static void apply_cancel(struct capture *c)
{
	plan_cancel(c->plan);
	STAGE_SET(c, cancelled, true);
	STAGE_SET(c, cut, true);
	STAGE_SET(c, asleep, false);
}

/* Logs the event together with the row, which says which limit it was. */
static int append_limit(struct capture *c, enum catalog_event_kind kind, enum catalog_end limit)
{
	TRY(append(c, &(struct catalog_event){.kind = kind}));
	if (c->row.ended_by != CATALOG_END_NONE)
		return 0;
	c->row.ended_by = limit;
	capture_store_row(c);
	return 0;
}

int journal_end_visits(struct capture *c, enum catalog_end limit)
{
	apply_end_visits(c);
	return append_limit(c, CATALOG_EVENT_END_VISITS, limit);
}

int journal_cancel(struct capture *c, enum catalog_end limit)
{
	apply_cancel(c);
	return append_limit(c, CATALOG_EVENT_CANCEL, limit);
}

/* ---- replay ---- */

VEC_DECLARE(open_orders, struct plan_order);

struct replay {
	struct capture *capture;
	struct open_orders open; /* given out, and not done yet */
	uint32_t *place;         /* by page: where its order is in open, plus one; 0: nowhere */
	double last;             /* time of the last event */
	const struct moments *resumed;
	size_t resumes; /* that came before that */
	uint32_t events;
	struct reread *rest;
	struct err *err;
};

static struct plan_order order_of(const struct catalog_event *e)
{
	return (struct plan_order){.page = e->page,
		.leg = (enum plan_leg)e->leg,
		.attempt = e->attempt,
		.hopeless = e->hopeless};
}

static int damaged(struct replay *r)
{
	return err_set(r->err, ERR_STATE,
		"the capture cannot be resumed: its log is damaged; start a new one with "
		"'stillpoint crawl'");
}

/* Imposes the order of the log: another version may have planned otherwise. */
static int replay_next(struct replay *r, const struct catalog_event *e)
{
	struct plan_order order = order_of(e);
	int rc = plan_impose(
		r->capture->plan, e->kind == CATALOG_EVENT_STEP ? NULL : &order, e->begin);

	if (rc == ERR_STATE)
		return damaged(r);
	if (rc)
		return err_code(r->err, rc);
	if (e->kind == CATALOG_EVENT_STEP)
		return 0;
	apply_order(r->capture, &order);
	r->place[order.page] = (uint32_t)r->open.len + 1;
	open_orders_push(&r->open, order);
	return 0;
}

/* Removes an order from those that are open. */
static void close_order(struct replay *r, uint32_t page)
{
	uint32_t i = r->place[page] - 1;

	r->open.ptr[i] = r->open.ptr[--r->open.len];
	r->place[r->open.ptr[i].page] = i + 1;
	r->place[page] = 0;
}

static int replay_done(struct replay *r, const struct catalog_event *e)
{
	struct plan_order order = order_of(e);
	const struct plan_order *open;

	if (order.page >= r->capture->pages.list.len || !r->place[order.page])
		return damaged(r);
	open = &r->open.ptr[r->place[order.page] - 1];
	if (open->leg != order.leg || open->attempt != order.attempt || e->outcome > PLAN_PUT_OFF)
		return damaged(r);
	close_order(r, order.page);
	plan_done(r->capture->plan, &order, (enum plan_outcome)e->outcome, e->begin, e->end);
	return 0;
}

/* Adds the time between the last event of a process and the start of the next. */
static void add_idle(struct replay *r, double until)
{
	for (; r->resumes < r->resumed->len && r->resumed->ptr[r->resumes] <= until; r->resumes++) {
		double at = r->resumed->ptr[r->resumes];

		r->capture->counters.idle += fmax(0, at - r->last);
		r->last = fmax(r->last, at);
	}
}

static int replay_discovered(struct replay *r, uint32_t page)
{
	TRY(apply_discovered(r->capture, page, r->err));
	return importance_restore_planned(r->capture, page, r->err);
}

static int replay_event(void *context, const struct catalog_event *e)
{
	struct replay *r = context;
	struct capture *c = r->capture;
	int rc;

	if (reread_note(r->rest, e, &rc))
		return err_code(r->err, rc);
	rc = r->events++ % STOP_INTERVAL ? 0 : lanes_shared_check_stop(c->lane->shared, r->err);
	if (rc)
		return rc;
	add_idle(r, fmax(e->begin, e->end));
	r->last = fmax(r->last, fmax(e->begin, e->end));
	switch (e->kind) {
	case CATALOG_EVENT_DISCOVERED:
		return e->page < c->pages.list.len ? replay_discovered(r, e->page) : damaged(r);
	case CATALOG_EVENT_NEXT:
	case CATALOG_EVENT_STEP:
		return replay_next(r, e);
	case CATALOG_EVENT_DONE:
		return replay_done(r, e);
	case CATALOG_EVENT_END_VISITS:
		apply_end_visits(c);
		return 0;
	case CATALOG_EVENT_CANCEL:
		apply_cancel(c);
		return 0;
	case CATALOG_EVENT_WITHDRAW:
		return plan_withdraw(c->plan, e->page) ? damaged(r) : 0;
	case CATALOG_EVENT_RETRY:
		return plan_retry(c->plan, e->page) ? damaged(r) : 0;
	case CATALOG_EVENT_UNREAD:
	case CATALOG_EVENT_UNTABLED:
	case CATALOG_EVENT_SETTLED:
		break;
	}
	return damaged(r);
}

/*
 * A catalog that was made anew has no log: one that fits its attempts takes its place. Seeds and
 * what sitemaps list may be among what was lost, so the capture begins with them once more.
 */
static int replay_attempts(struct replay *r, struct catalog *catalog)
{
	struct relog_events events = {0};
	int rc = relog(r->capture, catalog, &events, r->err);

	for (size_t i = 0; rc == 0 && i < events.len; i++) {
		rc = replay_event(r, &events.ptr[i]);
		if (rc == 0)
			rc = append(r->capture, &events.ptr[i]);
	}
	relog_events_release(&events);
	STAGE_SET(r->capture, begun, false);
	return rc;
}

int journal_replay(struct capture *c, struct catalog *catalog, const struct moments *resumed,
	struct reread *rest, struct err *err)
{
	struct replay r = {.capture = c, .resumed = resumed, .rest = rest, .err = err};
	int rc;

	r.place = mem_new(c->pages.list.len ? c->pages.list.len : 1, sizeof *r.place);
	rc = catalog_each_event(catalog, c->row.id, replay_event, &r, err);
	if (rc == 0 && r.events == 0)
		rc = replay_attempts(&r, catalog);

	/* The planner's clock never runs backwards, whatever the wall clock did meanwhile. */
	if (rc == 0 && capture_now(c) < r.last)
		c->epoch = clock_monotonic(c->clock) -
			   (int64_t)ceil(r.last * (double)CLOCK_NS_PER_SECOND);
	if (rc == 0)
		add_idle(&r, INFINITY);
	for (size_t i = 0; rc == 0 && i < r.open.len; i++)
		rc = journal_done(c, &r.open.ptr[i], PLAN_RETURNED, r.last, r.last, err);
	open_orders_release(&r.open);
	free(r.place);
	return rc;
}
