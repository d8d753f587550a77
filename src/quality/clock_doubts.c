#include "quality/clock_doubts.h"

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

int clock_doubts_add(struct clock_doubts *d, const struct catalog_clock *k)
{
	struct clock_process next = process_of(d, k);
	bool was_set;

	d->watch.set = d->watch.adjusted = false;
	clock_watch_add(&d->watch, k);
	was_set = d->watch.set || d->watch.adjusted;
	if (was_set)
		doubt_last(d);
	if (!clock_watch_begins(k))
		return 0;
	if (was_set) { /* between the two */
		next.doubtful = !k->synchronised;
		d->watch.last = k->capture_time;
	}
	return clock_processes_push(&d->list, next);
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
