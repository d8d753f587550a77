/*
 * Connections that sleep: a thread that wakes each when its time has come, so that a slow response
 * keeps no event loop waiting.
 */
#ifndef HTTPD_WAKER_H
#define HTTPD_WAKER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/vec.h"

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
