/*
 * The state of a page. Expected digests are computed here from their definition in docs/quality.md,
 * with OpenSSL alone.
 */
/* OpenSSL has a type of the name of one of our error codes. */
#define ERR_STATE OPENSSL_ERR_STATE
#include <openssl/evp.h>
#undef ERR_STATE
#include <stdio.h>
#include <stdlib.h>
#define ZLIB_CONST /* its input is not written to */
#include <zlib.h>

#include "base/err.h"
#include "base/rng.h"
#include "formats/http_state.h"
#include "tap.h"

enum { MAX = 64 << 20 };

struct part {
	const char *name;
	slice value;
};

static void sha256(slice bytes, unsigned char out[32])
{
	CHECK(EVP_Digest(bytes.ptr ? bytes.ptr : "", bytes.len, out, NULL, EVP_sha256(), NULL));
}

static void add_prefixed(struct buf *out, slice bytes)
{
	for (int shift = 56; shift >= 0; shift -= 8)
		CHECK_INT(buf_add_char(out, (char)((uint64_t)bytes.len >> shift)), 0);
	CHECK_INT(buf_add(out, bytes), 0);
}

/* The digest of a state with these parts and this body. */
static struct digest reference(const struct part *parts, size_t count, slice body)
{
	struct digest d = {.kind = DIGEST_SHA256};
	struct buf list;

	buf_init(&list, MAX);
	for (size_t i = 0; i < count; i++) {
		add_prefixed(&list, slice_str(parts[i].name));
		add_prefixed(&list, parts[i].value);
	}
	sha256(body, d.bytes);
	add_prefixed(&list, SLICE("body"));
	add_prefixed(&list, (slice){(const char *)d.bytes, 32});
	sha256(buf_slice(&list), d.bytes);
	buf_release(&list);
	return d;
}

static void check_digest(const struct digest *got, const struct digest *want)
{
	char a[DIGEST_TEXT_SIZE], b[DIGEST_TEXT_SIZE];

	(void)digest_format(got, a);
	(void)digest_format(want, b);
	CHECK_STR(a, b);
}

static size_t head_length(slice response)
{
	size_t from = 0, end = fields_find_end(response, &from);

	CHECK(end > 0);
	return end;
}

/* The state of a response that comes in pieces of so many bytes; 0 for one. */
static int read_state(struct state *s, slice response, size_t piece, struct state_result *ret)
{
	size_t head = head_length(response);
	int rc = state_start(s, slice_sub(response, 0, head), NULL);

	if (piece == 0)
		piece = response.len;
	for (size_t at = head; rc == 0 && at < response.len; at += piece)
		rc = state_feed(s, slice_sub(response, at, at + piece));
	return rc ? rc : state_finish(s, ret);
}

static struct state_result state_of(slice response)
{
	struct state *s = state_new(NULL, NULL);
	struct state_result r = {0};

	CHECK_INT(read_state(s, response, 0, &r), 0);
	r.coding = (slice){0};
	state_free(s);
	return r;
}

