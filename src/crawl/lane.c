/*
 * The loop of a capture: take what has come back, ask for what is next, make it lasting, wait; and
 * meanwhile keep the time limit and tell how far it is.
 */
#include <math.h>
#include <poll.h>

#include "crawl/capture.h"

/* Revisits may take a little longer than visits did. */
static const double LIMIT_MARGIN = 1.05;

/* ---- the time limit ---- */

/*
 * The visits end while there is still time to revisit every page, at the pace so far. Servers that
 * were visited side by side may be revisited one after the other, so the time that is counted is at
 * least what the downloads and the pauses behind them come to.
 */
static bool visits_must_end(const struct capture *c, double elapsed)
{
	struct plan_progress p = plan_progress(c->plan);
	double pace;

	if (p.leg != PLAN_VISIT || c->visits_ended || c->downloads == 0 || !c->strategy->revisits ||
		c->settings->single)
		return false;
	pace = LIMIT_MARGIN * fmax(capture_now(c) - c->first_request, c->serial) /
	       (double)c->downloads;
	return elapsed + pace * (double)(p.visited + p.in_flight + 1) >= c->settings->time_limit;
}

static int keep_time_limit(struct capture *c, struct err *err)
{
	double elapsed = capture_now(c) - c->idle;

	if (c->settings->time_limit <= 0 || c->cancelled)
		return 0;
	if (elapsed >= c->settings->time_limit) {
		int rc = journal_cancel(c, err);

		return rc ? rc : orders_give_back(c, err);
	}
	return visits_must_end(c, elapsed) ? journal_end_visits(c, err) : 0;
}

/* ---- telling how far it is ---- */

/* Cheap enough to be asked for at every turn: at most a hundredth of the time goes into it. */
static double expect_soon(struct capture *c)
{
	double now = capture_now(c);
	double pause = fmax(1, 1e-6 * (double)c->pages.list.len);

	if (now >= c->expected_at) {
		c->expected_soon = plan_expected(c->plan, now);
		c->expected_at = now + pause;
	}
	return c->expected_soon;
}

static void tell(struct capture *c)
{
	struct plan_progress p = plan_progress(c->plan);
	struct crawl_progress report = {
		.preparing = !c->begun,
		.leg = p.leg,
		.known = p.known,
		.done = p.visited + p.failed,
		.total = p.known,
		.failed = p.failed,
		.sharp = c->sharp,
		.revisited = c->revisited,
		.expected = c->expected,
	};

	if (!c->options->on_progress)
		return;
	if (p.leg == PLAN_VISIT)
		report.expected = expect_soon(c);
	if (p.leg == PLAN_REVISIT) {
		report.done = c->revisited;
		report.total = p.visited;
	}
	c->options->on_progress(c->options->context, &report);
}

/* ---- the loop ---- */

static int collect(struct capture *c, struct err *err)
{
	struct net_fetch *f;
	int rc = 0;

	while (rc == 0 && (f = net_next(c->net))) {
		rc = orders_finished(c, f, err);
		net_fetch_free(f);
	}
	return rc;
}

static bool is_stopped(const struct capture *c)
{
	struct pollfd p = {.fd = c->options->stop_fd, .events = POLLIN};

	return p.fd >= 0 && poll(&p, 1, 0) == 1;
}

/* Until a server may be asked again, a commit is due, or the time is up. */
static double until_next(const struct capture *c)
{
	double next = fmin(hosts_next_ready(&c->hosts) - capture_now(c), store_due(&c->store));

	if (c->settings->time_limit > 0 && !c->cancelled)
		next = fmin(next, c->settings->time_limit + c->idle - capture_now(c));
	if (orders_barrier(c) > 0)
		next = fmin(next, orders_barrier(c));
	return fmin(fmax(next, 0), 1);
}

/* The instant of which everything is said. */
static int mark_still_point(struct capture *c, struct err *err)
{
	if (c->marked || plan_progress(c->plan).leg == PLAN_VISIT)
		return 0;
	c->marked = true;
	return store_moment(&c->store, "stillpoint", err);
}

static int turn(struct capture *c, struct err *err)
{
	int rc = collect(c, err);

	if (rc == 0)
		rc = keep_time_limit(c, err);
	if (rc == 0)
		rc = orders_dispatch(c, err);
	if (rc == 0)
		rc = mark_still_point(c, err);
	if (rc == 0 && store_due(&c->store) <= 0)
		rc = store_commit(&c->store, err);
	tell(c);
	return rc;
}

int lane_run(struct capture *c, struct err *err)
{
	int rc = turn(c, err);

	while (rc == 0 && !c->ended && !c->stopped) {
		rc = net_wait(c->net, until_next(c), err);
		c->stopped = is_stopped(c);
		if (rc == 0 && !c->stopped)
			rc = turn(c, err);
	}
	return rc;
}
