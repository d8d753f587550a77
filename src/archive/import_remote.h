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

#include "archive/import_download.h"
#include "archive/listing.h"
#include "base/api.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/lists.h"

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

#endif
