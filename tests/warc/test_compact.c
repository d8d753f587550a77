/* Compact looks: rows that read back, the records that they stand for, and patches. */
#include "warc/compact.h"

#include <string.h>

#include "tap.h"
#include "warc/warc_reader.h"

enum { BUF_MAX = 1 << 20 };

static const int64_t SENT = 1300000000123456789;

static struct compact_look sample(bool is_patch)
{
	struct compact_look look = {
		.attempt =
			{
				.capture = SLICE("urn:uuid:00000000-0000-4000-8000-000000000001"),
				.url = SLICE("http://example.org/a"),
				.leg = ATTEMPT_REVISIT,
				.number = 1,
				.status = 200,
				.wall = {SENT, SENT + 5, SENT + 7000000},
				.clock = {42, 47, 7000042},
				.protocol = SLICE("h2 tls/1.3"),
				.cipher = SLICE("TLS_AES_128_GCM_SHA256"),
				.sign_set = 1,
				.has_state = true,
				.has_payload = true,
				.is_revisit = !is_patch,
				.original = {.record = SLICE("<urn:uuid:01234567-89ab-4cde-8f01-"
							     "23456789abcd>"),
					.url = SLICE("http://example.org/a"),
					.date = 1299999999000000000},
			},
		.address = SLICE("192.0.2.1"),
		.request = SLICE("GET /a HTTP/1.1\r\nHost: example.org\r\n\r\n"),
		.head = SLICE("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"),
		.is_patch = is_patch,
	};

	look.attempt.state.kind = look.attempt.payload.kind = DIGEST_SHA256;
	memset(look.attempt.payload.bytes, 7, sizeof look.attempt.payload.bytes);
	if (is_patch) {
		look.patch = SLICE("not looked at here");
		look.body_size = 5;
		look.file = SLICE("a.warc.gz");
		look.offset = 1000000;
	}
	return look;
}

static void test_round_trip(void)
{
	struct compact_look look;
	struct compact_rows rows;
	struct arena arena;
	struct buf out;

	arena_init(&arena, BUF_MAX);
	buf_init(&out, BUF_MAX);
	CHECK_INT(buf_add(&out, SLICE(COMPACT_FIRST)), 0);
	for (int i = 0; i < 2; i++) {
		look = sample(i);
		CHECK_INT(compact_add(&look, &out), 0);
	}
	CHECK_INT(compact_open(&rows, buf_slice(&out), NULL), 0);
	for (int i = 0; i < 2; i++) {
		struct compact_look want = sample(i);
		struct warc_id id;

		CHECK_INT(compact_next(&rows, &arena, &look, NULL), 0);
		CHECK(look.is_patch == (i == 1) && look.attempt.is_revisit == (i == 0));
		CHECK_INT(look.attempt.wall.last_byte, SENT + 7000000);
		CHECK_INT(look.attempt.clock.sent, 42);
		CHECK_INT(look.attempt.clock.last_byte, 7000042);
		CHECK(slice_eq(look.attempt.url, want.attempt.url));
		CHECK(slice_eq(look.attempt.original.record, want.attempt.original.record));
		CHECK(slice_eq(look.attempt.original.url, want.attempt.original.url));
		CHECK_INT(look.attempt.original.date, want.attempt.original.date);
		CHECK(digest_eq(&look.attempt.payload, &want.attempt.payload));
		CHECK(slice_eq(look.head, want.head) && slice_eq(look.request, want.request));
		CHECK(slice_eq(look.patch, want.patch) && look.offset == want.offset);
		/* The state of the same body follows from it. */
		CHECK(look.attempt.has_state == (i == 1));
		CHECK_INT(compact_id(&want.attempt, &id), 0);
		CHECK(slice_eq(look.attempt.record_id, slice_str(id.text)));
	}
	CHECK_INT(compact_next(&rows, &arena, &look, NULL), ERR_END);
	buf_release(&out);
	arena_release(&arena);
}

