/*
 * Responses that hold up the others of their capture: a page that comes very slowly, or a server
 * that accepts connections and does not answer. While such a fetch is all that happens, the barrier
 * waits for it, and every interval around the still point grows. So it is ended after a while. A
 * visit is tried once more after the other pages; if it is too slow again, its page is downloaded
 * once after the revisits.
 */
#include <math.h>

#include "crawl/capture.h"

/* A large body that comes at this speed is not slow, but may not hold up the others for longer. */
static const double SPEED_MIN = 2048; /* bytes per second */
static const double PATIENCE_FAST = 600;

/* Seconds between two looks at a large body. */
static const double LOOK_INTERVAL = 1;

/* For robots.txt and sitemaps: all depends on them, and some servers generate them slowly. */
static const double PATIENCE_UNPLANNED = 60, PATIENCE_OF_LIMIT = 0.5;

static double page_patience(const struct capture *c)
{
	return counters_patience(&c->counters, capture_now(c), c->settings->time_limit);
}

static double patience_unplanned(const struct capture *c)
{
	double limit = c->settings->time_limit;

	return limit > 0 ? fmin(PATIENCE_UNPLANNED, PATIENCE_OF_LIMIT * limit) : PATIENCE_UNPLANNED;
}

/* Pages of the present leg that no order has been given for. */
static bool others_wait(const struct capture *c, const struct plan_progress *p)
{
	if (hosts_held(&c->hosts) > 0)
		return true;
	return p->leg == PLAN_VISIT ? p->visited + p->failed + p->in_flight < p->known
				    : c->stage.revisits_ordered < p->visited;
}

/* Whether anything is held up by what is under way. */
static bool is_held_up(const struct capture *c, const struct plan_progress *p)
{
	if (p->in_flight == 0 || c->stage.cancelled || !c->strategy->revisits ||
		c->settings->single)
		return false;
	if (p->leg == PLAN_VISIT)
		return p->visited > 0 || others_wait(c, p);
	return p->leg == PLAN_REVISIT && others_wait(c, p);
}

struct choice {
	const struct capture *capture;
	double patience, speed;
	bool all;              /* however fast */
	bool pages, unplanned; /* which of them */
};

static bool choose(void *context, const struct net_running *f)
{
	const struct choice *choice = context;

	const struct capture *c = choice->capture;
	double patience = choice->patience;
	enum request_kind kind;

	if (request_tag_slot(f->tag) != c->slot)
		return false;
	kind = c->requests.list.ptr[request_tag_place(f->tag)].kind;
	if (!(kind == REQUEST_PAGE ? choice->pages : choice->unplanned))
		return false;
	if (choice->all || f->seconds >= PATIENCE_FAST)
		return true;
	/* Without it nothing can be captured, so no time limit is saved by giving it up. */
	if (kind == REQUEST_ROBOTS)
		patience = PATIENCE_UNPLANNED;
	return f->seconds >= patience && (double)f->bytes < choice->speed * f->seconds;
}

/* With --bandwidth a fetch may be slower. */
static double least_speed(const struct crawl_settings *s)
{
	return s->bandwidth ? fmin(SPEED_MIN, (double)s->bandwidth / 16) : SPEED_MIN;
}

void slow_check(struct capture *c)
{
	struct plan_progress p = plan_progress(c->plan);
	double quiet = capture_now(c) - c->counters.last_change;
	struct choice pages = {
		.capture = c,
		.patience = page_patience(c),
		.speed = least_speed(c->settings),
		.all = p.leg == PLAN_VISIT && p.visited > 0 && limit_wants_revisits(c),
		.pages = true,
	};
	struct choice others = {
		.capture = c,
		.patience = patience_unplanned(c),
		.speed = pages.speed,
		.unplanned = true,
	};

	if (is_held_up(c, &p) && (quiet >= pages.patience || pages.all))
		net_cancel_some(c->lane->net, choose, &pages, NET_FAILURE_SLOW,
			pages.all ? "it was not complete when the revisits had to begin"
				  : "it held up the other pages");
	if (c->requests.unplanned > 0 && !c->stage.cancelled && quiet >= others.patience)
		net_cancel_some(c->lane->net, choose, &others, NET_FAILURE_TIMEOUT,
			"it was so slow that it held up the capture");
}

void slow_cancel_all(struct capture *c)
{
	struct choice choice = {.capture = c, .all = true, .pages = true, .unplanned = true};

	net_cancel_some(c->lane->net, choose, &choice, NET_FAILURE_ABORTED,
		c->looking ? "it was not complete when the watch began anew"
			   : "the time limit was over before it was complete");
}

double slow_wait(const struct capture *c)
{
	struct plan_progress p = plan_progress(c->plan);
	bool pages = is_held_up(c, &p);
	double left;

	if (!pages && (c->requests.unplanned == 0 || c->stage.cancelled))
		return INFINITY;
	left = c->counters.last_change + (pages ? page_patience(c) : patience_unplanned(c)) -
	       capture_now(c);
	return left > 0 ? left : LOOK_INTERVAL;
}

enum plan_outcome slow_outcome(const struct capture *c, const struct plan_order *order)
{
	struct plan_progress p = plan_progress(c->plan);
	bool again = order->attempt == 1 && c->settings->attempts != 1 && !c->stage.visits_ended &&
		     others_wait(c, &p);

	if (order->leg == PLAN_REVISIT)
		return PLAN_RETRY;
	return again ? PLAN_RETRY : PLAN_PUT_OFF;
}
