/*
 * TimeMaps (RFC 7089): when a page was captured. They have no digests, so nothing follows about
 * changes; what they give are times.
 *
 * In link format (application/link-format, RFC 6690): <URI>; rel="original", <URI>; rel="memento";
 * datetime="Sun, 06 Nov 1994 08:49:37 GMT", …
 *
 * In JSON, three kinds that are in use:
 *	{"original_uri": URL, "mementos": {"list": [{"datetime": …, "uri": …}, …]}}
 *	[["urlkey","timestamp","original",…], [row], …]		CDX servers; with digests
 *	{"url": URL, "timestamp": "2016…", "digest": …}		one object for each capture
 */
#ifndef ARCHIVE_TIMEMAP_H
#define ARCHIVE_TIMEMAP_H

#include "archive/listed.h"
#include "archive/text_input.h"
#include "base/api.h"

enum {
	TIMEMAP_TEXT_MAX = 64 << 10, /* bytes of a URI or string; longer ones are unreadable */
	TIMEMAP_DEPTH_MAX = 32,      /* nested values */
	TIMEMAP_COLUMNS_MAX = 64,
};

/* Captures that were handed out, and those that could not be read. */
struct timemap_counts {
	uint64_t read, bad;
	struct listed_more *more; /* borrowed; NULL: not wanted */
};

/* Both: 0, ERR_SYNTAX, ERR_LIMIT, ERR_NOMEM, as text_input_check, or what the sink returned. */
int timemap_read_links(struct text_input *in, listed_sink *sink, void *context,
	struct timemap_counts *counts, struct err *err) SP_MUST_CHECK;
int timemap_read_json(struct text_input *in, listed_sink *sink, void *context,
	struct timemap_counts *counts, struct err *err) SP_MUST_CHECK;

#endif
