#include "histories/visits.h"

#include <math.h>
#include <stdlib.h>

#include "base/lists.h"
#include "base/rng.h"
#include "base/vec.h"

static const double SECONDS_PER_DAY = 86400;

/* Logarithms of the quantiles of the median gap, and the 90 % quantile of the normal distribution.
 */
static const double LOG_GAP_10 = 2.99573227355399, LOG_GAP_90 = 4.84418708645859,
		    NORMAL_90 = 1.28155156554460;

VEC_DECLARE(visit_list, struct rate_visit);

static bool alive_throughout(const struct visits *v, uint32_t page)
{
	const struct history *h = v->history;
	double from = v->start - VISITS_MARGIN, to = v->end + VISITS_MARGIN;

	if (!history_alive(h, page, from))
		return false;
	for (size_t i = h->from[page]; i < h->from[page + 1]; i++)
		if (h->gone[i] && h->times[i] > from && h->times[i] <= to)
			return false;
	return true;
}

double visits_next_change(const struct visits *v, size_t page, double t)
{
	struct change_history events = history_events(v->history, v->numbers[page]);
	size_t until = change_history_until(events, t);

	return until < events.len ? events.times[until] : INFINITY;
}

size_t visits_until(const struct visits *v, size_t page, double t)
{
	const struct rate_visit *list = v->list + v->from[page];
	size_t low = 0, high = v->from[page + 1] - v->from[page];

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (list[middle].time <= t)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int draw_page(struct visits *v, size_t page, struct rng *r, struct visit_list *list)
{
	double log_gap = (LOG_GAP_10 + LOG_GAP_90) / 2 +
			 (LOG_GAP_90 - LOG_GAP_10) / (2 * NORMAL_90) * rng_normal(r);
	double before = INFINITY;
	double at = v->start - VISITS_MARGIN + rng_double(r) * exp(log_gap + rng_normal(r));
	int rc = 0;

	while (rc == 0 && at <= v->end) {
		struct rate_visit visit = {at, visits_next_change(v, page, before) <= at};

		rc = visit_list_push(list, visit);
		before = at;
		at += exp(log_gap + rng_normal(r));
	}
	return rc;
}

static int find_pages(struct visits *v)
{
	struct u32_vec pages = {0};
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < v->history->n; i++)
		if (alive_throughout(v, i))
			rc = u32_vec_push(&pages, i);
	v->numbers = pages.ptr;
	v->pages = pages.len;
	return rc;
}

static int draw_all(struct visits *v, uint64_t seed)
{
	struct visit_list list = {0};
	struct rng randoms;
	int rc = 0;

	v->from = calloc(v->pages + 1, sizeof *v->from);
	if (!v->from)
		return ERR_NOMEM;
	rng_init(&randoms, seed);
	for (size_t i = 0; rc == 0 && i < v->pages; i++) {
		struct rng r;

		rng_split(&randoms, &r);
		rc = draw_page(v, i, &r, &list);
		v->from[i + 1] = list.len;
	}
	v->list = list.ptr;
	return rc;
}

static void set_start(struct visits *v, double start)
{
	v->start = start;
	v->end = start + VISITS_WEEKS * 7.0;
}

static size_t count_pages(const struct visits *v)
{
	size_t count = 0;

	for (uint32_t i = 0; i < v->history->n; i++)
		count += alive_throughout(v, i);
	return count;
}

/* A site may have moved all its pages: then the last years have none that was there throughout. */
static void find_period(struct visits *v, double last)
{
	size_t most = 0;
	double best = last;

	for (int steps = 0; last - 28.0 * steps >= VISITS_MARGIN; steps++) {
		size_t count;

		set_start(v, last - 28.0 * steps);
		count = count_pages(v);
		if (count > most) {
			most = count;
			best = v->start;
		}
	}
	set_start(v, best);
}

static int set_period(struct visits *v, int64_t start_s, struct err *err)
{
	const struct history *h = v->history;
	double last = floor(h->days - VISITS_WEEKS * 7.0 - VISITS_MARGIN);

	if (start_s)
		set_start(v, (double)(start_s - h->began_s) / SECONDS_PER_DAY);
	else
		find_period(v, last);
	if (v->start < VISITS_MARGIN || v->end + VISITS_MARGIN > h->days)
		return err_set(err, ERR_RANGE,
			"the history must cover the %d weeks from --start and %d days around them",
			VISITS_WEEKS, VISITS_MARGIN);
	return 0;
}

int visits_draw(const struct history *history, int64_t start_s, uint64_t seed, struct visits *ret,
	struct err *err)
{
	struct visits v = {.history = history};
	int rc = set_period(&v, start_s, err);

	if (rc)
		return rc;
	rc = find_pages(&v);
	if (rc == 0 && v.pages == 0)
		rc = err_set(err, ERR_RANGE, "no page was there throughout the period");
	if (rc == 0)
		rc = draw_all(&v, seed);
	if (rc) {
		visits_release(&v);
		return err_code(err, rc);
	}
	*ret = v;
	return 0;
}

void visits_release(struct visits *v)
{
	free(v->numbers);
	free(v->from);
	free(v->list);
	*v = (struct visits){0};
}
