/*
 * From the planner to the net. The planner says what is next, the frontier when its server may be
 * asked. Visits are fetched from the planner as late as possible, since links found meanwhile may
 * change its mind: for one server no more than can be under way at once; where there are several,
 * a few more, so that one that has to wait does not hold up the others. The order of the revisits
 * is settled, so of those as many are fetched as it takes to keep all servers busy.
 */
#include <math.h>

#include "crawl/capture.h"
#include "crawl/names.h"

/* Orders held for one server where there are several. */
enum {
	VISITS_AHEAD = 8,
	REVISITS_AHEAD = 512,
};

/*
 * Seconds that the still point lasts at least. Times are told in milliseconds, rounded so that no
 * claim grows: of a shorter one nothing might be left.
 */
static const double STILL_POINT_MIN = 0.002;

/* A place for an order: one that is free, or a new one. */
static int take_place(struct capture *c, size_t *ret)
{
	int rc = 0;

	if (c->free_order) {
		*ret = c->free_order - 1;
		c->free_order = c->orders.ptr[*ret].next_free;
	} else {
		*ret = c->orders.len;
		rc = order_vec_push(&c->orders, (struct order){0});
	}
	return rc;
}

static void free_place(struct capture *c, size_t i)
{
	c->orders.ptr[i].next_free = c->free_order;
	c->free_order = i + 1;
}

static int hold(struct capture *c, const struct plan_order *plan, struct err *err)
{
	struct order order = {.plan = *plan, .host = c->pages.list.ptr[plan->page].host};
	size_t i;
	int rc = take_place(c, &i);

	if (rc == 0) {
		c->orders.ptr[i] = order;
		rc = hosts_hold(&c->hosts, order.host, i);
	}
	return err_code(err, rc);
}

/* ---- orders that are not carried out ---- */

/* robots.txt has changed since the planner got to know the page: it is not wanted any longer. */
static int withdraw(struct capture *c, const struct plan_order *plan, struct err *err)
{
	double now = capture_now(c);
	int rc = journal_withdraw(c, plan->page, err);

	return rc ? rc : journal_done(c, plan, PLAN_RETURNED, now, now, err);
}

static bool is_down(const struct capture *c, uint32_t host)
{
	double after = c->settings->down_after > 0 ? c->settings->down_after : PACE_DOWN_AFTER;

	return pace_is_down(hosts_pace(&c->hosts, host), lane_now(c->lane), after);
}

/* Counts as an attempt: behind the other pages there may be another. */
static int skip(struct capture *c, const struct plan_order *plan, struct err *err)
{
	double now = capture_now(c);
	int rc = response_skipped(c, plan, "host-down: its server has stopped answering", err);

	return rc ? rc : journal_done(c, plan, PLAN_RETRY, now, now, err);
}

static int skip_side(struct capture *c, size_t i, struct err *err)
{
	struct side side = c->sides.ptr[i];

	side_drop(c, i);
	return side.kind == SIDE_ROBOTS ? rules_dropped(c, side.subject, err) : 0;
}

/* What waits for a server that is down does not wait any longer. */
static int skip_held(struct capture *c, uint32_t server, struct err *err)
{
	uint64_t tag;
	int rc = 0;

	while (rc == 0 && (rc = lane_check_stop(c->lane, err)) == 0 &&
		hosts_drop_from(&c->hosts, server, &tag)) {
		if (tag & CAPTURE_SIDE_TAG) {
			rc = skip_side(c, (size_t)(tag & ~CAPTURE_SIDE_TAG), err);
			continue;
		}
		rc = skip(c, &c->orders.ptr[tag].plan, err);
		free_place(c, (size_t)tag);
	}
	return rc;
}

/* A request has ended: looks after the server if it goes on failing. */
static int heed_server(struct capture *c, uint32_t host, struct err *err)
{
	int rc = is_down(c, host) ? skip_held(c, host, err) : 0;

	return rc ? rc : rules_probe(c, host, err);
}

/* ---- starting ---- */

/*
 * The order goes behind the question whether it is allowed still. Once: where the pause between two
 * requests is longer than robots.txt is trusted, the answer is always too old.
 */
static int ask_first(struct capture *c, size_t i, uint32_t host, struct err *err)
{
	int rc;

	c->orders.ptr[i].asked = true;
	hosts_undo(&c->hosts, host);
	rc = hosts_hold_first(&c->hosts, host, i);
	return rc ? err_code(err, rc) : rules_refresh(c, host, err);
}

