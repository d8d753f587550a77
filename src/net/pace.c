#include "net/pace.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"

/* ---- the pace of a server ---- */

/* More of them lead beyond every maximum. */
enum { DOUBLINGS_MAX = 60 };

void pace_init(struct pace *p, struct pace_rule rule)
{
	double *ends = NULL;

	assert(rule.automatic || (rule.delay >= 0 && isfinite(rule.delay)));
	assert(rule.jobs <= PACE_JOBS_MAX);
	if (rule.jobs == 0)
		rule.jobs = 1;
	if (rule.jobs > 1) {
		ends = mem_new(rule.jobs, sizeof *ends);
		for (unsigned i = 0; i < rule.jobs; i++)
			ends[i] = -INFINITY;
	}
	*p = (struct pace){
		.rule = rule,
		.alive_until = -INFINITY,
		.backoff_until = -INFINITY,
		.retry_until = -INFINITY,
		.last_end = -INFINITY,
		.ends = ends,
	};
}

void pace_release(struct pace *p)
{
	free(p->ends);
	*p = (struct pace){0};
}

static double automatic_delay(const struct pace *p)
{
	double pause = fmax(PACE_AUTO_FACTOR * p->response, PACE_AUTO_MIN);

	return fmin(ldexp(pause, p->strain), PACE_AUTO_MAX);
}

double pace_delay(const struct pace *p)
{
	return fmax(p->rule.automatic ? automatic_delay(p) : p->rule.delay, p->crawl_delay);
}

/* Place of the free job that has rested for longest. There must be one. */
static unsigned most_rested(const struct pace *p)
{
	unsigned best = 0;

	for (unsigned i = 1; i < p->rule.jobs - p->busy; i++)
		if (p->ends[i] < p->ends[best])
			best = i;
	return best;
}

/* The end of the request that the next one must keep its distance from. */
static double end_that_counts(const struct pace *p)
{
	if (!p->ends || p->crawl_delay > 0)
		return p->last_end;
	return p->ends[most_rested(p)];
}

double pace_ready(const struct pace *p)
{
	unsigned jobs = p->crawl_delay > 0 ? 1 : p->rule.jobs;

	if (p->busy >= jobs)
		return INFINITY;
	return fmax(end_that_counts(p) + pace_delay(p), fmax(p->backoff_until, p->retry_until));
}

double pace_rest(const struct pace *p, double now)
{
	return fmax(now + pace_delay(p), fmax(p->backoff_until, p->retry_until));
}

void pace_begin(struct pace *p, double now)
{
	assert(now >= pace_ready(p));
	if (p->ends) {
		unsigned job = most_rested(p);

		p->begun = p->ends[job];
		p->ends[job] = p->ends[p->rule.jobs - p->busy - 1];
	}
	p->busy++;
}

void pace_undo(struct pace *p)
{
	assert(p->busy > 0);
	p->busy--;
	if (p->ends)
		p->ends[p->rule.jobs - p->busy - 1] = p->begun;
}

/* The back-off after so many failures in a row, from the second on. */
static double backoff(unsigned failures, double chance)
{
	unsigned doublings = failures - 2 < DOUBLINGS_MAX ? failures - 2 : DOUBLINGS_MAX;
	double seconds = fmin(ldexp(PACE_BACKOFF_FIRST, (int)doublings), PACE_BACKOFF_MAX);

	return seconds * (1 + PACE_JITTER * chance);
}

static void count_failure(struct pace *p, double now)
{
	if (p->failures == 0)
		p->failing_since = now;
	p->failures++;
}

static void note_failure(struct pace *p, double now, double chance)
{
	if (now < p->alive_until)
		return;
	count_failure(p, now);
	p->silent++;
	if (pace_is_failing(p))
		p->backoff_until = fmax(p->backoff_until, now + backoff(p->failures, chance));
}

static void note_refusal(struct pace *p, double now, double chance)
{
	unsigned doublings;

	count_failure(p, now);
	p->silent = 0;
	p->calm = 0;
	if (p->strain < PACE_STRAIN_MAX)
		p->strain++;
	doublings = p->failures > 2 ? p->failures : 2;
	p->backoff_until = fmax(p->backoff_until, now + backoff(doublings, chance));
}

static void relax(struct pace *p)
{
	if (p->strain == 0 || ++p->calm < PACE_CALM)
		return;
	p->strain--;
	p->calm = 0;
}

static void note_answer(struct pace *p, double now, double response_seconds)
{
	if (pace_wants_probe(p))
		p->alive_until = now + PACE_ALIVE_SECONDS;
	p->failures = p->silent = 0;
	p->backoff_until = -INFINITY;
	p->response = response_seconds > 0 ? response_seconds : 0; /* NaN is 0 too */
	relax(p);
}

void pace_end(struct pace *p, double now, double response_seconds, enum pace_outcome outcome,
	double chance)
{
	assert(p->busy > 0);
	p->busy--;
	p->last_end = fmax(p->last_end, now);
	if (p->ends)
		p->ends[p->rule.jobs - p->busy - 1] = now;
	switch (outcome) {
	case PACE_ANSWERED:
		note_answer(p, now, response_seconds);
		break;
	case PACE_REFUSED:
		note_refusal(p, now, chance);
		break;
	case PACE_FAILED:
		note_failure(p, now, chance);
		break;
	case PACE_UNKNOWN:
		break;
	}
}

