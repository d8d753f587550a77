#include "archive/export_copier.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/export.h"
#include "base/api.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/lists.h"
#include "base/mem.h"
#include "base/slice.h"
#include "base/vec.h"
#include "base/word.h"
#include "catalog/catalog_line.h"
#include "formats/http_fields.h"
#include "formats/http_payload.h"
#include "warc/attempt.h"
#include "warc/compact.h"
#include "warc/record_body.h"
#include "warc/warc_compress.h"
#include "warc/warc_date.h"
#include "warc/warc_reader.h"
#include "warc/warc_request.h"

/*
 * Records of looks as compact looks (warc/compact.h): the way back from what copier.h makes of
 * these. A response or revisit record, its request and its metadata, or a revisit record with all
 * of it in its header, become a row when nothing of them is lost by it, and when a crawl would have
 * made a row of them, too:
 *
 *	- they were a row before: their names say so;
 *	- or it is a revisit, or a look of a watch, with the state of the record of its page before
 *	  it or, as the rules against noise have it, with the same content.
 *
 * So all versions of a page stay records. The names of the records follow from the attempt in
 * a row, so those of records that were none before change.
 */

enum { PACKER_RECORD_MAX = 9 << 20 }; /* bytes of a record's block that it takes */

/* Writes a record, which is given uncompressed; *ret_offset is where it begins. 0 or an error. */
typedef int packer_put(void *context, slice record, uint64_t *ret_offset, struct err *err);

struct packer_params {
	const char *dir; /* where the output is written, … */
	const char *now; /* … its name there, … */
	slice file;      /* … and the one that it will have, by which patches know it */
	packer_put *put;
	void *context;
};

enum { TEXTS_MAX = 8 << 20 };

#define PACKER_RECORD_END "\r\n\r\n"
#define URLS_MAX          ((size_t)8 << 30)

/* The last record of a URL: what looks behind it are compared with. */
struct last {
	struct digest payload;
	struct same_key key;
	bool is_response; /* and then: */
	unsigned char id[WARC_ID_BYTES];
	uint64_t offset;
	int64_t date;
	unsigned status;
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
	struct strmap forms; /* of requests, by file and number → their texts */
	struct slice_vec form_texts;
};

/* params are copied, strings borrowed. */
static struct packer *packer_open(const struct packer_params *params)
{
	struct packer *p = mem_new(1, sizeof *p);

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
	strmap_init(&p->forms, hash_key_random(), &p->urls);
	return p;
}

static void packer_close(struct packer *p)
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
	strmap_release(&p->forms);
	slice_vec_release(&p->form_texts);
	arena_release(&p->urls);
	arena_release(&p->texts);
	free(p);
}

static slice block_of(const struct held *h)
{
	size_t end = h->bytes.len ? h->bytes.len - (sizeof PACKER_RECORD_END - 1) : 0;

	return slice_sub(buf_slice(&h->bytes), h->head, end);
}

static int hold(struct held *h, slice head, slice block, struct err *err)
{
	buf_reset(&h->bytes);
	h->head = head.len;
	buf_add(&h->bytes, head);
	buf_add(&h->bytes, block);
	return err_code(err, buf_add_str(&h->bytes, PACKER_RECORD_END));
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

	if (known) {
		*known = *last;
		return 0;
	}
	TRY(err_code(err, strmap_put(&p->by_url, p->url, (uint32_t)p->last.len)));
	last_vec_push(&p->last, *last);
	return 0;
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
	if (rc)
		return err_code(err, rc);
	digester_feed(&d, entry.body);
	digester_finish(&d, &digest);
	digester_release(&d);
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
	if (a) {
		last.key = same_key_of(a);
		last.status = a->status;
	}
	if (p->response.bytes.len)
		rc = p->to.put(p->to.context, buf_slice(&p->response.bytes), &last.offset, err);
	if (rc == 0 && a && (p->type == WARC_TYPE_RESPONSE || p->type == WARC_TYPE_REVISIT))
		rc = note_last(p, &last, err);
	if (rc == 0 && p->request.bytes.len)
		rc = p->to.put(p->to.context, buf_slice(&p->request.bytes), &(uint64_t){0}, err);
	forget(p);
	return rc;
}

