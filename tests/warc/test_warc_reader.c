#include "warc/warc_reader.h"

#include <stdlib.h>
#include <zstd.h>

#include "base/err.h"
#include "sample.h"
#include "tap.h"

enum form {
	PLAIN,
	GZIP,
	GZIP_ONE,    /* member for all records */
	GZIP_BLOCKS, /* members that know nothing of records */
	ZSTD,
	ZSTD_ONE,
	ZSTD_DICTIONARY,
	ZSTD_SMALL_DICTIONARY, /* compressed itself */
	FORMS,
};

static const char *const FORM_NAMES[FORMS] = {"plain", "gzip", "gzip, one member",
	"gzip, any members", "zstd", "zstd, one frame", "zstd, dictionary",
	"zstd, compressed dictionary"};

/* Content that zstd takes as a dictionary without a header ("raw content"). */
static const char DICTIONARY[] =
	"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://example.com/\r\n"
	"Content-Type: application/http; msgtype=response\r\nHTTP/1.1 200 OK\r\n";

static void add_dictionary(struct buf *out, bool compressed)
{
	struct buf content;

	buf_init(&content, SAMPLE_MAX);
	if (compressed)
		sample_zstd(&content, SLICE(DICTIONARY), (slice){0});
	else
		(void)buf_add(&content, SLICE(DICTIONARY));
	(void)buf_add(out, SLICE("\x5d\x2a\x4d\x18"));
	for (int i = 0; i < 4; i++)
		(void)buf_add_char(out, (char)(content.len >> (8 * i) & 0xff));
	(void)buf_add(out, buf_slice(&content));
	buf_release(&content);
}

static void add_in_form(struct buf *out, enum form form, slice bytes)
{
	switch (form) {
	case PLAIN:
		(void)buf_add(out, bytes);
		break;
	case GZIP:
	case GZIP_ONE:
		sample_gzip(out, bytes);
		break;
	case GZIP_BLOCKS:
		for (size_t at = 0; at < bytes.len; at += 333)
			sample_gzip(out, slice_sub(bytes, at, at + 333));
		break;
	case ZSTD:
	case ZSTD_ONE:
		sample_zstd(out, bytes, (slice){0});
		break;
	default:
		sample_zstd(out, bytes, SLICE(DICTIONARY));
	}
}

static bool is_by_record(enum form form)
{
	return form != GZIP_ONE && form != GZIP_BLOCKS && form != ZSTD_ONE;
}

/* Records of these habits, in this form. */
static void make_file(struct buf *out, enum form form, const unsigned *habits, unsigned count)
{
	struct buf records;

	buf_init(&records, SAMPLE_MAX);
	if (form == ZSTD_DICTIONARY || form == ZSTD_SMALL_DICTIONARY)
		add_dictionary(out, form == ZSTD_SMALL_DICTIONARY);
	for (unsigned i = 0; i < count; i++) {
		sample_record(&records, i + 1, habits[i]);
		if (is_by_record(form)) {
			add_in_form(out, form, buf_slice(&records));
			buf_reset(&records);
		}
	}
	if (!is_by_record(form))
		add_in_form(out, form, buf_slice(&records));
	buf_release(&records);
}

static void test_habits(void)
{
	static const unsigned habits[] = {
		0,
		SAMPLE_BRACKETS,
		SAMPLE_LF,
		SAMPLE_FOLDED | SAMPLE_SHA256,
		SAMPLE_CHUNKED | SAMPLE_MD5,
		SAMPLE_CHUNKED | SAMPLE_AS_SENT,
		SAMPLE_018 | SAMPLE_NO_DIGESTS,
		SAMPLE_NO_TRAILER,
		SAMPLE_BAD_BLOCK,
	};

	for (unsigned form = 0; form < FORMS; form++) {
		struct buf file, got;

		tap_case("habits: %s", FORM_NAMES[form]);
		buf_init(&file, SAMPLE_MAX);
		buf_init(&got, SAMPLE_MAX);
		make_file(&file, form, habits, ARRAY_LEN(habits));
		sample_read(buf_slice(&file), false, &got);
		CHECK_STR(buf_str(&got), "123456789!");
		buf_release(&file);
		buf_release(&got);
	}
}

