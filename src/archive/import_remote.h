/*
 * Lists of captures that a server has, read part by part:
 *
 * A CDX server (https://github.com/internetarchive/wayback/tree/master/wayback-cdx-server, and
 * pywb's) is asked how many pages its answer has (showNumPages), which are fetched one by one; one
 * that has no pages gives its list at once, or with a resume key that leads to the next part.
 *
 * A TimeMap (RFC 7089 §5) may have several pages too: those that it lists (rel="timemap"), on the
 * same server, are read, each once.
 *
 *	rc = remote_open(&r, REMOTE_CDX, "https://…/cdx?url=example.org", progress, server, err);
 *	while (rc == 0 && (rc = remote_next(&r, sink, context, &counts, err)) == 0)
 *		keep what came, and remote_progress(&r), at once
 *	remote_close(&r);
 *
 * Whoever opens it later with that progress goes on behind the last part. An endless list is
 * noticed: by a key that comes again, by parts that are the same, by their number.
 */
#ifndef ARCHIVE_IMPORT_REMOTE_H
#define ARCHIVE_IMPORT_REMOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "archive/listing.h"
#include "archive/page_table.h"
#include "base/api.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/lists.h"
#include "base/slice.h"
#include "catalog/catalog.h"

/*
 * Downloads the answers of a server, one after the other, politely: with a pause between requests
 * (net/pace.h), again after a failure, and no sooner than the server allows (Retry-After).
 * Redirects are followed, codings are undone. An answer is a file without a name, so that memory
 * does not grow with it.
 *
 * The server that the user names may have any address; where it leads to another one, only public
 * addresses are asked.
 */

enum {
	DOWNLOAD_TRIES = 6,     /* of an answer, until the server is given up */
	DOWNLOAD_REDIRECTS = 5, /* in a row */
};

#define DOWNLOAD_SIZE_MAX (UINT64_C(64) << 30) /* bytes of an answer, decoded */

struct download_params {
	bool automatic;         /* the pause follows the server's response time; else: */
	double delay;           /* seconds */
	const char *user_agent; /* NULL: "stillpoint/VERSION"; borrowed */
	slice home;             /* an address of the server that the user named; borrowed */
};

struct download; /* opaque */

struct download_answer {
	unsigned status; /* 200 to 299, or 400 to 499 but 429 */
	int fd;          /* the decoded body, from its start; the caller's; -1 unless 2xx */
	uint64_t size;
};

/*
 * Gets the answer to a request. 0; ERR_IO when there is none after all tries, or it cannot be
 * stored; ERR_LIMIT for one that is too large; ERR_SYNTAX for an address that is none.
 * Waits as long as politeness asks.
 */
int download_get(
	struct download *d, slice url, struct download_answer *ret, struct err *err) SP_MUST_CHECK;

enum remote_kind { REMOTE_CDX, REMOTE_TIMEMAP };

enum {
	REMOTE_PARTS_MAX = 1000000,
	REMOTE_TIMEMAPS_MAX = 10000,
	REMOTE_EMPTY_MAX = 50,         /* parts in a row without captures, but for pages */
	REMOTE_PROGRESS_MAX = 8 << 20, /* bytes */
};

/* Whom to ask. get is as download_get, with context in front. */
struct remote_server {
	int (*get)(void *context, slice url, struct download_answer *ret_answer, struct err *err);
	void *context;
};

/* Asks by a struct download. */
struct remote_server remote_server(struct download *download);

/* What comes next from a CDX server. */
enum remote_state {
	REMOTE_START, /* nothing is known: ask for the number of pages */
	REMOTE_PLAIN, /* it does not like to be asked: ask for the list alone */
	REMOTE_PAGE,
	REMOTE_KEY,
	REMOTE_END,
};

/* Fields are its own. */
struct remote {
	enum remote_kind kind;
	const char *address; /* borrowed */
	struct remote_server server;
	enum remote_state state;
	uint64_t page, pages;
	uint64_t parts;      /* read since it was opened */
	unsigned empty;      /* of these, in a row without captures */
	uint64_t last_part;  /* hash of what came last; 0: nothing */
	uint64_t this_part;  /* the same of what is coming */
	struct buf key;      /* of REMOTE_KEY, as it is in a query */
	struct arena arena;  /* of keys and addresses */
	struct strmap known; /* keys that came; addresses of TimeMaps */
	struct slice_vec timemaps;
	size_t timemaps_done;
	struct listed_more more;
	struct buf request, progress;
	listed_sink *sink;
	void *context;
};

/* Progress is that of an earlier remote_progress, or empty; what cannot be read is as if empty. */
int remote_open(struct remote *r, enum remote_kind kind, const char *address, slice progress,
	struct remote_server server, struct err *err) SP_MUST_CHECK;

/* Does not move after remote_open. Safe on a zeroed struct. */
void remote_close(struct remote *r);

/*
 * Reads the next part. 0; ERR_END when there is none; as download_get and listing_read_answer; or
 * what the sink returned.
 */
int remote_next(struct remote *r, listed_sink *sink, void *context,
	struct listing_counts *ret_counts, struct err *err) SP_MUST_CHECK;

/* What to keep to go on behind what was read; valid until the next call. Empty at the end. */
slice remote_progress(const struct remote *r);

/*
 * Keeps captures that others made in an archive's catalog, for the rates of its pages. Nothing is
 * kept twice. What is committed stays: an import that was stopped goes on behind it.
 */

/* The numbers may be read. Memory grows with pages. */
struct keep_totals {
	uint64_t added, known;
	struct strmap pages; /* pages.len of them */
	struct arena urls;
};

/* Does not move afterwards. */
void keep_totals_init(struct keep_totals *t);
void keep_totals_release(struct keep_totals *t);

/* All captures of a table, in one transaction, which is committed. As the catalog's functions. */
int keep_table(struct catalog *c, const struct page_table *table, struct keep_totals *totals,
	struct err *err) SP_MUST_CHECK;

/* Called after each part of a remote list. */
typedef void keep_on_part(void *context, const struct listing_counts *counts);

/* A server's list. All is borrowed. */
struct keep_source {
	enum remote_kind kind;
	const char *address;
	const struct download_params *download;
	keep_on_part *on_part;
	void *context; /* its */
};

/*
 * All captures that a server lists, part by part; with each goes how far it came. One that was
 * stopped goes on there. As remote_next.
 */
int keep_remote(struct catalog *c, const struct keep_source *source, struct keep_totals *totals,
	struct err *err) SP_MUST_CHECK;

#endif
