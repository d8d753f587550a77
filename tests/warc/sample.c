#include "sample.h"

#include <stdlib.h>
#define ZLIB_CONST /* next_in is */
#include <zlib.h>
#include <zstd.h>

#include "base/err.h"
#include "formats/http_digest.h"
#include "tap.h"
#include "warc/warc_reader.h"

static void must(int rc)
{
	if (rc)
		abort();
}

static struct digest digest_of(enum digest_kind kind, slice bytes)
{
	struct digester d = {0};
	struct digest value;

	must(digester_start(&d, kind));
	digester_feed(&d, bytes);
	digester_finish(&d, &value);
	digester_release(&d);
	return value;
}

static void add_base32(struct buf *out, const struct digest *d)
{
	static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

	/* SHA-1: 160 bits are 32 digits without any left over. */
	for (size_t bit = 0; bit < 160; bit += 5) {
		unsigned pair = (unsigned)d->bytes[bit / 8] << 8;

		if (bit / 8 + 1 < 20)
			pair |= d->bytes[bit / 8 + 1];
		must(buf_add_char(out, DIGITS[pair >> (11 - bit % 8) & 31]));
	}
}

static void add_digest(struct buf *out, const char *name, slice bytes, unsigned habits, bool bad)
{
	enum digest_kind kind = habits & SAMPLE_SHA256 ? DIGEST_SHA256
				: habits & SAMPLE_MD5  ? DIGEST_MD5
						       : DIGEST_SHA1;
	struct digest d = digest_of(kind, bytes);
	char text[DIGEST_TEXT_SIZE];

	if (habits & SAMPLE_NO_DIGESTS)
		return;
	d.bytes[3] ^= bad;
	must(buf_printf(out, "%s: ", name));
	if (kind == DIGEST_SHA1) {
		must(buf_add_str(out, "sha1:"));
		add_base32(out, &d);
	} else {
		(void)digest_format(&d, text);
		must(buf_add_str(out, text));
	}
	must(buf_add_str(out, "\r\n"));
}

/* The content, and the whole message with it. */
static void make_message(
	struct buf *content, struct buf *body, struct buf *block, unsigned number, unsigned habits)
{
	bool chunked = habits & SAMPLE_CHUNKED;

	for (unsigned i = 0; i < 20; i++)
		must(buf_printf(content, "<p>page %u, line %u</p>\r\n", number, i * number));
	if (chunked)
		must(buf_printf(body, "%zx\r\n", content->len));
	must(buf_add(body, buf_slice(content)));
	if (chunked)
		must(buf_add_str(body, "\r\n0\r\n\r\n"));
	must(buf_printf(block,
		"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n%s\r\n",
		chunked ? "Transfer-Encoding: chunked\r\n" : ""));
	must(buf_add(block, buf_slice(body)));
}

static void add_header(
	struct buf *out, unsigned number, unsigned habits, slice block, slice payload)
{
	bool brackets = habits & SAMPLE_BRACKETS;
	size_t length =
		block.len + (habits & SAMPLE_LONG ? 1000 : 0) - (habits & SAMPLE_SHORT ? 10 : 0);

	must(buf_printf(
		out, "WARC/%s\r\nWARC-Type: response\r\n", habits & SAMPLE_018 ? "0.18" : "1.0"));
	must(buf_printf(out, "WARC-Target-URI: %shttp://example.com/%u%s\r\n", brackets ? "<" : "",
		number, brackets ? ">" : ""));
	must(buf_printf(out, "WARC-Date: 2020-01-01T00:00:%02uZ\r\n", number % 60));
	must(buf_printf(out, "WARC-Record-ID: <urn:uuid:%u>\r\n", number));
	must(buf_printf(out, "Content-Type: application/http;%smsgtype=response\r\n",
		habits & SAMPLE_FOLDED ? "\r\n\t" : " "));
	add_digest(out, "WARC-Block-Digest", block, habits, habits & SAMPLE_BAD_BLOCK);
	add_digest(out, "WARC-Payload-Digest", payload, habits, habits & SAMPLE_BAD_PAYLOAD);
	if (!(habits & SAMPLE_NO_LENGTH))
		must(buf_printf(out, "Content-Length: %zu\r\n", length));
	must(buf_add_str(out, "\r\n"));
}

static void drop_carriage_returns(struct buf *b)
{
	size_t len = 0;

	for (size_t i = 0; i < b->len; i++)
		if (b->ptr[i] != '\r')
			b->ptr[len++] = b->ptr[i];
	b->len = len;
}

