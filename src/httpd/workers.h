/*
 * Threads for requests that take time, so that no event loop waits for them. Jobs have their turns
 * in the order in which they came; one that is not done after its turn goes to the end of the
 * queue. The queue is bounded, and so is what one address may have in it.
 */
#ifndef HTTPD_WORKERS_H
#define HTTPD_WORKERS_H

#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/api.h"

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

#endif