/* zlib's coding of the bytes: 15 + 16 is gzip, 15 zlib. */
static void deflate_to(slice in, int window_bits, int level, struct buf *out)
{
	z_stream z = {0};

	CHECK_INT(deflateInit2(&z, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
	CHECK_INT(buf_reserve(out, deflateBound(&z, in.len)), 0);
	z.next_in = (const Bytef *)in.ptr;
	z.avail_in = (uInt)in.len;
	z.next_out = (Bytef *)out->ptr + out->len;
	z.avail_out = (uInt)(out->cap - out->len);
	CHECK_INT(deflate(&z, Z_FINISH), Z_STREAM_END);
	out->len += z.total_out;
	(void)deflateEnd(&z);
}

static void test_form_2(void)
{
	slice both = SLICE("HTTP/1.1 200 OK\r\ncontent-disposition: inline\r\n"
			   "refresh:  5; URL=/a \r\nLocation: /b\r\nX-Robots-Tag: none\r\n"
			   "Refresh: 6\r\nContent-Type: text/plain\r\n\r\nhello");
	const struct part now[] = {
		{"stillpoint-state-2", SLICE("200")},
		{"location", SLICE("/b")},
		{"refresh", SLICE("5; URL=/a")},
		{"refresh", SLICE("6")},
		{"content-disposition", SLICE("inline")},
		{"content-type", SLICE("text/plain")},
	};
	const struct part before[] = {
		{"stillpoint-state-1", SLICE("200")},
		{"location", SLICE("/b")},
		{"content-type", SLICE("text/plain")},
	};
	struct digest want = reference(now, 6, SLICE("hello"));
	struct state_result got = state_of(both);
	struct state *s = state_new(NULL, NULL);
	struct buf text;

	check_digest(&got.state, &want);
	buf_init(&text, 1000);
	CHECK_INT(read_state(s, both, 3, &got), 0);
	CHECK_INT(state_head_text(state_fields(s), &text), 0);
	CHECK_SLICE(buf_slice(&text), SLICE("Location: /b\nRefresh: 5; URL=/a\nRefresh: 6\n"
					    "Content-Disposition: inline\n"));
	buf_release(&text);
	state_set_form(s, STATE_FORM_1);
	want = reference(before, 3, SLICE("hello"));
	CHECK_INT(read_state(s, both, 0, &got), 0);
	check_digest(&got.state, &want);
	state_free(s);
	CHECK(state_head_counts(SLICE("REFRESH")) && !state_head_counts(SLICE("X-Robots-Tag")));
}

static void test_definition(void)
{
	const struct part page[] = {
		{"stillpoint-state-1", SLICE("200")},
		{"content-type", SLICE("text/html; Charset=UTF-8")},
	};
	const struct part moved[] = {
		{"stillpoint-state-1", SLICE("301")},
		{"location", SLICE("/b?x=1")},
	};
	const struct part opaque[] = {
		{"stillpoint-state-1", SLICE("200")},
		{"coding", SLICE("sdch")},
	};
	struct digest want = reference(page, 2, SLICE("hello"));
	struct state_result got = state_of(SLICE("HTTP/1.1 200 OK\r\nServer: x\r\nContent-Type:  "
						 "Text/HTML; Charset=UTF-8 \r\n\r\nhello"));
	struct digest payload = {.kind = DIGEST_SHA256};

	check_digest(&got.state, &want);
	sha256(SLICE("hello"), payload.bytes);
	check_digest(&got.payload, &payload);
	check_digest(&got.body, &payload);
	CHECK_INT(got.status, 200);
	CHECK(got.whole && got.decoded);
	CHECK_INT(got.payload_size, 5);

	want = reference(moved, 2, (slice){0});
	got = state_of(
		SLICE("HTTP/1.1 301 Moved\r\nLOCATION: /b?x=1\r\nContent-Encoding: gzip\r\n\r\n"));
	check_digest(&got.state, &want);
	CHECK(got.decoded);

	want = reference(opaque, 2, SLICE("hello"));
	got = state_of(SLICE("HTTP/1.1 200 OK\r\nContent-Encoding: SDCH\r\n\r\nhello"));
	check_digest(&got.state, &want);
	CHECK(got.whole && !got.decoded);
}

#define OK   "HTTP/1.1 200 OK\r\n"
#define HTML OK "Content-Type: text/html\r\n"

static void test_equality(void)
{
	static const struct {
		const char *label;
		const char *a, *b;
		bool equal;
	} rows[] = {
		{"itself", HTML "\r\nhello", HTML "\r\nhello", true},
		{"one byte differs", HTML "\r\nhello", HTML "\r\nhallo", false},
		{"a byte more", HTML "\r\nhello", HTML "\r\nhello ", false},
		{"another date", HTML "Date: a\r\n\r\nhello", HTML "Date: b\r\n\r\nhello", true},
		{"another reason phrase", OK "\r\nhello", "HTTP/1.1 200 Fine\r\n\r\nhello", true},
		{"another version", OK "\r\nhello", "HTTP/1.0 200 OK\r\n\r\nhello", true},
		{"chunked or not", HTML "\r\nhello",
			HTML "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",
			true},
		{"chunked differently",
			OK "Transfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nT: 1\r\n\r\n",
			OK "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",
			true},
		{"with a length or without", HTML "Content-Length: 5\r\n\r\nhello",
			HTML "\r\nhello", true},
		{"case of the media type", HTML "\r\nx", OK "content-type: TEXT/html\r\n\r\nx",
			true},
		{"case of a parameter", OK "Content-Type: text/html; charset=utf-8\r\n\r\nx",
			OK "Content-Type: text/html; charset=UTF-8\r\n\r\nx", false},
		{"another charset", OK "Content-Type: text/html; charset=utf-8\r\n\r\nx",
			OK "Content-Type: text/html; charset=latin1\r\n\r\nx", false},
		{"no media type", OK "Content-Type: text/html\r\n\r\nx", OK "\r\nx", false},
		{"an empty media type", OK "Content-Type:\r\n\r\nx", OK "\r\nx", false},
		{"two media types", HTML "\r\nx", HTML "Content-Type: text/plain\r\n\r\nx", false},
		{"another status", OK "\r\nx", "HTTP/1.1 201 Created\r\n\r\nx", false},
		{"another Location", "HTTP/1.1 302 F\r\nLocation: /a\r\n\r\n",
			"HTTP/1.1 302 F\r\nLocation: /b\r\n\r\n", false},
		{"blanks around Location", "HTTP/1.1 302 F\r\nLocation:/a\r\n\r\n",
			"HTTP/1.1 302 F\r\nlocation:  /a \r\n\r\n", true},
		{"order of fields",
			"HTTP/1.1 302 F\r\nLocation: /a\r\nContent-Type: text/html\r\n\r\n",
			"HTTP/1.1 302 F\r\nContent-Type: text/html\r\nLocation: /a\r\n\r\n", true},
		{"a field's value as the other's", "HTTP/1.1 302 F\r\nLocation: text/html\r\n\r\n",
			"HTTP/1.1 302 F\r\nContent-Type: text/html\r\n\r\n", false},
		{"identity is no coding", OK "Content-Encoding: identity\r\n\r\nx", OK "\r\nx",
			true},
		{"coding that is not known", OK "Content-Encoding: x\r\n\r\nx", OK "\r\nx", false},
		{"two that are not known", OK "Content-Encoding: x\r\n\r\nx",
			OK "Content-Encoding: y\r\n\r\nx", false},
		{"coding that is broken", OK "Content-Encoding: gzip\r\n\r\nx", OK "\r\nx", false},
		{"the same broken coding", OK "Content-Encoding: gzip\r\n\r\nx",
			OK "Content-Encoding: GZIP\r\n\r\nx", true},
		{"transfer coding that stays", OK "Transfer-Encoding: gzip\r\n\r\nx", OK "\r\nx",
			false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct state_result a = state_of(slice_str(rows[i].a));
		struct state_result b = state_of(slice_str(rows[i].b));

		tap_case("equality: %s", rows[i].label);
		CHECK(digest_eq(&a.state, &b.state) == rows[i].equal);
	}
}

#define CHUNKED   OK "Transfer-Encoding: chunked\r\n"
#define LENGTH(n) OK "Content-Length: " n "\r\n"

static void test_whole(void)
{
	static const struct {
		const char *label, *response;
		bool whole;
	} rows[] = {
		{"ended by close", OK "\r\nhello", true},
		{"length", LENGTH("5") "\r\nhello", true},
		{"length 0", LENGTH("0") "\r\n", true},
		{"short", LENGTH("6") "\r\nhello", false},
		{"long", LENGTH("4") "\r\nhello", false},
		{"nothing came", LENGTH("4") "\r\n", false},
		{"length twice", LENGTH("5") "Content-Length: 5\r\n\r\nhello", true},
		{"length twice in a list", LENGTH("5, 5") "\r\nhello", true},
		{"two lengths", LENGTH("5") "Content-Length: 6\r\n\r\nhello", false},
		{"two lengths in a list", LENGTH("5,6") "\r\nhello", false},
		{"no number", LENGTH("five") "\r\nhello", false},
		{"negative", LENGTH("-5") "\r\nhello", false},
		{"empty length", LENGTH("") "\r\nhello", false},
		{"beyond 64 bits", LENGTH("18446744073709551621") "\r\nhello", false},
		{"chunks", CHUNKED "\r\n5\r\nhello\r\n0\r\n\r\n", true},
		{"chunks and another length",
			CHUNKED "Content-Length: 3\r\n\r\n5\r\nhello\r\n0\r\n\r\n", true},
		{"no last chunk", CHUNKED "\r\n5\r\nhello\r\n", false},
		{"no end of the trailer", CHUNKED "\r\n5\r\nhello\r\n0\r\nA: b\r\n", false},
		{"short chunk", CHUNKED "\r\n5\r\nhell", false},
		{"bytes behind", CHUNKED "\r\n5\r\nhello\r\n0\r\n\r\nmore", false},
		{"no chunks at all", CHUNKED "\r\nhello", false},
		{"not even a byte of them", CHUNKED "\r\n", false},
		{"bad chunk", CHUNKED "\r\n5\r\nhello\r\nzz\r\n", false},
		{"chunked twice", CHUNKED "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", true},
		{"chunked twice in a list",
			OK "Transfer-Encoding: chunked, Chunked\r\n\r\n0\r\n\r\n", true},
		{"identity and chunked", OK "Transfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n",
			true},
		{"identity and chunked, cut",
			OK "Transfer-Encoding: identity, chunked\r\n\r\n5\r\nhe", false},
		{"identity with a length",
			OK "Transfer-Encoding: identity\r\nContent-Length: 5\r\n\r\nhello", true},
		{"identity with another length",
			OK "Transfer-Encoding: identity\r\nContent-Length: 6\r\n\r\nhello", false},
		{"identity alone", OK "Transfer-Encoding: identity\r\n\r\nhello", true},
		{"chunked and then some",
			OK "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
			true},
		{"chunked, but not last", OK "Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
			false},
		{"transfer coding ended by close", OK "Transfer-Encoding: gzip\r\n\r\nx", false},
		{"coded and chunked", OK "Transfer-Encoding: x, chunked\r\n\r\n0\r\n\r\n", true},
		{"204", "HTTP/1.1 204 No\r\nContent-Length: 7\r\n\r\n", true},
		{"204, no number", "HTTP/1.1 204 No\r\nContent-Length:\r\n\r\n", true},
		{"204, two lengths",
			"HTTP/1.1 204 No\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", true},
		{"304", "HTTP/1.1 304 Not\r\nContent-Length: 7\r\n\r\n", true},
		{"304 in chunks", "HTTP/1.1 304 Not\r\nTransfer-Encoding: chunked\r\n\r\n", true},
		{"204 with a body", "HTTP/1.1 204 No\r\n\r\nx", false},
	};
	struct state *s = state_new(NULL, NULL);

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("whole: %s", rows[i].label);
		for (size_t piece = 0; piece < 4; piece++) {
			struct state_result r = {0};

			CHECK_INT(read_state(s, slice_str(rows[i].response), piece, &r), 0);
			CHECK(r.whole == rows[i].whole);
		}
	}
	state_free(s);
}

/* The payload digest is the one that the WARC's reader checks, whatever the body is. */
static void test_payload(void)
{
	static const struct {
		const char *label, *response, *payload;
	} rows[] = {
		{"plain", OK "\r\nhello", "hello"},
		{"chunks", CHUNKED "\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", "hello"},
		{"cut", CHUNKED "\r\n2\r\nhe\r\n3\r\nl", "hel"},
		{"bytes behind", CHUNKED "\r\n2\r\nhe\r\n0\r\n\r\nmore", "he"},
		{"chunked in name only", CHUNKED "\r\nhello", "hello"},
		{"bad from the second on", CHUNKED "\r\n2\r\nhe\r\nx", "he"},
	};
	struct state *s = state_new(NULL, NULL);

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct digest want = {.kind = DIGEST_SHA256};

		tap_case("payload: %s", rows[i].label);
		sha256(slice_str(rows[i].payload), want.bytes);
		for (size_t piece = 0; piece < 4; piece++) {
			struct state_result r = {0};

			CHECK_INT(read_state(s, slice_str(rows[i].response), piece, &r), 0);
			check_digest(&r.payload, &want);
			CHECK_INT(r.payload_size, strlen(rows[i].payload));
		}
	}
	state_free(s);
}

static void test_no_head(void)
{
	static const char *const heads[] = {"", "GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\n",
		"HTTP/1.1 OK\r\n\r\n", "HTTP/1.1 099 x\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\nbody"};
	struct state *s = state_new(NULL, NULL);

	for (size_t i = 0; i < ARRAY_LEN(heads); i++) {
		struct err err = {0};

		CHECK_INT(state_start(s, slice_str(heads[i]), &err), ERR_SYNTAX);
		CHECK(err.text[0] != '\0');
	}
	state_free(s);
}

/* A body of text and noise, larger than any buffer on its way. */
static void make_body(struct buf *out, size_t size)
{
	struct rng rng;

	rng_init(&rng, 7);
	while (out->len < size)
		CHECK_INT(buf_printf(out, "<p>%u and always the same text</p>\n",
				  (unsigned)rng_below(&rng, 1000000)),
			0);
}

static int gather(void *context, slice decoded)
{
	return buf_add(context, decoded);
}

static void with_coding(struct buf *out, const char *coding, slice body)
{
	CHECK_INT(buf_printf(out, HTML "Content-Encoding: %s\r\n\r\n", coding), 0);
	CHECK_INT(buf_add(out, body), 0);
}

/* Packed in whatever way, it is the same state, and the sink sees the same body. */
static void test_codings(void)
{
	static const struct {
		const char *coding;
		int window_bits, level;
	} rows[] = {{"gzip", 31, 9}, {"x-gzip", 31, 1}, {"deflate", 15, 6}, {"deflate", -15, 6}};
	struct state_result plain, packed;
	struct buf body, response, got;
	struct state *s = state_new(gather, &got);

	buf_init(&body, MAX);
	buf_init(&response, MAX);
	buf_init(&got, MAX);
	make_body(&body, 300000);
	CHECK_INT(buf_add_str(&response, HTML "\r\n"), 0);
	CHECK_INT(buf_add(&response, buf_slice(&body)), 0);
	plain = state_of(buf_slice(&response));
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct buf coded;

		buf_init(&coded, MAX);
		buf_reset(&response);
		buf_reset(&got);
		deflate_to(buf_slice(&body), rows[i].window_bits, rows[i].level, &coded);
		with_coding(&response, rows[i].coding, buf_slice(&coded));
		CHECK_INT(read_state(s, buf_slice(&response), 1 + i * 1000, &packed), 0);
		CHECK(packed.decoded && digest_eq(&packed.state, &plain.state));
		CHECK(digest_eq(&packed.body, &plain.body));
		CHECK(!digest_eq(&packed.payload, &plain.payload));
		CHECK_INT(packed.payload_size, coded.len);
		CHECK(slice_eq(buf_slice(&got), buf_slice(&body)));
		buf_release(&coded);
	}
	state_free(s);
	buf_release(&body);
	buf_release(&response);
	buf_release(&got);
}