bool pace_wants_probe(const struct pace *p)
{
	return p->silent >= PACE_PROBE_FAILURES;
}

bool pace_is_failing(const struct pace *p)
{
	return p->failures >= 2;
}

bool pace_is_down(const struct pace *p, double now, double seconds)
{
	return p->failures >= PACE_DOWN_FAILURES && now - p->failing_since >= seconds;
}

void pace_set_delay(struct pace *p, double delay, bool automatic)
{
	p->rule.delay = delay;
	p->rule.automatic = automatic;
}

void pace_set_crawl_delay(struct pace *p, double seconds)
{
	p->crawl_delay = seconds > 0 ? fmin(seconds, PACE_CRAWL_DELAY_MAX) : 0;
}

void pace_retry_after(struct pace *p, double now, double seconds)
{
	if (seconds > 0)
		p->retry_until = fmax(p->retry_until, now + fmin(seconds, PACE_RETRY_AFTER_MAX));
}

/* ---- servers that several lanes ask ---- */

/* As of servers.c: ten million names have a tenth of it. */
#define MEMORY_MAX ((size_t)8 << 30)

struct shared_pace {
	struct shared_paces *all;
	unsigned lanes;     /* that know it */
	unsigned busy;      /* requests under way, of all of them */
	double next;        /* no sooner than this */
	const void *waiter; /* a lane that was refused since waits_since, last when it asked */
	double waits_since, asked;
};

VEC_DECLARE(shared_pace_vec, struct shared_pace *);

/* One lock for all: it is held for a few instructions. */
struct shared_paces {
	pthread_mutex_t lock;
	struct arena arena;
	struct strmap by_name; /* to numbers */
	struct shared_pace_vec list;
};

struct shared_paces *shared_paces_new(void)
{
	struct shared_paces *all = mem_new(1, sizeof *all);

	if (pthread_mutex_init(&all->lock, NULL))
		mem_end();
	arena_init(&all->arena, MEMORY_MAX);
	strmap_init(&all->by_name, hash_key_random(), &all->arena);
	return all;
}

void shared_paces_free(struct shared_paces *all)
{
	if (!all)
		return;
	shared_pace_vec_release(&all->list);
	strmap_release(&all->by_name);
	arena_release(&all->arena);
	(void)pthread_mutex_destroy(&all->lock);
	free(all);
}

struct shared_pace *shared_paces_join(struct shared_paces *all, slice server)
{
	struct shared_pace *p;
	uint32_t number;

	(void)pthread_mutex_lock(&all->lock);
	if (strmap_get(&all->by_name, server, &number)) {
		p = all->list.ptr[number];
	} else {
		p = ARENA_NEED(&all->arena, struct shared_pace);
		*p = (struct shared_pace){.all = all, .next = -INFINITY};
		(void)strmap_add(&all->by_name, server, (uint32_t)all->list.len);
		shared_pace_vec_push(&all->list, p);
	}
	p->lanes++;
	(void)pthread_mutex_unlock(&all->lock);
	return p;
}

/* Another lane has waited for long, and still asks. */
static bool is_due_to_another(const struct shared_pace *p, const void *lane, double now)
{
	return p->waiter && p->waiter != lane && now - p->waits_since >= SHARED_PACE_WAIT &&
	       now - p->asked <= 2 * SHARED_PACE_POLL;
}

/* The lane was refused: the first one that waits, or the next when that one has given up. */
static void note_waiter(struct shared_pace *p, const void *lane, double now)
{
	if (p->waiter != lane && p->waiter && now - p->asked <= 2 * SHARED_PACE_POLL)
		return;
	if (p->waiter != lane)
		p->waits_since = now;
	p->waiter = lane;
	p->asked = now;
}

bool shared_pace_begin(
	struct shared_pace *p, const void *lane, double now, unsigned jobs, double *ret_when)
{
	bool may;

	(void)pthread_mutex_lock(&p->all->lock);
	may = p->lanes == 1 ||
	      (p->busy < jobs && now >= p->next && !is_due_to_another(p, lane, now));
	if (may) {
		p->busy++;
		p->waiter = p->waiter == lane ? NULL : p->waiter;
	} else {
		*ret_when = p->busy < jobs && now < p->next ? p->next : now + SHARED_PACE_POLL;
		note_waiter(p, lane, now);
	}
	(void)pthread_mutex_unlock(&p->all->lock);
	return may;
}

void shared_pace_end(struct shared_pace *p, double next)
{
	(void)pthread_mutex_lock(&p->all->lock);
	assert(p->busy > 0);
	p->busy--;
	p->next = fmax(p->next, next);
	(void)pthread_mutex_unlock(&p->all->lock);
}

void shared_pace_defer(struct shared_pace *p, double until)
{
	(void)pthread_mutex_lock(&p->all->lock);
	p->next = fmax(p->next, until);
	(void)pthread_mutex_unlock(&p->all->lock);
}