static int fetch(struct capture *c, size_t i, struct err *err)
{
	struct buf url;
	int rc;

	buf_init(&url, URL_MAX);
	rc = pages_url(&c->pages, c->orders.ptr[i].plan.page, &url, err);
	if (rc == 0)
		rc = capture_fetch(c, buf_slice(&url), c->orders.ptr[i].host, i, err);
	buf_release(&url);
	return rc;
}

static int start(struct capture *c, size_t i, struct err *err)
{
	struct order order = c->orders.ptr[i];
	bool taken = c->pages.list.ptr[order.plan.page].taken;
	bool down = is_down(c, order.host);
	int rc;

	hosts_started(&c->hosts, order.host);
	if (taken && !down && !order.asked && rules_are_stale(c, order.host))
		return ask_first(c, i, order.host, err);
	if (taken && !down)
		return fetch(c, i, err);
	hosts_undo(&c->hosts, order.host);
	rc = taken ? skip(c, &order.plan, err) : withdraw(c, &order.plan, err);
	free_place(c, i);
	return rc;
}

int orders_start(struct capture *c, uint64_t tag, struct err *err)
{
	c->progressed = capture_now(c);
	return (tag & CAPTURE_SIDE_TAG) ? side_start(c, (size_t)(tag & ~CAPTURE_SIDE_TAG), err)
					: start(c, (size_t)tag, err);
}

static bool has_room(struct capture *c)
{
	size_t most = c->settings->jobs;

	if (c->hosts.asked.len > 1)
		most = plan_progress(c->plan).leg == PLAN_VISIT ? VISITS_AHEAD : REVISITS_AHEAD;
	return hosts_held(&c->hosts) == 0 || hosts_has_room(&c->hosts, most);
}

/* Seconds that the first revisit has still to wait, so that the still point has a length. */
static double barrier_left(const struct capture *c)
{
	struct plan_progress p = plan_progress(c->plan);
	bool are_over = c->visits_ended || p.visited + p.failed == p.known;

	if (p.leg != PLAN_VISIT || p.in_flight > 0 || !are_over || c->downloads == 0)
		return 0;
	return fmax(0, c->last_visit + STILL_POINT_MIN - capture_now(c));
}

double orders_wait(const struct capture *c)
{
	/* Not whether it is over by now: then nobody would ask. */
	return c->held_by_barrier ? barrier_left(c) : INFINITY;
}

/*
 * Whether the planner may be asked. Not before the first robots.txt and sitemaps are in, and not
 * where it would go to the next leg while pages wait for a robots.txt: they belong before it.
 */
static bool may_ask(struct capture *c)
{
	struct plan_progress p = plan_progress(c->plan);
	bool visits_over = p.leg == PLAN_VISIT && p.visited + p.failed + p.in_flight == p.known;

	c->held_by_barrier = false;
	if (c->ended || c->asleep || !has_room(c))
		return false;
	c->held_by_barrier = barrier_left(c) > 0;
	if (c->held_by_barrier)
		return false;
	if (visits_over && !c->cancelled)
		return c->sides_open + c->robots_waiting == 0;
	return c->sides_open == 0 || c->begun;
}

/* The planner knows nothing of rules that change and of servers that go down. */
static int take_order(struct capture *c, const struct plan_order *order, struct err *err)
{
	const struct crawl_page *p = &c->pages.list.ptr[order->page];

	if (!p->taken)
		return withdraw(c, order, err);
	return is_down(c, p->host) ? skip(c, order, err) : hold(c, order, err);
}

/* The instant of which everything is said: behind all visits, and before the first revisit. */
static int mark_still_point(struct capture *c, struct err *err)
{
	if (c->marked || plan_progress(c->plan).leg == PLAN_VISIT)
		return 0;
	c->marked = true;
	return capture_moment(c, "stillpoint", err);
}

static int ask(struct capture *c, struct err *err)
{
	struct plan_order order;
	enum plan_step step;
	int rc = journal_next(c, &step, &order, err);

	if (rc == 0)
		rc = mark_still_point(c, err);
	if (rc)
		return rc;
	switch (step) {
	case PLAN_ORDER:
		return take_order(c, &order, err);
	case PLAN_WAIT:
		c->asleep = true;
		break;
	case PLAN_END:
		c->asleep = true;
		c->ended = c->sides_open == 0;
		break;
	}
	return 0;
}

