#define ZLIB_CONST /* its input is not written to */

#include "formats/http_decode.h"

#include <brotli/decode.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/word.h"

static int add_name(struct buf *names, slice name)
{
	int rc = names->len > 0 ? buf_add_char(names, ',') : 0;

	for (size_t i = 0; rc == 0 && i < name.len; i++)
		rc = buf_add_char(names, word_lower(name.ptr[i]));
	return rc;
}

static int add_names(struct buf *names, slice value)
{
	slice name;
	int rc = 0;

	while (rc == 0 && word_next(&value, ',', &name))
		if (!word_is(name, SLICE("identity")))
			rc = add_name(names, name);
	return rc;
}

int coding_names(const struct fields *head, slice name, struct buf *names)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < head->items.len; i++)
		if (word_is(head->items.ptr[i].name, name))
			rc = add_names(names, head->items.ptr[i].value);
	return rc;
}

static int choose_state(struct coding *c, bool opaque)
{
	int rc;

	c->state = CODING_PLAIN;
	c->end = CODING_ENDED;
	c->as_sent = false;
	if (c->names.len == 0)
		return 0;
	rc = opaque ? ERR_UNSUPPORTED : decode_open(&c->decode, buf_slice(&c->names), NULL);
	if (rc == ERR_NOMEM)
		return rc;
	c->as_sent = rc || c->decode.unknown;
	if (rc) {
		c->state = CODING_OPAQUE;
		c->end = CODING_UNSEEN;
	} else if (c->decode.count > 0) {
		c->state = CODING_DECODES;
	}
	return c->state == CODING_DECODES ? digester_start(&c->clean, DIGEST_SHA256) : 0;
}

int coding_start(struct coding *c, const struct fields *head, bool opaque)
{
	int rc;

	decode_close(&c->decode);
	buf_reset(&c->names);
	c->names.max = CODING_NAME_MAX;
	c->out.max = CODING_OUT_MAX;
	c->block_len = 0;
	c->sent = 0;
	rc = coding_names(head, SLICE("Content-Encoding"), &c->names);
	if (rc == 0 && opaque)
		rc = coding_names(head, SLICE("Transfer-Encoding"), &c->names);
	if (rc == ERR_LIMIT) { /* names without end: what there is of them stands for all */
		opaque = true;
		rc = 0;
	}
	if (rc == 0)
		rc = choose_state(c, opaque);
	return rc ? rc : digester_start(&c->plain, DIGEST_SHA256);
}

static int pass_on(struct coding *c, slice decoded)
{
	return c->sink && decoded.len > 0 ? c->sink(c->context, decoded) : 0;
}

/* The body is not what its label says: it is read as it was sent. */
static int take_as_sent(struct coding *c, slice block)
{
	c->state = CODING_PLAIN;
	c->end = CODING_UNSEEN;
	c->as_sent = true;
	return pass_on(c, block);
}

static void give_up(struct coding *c, int rc_decode)
{
	c->state = CODING_OPAQUE;
	c->end = rc_decode == ERR_LIMIT ? CODING_UNSEEN : CODING_CUT;
	c->as_sent = true;
}

/* What was decoded before an error goes to the sink as well: there may be links in it. */
static int decode_block(struct coding *c)
{
	slice block = {c->block, c->block_len};
	bool is_first = c->decode.in == 0;
	enum decode_start start = is_first ? decode_start(&c->decode, block) : DECODE_START_SIGNED;
	int rc_decode;

	c->block_len = 0;
	if (start == DECODE_START_OTHER)
		return take_as_sent(c, block);
	buf_reset(&c->out);
	rc_decode = decode_feed(&c->decode, block, &c->out, NULL);
	if (rc_decode == ERR_NOMEM)
		return rc_decode;
	if (rc_decode == ERR_SYNTAX && start == DECODE_START_POSSIBLE && c->out.len == 0)
		return take_as_sent(c, block);
	if (rc_decode)
		give_up(c, rc_decode);
	digester_feed(&c->clean, buf_slice(&c->out));
	return pass_on(c, buf_slice(&c->out));
}

static int feed_decoder(struct coding *c, slice body)
{
	int rc = 0;

	while (rc == 0 && body.len > 0 && c->state == CODING_DECODES) {
		slice part = slice_sub(body, 0, CODING_BLOCK - c->block_len);

		memcpy(c->block + c->block_len, part.ptr, part.len);
		c->block_len += part.len;
		body = slice_sub(body, part.len, body.len);
		if (c->block_len == CODING_BLOCK)
			rc = decode_block(c);
	}
	return rc == 0 && c->state == CODING_PLAIN && body.len > 0 ? pass_on(c, body) : rc;
}

