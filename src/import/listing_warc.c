#include "import/listing_warc.h"

#include "archive/compact_body.h"
#include "archive/warc_date.h"
#include "archive/warc_reader.h"
#include "http/payload.h"

enum { LOOK_MAX = 4 << 20 };

struct reader {
	struct warc_reader *warc;
	struct payload payload;
	struct listing_counts *counts;
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
	return rc;
}

/* Compact looks are captures, too. */
static int list_looks(
	struct reader *r, slice block, listed_sink *sink, void *context, struct err *err)
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
		struct listed o;

		if (rc) {
			r->counts->bad++;
			rc = rc == ERR_NOMEM ? err_code(err, rc) : 0;
			continue;
		}
		o = (struct listed){.url = look.attempt.url,
			.time = warc_date_truncate(look.attempt.wall.sent),
			.digest = listed_digest_of(&look.attempt.payload),
			.status = look.attempt.status};
		r->counts->read++;
		rc = sink(context, &o, err);
		arena_reset(&arena);
	}
	arena_release(&arena);
	return rc == ERR_END ? 0 : rc;
}

static int read_looks(struct reader *r, const struct warc_record *record, listed_sink *sink,
	void *context, struct err *err)
{
	struct buf block;
	int rc;

	buf_init(&block, COMPACT_BLOCK_MAX);
	rc = compact_block(r->warc, &block, err);
	if (rc == 0 && record->problem.code)
		r->counts->bad++;
	else if (rc == 0)
		rc = list_looks(r, buf_slice(&block), sink, context, err);
	buf_release(&block);
	return rc;
}

static int read_records(struct reader *r, listed_sink *sink, void *context, struct err *err)
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
			rc = read_looks(r, record, sink, context, err);
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
		rc = sink(context, &o, err);
		if (rc)
			return rc;
	}
	return rc == ERR_END ? 0 : rc;
}

int listing_read_warc(const char *path, listed_sink *sink, void *context,
	struct listing_counts *counts, struct err *err)
{
	struct reader r = {.counts = counts};
	int rc = warc_reader_open(path, WARC_READER_UNCHECKED, &r.warc, err);

	if (rc)
		return rc;
	rc = read_records(&r, sink, context, err);
	warc_reader_close(r.warc);
	payload_release(&r.payload);
	return rc;
}
