#include "warc/compact.h"

#include <string.h>
#include <zstd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/pack.h"

/* ---- patches ---- */

enum {
	LEVEL = 3,
	WINDOW_LOG = 24, /* both sides at their largest */
	WINDOW_LOG_MIN = 10,
};

/* The window must reach over both sides, and costs time and memory beyond that. */
static int window_log(size_t bytes)
{
	int log = WINDOW_LOG_MIN;

	while (log < WINDOW_LOG && (size_t)1 << log < bytes)
		log++;
	return log;
}

void patch_maker_release(struct patch_maker *m)
{
	(void)ZSTD_freeCCtx(m->context);
	m->context = NULL;
}

int patch_make(struct patch_maker *m, slice from, slice bytes, struct buf *out)
{
	size_t room = ZSTD_compressBound(bytes.len), n;
	ZSTD_CCtx *c;

	if (from.len > PATCH_BYTES_MAX || bytes.len > PATCH_BYTES_MAX)
		return ERR_LIMIT;
	if (!m->context && !(m->context = ZSTD_createCCtx()))
		mem_end();
	c = m->context;
	(void)ZSTD_CCtx_reset(c, ZSTD_reset_session_and_parameters);
	TRY(buf_reserve(out, room));
	(void)ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel, LEVEL);
	(void)ZSTD_CCtx_setParameter(c, ZSTD_c_windowLog, window_log(from.len + bytes.len));
	(void)ZSTD_CCtx_setParameter(c, ZSTD_c_enableLongDistanceMatching, from.len > (1 << 20));
	(void)ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
	if (ZSTD_isError(ZSTD_CCtx_refPrefix(c, from.ptr, from.len)))
		mem_end();
	n = ZSTD_compress2(c, out->ptr + out->len, room, bytes.ptr, bytes.len);
	if (ZSTD_isError(n))
		mem_end();
	buf_truncate(out, out->len + n);
	return 0;
}

int patch_apply(slice from, slice patch, uint64_t size, struct buf *out)
{
	ZSTD_DCtx *d;
	size_t n;

	if (from.len > PATCH_BYTES_MAX || size > PATCH_BYTES_MAX)
		return ERR_LIMIT;
	/* One byte of room more, so that one that is too long is noticed. */
	TRY(buf_reserve(out, (size_t)size + 1));
	d = ZSTD_createDCtx();
	if (!d)
		mem_end();
	(void)ZSTD_DCtx_setParameter(d, ZSTD_d_windowLogMax, WINDOW_LOG);
	if (ZSTD_isError(ZSTD_DCtx_refPrefix(d, from.ptr, from.len)))
		mem_end();
	n = ZSTD_decompressDCtx(d, out->ptr + out->len, (size_t)size + 1, patch.ptr, patch.len);
	(void)ZSTD_freeDCtx(d);
	if (ZSTD_isError(n) || n != size)
		return ERR_SYNTAX;
	buf_truncate(out, out->len + n);
	return 0;
}

/* ---- compact looks ---- */

enum {
	ROW_SAME = 0,
	ROW_PATCH = 1,
	ROW_TOMBSTONE = 2,
};

/* ---- names ---- */

/* UUIDs of version 8 (RFC 9562 §5.8): the first bytes of a digest. */
static int derive_id(const struct attempt *a, const char *what, struct warc_id *ret)
{
	struct digester d = {0};
	struct digest digest;
	int64_t parts[] = {a->leg, a->number, a->wall.sent};

	TRY(digester_start(&d, DIGEST_SHA256));
	digester_feed(&d, slice_str(what));
	digester_feed(&d, a->capture);
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		unsigned char big[8];

		for (int n = 0; n < 8; n++)
			big[n] = (unsigned char)((uint64_t)parts[i] >> (56 - 8 * n));
		digester_feed(&d, (slice){(const char *)big, sizeof big});
	}
	digester_feed(&d, a->url);
	digester_finish(&d, &digest);
	digester_release(&d);
	digest.bytes[6] = (unsigned char)((digest.bytes[6] & 0x0f) | 0x80);
	digest.bytes[8] = (unsigned char)((digest.bytes[8] & 0x3f) | 0x80);
	warc_id_unpack(digest.bytes, ret);
	return 0;
}

