/*
 * Captures that others made, from the files that list them: CDX, CDXJ, ZipNum-compressed indexes
 * (their blocks, or the index of the blocks, whose files must be beside it), TimeMaps, WARC and
 * WACZ files; and sitemaps and feeds, whose entries are no captures: they say when a page was last
 * modified, or how often. The bytes tell which it is, not the name. All may be gzip. Read as a
 * stream: memory does not grow with the file.
 *
 * They give change rates, and no more: nobody proves that a page was still between two captures.
 */
#ifndef ARCHIVE_LISTING_H
#define ARCHIVE_LISTING_H

#include "archive/listed.h"
#include "archive/text_input.h"
#include "base/api.h"

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

/* Both: 0, ERR_SYNTAX, ERR_LIMIT, as text_input_check, or what the sink returned. */
int timemap_read_links(struct text_input *in, listed_sink *sink, void *context,
	struct timemap_counts *counts, struct err *err) SP_MUST_CHECK;
int timemap_read_json(struct text_input *in, listed_sink *sink, void *context,
	struct timemap_counts *counts, struct err *err) SP_MUST_CHECK;

enum listing_format {
	LISTING_UNKNOWN,
	LISTING_CDX,
	LISTING_CDXJ,
	LISTING_ZIPNUM,
	LISTING_TIMEMAP,
	LISTING_WARC,
	LISTING_SITEMAP,
	LISTING_FORMATS,
};

/* "cdx", …; constant. Catalogs keep the numbers. */
const char *listing_format_name(enum listing_format format);

struct listing_counts {
	enum listing_format format;
	uint64_t read;      /* handed out */
	uint64_t bad;       /* lines or records that could not be read, and were passed over */
	uint64_t first_bad; /* the first such line, from 1; 0: none, or not of a line */
};

/*
 * Hands out all captures of a file ("-": standard input, but no WARC file, WACZ file or sitemap) in
 * its order. 0; ERR_IO; ERR_SYNTAX for a file that is none of these or damaged; ERR_LIMIT,
 * ERR_NOMEM; or what the sink returned. err has the file's name.
 */
int listing_read(const char *path, listed_sink *sink, void *context,
	struct listing_counts *ret_counts, struct err *err) SP_MUST_CHECK;

/*
 * The same for a descriptor, which is closed, with the answer of a server: CDX, CDXJ or a
 * TimeMap. name is for messages. *more gets where the list goes on.
 */
int listing_read_answer(int fd, const char *name, listed_sink *sink, void *context,
	struct listed_more *more, struct listing_counts *ret_counts, struct err *err) SP_MUST_CHECK;

#endif