int coding_feed(struct coding *c, slice body)
{
	if (body.len == 0)
		return 0;
	digester_feed(&c->plain, body);
	c->sent += body.len;
	return c->state == CODING_PLAIN ? pass_on(c, body) : feed_decoder(c, body);
}

/*
 * No bytes are a body without coding, whatever the head says (many a redirect); but where there is
 * a coding, they may as well be all that is left of one.
 */
static int end_decoding(struct coding *c)
{
	int rc = 0;

	if (c->sent == 0) {
		c->end = c->state == CODING_PLAIN ? CODING_ENDED : CODING_UNSEEN;
		c->state = CODING_PLAIN;
		c->as_sent = false;
		return 0;
	}
	if (c->state == CODING_DECODES && c->block_len > 0)
		rc = decode_block(c);
	if (rc == 0 && c->state == CODING_DECODES && decode_finish(&c->decode, NULL))
		give_up(c, ERR_SYNTAX);
	return rc;
}

int coding_finish(struct coding *c, struct coding_result *ret)
{
	struct coding_result r = {0};
	int rc = end_decoding(c);

	if (rc == 0)
		digester_finish(&c->plain, &r.payload);
	r.body = r.payload;
	if (rc == 0 && c->state == CODING_DECODES && !c->as_sent)
		digester_finish(&c->clean, &r.body);
	decode_close(&c->decode);
	if (c->out.cap > CODING_OUT_KEEP)
		buf_release(&c->out);
	if (rc)
		return rc;
	r.decoded = !c->as_sent;
	r.readable = c->state != CODING_OPAQUE;
	r.end = c->end;
	r.payload_size = c->sent;
	*ret = r;
	return 0;
}

void coding_release(struct coding *c)
{
	decode_close(&c->decode);
	buf_release(&c->names);
	buf_release(&c->out);
	digester_release(&c->plain);
	digester_release(&c->clean);
}

/*
 * One coding of a body: a common face of zlib, brotli and zstd. Used by decode.c alone.
 */

struct decode_stage;

enum { ZLIB_WINDOW_BITS = 15, ZLIB_GZIP = 16, ZSTD_MAGIC_LEN = 4 };

struct decode_stage {
	enum decode_kind kind;
	bool opened;  /* the library's state below is there */
	bool started; /* bytes have come */
	bool ended;   /* at the end of a member or frame; another may follow */
	bool closed;  /* what comes is dropped */
	bool held;    /* first is the first byte of deflate; the second decides what it is */
	char first;
	size_t magic_len;
	unsigned char magic[ZSTD_MAGIC_LEN];
	z_stream zlib;
	BrotliDecoderState *brotli;
	ZSTD_DStream *zstd;
};

static int open_zlib(struct decode_stage *s, int window_bits)
{
	if (inflateInit2(&s->zlib, window_bits) != Z_OK)
		return ERR_NOMEM;
	s->opened = true;
	return 0;
}

static int open_zstd(struct decode_stage *s)
{
	s->zstd = ZSTD_createDStream();
	if (!s->zstd)
		return ERR_NOMEM;
	(void)ZSTD_DCtx_setParameter(s->zstd, ZSTD_d_windowLogMax, DECODE_ZSTD_WINDOW_LOG_MAX);
	return 0;
}

static void decode_stage_close(struct decode_stage *s)
{
	if (!s)
		return;
	if (s->opened)
		(void)inflateEnd(&s->zlib);
	if (s->brotli)
		BrotliDecoderDestroyInstance(s->brotli);
	(void)ZSTD_freeDStream(s->zstd);
	free(s);
}

/* 0 or ERR_NOMEM. */
static SP_MUST_CHECK int decode_stage_open(enum decode_kind kind, struct decode_stage **ret_stage)
{
	struct decode_stage *s = mem_new(1, sizeof *s);
	int rc = 0;

	s->kind = kind;
	switch (kind) {
	case DECODE_GZIP:
		rc = open_zlib(s, ZLIB_WINDOW_BITS + ZLIB_GZIP);
		break;
	case DECODE_BROTLI:
		s->brotli = BrotliDecoderCreateInstance(NULL, NULL, NULL);
		rc = s->brotli ? 0 : ERR_NOMEM;
		break;
	case DECODE_ZSTD:
		rc = open_zstd(s);
		break;
	case DECODE_DEFLATE: /* when its first two bytes have been seen */
		break;
	}
	if (rc)
		decode_stage_close(s);
	else
		*ret_stage = s;
	return rc;
}