/* Writes all that is held. As above. */
static SP_MUST_CHECK int packer_flush(struct packer *p, struct err *err)
{
	TRY(write_held(p, NULL, err));
	return write_rows(p, err);
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
	if (p->type == WARC_TYPE_REVISIT && !a->has_state) /* it is in the record's header */
		return digest_eq(&last->payload, &p->payload) && last->status == a->status;
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
static bool packer_split(const struct packer *p, slice *ret_head, slice *ret_body)
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
	struct warc_id *id;

	if (!last->is_response)
		return false;
	id = ARENA_NEED(&p->texts, struct warc_id);
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
	int rc;

	if (p->rows.len == 0)
		buf_add(&p->rows, SLICE(COMPACT_FIRST));
	rc = compact_add(look, &p->rows);
	if (rc) /* it stays as it is */
		return rc;
	p->row_count++;
	p->rows_date = look->attempt.wall.sent;
	forget(p);
	return p->row_count == COMPACT_LOOKS_MAX || p->rows.len >= COMPACT_BLOCK_FULL
		       ? write_rows(p, err)
		       : 0;
}

/* The records as a row; *ret_done unless they are none. metadata: NULL when there is no record of
 * it. */
static int pack(struct packer *p, const struct attempt *a, slice request, const slice *metadata,
	bool *ret_done, struct err *err)
{
	struct compact_look look = {.attempt = *a, .address = p->address, .request = request};
	const struct last *last = last_of(p, p->url);
	slice body;
	int rc;

	if (!last || !is_wanted(p, last, a) || (metadata && !is_whole(p, a, *metadata)) ||
		!packer_split(p, &look.head, &body))
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
	return arena_keep(&p->texts, fields_trim(text));
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
	bool done = false, has_attempt = attempt_parse(block, p->url, &p->texts, &a, NULL) == 0;
	int rc = has_attempt ? pack(p, &a, block_of(&p->request), &block, &done, err) : 0;

	if (rc || done)
		return rc;
	rc = write_held(p, has_attempt ? &a : NULL, err);
	return rc ? rc : put(p, head, block, err);
}

/* ---- one record ---- */

/* The key of a form: its number in the file that it was first written to. */
static slice name_form(struct packer *p, const struct warc_header *h, unsigned number)
{
	slice info = fields_trim(warc_header_get(h, SLICE("WARC-Warcinfo-ID")));

	buf_reset(&p->scratch);
	buf_printf(&p->scratch, "%u %.*s", number, (int)info.len, info.ptr);
	return buf_slice(&p->scratch);
}

static int keep_form(struct packer *p, const struct warc_header *h, slice form)
{
	slice first = SLICE(REQUEST_FORM_FIRST);
	unsigned number;

	if (!request_form_number(h, &number) || !slice_starts_with(form, first))
		return 0;
	if (!strmap_add(&p->forms, name_form(p, h, number), (uint32_t)p->form_texts.len))
		return 0;
	slice_vec_push(&p->form_texts, arena_keep(&p->urls, slice_sub(form, first.len, form.len)));
	return arena_full(&p->urls) ? ERR_LIMIT : 0;
}

/* The request of the look that is held, in p->body: ERR_NOTFOUND when its form is not there. */
static int make_request(struct packer *p, const struct warc_header *h, unsigned form)
{
	uint32_t at;

	buf_reset(&p->body);
	if (form == 0)
		return 0;
	if (!strmap_get(&p->forms, name_form(p, h, form), &at))
		return ERR_NOTFOUND;
	return request_form_fill(p->form_texts.ptr[at], h->url, &p->body);
}

