#include "warc/warc_compress.h"

#include <isa-l/igzip_lib.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/buf.h"
#include "base/mem.h"

/* ---- gzip ---- */

enum {
	OUT_SIZE = 64 << 10,
	PIECE_MAX = 1 << 30, /* ISA-L counts in 32 bits */
	WRAPPING = 10 + 8,   /* a member's head and its end */
	RESERVED_FLAGS = 0xe0,
	STORED_MAX = 65535, /* bytes of a block that is not compressed */
	STORED_HEAD = 5,
	SPARE = 512, /* ISA-L wants room for a block's codes before it writes them */
};

struct warc_gzip {
	uint32_t level;
	struct isal_hufftables alike; /* codes of small records */
	struct isal_zstream stream;
	uint8_t out[OUT_SIZE];
	uint8_t work[ISAL_DEF_LVL3_DEFAULT]; /* the most that a level needs */
};

/* Records as we write them, one of each kind that is small. */
static const char *const SAMPLES[] = {
	"WARC/1.1\r\nWARC-Type: request\r\n"
	"WARC-Record-ID: <urn:uuid:76d82072-38ff-4440-bd25-e371c4ee8084>\r\n"
	"WARC-Date: 2026-11-16T10:05:33.908726Z\r\n"
	"WARC-Target-URI: https://www.example.org/news/2026/page-550.html\r\n"
	"WARC-IP-Address: 192.0.2.17\r\n"
	"WARC-Concurrent-To: <urn:uuid:bef736c1-e3e0-4ea9-a453-ec5477605bb3>\r\n"
	"WARC-Block-Digest: "
	"sha256:1b2e16fce4b3f948ed686ab06c219cda89aaed5abd3f6ad20bd905b778b74f3f\r\n"
	"Content-Type: application/http; msgtype=request\r\nContent-Length: 248\r\n\r\n"
	"GET /news/2026/page-550.html HTTP/1.1\r\nHost: www.example.org\r\n"
	"User-Agent: Mozilla/5.0 (compatible; stillpoint/0.1.0)\r\n"
	"Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n"
	"Accept-Encoding: gzip, br\r\nCache-Control: no-cache\r\n\r\n\r\n\r\n",

	"WARC/1.1\r\nWARC-Type: metadata\r\n"
	"WARC-Record-ID: <urn:uuid:b9738c4e-dabd-4f3e-a44b-3c8871c3deed>\r\n"
	"WARC-Date: 2026-11-16T10:05:33.908041Z\r\n"
	"WARC-Target-URI: https://www.example.org/en/about/index.php?id=178\r\n"
	"WARC-Concurrent-To: <urn:uuid:09d86755-743a-4c6e-8214-d687d4e2cca7>\r\n"
	"WARC-Block-Digest: "
	"sha256:24ecb38713ef079c96f76816eeea91cb228b1042873fa8b70e34328f1c304d64\r\n"
	"Content-Type: application/warc-fields\r\nContent-Length: 486\r\n\r\n"
	"capture: urn:uuid:7674067a-3f9d-42f5-a26a-dcdbbe14393f\r\n"
	"leg: visit\r\nattempt: 1\r\nkind: page\r\nvia: https://www.example.org/en/home\r\n"
	"requestSent: 2026-11-16T10:05:33.908041855Z\r\n"
	"firstByte: 2026-11-16T10:05:33.935008353Z\r\n"
	"lastByte: 2026-11-16T10:05:33.935812420Z\r\n"
	"monotonicRequestSent: 35023407752976\r\nmonotonicFirstByte: 35023434719474\r\n"
	"monotonicLastByte: 35023435523541\r\nstatus: 200\r\n"
	"state: sha256:b2000a148e14e3ebdbbc375f359eb00cedb62c42c2c6197efb29efde140aa328\r\n"
	"\r\n\r\n",

	"WARC/1.1\r\nWARC-Type: revisit\r\n"
	"WARC-Record-ID: <urn:uuid:8f69dfa3-92ca-41e6-8ec6-8a4db970f2d1>\r\n"
	"WARC-Date: 2026-11-16T10:13:02Z\r\n"
	"WARC-Warcinfo-ID: <urn:uuid:5b0c9c3e-7f12-4d8a-9d36-20a84fe5b7c1>\r\n"
	"WARC-Target-URI: https://www.example.org/static/js/jquery.min.js\r\n"
	"WARC-IP-Address: 192.0.2.17\r\n"
	"WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n"
	"WARC-Refers-To: <urn:uuid:b15320dc-d62d-4efb-b7e0-164268ad9dc9>\r\n"
	"WARC-Refers-To-Target-URI: https://www.example.org/static/js/jquery.min.js\r\n"
	"WARC-Refers-To-Date: 2026-11-16T10:12:57Z\r\n"
	"stillpoint-attempt: urn:uuid:7674067a-3f9d-42f5-a26a-dcdbbe14393f revisit 1 200 1 "
	"647395127 35023407752976 26966498 804067\r\nstillpoint-signSet: 2\r\n"
	"WARC-Payload-Digest: "
	"sha256:78621e60c54c98fddbe44120933db47152b17159f825ac3364bb03d6f1497361\r\n"
	"WARC-Block-Digest: "
	"sha256:ebd37b23d650badd6094188781893ade69fc6c754a63cbe314fbaa109787cb54\r\n"
	"Content-Type: application/http; msgtype=response\r\nContent-Length: 240\r\n\r\n"
	"HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Mon, 16 Nov 2026 10:13:02 GMT\r\n"
	"Content-Type: text/javascript; charset=utf-8\r\nContent-Length: 8824\r\n"
	"Last-Modified: Sat, 14 Mar 2026 08:04:53 GMT\r\nConnection: keep-alive\r\n"
	"Vary: Accept-Encoding\r\nETag: \"6afad545-2278\"\r\nAccept-Ranges: bytes\r\n"
	"\r\n\r\n\r\n",
};

