#include "histories/watched.h"

#include <math.h>
#include <stdlib.h>

#include "plan/rate_estimate.h"
#include "sim/watch_ledger.h"

struct owned {
	struct change_history *changes;
	double *rates, *until;
	struct directories directories;
};

/* When a page that is there at a time is removed next; infinite: never. */
static double removal(const struct history *h, uint32_t page, double start)
{
	for (size_t i = h->from[page]; i < h->from[page + 1]; i++)
		if (h->gone[i] && h->times[i] > start)
			return h->times[i];
	return INFINITY;
}

static int add_pages(struct owned *o, const struct history *h, double start, double days, size_t *n)
{
	int rc = 0;

	for (uint32_t id = 0; rc == 0 && id < h->n; id++) {
		if (!history_alive(h, id, start))
			continue;
		o->until[*n] = removal(h, id, start);
		o->changes[*n] = history_events(h, id);
		o->rates[*n] = (double)watch_changes(o->changes[*n], start, start + days) / days;
		rc = directories_add(&o->directories, h->paths[id]);
		++*n;
	}
	return rc;
}

int watched_make(void *context, size_t run, struct watch_world *ret)
{
	const struct watched_history *w = context;
	struct owned *o = calloc(1, sizeof *o);
	double start = w->start + w->days * (double)run;
	size_t n = 0, room = w->history->n + 1;
	int rc;

	if (!o)
		return ERR_NOMEM;
	ret->owned = o;
	o->changes = calloc(room, sizeof *o->changes);
	o->rates = calloc(room, sizeof *o->rates);
	o->until = calloc(room, sizeof *o->until);
	rc = directories_init(&o->directories);
	if (rc || !o->changes || !o->rates || !o->until)
		return rc ? rc : ERR_NOMEM;
	rc = add_pages(o, w->history, start, w->days, &n);
	if (rc == 0 && n == 0)
		rc = ERR_NOTFOUND;
	ret->start = start;
	ret->site = (struct watch_site){.n = n,
		.changes = o->changes,
		.rates = o->rates,
		.classes = o->directories.classes.ptr,
		.until = o->until};
	return rc;
}

void watched_release(struct watch_world *world)
{
	struct owned *o = world->owned;

	if (!o)
		return;
	free(o->changes);
	free(o->rates);
	free(o->until);
	directories_release(&o->directories);
	free(o);
}