/* A response in gzip that has been tampered with in that way. */
static void make_tampered(const char *how, struct buf *out)
{
	struct buf body, coded;

	buf_init(&body, MAX);
	buf_init(&coded, MAX);
	make_body(&body, 200000);
	deflate_to(buf_slice(&body), 31, 9, &coded);
	if (strcmp(how, "cut") == 0)
		buf_truncate(&coded, coded.len - 1);
	if (strcmp(how, "damaged at its end") == 0)
		coded.ptr[coded.len - 6] ^= 1;
	with_coding(out, "gzip", buf_slice(&coded));
	buf_release(&body);
	buf_release(&coded);
}

enum { BY_CLOSE, BY_LENGTH, BY_CHUNKS, FRAMINGS };

static void frame(struct buf *out, int framing, const char *coding, slice body)
{
	buf_reset(out);
	CHECK_INT(buf_printf(out, HTML "Content-Encoding: %s\r\n", coding), 0);
	if (framing == BY_LENGTH)
		CHECK_INT(buf_printf(out, "Content-Length: %zu\r\n", body.len), 0);
	if (framing == BY_CHUNKS)
		CHECK_INT(buf_add_str(out, "Transfer-Encoding: chunked\r\n"), 0);
	CHECK_INT(buf_add_str(out, "\r\n"), 0);
	if (framing == BY_CHUNKS && body.len > 0)
		CHECK_INT(buf_printf(out, "%zx\r\n", body.len), 0);
	CHECK_INT(buf_add(out, body), 0);
	if (framing == BY_CHUNKS)
		CHECK_INT(buf_add_str(out, body.len > 0 ? "\r\n0\r\n\r\n" : "0\r\n\r\n"), 0);
}