/* Every byte gets a code, those of the samples a short one. */
static int make_codes(struct isal_hufftables *codes)
{
	struct isal_huff_histogram *seen = mem_new(1, sizeof *seen);
	int failed;

	for (size_t i = 0; i < sizeof SAMPLES / sizeof SAMPLES[0]; i++) {
		uint8_t sample[WARC_GZIP_ALIKE_MAX];
		slice text = slice_str(SAMPLES[i]);

		memcpy(sample, text.ptr, text.len);
		isal_update_histogram(sample, (int)text.len, seen);
	}
	failed = isal_create_hufftables(codes, seen);
	free(seen);
	return failed ? ERR_STATE : 0;
}

int warc_gzip_open(int level, struct warc_gzip **ret)
{
	struct warc_gzip *g = mem_resize(NULL, 1, sizeof *g);
	int rc = make_codes(&g->alike);

	if (rc) {
		free(g);
		return rc;
	}
	g->level = (uint32_t)level;
	*ret = g;
	return 0;
}

void warc_gzip_close(struct warc_gzip *g)
{
	free(g);
}

/*
 * ISA-L leaves the upper halves of the vector registers in use, and until somebody clears them all
 * code of the process that uses the lower halves runs slower: a copy takes three times as long.
 */
static void clear_upper_halves(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx"))
		__asm__ volatile("vzeroupper" ::: "memory");
#endif
}

/* ISA-L does not change what it reads, but does not say so. */
static uint8_t *input(slice bytes)
{
	uint8_t *p;

	memcpy(&p, &bytes.ptr, sizeof p);
	return p;
}

static void set_level(struct warc_gzip *g)
{
	g->stream.level = g->level;
	g->stream.level_buf = g->work;
	g->stream.level_buf_size = sizeof g->work;
}

size_t warc_gzip_room(size_t record)
{
	return record + STORED_HEAD * (record / STORED_MAX + 1) + WRAPPING + SPARE;
}

int warc_gzip_whole(struct warc_gzip *g, slice record, char *out, size_t *ret_len)
{
	struct isal_zstream *s = &g->stream;
	int result;

	isal_deflate_stateless_init(s);
	if (record.len <= WARC_GZIP_ALIKE_MAX)
		s->hufftables = &g->alike;
	else
		set_level(g);
	s->gzip_flag = IGZIP_GZIP;
	s->end_of_stream = 1;
	s->next_in = input(record);
	s->avail_in = (uint32_t)record.len;
	s->next_out = (uint8_t *)out;
	s->avail_out = (uint32_t)warc_gzip_room(record.len);
	result = isal_deflate_stateless(s);
	clear_upper_halves();
	if (result != COMP_OK)
		return ERR_STATE;
	*ret_len = s->total_out;
	return 0;
}

/* The last four bytes of a member: how many it holds, if these are true (RFC 1952 §2.3.1). */
static size_t stated_size(slice member)
{
	const unsigned char *p = (const unsigned char *)member.ptr + member.len - 4;

	return p[0] | (size_t)p[1] << 8 | (size_t)p[2] << 16 | (size_t)p[3] << 24;
}

