#include <math.h>

#include "crawl/capture.h"
#include "crawl/journal.h"
#include "crawl/response.h"
#include "crawl/scheduler.h"

/*
 * SCHEDULER_PLAN: asks the planner which page is next, and tells it what came of it. The planner
 * is asked for visits as late as possible, since links found meanwhile may change its plan: each
 * server has no more orders than may be under way at once, and as many again that wait for it.
 */

/*
 * The still point lasts at least so many seconds. Reports round times to milliseconds so that no
 * claim grows; of a shorter one nothing might be left.
 */
static const double STILL_POINT_MIN = 0.002;

/* ---- orders that are not carried out ---- */

/*
 * robots.txt has changed since the planner got the page, and forbids it now. A page that repeats
 * another one has failed as far as the planner knows: it may be tried again.
 */
static int withdraw(struct capture *c, const struct plan_order *order, struct err *err)
{
	double now = capture_now(c);

	if (left_out_is_repeat((enum left_out)c->pages.list.ptr[order->page].left_out))
		return journal_done(c, order, PLAN_FAILED, now, now, err);
	TRY(journal_withdraw(c, order->page, err));
	return journal_done(c, order, PLAN_RETURNED, now, now, err);
}

/*
 * Counts as an attempt. Where the server is down there may be another one after the other pages; a
 * name that does not exist will not come.
 */
static int skip(struct capture *c, const struct plan_order *order, struct err *err)
{
	bool no_name = c->rules.list.ptr[c->pages.list.ptr[order->page].host].no_name;
	double now = capture_now(c);

	TRY(response_skipped(c, order, no_name ? FAILURE_DNS : FAILURE_HOST_DOWN,
		no_name ? "there is no such name" : "its server has stopped answering", err));
	return journal_done(c, order, no_name ? PLAN_FAILED : PLAN_RETRY, now, now, err);
}

/* Its page is downloaded once after the revisits: the planner does not wait for it. */
static int put_off(struct capture *c, const struct plan_order *order, struct err *err)
{
	double now = capture_now(c);
	bool for_hours = c->stage.rest_put_off;

	TRY(response_skipped(c, order, for_hours ? FAILURE_HOURS : FAILURE_SLOW,
		for_hours ? "its visit would have left no time for revisits before they end"
			  : "waiting for its server would have cost more sharp pages than it gives",
		err));
	return journal_done(c, order, PLAN_PUT_OFF, now, now, err);
}

static int dropped(
	struct capture *c, const struct plan_order *order, enum drop_reason reason, struct err *err)
{
	double now = capture_now(c);

	if (reason == DROP_SERVER_DOWN)
		return skip(c, order, err);
	if (reason == DROP_FORBIDDEN)
		return withdraw(c, order, err);
	return journal_done(c, order, PLAN_RETURNED, now, now, err);
}

/* ---- asking the planner ---- */

/* Seconds until the first revisit may start: the still point must have a length. */
static double barrier_left(const struct capture *c)
{
	struct plan_progress p = plan_progress(c->plan);
	bool are_over = c->stage.visits_ended || p.visited + p.failed == p.known;

	if (p.leg != PLAN_VISIT || p.in_flight > 0 || !are_over || c->counters.visits == 0)
		return 0;
	return fmax(0, c->counters.last_visit + STILL_POINT_MIN - capture_now(c));
}

/* Until the planner may be asked, for the first revisit, too; infinite when nothing waits. */
static double wait_for_orders(const struct capture *c)
{
	double wait = plan_wake(c->plan) - capture_now(c);

	/* 0 if it is over by now: the planner must still be asked. */
	return c->stage.held_by_barrier ? barrier_left(c) : fmax(0, wait);
}

/* Nothing has happened since the planner had no order, and no server that it held back may begin.
 */
static bool is_asleep(const struct capture *c)
{
	return c->stage.asleep && plan_wake(c->plan) > capture_now(c);
}

/*
 * Whether the planner may be asked. Not before the first robots.txt and sitemaps have come, and not
 * if it would begin the next leg while pages wait for a robots.txt: they belong to this one.
 */
