#include "export/packer.h"

#include <stdlib.h>
#include <string.h>

#include "archive/compact.h"
#include "archive/patch.h"
#include "archive/record_body.h"
#include "archive/same.h"
#include "archive/warc_date.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/vec.h"
#include "catalog/catalog_line.h"

enum { TEXTS_MAX = 8 << 20 };

#define RECORD_END "\r\n\r\n"
#define URLS_MAX   ((size_t)8 << 30)

/* The last record of a URL: what looks behind it are compared with. */
struct last {
	struct digest payload;
	struct same_key key;
	bool is_response; /* and then: */
	unsigned char id[WARC_ID_BYTES];
	uint64_t offset;
	int64_t date;
};

VEC_DECLARE(last_vec, struct last);

/* A record that waits for those that belong to it. */
struct held {
	struct buf bytes; /* empty: none */
	size_t head;      /* bytes of its header */
};

struct packer {
	struct packer_params to;
	struct held response, request;
	struct arena texts; /* of these */
	enum warc_type type;
	slice id, url, address, refers_to, refers_to_url;
	int64_t date, refers_to_date;
	struct digest payload;
	struct buf rows; /* of the record of looks under way */
	uint32_t row_count;
	int64_t rows_date;
	struct arena urls;
	struct strmap by_url; /* → last */
	struct last_vec last;
	struct buf body, patch, scratch;
	struct patch_maker patches;
};

int packer_open(const struct packer_params *params, struct packer **ret, struct err *err)
{
	struct packer *p = calloc(1, sizeof *p);

	if (!p)
		return err_code(err, ERR_NOMEM);
	p->to = *params;
	buf_init(&p->response.bytes, PACKER_RECORD_MAX + WARC_HEAD_MAX);
	buf_init(&p->request.bytes, PACKER_RECORD_MAX + WARC_HEAD_MAX);
	buf_init(&p->rows, COMPACT_BLOCK_MAX);
	buf_init(&p->body, PATCH_BYTES_MAX + FIELDS_HEAD_MAX);
	buf_init(&p->patch, COMPACT_ROW_MAX);
	buf_init(&p->scratch, 2 * COMPACT_BLOCK_MAX);
	arena_init(&p->texts, TEXTS_MAX);
	arena_init_small(&p->urls, URLS_MAX);
	strmap_init(&p->by_url, hash_key_random(), &p->urls);
	*ret = p;
	return 0;
}

void packer_close(struct packer *p)
{
	if (!p)
		return;
	buf_release(&p->response.bytes);
	buf_release(&p->request.bytes);
	buf_release(&p->rows);
	buf_release(&p->body);
	buf_release(&p->patch);
	buf_release(&p->scratch);
	patch_maker_release(&p->patches);
	last_vec_release(&p->last);
	strmap_release(&p->by_url);
	arena_release(&p->urls);
	arena_release(&p->texts);
	free(p);
}

static slice block_of(const struct held *h)
{
	size_t end = h->bytes.len ? h->bytes.len - (sizeof RECORD_END - 1) : 0;

	return slice_sub(buf_slice(&h->bytes), h->head, end);
}

static int hold(struct held *h, slice head, slice block, struct err *err)
{
	int rc;

	buf_reset(&h->bytes);
	h->head = head.len;
	rc = buf_add(&h->bytes, head);
	if (rc == 0)
		rc = buf_add(&h->bytes, block);
	return err_code(err, rc ? rc : buf_add_str(&h->bytes, RECORD_END));
}

/* ---- the last record of each URL ---- */

static struct last *last_of(struct packer *p, slice url)
{
	uint32_t at;

	return strmap_get(&p->by_url, url, &at) ? &p->last.ptr[at] : NULL;
}

static int note_last(struct packer *p, const struct last *last, struct err *err)
{
	struct last *known = last_of(p, p->url);
	int rc;

	if (known) {
		*known = *last;
		return 0;
	}
	rc = strmap_put(&p->by_url, p->url, (uint32_t)p->last.len);
	return err_code(err, rc ? rc : last_vec_push(&p->last, *last));
}

/* ---- writing ---- */

static int write_rows(struct packer *p, struct err *err)
{
	struct warc_entry entry = compact_entry(buf_slice(&p->rows), p->rows_date);
	struct warc_entry_facts facts = {0};
	struct digester d = {0};
	struct digest digest;
	uint64_t ignored;
	int rc;

	if (p->row_count == 0)
		return 0;
	rc = digester_start(&d, DIGEST_SHA256);
	if (rc == 0)
		rc = digester_feed(&d, entry.body);
	if (rc == 0)
		rc = digester_finish(&d, &digest);
	digester_release(&d);
	if (rc)
		return err_code(err, rc);
	warc_id_unpack(digest.bytes, &facts.id); /* the same rows make the same record */
	buf_reset(&p->scratch);
	rc = warc_entry_record(&entry, &facts, &p->scratch, err);
	if (rc == 0)
		rc = p->to.put(p->to.context, buf_slice(&p->scratch), &ignored, err);
	buf_reset(&p->rows);
	p->row_count = 0;
	return rc;
}