/* "hello hello hello hello" and a line feed. */
#define BROTLI "\x8b\x0b\x80hello hello hello hello\n\x03"
#define ZSTD   "\x28\xb5\x2f\xfd\x20\x02\x11\x00\x00hi"
#define GZIP \
	"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\xc8\x04\x00\xac\x2a\x93\xd8\x02\x00\x00\x00"
#define BODY(s) SLICE_INIT(s)

/* A content coding that has not ended shows that the body has not, however it was framed. */
static void test_coded_whole(void)
{
	static const struct {
		const char *label, *coding;
		slice body;
		size_t cut;
		bool whole[FRAMINGS], readable;
		const char *read;
	} rows[] = {
		{"gzip", "gzip", BODY(GZIP), 0, {1, 1, 1}, 1, "hi"},
		{"gzip cut in its trailer", "gzip", BODY(GZIP), 1, {0, 0, 0}, 0, "hi"},
		{"gzip cut in its head", "gzip", BODY(GZIP), 15, {0, 0, 0}, 0, ""},
		{"one byte of gzip", "gzip", BODY("\x1f"), 0, {0, 0, 0}, 0, ""},
		{"gzip and garbage", "gzip", BODY(GZIP "garbage"), 0, {1, 1, 1}, 1, "hi"},
		{"second member cut", "gzip", BODY(GZIP GZIP), 1, {0, 0, 0}, 0, "hihi"},
		{"damaged gzip", "gzip", BODY("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xff\xff"),
			0, {0, 0, 0}, 0, ""},
		{"br", "br", BODY(BROTLI), 0, {1, 1, 1}, 1, "hello hello hello hello\n"},
		{"br cut", "br", BODY(BROTLI), 1, {0, 0, 0}, 0, "hello hello hello hello\n"},
		{"zstd", "zstd", BODY(ZSTD), 0, {1, 1, 1}, 1, "hi"},
		{"zstd cut", "zstd", BODY(ZSTD), 1, {0, 0, 0}, 0, "h"},
		{"zstd cut in a signature", "zstd", BODY(ZSTD "\x28\xb5"), 0, {0, 0, 0}, 0, "hi"},
		{"deflate cut", "deflate", BODY("\xcb\xc8"), 0, {0, 0, 0}, 0, "h"},
		{"unknown around gzip cut", "gzip, x-foo", BODY(GZIP), 1, {0, 0, 0}, 0, "hi"},
		{"unknown around gzip", "x-foo, gzip", BODY(GZIP), 0, {1, 1, 1}, 1, "hi"},
		{"unknown", "utf-8", BODY("plain"), 0, {1, 1, 1}, 1, "plain"},
		{"two unknown", "aws-chunked, none", BODY("plain"), 0, {1, 1, 1}, 1, "plain"},
		{"gzip that is plain", "gzip", BODY("plain"), 0, {0, 1, 1}, 1, "plain"},
		{"zstd that is plain", "zstd", BODY("p"), 0, {0, 1, 1}, 1, "p"},
		{"br that is plain", "br", BODY("<p>plain</p>"), 0, {0, 1, 1}, 1, "<p>plain</p>"},
		{"deflate that is plain", "deflate", BODY("plain"), 0, {0, 1, 1}, 1, "plain"},
		{"no bytes of gzip", "gzip", BODY(""), 0, {0, 1, 1}, 1, ""},
		{"no bytes of an unknown one", "x-foo", BODY(""), 0, {1, 1, 1}, 1, ""},
	};
	struct buf response, got;
	struct state *s = state_new(gather, &got);

	buf_init(&response, MAX);
	buf_init(&got, MAX);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		slice body = slice_sub(rows[i].body, 0, rows[i].body.len - rows[i].cut);

		tap_case("coded: %s", rows[i].label);
		for (int framing = 0; framing < FRAMINGS; framing++) {
			struct state_result r = {0};

			frame(&response, framing, rows[i].coding, body);
			for (size_t piece = 0; piece < 3; piece++) {
				buf_reset(&got);
				CHECK_INT(read_state(s, buf_slice(&response), piece, &r), 0);
				CHECK_INT(r.whole, rows[i].whole[framing]);
				CHECK_INT(r.readable, rows[i].readable);
				CHECK_SLICE(buf_slice(&got), slice_str(rows[i].read));
			}
		}
	}
	state_free(s);
	buf_release(&response);
	buf_release(&got);
}