/* A record that has its attempt in its header is held. */
static int end_record(struct packer *p, const struct warc_header *h, struct err *err)
{
	struct attempt a;
	unsigned form;
	bool done = false, has_attempt = attempt_parse_header(h, &p->texts, &a, &form, NULL) == 0;
	int rc = 0;

	if (has_attempt && p->type == WARC_TYPE_REVISIT && make_request(p, h, form) == 0)
		rc = pack(p, &a, buf_slice(&p->body), NULL, &done, err);
	return rc || done ? rc : write_held(p, has_attempt ? &a : NULL, err);
}

/*
 * The next record: its header as text with the empty line, and its block. It is written, or held
 * until it is clear what becomes of it. 0, ERR_LIMIT, or what put returned.
 */
static SP_MUST_CHECK int packer_add(
	struct packer *p, const struct warc_header *h, slice head, slice block, struct err *err)
{
	bool is_form = request_form_is(h);
	bool is_note =
		h->type == WARC_TYPE_METADATA && !slice_eq(h->url, SLICE(CATALOG_TABLE_TARGET)) &&
		!is_form &&
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
	if (h->type == WARC_TYPE_RESPONSE || h->type == WARC_TYPE_REVISIT) {
		rc = hold_response(p, h, head, block, err);
		return rc || !attempt_is_in_header(h) ? rc : end_record(p, h, err);
	}
	if (is_form)
		rc = err_code(err, keep_form(p, h, block));
	return rc ? rc : put(p, head, block, err);
}

/* Both directions in one list: a field of the other one does no harm. */
static const slice SECRETS[] = {
	SLICE_INIT("authorization"),
	SLICE_INIT("cookie"),
	SLICE_INIT("cookie2"),
	SLICE_INIT("proxy-authorization"),
	SLICE_INIT("set-cookie"),
	SLICE_INIT("set-cookie2"),
};

enum {
	SECRET_COUNT = sizeof SECRETS / sizeof SECRETS[0],
	/* A value of no bytes grows by the mark, so a head of short fields may double. */
	REDACTED_MAX = 8 * FIELDS_HEAD_MAX,
};

#define RECORD_END "\r\n\r\n"

struct copier {
	const struct export_params *params;
	struct warc_compress *compress;
	int spool;           /* a file without a name: the block behind its HTTP head */
	uint64_t spooled;    /* bytes of it */
	struct buf http;     /* the HTTP head, as it was read */
	struct buf redacted; /* and without secrets */
	struct buf found;    /* names of the fields that were replaced */
	struct buf head;     /* of the record */
	struct digester digester;

	/* Of compact looks: */
	struct packer *packer; /* NULL: there are none */
	const struct output *out;
	export_emit *emit;
	void *context;
	uint64_t written; /* bytes */
	struct buf block;
	struct buf dir;
};

int copier_open(enum warc_coding coding, const struct export_params *params, struct copier **ret,
	struct err *err)
{
	struct copier *r = mem_new(1, sizeof *r);
	int rc = 0;

	r->params = params;
	buf_init(&r->http, FIELDS_HEAD_MAX + WARC_WINDOW_SIZE);
	buf_init(&r->redacted, REDACTED_MAX);
	buf_init(&r->found, 4096);
	buf_init(&r->head, 2 * WARC_HEAD_MAX);
	buf_init(&r->block, PACKER_RECORD_MAX);
	buf_init(&r->dir, PATH_MAX);
	r->spool = tempfile_open(params->temporary);
	if (r->spool < 0)
		rc = err_set(err, ERR_IO, "%s: no temporary file: %s", params->temporary,
			strerror(errno));
	if (rc == 0)
		rc = warc_compress_open(coding, 0, &r->compress, err);
	if (rc)
		copier_close(r);
	else
		*ret = r;
	return rc;
}

void copier_close(struct copier *r)
{
	if (!r)
		return;
	if (r->spool >= 0)
		(void)close(r->spool);
	warc_compress_close(r->compress);
	buf_release(&r->http);
	buf_release(&r->redacted);
	buf_release(&r->found);
	buf_release(&r->head);
	digester_release(&r->digester);
	packer_close(r->packer);
	buf_release(&r->block);
	buf_release(&r->dir);
	free(r);
}

