#include "import/listing_warc.h"

#include "archive/compact_body.h"
#include "archive/warc_date.h"
#include "archive/warc_reader.h"
#include "archive/warc_set.h"
#include "base/tempfile.h"
#include "http/payload.h"
#include "http/served.h"

enum {
	HEAD_MAX = 256 << 10, /* bytes of a response's head; a longer one is not read */
	LOOK_MAX = 4 << 20,   /* strings of a compact look */
};

#define SECOND INT64_C(1000000000)

struct reader {
	struct warc_reader *warc;
	struct payload payload;
	struct buf head; /* a copy, since taking it apart changes it */
	struct fields fields;
	struct listing_counts *counts;
	listed_sink *sink;
	void *context;
};

/* What was cut, or is a part of something, has no digest that could be compared. */
static bool is_part(const struct warc_header *h)
{
	return warc_header_get(h, SLICE("WARC-Truncated")).ptr ||
	       warc_header_get(h, SLICE("WARC-Segment-Number")).ptr;
}

static bool is_capture(const struct warc_header *h)
{
	return (h->type == WARC_TYPE_RESPONSE || h->type == WARC_TYPE_RESOURCE ||
		       h->type == WARC_TYPE_REVISIT) &&
	       h->url.ptr && h->has_date;
}

static int compute(
	struct reader *r, const struct warc_header *h, listed_digest *ret, struct err *err)
{
	enum payload_form form = payload_is_http(h->content_type) ? PAYLOAD_HTTP : PAYLOAD_WHOLE;
	struct payload_digests digests;
	slice bytes;
	int rc = payload_start(&r->payload, form, DIGEST_SHA1);

	if (rc)
		return err_code(err, rc);
	while ((rc = warc_reader_block(r->warc, &bytes, err)) == 0) {
		rc = payload_feed(&r->payload, bytes);
		if (rc)
			return err_code(err, rc);
	}
	if (rc != ERR_END)
		return rc;
	rc = payload_finish(&r->payload, &digests);
	if (rc == 0 && r->payload.state != PAYLOAD_NO_HTTP)
		*ret = listed_digest_of(&digests.decoded);
	return err_code(err, rc);
}

/* What the server says of the page's age; a cache shows a page as it was when it was stored. */
static int read_head(struct reader *r, slice head, struct listed *o)
{
	struct served served;
	int rc;

	buf_reset(&r->head);
	rc = buf_add(&r->head, head);
	if (rc == 0 && head.len > 0)
		rc = fields_parse(&r->fields, r->head.ptr, r->head.len);
	if (rc || head.len == 0)
		return rc == ERR_LIMIT ? 0 : rc;
	served_read(&r->fields, o->time, &served);
	o->modified = served.modified;
	if (served.has_age && (int64_t)served.age < o->time / SECOND)
		o->time -= (int64_t)served.age * SECOND;
	return 0;
}

static int read_record(
	struct reader *r, const struct warc_record *record, struct listed *o, struct err *err)
{
	const struct warc_header *h = &record->header;
	slice stated = warc_header_get(h, SLICE("WARC-Payload-Digest"));
	int rc = 0;

	*o = (struct listed){.url = h->url, .time = h->date};
	if (is_part(h))
		o->digest = LISTED_NO_DIGEST;
	else if (stated.ptr)
		o->digest = listed_digest_parse(stated);
	else if (h->type != WARC_TYPE_REVISIT)
		rc = compute(r, h, &o->digest, err);
	if (rc == 0)
		rc = warc_reader_end(r->warc, err);
	o->status = record->status;
	if (rc == 0 && o->digest != LISTED_NO_DIGEST)
		rc = err_code(err, read_head(r, record->http_head, o));
	return rc;
}

/* Compact looks are captures, too. */
static int list_look(struct reader *r, const struct compact_look *look, struct err *err)
{
	struct listed o = {.url = look->attempt.url,
		.time = warc_date_truncate(look->attempt.wall.sent),
		.digest = listed_digest_of(&look->attempt.payload),
		.status = look->attempt.status};
	int rc = err_code(err, read_head(r, look->head, &o));

	r->counts->read++;
	return rc ? rc : r->sink(r->context, &o, err);
}

static int list_looks(struct reader *r, slice block, struct err *err)
{
	struct compact_rows rows;
	struct compact_look look;
	struct arena arena;
	int rc = compact_open(&rows, block, NULL);

	if (rc) {
		r->counts->bad++;
		return 0;
	}
	arena_init(&arena, LOOK_MAX);
	while (rc == 0 && (rc = compact_next(&rows, &arena, &look, NULL)) != ERR_END) {
		if (rc == 0) {
			rc = list_look(r, &look, err);
		} else {
			r->counts->bad++;
			rc = rc == ERR_NOMEM ? err_code(err, rc) : 0;
		}
		arena_reset(&arena);
	}
	arena_release(&arena);
	return rc == ERR_END ? 0 : rc;
}

static int read_looks(struct reader *r, const struct warc_record *record, struct err *err)
{
	struct buf block;
	int rc;

	buf_init(&block, COMPACT_BLOCK_MAX);
	rc = compact_block(r->warc, &block, err);
	if (rc == 0 && record->problem.code)
		r->counts->bad++;
	else if (rc == 0)
		rc = list_looks(r, buf_slice(&block), err);
	buf_release(&block);
	return rc;
}

static int read_records(struct reader *r, struct err *err)
{
	const struct warc_record *record;
	int rc;

	while ((rc = warc_reader_next(r->warc, &record, err)) == 0) {
		struct listed o;

		if (record->is_gap) {
			r->counts->bad++;
			continue;
		}
		if (compact_is_type(record->header.content_type)) {
			rc = read_looks(r, record, err);
			if (rc)
				return rc;
			continue;
		}
		if (!is_capture(&record->header))
			continue;
		rc = read_record(r, record, &o, err);
		if (rc)
			return rc;
		if (record->problem.code) {
			r->counts->bad++;
			continue;
		}
		r->counts->read++;
		rc = r->sink(r->context, &o, err);
		if (rc)
			return rc;
	}
	return rc == ERR_END ? 0 : rc;
}

static int read_file(void *context, const struct warc_set_file *file, struct err *err)
{
	struct reader *r = context;
	int rc = warc_reader_open_source(&file->source, WARC_READER_UNCHECKED, &r->warc, err);

	if (rc)
		return rc;
	rc = read_records(r, err);
	warc_reader_close(r->warc);
	return rc;
}

int listing_read_warc(const char *path, listed_sink *sink, void *context,
	struct listing_counts *counts, struct err *err)
{
	struct reader r = {.counts = counts, .sink = sink, .context = context};
	int rc;

	buf_init(&r.head, HEAD_MAX);
	rc = warc_set_each(path, tempfile_dir(), read_file, &r, err);
	payload_release(&r.payload);
	fields_release(&r.fields);
	buf_release(&r.head);
	return rc;
}
