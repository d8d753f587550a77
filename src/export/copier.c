#include "export/copier.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/compact_body.h"
#include "archive/warc_compress.h"
#include "archive/warc_reader.h"
#include "base/io.h"
#include "base/tempfile.h"
#include "base/word.h"
#include "export/chosen.h"
#include "export/packer.h"
#include "http/payload.h"
#include "http/redact.h"

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
	struct copier *r = calloc(1, sizeof *r);
	int rc = 0;

	if (!r)
		return err_code(err, ERR_NOMEM);
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

/* All of http is read, or as much as a head may have: what is behind its end is spooled. */
static int split(struct copier *r, size_t end, struct err *err)
{
	slice rest = slice_sub(buf_slice(&r->http), end, r->http.len);
	int rc = spool(r, rest, err);

	buf_truncate(&r->http, end);
	return rc;
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
			has_head = false;
			rc = split(r, end ? end : r->http.len, err);
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
		       payload_is_http(rec->header.content_type));
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
	int rc = call(context, new_http(r), err);

	if (rc)
		return rc;
	return export_copy(&(struct warc_source){.fd = r->spool}, r->spooled, call, context, err);
}

static int digest_piece(void *context, slice bytes, struct err *err)
{
	return err_code(err, digester_feed(context, bytes));
}

static int compress_piece(void *context, slice bytes, struct err *err)
{
	return warc_compress_feed(context, bytes, err);
}

static int add_digest(struct copier *r, struct err *err)
{
	char text[DIGEST_TEXT_SIZE];
	struct digest digest;
	int rc = err_code(err, digester_start(&r->digester, DIGEST_SHA256));

	if (rc == 0)
		rc = each_piece(r, digest_piece, &r->digester, err);
	if (rc == 0)
		rc = err_code(err, digester_finish(&r->digester, &digest));
	if (rc)
		return rc;
	(void)digest_format(&digest, text);
	rc = warc_header_add(&r->head, SLICE("WARC-Block-Digest"), slice_str(text));
	if (rc == 0)
		rc = warc_header_add(&r->head, SLICE("WARC-Redacted"), buf_slice(&r->found));
	return err_code(err, rc);
}

static bool is_replaced(const struct copier *r, slice name)
{
	return word_is(name, SLICE("content-length")) ||
	       (r->found.len && word_is(name, SLICE("warc-block-digest")));
}

static int format_head(struct copier *r, const struct warc_header *h, struct err *err)
{
	uint64_t size = new_http(r).len + r->spooled;
	int rc = buf_printf(&r->head, "WARC/%u.%u\r\n", h->version / 100, h->version % 100);

	for (size_t i = 0; rc == 0 && i < h->fields.items.len; i++) {
		const struct field *f = &h->fields.items.ptr[i];
		size_t before = r->head.len;

		if (is_replaced(r, f->name))
			continue;
		rc = warc_header_add(&r->head, f->name, f->value);
		if (rc == ERR_SYNTAX) { /* no reader could have made use of it */
			buf_truncate(&r->head, before);
			rc = 0;
		}
	}
	if (rc == 0)
		rc = buf_printf(&r->head, "Content-Length: %llu\r\n", (unsigned long long)size);
	rc = err_code(err, rc);
	if (rc == 0 && r->found.len)
		rc = add_digest(r, err);
	return rc ? rc : err_code(err, buf_add_str(&r->head, "\r\n"));
}

static int write_record(struct copier *r, export_emit *emit, void *context, struct err *err)
{
	uint64_t size = r->head.len + new_http(r).len + r->spooled + sizeof RECORD_END - 1;
	int rc = warc_compress_begin(r->compress, size, emit, context, err);

	if (rc == 0)
		rc = warc_compress_feed(r->compress, buf_slice(&r->head), err);
	if (rc == 0)
		rc = each_piece(r, compress_piece, r->compress, err);
	if (rc == 0)
		rc = warc_compress_feed(r->compress, SLICE(RECORD_END), err);
	return rc ? rc : warc_compress_end(r->compress, err);
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
	int rc = warc_compress_begin(r->compress, record.len, count_bytes, r, err);

	*ret_offset = r->written;
	if (rc == 0)
		rc = warc_compress_feed(r->compress, record, err);
	if (rc == 0)
		rc = warc_compress_end(r->compress, err);
	if (rc == 0 && fflush(r->out->file))
		rc = output_fail(r->out, err);
	return rc;
}

int copier_pack(struct copier *r, const struct output *out, export_emit *emit, void *context,
	struct err *err)
{
	const char *slash = strrchr(out->path, '/'), *now = strrchr(out->new_path, '/');
	int rc = err_code(err, compact_dir(out->path, &r->dir));

	r->out = out;
	r->emit = emit;
	r->context = context;
	return rc ? rc
		  : packer_open(&(struct packer_params){.dir = *buf_str(&r->dir) ? buf_str(&r->dir)
										 : "/",
					.now = now ? now + 1 : out->new_path,
					.file = slice_str(slash ? slash + 1 : out->path),
					.put = put_packed,
					.context = r},
			    &r->packer, err);
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

static void reset(struct copier *r)
{
	buf_reset(&r->http);
	buf_reset(&r->redacted);
	buf_reset(&r->found);
	buf_reset(&r->head);
	r->spooled = 0;
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

	reset(r);
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
	counts->kept += rec->header.type != WARC_TYPE_WARCINFO;
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
	struct buf block, dir;
	int rc;

	buf_init(&block, COMPACT_BLOCK_MAX);
	buf_init(&dir, PATH_MAX);
	rc = compact_block(reader, &block, err);
	if (rc == 0)
		rc = err_code(err, export_dir(c->r->params, &dir));
	if (rc == 0 && rec->problem.code)
		c->counts->damaged++;
	else if (rc == 0)
		rc = compact_each(
			buf_str(&dir), buf_slice(&block), copy_look, c, &c->counts->damaged, err);
	buf_release(&dir);
	buf_release(&block);
	return rc;
}

static int copy_all(struct copying *c, const struct warc_source *source, struct err *err)
{
	const struct warc_record *rec;
	struct warc_reader *reader;
	int rc = warc_reader_open_source(source, 0, &reader, err);

	if (rc)
		return rc;
	while (rc == 0 && (rc = warc_reader_next(reader, &rec, err)) == 0)
		rc = !rec->is_gap && compact_is_type(rec->header.content_type)
			     ? expand_record(c, reader, rec, err)
			     : copy_record(c->r, reader, rec, c->emit, c->context, c->counts, err);
	warc_reader_close(reader);
	return rc == ERR_END ? 0 : rc;
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
