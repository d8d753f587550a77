#include "proof/look.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/word.h"
#include "catalog/catalog.h"
#include "formats/http_fields.h"
#include "formats/http_state.h"
#include "warc/compact.h"
#include "warc/record_body.h"
#include "warc/warc_reader.h"
#include "warc/warc_writer.h"

enum { SCRATCH_MAX = 4 << 20 };

static int missing(struct err *err)
{
	return err_set(err, ERR_NOTFOUND, "the record of this look is not in the WARC files");
}

static int read_file(
	const char *dir, const struct catalog_looks *at, struct buf *block, struct err *err)
{
	struct record_place place = {.file = at->warc, .offset = at->offset};
	const struct warc_record *rec = NULL;
	struct warc_reader *r;
	int rc = record_at(dir, &place, 0, &r, &rec, err);

	if (rc == ERR_NOTFOUND || (rc == 0 && !compact_is_type(rec->header.content_type)))
		rc = missing(err);
	if (rc == 0)
		rc = record_rest(r, rec, block, err);
	warc_reader_close(r);
	return rc;
}

/* The row that is looked for. */
struct finding {
	const struct look_source *from;
	slice id;
	struct buf *records;
	bool is_found;
};

static int on_row(
	void *context, const struct compact_look *look, uint64_t size, int code, struct err *err)
{
	struct finding *f = context;

	(void)size;
	if (f->is_found)
		return 0;
	if (!look)
		return code == ERR_UNSUPPORTED
			       ? 0
			       : err_set(err, code, "a compact look cannot be read");
	f->is_found = slice_eq(look->attempt.record_id, f->id);
	return f->is_found ? compact_records(f->from->warc_dir, look, f->records, err) : 0;
}

static int on_look(void *context, const struct catalog_look *look)
{
	return buf_add(context, look->rows);
}

/* Its place may become known while the rows that waited are looked for. */
int compact_look_read(const struct look_source *from, const struct attempt *a, struct buf *records,
	struct err *err)
{
	struct finding f = {from, a->record_id, records, false};
	SCOPED(arena_release) struct arena arena = {0};
	BUF_SCOPED(block, COMPACT_BLOCK_MAX);
	struct catalog_looks at;
	int rc;

	if (!from->catalog)
		return missing(err);
	arena_init_small(&arena, SCRATCH_MAX);
	rc = catalog_get_looks(from->catalog, a->offset, &arena, &at, err);
	if (rc == ERR_NOTFOUND) {
		TRY(catalog_looks_rows(from->catalog, a->offset, on_look, &block, err));
		TRY(compact_each_waiting(buf_slice(&block), on_row, &f, err));
	} else {
		TRY(rc);
		TRY(read_file(from->warc_dir, &at, &block, err));
		TRY(compact_each_row(buf_slice(&block), on_row, &f, err));
	}
	return f.is_found ? 0 : missing(err);
}

enum { VALUE_MAX = FIELDS_HEAD_MAX };

/* A record being read. */
struct reading {
	struct look *look;
	struct state *state;
	struct buf head;
	size_t seen;
	bool has_head;  /* and the state has begun */
	bool has_body;  /* wanted: else the head alone */
	bool is_framed; /* the protocol (HTTP/2) shows where a body ends */
	struct err *err;
};

static int take_body(void *context, slice bytes)
{
	struct reading *r = context;
	struct look *l = r->look;
	size_t room = LOOK_BODY_MAX - l->body.len;

	l->size += bytes.len;
	return buf_add(&l->body, slice_sub(bytes, 0, room));
}

static int begin(struct reading *r, slice block, size_t *ret_used)
{
	size_t before = r->head.len, end;
	slice part = slice_sub(block, 0, FIELDS_HEAD_MAX - before);

	*ret_used = block.len;
	TRY(buf_add(&r->head, part));
	end = fields_find_end(buf_slice(&r->head), &r->seen);
	if (end == 0)
		return r->head.len == FIELDS_HEAD_MAX ? ERR_SYNTAX : 0;
	*ret_used = end - before;
	TRY(state_start(r->state, slice_sub(buf_slice(&r->head), 0, end), NULL));
	r->has_head = true;
	return 0;
}

static int feed(struct reading *r, slice block)
{
	size_t used = 0;
	int rc = r->has_head ? 0 : begin(r, block, &used);

	if (rc || !r->has_head || !r->has_body || used == block.len)
		return rc;
	return state_feed(r->state, slice_sub(block, used, block.len));
}

static int read_block(struct reading *r, struct warc_reader *reader)
{
	slice block;
	int rc;

	r->has_head = false;
	r->seen = 0;
	buf_reset(&r->head);
	while ((rc = warc_reader_block(reader, &block, r->err)) == 0)
		if ((rc = feed(r, block)))
			return err_code(r->err, rc);
	if (rc == ERR_END)
		rc = r->has_head ? 0 : err_set(r->err, ERR_SYNTAX, "it has no HTTP head");
	return rc;
}