/* However the bytes come, it is the same state. */
static struct state_result check_pieces(slice response)
{
	static const size_t pieces[] = {1, 4097, 20000};
	struct state *s = state_new(NULL, NULL);
	struct state_result first = {0}, r = {0};

	CHECK_INT(read_state(s, response, 0, &first), 0);
	for (size_t i = 0; i < ARRAY_LEN(pieces); i++) {
		CHECK_INT(read_state(s, response, pieces[i], &r), 0);
		CHECK(digest_eq(&r.state, &first.state));
		CHECK_INT(r.decoded, first.decoded);
	}
	first.coding = (slice){0};
	state_free(s);
	return first;
}

/* Also where a coding breaks only at its end. */
static void test_pieces(void)
{
	static const char *const ways[] = {"whole", "cut", "damaged at its end"};

	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		struct buf response;

		tap_case("pieces: %s", ways[i]);
		buf_init(&response, MAX);
		make_tampered(ways[i], &response);
		CHECK(check_pieces(buf_slice(&response)).decoded == (i == 0));
		buf_release(&response);
	}
}

/* Bytes that compress badly, then such that compress well, then bad ones again. */
static void make_doubtful(struct buf *out, size_t noise)
{
	enum { ZEROS = 12 << 20 };
	struct rng rng;

	CHECK_INT(buf_reserve(out, ZEROS + 2 * noise), 0);
	memset(out->ptr, 0, ZEROS + 2 * noise);
	rng_init(&rng, 8);
	for (size_t i = 0; i < noise; i++) {
		out->ptr[i] = (char)rng_below(&rng, 256);
		out->ptr[noise + ZEROS + i] = (char)rng_below(&rng, 256);
	}
	out->len = ZEROS + 2 * noise;
}

