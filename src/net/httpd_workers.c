#include "net/httpd_workers.h"

#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/err.h"

/* ---- a request under way ---- */

static const int64_t TURN_NS = CLOCK_NS_PER_SECOND / 20; /* then others have theirs */
static const int64_t LOOK_NS = CLOCK_NS_PER_SECOND / 100;

/* Of this thread: on a busy machine, time passes without any work. */
static int64_t processor_ns(void)
{
	struct timespec t = {0};

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * (int64_t)CLOCK_NS_PER_SECOND + t.tv_nsec;
}

void work_turn_begin(struct work *w)
{
	w->turn_began = clock_monotonic(clock_system());
	w->work_began = processor_ns();
}

void work_turn_end(struct work *w)
{
	w->spent_ns += processor_ns() - w->work_began;
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
	if (now - w->looked <= LOOK_NS)
		return true;
	w->looked = now;
	if (w->spent_ns + processor_ns() - w->work_began > w->limit_ns)
		w->end = WORK_SPENT;
	if (atomic_load_explicit(w->stopping, memory_order_relaxed) || has_left(w->fd))
		w->end = WORK_CANCELLED;
	return w->end == WORK_GOES_ON;
}

bool work_turn_is_long(const struct work *w)
{
	return w && clock_monotonic(clock_system()) - w->turn_began > TURN_NS;
}

void work_refresh(struct work *w)
{
	if (!w)
		return;
	w->spent_ns = 0;
	work_turn_begin(w);
}

/* ---- threads ---- */

enum { GRACE_SECONDS = 5 };

static void queue(struct workers *w, struct worker_job *job)
{
	job->next = NULL;
	*w->last = job;
	w->last = &job->next;
	w->waiting++;
}

static struct worker_job *take(struct workers *w)
{
	struct worker_job *job = w->first;

	w->first = job->next;
	if (!w->first)
		w->last = &w->first;
	w->waiting--;
	return job;
}

/* One thread; the lock is held but for the turns. */
static void work(struct workers *w, struct worker_job **place)
{
	while (!w->stopping) {
		struct worker_job *job;
		bool done;

		if (!w->first) {
			(void)pthread_cond_wait(&w->changed, &w->lock);
			continue;
		}
		job = *place = take(w);
		(void)pthread_mutex_unlock(&w->lock);
		done = job->run(job);
		(void)pthread_mutex_lock(&w->lock);
		*place = NULL;
		if (done || w->stopping)
			MHD_resume_connection(job->connection);
		else
			queue(w, job);
	}
}

static void *run(void *argument)
{
	struct workers *w = argument;

	(void)pthread_mutex_lock(&w->lock);
	work(w, &w->running[w->alive++]);
	w->alive--;
	(void)pthread_cond_signal(&w->ended);
	(void)pthread_mutex_unlock(&w->lock);
	return NULL;
}

int workers_init(struct workers *w, unsigned count)
{
	pthread_condattr_t attr;

	*w = (struct workers){.stopping = false};
	w->last = &w->first;
	if (pthread_condattr_init(&attr) != 0)
		return ERR_NOMEM;
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&w->changed, NULL);
	(void)pthread_cond_init(&w->ended, &attr);
	(void)pthread_condattr_destroy(&attr);
	(void)pthread_mutex_init(&w->lock, NULL);
	for (; w->count < count && w->count < WORKERS_MAX; w->count++)
		if (pthread_create(&w->threads[w->count], NULL, run, w) != 0)
			break;
	if (w->count == count)
		return 0;
	if (workers_stop(w))
		workers_release(w);
	return ERR_NOMEM;
}

static bool is_of(const struct worker_job *job, const struct in6_addr *address)
{
	return memcmp(&job->address, address, sizeof *address) == 0;
}

static bool has_room(const struct workers *w, const struct in6_addr *address)
{
	size_t same = 0;

	if (w->waiting >= WORKERS_JOBS_MAX)
		return false;
	for (const struct worker_job *job = w->first; job; job = job->next)
		same += is_of(job, address);
	for (unsigned i = 0; i < w->count; i++)
		same += w->running[i] && is_of(w->running[i], address);
	return same < WORKERS_ADDRESS_JOBS_MAX;
}

bool workers_put(struct workers *w, struct worker_job *job, bool again)
{
	bool ok;

	(void)pthread_mutex_lock(&w->lock);
	ok = !w->stopping && (again || has_room(w, &job->address));
	if (ok) {
		/* Under the lock: it cannot be resumed before it is suspended. */
		MHD_suspend_connection(job->connection);
		queue(w, job);
		(void)pthread_cond_signal(&w->changed);
	}
	(void)pthread_mutex_unlock(&w->lock);
	return ok;
}

bool workers_stop(struct workers *w)
{
	struct timespec until;
	bool ended;
	int rc = 0;

	(void)clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += GRACE_SECONDS;
	(void)pthread_mutex_lock(&w->lock);
	w->stopping = true;
	while (w->first)
		MHD_resume_connection(take(w)->connection);
	(void)pthread_cond_broadcast(&w->changed);
	while (w->alive > 0 && rc != ETIMEDOUT)
		rc = pthread_cond_timedwait(&w->ended, &w->lock, &until);
	ended = w->alive == 0;
	(void)pthread_mutex_unlock(&w->lock);
	for (unsigned i = 0; ended && i < w->count; i++)
		(void)pthread_join(w->threads[i], NULL);
	return ended;
}

void workers_release(struct workers *w)
{
	(void)pthread_cond_destroy(&w->changed);
	(void)pthread_cond_destroy(&w->ended);
	(void)pthread_mutex_destroy(&w->lock);
}

/* ---- waking the loop ---- */

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

static void *waker_run(void *argument)
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
	if (pthread_create(&w->thread, NULL, waker_run, w) == 0)
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