void sample_record(struct buf *out, unsigned number, unsigned habits)
{
	struct buf content, body, block, header;

	buf_init(&content, SAMPLE_MAX);
	buf_init(&body, SAMPLE_MAX);
	buf_init(&block, SAMPLE_MAX);
	buf_init(&header, SAMPLE_MAX);
	make_message(&content, &body, &block, number, habits);
	add_header(&header, number, habits, buf_slice(&block),
		buf_slice(habits & SAMPLE_AS_SENT ? &body : &content));
	if (habits & SAMPLE_LF)
		drop_carriage_returns(&header);
	must(buf_add(out, buf_slice(&header)));
	must(buf_add(out, buf_slice(&block)));
	if (!(habits & SAMPLE_NO_TRAILER))
		must(buf_add_str(out, habits & SAMPLE_LF ? "\n\n" : "\r\n\r\n"));
	buf_release(&content);
	buf_release(&body);
	buf_release(&block);
	buf_release(&header);
}

void sample_gzip(struct buf *out, slice bytes)
{
	z_stream z = {0};
	uLong room;

	must(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY));
	room = deflateBound(&z, bytes.len);
	must(buf_reserve(out, room));
	z.next_in = (const Bytef *)bytes.ptr;
	z.avail_in = (uInt)bytes.len;
	z.next_out = (Bytef *)out->ptr + out->len;
	z.avail_out = (uInt)room;
	must(deflate(&z, Z_FINISH) != Z_STREAM_END);
	out->len += z.total_out;
	(void)deflateEnd(&z);
}

void sample_zstd(struct buf *out, slice bytes, slice dictionary)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();
	size_t room = ZSTD_compressBound(bytes.len), n;

	must(buf_reserve(out, room));
	(void)ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
	if (dictionary.len)
		(void)ZSTD_CCtx_loadDictionary(c, dictionary.ptr, dictionary.len);
	n = ZSTD_compress2(c, out->ptr + out->len, room, bytes.ptr, bytes.len);
	must(ZSTD_isError(n) != 0);
	out->len += n;
	(void)ZSTD_freeCCtx(c);
}

void sample_gzip_file(struct buf *out, unsigned count, size_t *ret_ends)
{
	struct buf record;

	buf_init(&record, SAMPLE_MAX);
	for (unsigned i = 1; i <= count; i++) {
		buf_reset(&record);
		sample_record(&record, i, 0);
		sample_gzip(out, buf_slice(&record));
		if (ret_ends)
			ret_ends[i - 1] = out->len;
	}
	buf_release(&record);
}

#define PREFIX "http://example.com/"

static void describe(const struct warc_record *rec, bool where, struct buf *out)
{
	if (rec->is_gap)
		must(buf_add_char(out, '?'));
	else
		must(buf_add(out, slice_sub(rec->header.url, sizeof PREFIX - 1, SIZE_MAX)));
	if (rec->problem.code && !rec->is_gap)
		must(buf_add_char(out, '!'));
	if (where)
		must(buf_printf(out, "@%llu+%llu ", (unsigned long long)rec->spot.offset,
			(unsigned long long)rec->length));
}

/* Calls visit for each record, when it is complete, and gap. */
static void read_all(
	slice bytes, void (*visit)(const struct warc_record *, void *context), void *context)
{
	struct warc_source source = {.fd = -1, .memory = bytes};
	const struct warc_record *rec;
	struct warc_reader *r = NULL;
	struct err err = {0};
	int rc = warc_reader_open_source(&source, 0, &r, &err);

	if (!CHECK_INT(rc, 0))
		return;
	while ((rc = warc_reader_next(r, &rec, &err)) == 0) {
		CHECK_INT(warc_reader_end(r, &err), 0);
		visit(rec, context);
	}
	CHECK_INT(rc, ERR_END);
	warc_reader_close(r);
}

static void visit_short(const struct warc_record *rec, void *context)
{
	describe(rec, false, context);
}

static void visit_where(const struct warc_record *rec, void *context)
{
	describe(rec, true, context);
}

void sample_read(slice bytes, bool where, struct buf *out)
{
	read_all(bytes, where ? visit_where : visit_short, out);
}

static void visit_good(const struct warc_record *rec, void *context)
{
	slice url = rec->header.url;
	unsigned *good = context;
	int last = url.len == sizeof PREFIX ? url.ptr[url.len - 1] : 0;

	if (!rec->problem.code && last >= '1' && last <= '9')
		*good |= 1U << (last - '1');
}

unsigned sample_good(slice bytes)
{
	unsigned good = 0;

	read_all(bytes, visit_good, &good);
	return good;
}
