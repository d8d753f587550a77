/*
 * Where a capture puts things: WARC records and catalog rows, made lasting together. Invariants:
 *
 *	(1) A row is added only after the records it speaks of are written; it is committed only
 *	    after they are on the disk (group commit, STORE_COMMIT_INTERVAL).
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
#include "crawl/directory.h"
#include "crawl/pages.h"
#include "crawl/settings.h"
#include "net/net.h"
#include "quality/state.h"

#define STORE_COMMIT_INTERVAL (CLOCK_NS_PER_SECOND / 4)

/* Fields are the store's own, but for catalog and capture, which may be read. */
struct store {
	struct catalog *catalog;
	struct catalog_capture capture; /* its row; strings are the caller's */
	struct warc_writer *warc;
	const struct clock *clock;
	char file[WARC_NAME_MAX + 1]; /* being written; "" before the first record */
	uint64_t end;                 /* of its last record */
	uint64_t whole;               /* of its last whole attempt */
	int64_t dirty_since;          /* monotonic; 0 when all is committed */
	struct buf scratch;
	struct arena info_text; /* of the warcinfo fields */
	struct field_vec info;
};

struct store_params {
	const struct directory *directory;
	const struct crawl_settings *settings;
	struct catalog *catalog; /* taken over: closed with the store, even when opening fails */
	struct catalog_capture capture;
	const char *user_agent;
	const struct clock *clock;
};

/* All is borrowed but the catalog. 0 or as warc_writer_open. */
int store_open(struct store *s, const struct store_params *params, struct err *err) SP_MUST_CHECK;

/* Commits and completes the WARC file; no records may be added behind this, but rows may. */
int store_seal(struct store *s, struct err *err) SP_MUST_CHECK;

/* The same, and closes: the first error. */
int store_close(struct store *s, struct err *err) SP_MUST_CHECK;

/*
 * Closes without a word and without a commit: after an error, which may have come in the middle of
 * an attempt. What was committed before stays; resume sets aside what the WARC file has besides.
 */
void store_abandon(struct store *s);

/* One attempt at a page, or at robots.txt or a sitemap. */
struct store_attempt {
	struct attempt attempt;
	const struct net_fetch *fetch;
	const struct state_result *result; /* NULL when there is no response */
	slice media_type;
	uint64_t coding;                   /* hash of Content-Encoding */
	uint32_t page;                     /* or CATALOG_NO_PAGE */
	const struct page_visit *original; /* the body is that of this visit; NULL: store it */
	slice original_url;
};

/* Where its response went; record is empty when there was none. */
struct store_place {
	struct warc_id record;
};

/* Writes the records and adds the observation. 0, ERR_IO (nothing was added then), ERR_NOMEM. */
int store_attempt(struct store *s, const struct store_attempt *a, struct store_place *ret,
	struct err *err) SP_MUST_CHECK;

/* Records what the kernel says of its clock, in the WARC and the catalog. */
int store_moment(struct store *s, const char *moment, struct err *err) SP_MUST_CHECK;

/* Something was added to the catalog: a commit is due within STORE_COMMIT_INTERVAL. */
void store_touch(struct store *s);

/* Seconds until a commit is due: 0 when it is, infinite when there is nothing to commit. */
double store_due(const struct store *s);

/* Makes all so far lasting: 0 or ERR_IO; the catalog is rolled back then. */
int store_commit(struct store *s, struct err *err) SP_MUST_CHECK;

#endif
