/*
 * Where a lane puts things: WARC records, and catalog rows for the clerk, made lasting together.
 * Invariants:
 *
 *	(1) A row is added only after the records it speaks of are written; it is handed to the
 *	    clerk, who commits it, only after they are on the disk (group commit,
 *	    STORE_COMMIT_INTERVAL).
 *	(2) The size of a WARC file in the catalog ends behind a whole attempt: its response,
 *	    request and metadata. What a crash leaves behind that is set aside by resume, never
 *	    read.
 */
#ifndef CRAWL_STORE_H
#define CRAWL_STORE_H

#include "archive/attempt.h"
#include "archive/warc_writer.h"
#include "base/api.h"
#include "base/clock.h"
#include "base/err.h"
#include "catalog/catalog.h"
#include "crawl/batch.h"
#include "crawl/clerk.h"
#include "crawl/directory.h"
#include "crawl/duplicates.h"
#include "crawl/pages.h"
#include "crawl/secrets.h"
#include "crawl/settings.h"
#include "net/net.h"
#include "quality/state.h"

#define STORE_COMMIT_INTERVAL (CLOCK_NS_PER_SECOND / 4)

/* Bytes of rows that make a commit due at once. */
#define STORE_BATCH_MAX ((size_t)4 << 20)

VEC_DECLARE(name_vec, slice);

/* Fields are the store's own, but for batch, which rows may be added to. */
struct store {
	struct clerk *clerk;
	struct batch *batch; /* never NULL */
	struct warc_writer *warc;
	const struct clock *clock;
	char name[32];                /* of the files, as a pattern */
	char file[WARC_NAME_MAX + 1]; /* being written; "" before the first record */
	uint64_t end;                 /* of its last record */
	uint64_t whole;               /* of its last whole attempt */
	int64_t dirty_since;          /* monotonic; 0 when all was handed over */
	struct buf scratch;
	struct buf request;     /* head of the last one, without secrets */
	struct buf redacted;    /* what was left out of it */
	struct name_vec secret; /* fields whose values are left out; empty when all are kept */
	struct arena info_text; /* of the warcinfo fields */
	struct field_vec info;
};

struct store_params {
	const struct directory *directory;
	const struct crawl_settings *settings; /* of all captures of the lane, but for the seeds */
	const struct catalog_capture *only;    /* the one capture there is; NULL: several */
	struct clerk *clerk;
	unsigned lane;   /* from 1; 0 when there is one only */
	uint64_t serial; /* of the first file */
	const char *user_agent;
	const struct clock *clock;
	const struct crawl_secrets *secrets; /* not to be archived; NULL: none */
};

/* All is borrowed. 0 or as warc_writer_open. */
int store_open(struct store *s, const struct store_params *params, struct err *err) SP_MUST_CHECK;

/* Commits, completes the WARC file and closes: the first error. */
int store_close(struct store *s, struct err *err) SP_MUST_CHECK;

/*
 * Closes without a word and without a commit: after an error, which may have come in the middle of
 * an attempt. What was handed over before stays; resume sets aside what the WARC file has besides.
 */
void store_abandon(struct store *s);

/* One attempt at a page, or at robots.txt or a sitemap. */
struct store_attempt {
	uint32_t capture;
	struct attempt attempt;
	const struct net_fetch *fetch;
	const struct state_result *result; /* NULL when there is no response */
	slice media_type;
	uint64_t coding;                            /* hash of Content-Encoding */
	uint32_t page;                              /* or CATALOG_NO_PAGE */
	const struct duplicates_original *original; /* has the same body; NULL: store it */
};

/* Where its response went; record is empty when there was none. */
struct store_place {
	struct warc_id record;
	char file[WARC_NAME_MAX + 1];
	uint64_t offset;
};

/* Writes the records and adds the observation. 0, ERR_IO (nothing was added then), ERR_NOMEM. */
int store_attempt(struct store *s, const struct store_attempt *a, struct store_place *ret,
	struct err *err) SP_MUST_CHECK;

/* Writes what the DNS said of a host, as a resource record (ISO 28500:2017 §6.4.3, RFC 4027). */
int store_lookup(struct store *s, slice host, const struct net_lookup *lookup,
	struct err *err) SP_MUST_CHECK;

/*
 * Records what the kernel says of its clock, in the WARC and the catalog; with the settings of the
 * capture where it begins or goes on ("start", "resume").
 */
int store_moment(struct store *s, const struct catalog_capture *capture, const char *moment,
	struct err *err) SP_MUST_CHECK;

/* Seconds until a commit is due: 0 when it is, infinite when there is nothing to commit. */
double store_due(struct store *s);

/* Syncs the WARC and hands all rows so far to the clerk: 0, ERR_IO, ERR_NOMEM, the clerk's error.
 */
int store_commit(struct store *s, struct err *err) SP_MUST_CHECK;

#endif