int warc_gzip_unpack(slice member, struct buf *out)
{
	struct inflate_state *s;
	size_t size;
	int rc, result;

	/* Flags that nobody has given a meaning may mean more fields, which ISA-L overlooks. */
	if (member.len <= WRAPPING || member.len > PIECE_MAX ||
		((unsigned char)member.ptr[3] & RESERVED_FLAGS))
		return ERR_SYNTAX;
	size = stated_size(member);
	rc = buf_reserve(out, size);
	if (rc)
		return rc;
	s = mem_resize(NULL, 1, sizeof *s); /* 80 kB that need not be cleared */
	isal_inflate_init(s);
	s->crc_flag = ISAL_GZIP;
	s->next_in = input(member);
	s->avail_in = (uint32_t)member.len;
	s->next_out = (uint8_t *)out->ptr + out->len;
	s->avail_out = (uint32_t)size;
	result = isal_inflate_stateless(s);
	clear_upper_halves();
	if (result != ISAL_DECOMP_OK || s->avail_out > 0 || s->avail_in > 0)
		rc = ERR_SYNTAX;
	else
		buf_truncate(out, out->len + size);
	free(s);
	return rc;
}

void warc_gzip_begin(struct warc_gzip *g)
{
	isal_deflate_init(&g->stream);
	set_level(g);
	g->stream.gzip_flag = IGZIP_GZIP;
}

/* What a piece gives. */
static int run(struct warc_gzip *g, warc_gzip_emit *emit, void *context, struct err *err)
{
	struct isal_zstream *s = &g->stream;
	int rc = 0;

	do {
		size_t len;
		int result;

		s->next_out = g->out;
		s->avail_out = OUT_SIZE;
		result = isal_deflate(s);
		clear_upper_halves();
		if (result != COMP_OK)
			return err_set(err, ERR_STATE, "gzip member: compression failed");
		len = OUT_SIZE - s->avail_out;
		if (len)
			rc = emit(context, (slice){(const char *)g->out, len}, err);
	} while (rc == 0 && s->avail_out == 0);
	if (rc == 0 && s->end_of_stream && s->internal_state.state != ZSTATE_END)
		return err_set(err, ERR_STATE, "gzip member did not end");
	return rc;
}

int warc_gzip_feed(struct warc_gzip *g, slice bytes, bool is_last, warc_gzip_emit *emit,
	void *context, struct err *err)
{
	int rc;

	do {
		slice piece = slice_sub(bytes, 0, PIECE_MAX);

		bytes = slice_sub(bytes, piece.len, bytes.len);
		g->stream.next_in = input(piece);
		g->stream.avail_in = (uint32_t)piece.len;
		g->stream.end_of_stream = is_last && bytes.len == 0;
		rc = run(g, emit, context, err);
	} while (rc == 0 && bytes.len > 0);
	return rc;
}

/* ---- records ---- */

enum {
	GZIP_LEVEL = 2, /* level 3 makes a page 3 % smaller, for half as much time again */
	ZSTD_LEVEL = 3,
};

struct warc_compress {
	enum warc_coding coding;
	int level;
	bool is_small; /* the record under way is gathered, to be compressed at once */
	warc_compress_emit *emit;
	void *context;
	struct buf record; /* a small one */
	struct buf member; /* what became of it */
	struct warc_gzip *gzip;
	ZSTD_CCtx *zstd;
	unsigned char out[OUT_SIZE];
};

static int find_level(enum warc_coding coding, int level, int *ret, struct err *err)
{
	int max = coding == WARC_CODING_ZSTD ? WARC_ZSTD_LEVEL_MAX : WARC_GZIP_LEVEL_MAX;

	if (level < 0 || level > max)
		return err_set(err, ERR_RANGE, "compression level must be from 1 to %d", max);
	*ret = level;
	if (!level)
		*ret = coding == WARC_CODING_ZSTD ? ZSTD_LEVEL : GZIP_LEVEL;
	return 0;
}

static int prepare(struct warc_compress *c, struct err *err)
{
	if (c->coding == WARC_CODING_GZIP) {
		int rc = warc_gzip_open(c->level, &c->gzip);

		if (rc)
			return err_set(err, rc, "gzip: %s", err_name(rc));
		buf_init(&c->record, WARC_COMPRESS_SMALL_MAX);
		buf_init(&c->member, warc_gzip_room(WARC_COMPRESS_SMALL_MAX));
	} else if (c->coding == WARC_CODING_ZSTD) {
		c->zstd = ZSTD_createCCtx();
		if (!c->zstd)
			mem_end();
		(void)ZSTD_CCtx_setParameter(c->zstd, ZSTD_c_compressionLevel, c->level);
		(void)ZSTD_CCtx_setParameter(c->zstd, ZSTD_c_checksumFlag, 1);
		buf_init(&c->record, WARC_COMPRESS_SMALL_MAX);
		buf_init(&c->member, ZSTD_compressBound(WARC_COMPRESS_SMALL_MAX));
	}
	return 0;
}

