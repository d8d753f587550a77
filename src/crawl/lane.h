/*
 * A lane: one thread with its own sockets, its own politeness queue, its own WARC file and its own
 * buffers, which runs any number of captures. Lanes share nothing but the clerk, the clock of a
 * server that several of them ask, and the word that it is time to stop.
 *
 * Nothing is looked at in vain: a turn of the loop touches the captures of which a fetch ended, an
 * order was started or a time has come, however many there are.
 */
#ifndef CRAWL_LANE_H
#define CRAWL_LANE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/api.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/heap.h"
#include "base/lists.h"
#include "base/spill.h"
#include "base/vec.h"
#include "crawl/crawl.h"
#include "crawl/gate.h"
#include "crawl/memory.h"
#include "crawl/reading.h"
#include "crawl/robots_cache.h"
#include "crawl/trapping.h"
#include "crawl/warcinfo.h"
#include "frontier/servers.h"
#include "net/net.h"
#include "store/duplicates.h"
#include "store/store.h"

struct capture;

/* What all lanes of a crawl share. */
struct lane_crowd {
	const struct directory *directory;
	const struct clock *clock; /* anchored when the crawl began: all times are its */
	const struct clock *wall;  /* what the wall clock says meanwhile */
	struct clerk *clerk;
	struct shared_paces *paces;
	const struct robots_memory *memory;  /* of captures before this crawl */
	const struct crawl_secrets *secrets; /* or NULL */
	int ended;                           /* an eventfd: one more lane has ended */
	int stop_fd;                         /* readable: stop; -1 for none */
	atomic_bool stopping;                /* from outside, or because one has failed */
	atomic_size_t running;               /* captures that have not ended */

	/*
	 * The capture that ended last, if all have: whoever started the lanes makes it a finished
	 * one when all else is done, so that a crawl is not taken for finished before that.
	 */
	struct catalog_capture last;
};

VEC_DECLARE(capture_vec, struct capture *);

/* Fields are for the files of this room; those behind lock for its holder. */
struct lane {
	struct lane_crowd *crowd;
	const struct directory *directory;
	const struct clock *clock;
	char *agent; /* how we introduce ourselves */
	struct net *net;
	struct gate gate;
	struct servers servers;
	struct warcinfo info; /* what its WARC files say of themselves */
	struct store store;
	bool store_is_open;
	bool clock_is_set; /* the wall clock was set meanwhile, and its captures know */
	struct reading reading;
	struct duplicates duplicates; /* bodies that its captures may refer to */
	struct trap_scratch scratch;
	struct spill_pool spill; /* what its captures need not have in memory */
	struct robots_cache robots;

	struct capture_vec captures; /* by slot; NULL when it has ended */
	size_t running;
	bool alone;            /* there is one capture in the whole crawl */
	struct heap wakes;     /* slots by the time at which something is to be done */
	struct u32_vec queue;  /* a ring of captures that were touched */
	size_t first, waiting; /* in it */
	size_t most;           /* fetches under way */
	double starved_until;  /* no fetch starts before: there was no socket for one */
	bool starved_told;
	struct crawl_progress sum;
	int64_t told; /* when it was last shown */

	pthread_t thread;
	bool started;
	int wake; /* an eventfd that ends its waiting */
	int rc;   /* how it ended */
	struct err err;

	pthread_mutex_t lock;
	struct crawl_progress shown;
};

struct lane_params {
	struct lane_crowd *crowd;
	const struct crawl_settings *settings; /* of all its captures, but for the seeds */
	const struct catalog_capture *only;    /* as store_params */
	unsigned number;                       /* the same */
	uint64_t serial;                       /* the same */
	size_t most;                           /* fetches under way at once */
	size_t kept;                           /* connections kept open */
	size_t lanes;                          /* in all: they share the bandwidth */
};

/* All is borrowed. 0, ERR_IO, ERR_NOMEM. */
int lane_new(const struct lane_params *params, struct lane **ret, struct err *err) SP_MUST_CHECK;

/* Ends nothing properly: for a lane that has ended, or never began. NULL is fine. */
void lane_free(struct lane *lane);

/* Takes a capture over. Not while the lane runs. 0 or ERR_NOMEM: then it stays the caller's. */
int lane_add(struct lane *lane, struct capture *c) SP_MUST_CHECK;

/* Takes one off that cannot go on after all, and frees it. Not while the lane runs. */
void lane_drop(struct lane *lane, struct capture *c);

/* Starts its thread, which runs until its captures have ended or the crowd is stopping. */
int lane_start(struct lane *lane, struct err *err) SP_MUST_CHECK;

/* Lets it see that the crowd is stopping. For any thread. */
void lane_wake(struct lane *lane);

/* Waits for the thread. 0, or what ended it. */
int lane_join(struct lane *lane, struct err *err) SP_MUST_CHECK;

/* Adds how far all its captures are. For any thread. */
void lane_progress(struct lane *lane, struct crawl_progress *sum);

/* ---- for its captures ---- */

/* Seconds on the monotonic clock: the time of politeness, the same for all lanes. */
double lane_now(const struct lane *lane);

/*
 * The stop flag, for long loops: 0, or ERR_STOPPED when the crawl is stopping. Then nothing of this
 * turn is committed; resume does it again, as after a crash.
 */
int lane_check_stop(const struct lane *lane, struct err *err) SP_MUST_CHECK;

/* The same before the lanes run, when nobody else looks at stop_fd. */
int lane_crowd_check_stop(struct lane_crowd *crowd, struct err *err) SP_MUST_CHECK;

/* Starts all held orders whose servers are ready. */
int lane_start_ready(struct lane *lane, struct err *err) SP_MUST_CHECK;

#endif
