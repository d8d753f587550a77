/*
 * A lane: a thread with any number of captures. Names of servers, and the warcinfo records of its
 * files.
 */
#ifndef CRAWL_LANE_H
#define CRAWL_LANE_H

#include <pthread.h>
#include <stdatomic.h>

#include "archive/duplicates.h"
#include "archive/store.h"
#include "base/api.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/heap.h"
#include "base/lists.h"
#include "base/spill.h"
#include "base/vec.h"
#include "catalog/catalog.h"
#include "crawl/capture_dust.h"
#include "crawl/capture_traps.h"
#include "crawl/crawl.h"
#include "crawl/gate.h"
#include "crawl/pages.h"
#include "crawl/reading.h"
#include "crawl/rules.h"
#include "crawl/secrets.h"
#include "crawl/settings.h"
#include "formats/http_fields.h"
#include "formats/url.h"
#include "net/address.h"
#include "net/net.h"
#include "net/servers.h"

/* ---- names and the address guard ---- */

/*
 * The addresses of servers, and which addresses a capture may send requests to. A lane looks up the
 * name of every server before the first request to it: politeness is owed to addresses, too.
 *
 * The address guard keeps a capture out of private networks, unless its seeds are there. A seed
 * that contains an address of one of the classes of net/address.h, or is localhost or below it,
 * allows that class for the capture. Any other name allows nothing: its owner could lead it
 * anywhere, now or after resume. The set is decided once and kept in the catalog.
 */

struct capture;
struct lane;

/* Decides which addresses the capture may use. Call it before anything else. */
int names_begin(struct capture *c, struct err *err) SP_MUST_CHECK;

/* The range that forbids a URL whose host contains an address; NULL if it is allowed. */
const struct address_range *names_forbids(const struct capture *c, const struct url *url);

/* ---- warcinfo records ---- */

/*
 * What the WARC files of a lane need of the settings: the fields of their warcinfo records, and
 * which request fields are not archived.
 */

struct warcinfo {
	struct arena text; /* of the fields */
	struct field_vec info;
	struct slice_vec secret; /* empty when all are kept */
};

struct warcinfo_params {
	const struct crawl_settings *settings; /* of a capture of the lane; see only */
	const struct catalog_capture *only;    /* the one capture there is; NULL: several,
						* with the same settings but for their own */
	const char *user_agent;
	const struct crawl_secrets *secrets; /* NULL: none */
};

/* All is borrowed. 0 or ERR_NOMEM. */
int warcinfo_init(struct warcinfo *w, const struct warcinfo_params *params) SP_MUST_CHECK;
void warcinfo_release(struct warcinfo *w); /* safe on a zeroed struct */

/* ---- lanes ---- */

/*
 * A lane: a thread with its own sockets, politeness queue, WARC file and buffers that runs any
 * number of captures. Lanes share only the clerk, the pace of a server that several of them ask,
 * and the stop flag.
 *
 * A turn of the loop visits only captures with pending work: a fetch ended, a request was started,
 * or a time has come. Idle captures cost nothing.
 */

struct capture;

enum { LANE_READERS = 2 }; /* connections to the catalog */

/* What all lanes of a crawl share. */
struct lanes_shared {
	const struct directory *directory;
	const struct clock *clock; /* of all times; anchored when the crawl began */
	const struct clock *wall;  /* the wall clock as it is now */
	struct clerk *clerk;
	struct shared_paces *paces;
	const struct robots_history *history; /* what captures before this crawl knew */
	const struct earlier_index *earlier;  /* which they were; only while captures begin */
	const struct crawl_secrets *secrets;  /* or NULL */
	const struct crawl_command *changes;  /* the same */
	struct crawl_watch *watch;            /* of sites under watch; NULL for captures */
	int ended;                            /* eventfd: counts lanes that have ended */
	int stop_fd;                          /* readable: stop; -1 for none */
	atomic_bool stopping;                 /* from outside, or because one has failed */
	atomic_size_t running;                /* captures that have not ended */

	/*
	 * The capture that ended last, if all have ended. The crawl marks it as finished when all
	 * else is done, so that no crawl counts as finished before that.
	 */
	struct catalog_capture last;
};

