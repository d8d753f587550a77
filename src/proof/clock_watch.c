#include "proof/clock_watch.h"

#include <string.h>

int64_t clock_watch_minus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

bool clock_watch_differs(int64_t a, int64_t b)
{
	uint64_t apart = a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;

	return apart > (uint64_t)CLOCK_WATCH_TOLERANCE;
}

bool clock_watch_begins(const struct catalog_clock *k)
{
	return slice_eq(k->moment, SLICE("start")) || slice_eq(k->moment, SLICE("resume"));
}

/* Monotonic readings can be compared with those of the process before. */
static bool is_same_boot(const struct clock_watch *w, const struct catalog_clock *k)
{
	return k->boot.len > 0 && slice_eq(k->boot, slice_str(w->boot));
}

/* Another process goes on: what happened to the clock in between? */
static bool was_set_between(const struct clock_watch *w, const struct catalog_clock *k)
{
	if (slice_eq(k->moment, SLICE("start")) || k->capture_time < w->last)
		return true;
	return is_same_boot(w, k) &&
	       clock_watch_differs(w->wall, clock_watch_minus(k->wall, k->monotonic));
}

static void begin(struct clock_watch *w, const struct catalog_clock *k)
{
	if (w->has_begun && (w->adjusted || was_set_between(w, k)))
		w->set = true;
	w->has_begun = true;
	w->offset = clock_watch_minus(k->capture_time, k->monotonic);
	memset(w->boot, 0, sizeof w->boot);
	if (k->boot.len < sizeof w->boot && k->boot.len > 0)
		memcpy(w->boot, k->boot.ptr, k->boot.len);
}

/* A reading is that far ahead of the capture's time. Without a beginning nobody knows its time. */
static void adjust(struct clock_watch *w, int64_t ahead)
{
	w->adjusted = true;
	w->set = w->set || !w->has_begun;
	if (ahead < w->early)
		w->early = ahead;
	if (ahead > w->late)
		w->late = ahead;
}

/* What readings may have missed between them. */
static int64_t slack(const struct clock_watch *w)
{
	int64_t quarter = w->late / 4 - w->early / 4;

	return quarter > CLOCK_WATCH_TOLERANCE ? quarter : CLOCK_WATCH_TOLERANCE;
}

bool clock_watch_is_news(const struct clock_watch *w, int64_t wall)
{
	int64_t ahead = clock_watch_minus(wall, w->offset);

	return ahead - w->late > slack(w) || w->early - ahead > slack(w);
}

double clock_watch_earlier(const struct clock_watch *w)
{
	return w->adjusted ? clock_seconds(slack(w)) - clock_seconds(w->early) : 0;
}

double clock_watch_later(const struct clock_watch *w)
{
	return w->adjusted ? clock_seconds(slack(w)) + clock_seconds(w->late) : 0;
}

void clock_watch_add(struct clock_watch *w, const struct catalog_clock *k)
{
	int64_t wall = clock_watch_minus(k->wall, k->monotonic);

	if (clock_watch_begins(k))
		begin(w, k);
	if (slice_eq(k->moment, SLICE("clock-set")) ||
		(w->has_begun && clock_watch_differs(wall, w->offset)))
		adjust(w, clock_watch_minus(wall, w->offset));
	w->wall = wall;
	if (k->capture_time > w->last)
		w->last = k->capture_time;
}

/* Wall and monotonic times of a look are read together. */
#define SAME_OFFSET (CLOCK_NS_PER_SECOND / 1000)

void clock_doubts_release(struct clock_doubts *d)
{
	clock_processes_release(&d->list);
	*d = (struct clock_doubts){0};
}

static void doubt_last(struct clock_doubts *d)
{
	bool more = true;

	for (size_t i = d->list.len; more && i-- > 0;) {
		struct clock_process *p = &d->list.ptr[i];

		p->doubtful = true;
		more = p->continues && !p->synchronised;
	}
	d->any = true;
}

static struct clock_process process_of(const struct clock_doubts *d, const struct catalog_clock *k)
{
	const struct clock_process *before = d->list.len > 0 ? &d->list.ptr[d->list.len - 1] : NULL;
	struct clock_process p = {.offset = clock_watch_minus(k->capture_time, k->monotonic),
		.begin = k->capture_time,
		.synchronised = k->synchronised};

	p.continues = before && k->boot.len > 0 && slice_eq(k->boot, slice_str(d->watch.boot)) &&
		      !clock_watch_differs(p.offset, before->offset);
	p.doubtful = p.continues && before->doubtful && !p.synchronised;
	return p;
}

void clock_doubts_add(struct clock_doubts *d, const struct catalog_clock *k)
{
	struct clock_process next = process_of(d, k);
	bool was_set;

	d->watch.set = d->watch.adjusted = false;
	clock_watch_add(&d->watch, k);
	was_set = d->watch.set || d->watch.adjusted;
	if (was_set)
		doubt_last(d);
	if (!clock_watch_begins(k))
		return;
	if (was_set) { /* between the two */
		next.doubtful = !k->synchronised;
		d->watch.last = k->capture_time;
	}
	clock_processes_push(&d->list, next);
}

bool clock_doubts_has(const struct clock_doubts *d, const struct attempt *a)
{
	int64_t offset = clock_watch_minus(a->wall.sent, a->clock.sent);

	if (!d->any)
		return false;
	for (size_t i = d->list.len; i-- > 0;) {
		const struct clock_process *p = &d->list.ptr[i];
		int64_t apart = clock_watch_minus(offset, p->offset);

		if (apart > -SAME_OFFSET && apart < SAME_OFFSET && a->wall.sent >= p->begin)
			return p->doubtful;
	}
	return true;
}