/* What zlib makes of the input; advances *in and counts the output. */
static int inflate_some(struct decode_stage *s, slice *in, char *out, size_t size, size_t *ret_out)
{
	uInt avail = in->len < UINT_MAX ? (uInt)in->len : UINT_MAX;
	int rc;

	s->zlib.next_in = (const Bytef *)in->ptr;
	s->zlib.avail_in = avail;
	s->zlib.next_out = (Bytef *)out;
	s->zlib.avail_out = (uInt)size;
	rc = inflate(&s->zlib, Z_NO_FLUSH);
	*in = slice_sub(*in, avail - s->zlib.avail_in, in->len);
	*ret_out = size - s->zlib.avail_out;
	s->ended = rc == Z_STREAM_END;
	if (rc == Z_MEM_ERROR)
		return ERR_NOMEM;
	return rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR ? 0 : ERR_SYNTAX;
}

/* Behind a member of gzip: another one, or rubbish. */
static void next_member(struct decode_stage *s, slice in)
{
	if (s->kind == DECODE_GZIP && in.ptr[0] == '\x1f')
		(void)inflateReset(&s->zlib);
	else
		s->closed = true;
}

/* RFC 1950: a header of two bytes, a multiple of 31, whose method is 8. */
static bool is_zlib_header(char first, char second)
{
	unsigned a = (unsigned char)first, b = (unsigned char)second;

	return (a & 15) == 8 && (a >> 4) <= 7 && (a << 8 | b) % 31 == 0;
}

/* Opens deflate when two bytes are there, and gives it the first; 0 also when they are not. */
static int start_deflate(struct decode_stage *s, slice *in)
{
	slice first = {&s->first, 1};
	size_t none;
	char out;
	int rc;

	if (!s->held) {
		s->held = true;
		s->first = in->ptr[0];
		*in = slice_sub(*in, 1, in->len);
	}
	if (in->len == 0)
		return 0;
	rc = open_zlib(
		s, is_zlib_header(s->first, in->ptr[0]) ? ZLIB_WINDOW_BITS : -ZLIB_WINDOW_BITS);
	/* One byte of deflate never makes output: a block's header and a symbol take more. */
	return rc ? rc : inflate_some(s, &first, &out, 1, &none);
}

static int step_zlib(struct decode_stage *s, slice *in, char *out, size_t size, size_t *ret_out)
{
	if (s->ended && in->len)
		next_member(s, *in);
	if (s->closed) {
		*in = (slice){0};
		return 0;
	}
	if (!s->opened && in->len) {
		int rc = start_deflate(s, in);

		if (rc || in->len == 0)
			return rc;
	}
	return s->opened ? inflate_some(s, in, out, size, ret_out) : 0;
}

static int step_brotli(struct decode_stage *s, slice *in, char *out, size_t size, size_t *ret_out)
{
	const uint8_t *next_in = (const uint8_t *)in->ptr;
	uint8_t *next_out = (uint8_t *)out;
	size_t avail_in = in->len, avail_out = size;
	BrotliDecoderResult result;

	if (s->ended) {
		*in = (slice){0};
		return 0;
	}
	result = BrotliDecoderDecompressStream(
		s->brotli, &avail_in, &next_in, &avail_out, &next_out, NULL);
	*in = slice_sub(*in, in->len - avail_in, in->len);
	*ret_out = size - avail_out;
	s->ended = result == BROTLI_DECODER_RESULT_SUCCESS;
	return result == BROTLI_DECODER_RESULT_ERROR ? ERR_SYNTAX : 0;
}

/* RFC 8878: a frame, or one to be skipped; the library would also read seven older formats. */
static bool is_zstd_magic(const unsigned char magic[ZSTD_MAGIC_LEN])
{
	return (magic[0] == 0x28 && magic[1] == 0xb5 && magic[2] == 0x2f && magic[3] == 0xfd) ||
	       ((magic[0] & 0xf0) == 0x50 && magic[1] == 0x2a && magic[2] == 0x4d &&
		       magic[3] == 0x18);
}

/* By its first byte. */
static bool may_be_zstd(unsigned char first)
{
	return first == 0x28 || (first & 0xf0) == 0x50;
}

static int decompress_some(
	struct decode_stage *s, slice *in, char *out, size_t size, size_t *ret_out)
{
	ZSTD_inBuffer source = {in->ptr, in->len, 0};
	ZSTD_outBuffer target = {out, size, 0};
	size_t rc = ZSTD_decompressStream(s->zstd, &target, &source);

