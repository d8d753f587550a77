/* Requests that are answered by other threads than the one that listens. */
#ifndef NET_HTTPD_WORKERS_H
#define NET_HTTPD_WORKERS_H

#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/vec.h"

/* ---- a request under way ---- */

/*
 * What a request may still cost. Whatever takes many steps asks before each of them, and ends when
 * the answer is no: the client has left, the server stops, or the request has had its share.
 *
 *	while (work_step(q->work) && …)
 *		…
 *
 * What counts is processor time that was spent for the request: not what it waited for its turn,
 * for other programs, or for the client to take what there is. One thread at a time.
 */

enum work_end {
	WORK_GOES_ON,
	WORK_SPENT,     /* the time is over */
	WORK_CANCELLED, /* nobody waits for it any more */
};

/* Fields are its own, but for limit_ns. */
struct work {
	const atomic_bool *stopping;
	int fd; /* of the client, or -1 */
	int64_t limit_ns;
	int64_t spent_ns;   /* in turns that are over */
	int64_t turn_began; /* monotonic */
	int64_t work_began; /* the same, by processor time */
	int64_t looked;     /* at client and server, last */
	uint64_t steps;
	enum work_end end;
};

/* A turn of the request begins or ends. */
void work_turn_begin(struct work *w);
void work_turn_end(struct work *w);

/* Counts one step: whether to go on. w may be NULL: there is no limit then. */
bool work_step(struct work *w);

/* Whether this turn has taken so long that others should have theirs. */
bool work_turn_is_long(const struct work *w);

/* Something came of it: the time counts anew. */
void work_refresh(struct work *w);

/* ---- threads ---- */

/*
 * Threads for requests that take time, so that no event loop waits for them. Jobs have their turns
 * in the order in which they came; one that is not done after its turn goes to the end of the
 * queue. The queue is bounded, and so is what one address may have in it.
 */

struct MHD_Connection;

enum {
	WORKERS_MAX = 16,
	WORKERS_JOBS_MAX = 512,        /* that wait or run */
	WORKERS_ADDRESS_JOBS_MAX = 64, /* of one address */
};

/* Part of what it works on. Set run, connection and address; the rest is the workers' own. */
struct worker_job {
	bool (*run)(struct worker_job *job); /* one turn; false: there is more to do */
	struct MHD_Connection *connection;   /* resumed when it is done */
	struct in6_addr address;
	struct worker_job *next;
	bool is_running;
};

/* Fields are its own. */
struct workers {
	pthread_t threads[WORKERS_MAX];
	unsigned count;
	pthread_mutex_t lock;
	pthread_cond_t changed, ended;
	struct worker_job *first, **last; /* that wait */
	struct worker_job *running[WORKERS_MAX];
	size_t waiting;
	unsigned alive;
	bool stopping;
};

/* Starts so many threads: 0 or ERR_NOMEM. */
int workers_init(struct workers *w, unsigned count) SP_MUST_CHECK;

/*
 * Suspends the job's connection and queues it; from the connection's own handlers only. False when
 * there are too many, or the server stops: nothing was done then. A job that is under way already
 * (again) is not counted.
 */
bool workers_put(struct workers *w, struct worker_job *job, bool again) SP_MUST_CHECK;

/*
 * Resumes what waits, undone, lets nobody in and waits until the threads have ended, which is soon
 * if all jobs ask for leave to go on. False when one has not after the grace period: nothing that
 * the jobs use may be freed then.
 */
bool workers_stop(struct workers *w) SP_MUST_CHECK;

/* After workers_stop was true. */
void workers_release(struct workers *w);

/* ---- waking the loop ---- */

/*
 * Connections that sleep: a thread that wakes each when its time has come, so that a slow response
 * keeps no event loop waiting.
 */

struct MHD_Connection;

struct sleeper {
	int64_t due_ns; /* monotonic */
	struct MHD_Connection *connection;
};

VEC_DECLARE(sleepers, struct sleeper);

/* Fields are the waker's own. */
struct waker {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct sleepers sleepers; /* few, in no order */
	bool stopping;
};

/* Starts the thread: 0 or ERR_NOMEM. */
int waker_init(struct waker *w) SP_MUST_CHECK;

/* Suspends a connection for a time; from its own handlers only. When it cannot, does nothing. */
bool waker_sleep(struct waker *w, struct MHD_Connection *connection, int64_t ns) SP_MUST_CHECK;

/* Wakes all that sleep and lets nobody sleep any more; needed before the server can stop. */
void waker_stop(struct waker *w);

/* After waker_stop. */
void waker_release(struct waker *w);

#endif
