#include "crawl/counters.h"

#include <math.h>

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

double counters_pace(const struct counters *p)
{
	return p->visits == 0 ? (double)INFINITY : pace(p);
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