int warc_compress_open(
	enum warc_coding coding, int level, struct warc_compress **ret, struct err *err)
{
	struct warc_compress *c = mem_new(1, sizeof *c);
	int rc;

	c->coding = coding;
	rc = find_level(coding, level, &c->level, err);
	if (rc == 0)
		rc = prepare(c, err);
	if (rc) {
		warc_compress_close(c);
		return rc;
	}
	*ret = c;
	return 0;
}

void warc_compress_close(struct warc_compress *c)
{
	if (!c)
		return;
	warc_gzip_close(c->gzip);
	(void)ZSTD_freeCCtx(c->zstd);
	buf_release(&c->record);
	buf_release(&c->member);
	free(c);
}

void warc_compress_begin(
	struct warc_compress *c, uint64_t size, warc_compress_emit *emit, void *context)
{
	c->emit = emit;
	c->context = context;
	c->is_small = c->coding != WARC_CODING_PLAIN && size <= WARC_COMPRESS_SMALL_MAX;
	buf_reset(&c->record);
	if (c->coding == WARC_CODING_GZIP && !c->is_small)
		warc_gzip_begin(c->gzip);
	if (c->coding == WARC_CODING_ZSTD) {
		(void)ZSTD_CCtx_reset(c->zstd, ZSTD_reset_session_only);
		if (!c->is_small)
			(void)ZSTD_CCtx_setPledgedSrcSize(c->zstd, size);
	}
}

static int run_gzip(struct warc_compress *c, slice bytes, bool is_last, struct err *err)
{
	return warc_gzip_feed(c->gzip, bytes, is_last, c->emit, c->context, err);
}

static int run_zstd(
	struct warc_compress *c, slice bytes, ZSTD_EndDirective directive, struct err *err)
{
	ZSTD_inBuffer in = {bytes.ptr, bytes.len, 0};
	bool again = true;
	int rc = 0;

	while (rc == 0 && again) {
		ZSTD_outBuffer out = {c->out, OUT_SIZE, 0};
		size_t left = ZSTD_compressStream2(c->zstd, &out, &in, directive);

		if (ZSTD_isError(left))
			mem_end();
		if (out.pos)
			rc = c->emit(c->context, (slice){(const char *)c->out, out.pos}, err);
		again = directive == ZSTD_e_end ? left > 0 : in.pos < in.size;
	}
	return rc;
}

int warc_compress_feed(struct warc_compress *c, slice bytes, struct err *err)
{
	if (bytes.len == 0)
		return 0;
	if (c->coding == WARC_CODING_PLAIN)
		return c->emit(c->context, bytes, err);
	if (!c->is_small)
		return c->coding == WARC_CODING_ZSTD ? run_zstd(c, bytes, ZSTD_e_continue, err)
						     : run_gzip(c, bytes, false, err);
	return err_code(err, buf_add(&c->record, bytes));
}

static int end_small(struct warc_compress *c, struct err *err)
{
	slice record = buf_slice(&c->record);
	size_t room = c->coding == WARC_CODING_GZIP ? warc_gzip_room(record.len)
						    : ZSTD_compressBound(record.len);
	int rc;

	buf_reset(&c->member);
	rc = buf_reserve(&c->member, room);
	if (rc == 0 && c->coding == WARC_CODING_GZIP) {
		rc = warc_gzip_whole(c->gzip, record, c->member.ptr, &c->member.len);
	} else if (rc == 0) {
		c->member.len =
			ZSTD_compress2(c->zstd, c->member.ptr, room, record.ptr, record.len);
		if (ZSTD_isError(c->member.len))
			mem_end();
	}
	if (rc)
		return err_set(err, rc, "compression: %s", err_name(rc));
	return c->emit(c->context, buf_slice(&c->member), err);
}

int warc_compress_end(struct warc_compress *c, struct err *err)
{
	if (c->coding == WARC_CODING_PLAIN)
		return 0;
	if (c->is_small)
		return end_small(c, err);
	return c->coding == WARC_CODING_ZSTD ? run_zstd(c, (slice){0}, ZSTD_e_end, err)
					     : run_gzip(c, (slice){0}, true, err);
}

int warc_compress_record(struct warc_compress *c, slice record, warc_compress_emit *emit,
	void *context, struct err *err)
{
	warc_compress_begin(c, record.len, emit, context);
	TRY(warc_compress_feed(c, record, err));
	return warc_compress_end(c, err);
}