/* What is left of a look whose response was retired. */
static void test_tombstone(void)
{
	struct compact_look look = sample(false), got;
	struct compact_rows rows;
	struct warc_source source = {.fd = -1};
	const struct warc_record *rec;
	struct warc_reader *r;
	struct arena arena;
	struct err err = {0};
	struct buf out;

	arena_init(&arena, BUF_MAX);
	buf_init(&out, BUF_MAX);
	look.is_tombstone = true;
	look.attempt.original = (struct attempt_original){0};
	CHECK_INT(compact_add(&look, &out), ERR_RANGE); /* when? */
	look.attempt.retired = SENT + 99;
	CHECK_INT(buf_add(&out, SLICE(COMPACT_FIRST)), 0);
	CHECK_INT(compact_add(&look, &out), 0);
	CHECK_INT(compact_open(&rows, buf_slice(&out), NULL), 0);
	CHECK_INT(compact_next(&rows, &arena, &got, NULL), 0);
	CHECK(got.is_tombstone && !got.is_patch && !got.attempt.is_revisit);
	CHECK_INT(got.attempt.retired, SENT + 99);
	CHECK_INT(got.attempt.wall.last_byte, SENT + 7000000);
	CHECK(got.attempt.has_state && digest_eq(&got.attempt.state, &look.attempt.state));
	CHECK(digest_eq(&got.attempt.payload, &look.attempt.payload));
	CHECK(!got.attempt.record_id.ptr && !got.head.len && !got.request.len);
	CHECK_INT(compact_next(&rows, &arena, &look, NULL), ERR_END);
	buf_reset(&out);
	CHECK_INT(compact_expand(&got, (slice){0}, &out, &err), 0);
	source.memory = buf_slice(&out);
	CHECK_INT(warc_reader_open_source(&source, 0, &r, &err), 0);
	CHECK_INT(warc_reader_next(r, &rec, &err), 0);
	CHECK_INT(rec->header.type, WARC_TYPE_METADATA);
	CHECK_INT(warc_reader_end(r, &err), 0);
	CHECK_INT(rec->problem.code, 0);
	CHECK_INT(warc_reader_next(r, &rec, &err), ERR_END);
	warc_reader_close(r);
	buf_release(&out);
	arena_release(&arena);
}

static const struct {
	const char *label;
	enum warc_type types[3];
} expansions[] = {
	{"the same", {WARC_TYPE_REVISIT, WARC_TYPE_REQUEST, WARC_TYPE_METADATA}},
	{"a patch", {WARC_TYPE_RESPONSE, WARC_TYPE_REQUEST, WARC_TYPE_METADATA}},
};

/* Other tools read the records, so their digests must be right. */
static void test_expand(void)
{
	for (unsigned i = 0; i < 2; i++) {
		struct compact_look look = sample(i);
		struct warc_source source = {.fd = -1};
		const struct warc_record *rec;
		struct warc_reader *r;
		struct err err = {0};
		struct buf out;

		tap_case("expand: %s", expansions[i].label);
		/* SHA-256 of "hello". */
		if (i == 1)
			CHECK_INT(digest_parse(SLICE("sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e"
						     "5c1fa7425e73043362938b9824"),
					  &look.attempt.payload),
				0);
		buf_init(&out, BUF_MAX);
		CHECK_INT(compact_expand(&look, SLICE("hello"), &out, &err), 0);
		source.memory = buf_slice(&out);
		if (!CHECK_INT(warc_reader_open_source(&source, 0, &r, &err), 0))
			return;
		for (unsigned n = 0; n < 3; n++) {
			CHECK_INT(warc_reader_next(r, &rec, &err), 0);
			CHECK_INT(rec->header.type, expansions[i].types[n]);
			CHECK_INT(warc_reader_end(r, &err), 0);
			CHECK_INT(rec->problem.code, 0);
			CHECK_INT(rec->block, WARC_VERDICT_OK);
			CHECK(slice_eq(rec->header.url, look.attempt.url));
		}
		CHECK_INT(warc_reader_next(r, &rec, &err), ERR_END);
		warc_reader_close(r);
		buf_release(&out);
	}
}

