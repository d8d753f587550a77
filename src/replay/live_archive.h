/*
 * An archive, also while it is being written. A thread of its own looks into the catalog four times
 * a second: what was committed since is put into an overlay of index.cdxj, and pages become known
 * by their URLs. When index.cdxj is written anew, the overlay begins again.
 *
 * Requests ask here for what the catalog knows of a page. The host's trust in Last-Modified
 * (proof/intervals.h) is known once all observations have been read.
 */
#ifndef REPLAY_LIVE_ARCHIVE_H
#define REPLAY_LIVE_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/lists.h"
#include "base/slice.h"
#include "catalog/catalog.h"
#include "proof/intervals.h"
#include "replay/collection.h"
#include "warc/attempt.h"
#include "warc/warc_header.h"

struct live_archive; /* opaque */

/* Opens the catalog of a collection that is an archive, and starts the thread. */
int live_archive_start(struct collection *c, const char *temporary, struct live_archive **ret,
	struct err *err) SP_MUST_CHECK;
void live_archive_stop(struct live_archive *l); /* NULL is fine */

/* A look at a page; valid for the call. */
struct live_archive_look {
	uint32_t capture;
	bool clock_was_set; /* meanwhile: no times of this capture can be relied on */
	const struct attempt *attempt;
};

typedef int live_archive_on_look(void *context, const struct live_archive_look *look);

/* Calls for every look at the page with this URL, capture by capture. 0, what call returned, … */
int live_archive_each_look(struct live_archive *l, slice url, live_archive_on_look *call,
	void *context, struct err *err) SP_MUST_CHECK;

/*
 * Calls with the URL of each requisite of the page in a capture, as far as they are known; an empty
 * one for each that was found but not kept.
 */
typedef int live_archive_on_url(void *context, slice url);
int live_archive_each_requisite(struct live_archive *l, slice url, uint32_t capture,
	live_archive_on_url *call, void *context, struct err *err) SP_MUST_CHECK;

/*
 * Appends the verdict on the page with this URL in a capture; nothing where there is none. 0, or as
 * the catalog's functions.
 */
int live_archive_verdict(struct live_archive *l, slice url, uint32_t capture, struct buf *ret,
	struct err *err) SP_MUST_CHECK;

/*
 * Appends the records that a row of a batch of looks stands for (warc/compact.h), by the number
 * of the batch and the id of its first record. 0, or as compact_look_read.
 */
int live_archive_read_row(struct live_archive *l, uint64_t batch,
	const unsigned char id[WARC_ID_BYTES], struct buf *records, struct err *err) SP_MUST_CHECK;

/* Whether nothing is known against the validators of a URL's host; false until that is known. */
bool live_archive_trusts(struct live_archive *l, slice url);

/* Notes that a page of the host was caught lying. */
void live_archive_distrust(struct live_archive *l, slice url, const struct validator_trust *trust);

#endif
