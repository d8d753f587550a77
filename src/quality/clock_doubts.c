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
	if (d->list.len > 0)
		d->list.ptr[d->list.len - 1].doubtful = true;
	d->any = true;
}

int clock_doubts_add(struct clock_doubts *d, const struct catalog_clock *k)
{
	struct clock_process next = {clock_watch_minus(k->capture_time, k->monotonic), false};

	d->watch.set = false;
	clock_watch_add(&d->watch, k);
	if (d->watch.set)
		doubt_last(d);
	if (!clock_watch_begins(k))
		return 0;
	if (d->watch.set) { /* between the two */
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
	for (size_t i = 0; i < d->list.len; i++) {
		int64_t apart = clock_watch_minus(offset, d->list.ptr[i].offset);

		if (apart > -SAME_OFFSET && apart < SAME_OFFSET)
			return d->list.ptr[i].doubtful;
	}
	return true;
}