/*
 * Whether a body is a bomb depends on how much of it has been seen when its zeros come out: more,
 * when it comes in large pieces. Near that limit, too, it must be the same state.
 */
static void test_limits(void)
{
	bool passed = false, refused = false;

	for (size_t noise = 32000; noise < 44000; noise += 2000) {
		struct buf body, coded, response;
		struct state_result r;

		buf_init(&body, MAX);
		buf_init(&coded, MAX);
		buf_init(&response, MAX);
		make_doubtful(&body, noise);
		deflate_to(buf_slice(&body), 31, 9, &coded);
		with_coding(&response, "gzip", buf_slice(&coded));
		r = check_pieces(buf_slice(&response));
		passed = passed || r.decoded;
		refused = refused || !r.decoded;
		buf_release(&body);
		buf_release(&coded);
		buf_release(&response);
	}
	CHECK(passed && refused);
}

static int refuse(void *context, slice decoded)
{
	(void)context;
	(void)decoded;
	return ERR_LIMIT;
}

static void test_sink_ends(void)
{
	struct state *s = state_new(refuse, NULL);

	CHECK_INT(state_start(s, SLICE(OK "\r\n"), NULL), 0);
	CHECK_INT(state_feed(s, SLICE("x")), ERR_LIMIT);
	CHECK_INT(state_start(s, SLICE(OK "X-A: b\r\n\r\n"), NULL), 0);
	CHECK_SLICE(fields_get(state_fields(s), SLICE("x-a")), SLICE("b"));
	state_free(s);
}

