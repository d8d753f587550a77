#include "plan/refresh_pace.h"

#include <math.h>

/* How much faster than the pace a surplus may leave. */
#define CATCH_UP 2

static double most_at_once(const struct refresh_pace *p)
{
	return fmax(REFRESH_BURST, p->budget * p->minute);
}

static double most_kept(const struct refresh_pace *p)
{
	return fmax(1, p->budget * p->hour);
}

static void accrue(struct refresh_pace *p, double now)
{
	double passed = now - p->at;

	if (!(passed > 0))
		return;
	p->at = now;
	p->credit = fmin(p->credit + passed * p->budget, most_kept(p));
	p->burst = fmin(p->burst + CATCH_UP * passed * p->budget, most_at_once(p));
}

void refresh_pace_init(struct refresh_pace *p, double budget, double minute, double now)
{
	*p = (struct refresh_pace){
		.budget = budget, .minute = minute, .hour = 60 * minute, .credit = 1, .at = now};
	p->burst = most_at_once(p);
}

void refresh_pace_change(struct refresh_pace *p, double budget, double now)
{
	accrue(p, now);
	p->budget = budget;
	p->credit = fmin(p->credit, most_kept(p));
	p->burst = fmin(p->burst, most_at_once(p));
}

void refresh_pace_restore(struct refresh_pace *p, double credit, double passed, double now)
{
	accrue(p, now);
	p->credit = fmin(credit + fmax(passed, 0) * p->budget, most_kept(p));
}

bool refresh_pace_ready(struct refresh_pace *p, double now, double *ret_until)
{
	double wait, until;

	accrue(p, now);
	now = fmax(now, p->at);
	wait = fmax(1 - p->credit, (1 - p->burst) / CATCH_UP);
	if (wait <= 0)
		return true;
	until = p->budget > 0 ? now + wait / p->budget : INFINITY;
	if (until <= now) /* the missing part of a request is below what a time can tell */
		return true;
	*ret_until = until;
	return false;
}

bool refresh_pace_surplus(
	const struct refresh_pace *p, double now, double reserve, double *ret_until)
{
	double missing = fmin(most_kept(p) / 2, reserve) - p->credit;

	if (missing <= 0)
		return true;
	*ret_until = now + missing / p->budget;
	return *ret_until <= now;
}

void refresh_pace_spend(struct refresh_pace *p, double requests)
{
	p->credit -= requests;
	p->burst -= requests;
}