	if (ZSTD_isError(rc))
		return ERR_SYNTAX;
	*in = slice_sub(*in, source.pos, in->len);
	*ret_out = target.pos;
	s->ended = rc == 0;
	if (s->ended)
		s->magic_len = 0;
	return 0;
}

/* Collects what a frame begins with. Behind the first one anything else is rubbish. */
static int start_frame(struct decode_stage *s, slice *in, char *out, size_t size)
{
	slice magic = {(const char *)s->magic, ZSTD_MAGIC_LEN};
	size_t none;

	while (s->magic_len < ZSTD_MAGIC_LEN && in->len) {
		s->magic[s->magic_len++] = (unsigned char)in->ptr[0];
		*in = slice_sub(*in, 1, in->len);
	}
	if (s->magic_len < ZSTD_MAGIC_LEN)
		return 0;
	if (is_zstd_magic(s->magic))
		return decompress_some(s, &magic, out, size, &none);
	s->closed = s->ended;
	return s->ended ? 0 : ERR_SYNTAX;
}

static int step_zstd(struct decode_stage *s, slice *in, char *out, size_t size, size_t *ret_out)
{
	if (s->magic_len < ZSTD_MAGIC_LEN) {
		int rc = start_frame(s, in, out, size);

		if (rc || s->magic_len < ZSTD_MAGIC_LEN)
			return rc;
	}
	if (s->closed) {
		*in = (slice){0};
		return 0;
	}
	return decompress_some(s, in, out, size, ret_out);
}

/*
 * Decodes bytes off *in into out, up to size of them: 0, ERR_SYNTAX or ERR_NOMEM, and how many
 * came out in any case. Call it again while the output was full or input is left; what stands
 * behind the end of the coded bytes is dropped.
 */
static SP_MUST_CHECK int decode_stage_step(
	struct decode_stage *s, slice *in, char *out, size_t size, size_t *ret_out)
{
	*ret_out = 0;
	s->started = s->started || in->len;
	switch (s->kind) {
	case DECODE_GZIP:
	case DECODE_DEFLATE:
		return step_zlib(s, in, out, size, ret_out);
	case DECODE_BROTLI:
		return step_brotli(s, in, out, size, ret_out);
	case DECODE_ZSTD:
		return step_zstd(s, in, out, size, ret_out);
	}
	return ERR_UNSUPPORTED;
}

static enum decode_start compare_start(slice first, slice signature)
{
	size_t len = first.len < signature.len ? first.len : signature.len;

	if (memcmp(first.ptr, signature.ptr, len) != 0)
		return DECODE_START_OTHER;
	return len == signature.len ? DECODE_START_SIGNED : DECODE_START_POSSIBLE;
}

/* What the first bytes of its input say, before they are given. */
static enum decode_start decode_stage_start(const struct decode_stage *s, slice first)
{
	if (first.len == 0)
		return DECODE_START_POSSIBLE;
	if (s->kind == DECODE_GZIP)
		return compare_start(first, SLICE("\x1f\x8b"));
	if (s->kind != DECODE_ZSTD)
		return DECODE_START_POSSIBLE;
	if (first.len >= ZSTD_MAGIC_LEN)
		return is_zstd_magic((const unsigned char *)first.ptr) ? DECODE_START_SIGNED
								       : DECODE_START_OTHER;
	return may_be_zstd((unsigned char)first.ptr[0]) ? DECODE_START_POSSIBLE
							: DECODE_START_OTHER;
}

/* A body that breaks off within the signature of another zstd frame has not ended. */
/* Whether the coded bytes have come to their end; nothing at all counts as one. */
static bool decode_stage_ended(const struct decode_stage *s)
{
	if (s->kind == DECODE_ZSTD && s->magic_len > 0 && s->magic_len < ZSTD_MAGIC_LEN &&
		may_be_zstd(s->magic[0]))
		return false;
	return s->ended || !s->started;
}

/* What the HTTP registry calls it. */
static const char *decode_stage_name(const struct decode_stage *s)
{
	static const char *const NAMES[] = {[DECODE_GZIP] = "gzip",
		[DECODE_DEFLATE] = "deflate",
		[DECODE_BROTLI] = "br",
		[DECODE_ZSTD] = "zstd"};

	return NAMES[s->kind];
}