/* A revisit record: a head of its own, the body of another response. */
static void test_combine(void)
{
	slice body = SLICE("hello");
	struct state *a = state_new(NULL, NULL), *b = state_new(NULL, NULL);
	struct state_result visit = {0}, revisit = {0}, want;

	CHECK_INT(read_state(a, SLICE(HTML "Date: 1\r\n\r\nhello"), 0, &visit), 0);
	CHECK_INT(state_start(b, SLICE(HTML "Date: 2\r\nContent-Length: 5\r\n\r\n"), NULL), 0);
	CHECK_INT(state_combine(b, &visit, &revisit), 0);
	CHECK(revisit.whole && digest_eq(&revisit.state, &visit.state));
	CHECK_INT(revisit.payload_size, body.len);

	want = state_of(SLICE("HTTP/1.1 203 Non\r\n\r\nhello"));
	CHECK_INT(state_start(b, SLICE("HTTP/1.1 203 Non\r\n\r\n"), NULL), 0);
	CHECK_INT(state_combine(b, &visit, &revisit), 0);
	CHECK_INT(revisit.status, 203);
	CHECK(digest_eq(&revisit.state, &want.state));

	CHECK_INT(state_start(b, SLICE(HTML "Content-Encoding: gzip\r\n\r\n"), NULL), 0);
	CHECK_INT(state_combine(b, &visit, &revisit), ERR_STATE);

	tap_case("combine: a label that is wrong, and an end that only the other head shows");
	CHECK_INT(read_state(a,
			  SLICE(HTML "Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello"), 0,
			  &visit),
		0);
	CHECK_INT(state_start(b, SLICE(HTML "Content-Encoding: gzip\r\n\r\n"), NULL), 0);
	CHECK_INT(state_combine(b, &visit, &revisit), 0);
	CHECK(visit.whole && !revisit.whole);
	state_free(a);
	state_free(b);
}