static bool may_ask(struct capture *c)
{
	struct plan_progress p = plan_progress(c->plan);
	bool visits_over = p.leg == PLAN_VISIT && p.visited + p.failed + p.in_flight == p.known;
	bool is_ready = !c->stage.ended && !is_asleep(c) && (!c->login.busy || c->stage.cancelled);

	STAGE_SET(c, held_by_barrier, is_ready && barrier_left(c) > 0);
	if (!is_ready || c->stage.held_by_barrier)
		return false;
	if (visits_over && !c->stage.cancelled)
		return c->requests.unplanned + c->rules.waiting == 0;
	return c->requests.unplanned == 0 || c->stage.begun;
}

/* The planner has no more orders, and no probe is under way. */
static int end_orders(struct capture *c, struct err *err)
{
	STAGE_SET(c, ended, true);
	return importance_close(c, err);
}

/* The next order would be the first revisit. */
static bool is_at_barrier(const struct capture *c)
{
	struct plan_progress p = plan_progress(c->plan);

	return c->stage.begun && p.leg == PLAN_VISIT && p.in_flight == 0 && p.known > 0 &&
	       p.visited + p.failed == p.known;
}

static int ask(struct capture *c, struct err *err)
{
	const struct crawl_page *page;
	struct plan_order order;
	enum plan_step step;

	if (is_at_barrier(c))
		TRY(importance_weigh(c, err));
	TRY(journal_next(c, &step, &order));
	/* The still point is after all visits and before the first revisit. */
	if (!c->stage.marked && plan_progress(c->plan).leg != PLAN_VISIT) {
		STAGE_SET(c, marked, true);
		TRY(capture_moment(c, "stillpoint", err));
	}
	if (step != PLAN_ORDER) {
		STAGE_SET(c, asleep, true);
		return step == PLAN_END && c->requests.unplanned == 0 ? end_orders(c, err) : 0;
	}
	/* The planner does not know of rules that change and of servers that are down. */
	page = &c->pages.list.ptr[order.page];
	if (!page->taken)
		return withdraw(c, &order, err);
	if (order.put_off)
		return put_off(c, &order, err);
	if (fetch_is_gone(c, page->host))
		return skip(c, &order, err);
	return err_code(err,
		fetch_hold(c, &(struct request){
				      .kind = REQUEST_PAGE, .host = page->host, .order = order}));
}

static int dispatch(struct capture *c, struct err *err)
{
	TRY(robots_fetch_due(c, err));
	TRY(views_sweep(c, err));
	TRY(importance_feed(c, err));
	while (may_ask(c)) {
		TRY(lane_check_stop(c->lane, err));
		for (size_t i = CRAWL_FEATURES_COUNT; i-- > 0;)
			if (CRAWL_FEATURES[i].close && is_at_barrier(c))
				TRY(CRAWL_FEATURES[i].close(c, err));
		/* Unless there are second visits to wait for. */
		if (c->requests.unplanned == 0 || c->stage.cancelled || !is_at_barrier(c))
			TRY(ask(c, err));
		TRY(lane_start_ready(c->lane, err));
		TRY(importance_feed(c, err));
	}
	return 0;
}

/* Whether the host has ever answered: then a name that is missing now may come back. */
static bool was_there(const struct capture *c, uint32_t host)
{
	return c->rules.list.ptr[host].policy != ROBOTS_DISALLOW_ALL &&
	       !c->rules.list.ptr[host].no_name;
}

/* Tells the planner how long downloads of one of several servers take. */
static int note_pace(struct capture *c, uint32_t host, double seconds, struct err *err)
{
	double delay = pace_delay(hosts_pace(&c->hosts, host));

	if (c->hosts.asked.len > 1 && delay + seconds > 0)
		TRY(err_code(err,
			plan_pace(c->plan, hosts_at(&c->hosts, host)->server % PLAN_SERVERS_MAX,
				(delay + seconds) / c->settings->jobs)));
	return 0;
}

