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

int schedule_third_visits(const struct draw *draw, struct past_capture *capture)
{
	struct due *due = calloc(capture->n, sizeof *due);
	double now = capture->end;
	size_t count = 0;

	if (!due)
		return ERR_NOMEM;
	for (uint32_t i = 0; i < capture->n; i++) {
		const struct looks *l = &capture->looks[i];

		if (l->count >= 2 &&
			draw_changed(draw, i, l->at[l->count - 2], l->at[l->count - 1]))
			due[count++] = (struct due){looks_last(l), i};
	}
	qsort(due, count, sizeof *due, by_last_look);
	for (size_t i = 0; i < count; i++) {
		now += draw_delay(draw);
		(void)past_capture_look(capture, due[i].page, now);
	}
	free(due);
	return 0;
}
