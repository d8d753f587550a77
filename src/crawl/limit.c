#include "crawl/limit.h"

#include <math.h>
#include <stdio.h>

#include "crawl/capture.h"
#include "crawl/journal.h"

/* ---- counters ---- */

/* Revisits may take a little longer than visits did. */
static const double LIMIT_MARGIN = 1.05;

static const double PATIENCE_MIN = 10, PATIENCE_MAX = 60;
static const double PATIENCE_DOWNLOADS = 4, PATIENCE_SHARE = 0.1, PATIENCE_OF_LIMIT = 0.25;

/* With a time limit: seconds, and share of the limit. */
static const double PATIENCE_LEAST = 1, PATIENCE_LEAST_SHARE = 0.05;

void counters_init(struct counters *p, uint64_t max_bytes)
{
	*p = (struct counters){.budget = max_bytes};
}

void counters_spend(struct counters *p, uint64_t bytes)
{
	p->budget -= bytes < p->budget ? bytes : p->budget;
}

void counters_add_visit(struct counters *p, const struct counted_visit *visit)
{
	double seconds = visit->end - visit->begin;

	p->last_visit = fmax(p->last_visit, visit->end);
	if (visit->slow) {
		p->held_up += p->visits ? seconds : 0;
		return;
	}
	if (p->visits++ == 0)
		p->first_visit = visit->begin;
	p->visit_bytes += visit->bytes;
	p->visit_seconds += seconds;
	p->serial += (seconds + visit->delay) / visit->jobs;
}

void counters_add_revisit(struct counters *p, double expected, bool is_sharp)
{
	p->revisited++;
	p->expected += expected;
	p->sharp += is_sharp;
}

double counters_elapsed(const struct counters *p, double now)
{
	return now - p->idle;
}

/* Seconds for one download. */
static double pace(const struct counters *p)
{
	double taken = fmax(p->last_visit - p->first_visit - p->held_up, p->serial);

	return LIMIT_MARGIN * taken / (double)p->visits;
}

double counters_time_to_spare(const struct counters *p, double now, double limit, size_t pages)
{
	if (p->visits == 0)
		return INFINITY;
	return limit - counters_elapsed(p, now) - pace(p) * (double)pages;
}

double counters_time_left(const struct counters *p, double now, double limit)
{
	if (p->visits == 0)
		return INFINITY;
	return fmax(0, limit - counters_elapsed(p, now)) / pace(p);
}

double counters_bytes_left(const struct counters *p)
{
	if (p->visits == 0)
		return INFINITY;
	return (double)p->budget * (double)p->visits / (LIMIT_MARGIN * (double)p->visit_bytes);
}

double counters_patience(const struct counters *p, double now, double limit)
{
	double mean = p->visits ? p->visit_seconds / (double)p->visits : 0;
	double visits = p->visits ? now - p->first_visit : 0;
	double usual = PATIENCE_DOWNLOADS * mean;
	double seconds = fmax(PATIENCE_SHARE * visits, usual);

	seconds = fmin(fmax(seconds, PATIENCE_MIN), PATIENCE_MAX);
	if (limit > 0) {
		double left = limit - counters_elapsed(p, now);
		double part = PATIENCE_OF_LIMIT * fmin(left, limit - 2 * p->held_up);

		/* In the last moments no page is slow that comes as others did. */
		part = fmax(part, fmin(PATIENCE_LEAST, PATIENCE_LEAST_SHARE * limit));
		seconds = fmin(seconds, fmax(part, usual));
	}
	return seconds;
}

/* ---- limits and progress ---- */

/* The limits of a capture, and its progress. */

/* Seconds, and share of the limit. */
static const double OVERTIME_MAX = 5, OVERTIME_SHARE = 0.1;

/* Seconds between two looks at the time. */
static const double LOOK_MIN = 0.05, LOOK_MAX = 1;

/* ---- the time limit ---- */

static bool has_revisits(const struct capture *c)
{
	return c->strategy->revisits && !c->settings->single;
}

