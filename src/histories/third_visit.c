/* Gain "third-visit", as histories/schedule.h defines it. */
#include <stdlib.h>

#include "histories/schedule.h"

struct due {
	double last; /* look */
	uint32_t page;
};

static int by_last_look(const void *a, const void *b)
{
	const struct due *x = a, *y = b;

	if (x->last != y->last)
		return x->last < y->last ? -1 : 1;
	return x->page < y->page ? -1 : 1;
}

static bool found_changed(const struct draw *d, const struct looks *l, uint32_t page)
{
	return l->count >= 2 && history_changed(d->history, d->pages[page], l->at[l->count - 2],
					l->at[l->count - 1], UINT32_MAX);
}

int schedule_third_visits(const struct draw *draw, struct past_capture *capture)
{
	struct due *due = calloc(capture->n, sizeof *due);
	double now = capture->end;
	size_t count = 0;

	if (!due)
		return ERR_NOMEM;
	for (uint32_t i = 0; i < capture->n; i++)
		if (found_changed(draw, &capture->looks[i], i))
			due[count++] = (struct due){looks_last(&capture->looks[i]), i};
	qsort(due, count, sizeof *due, by_last_look);
	for (size_t i = 0; i < count; i++) {
		now += draw_delay(draw);
		(void)past_capture_look(capture, due[i].page, now);
	}
	free(due);
	return 0;
}