static void forget(struct packer *p)
{
	buf_reset(&p->response.bytes);
	buf_reset(&p->request.bytes);
	arena_reset(&p->texts);
	p->id = (slice){0};
}

/* What is held is no row. a: its attempt, if that is known. */
static int write_held(struct packer *p, const struct attempt *a, struct err *err)
{
	struct last last = {.payload = p->payload, .date = p->date};
	int rc = 0;

	last.is_response = p->type == WARC_TYPE_RESPONSE && warc_id_pack(p->id, last.id);
	if (a)
		last.key = same_key_of(a);
	if (p->response.bytes.len)
		rc = p->to.put(p->to.context, buf_slice(&p->response.bytes), &last.offset, err);
	if (rc == 0 && a && (p->type == WARC_TYPE_RESPONSE || p->type == WARC_TYPE_REVISIT))
		rc = note_last(p, &last, err);
	if (rc == 0 && p->request.bytes.len)
		rc = p->to.put(p->to.context, buf_slice(&p->request.bytes), &(uint64_t){0}, err);
	forget(p);
	return rc;
}

int packer_flush(struct packer *p, struct err *err)
{
	int rc = write_held(p, NULL, err);

	return rc ? rc : write_rows(p, err);
}

/* ---- rows ---- */

/* Whether a crawl would have made a row of it. */
static bool is_wanted(const struct packer *p, const struct last *last, const struct attempt *a)
{
	struct same_key key = same_key_of(a);
	struct warc_id id;

	if (a->post.ptr)
		return false;
	if (compact_id(a, &id) == 0 && slice_eq(p->id, slice_str(id.text)))
		return true;
	if (a->leg != ATTEMPT_REVISIT && a->leg != ATTEMPT_LOOK)
		return false;
	if (p->type == WARC_TYPE_REVISIT)
		return digest_eq(&last->payload, &p->payload) &&
		       same_compare(&last->key, &key) == SAME_BYTES;
	return same_compare(&last->key, &key) != SAME_NOT;
}

/* Whether the row says all that the metadata record says. */
static bool is_whole(struct packer *p, const struct attempt *a, slice metadata)
{
	buf_reset(&p->scratch);
	return p->date / CLOCK_NS_PER_SECOND == a->wall.sent / CLOCK_NS_PER_SECOND &&
	       slice_eq(a->url, p->url) && attempt_format(a, &p->scratch) == 0 &&
	       slice_eq(buf_slice(&p->scratch), metadata);
}

/* Splits the held response; false when it has no head. */
static bool split(const struct packer *p, slice *ret_head, slice *ret_body)
{
	slice block = block_of(&p->response);
	size_t from = 0, end = fields_find_end(block, &from);

	*ret_head = slice_sub(block, 0, end);
	*ret_body = slice_sub(block, end, block.len);
	return end > 0;
}

/* A patch against the last response of the page, if that saves half of the bytes. */
static bool make_patch(
	struct packer *p, const struct last *last, slice body, struct compact_look *look)
{
	struct record_place place = {slice_str(p->to.now), last->offset, {0}};
	struct err ignored = {0};
	struct warc_id *id = ARENA_NEW(&p->texts, struct warc_id);

	if (!last->is_response || !id)
		return false;
	warc_id_unpack(last->id, id);
	place.id = slice_str(id->text);
	buf_reset(&p->body);
	buf_reset(&p->patch);
	if (record_body_read(p->to.dir, &place, WARC_READER_UNCHECKED, &p->body, &ignored) ||
		patch_make(&p->patches, buf_slice(&p->body), body, &p->patch) ||
		p->patch.len > body.len / 2)
		return false;
	look->is_patch = true;
	look->patch = buf_slice(&p->patch);
	look->body_size = body.len;
	look->file = p->to.file;
	look->offset = last->offset;
	look->attempt.original =
		(struct attempt_original){.record = place.id, .url = p->url, .date = last->date};
	return true;
}

static int add_row(struct packer *p, const struct compact_look *look, struct err *err)
{
	int rc = p->rows.len ? 0 : buf_add(&p->rows, SLICE(COMPACT_FIRST));

	if (rc == 0)
		rc = compact_add(look, &p->rows);
	if (rc == ERR_NOMEM)
		return err_code(err, rc);
	if (rc) /* it stays as it is */
		return rc;
	p->row_count++;
	p->rows_date = look->attempt.wall.sent;
	forget(p);
	return p->row_count == COMPACT_LOOKS_MAX || p->rows.len >= COMPACT_BLOCK_FULL
		       ? write_rows(p, err)
		       : 0;
}