/* ---- reading ---- */

static int spool(struct copier *r, slice bytes, struct err *err)
{
	if (io_write_at(r->spool, bytes.ptr, bytes.len, r->spooled))
		return err_set(err, ERR_IO, "a temporary file: %s", strerror(errno));
	r->spooled += bytes.len;
	return 0;
}

/* A block without the end of a head is all head, as far as a head may reach. */
static int read_block(struct copier *r, struct warc_reader *reader, bool has_head, struct err *err)
{
	size_t from = 0, end;
	slice bytes;
	int rc;

	while ((rc = warc_reader_block(reader, &bytes, err)) == 0) {
		rc = has_head ? err_code(err, buf_add(&r->http, bytes)) : spool(r, bytes, err);
		if (rc)
			return rc;
		end = has_head ? fields_find_end(buf_slice(&r->http), &from) : 0;
		if (has_head && (end > 0 || r->http.len >= FIELDS_HEAD_MAX)) {
			/* What is behind its end is spooled. */
			end = end ? end : r->http.len;
			has_head = false;
			rc = spool(r, slice_sub(buf_slice(&r->http), end, r->http.len), err);
			buf_truncate(&r->http, end);
		}
		if (rc)
			return rc;
	}
	return rc == ERR_END ? 0 : rc;
}

static bool has_http_head(const struct warc_record *rec)
{
	return !rec->is_gap &&
	       (rec->header.type == WARC_TYPE_REQUEST || rec->header.type == WARC_TYPE_RESPONSE ||
		       payload_is_http(rec->header.content_type) || request_form_is(&rec->header));
}

/* ---- writing ---- */

typedef int block_call(void *context, slice bytes, struct err *err);

static slice new_http(const struct copier *r)
{
	return buf_slice(r->found.len ? &r->redacted : &r->http);
}

/* The new block, piece by piece. */
static int each_piece(struct copier *r, block_call *call, void *context, struct err *err)
{
	TRY(call(context, new_http(r), err));
	return export_copy(&(struct warc_source){.fd = r->spool}, r->spooled, call, context, err);
}

static int digest_piece(void *context, slice bytes, struct err *err)
{
	(void)err;
	digester_feed(context, bytes);
	return 0;
}

static int compress_piece(void *context, slice bytes, struct err *err)
{
	return warc_compress_feed(context, bytes, err);
}

static int add_digest(struct copier *r, struct err *err)
{
	char text[DIGEST_TEXT_SIZE];
	struct digest digest;

	TRY(err_code(err, digester_start(&r->digester, DIGEST_SHA256)));
	TRY(each_piece(r, digest_piece, &r->digester, err));
	digester_finish(&r->digester, &digest);
	(void)digest_format(&digest, text);
	TRY(err_code(err, warc_header_add(&r->head, SLICE("WARC-Block-Digest"), slice_str(text))));
	return err_code(
		err, warc_header_add(&r->head, SLICE("WARC-Redacted"), buf_slice(&r->found)));
}

static int format_head(struct copier *r, const struct warc_header *h, struct err *err)
{
	uint64_t size = new_http(r).len + r->spooled;
	int rc = 0;

	buf_printf(&r->head, "WARC/%u.%u\r\n", h->version / 100, h->version % 100);
	for (size_t i = 0; rc == 0 && i < h->fields.items.len; i++) {
		const struct field *f = &h->fields.items.ptr[i];
		size_t before = r->head.len;

		if (word_is(f->name, SLICE("content-length")) ||
			(r->found.len && word_is(f->name, SLICE("warc-block-digest"))))
			continue;
		rc = warc_header_add(&r->head, f->name, f->value);
		if (rc == ERR_SYNTAX) { /* no reader could have made use of it */
			buf_truncate(&r->head, before);
			rc = 0;
		}
	}
	buf_printf(&r->head, "Content-Length: %llu\r\n", (unsigned long long)size);
	rc = err_code(err, rc);
	if (rc == 0 && r->found.len)
		rc = add_digest(r, err);
	return rc ? rc : err_code(err, buf_add_str(&r->head, "\r\n"));
}