/* Without lengths, records end where the next one begins, or with their member; that is a fault. */
static void test_no_lengths(void)
{
	static const unsigned habits[] = {SAMPLE_NO_LENGTH, SAMPLE_NO_LENGTH | SAMPLE_CHUNKED,
		SAMPLE_NO_LENGTH | SAMPLE_LF, SAMPLE_NO_LENGTH};

	for (unsigned form = 0; form < FORMS; form++) {
		struct buf file, got;

		tap_case("no lengths: %s", FORM_NAMES[form]);
		buf_init(&file, SAMPLE_MAX);
		buf_init(&got, SAMPLE_MAX);
		make_file(&file, form, habits, ARRAY_LEN(habits));
		sample_read(buf_slice(&file), false, &got);
		CHECK_STR(buf_str(&got), "1!2!3!4!");
		buf_release(&file);
		buf_release(&got);
	}
}

/* The records 1, 2, 3, in two members or frames of which the first has so many bytes. */
static bool check_cut(slice records, size_t at, bool zstd, const char *want)
{
	enum form form = zstd ? ZSTD : GZIP;
	struct buf file, got;
	bool ok;

	buf_init(&file, SAMPLE_MAX);
	buf_init(&got, SAMPLE_MAX);
	add_in_form(&file, form, slice_sub(records, 0, at));
	add_in_form(&file, form, slice_sub(records, at, records.len));
	sample_read(buf_slice(&file), false, &got);
	ok = CHECK_STR(buf_str(&got), want);
	buf_release(&file);
	buf_release(&got);
	return ok;
}

/* Those that know nothing of records may end anywhere, in a version line too. */
static void test_any_cut(void)
{
	static const unsigned habits[] = {0, SAMPLE_NO_LENGTH, SAMPLE_NO_LENGTH | SAMPLE_NO_DIGESTS,
		SAMPLE_LF | SAMPLE_NO_LENGTH, SAMPLE_NO_TRAILER};
	enum { NEAR = 40 }; /* every byte so near to where a record begins; elsewhere some */

	for (unsigned h = 0; h < 2 * ARRAY_LEN(habits); h++) {
		const char *want = habits[h / 2] & SAMPLE_NO_LENGTH ? "1!2!3!" : "123";
		bool zstd = h % 2, ok = true;
		struct buf records;
		size_t first, next;

		tap_case("any cut: %s, habit %u", zstd ? "zstd" : "gzip", h / 2);
		buf_init(&records, SAMPLE_MAX);
		sample_record(&records, 1, habits[h / 2]);
		first = records.len;
		sample_record(&records, 2, habits[h / 2]);
		next = records.len;
		sample_record(&records, 3, habits[h / 2]);
		for (size_t at = 1; ok && at < records.len; at++) {
			bool is_near = (at + NEAR > first && at < first + NEAR) ||
				       (at + NEAR > next && at < next + NEAR) ||
				       at + NEAR > records.len || at < NEAR;

			ok = (!is_near && at % 29 > 0) ||
			     check_cut(buf_slice(&records), at, zstd, want);
		}
		buf_release(&records);
	}
}

static struct warc_reader *open_memory(slice bytes, unsigned flags)
{
	struct warc_source source = {.fd = -1, .memory = bytes};
	struct warc_reader *r = NULL;
	struct err err = {0};

	CHECK_INT(warc_reader_open_source(&source, flags, &r, &err), 0);
	return r;
}

