#include "httpd/work.h"

#include <poll.h>

#include "base/clock.h"

static const int64_t TURN_NS = CLOCK_NS_PER_SECOND / 20; /* then others have theirs */
static const int64_t LOOK_NS = CLOCK_NS_PER_SECOND / 100;

void work_turn_begin(struct work *w)
{
	w->turn_began = clock_monotonic(clock_system());
}

static int64_t turn_ns(const struct work *w)
{
	return clock_monotonic(clock_system()) - w->turn_began;
}

void work_turn_end(struct work *w)
{
	w->spent_ns += turn_ns(w);
}

static bool has_left(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLRDHUP};

	return fd >= 0 && poll(&p, 1, 0) > 0;
}

bool work_step(struct work *w)
{
	int64_t now;

	if (!w)
		return true;
	w->steps++;
	if (w->end != WORK_GOES_ON)
		return false;
	now = clock_monotonic(clock_system());
	if (w->spent_ns + now - w->turn_began > w->limit_ns)
		w->end = WORK_SPENT;
	if (now - w->looked > LOOK_NS) {
		w->looked = now;
		if (atomic_load_explicit(w->stopping, memory_order_relaxed) || has_left(w->fd))
			w->end = WORK_CANCELLED;
	}
	return w->end == WORK_GOES_ON;
}

bool work_turn_is_long(const struct work *w)
{
	return w && turn_ns(w) > TURN_NS;
}

void work_refresh(struct work *w)
{
	if (!w)
		return;
	w->spent_ns = 0;
	w->turn_began = clock_monotonic(clock_system());
}
