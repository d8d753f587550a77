#include "replay/record.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "formats/http_payload.h"
#include "formats/url_canonical.h"
#include "replay/collection.h"
#include "replay/live_archive.h"
#include "replay/memento.h"
#include "warc/cdxj.h"
#include "warc/compact.h"
#include "warc/warc_compress.h"
#include "warc/warc_date.h"
#include "warc/warc_header.h"
#include "warc/warc_reader.h"
#include "warc/zipnum.h"

/*
 * The record that has the body of a revisit record. Looked for in this order, always one with the
 * same payload digest where both are known:
 *
 *	(1) what WARC-Refers-To-Target-URI and WARC-Refers-To-Date name;
 *	(2) any response of that URI, the one nearest in time first;
 *	(3) any response of the revisit's own URI;
 *	(4) any response in the collection, by digest alone: the index is read for it, up to a
 *	    number of lines.
 */

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
	rc = cdxj_key(&key, url) ? 0 : mementos_find(s->c, buf_slice(&key), s->list, s->err);
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

/*
 * *ret_found is one of *list, which the caller releases in any case. 0, ERR_NOTFOUND, or as
 * mementos_find.
 */
static int original_find(struct collection *c, const struct memento *revisit,
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

enum {
	HEAD_ROOM = FIELDS_HEAD_MAX + 2 * WARC_WINDOW_SIZE, /* a head and what came with it */
	CHUNK_START = 16,         /* bytes that show whether a chunk begins */
	QUICK_MAX = 64 << 10,     /* bytes of a record in its file that is unpacked in one go */
	QUICK_ROOM_MAX = 1 << 20, /* and of what it holds */
};

/* One record in a file. */
struct part {
	int fd;              /* -1, or ours */
	struct buf unpacked; /* the whole record, if it was small */
	struct warc_reader *reader;
	const struct warc_record *record;
	struct buf start;       /* its first bytes: the head, and what came with it */
	struct payload payload; /* the head, taken apart */
	struct framing framing;
	bool is_http;
	slice wire; /* bytes of the block that wait to be read */
};

struct record {
	struct part own;
	struct part original; /* of a revisit: the record with its body */
	struct part *body;
	struct record_head head;
};

static void close_part(struct part *p)
{
	warc_reader_close(p->reader);
	buf_release(&p->start);
	buf_release(&p->unpacked);
	payload_release(&p->payload);
	if (p->fd >= 0)
		(void)close(p->fd);
}

/* An index that is older than the file may point to anything. */
static int check_record(const struct warc_record *rec, const struct memento *m, struct err *err)
{
	if (rec->is_gap)
		return err_set(err, ERR_SYNTAX, "%s", rec->problem.text);
	switch (rec->header.type) {
	case WARC_TYPE_RESPONSE:
	case WARC_TYPE_REVISIT:
	case WARC_TYPE_RESOURCE:
	case WARC_TYPE_CONVERSION:
	case WARC_TYPE_METADATA:
		if (slice_eq(rec->header.url, m->url))
			return 0;
		break;
	default:
		break;
	}
	return err_set(err, ERR_SYNTAX,
		"the record is of another page: the index does not fit the file; write it anew "
		"with 'stillpoint index'");
}

/* Reads up to the end of the HTTP head. */
static int read_head(struct part *p, struct err *err)
{
	size_t seen = 0, len = 0;
	slice block;
	int rc = 0;

	while (len == 0 && (rc = warc_reader_block(p->reader, &block, err)) == 0) {
		rc = err_code(err, buf_add(&p->start, block));
		if (rc)
			return rc == ERR_LIMIT ? err_set(err, ERR_SYNTAX, "its head is too long")
					       : rc;
		len = fields_find_end(buf_slice(&p->start), &seen);
	}
	if (rc && rc != ERR_END)
		return rc;
	if (len == 0)
		return p->start.len == 0 ? 0 : err_set(err, ERR_SYNTAX, "it has no HTTP head");
	payload_start_unchecked(&p->payload, PAYLOAD_HTTP);
	TRY(err_code(err, payload_feed(&p->payload, slice_sub(buf_slice(&p->start), 0, len))));
	framing_start(&p->framing, &p->payload);
	p->is_http = true;
	p->wire = slice_sub(buf_slice(&p->start), len, p->start.len);
	return 0;
}

/*
 * Some tools undo the chunked coding and leave the field that says it. What does not begin with the
 * size of a chunk is the body itself.
 */
static int check_chunks(struct part *p, struct err *err)
{
	struct http_chunked chunks = {0};
	slice block, data, rest;
	size_t head = p->start.len - p->wire.len;
	int rc = 0;

	while (p->start.len - head < CHUNK_START && rc == 0 &&
		(rc = warc_reader_block(p->reader, &block, err)) == 0)
		rc = err_code(err, buf_add(&p->start, block));
	if (rc && rc != ERR_END)
		return rc;
	p->wire = slice_sub(buf_slice(&p->start), head, p->start.len);
	rest = slice_sub(p->wire, 0, CHUNK_START);
	rc = 0;
	while (rc == 0 && rest.len > 0)
		rc = http_chunked_next(&chunks, &rest, &data);
	if (rc)
		framing_ignore_chunks(&p->framing);
	return 0;
}

/*
 * Unpacks a small record, as long as the index says, in one go: it takes half the time. False for
 * what is larger, no gzip member, damaged, or shorter or longer than that: the reader of files
 * knows more.
 */
static bool unpack(struct part *p, const struct warc_source *source, const struct memento *m)
{
	char packed[QUICK_MAX];
	ssize_t n;

	if (m->length == 0 || m->length > sizeof packed || source->fd < 0 ||
		(source->length && m->offset + m->length > source->length))
		return false;
	n = io_read_at(source->fd, packed, m->length, source->start + m->offset);
	buf_init(&p->unpacked, QUICK_ROOM_MAX);
	return n == (ssize_t)m->length &&
	       warc_gzip_unpack((slice){packed, m->length}, &p->unpacked) == 0;
}

/* A look that is a row of a batch comes as the records that it stands for: the first one shows it.
 */
static int open_reader(
	struct part *p, const struct collection *c, const struct memento *m, struct err *err)
{
	struct warc_source source = {.fd = -1};
	int rc;

	if (m->is_compact) {
		buf_init(&p->unpacked, COMPACT_EXPANDED_MAX);
		rc = live_archive_read_row(c->live, m->offset, m->id, &p->unpacked, err);
	} else {
		rc = collection_open_warc(c, m->filename, &source, &p->fd, err);
	}
	if (rc)
		return rc;
	if (m->is_compact || unpack(p, &source, m)) {
		source = (struct warc_source){.fd = -1, .memory = buf_slice(&p->unpacked)};
		return warc_reader_open_source(&source, WARC_READER_UNCHECKED, &p->reader, err);
	}
	rc = warc_reader_open_source(&source, WARC_READER_UNCHECKED, &p->reader, err);
	return rc ? rc : warc_reader_seek(p->reader, (struct warc_spot){.offset = m->offset}, err);
}

static int open_part(
	struct part *p, const struct collection *c, const struct memento *m, struct err *err)
{
	int rc = open_reader(p, c, m, err);

	buf_init(&p->start, HEAD_ROOM);
	if (rc)
		return rc;
	rc = warc_reader_next(p->reader, &p->record, err);
	if (rc == ERR_END || rc == ERR_RANGE)
		rc = err_set(err, ERR_SYNTAX, "the file ends before the record");
	if (rc == 0)
		rc = check_record(p->record, m, err);
	if (rc == 0 && payload_is_http(p->record->header.content_type))
		rc = read_head(p, err);
	if (rc == 0 && p->is_http && p->framing.kind == FRAMING_CHUNKED)
		rc = check_chunks(p, err);
	if (rc)
		err_prefix(err, "%.*s at %llu", slice_shown(m->filename, 200), m->filename.ptr,
			(unsigned long long)m->offset);
	return rc;
}

/* Finds and opens the record with the body of a revisit. */
static int open_original(
	struct record *r, struct collection *c, const struct memento *m, struct err *err)
{
	struct mementos found = {0};
	const struct memento *original = NULL;
	int rc = original_find(c, m, &r->own.record->header, &found, &original, err);

	if (rc == 0)
		rc = open_part(&r->original, c, original, err);
	if (rc == 0)
		r->body = &r->original;
	mementos_release(&found);
	return rc;
}

static bool is_not_modified(const struct warc_header *h)
{
	slice profile = fields_trim(warc_header_get(h, SLICE("WARC-Profile")));

	return slice_ends_with(profile, SLICE("server-not-modified"));
}

/* How many bytes the body has, where that can be told from head and header. */
static void find_size(struct record_head *head, const struct part *body)
{
	const struct warc_header *h = &body->record->header;
	uint64_t head_len = body->is_http ? body->payload.head.len : 0;

	if (!h->has_length || h->length < head_len)
		return;
	if (body->is_http && body->framing.kind == FRAMING_CHUNKED)
		return;
	head->has_size = true;
	head->size = h->length - head_len;
}

/* 1xx are no final answers, and what is above 999 is no status. */
static bool can_send(unsigned status)
{
	return status >= 200 && status <= 999;
}

/* The head is the record's own; a revisit without one has that of its original. */
static void fill_head(struct record *r)
{
	static const struct fields NONE = {0};
	const struct part *p = r->own.is_http || r->body == &r->own ? &r->own : r->body;
	const struct warc_header *own = &r->own.record->header;

	r->head = (struct record_head){
		.status = p->is_http && can_send(p->payload.status) ? p->payload.status : 200,
		.fields = p->is_http ? &p->payload.fields : &NONE,
		.content_type =
			p->is_http ? p->payload.content_type : p->record->header.content_type,
		.date = own->date,
		.is_http = p->is_http,
		.is_truncated =
			warc_header_get(&r->body->record->header, SLICE("WARC-Truncated")).len > 0,
		.is_not_modified = own->type == WARC_TYPE_REVISIT && is_not_modified(own),
	};
	/* The server's "304" has the fields of its answer, and the status of what it confirms. */
	if (r->head.is_not_modified && r->body != &r->own) {
		r->head.status = r->body->payload.status;
		r->head.fields = &r->body->payload.fields;
		r->head.content_type = r->body->payload.content_type;
	}
	find_size(&r->head, r->body);
}

static int open_record(struct collection *c, const struct memento *m, bool with_body,
	struct record **ret, struct err *err)
{
	struct record *r = mem_new(1, sizeof *r);
	int rc;

	r->own.fd = r->original.fd = -1;
	r->body = &r->own;
	rc = open_part(&r->own, c, m, err);
	if (rc == 0 && with_body && r->own.record->header.type == WARC_TYPE_REVISIT)
		rc = open_original(r, c, m, err);
	if (rc) {
		record_close(r);
		return rc;
	}
	fill_head(r);
	*ret = r;
	return 0;
}

int record_open(struct collection *c, const struct memento *m, struct record **ret, struct err *err)
{
	return open_record(c, m, true, ret, err);
}

int record_open_head(
	struct collection *c, const struct memento *m, struct record **ret, struct err *err)
{
	return open_record(c, m, false, ret, err);
}

void record_close(struct record *r)
{
	if (!r)
		return;
	close_part(&r->own);
	close_part(&r->original);
	free(r);
}

const struct record_head *record_head(const struct record *r)
{
	return &r->head;
}

int record_read(struct record *r, slice *ret, struct err *err)
{
	struct part *p = r->body;

	for (;;) {
		int rc;

		while (p->wire.len > 0) {
			slice piece = p->wire;

			if (p->is_http)
				piece = framing_next(&p->framing, &p->wire);
			else
				p->wire.len = 0;
			if (piece.len > 0) {
				*ret = piece;
				return 0;
			}
		}
		rc = warc_reader_block(p->reader, &p->wire, err);
		if (rc)
			return rc;
	}
}