/* Seconds until the revisits of so many pages must begin. */
static double time_to_spare(const struct capture *c, size_t pages)
{
	double limit = c->settings->time_limit;

	if (limit <= 0 || !has_revisits(c))
		return INFINITY;
	return counters_time_to_spare(&c->counters, capture_now(c), limit, pages);
}

/* Downloads that the limits leave; infinite without one. */
static double downloads_left(const struct capture *c)
{
	double limit = c->settings->time_limit, left = INFINITY;

	if (limit > 0)
		left = counters_time_left(&c->counters, capture_now(c), limit);
	if (c->settings->max_bytes > 0)
		left = fmin(left, counters_bytes_left(&c->counters));
	return left;
}

/* Which limit leaves less. */
static enum catalog_end tighter_limit(const struct capture *c)
{
	double limit = c->settings->time_limit;

	if (c->settings->max_bytes == 0 || limit <= 0)
		return limit > 0 ? CATALOG_END_TIME : CATALOG_END_BYTES;
	return counters_bytes_left(&c->counters) <
			       counters_time_left(&c->counters, capture_now(c), limit)
		       ? CATALOG_END_BYTES
		       : CATALOG_END_TIME;
}

/* Whether anything is left that the end of the visits would cut off. */
static bool is_cut(const struct capture *c, const struct plan_progress *p)
{
	if (p->visited + p->failed + p->in_flight < p->known)
		return true;
	return p->in_flight > 0 && tighter_limit(c) == CATALOG_END_TIME;
}

bool limit_wants_revisits(const struct capture *c)
{
	struct plan_progress p = plan_progress(c->plan);

	return c->stage.visits_ended && time_to_spare(c, p.wanted) <= 0;
}

static int cancel(struct capture *c, enum catalog_end limit, struct err *err)
{
	TRY(journal_cancel(c, limit));
	return fetch_drop_all(c, err);
}

/* Fetches under way when the time is up get a little more, so that most become complete. */
static double overtime(const struct capture *c)
{
	return fmin(OVERTIME_MAX, OVERTIME_SHARE * c->settings->time_limit);
}

static int check_time(struct capture *c, struct err *err)
{
	double limit = c->settings->time_limit,
	       elapsed = counters_elapsed(&c->counters, capture_now(c));

	if (limit <= 0)
		return 0;
	if (elapsed >= limit + overtime(c))
		slow_cancel_all(c);
	if (c->stage.cancelled)
		return 0;
	return elapsed >= limit ? cancel(c, CATALOG_END_TIME, err) : 0;
}

/* ---- the limit of bytes ---- */

/* ---- hours ---- */

/* When they are over, and when the next ones begin and end; false when they never are. */
static bool find_hours(struct capture *c, int64_t now)
{
	const struct windows *w = &c->hours.windows;

	if (c->hours.closing <= now) {
		c->hours.closing = windows_closing(w, windows_opening(w, now));
		c->hours.opening = c->hours.closing == INT64_MAX
					   ? INT64_MAX
					   : windows_opening(w, c->hours.closing);
		c->hours.closing_again = c->hours.opening == INT64_MAX
						 ? INT64_MAX
						 : windows_closing(w, c->hours.opening);
	}
	return c->hours.closing_again != INT64_MAX;
}

/* The visits end in time for the revisits, if more pages will be sharp so. */
static void check_hours(struct capture *c)
{
	int64_t now = clock_realtime(c->clock) / CLOCK_NS_PER_SECOND;

	if (!c->settings->hours || c->stage.cancelled || c->stage.rest_put_off ||
		!has_revisits(c) || c->counters.visits == 0 || !find_hours(c, now))
		return;
	if (!plan_hours(c->plan, capture_now(c),
		    &(struct plan_hours){
			    .left = (double)(c->hours.closing - now),
			    .closed = (double)(c->hours.opening - c->hours.closing),
			    .open = (double)(c->hours.closing_again - c->hours.opening),
			    .pace = c->counters.visits == 0 ? (double)INFINITY : pace(&c->counters),
		    }))
		return;
	plan_put_off_rest(c->plan);
	STAGE_SET(c, rest_put_off, true);
	STAGE_SET(c, asleep, false);
}

