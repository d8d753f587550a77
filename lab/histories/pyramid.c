#include "histories/pyramid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

/* Whether the i-th of n pages is shown, after as many as are: the first and the last are. */
static bool is_shown(size_t i, size_t n, size_t shown)
{
	if (n <= PYRAMID_BARS_MAX)
		return true;
	return shown < PYRAMID_BARS_MAX && i == shown * (n - 1) / (PYRAMID_BARS_MAX - 1);
}

/* The i-th of n pages in the order of visits. */
static void add(struct pyramid *p, size_t i, size_t n, struct pyramid_bar bar)
{
	p->pages[bar.fate]++;
	if (is_shown(i, n, p->count))
		p->bars[p->count++] = bar;
}

static enum pyramid_fate fate(bool changed, bool hopeless)
{
	if (!changed)
		return PYRAMID_SHARP;
	return hopeless ? PYRAMID_HOPELESS : PYRAMID_CHANGED;
}

/* On the closed interval, as coherence_actual_page has it. */
static bool has_changed(struct change_history h, double from, double to)
{
	return change_history_until(h, to) > change_history_before(h, from);
}

void pyramid_of_drive(const struct drive_result *result, const struct change_history *histories,
	struct pyramid *ret_pyramid)
{
	size_t n = result->visits.len;
	double still;

	memset(ret_pyramid, 0, sizeof *ret_pyramid);
	if (result->revisits.len == 0)
		return;
	still = result->revisited_at[result->revisits.ptr[0]];
	for (size_t i = 0; i < n; i++) {
		uint32_t page = result->visits.ptr[i];
		double visit = result->visited_at[page], revisit = result->revisited_at[page];
		bool hopeless = result->hopeless[page];
		struct pyramid_bar bar = {
			.visit = (visit - still) / result->delay,
			.revisit = (revisit - still) / result->delay,
			.fate = hopeless ? PYRAMID_HOPELESS : PYRAMID_PLANNED,
		};

		if (isnan(revisit)) { /* all attempts failed: a point */
			bar.revisit = bar.visit;
			bar.fate = PYRAMID_CHANGED;
		} else if (histories) {
			bar.fate = fate(has_changed(histories[page], visit, revisit), hopeless);
		}
		add(ret_pyramid, i, n, bar);
	}
}

struct visit {
	double at;
	uint32_t page;
};

static int by_time(const void *a, const void *b)
{
	const struct visit *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->page < y->page ? -1 : 1;
}

int pyramid_of_capture(
	const struct draw *draw, const struct past_capture *capture, struct pyramid *ret_pyramid)
{
	struct visit *visits = calloc(capture->n + 1, sizeof *visits);
	double still = 0;
	size_t n = 0;

	if (!visits)
		return ERR_NOMEM;
	memset(ret_pyramid, 0, sizeof *ret_pyramid);
	for (uint32_t i = 0; i < capture->n; i++)
		if (!isnan(capture->still[i])) {
			visits[n++] = (struct visit){capture->looks[i].at[0], i};
			still += capture->still[i];
		}
	qsort(visits, n, sizeof *visits, by_time);
	still /= n ? (double)n : 1;
	for (size_t i = 0; i < n; i++) {
		uint32_t page = visits[i].page;
		double first = visits[i].at, last = looks_last(&capture->looks[page]);
		bool changed =
			history_changed(draw->history, draw->pages[page], first, last, UINT32_MAX);

		add(ret_pyramid, i, n,
			(struct pyramid_bar){first - still, last - still,
				fate(changed, capture->hopeless[page])});
	}
	free(visits);
	return 0;
}