VEC_DECLARE(capture_vec, struct capture *);

/* Fields are for the files of this room; those behind lock for its holder. */
struct lane {
	struct lanes_shared *shared;
	const struct directory *directory;
	const struct clock *clock;
	char *agent; /* User-Agent */
	struct net *net;
	struct gate gate;
	struct servers servers;
	struct warcinfo info; /* what its WARC files say of themselves */
	struct store store;
	bool store_is_open;
	struct reading reading;
	struct duplicates duplicates;          /* bodies that its captures may refer to */
	struct catalog *readers[LANE_READERS]; /* of its captures that end; opened by the first */
	struct trap_scratch scratch;
	struct dust_scratch dust;
	struct page_links links;  /* of the page that was read last */
	struct spill_pool spill;  /* data of its captures that need not be in memory */
	struct seen_budget known; /* memory for the URLs that they know */
	struct robots_cache robots;

	struct capture_vec captures; /* by slot; NULL when it has ended */
	size_t running;
	bool alone;             /* there is one capture in the whole crawl */
	struct heap wakes;      /* slots by the time of their next work */
	struct u32_vec queue;   /* a ring: slots of captures with pending work */
	size_t first, waiting;  /* in it */
	size_t max_fetches;     /* fetches under way */
	double no_socket_until; /* no fetch starts before: no socket was free */
	bool no_socket_warned;
	struct crawl_progress sum;
	int64_t shown_at; /* when shown was last set */
	int64_t worst_at; /* when its list of sites was */

	pthread_t thread;
	bool started;
	int wake; /* an eventfd that ends its waiting */
	int rc;   /* how it ended */
	struct err err;

	pthread_mutex_t lock;
	struct crawl_progress shown;
	struct worst_sites worst;
};

struct lane_params {
	struct lanes_shared *shared;
	const struct crawl_settings *settings; /* of all its captures, but for their own */
	const struct catalog_capture *only;    /* as store_params */
	unsigned number;                       /* the same */
	uint64_t serial;                       /* the same */
	uint64_t looks;                        /* the same */
	size_t max_fetches;                    /* fetches under way at once */
	size_t max_kept;                       /* connections kept open */
	size_t lanes;                          /* in all: they share the bandwidth */
};

/* All is borrowed. 0, ERR_IO, ERR_NOMEM. */
int lane_new(const struct lane_params *params, struct lane **ret, struct err *err) SP_MUST_CHECK;

/* For a lane that has ended or was never started: closes nothing properly. NULL is fine. */
void lane_free(struct lane *lane);

/* Takes over a capture. Not while the lane runs. 0 or ERR_NOMEM: then the caller keeps it. */
int lane_add(struct lane *lane, struct capture *c) SP_MUST_CHECK;

/* Removes and frees a capture that cannot be resumed. Not while the lane runs. */
void lane_drop(struct lane *lane, struct capture *c);

/* Starts its thread, which runs until its captures have ended or the stop flag is set. */
int lane_start(struct lane *lane, struct err *err) SP_MUST_CHECK;

/* Makes it look at the stop flag. For any thread. */
void lane_wake(struct lane *lane);

/* Waits for the thread. 0, or the error that ended it. */
int lane_join(struct lane *lane, struct err *err) SP_MUST_CHECK;

/* Adds the progress of all its captures; of several, the worst go into worst. For any thread. */
void lane_progress(struct lane *lane, struct crawl_progress *sum, struct worst_sites *worst);

/* ---- for its captures ---- */

/* Seconds on the monotonic clock: the time of politeness, the same for all lanes. */
double lane_now(const struct lane *lane);

/*
 * Reads the stop flag, for long loops: 0, or ERR_STOPPED. Then nothing of this turn is committed;
 * resume does it again, as after a crash.
 */
int lane_check_stop(const struct lane *lane, struct err *err) SP_MUST_CHECK;

/* The same before the lanes run, when nothing else reads stop_fd. */
int lanes_shared_check_stop(struct lanes_shared *shared, struct err *err) SP_MUST_CHECK;

/* Starts all held orders whose servers are ready. */
int lane_start_ready(struct lane *lane, struct err *err) SP_MUST_CHECK;

#endif
