#include "replay/original.h"

#include <string.h>

#include "archive/cdxj_record.h"
#include "archive/cdxj_scan.h"
#include "archive/warc_date.h"
#include "url/canonical.h"

enum { SCAN_MAX = 2000000 }; /* lines read for a digest: a request must come to an end */

struct search {
	struct collection *c;
	slice digest; /* without its algorithm; ptr NULL when unknown */
	int64_t date; /* wanted */
	struct mementos *list;
	struct err *err;
};

static slice without_algorithm(slice digest)
{
	const char *colon = digest.len ? memchr(digest.ptr, ':', digest.len) : NULL;

	return colon ? slice_sub(digest, (size_t)(colon - digest.ptr) + 1, digest.len) : digest;
}

static bool fits(const struct search *s, const struct memento *m)
{
	if (m->is_revisit)
		return false;
	return !s->digest.ptr || !m->digest.ptr ||
	       slice_eq(without_algorithm(m->digest), s->digest);
}

static int64_t distance(int64_t a, int64_t b)
{
	return a < b ? b - a : a - b;
}

/* The nearest in time of those that fit. A digest that is unknown is no proof: those come last. */
static const struct memento *nearest(const struct search *s)
{
	const struct memento *best = NULL;

	for (size_t i = 0; i < s->list->list.len; i++) {
		const struct memento *m = &s->list->list.ptr[i];

		if (!fits(s, m))
			continue;
		if (!best || distance(m->time, s->date) < distance(best->time, s->date))
			best = m;
	}
	return best;
}

static int look_up(struct search *s, slice url, const struct memento **ret)
{
	struct buf key;
	int rc;

	mementos_release(s->list);
	*s->list = (struct mementos){0};
	buf_init(&key, URL_CANONICAL_MAX);
	rc = cdxj_key(&key, url);
	if (rc == 0)
		rc = mementos_find(s->c, buf_slice(&key), s->list, s->err);
	else
		rc = rc == ERR_NOMEM ? err_code(s->err, rc) : 0;
	buf_release(&key);
	*ret = rc ? NULL : nearest(s);
	return rc;
}

/* (4): the key of a line with this digest. */
static int find_digest(struct search *s, struct buf *ret_key)
{
	struct index_set *set = collection_indexes(s->c);
	struct cdxj_scan *scan = NULL;
	bool found = false;
	struct buf scratch;
	struct cdxj parsed;
	slice line;
	int rc = cdxj_scan_open(set->sources.ptr, set->sources.len, SLICE(""), &scan, s->err);

	buf_init(&scratch, CDXJ_LINE_MAX);
	for (size_t i = 0; rc == 0 && !found && i < SCAN_MAX; i++) {
		rc = cdxj_scan_next(scan, &line, s->err);
		if (rc)
			break;
		if (!memmem(line.ptr, line.len, s->digest.ptr, s->digest.len) ||
			cdxj_parse(line, &scratch, &parsed) || !parsed.has_place ||
			slice_eq(parsed.mime, SLICE("warc/revisit")) ||
			!slice_eq(without_algorithm(parsed.digest), s->digest))
			continue;
		found = true;
		rc = err_code(s->err, buf_add(ret_key, parsed.key));
	}
	buf_release(&scratch);
	cdxj_scan_close(scan);
	index_set_drop(set);
	return rc == ERR_END ? 0 : rc;
}

static int by_digest(struct search *s, const struct memento **ret)
{
	struct buf key;
	int rc;

	if (!s->digest.ptr || s->digest.len == 0)
		return 0;
	mementos_release(s->list);
	*s->list = (struct mementos){0};
	buf_init(&key, URL_CANONICAL_MAX);
	rc = find_digest(s, &key);
	if (rc == 0 && key.len)
		rc = mementos_find(s->c, buf_slice(&key), s->list, s->err);
	buf_release(&key);
	*ret = rc ? NULL : nearest(s);
	return rc;
}

int original_find(struct collection *c, const struct memento *revisit,
	const struct warc_header *header, struct mementos *list, const struct memento **ret_found,
	struct err *err)
{
	struct search s = {.c = c, .date = revisit->time, .list = list, .err = err};
	slice digest = fields_trim(warc_header_get(header, SLICE("WARC-Payload-Digest")));
	slice url = warc_header_uri(header, SLICE("WARC-Refers-To-Target-URI"));
	slice date = fields_trim(warc_header_get(header, SLICE("WARC-Refers-To-Date")));
	int rc = 0;

	s.digest = without_algorithm(digest.ptr ? digest : revisit->digest);
	if (date.ptr && warc_date_parse(date, &s.date))
		s.date = revisit->time;
	/* The digest of a 304 is that of nothing. */
	if (slice_ends_with(fields_trim(warc_header_get(header, SLICE("WARC-Profile"))),
		    SLICE("server-not-modified")))
		s.digest = (slice){0};
	*ret_found = NULL;
	if (url.ptr)
		rc = look_up(&s, url, ret_found);
	if (rc == 0 && !*ret_found)
		rc = look_up(&s, revisit->url, ret_found);
	if (rc == 0 && !*ret_found)
		rc = by_digest(&s, ret_found);
	if (rc == 0 && !*ret_found)
		rc = err_set(err, ERR_NOTFOUND,
			"the record that this revisit record refers to is not in the collection");
	return rc;
}