int limit_check(struct capture *c, struct err *err)
{
	TRY(check_time(c, err));
	/* When the last byte is spent, the net ends what is under way. */
	if (c->settings->max_bytes != 0 && !c->stage.cancelled && c->counters.budget == 0) {
		TRY(cancel(c, CATALOG_END_BYTES, err));
	}
	check_hours(c);
	double left = downloads_left(c);
	struct plan_progress p;

	/* The planner ends the visits while there is still time for the revisits that the aim
	 * wants. */
	if (isinf(left) || c->stage.cancelled)
		return 0;
	p = plan_progress(c->plan);
	left = fmax(0, left - (double)p.in_flight);
	if (!plan_budget(c->plan, capture_now(c), left) || !is_cut(c, &p))
		return 0;
	return journal_end_visits(c, tighter_limit(c));
}

double limit_wait(const struct capture *c)
{
	double left = c->settings->time_limit - counters_elapsed(&c->counters, capture_now(c));

	if (c->settings->time_limit <= 0)
		return INFINITY;
	if (c->stage.cancelled)
		return left + overtime(c) > 0 ? left + overtime(c) : INFINITY;
	/* The visits may have to end although nothing happens. */
	if (plan_progress(c->plan).leg == PLAN_VISIT)
		left = fmin(left, fmax(time_to_spare(c, plan_progress(c->plan).visited), LOOK_MIN));
	return fmin(fmax(left, 0), LOOK_MAX);
}

/* ---- progress ---- */

/* Requests still to come, if none fails and no more pages are found. */
static size_t requests_left(const struct capture *c, const struct plan_progress *p)
{
	size_t over = p->visited + p->failed + p->late;
	size_t first = p->known > over ? p->known - over : 0;
	bool twice = has_revisits(c);

	if (p->leg == PLAN_VISIT)
		return twice ? 2 * first + p->visited : first;
	return first + (p->leg == PLAN_REVISIT && p->visited > c->counters.revisited
				       ? p->visited - c->counters.revisited
				       : 0);
}

static double time_left(const struct capture *c)
{
	double left = c->settings->time_limit - counters_elapsed(&c->counters, capture_now(c));

	return c->settings->time_limit > 0 && left > 0 ? left : 0;
}

struct crawl_progress limit_progress(struct capture *c, bool alone)
{
	struct plan_progress p = plan_progress(c->plan);
	struct crawl_progress report = {
		.preparing = !c->stage.begun,
		.leg = p.leg,
		.known = p.known,
		.done = p.visited + p.failed,
		.total = p.known,
		.failed = p.failed - p.unasked,
		.fetched = p.visited + p.revisited + p.late,
		.sharp = c->counters.sharp,
		.revisited = c->counters.revisited,
		.expected = c->counters.expected,
		.requests = c->counters.requests,
		.left = requests_left(c, &p),
		.time_left = time_left(c),
	};

	if (alone)
		(void)snprintf(report.site, sizeof report.site, "%.*s",
			slice_shown(c->row.site, sizeof report.site), c->row.site.ptr);
	if (alone && p.leg == PLAN_VISIT) {
		double now = capture_now(c);
		double pause = fmax(1, 1e-6 * (double)c->pages.list.len);

		/* Computed so rarely that it takes at most a hundredth of the time. */
		if (now >= c->counters.expected_at) {
			c->counters.expected_soon = plan_expected(c->plan, now, false);
			c->counters.expected_at = now + pause;
		}
		report.expected = c->counters.expected_soon;
	}
	if (p.leg == PLAN_REVISIT) {
		report.done = c->counters.revisited;
		report.total = p.visited;
	}
	if (p.leg == PLAN_LATE) {
		report.done = p.late;
		report.total = p.late + report.left;
	}
	return report;
}