static int keep_field(const struct fields *head, slice name, struct buf *out)
{
	slice value = fields_get(head, name);

	buf_reset(out);
	return value.ptr ? buf_add(out, fields_trim(value)) : 0;
}

/* What the head of the attempt's own record says. */
static int keep_head(struct reading *r)
{
	const struct fields *head = state_fields(r->state);

	r->look->types = 0;
	for (size_t i = 0; i < head->items.len; i++)
		r->look->types += word_is(head->items.ptr[i].name, SLICE("Content-Type"));
	r->look->close_delimited = !r->is_framed &&
				   !fields_get(head, SLICE("Content-Length")).ptr &&
				   !fields_get(head, SLICE("Transfer-Encoding")).ptr;
	buf_reset(&r->look->head);
	TRY(state_head_text(head, &r->look->head));
	TRY(keep_field(head, SLICE("Content-Type"), &r->look->media_type));
	return keep_field(head, SLICE("Location"), &r->look->location);
}

static int keep_result(struct reading *r, const struct state_result *s)
{
	struct look *l = r->look;
	bool cut = l->size > l->body.len;

	l->status = s->status;
	l->whole = s->whole && !l->attempt->truncated;
	l->readable = s->readable && s->decoded && !cut;
	if (s->status == 204 || s->status == 304 ||
		(s->coding.len && s->coding_end == CODING_ENDED))
		l->close_delimited = false;
	l->state = s->state;
	l->digest = s->body;
	if (!s->decoded)
		l->size = s->payload_size;
	buf_reset(&l->coding);
	return buf_add(&l->coding, s->coding);
}

/* Reads head and body; *ret_revisit is set to whether it is a revisit record, without a body. */
static int read_found(struct reading *r, struct warc_reader *reader, const struct warc_record *rec,
	bool *ret_revisit)
{
	*ret_revisit = rec->header.type == WARC_TYPE_REVISIT;
	if (!*ret_revisit && rec->header.type != WARC_TYPE_RESPONSE)
		return err_set(r->err, ERR_SYNTAX, "the record of the page is not there");
	r->has_body = !*ret_revisit;
	r->is_framed = slice_starts_with(
		fields_trim(warc_header_get(&rec->header, SLICE("WARC-Protocol"))), SLICE("h2"));
	if (*ret_revisit)
		TRY(buf_add(&r->look->original,
			fields_trim(warc_header_get(&rec->header, SLICE("WARC-Refers-To")))));
	TRY(read_block(r, reader));
	TRY(warc_reader_end(reader, r->err));
	return rec->problem.code ? err_set(r->err, ERR_SYNTAX, "%s", rec->problem.text) : 0;
}

/* The records that a compact look stands for: the first of them is that of the page. */
static int read_records(struct reading *r, slice records, bool *ret_revisit)
{
	struct warc_source source = {.fd = -1, .memory = records};
	const struct warc_record *rec;
	struct warc_reader *reader;
	int rc;

	TRY(warc_reader_open_source(&source, 0, &reader, r->err));
	rc = warc_reader_next(reader, &rec, r->err);
	if (rc == ERR_END)
		rc = err_set(r->err, ERR_SYNTAX, "the record of the page is not there");
	if (rc == 0)
		rc = read_found(r, reader, rec, ret_revisit);
	warc_reader_close(reader);
	return rc;
}

static int read_compact(struct reading *r, const struct look_source *from, const struct attempt *at,
	bool *ret_revisit)
{
	BUF_SCOPED(records, COMPACT_EXPANDED_MAX);

	TRY(compact_look_read(from, at, &records, r->err));
	return read_records(r, buf_slice(&records), ret_revisit);
}

static struct record_place place_of(const struct attempt *a)
{
	return (struct record_place){a->warc, a->offset, a->record_id};
}

static int read_record(struct reading *r, const struct look_source *from, const struct attempt *at,
	bool *ret_revisit)
{
	struct record_place place = place_of(at);
	const struct warc_record *rec = NULL;
	struct warc_reader *reader;
	int rc;

	if (at->is_compact)
		return read_compact(r, from, at, ret_revisit);
	rc = record_at(from->warc_dir, &place, 0, &reader, &rec, r->err);
	if (rc == 0)
		rc = read_found(r, reader, rec, ret_revisit);
	warc_reader_close(reader);
	if (rc && rc != ERR_NOMEM)
		err_prefix(r->err, "warc/%.*s at %" PRIu64, (int)at->warc.len, at->warc.ptr,
			at->offset);
	return rc;
}

/* ---- the record that a revisit record refers to ---- */