static int write_record(struct copier *r, export_emit *emit, void *context, struct err *err)
{
	uint64_t size = r->head.len + new_http(r).len + r->spooled + sizeof RECORD_END - 1;

	warc_compress_begin(r->compress, size, emit, context);
	TRY(warc_compress_feed(r->compress, buf_slice(&r->head), err));
	TRY(each_piece(r, compress_piece, r->compress, err));
	TRY(warc_compress_feed(r->compress, SLICE(RECORD_END), err));
	return warc_compress_end(r->compress, err);
}

/* ---- compact looks ---- */

static int count_bytes(void *context, slice bytes, struct err *err)
{
	struct copier *r = context;

	r->written += bytes.len;
	return r->emit(r->context, bytes, err);
}

/* What is written must be there to be read: patches are made against it. */
static int put_packed(void *context, slice record, uint64_t *ret_offset, struct err *err)
{
	struct copier *r = context;

	*ret_offset = r->written;
	TRY(warc_compress_record(r->compress, record, count_bytes, r, err));
	if (fflush(r->out->file))
		TRY(output_fail(r->out, err));
	return 0;
}

int copier_pack(struct copier *r, const struct output *out, export_emit *emit, void *context,
	struct err *err)
{
	const char *slash = strrchr(out->path, '/'), *now = strrchr(out->new_path, '/');
	int rc = err_code(err, compact_dir(out->path, &r->dir));

	r->out = out;
	r->emit = emit;
	r->context = context;
	if (rc == 0)
		r->packer = packer_open(
			&(struct packer_params){.dir = r->dir.len ? buf_str(&r->dir) : "/",
				.now = now ? now + 1 : out->new_path,
				.file = slice_str(slash ? slash + 1 : out->path),
				.put = put_packed,
				.context = r});
	return rc;
}

int copier_end(struct copier *r, struct err *err)
{
	return r->packer ? packer_flush(r->packer, err) : 0;
}

/* The block has been read, and all of it is spooled. */
static int pack_record(struct copier *r, const struct warc_header *h, struct err *err)
{
	int rc;

	if (r->spooled > PACKER_RECORD_MAX) { /* too large for a look */
		rc = packer_flush(r->packer, err);
		return rc ? rc : write_record(r, count_bytes, r, err);
	}
	buf_reset(&r->block);
	rc = err_code(err, buf_reserve(&r->block, (size_t)r->spooled));
	if (rc == 0 &&
		io_read_at(r->spool, r->block.ptr, (size_t)r->spooled, 0) != (ssize_t)r->spooled)
		rc = err_set(err, ERR_IO, "a temporary file: %s", strerror(errno));
	return rc ? rc
		  : packer_add(r->packer, h, buf_slice(&r->head),
			    (slice){r->block.ptr, (size_t)r->spooled}, err);
}

/* Secrets that the crawl has left out already change nothing. */
static int redact(struct copier *r, struct err *err)
{
	int rc = redact_head(buf_slice(&r->http), SECRETS, SECRET_COUNT, &r->redacted, &r->found);

	if (rc == 0 && slice_eq(buf_slice(&r->redacted), buf_slice(&r->http)))
		buf_reset(&r->found);
	return err_code(err, rc);
}

/* The block has been read: of metadata, which has no HTTP head, all of it is spooled. */
static int is_chosen(struct copier *r, const struct warc_record *rec, bool *ret, struct err *err)
{
	char start[CHOSEN_LOOK_MAX];
	size_t len = r->spooled < sizeof start ? (size_t)r->spooled : sizeof start;
	ssize_t n;

	*ret = true;
	if (!r->params->chosen)
		return 0;
	n = io_read_at(r->spool, start, len, 0);
	if (n < 0)
		return err_set(err, ERR_IO, "a temporary file: %s", strerror(errno));
	*ret = chosen_has(r->params->chosen, &rec->header, (slice){start, (size_t)n});
	return 0;
}