static int kind_of(slice name, enum decode_kind *ret_kind)
{
	if (word_is(name, SLICE("gzip")) || word_is(name, SLICE("x-gzip")))
		*ret_kind = DECODE_GZIP;
	else if (word_is(name, SLICE("deflate")))
		*ret_kind = DECODE_DEFLATE;
	else if (word_is(name, SLICE("br")))
		*ret_kind = DECODE_BROTLI;
	else if (word_is(name, SLICE("zstd")))
		*ret_kind = DECODE_ZSTD;
	else
		return ERR_UNSUPPORTED;
	return 0;
}

/* Codings are listed in the order in which they were applied: the last is undone first. */
static int add_stage(struct decode *d, slice name, struct err *err)
{
	struct decode_stage *stage;
	enum decode_kind kind;
	int rc;

	if (kind_of(name, &kind)) {
		d->unknown = true;
		return 0;
	}
	if (d->count == DECODE_STAGES_MAX)
		return err_set(err, ERR_LIMIT, "more than %d content codings", DECODE_STAGES_MAX);
	rc = decode_stage_open(kind, &stage);
	if (rc)
		return err_code(err, rc);
	for (size_t i = d->count; i > 0; i--)
		d->stages[i] = d->stages[i - 1];
	d->stages[0] = stage;
	d->count++;
	return 0;
}

int decode_open(struct decode *d, slice content_encoding, struct err *err)
{
	slice name;
	int rc = 0;

	*d = (struct decode){0};
	while (rc == 0 && word_next(&content_encoding, ',', &name))
		if (!word_is(name, SLICE("identity")))
			rc = add_stage(d, name, err);
	if (rc)
		decode_close(d);
	return rc;
}

enum decode_start decode_start(const struct decode *d, slice first)
{
	return decode_stage_start(d->stages[0], first);
}

void decode_close(struct decode *d)
{
	for (size_t i = 0; i < d->count; i++)
		decode_stage_close(d->stages[i]);
	*d = (struct decode){0};
}

/* Asked of every stage, since what one makes of a bomb may be the next one's input. */
static bool is_bomb(const struct decode *d, size_t i)
{
	return d->out[i] > DECODE_RATIO_FREE && d->out[i] / DECODE_RATIO_MAX > d->in;
}

static int add_output(struct buf *out, slice bytes, struct err *err)
{
	size_t room = out->max - out->len;
	int rc = buf_add(out, slice_sub(bytes, 0, room));

	if (rc == 0 && bytes.len > room)
		rc = ERR_LIMIT;
	return rc ? err_set(err, rc, "decoded body: %s", err_name(rc)) : 0;
}

/* One step of a stage: 0 or an error, and how many bytes came out in either case. */
static int step(struct decode *d, size_t i, slice *in, char out[DECODE_STEP], size_t *ret_out,
	struct err *err)
{
	struct decode_stage *s = d->stages[i];
	size_t before = in->len;
	int rc = decode_stage_step(s, in, out, DECODE_STEP, ret_out);

	if (rc == 0 && before && in->len == before && *ret_out == 0)
		rc = ERR_SYNTAX; /* a library that does not move on would keep us for ever */
	if (rc)
		return err_set(err, rc, "%s body: %s", decode_stage_name(s), err_name(rc));
	d->out[i] += *ret_out;
	if (is_bomb(d, i))
		return err_set(err, ERR_LIMIT,
			"%s body: more than %d times as large as its coded form",
			decode_stage_name(s), DECODE_RATIO_MAX);
	return 0;
}

/* One stage's share of the way, and then the next one's; as deep as there are stages. */
static int pass(struct decode *d, size_t i, slice in, struct buf *out, struct err *err)
{
	size_t n;

	if (i == d->count)
		return add_output(out, in, err);
	do {
		char bytes[DECODE_STEP];
		int rc = step(d, i, &in, bytes, &n, err), next = 0;

		/* What came out before an error is as good as the rest. */
		if (n)
			next = pass(d, i + 1, (slice){bytes, n}, out, rc ? NULL : err);
		if (rc || next)
			return rc ? rc : next;
	} while (in.len || n == DECODE_STEP);
	return 0;
}

int decode_feed(struct decode *d, slice chunk, struct buf *out, struct err *err)
{
	d->in += chunk.len;
	return chunk.len ? pass(d, 0, chunk, out, err) : 0;
}

int decode_finish(const struct decode *d, struct err *err)
{
	for (size_t i = 0; i < d->count; i++)
		if (!decode_stage_ended(d->stages[i]))
			return err_set(err, ERR_SYNTAX, "%s body is truncated",
				decode_stage_name(d->stages[i]));
	return 0;
}
