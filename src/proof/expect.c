#include "proof/expect.h"

#include <math.h>

#include "base/clock.h"
#include "catalog/unknown_rate.h"
#include "plan/measure.h"
#include "plan/survival.h"
#include "proof/report.h"

/*
 * Of a page that was visited and asked for again: the probability that nothing changed between. A
 * shell has none: it is never judged, so it cannot be found unchanged.
 */
static bool find_chance(const struct report_page *p, double *ret)
{
	struct survival s = {.rate = p->rate, .shape = p->shape};
	int64_t length = p->revisit.start - p->visit.end;

	if (!p->taken || !p->usable_visit || p->verdict == VERDICT_SHELL || !p->revisit.start ||
		length < 0 || !survival_valid(s))
		return false;
	*ret = survival_at(s, clock_seconds(length));
	return true;
}

bool expect_is_possible(const struct report *r)
{
	return !r->capture.single && !report_is_judged(r);
}

double expect_sharp(const struct report *r)
{
	struct sum sum = {0};
	double chance;

	for (size_t i = 0; i < r->pages.len; i++)
		if (find_chance(report_page_at(r, i), &chance))
			sum_add(&sum, chance);
	return sum_value(&sum);
}

struct expect_range expect_range(const struct report *r, uint64_t *ret_unknown)
{
	double known = 0, variance = 0, pages = 0, chance, spread;

	*ret_unknown = 0;
	for (size_t i = 0; i < r->pages.len; i++) {
		const struct report_page *p = report_page_at(r, i);

		if (!find_chance(p, &chance))
			continue;
		pages++;
		if (unknown_rate_is(p->rate, p->shape)) {
			++*ret_unknown;
			continue;
		}
		known += chance;
		variance += chance * (1 - chance);
	}
	spread = 2 * sqrt(variance);
	return (struct expect_range){
		fmax(0, known - spread), fmin(pages, known + (double)*ret_unknown + spread)};
}

/* The variance of a sum of pages that are each sharp or not is at most its mean. */
enum expect_result expect_compare(const struct report *r, uint64_t found)
{
	/* Of independent pages the variance is largest when all are alike. */
	double pages = (double)r->captured, expected = r->expected_sharp;
	double variance = pages > 0 ? expected * (1 - fmin(expected / pages, 1)) : 0;
	double tolerance = 3 * sqrt(fmax(variance, 1));
	struct expect_range range = {expected - tolerance, expected + tolerance};

	if (r->expected_unknown)
		range = r->expected_range;
	if ((double)found < range.low)
		return EXPECT_FEWER;
	return (double)found > range.high ? EXPECT_MORE : EXPECT_AGREES;
}

/* With a revisit, that is not before the visit: a clock may have been set back. */
static bool is_pair(const struct report_page *p)
{
	return p->usable_revisit && p->revisit.start >= p->visit.end;
}

static bool find_interval(const struct report *r, int64_t *ret_from, int64_t *ret_to)
{
	int64_t from = INT64_MAX, to = INT64_MIN;

	for (size_t i = 0; i < r->pages.len; i++) {
		const struct report_page *p = report_page_at(r, i);
		int64_t last = is_pair(p) ? p->revisit.start : p->visit.end;

		if (!p->usable_visit)
			continue;
		from = p->visit.end < from ? p->visit.end : from;
		to = last > to ? last : to;
	}
	*ret_from = from;
	*ret_to = to;
	return from <= to;
}

double expect_blur(const struct report *r)
{
	struct sum sum = {0};
	int64_t from, to;
	struct blur_interval all;

	if (!find_interval(r, &from, &to))
		return 0;
	all = (struct blur_interval){0, clock_seconds(to - from)};
	for (size_t i = 0; i < r->pages.len; i++) {
		const struct report_page *p = report_page_at(r, i);
		double visit = clock_seconds(p->visit.end - from);
		double revisit = clock_seconds(p->revisit.start - from);

		if (p->usable_visit && unknown_rate_is(p->rate, p->shape))
			return NAN;
		if (p->usable_visit)
			sum_add(&sum, is_pair(p) ? blur_page_revisit(p->rate, visit, revisit, all)
						 : blur_page(p->rate, visit, all));
	}
	return sum_value(&sum);
}