int compact_id(const struct attempt *a, struct warc_id *ret)
{
	return derive_id(a, "response", ret);
}

/* ---- writing ---- */

bool compact_may_retire(const struct attempt *a)
{
	return a->has_payload && !a->truncated && !a->failure.ptr && a->status > 0 &&
	       attempt_has_all_times(a);
}

bool compact_may(const struct attempt *a)
{
	unsigned char id[WARC_ID_BYTES];

	return compact_may_retire(a) && warc_id_pack(a->original.record, id) &&
	       a->original.date > 0 && a->original.url.len > 0;
}

/* The lines of the attempt, but for what stands elsewhere or follows from it. */
static int put_fields(struct buf *out, const struct compact_look *look)
{
	struct attempt a = look->attempt;
	BUF_SCOPED(text, COMPACT_ROW_MAX);

	a.wall = a.clock = (struct attempt_times){0};
	if (!look->is_patch && !look->is_tombstone)
		a.has_state = false;
	TRY(attempt_format(&a, &text));
	return pack_text(out, buf_slice(&text));
}

static void put_times(struct buf *out, const struct attempt *a)
{
	pack_big(out, a->wall.sent);
	pack_big(out, a->clock.sent - a->wall.sent);
	pack_number(out, (uint64_t)(a->wall.first_byte - a->wall.sent));
	pack_number(out, (uint64_t)(a->wall.last_byte - a->wall.first_byte));
}

static void put_digest(struct buf *out, const struct digest *d)
{
	buf_add_char(out, (char)d->kind);
	buf_add(out, (slice){(const char *)d->bytes, digest_size(d->kind)});
}

static int put_original(struct buf *out, const struct attempt *a)
{
	bool elsewhere = !slice_eq(a->original.url, a->url);
	unsigned char id[WARC_ID_BYTES];

	if (!warc_id_pack(a->original.record, id))
		return ERR_RANGE;
	buf_add(out, (slice){(const char *)id, WARC_ID_BYTES});
	pack_number(out, (uint64_t)(a->original.date / CLOCK_NS_PER_SECOND));
	pack_text(out, elsewhere ? a->original.url : (slice){0});
	put_digest(out, &a->payload);
	return 0;
}

static char kind_of(const struct compact_look *look)
{
	if (look->is_tombstone)
		return ROW_TOMBSTONE;
	return look->is_patch ? ROW_PATCH : ROW_SAME;
}

static int put_row(struct buf *out, const struct compact_look *look)
{
	buf_add_char(out, kind_of(look));
	TRY(put_fields(out, look));
	pack_text(out, look->attempt.url);
	pack_text(out, look->address);
	put_times(out, &look->attempt);
	if (look->is_tombstone) {
		put_digest(out, &look->attempt.payload);
		return out->error;
	}
	TRY(put_original(out, &look->attempt));
	pack_text(out, look->request);
	pack_text(out, look->head);
	if (look->is_patch) {
		pack_number(out, look->body_size);
		pack_text(out, look->file);
		pack_number(out, look->offset);
		pack_text(out, look->patch);
	}
	return out->error;
}

int compact_add(const struct compact_look *look, struct buf *out)
{
	size_t before = out->len;
	BUF_SCOPED(row, COMPACT_ROW_MAX);
	bool may = look->is_tombstone ? look->attempt.retired && compact_may_retire(&look->attempt)
				      : compact_may(&look->attempt);
	int rc = may ? put_row(&row, look) : ERR_RANGE;

	if (rc == 0)
		rc = pack_text(out, buf_slice(&row));
	if (rc)
		buf_truncate(out, before);
	return rc;
}

struct warc_entry compact_entry(slice block, int64_t date)
{
	return (struct warc_entry){
		.type = WARC_TYPE_METADATA,
		.date = date,
		.url = SLICE(COMPACT_TARGET),
		.content_type = SLICE(COMPACT_TYPE),
		.body = block,
	};
}

/* ---- reading ---- */