static int copy_record(struct copier *r, struct warc_reader *reader, const struct warc_record *rec,
	export_emit *emit, void *context, struct copier_counts *counts, struct err *err)
{
	bool has_head = r->params->redact && has_http_head(rec), wanted;
	int rc;

	buf_reset(&r->http);
	buf_reset(&r->redacted);
	buf_reset(&r->found);
	buf_reset(&r->head);
	r->spooled = 0;
	rc = rec->is_gap ? 0 : read_block(r, reader, has_head, err);
	if (rc == 0)
		rc = warc_reader_end(reader, err);
	if (rc)
		return rc;
	if (rec->is_gap || rec->problem.code) {
		counts->damaged++;
		return 0;
	}
	rc = is_chosen(r, rec, &wanted, err);
	if (rc || !wanted)
		return rc;
	counts->kept += rec->header.type != WARC_TYPE_WARCINFO && !request_form_is(&rec->header);
	rc = has_head ? redact(r, err) : 0;
	if (rc == 0)
		rc = format_head(r, &rec->header, err);
	if (rc)
		return rc;
	counts->redacted += r->found.len > 0;
	return r->packer ? pack_record(r, &rec->header, err) : write_record(r, emit, context, err);
}

/* Where records go. */
struct copying {
	struct copier *r;
	export_emit *emit;
	void *context;
	struct copier_counts *counts;
};

static int copy_all(struct copying *c, const struct warc_source *source, struct err *err);

static int copy_look(void *context, slice records, struct err *err)
{
	return copy_all(context, &(struct warc_source){.fd = -1, .memory = records}, err);
}

/* Other tools do not know compact looks: each becomes the records that it stands for. */
static int expand_record(struct copying *c, struct warc_reader *reader,
	const struct warc_record *rec, struct err *err)
{
	BUF_SCOPED(dir, PATH_MAX);
	BUF_SCOPED(block, COMPACT_BLOCK_MAX);
	int rc;

	rc = compact_block(reader, &block, err);
	if (rc == 0)
		rc = err_code(err, export_dir(c->r->params, &dir));
	if (rc == 0 && rec->problem.code)
		c->counts->damaged++;
	else if (rc == 0)
		rc = compact_each(
			buf_str(&dir), buf_slice(&block), copy_look, c, &c->counts->damaged, err);
	return rc;
}

static int copy_or_expand(
	void *context, struct warc_reader *reader, const struct warc_record *rec, struct err *err)
{
	struct copying *c = context;

	return !rec->is_gap && compact_is_type(rec->header.content_type)
		       ? expand_record(c, reader, rec, err)
		       : copy_record(c->r, reader, rec, c->emit, c->context, c->counts, err);
}

static int copy_all(struct copying *c, const struct warc_source *source, struct err *err)
{
	return record_each(source, 0, copy_or_expand, c, err);
}

int copier_is_needed(
	const struct warc_source *source, bool *ret, uint64_t *ret_damaged, struct err *err)
{
	const struct warc_record *rec;
	struct warc_reader *reader;
	int rc = warc_reader_open_source(
		source, ret_damaged ? 0 : WARC_READER_UNCHECKED, &reader, err);
	uint64_t damaged = 0;

	if (rc)
		return rc;
	*ret = false;
	while (rc == 0 && !*ret && (rc = warc_reader_next(reader, &rec, err)) == 0) {
		*ret = !rec->is_gap && compact_is_type(rec->header.content_type);
		if (ret_damaged && !*ret && !rec->is_gap)
			rc = warc_reader_end(reader, err);
		damaged += rec->is_gap || rec->problem.code;
	}
	warc_reader_close(reader);
	if (ret_damaged)
		*ret_damaged = damaged;
	return rc == ERR_END ? 0 : rc;
}

int copier_copy(struct copier *r, const struct warc_source *source, export_emit *emit,
	void *context, struct copier_counts *counts, struct err *err)
{
	struct copying c = {r, emit, context, counts};

	return copy_all(&c, source, err);
}