static void test_verdicts(void)
{
	static const struct {
		const char *label;
		unsigned habits;
		enum warc_verdict block, payload;
		const char *problem;
	} rows[] = {
		{"sha1", 0, WARC_VERDICT_OK, WARC_VERDICT_OK, ""},
		{"sha256", SAMPLE_SHA256, WARC_VERDICT_OK, WARC_VERDICT_OK, ""},
		{"md5", SAMPLE_MD5, WARC_VERDICT_OK, WARC_VERDICT_OK, ""},
		{"none", SAMPLE_NO_DIGESTS, WARC_VERDICT_NONE, WARC_VERDICT_NONE, ""},
		{"chunked", SAMPLE_CHUNKED, WARC_VERDICT_OK, WARC_VERDICT_OK, ""},
		{"chunked, as sent", SAMPLE_CHUNKED | SAMPLE_AS_SENT, WARC_VERDICT_OK,
			WARC_VERDICT_AS_SENT, ""},
		{"bad block", SAMPLE_BAD_BLOCK, WARC_VERDICT_BAD, WARC_VERDICT_OK,
			"block digest does not match"},
		{"bad payload", SAMPLE_BAD_PAYLOAD, WARC_VERDICT_OK, WARC_VERDICT_BAD,
			"payload digest does not match"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct warc_record *rec;
		struct warc_reader *r;
		struct err err = {0};
		struct buf file;

		tap_case("verdict: %s", rows[i].label);
		buf_init(&file, SAMPLE_MAX);
		sample_record(&file, 1, rows[i].habits);
		r = open_memory(buf_slice(&file), 0);
		if (CHECK_INT(warc_reader_next(r, &rec, &err), 0)) {
			CHECK_INT(warc_reader_end(r, &err), 0);
			CHECK_INT(rec->block, rows[i].block);
			CHECK_INT(rec->payload, rows[i].payload);
			CHECK_STR(rec->problem.text, rows[i].problem);
			CHECK_INT(rec->status, 200);
			CHECK_SLICE(rec->mime, SLICE("text/html"));
			CHECK_SLICE(slice_sub(rec->http_head, 0, 8), SLICE("HTTP/1.1"));
		}
		warc_reader_close(r);
		buf_release(&file);
	}
}

#define REVISIT                                                                                 \
	"WARC/1.0\r\nWARC-Type: revisit\r\nWARC-Target-URI: http://a/\r\nWARC-Payload-Digest: " \
	"sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
#define UNKNOWN                                                                                    \
	"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Block-Digest: blake3:00\r\nWARC-Payload-Digest: " \
	"sha1:12\r\nContent-Length: 1\r\n\r\nx\r\n\r\n"
#define SEGMENT                                                                              \
	"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Segment-Number: 1\r\nWARC-Payload-Digest: " \
	"sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\nContent-Length: 1\r\n\r\nx\r\n\r\n"

/* What cannot be checked is not called wrong. */
static void test_unchecked(void)
{
	static const struct {
		const char *label;
		const char *file;
		enum warc_verdict want;
	} rows[] = {
		{"revisit", REVISIT, WARC_VERDICT_NONE},
		{"algorithm, spelling", UNKNOWN, WARC_VERDICT_UNKNOWN},
		{"segment", SEGMENT, WARC_VERDICT_NONE},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct warc_reader *r = open_memory(slice_str(rows[i].file), 0);
		const struct warc_record *rec;
		struct err err = {0};

		tap_case("unchecked: %s", rows[i].label);
		CHECK_INT(warc_reader_next(r, &rec, &err), 0);
		CHECK_INT(warc_reader_end(r, &err), 0);
		CHECK_INT(rec->payload, rows[i].want);
		CHECK_INT(rec->problem.code, 0);
		CHECK_INT(warc_reader_next(r, &rec, &err), ERR_END);
		warc_reader_close(r);
	}
}

/* Every record is found again by its spot, in any order, with the same block. */
static void test_seek(void)
{
	enum { COUNT = 9 };
	static const unsigned habits[COUNT] = {0};

	for (unsigned form = 0; form < FORMS; form++) {
		struct warc_spot spots[COUNT] = {0};
		const struct warc_record *rec;
		struct warc_reader *r;
		struct err err = {0};
		struct buf file;

		tap_case("seek: %s", FORM_NAMES[form]);
		buf_init(&file, SAMPLE_MAX);
		make_file(&file, form, habits, COUNT);
		r = open_memory(buf_slice(&file), 0);
		for (int i = 0; i < COUNT && CHECK_INT(warc_reader_next(r, &rec, &err), 0); i++)
			spots[i] = rec->spot;
		for (int i = 0; i < COUNT; i++) {
			int n = i * 4 % COUNT;

			CHECK_INT(warc_reader_seek(r, spots[n], &err), 0);
			CHECK_INT(warc_reader_next(r, &rec, &err), 0);
			CHECK_INT(warc_reader_end(r, &err), 0);
			CHECK_INT(rec->header.url.ptr[rec->header.url.len - 1], '1' + n);
			CHECK_INT(rec->problem.code, 0);
			CHECK(rec->spot.offset == spots[n].offset &&
				rec->spot.inner == spots[n].inner);
		}
		CHECK_INT(warc_reader_seek(r, (struct warc_spot){file.len, 0}, &err), ERR_RANGE);
		warc_reader_close(r);
		buf_release(&file);
	}
}

/* The pieces of a block are the block, however large, and may be left unread. */
static void test_block(void)
{
	enum { SIZE = 300000 };
	struct warc_reader *r;
	const struct warc_record *rec;
	struct err err = {0};
	struct buf file, got;
	slice piece;
	int rc;

	buf_init(&file, SAMPLE_MAX);
	buf_init(&got, SAMPLE_MAX);
	(void)buf_printf(
		&file, "WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: %d\r\n\r\n", SIZE);
	for (int i = 0; i < SIZE; i++)
		(void)buf_add_char(&file, (char)('a' + i % 26));
	(void)buf_add_str(&file, "\r\n\r\n");
	sample_record(&file, 2, 0);
	r = open_memory(buf_slice(&file), 0);
	CHECK_INT(warc_reader_next(r, &rec, &err), 0);
	while ((rc = warc_reader_block(r, &piece, &err)) == 0)
		(void)buf_add(&got, piece);
	CHECK_INT(rc, ERR_END);
	CHECK_INT(got.len, SIZE);
	CHECK(memcmp(got.ptr, strstr(file.ptr, "\r\n\r\n") + 4, SIZE) == 0);
	CHECK_INT(warc_reader_next(r, &rec, &err), 0);
	CHECK_INT(warc_reader_next(r, &rec, &err), ERR_END);
	CHECK_INT(warc_reader_next(r, &rec, &err), ERR_END);
	warc_reader_close(r);
	buf_release(&file);
	buf_release(&got);
}

static void test_shared(void)
{
	static const unsigned habits[2] = {0};
	const struct warc_record *rec;
	struct warc_reader *r;
	struct err err = {0};
	struct buf file;
	uint64_t first;

	buf_init(&file, SAMPLE_MAX);
	make_file(&file, GZIP_ONE, habits, 2);
	r = open_memory(buf_slice(&file), 0);
	CHECK_INT(warc_reader_next(r, &rec, &err), 0);
	CHECK_INT(warc_reader_end(r, &err), 0);
	CHECK(rec->is_shared && rec->position == 0);
	first = rec->length;
	CHECK_INT(warc_reader_next(r, &rec, &err), 0);
	CHECK_INT(warc_reader_end(r, &err), 0);
	CHECK(rec->is_shared && rec->spot.offset == 0);
	CHECK_INT(rec->position, first);
	CHECK_INT(rec->spot.inner, first);
	warc_reader_close(r);
	buf_release(&file);
}

static void test_odd_files(void)
{
	static const struct {
		const char *label;
		slice file;
		const char *want;
	} rows[] = {
		{"empty", SLICE_INIT(""), ""},
		{"line ends", SLICE_INIT("\r\n\r\n"), ""},
		{"no WARC", SLICE_INIT("<html></html>"), "?"},
		{"version only", SLICE_INIT("WARC/1.0"), "?"},
		{"no end of the header", SLICE_INIT("WARC/1.0\r\nContent-Length: 0\r\n"), "?"},
		{"a broken version", SLICE_INIT("WARC/1.0x\r\nContent-Length: 0\r\n\r\n"), "?"},
		{"gzip magic only", SLICE_INIT("\x1f\x8b\x08\x00"), "?"},
		{"zstd magic only", SLICE_INIT("\x28\xb5\x2f\xfd"), "?"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct buf got;

		tap_case("odd: %s", rows[i].label);
		buf_init(&got, SAMPLE_MAX);
		sample_read(rows[i].file, false, &got);
		CHECK_STR(buf_str(&got), rows[i].want);
		buf_release(&got);
	}
}

/* A header of the largest size is read; one that is a byte longer is a gap. */
static void test_header_limit(void)
{
	for (size_t extra = 0; extra < 2; extra++) {
		slice start = SLICE("WARC/1.0\r\nContent-Length: 0\r\nWARC-Target-URI: "
				    "http://example.com/1\r\nX: ");
		struct buf file, got;

		buf_init(&file, SAMPLE_MAX);
		buf_init(&got, SAMPLE_MAX);
		(void)buf_add(&file, start);
		while (file.len + 4 < WARC_HEAD_MAX + extra)
			(void)buf_add_char(&file, 'x');
		(void)buf_add_str(&file, "\r\n\r\n\r\n\r\n");
		sample_record(&file, 2, 0);
		sample_read(buf_slice(&file), false, &got);
		CHECK_STR(buf_str(&got), extra ? "?2" : "12");
		buf_release(&file);
		buf_release(&got);
	}
}

/* Many fields, the length behind them all: up to the maximum, and beyond it. */
static void test_many_fields(void)
{
	static const struct {
		const char *label;
		size_t fields;
		bool length_first;
		const char *want;
	} rows[] = {
		{"more than an HTTP head may have", 3 * FIELDS_COUNT_MAX, false, "12"},
		{"as many as are read", WARC_FIELDS_MAX - 2, false, "12"},
		{"one more, with a known length", WARC_FIELDS_MAX - 1, true, "1!2"},
		{"so many that the length is not read", WARC_FIELDS_MAX, false, "1!2"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct buf file, got;

		tap_case("many fields: %s", rows[i].label);
		buf_init(&file, SAMPLE_MAX);
		buf_init(&got, SAMPLE_MAX);
		(void)buf_add_str(&file, "WARC/1.1\r\nWARC-Target-URI: http://example.com/1\r\n");
		if (rows[i].length_first)
			(void)buf_add_str(&file, "Content-Length: 4\r\n");
		for (size_t k = 0; k < rows[i].fields; k++)
			(void)buf_printf(&file, "X-%zu: y\r\n", k);
		if (!rows[i].length_first)
			(void)buf_add_str(&file, "Content-Length: 4\r\n");
		(void)buf_add_str(&file, "\r\nabcd\r\n\r\n");
		sample_record(&file, 2, 0);
		sample_read(buf_slice(&file), false, &got);
		CHECK_STR(buf_str(&got), rows[i].want);
		buf_release(&file);
		buf_release(&got);
	}
}

/* Empty frames that ask for a window of 128 MiB, which zstd has by default, and of twice that. */
static void test_window_limit(void)
{
	_Static_assert(WARC_ZSTD_WINDOW_LOG_MAX == 27, "the descriptors below say 27 and 28");
	static const slice frames[] = {
		SLICE_INIT("\x28\xb5\x2f\xfd\x00\x88\x01\x00\x00"),
		SLICE_INIT("\x28\xb5\x2f\xfd\x00\x90\x01\x00\x00"),
	};

	for (size_t i = 0; i < ARRAY_LEN(frames); i++) {
		struct buf got;

		buf_init(&got, SAMPLE_MAX);
		sample_read(frames[i], false, &got);
		CHECK_STR(buf_str(&got), i ? "?" : "");
		buf_release(&got);
	}
}

static void test_dictionary_limit(void)
{
	struct warc_source source = {.fd = -1, .memory = SLICE("\x5d\x2a\x4d\x18\x01\x00\x80\x00")};
	struct warc_reader *r;
	struct err err = {0};

	CHECK_INT(warc_reader_open_source(&source, 0, &r, &err), ERR_LIMIT); /* 8 MiB and a byte */
	source.memory = SLICE("\x5d\x2a\x4d\x18\x00\x00\x80\x00");
	CHECK_INT(warc_reader_open_source(&source, 0, &r, &err), ERR_SYNTAX); /* cut off */
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_habits();
	test_no_lengths();
	test_any_cut();
	test_verdicts();
	test_unchecked();
	test_seek();
	TAP_RUN(test_block);
	TAP_RUN(test_shared);
	test_odd_files();
	TAP_RUN(test_header_limit);
	test_many_fields();
	TAP_RUN(test_window_limit);
	TAP_RUN(test_dictionary_limit);
	return tap_done();
}
