#include "quality/expect.h"

#include <math.h>

#include "base/clock.h"
#include "measure/blur.h"
#include "measure/sum.h"
#include "plan/survival.h"
#include "quality/report.h"

double expect_sharp(const struct report *r)
{
	struct sum sum = {0};

	for (size_t i = 0; i < r->pages.len; i++) {
		const struct report_page *p = &r->pages.ptr[i];
		struct survival s = {.rate = p->rate, .shape = p->shape};
		int64_t length = p->revisit.start - p->visit.end;

		if (p->taken && p->usable_visit && p->revisit.start && length >= 0 &&
			survival_valid(s))
			sum_add(&sum, survival_at(s, clock_seconds(length)));
	}
	return sum_value(&sum);
}

/* The variance of a sum of pages that are each sharp or not is at most its mean. */
enum expect_result expect_compare(uint64_t found, double expected, uint64_t pages)
{
	/* Of independent pages the variance is largest when all are alike. */
	double variance = pages ? expected * (1 - fmin(expected / (double)pages, 1)) : 0;
	double difference = (double)found - expected, tolerance = 3 * sqrt(fmax(variance, 1));

	if (fabs(difference) <= tolerance)
		return EXPECT_AGREES;
	return difference < 0 ? EXPECT_FEWER : EXPECT_MORE;
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
		const struct report_page *p = &r->pages.ptr[i];
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
		const struct report_page *p = &r->pages.ptr[i];
		double visit = clock_seconds(p->visit.end - from);
		double revisit = clock_seconds(p->revisit.start - from);

		if (p->usable_visit)
			sum_add(&sum, is_pair(p) ? blur_page_revisit(p->rate, visit, revisit, all)
						 : blur_page(p->rate, visit, all));
	}
	return sum_value(&sum);
}