/* Up to an hour of a century: nothing that is added to it overflows. */
static int64_t take_span(struct unpack *c)
{
	uint64_t value = unpack_number(c);

	c->bad = c->bad || value > INT64_MAX / 8;
	return c->bad ? 0 : (int64_t)value;
}

static void take_times(struct unpack *c, struct attempt *a)
{
	int64_t sent = unpack_big(c), ahead = unpack_big(c);
	int64_t first = take_span(c), last = take_span(c);

	if (sent <= 0 || sent > INT64_MAX / 2 || ahead > INT64_MAX / 4 || ahead <= -sent) {
		c->bad = true;
		return;
	}
	a->wall = (struct attempt_times){sent, sent + first, sent + first + last};
	sent += ahead;
	a->clock = (struct attempt_times){sent, sent + first, sent + first + last};
}

static void take_digest(struct unpack *c, struct attempt *a)
{
	unsigned kind = unpack_byte(c);
	slice digest;

	if (c->bad || kind > DIGEST_SHA256) {
		c->bad = true;
		return;
	}
	a->payload.kind = (enum digest_kind)kind;
	digest = unpack_bytes(c, digest_size(a->payload.kind));
	if (digest.len)
		memcpy(a->payload.bytes, digest.ptr, digest.len);
	a->has_payload = true;
}

static void take_original(struct unpack *c, struct attempt *a, struct warc_id *id)
{
	slice packed = unpack_bytes(c, WARC_ID_BYTES);
	uint64_t date = unpack_number(c);
	slice url = unpack_text(c);

	take_digest(c, a);
	if (c->bad || date == 0 || date > INT64_MAX / CLOCK_NS_PER_SECOND) {
		c->bad = true;
		return;
	}
	warc_id_unpack((const unsigned char *)packed.ptr, id);
	a->original = (struct attempt_original){
		.record = slice_str(id->text),
		.url = url.len ? url : a->url,
		.date = (int64_t)date * CLOCK_NS_PER_SECOND,
	};
}

static void take_patch(struct unpack *c, struct compact_look *look)
{
	look->body_size = unpack_number(c);
	look->file = unpack_text(c);
	look->offset = unpack_number(c);
	look->patch = unpack_text(c);
}

static int bad_row(struct err *err)
{
	return err_set(err, ERR_SYNTAX, "a compact look cannot be read");
}

/* What a row can say of an attempt: nothing twice, and nothing that no row may be. */
static bool is_possible(const struct attempt *a)
{
	return !a->wall.sent && !a->wall.first_byte && !a->wall.last_byte && !a->clock.sent &&
	       !a->clock.first_byte && !a->clock.last_byte;
}

static int take_tombstone(struct unpack *c, struct compact_look *look, struct err *err)
{
	take_digest(c, &look->attempt);
	if (c->bad || c->left.len || !look->attempt.retired || !compact_may_retire(&look->attempt))
		return bad_row(err);
	return 0;
}

static int read_row(
	struct unpack *c, struct arena *arena, struct compact_look *look, struct err *err)
{
	slice fields = unpack_text(c), url = unpack_text(c);
	struct warc_id *ids;
	int rc;

	if (arena_full(arena))
		return err_code(err, ERR_LIMIT);
	ids = ARENA_NEED_ARRAY(arena, struct warc_id, 2);
	if (c->bad || !url.len)
		return bad_row(err);
	rc = attempt_parse(fields, url, arena, &look->attempt, err);
	if (rc == ERR_NOTFOUND || (rc == 0 && !is_possible(&look->attempt)))
		return bad_row(err);
	if (rc)
		return rc;
	look->address = unpack_text(c);
	take_times(c, &look->attempt);
	if (look->is_tombstone)
		return take_tombstone(c, look, err);
	take_original(c, &look->attempt, &ids[0]);
	look->request = unpack_text(c);
	look->head = unpack_text(c);
	if (look->is_patch)
		take_patch(c, look);
	look->attempt.is_revisit = !look->is_patch;
	if (c->bad || c->left.len || !look->head.len || look->attempt.retired ||
		!compact_may(&look->attempt))
		return bad_row(err);
	TRY(err_code(err, compact_id(&look->attempt, &ids[1])));
	look->attempt.record_id = slice_str(ids[1].text);
	return arena_full(arena) ? err_code(err, ERR_LIMIT) : 0;
}

