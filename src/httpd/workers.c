#include "httpd/workers.h"

#include <errno.h>
#include <microhttpd.h>
#include <string.h>
#include <time.h>

#include "base/err.h"

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