/* Fields beyond their maximum are not read: where such a redirect leads, nobody can say. */
static void test_lost_fields(void)
{
	static const struct {
		const char *status;
		int count;
		bool whole;
	} rows[] = {
		{"302 Found", FIELDS_COUNT_MAX - 1, true},
		{"302 Found", FIELDS_COUNT_MAX, false},
		{"204 No Content", FIELDS_COUNT_MAX, false},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct buf response;
		int rc;

		buf_init(&response, MAX);
		rc = buf_printf(&response, "HTTP/1.1 %s\r\nLocation: /a\r\n", rows[i].status);
		for (int k = 0; k < rows[i].count && rc == 0; k++)
			rc = buf_add_str(&response, "X: y\r\n");
		CHECK_INT(rc, 0);
		CHECK_INT(buf_add_str(&response, "\r\n"), 0);
		CHECK(state_of(buf_slice(&response)).whole == rows[i].whole);
		buf_release(&response);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_definition);
	TAP_RUN(test_form_2);
	test_equality();
	test_whole();
	TAP_RUN(test_lost_fields);
	test_payload();
	TAP_RUN(test_no_head);
	TAP_RUN(test_codings);
	test_coded_whole();
	test_pieces();
	TAP_RUN(test_limits);
	TAP_RUN(test_sink_ends);
	TAP_RUN(test_combine);
	return tap_done();
}