/* What records of their own have to say. */
static void test_refused(void)
{
	struct compact_look look = sample(false);
	struct buf out;

	buf_init(&out, BUF_MAX);
	CHECK(compact_may(&look.attempt));
	look.attempt.truncated = true;
	CHECK_INT(compact_add(&look, &out), ERR_RANGE);
	look = sample(false);
	look.attempt.failure = SLICE("reset");
	CHECK(!compact_may(&look.attempt));
	look = sample(false);
	look.attempt.clock.last_byte++;
	CHECK(!compact_may(&look.attempt));
	look = sample(false);
	look.attempt.original.record = SLICE("<urn:uuid:of-another-tool>");
	CHECK(!compact_may(&look.attempt));
	look = sample(false);
	look.attempt.wall.first_byte = 0;
	CHECK(!compact_may(&look.attempt));
	CHECK_INT(out.len, 0);
	buf_release(&out);
}

/* Every cut and every byte more makes a row invalid, and is no crash. */
static void test_damaged(void)
{
	struct compact_look look = sample(true);
	struct compact_rows rows;
	struct err err = {0};
	struct arena arena;
	struct buf row, block;

	arena_init(&arena, BUF_MAX);
	buf_init(&row, BUF_MAX);
	buf_init(&block, BUF_MAX);
	CHECK_INT(compact_add(&look, &row), 0);
	for (size_t len = 1; len < row.len; len++) {
		buf_reset(&block);
		CHECK_INT(buf_add(&block, SLICE(COMPACT_FIRST)), 0);
		CHECK_INT(buf_add(&block, slice_sub(buf_slice(&row), 0, len)), 0);
		CHECK_INT(compact_open(&rows, buf_slice(&block), NULL), 0);
		CHECK_INT(compact_next(&rows, &arena, &look, &err), ERR_SYNTAX);
		CHECK_INT(compact_next(&rows, &arena, &look, &err), ERR_END);
		arena_reset(&arena);
	}
	CHECK_INT(compact_open(&rows, SLICE("stillpoint-looks: 1\r\n\x02\x03\x00"), NULL), 0);
	CHECK_INT(compact_next(&rows, &arena, &look, &err), ERR_UNSUPPORTED);
	CHECK_INT(compact_next(&rows, &arena, &look, &err), ERR_END);
	CHECK_INT(compact_open(&rows, SLICE("stillpoint-looks: 2\r\n"), &err), ERR_UNSUPPORTED);
	buf_release(&block);
	buf_release(&row);
	arena_release(&arena);
}

static void test_patch(void)
{
	struct buf from, to, patch, got;
	struct patch_maker maker = {0};

	buf_init(&from, BUF_MAX);
	buf_init(&to, BUF_MAX);
	buf_init(&patch, BUF_MAX);
	buf_init(&got, BUF_MAX);
	for (int i = 0; i < 500; i++) {
		CHECK_INT(buf_printf(&from, "line %d of a page, %d\n", i, i * i), 0);
		CHECK_INT(buf_printf(&to, "line %d of a page, %d\n", i, i * i + (i == 250)), 0);
	}
	CHECK_INT(patch_make(&maker, buf_slice(&from), buf_slice(&to), &patch), 0);
	CHECK(patch.len < 200);
	CHECK_INT(patch_apply(buf_slice(&from), buf_slice(&patch), to.len, &got), 0);
	CHECK(slice_eq(buf_slice(&got), buf_slice(&to)));
	buf_reset(&got);
	CHECK_INT(patch_apply(buf_slice(&from), buf_slice(&patch), to.len - 1, &got), ERR_SYNTAX);
	CHECK_INT(patch_apply(buf_slice(&from), buf_slice(&patch), to.len + 1, &got), ERR_SYNTAX);
	tap_case("a patch against other bytes");
	memset(from.ptr, 'x', from.len / 2);
	CHECK_INT(patch_apply(buf_slice(&from), buf_slice(&patch), to.len, &got), ERR_SYNTAX);
	CHECK_INT(patch_apply(SLICE(""), buf_slice(&patch), to.len, &got), ERR_SYNTAX);
	CHECK_INT(patch_apply(buf_slice(&from), SLICE("nonsense"), 5, &got), ERR_SYNTAX);
	CHECK_INT(got.len, 0);
	patch_maker_release(&maker);
	buf_release(&got);
	buf_release(&patch);
	buf_release(&to);
	buf_release(&from);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_round_trip);
	TAP_RUN(test_tombstone);
	TAP_RUN(test_refused);
	TAP_RUN(test_damaged);
	TAP_RUN(test_patch);
	test_expand();
	return tap_done();
}