/* A download of the plan, or a second visit. */
static void count(struct capture *c, const struct request *r, const struct net_fetch *f,
	double begin, double end)
{
	c->counters.requests++;
	c->probing.requests++;
	if (r->order.leg == PLAN_VISIT)
		counters_add_visit(
			&c->counters, &(struct counted_visit){
					      .begin = begin,
					      .end = end,
					      .bytes = f->head.len + f->body_size,
					      .delay = pace_delay(hosts_pace(&c->hosts, r->host)),
					      .jobs = c->settings->jobs,
					      .slow = f->failure == NET_FAILURE_SLOW,
				      });
}

static int finished(
	struct capture *c, const struct request *r, const struct net_fetch *f, struct err *err)
{
	double end = capture_seconds(c, f->monotonic.last_byte);
	double begin = f->monotonic.sent ? capture_seconds(c, f->monotonic.sent) : end;
	enum plan_outcome outcome = PLAN_FAILED;

	count(c, r, f, begin, end);
	if (r->kind == REQUEST_AGAIN) /* the planner does not know of it */
		return response_finished(c, r, f, &outcome, err);
	/* It was under way when it was left out. */
	if (left_out_is_repeat((enum left_out)c->pages.list.ptr[r->order.page].left_out)) {
		TRY(dust_readmit(c, r->order.page, "in: it was under way already", err));
	}
	TRY(response_finished(c, r, f, &outcome, err));
	if (f->failure == NET_FAILURE_SLOW)
		outcome = slow_outcome(c, &r->order);
	if (f->no_name && !was_there(c, r->host))
		outcome = PLAN_FAILED;
	TRY(note_pace(c, r->host, end - begin, err));
	return journal_done(c, &r->order, outcome, begin, end, err);
}

/* ---- what pages showed ---- */

/* A usable revisit that began at that time of the planner's clock. */
static int count_revisit(struct capture *c, const struct attempt *a, const struct page_visit *visit,
	double begin, struct err *err)
{
	bool is_same = page_visit_is_same(visit, a);
	struct page_prior prior;

	TRY(pages_prior(&c->pages, a->page, &prior, err));
	counters_add_revisit(&c->counters, survival_at(prior.survival, fmax(0, begin - visit->end)),
		a->status < 400 && is_same);
	c->has_differing = c->has_differing || (!is_same && a->status < 400);
	return 0;
}

static int stored(struct capture *c, const struct arrival *at, struct err *err)
{
	const struct page_visit *visit = at->visit;
	const struct attempt *a = &at->a;

	if (at->outcome != PLAN_OK)
		return 0;
	if (visit) {
		TRY(count_revisit(c, a, visit, capture_seconds(c, a->clock.sent), err));
		TRY(probing_revisited(c, at, page_visit_is_same(visit, a), err));
	}
	return at->order->leg == PLAN_VISIT ? canaries_visited(c, at, err) : 0;
}

static int restored(struct capture *c, const struct attempt *a, bool is_usable, struct err *err)
{
	double begin = clock_seconds(a->wall.sent - c->row.started);
	struct page_visit visit;

	cloaking_restore(c, a);
	probing_restore(c, a);
	if (is_usable && a->leg == ATTEMPT_VISIT) {
		TRY(dust_restore_visit(c, a, err));
		return response_restored(c, a, err);
	}
	if (!is_usable || a->leg != ATTEMPT_REVISIT || !c->pages.list.ptr[a->page].visited)
		return 0;
	TRY(pages_visit(&c->pages, a->page, &visit, err));
	return count_revisit(c, a, &visit, begin, err);
}

const struct scheduler SCHEDULER_PLAN = {
	.given_up = "the time limit was over before it was complete",
	.legs = {[PLAN_VISIT] = ATTEMPT_VISIT,
		[PLAN_REVISIT] = ATTEMPT_REVISIT,
		[PLAN_LATE] = ATTEMPT_LATE},
	.discovered = journal_discovered,
	.dispatch = dispatch,
	.wait = wait_for_orders,
	.dropped = dropped,
	.finished = finished,
	.stored = stored,
	.restored = restored,
};