/* The three records as a row; *ret_done unless they are none. */
static int pack(
	struct packer *p, const struct attempt *a, slice metadata, bool *ret_done, struct err *err)
{
	struct compact_look look = {
		.attempt = *a, .address = p->address, .request = block_of(&p->request)};
	const struct last *last = last_of(p, p->url);
	slice body;
	int rc;

	if (!last || !is_wanted(p, last, a) || !is_whole(p, a, metadata) ||
		!split(p, &look.head, &body))
		return 0;
	look.attempt.has_payload = true;
	look.attempt.payload = p->payload;
	look.attempt.is_revisit = p->type == WARC_TYPE_REVISIT;
	if (p->type == WARC_TYPE_REVISIT)
		look.attempt.original = (struct attempt_original){
			.record = p->refers_to, .url = p->refers_to_url, .date = p->refers_to_date};
	else if (!make_patch(p, last, body, &look))
		return 0;
	rc = add_row(p, &look, err);
	*ret_done = rc == 0;
	return rc == ERR_RANGE || rc == ERR_LIMIT || rc == ERR_SYNTAX ? 0 : rc;
}

/* ---- records ---- */

static slice keep_text(struct packer *p, slice text)
{
	slice trimmed = fields_trim(text);

	return trimmed.ptr ? (slice){arena_strdup(&p->texts, trimmed), trimmed.len} : trimmed;
}

static int hold_response(
	struct packer *p, const struct warc_header *h, slice head, slice block, struct err *err)
{
	slice date = warc_header_get(h, SLICE("WARC-Refers-To-Date"));

	p->type = h->type;
	p->id = keep_text(p, warc_header_get(h, SLICE("WARC-Record-ID")));
	p->url = keep_text(p, h->url);
	p->address = keep_text(p, warc_header_get(h, SLICE("WARC-IP-Address")));
	p->refers_to = keep_text(p, warc_header_get(h, SLICE("WARC-Refers-To")));
	p->refers_to_url = keep_text(p, warc_header_uri(h, SLICE("WARC-Refers-To-Target-URI")));
	p->date = h->date;
	p->refers_to_date = 0;
	if (date.ptr && warc_date_parse(date, &p->refers_to_date))
		p->refers_to_date = 0;
	if (digest_parse(warc_header_get(h, SLICE("WARC-Payload-Digest")), &p->payload))
		p->id = (slice){0}; /* not one of ours */
	return hold(&p->response, head, block, err);
}

static bool belongs(const struct packer *p, const struct warc_header *h)
{
	return p->id.len &&
	       slice_eq(fields_trim(warc_header_get(h, SLICE("WARC-Concurrent-To"))), p->id);
}

static int put(struct packer *p, slice head, slice block, struct err *err)
{
	struct held *h = &p->response; /* nothing is held */
	int rc = hold(h, head, block, err);

	if (rc == 0)
		rc = p->to.put(p->to.context, buf_slice(&h->bytes), &(uint64_t){0}, err);
	buf_reset(&h->bytes);
	return rc;
}

static int end_exchange(struct packer *p, slice head, slice block, struct err *err)
{
	struct attempt a;
	bool done = false, has_attempt;
	int rc = attempt_parse(block, p->url, &p->texts, &a, NULL);

	if (rc == ERR_NOMEM)
		return err_code(err, rc);
	has_attempt = rc == 0;
	rc = has_attempt ? pack(p, &a, block, &done, err) : 0;
	if (rc || done)
		return rc;
	rc = write_held(p, has_attempt ? &a : NULL, err);
	return rc ? rc : put(p, head, block, err);
}

int packer_add(
	struct packer *p, const struct warc_header *h, slice head, slice block, struct err *err)
{
	bool is_note =
		h->type == WARC_TYPE_METADATA && !slice_eq(h->url, SLICE(CATALOG_TABLE_TARGET)) &&
		!slice_starts_with(block, SLICE("capture:")); /* an attempt without records */
	int rc;

	if (h->type == WARC_TYPE_REQUEST && belongs(p, h) && !p->request.bytes.len)
		return hold(&p->request, head, block, err);
	if (h->type == WARC_TYPE_METADATA && belongs(p, h))
		return end_exchange(p, head, block, err);
	/* Looks come before the end of their capture, and before what a file begins with. */
	rc = h->type == WARC_TYPE_WARCINFO || is_note ? packer_flush(p, err)
						      : write_held(p, NULL, err);
	if (rc)
		return rc;
	if (h->type == WARC_TYPE_RESPONSE || h->type == WARC_TYPE_REVISIT)
		return hold_response(p, h, head, block, err);
	return put(p, head, block, err);
}