/* Into r->state; own has the head of the revisit record. */
static int read_body_of(struct reading *r, const struct look_source *from, struct state *own)
{
	struct state_result result;
	struct attempt found;
	bool is_revisit = false;

	TRY(from->find(from->context, buf_slice(&r->look->original), &found, r->err));
	TRY(read_record(r, from, &found, &is_revisit));
	if (is_revisit)
		return err_set(r->err, ERR_SYNTAX, "a revisit record refers to another one");
	TRY(err_code(r->err, state_finish(r->state, &result)));
	if (state_combine(own, &result, &result))
		return err_set(r->err, ERR_SYNTAX,
			"a revisit record and the one with its body have different codings");
	return err_code(r->err, keep_result(r, &result));
}

static struct state *new_state(struct reading *r)
{
	struct state *s = state_new(take_body, r);

	if (!s)
		mem_end();
	return s;
}

static int read_original(struct reading *r, const struct look_source *from)
{
	struct state *own = r->state;
	int rc;

	r->state = new_state(r);
	rc = read_body_of(r, from, own);
	state_free(r->state);
	r->state = own;
	return rc;
}

static void look_init(struct look *l, const struct attempt *attempt)
{
	*l = (struct look){.attempt = attempt};
	buf_init(&l->media_type, VALUE_MAX);
	buf_init(&l->location, VALUE_MAX);
	buf_init(&l->head, 2 * (size_t)FIELDS_HEAD_MAX); /* names as they are usually spelt */
	buf_init(&l->coding, VALUE_MAX);
	buf_init(&l->original, VALUE_MAX);
	buf_init(&l->body, LOOK_BODY_MAX);
}

static int finish(struct reading *r)
{
	struct state_result result;

	TRY(err_code(r->err, state_finish(r->state, &result)));
	return err_code(r->err, keep_result(r, &result));
}

/* records: those of a compact look, if they are at hand; else empty. */
static int read_look(struct look *l, const struct look_source *from, const struct attempt *attempt,
	slice records, struct err *err)
{
	struct reading r = {.look = l, .err = err};
	bool is_revisit = false;
	int rc;

	look_init(l, attempt);
	buf_init(&r.head, FIELDS_HEAD_MAX);
	r.state = new_state(&r);
	rc = records.len ? read_records(&r, records, &is_revisit)
			 : read_record(&r, from, attempt, &is_revisit);
	if (rc == 0)
		rc = err_code(err, keep_head(&r));
	if (rc == 0)
		rc = is_revisit ? read_original(&r, from) : finish(&r);
	state_free(r.state);
	buf_release(&r.head);
	return rc;
}

int look_read(struct look *l, const struct look_source *from, const struct attempt *attempt,
	struct err *err)
{
	if (attempt->warc.ptr || attempt->is_compact)
		return read_look(l, from, attempt, (slice){0}, err);
	look_init(l, attempt);
	return err_set(err, ERR_NOTFOUND, "this look has no record in the WARC files");
}

int look_read_records(struct look *l, const struct look_source *from, const struct attempt *attempt,
	slice records, struct err *err)
{
	return read_look(l, from, attempt, records, err);
}

/* ---- a response that is at hand ---- */

static int feed_spool(struct state *state, const struct look_message *from, struct err *err)
{
	char chunk[1 << 14];
	uint64_t at = 0;
	int rc = 0;

	while (rc == 0 && at < from->size) {
		size_t want =
			from->size - at < sizeof chunk ? (size_t)(from->size - at) : sizeof chunk;
		ssize_t n = pread(from->spool, chunk, want, (off_t)at);

		if (n <= 0)
			return err_set(err, ERR_IO, "spool: %s", n ? strerror(errno) : "cut off");
		rc = err_code(err, state_feed(state, (slice){chunk, (size_t)n}));
		at += (uint64_t)n;
	}
	return rc;
}

int look_take(struct look *l, const struct look_message *from, const struct attempt *attempt,
	struct err *err)
{
	struct reading r = {.look = l, .is_framed = from->is_framed, .err = err};
	int rc;

	look_init(l, attempt);
	r.state = new_state(&r);
	rc = state_start(r.state, from->head, err);
	if (rc == 0)
		rc = from->spool < 0 ? err_code(err, state_feed(r.state, from->body))
				     : feed_spool(r.state, from, err);
	if (rc == 0)
		rc = err_code(err, keep_head(&r));
	if (rc == 0)
		rc = finish(&r);
	state_free(r.state);
	return rc;
}

void look_release(struct look *l)
{
	buf_release(&l->media_type);
	buf_release(&l->location);
	buf_release(&l->head);
	buf_release(&l->coding);
	buf_release(&l->original);
	buf_release(&l->body);
}

int look_refers_to(
	const struct look_source *from, const struct attempt *a, struct buf *ret, struct err *err)
{
	struct record_place place = place_of(a);
	const struct warc_record *rec = NULL;
	struct warc_reader *reader;
	int rc = record_at(from->warc_dir, &place, 0, &reader, &rec, err);

	buf_reset(ret);
	if (rc == 0)
		rc = err_code(err, buf_add(ret, fields_trim(warc_header_get(
							&rec->header, SLICE("WARC-Refers-To")))));
	warc_reader_close(reader);
	return rc;
}