bool compact_is_type(slice content_type)
{
	return slice_eq(content_type, SLICE(COMPACT_TYPE));
}

int compact_open(struct compact_rows *rows, slice block, struct err *err)
{
	slice first = SLICE(COMPACT_FIRST);

	if (!slice_starts_with(block, first))
		return err_set(err, ERR_UNSUPPORTED,
			"a record of looks of another version; use a newer stillpoint");
	rows->left = slice_sub(block, first.len, block.len);
	return 0;
}

int compact_next(
	struct compact_rows *rows, struct arena *arena, struct compact_look *ret, struct err *err)
{
	struct unpack block = {.left = rows->left}, row = {0};
	struct compact_look look = {0};
	unsigned kind;

	if (rows->left.len == 0)
		return ERR_END;
	row.left = unpack_text(&block);
	if (block.bad) {
		rows->left = (slice){0};
		return bad_row(err);
	}
	rows->left = block.left;
	kind = unpack_byte(&row);
	if (row.bad)
		return bad_row(err);
	if (kind > ROW_TOMBSTONE)
		return err_set(err, ERR_UNSUPPORTED, "a compact look of a later version");
	look.is_patch = kind == ROW_PATCH;
	look.is_tombstone = kind == ROW_TOMBSTONE;
	TRY(read_row(&row, arena, &look, err));
	*ret = look;
	return 0;
}

/* ---- as records ---- */

static int put_record(
	struct buf *out, const struct warc_entry *e, const struct warc_id *id, struct err *err)
{
	return warc_entry_record(e, &(struct warc_entry_facts){.id = *id}, out, err);
}

static int put_response(struct buf *out, const struct compact_look *look, slice body,
	const struct warc_entry *shared, const struct warc_id *id, struct err *err)
{
	const struct attempt *a = &look->attempt;
	struct warc_entry e = *shared;

	e.type = look->is_patch ? WARC_TYPE_RESPONSE : WARC_TYPE_REVISIT;
	e.head = look->head;
	e.payload = &a->payload;
	if (look->is_patch) {
		e.body = body;
	} else {
		e.profile = WARC_PROFILE_IDENTICAL;
		e.refers_to = a->original.record;
		e.refers_to_url = a->original.url;
		e.refers_to_date = a->original.date;
	}
	return put_record(out, &e, id, err);
}

static int put_metadata(
	struct buf *out, const struct attempt *a, const struct warc_id *response, struct err *err)
{
	struct warc_entry e = {.type = WARC_TYPE_METADATA, .date = a->wall.sent, .url = a->url};
	struct warc_id id;
	BUF_SCOPED(text, COMPACT_ROW_MAX);

	if (response)
		e.concurrent = slice_str(response->text);
	TRY(err_code(err, derive_id(a, "metadata", &id)));
	TRY(err_code(err, attempt_format(a, &text)));
	e.body = buf_slice(&text);
	return put_record(out, &e, &id, err);
}

int compact_expand(const struct compact_look *look, slice body, struct buf *out, struct err *err)
{
	const struct attempt *a = &look->attempt;
	struct field extra[ATTEMPT_PROTOCOL_FIELDS];
	struct warc_entry shared = {.date = a->wall.sent,
		.url = a->url,
		.ip = look->address.len ? look->address : (slice){0},
		.extra = extra,
		.extra_count = attempt_protocol(a, extra)};
	struct warc_id response, request;

	if (look->is_tombstone)
		return put_metadata(out, a, NULL, err);
	TRY(err_code(err, compact_id(a, &response)));
	TRY(err_code(err, derive_id(a, "request", &request)));
	TRY(put_response(out, look, body, &shared, &response, err));
	if (look->request.len) {
		shared.type = WARC_TYPE_REQUEST;
		shared.head = look->request;
		shared.concurrent = slice_str(response.text);
		TRY(put_record(out, &shared, &request, err));
	}
	return put_metadata(out, a, &response, err);
}
