#include "histories/proof.h"

#include <math.h>
#include <stdlib.h>

#include "base/sort.h"
#include "base/vec.h"
#include "plan/measure.h"

/* A page is known from the one to the other, both included. */
struct interval {
	double from, to;
};

VEC_DECLARE(interval_list, struct interval);

struct judge {
	const struct draw *draw;
	const struct past_capture *capture;
	const struct proof_params *params;
};

/* Whether a change stands between two looks that bulk changes do not explain. */
static bool changed(const struct judge *j, uint32_t page, double from, double to, uint32_t bulk)
{
	return history_changed(j->draw->history, j->draw->pages[page], from, to, bulk);
}

static bool is_present(const struct judge *j, uint32_t page, double at)
{
	return history_alive(j->draw->history, j->draw->pages[page], at);
}

/* Whether the page would be known at z if commits of `bulk` pages and more had not happened. */
static bool known(const struct judge *j, uint32_t page, double z, uint32_t bulk)
{
	const struct looks *l = &j->capture->looks[page];
	unsigned after = 0;

	while (after < l->count && l->at[after] < z)
		after++;
	if (after == l->count)
		return false;
	if (after > 0 && !changed(j, page, l->at[after - 1], l->at[after], bulk))
		return true;
	/* A look at z itself may have its partner after it. */
	if (after + 1 < l->count && l->at[after] == z &&
		!changed(j, page, z, l->at[after + 1], bulk))
		return true;
	return j->params->last_modified && is_present(j, page, l->at[after]) &&
	       !changed(j, page, z, l->at[after], bulk);
}

/* The latest time at which the copy of a look began to be valid, as far as a crawler can tell. */
static double since(const struct judge *j, uint32_t page, double look)
{
	double c;

	if (!j->params->last_modified || !is_present(j, page, look))
		return look;
	c = history_last_change(j->draw->history, j->draw->pages[page], look);
	/* At the very instant of the change nothing is claimed. */
	return c < look ? nextafter(c, INFINITY) : look;
}

/* The intervals that one page is known on; they do not overlap. */
static int add_intervals(const struct judge *j, uint32_t page, struct interval_list *list)
{
	const struct looks *l = &j->capture->looks[page];
	unsigned first = 0;

	for (unsigned i = 0; i < l->count; i++) {
		struct interval known_on;
		bool last = i + 1 == l->count;

		if (!last && !changed(j, page, l->at[i], l->at[i + 1], UINT32_MAX))
			continue;
		known_on = (struct interval){since(j, page, l->at[first]), l->at[i]};
		if ((i > first || known_on.from < known_on.to) &&
			interval_list_push(list, known_on))
			return ERR_NOMEM;
		first = i + 1;
	}
	return 0;
}

/* How many intervals contain the instant that most of them contain, and which one that is. */
static int busiest(const struct interval_list *list, size_t *ret_count, double *ret_instant)
{
	double *from = malloc((list->len + 1) * sizeof *from);
	double *to = malloc((list->len + 1) * sizeof *to);
	size_t ended = 0, most = 0;
	double instant = NAN;

	if (!from || !to) {
		free(from);
		free(to);
		return ERR_NOMEM;
	}
	for (size_t i = 0; i < list->len; i++) {
		from[i] = list->ptr[i].from;
		to[i] = list->ptr[i].to;
	}
	qsort(from, list->len, sizeof *from, sort_by_value);
	qsort(to, list->len, sizeof *to, sort_by_value);
	/* The largest number is reached where some interval begins. */
	for (size_t i = 0; i < list->len; i++) {
		while (to[ended] < from[i])
			ended++;
		if (i + 1 - ended > most) {
			most = i + 1 - ended;
			instant = from[i];
		}
	}
	free(from);
	free(to);
	*ret_count = most;
	*ret_instant = instant;
	return 0;
}

static int find_best(const struct judge *j, size_t *ret_count, double *ret_instant)
{
	struct interval_list list = {0};
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < j->capture->n; i++)
		rc = add_intervals(j, i, &list);
	if (rc == 0)
		rc = busiest(&list, ret_count, ret_instant);
	interval_list_release(&list);
	return rc;
}

/* Each query of the capture's time gets the nearest look (plan/measure.h, for many looks).
 */
static double page_blur(const struct judge *j, uint32_t page)
{
	const struct looks *l = &j->capture->looks[page];
	struct change_history events = history_events(j->draw->history, j->draw->pages[page]);
	double begin = j->capture->begin, end = j->capture->end, length = end - begin, sum = 0;
	double from = begin;

	if (l->count == 0 || length <= 0)
		return 0;
	for (unsigned i = 0; i < l->count; i++) {
		double to = i + 1 < l->count ? (l->at[i] + l->at[i + 1]) / 2 : end;

		if (to > from)
			sum += (to - from) *
			       blur_actual_page(events, l->at[i], (struct blur_interval){from, to});
		from = to;
	}
	return sum / length;
}

/* Adds what becomes of one page at its still point. */
static void judge_page(const struct judge *j, uint32_t page, double z, struct proof *e)
{
	if (!known(j, page, z, UINT32_MAX)) {
		e->lost_bulk += known(j, page, z, PROOF_BULK);
		e->lost_large += known(j, page, z, PROOF_LARGE);
		return;
	}
	e->sharp++;
	e->absent += !is_present(j, page, z);
}

int proof_weigh(const struct draw *draw, const struct past_capture *capture,
	const struct proof_params *params, struct proof *ret_proof)
{
	struct judge j = {draw, capture, params};
	struct proof e = {.requests = (double)capture->requests};
	double n = (double)capture->n, instant = NAN;
	struct sum blur = {0};
	size_t most = 0;
	int rc = find_best(&j, &most, &instant);

	if (rc)
		return rc;
	for (uint32_t i = 0; i < capture->n; i++) {
		bool single = isnan(capture->still[i]);

		judge_page(
			&j, i, params->best_instant && !single ? instant : capture->still[i], &e);
		sum_add(&blur, page_blur(&j, i));
		if (single)
			e.sharp = e.absent = e.lost_bulk = e.lost_large = NAN;
	}
	*ret_proof = (struct proof){
		.sharp = e.sharp / n,
		.absent = e.absent / n,
		.joint = (double)most / n,
		.blur = sum_value(&blur) / n,
		.lost_bulk = e.lost_bulk / n,
		.lost_large = e.lost_large / n,
		.requests = e.requests / n,
	};
	return 0;
}
