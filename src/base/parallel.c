#include "base/parallel.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

struct state {
	const struct parallel *p;
	pthread_mutex_t lock; /* of all below */
	size_t next, done;
	int rc;
	size_t failed; /* the round that rc is from */
};

/* Takes the next round, unless there is none or one has failed. */
static bool take(struct state *s, size_t *ret_i)
{
	bool more;

	(void)pthread_mutex_lock(&s->lock);
	more = s->next < s->p->count && s->rc == 0;
	if (more)
		*ret_i = s->next++;
	(void)pthread_mutex_unlock(&s->lock);
	return more;
}

static void finish(struct state *s, size_t i, int rc)
{
	(void)pthread_mutex_lock(&s->lock);
	if (rc && i < s->failed) {
		s->rc = rc;
		s->failed = i;
	}
	s->done++;
	if (s->p->report)
		s->p->report(s->p->report_context, s->done);
	(void)pthread_mutex_unlock(&s->lock);
}

static void *work(void *arg)
{
	struct state *s = arg;
	size_t i;

	while (take(s, &i))
		finish(s, i, s->p->work(s->p->context, i));
	return NULL;
}

static size_t helper_count(const struct parallel *p)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t threads = p->threads;

	if (threads == 0)
		threads = processors > 0 ? (size_t)processors : 1;
	if (threads > PARALLEL_THREADS_MAX)
		threads = PARALLEL_THREADS_MAX;
	if (threads > p->count)
		threads = p->count;
	return threads ? threads - 1 : 0;
}

int parallel_run(const struct parallel *p)
{
	struct state s = {.p = p, .lock = PTHREAD_MUTEX_INITIALIZER, .failed = SIZE_MAX};
	pthread_t helpers[PARALLEL_THREADS_MAX];
	size_t wanted = helper_count(p), count = 0;

	while (count < wanted && pthread_create(&helpers[count], NULL, work, &s) == 0)
		count++;
	(void)work(&s);
	while (count-- > 0)
		(void)pthread_join(helpers[count], NULL);
	(void)pthread_mutex_destroy(&s.lock);
	return s.rc;
}
