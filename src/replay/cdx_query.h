/*
 * Queries of the CDX server (/NAME/cdx?…), as pywb's users know them:
 *
 *	url=…             also "example.org/a*" (prefix) and "*.example.org" (domain)
 *	matchType=        exact, prefix, host, domain
 *	from=, to=        timestamps; partial ones count from their first, to their last instant
 *	closest=          timestamp: nearest first, unless sort says otherwise
 *	sort=             default (the index's order), reverse (also reverse=true), closest
 *	limit=N           negative: the last N
 *	filter=[!][=|~]FIELD:VALUE     may come again and again; contains, equals, matches
 *	fl=FIELD,…        the fields to print, in this order
 *	output=           cdxj, json, text
 *	collapseTime=N    of lines in a row with one key and status that agree in N digits
 *	resolveRevisits=true    revisits get type and status of the line with their body, and
 *	                  its place as orig.length, orig.offset and orig.filename
 *	page=, pageSize=, showNumPages=true
 *	resumeKey=, showResumeKey=true
 *
 * Pure: reading and matching. Who is asked for lines is replay/answer_cdx.c.
 */
#ifndef REPLAY_CDX_QUERY_H
#define REPLAY_CDX_QUERY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/slice.h"
#include "base/timestamp.h"
#include "base/vec.h"
#include "warc/cdxj.h"

enum {
	CDX_FILTERS_MAX = 32,
	CDX_PAGE_SIZE = 3000, /* lines, unless said */
	CDX_PAGE_SIZE_MAX = 1000000,
	CDX_QUERY_MAX = 64 << 10, /* bytes of a query */
};

enum cdx_match {
	CDX_EXACT,
	CDX_PREFIX,
	CDX_HOST,
	CDX_DOMAIN,
};

enum cdx_sort {
	CDX_SORT_DEFAULT,
	CDX_SORT_REVERSE,
	CDX_SORT_CLOSEST,
};

enum cdx_output {
	CDX_OUTPUT_CDXJ,
	CDX_OUTPUT_JSON,
	CDX_OUTPUT_TEXT,
};

enum cdx_field {
	CDX_URLKEY,
	CDX_TIMESTAMP,
	CDX_URL,
	CDX_MIME,
	CDX_STATUS,
	CDX_DIGEST,
	CDX_LENGTH,
	CDX_OFFSET,
	CDX_FILENAME,
	CDX_ORIG_LENGTH, /* these three only with resolveRevisits, unless asked for */
	CDX_ORIG_OFFSET,
	CDX_ORIG_FILENAME,
	CDX_FIELDS,
	CDX_PLAIN_FIELDS = CDX_ORIG_LENGTH,
};

/* A line, and of a revisit the one that has its body, if that is known. */
struct cdx_row {
	struct cdxj line;
	const struct cdxj *original; /* or NULL */
};

enum cdx_test {
	CDX_CONTAINS,
	CDX_EQUALS,
	CDX_MATCHES,
};

struct pattern;

struct cdx_filter {
	enum cdx_field field;
	enum cdx_test test;
	bool negated;
	slice value;
	struct pattern *pattern; /* of CDX_MATCHES */
};

/* Release in every case. Strings live in its arena. */
struct cdx_query {
	struct arena arena;
	slice url;
	enum cdx_match match;
	slice key; /* lines begin with it: see cdx_query_fits_key */
	bool has_from, has_to, has_closest, has_page, has_limit, has_fields;
	int64_t from, to, closest;
	enum cdx_sort sort;
	bool from_end;  /* the last `limit` ones */
	uint64_t limit; /* if has_limit */
	struct cdx_filter filters[CDX_FILTERS_MAX];
	size_t filter_count;
	enum cdx_field fields[CDX_FIELDS];
	size_t field_count;
	enum cdx_output output;
	unsigned collapse; /* digits; 0: none */
	uint64_t page, page_size;
	bool show_pages, show_resume, resolve;
	slice resume; /* ptr NULL for none */
};

/* Reads what stands behind the "?". 0, ERR_USAGE with one line, ERR_NOMEM. */
int cdx_query_parse(slice text, struct cdx_query *ret, struct err *err) SP_MUST_CHECK;
void cdx_query_release(struct cdx_query *q);

/* Where lines begin that can fit. */
slice cdx_query_start(const struct cdx_query *q);

/*
 * Whether a line's key is asked for. *ret_past is set when all later ones are behind what is asked
 * for.
 */
bool cdx_query_fits_key(const struct cdx_query *q, slice key, bool *ret_past);

/* Whether time and filters let a line through. */
bool cdx_query_fits(const struct cdx_query *q, const struct cdx_row *row, int64_t time);

/* Appends the line as asked for, with its end. 0 or as buf_add. */
struct buf;
int cdx_query_print(
	const struct cdx_query *q, const struct cdx_row *row, struct buf *out) SP_MUST_CHECK;

#endif