int orders_dispatch(struct capture *c, struct err *err)
{
	int rc = rules_due(c, err);

	while (rc == 0 && may_ask(c)) {
		rc = lane_check_stop(c->lane, err);
		if (rc == 0)
			rc = ask(c, err);
		if (rc == 0)
			rc = lane_start_ready(c->lane, err);
	}
	return rc;
}

/* Whether anything ever came from the host: then a name that is not there may come back. */
static bool was_there(const struct capture *c, uint32_t host)
{
	return c->rules.ptr[host].policy != ROBOTS_DISALLOW_ALL;
}

/* For the limits. */
static void count_visit(
	struct capture *c, uint32_t host, const struct net_fetch *f, double begin, double end)
{
	c->visit_bytes += f->head.len + f->body_size;
	c->download_seconds += end - begin;
	c->last_visit = fmax(c->last_visit, end);
	if (c->downloads++ == 0)
		c->first_request = begin;
	c->serial += (end - begin + pace_delay(hosts_pace(&c->hosts, host))) / c->settings->jobs;
}

static int order_finished(struct capture *c, size_t i, const struct net_fetch *f, struct err *err)
{
	struct order order = c->orders.ptr[i];
	double end = capture_seconds(c, f->monotonic.last_byte);
	double begin = f->monotonic.sent ? capture_seconds(c, f->monotonic.sent) : end;
	enum plan_outcome outcome = PLAN_FAILED;
	int rc;

	c->requests++;
	if (order.plan.leg == PLAN_VISIT)
		count_visit(c, order.host, f, begin, end);
	hosts_done(&c->hosts, order.host, lane_now(c->lane), end - begin,
		response_pace(f, order.plan.attempt == 1));
	rc = names_fetched(c, order.host, f, err);
	if (rc == 0)
		rc = response_finished(c, &order.plan, f, &outcome, err);
	if (rc)
		return rc;
	free_place(c, i);
	if (f->failure == NET_FAILURE_SLOW)
		outcome = slow_outcome(c, &order.plan);
	if (f->no_name && !was_there(c, order.host))
		outcome = PLAN_FAILED;
	rc = journal_done(c, &order.plan, outcome, begin, end, err);
	return rc ? rc : heed_server(c, order.host, err);
}

/* Nobody was asked: the order goes back to the planner, or the request to its line. */
static int starved(struct capture *c, const struct net_fetch *f, struct err *err)
{
	size_t place = (uint32_t)f->tag;
	double now = capture_now(c);
	struct order order;
	int rc;

	if (f->tag & CAPTURE_SIDE_TAG) {
		hosts_done(&c->hosts, c->sides.ptr[place].host, lane_now(c->lane), 0, PACE_UNKNOWN);
		rc = hosts_hold_first(
			&c->hosts, c->sides.ptr[place].host, CAPTURE_SIDE_TAG | place);
		return err_code(err, rc);
	}
	order = c->orders.ptr[place];
	hosts_done(&c->hosts, order.host, lane_now(c->lane), 0, PACE_UNKNOWN);
	free_place(c, place);
	return journal_done(c, &order.plan, PLAN_RETURNED, now, now, err);
}

int orders_finished(struct capture *c, const struct net_fetch *f, struct err *err)
{
	size_t place = (uint32_t)f->tag;
	uint32_t host;
	int rc;

	if (f->starved)
		return starved(c, f, err);
	rc = capture_take(c, f, err);
	c->progressed = capture_now(c);
	if (rc)
		return rc;
	if (!(f->tag & CAPTURE_SIDE_TAG))
		return order_finished(c, place, f, err);
	host = c->sides.ptr[place].host;
	rc = side_finished(c, place, f, err);
	return rc ? rc : heed_server(c, host, err);
}

int orders_give_back(struct capture *c, struct err *err)
{
	double now = capture_now(c);
	uint64_t tag;
	int rc = 0;

	while (rc == 0 && hosts_drop(&c->hosts, &tag)) {
		if (tag & CAPTURE_SIDE_TAG) {
			side_drop(c, (size_t)(tag & ~CAPTURE_SIDE_TAG));
			continue;
		}
		rc = journal_done(c, &c->orders.ptr[tag].plan, PLAN_RETURNED, now, now, err);
		free_place(c, (size_t)tag);
	}
	c->asleep = false;
	return rc;
}
