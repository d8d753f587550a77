#include "httpd/waker.h"

#include <microhttpd.h>
#include <time.h>

#include "base/clock.h"

/* The clock that pthread_cond_timedwait goes by: see waker_init. */
static int64_t now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * CLOCK_NS_PER_SECOND + t.tv_nsec;
}

/* Wakes whose time has come; the earliest time of the others, or INT64_MAX. */
static int64_t wake_due(struct waker *w, int64_t now)
{
	int64_t next = INT64_MAX;
	size_t kept = 0;

	for (size_t i = 0; i < w->sleepers.len; i++) {
		struct sleeper s = w->sleepers.ptr[i];

		if (s.due_ns <= now) {
			MHD_resume_connection(s.connection);
			continue;
		}
		if (s.due_ns < next)
			next = s.due_ns;
		w->sleepers.ptr[kept++] = s;
	}
	w->sleepers.len = kept;
	return next;
}

static void *run(void *argument)
{
	struct waker *w = argument;

	(void)pthread_mutex_lock(&w->lock);
	while (!w->stopping) {
		int64_t next = wake_due(w, now_ns());
		struct timespec t = {
			.tv_sec = (time_t)(next / CLOCK_NS_PER_SECOND),
			.tv_nsec = (long)(next % CLOCK_NS_PER_SECOND),
		};

		if (next == INT64_MAX)
			(void)pthread_cond_wait(&w->changed, &w->lock);
		else
			(void)pthread_cond_timedwait(&w->changed, &w->lock, &t);
	}
	(void)pthread_mutex_unlock(&w->lock);
	return NULL;
}

int waker_init(struct waker *w)
{
	pthread_condattr_t attr;

	*w = (struct waker){.stopping = false};
	if (pthread_condattr_init(&attr) != 0)
		return ERR_NOMEM;
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&w->changed, &attr);
	(void)pthread_condattr_destroy(&attr);
	(void)pthread_mutex_init(&w->lock, NULL);
	if (pthread_create(&w->thread, NULL, run, w) == 0)
		return 0;
	(void)pthread_cond_destroy(&w->changed);
	(void)pthread_mutex_destroy(&w->lock);
	return ERR_NOMEM;
}

bool waker_sleep(struct waker *w, struct MHD_Connection *connection, int64_t ns)
{
	struct sleeper s = {.due_ns = now_ns() + ns, .connection = connection};
	bool ok = false;

	(void)pthread_mutex_lock(&w->lock);
	if (!w->stopping && sleepers_reserve(&w->sleepers, 1) == 0) {
		/* Under the lock: it cannot be woken before it sleeps. */
		MHD_suspend_connection(connection);
		w->sleepers.ptr[w->sleepers.len++] = s;
		(void)pthread_cond_signal(&w->changed);
		ok = true;
	}
	(void)pthread_mutex_unlock(&w->lock);
	return ok;
}

void waker_stop(struct waker *w)
{
	(void)pthread_mutex_lock(&w->lock);
	w->stopping = true;
	(void)wake_due(w, INT64_MAX);
	(void)pthread_cond_signal(&w->changed);
	(void)pthread_mutex_unlock(&w->lock);
	(void)pthread_join(w->thread, NULL);
}

void waker_release(struct waker *w)
{
	sleepers_release(&w->sleepers);
	(void)pthread_cond_destroy(&w->changed);
	(void)pthread_mutex_destroy(&w->lock);
}
