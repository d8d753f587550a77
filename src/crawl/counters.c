#include "crawl/counters.h"

#include <math.h>

/* Revisits may take a little longer than visits did. */
static const double LIMIT_MARGIN = 1.05;

static const double PATIENCE_MIN = 10, PATIENCE_MAX = 60;
static const double PATIENCE_DOWNLOADS = 4, PATIENCE_SHARE = 0.1, PATIENCE_OF_LIMIT = 0.25;

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

	if (p->visits++ == 0)
		p->first_visit = visit->begin;
	p->visit_bytes += visit->bytes;
	p->visit_seconds += seconds;
	p->last_visit = fmax(p->last_visit, visit->end);
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

double counters_time_left(const struct counters *p, double now, double limit)
{
	double pace;

	if (p->visits == 0)
		return INFINITY;
	pace = LIMIT_MARGIN * fmax(now - p->first_visit, p->serial) / (double)p->visits;
	return fmax(0, limit - counters_elapsed(p, now)) / pace;
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
		double part = PATIENCE_OF_LIMIT * (limit - counters_elapsed(p, now));

		/* In the last moments no page is slow that comes as others did. */
		seconds = fmin(seconds, fmax(part, usual));
	}
	return fmax(seconds, 0);
}
