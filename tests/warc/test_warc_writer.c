#include "warc/warc_writer.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "sample.h"
#include "tap.h"
#include "warc/warc_compress.h"
#include "warc/warc_reader.h"

#define DATE     INT64_C(1452554665412030000) /* 2016-01-11T23:24:25.412030Z */
#define HEAD     "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
#define CHUNKED  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
#define REQUEST  "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n"
#define MODIFIED "HTTP/1.1 304 Not Modified\r\n\r\n"

static const struct field INFO[] = {
	{SLICE_INIT("software"), SLICE_INIT("stillpoint/test")},
	{SLICE_INIT("format"), SLICE_INIT("WARC File Format 1.1")},
};

static struct warc_writer *open_writer(const char *dir, enum warc_coding coding, uint64_t max_size)
{
	static struct clock_manual clock; /* outlives the writer, which borrows it */
	struct warc_writer_params params = {
		.dir = dir,
		.coding = coding,
		.max_size = max_size,
		.info = INFO,
		.info_count = ARRAY_LEN(INFO),
		.clock = &clock.clock,
		.seed = 1,
	};
	struct warc_writer *w = NULL;
	struct err err = {0};

	clock_manual_init(&clock, DATE);
	CHECK_INT(warc_writer_open(&params, &w, &err), 0);
	return w;
}

static void path_of(const char *dir, const char *file, char out[4096])
{
	(void)snprintf(out, 4096, "%s/%s", dir, file);
}

/* All files of the directory, in their order, separated by blanks. */
static void list_files(const char *dir, struct buf *out)
{
	struct dirent **names = NULL;
	int count = scandir(dir, &names, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		if (names[i]->d_name[0] != '.')
			(void)buf_printf(out, "%s ", names[i]->d_name);
		free(names[i]);
	}
	free(names);
}

static void check_files(const char *dir, const char *want)
{
	struct buf got;

	buf_init(&got, SAMPLE_MAX);
	list_files(dir, &got);
	CHECK_STR(buf_str(&got), want);
	buf_release(&got);
}

/* Reads the record at a place and hands out its header fields as text, and its block. */
static void read_back(
	const char *dir, const struct warc_place *place, struct buf *fields, struct buf *block)
{
	char path[4096];
	const struct warc_record *rec;
	struct warc_reader *r = NULL;
	struct err err = {0};
	slice piece;

	path_of(dir, place->file, path);
	if (!CHECK_INT(warc_reader_open(path, 0, &r, &err), 0))
		return;
	CHECK_INT(warc_reader_seek(r, (struct warc_spot){place->offset, 0}, &err), 0);
	if (CHECK_INT(warc_reader_next(r, &rec, &err), 0)) {
		while (warc_reader_block(r, &piece, &err) == 0)
			(void)buf_add(block, piece);
		CHECK_INT(warc_reader_end(r, &err), 0);
		CHECK_INT(rec->length, (int64_t)place->length);
		CHECK_STR(rec->problem.text, "");
		CHECK(rec->block == WARC_VERDICT_OK ||
			(rec->block == WARC_VERDICT_NONE && rec->payload == WARC_VERDICT_OK));
		for (size_t i = 0; i < rec->header.fields.items.len; i++) {
			struct field f = rec->header.fields.items.ptr[i];

			(void)buf_printf(fields, "%.*s: %.*s\n", (int)f.name.len, f.name.ptr,
				(int)f.value.len, f.value.ptr);
		}
	}
	warc_reader_close(r);
}

#define URL "WARC-Target-URI: http://example.com/\n"

/* Digests of "hello" and of the blocks by sha256sum. */
#define HELLO "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

static const struct digest HELLO_DIGEST = {
	DIGEST_SHA256, {0x2c, 0xf2, 0x4d, 0xba, 0x5f, 0xb0, 0xa3, 0x0e, 0x26, 0xe8, 0x3b, 0x2a,
			       0xc5, 0xb9, 0xe2, 0x9e, 0x1b, 0x16, 0x1e, 0x5c, 0x1f, 0xa7, 0x42,
			       0x5e, 0x73, 0x04, 0x33, 0x62, 0x93, 0x8b, 0x98, 0x24}};

static const struct field EXTRA[] = {
	{SLICE_INIT("Stillpoint-Leg"), SLICE_INIT("visit")},
};

static const struct {
	const char *label;
	struct warc_entry entry;
	const char *fields; /* after the URL, up to the block's digest */
	const char *rest;   /* after it */
	const char *block;
} TYPES[] = {
	{"response",
		{.type = WARC_TYPE_RESPONSE,
			.ip = SLICE_INIT("127.0.0.1"),
			.head = SLICE_INIT(HEAD),
			.body = SLICE_INIT("hello")},
		"WARC-IP-Address: 127.0.0.1\nWARC-Payload-Digest: " HELLO "\n",
		"Content-Type: application/http; msgtype=response\nContent-Length: 49\n",
		HEAD "hello"},
	{"chunked response",
		{.type = WARC_TYPE_RESPONSE,
			.head = SLICE_INIT(CHUNKED),
			.body = SLICE_INIT("5\r\nhello\r\n0\r\n\r\n")},
		"WARC-Payload-Digest: " HELLO "\n",
		"Content-Type: application/http; msgtype=response\nContent-Length: 62\n",
		CHUNKED "5\r\nhello\r\n0\r\n\r\n"},
	{"truncated response",
		{.type = WARC_TYPE_RESPONSE,
			.head = SLICE_INIT(HEAD),
			.body = SLICE_INIT("hello"),
			.truncated = "length",
			.extra = EXTRA,
			.extra_count = 1},
		"WARC-Truncated: length\nStillpoint-Leg: visit\nWARC-Payload-Digest: " HELLO "\n",
		"Content-Type: application/http; msgtype=response\nContent-Length: 49\n",
		HEAD "hello"},
	{"request", {.type = WARC_TYPE_REQUEST, .head = SLICE_INIT(REQUEST)}, "",
		"Content-Type: application/http; msgtype=request\nContent-Length: 37\n", REQUEST},
	{"identical revisit",
		{.type = WARC_TYPE_REVISIT,
			.head = SLICE_INIT(HEAD),
			.payload = &HELLO_DIGEST,
			.refers_to = SLICE_INIT("<urn:uuid:1>"),
			.refers_to_url = SLICE_INIT("http://example.com/old"),
			.refers_to_date = DATE - 1000000},
		"WARC-Profile: "
		"http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\n"
		"WARC-Refers-To: <urn:uuid:1>\n"
		"WARC-Refers-To-Target-URI: http://example.com/old\n"
		"WARC-Refers-To-Date: 2016-01-11T23:24:25Z\n"
		"WARC-Payload-Digest: " HELLO "\n",
		"Content-Type: application/http; msgtype=response\nContent-Length: 44\n", HEAD},
	{"unmodified revisit",
		{.type = WARC_TYPE_REVISIT,
			.profile = WARC_PROFILE_NOT_MODIFIED,
			.head = SLICE_INIT(MODIFIED),
			.refers_to = SLICE_INIT("<urn:uuid:2>"),
			.refers_to_url = SLICE_INIT("http://example.com/"),
			.refers_to_date = DATE},
		"WARC-Profile: "
		"http://netpreserve.org/warc/1.1/revisit/server-not-modified\n"
		"WARC-Refers-To: <urn:uuid:2>\n"
		"WARC-Refers-To-Target-URI: http://example.com/\n"
		"WARC-Refers-To-Date: 2016-01-11T23:24:25Z\n",
		"Content-Type: application/http; msgtype=response\nContent-Length: 29\n", MODIFIED},
	{"metadata", {.type = WARC_TYPE_METADATA, .body = SLICE_INIT("leg: visit\r\n")}, "",
		"Content-Type: application/warc-fields\nContent-Length: 12\n", "leg: visit\r\n"},
	{"resource",
		{.type = WARC_TYPE_RESOURCE,
			.content_type = SLICE_INIT("text/plain"),
			.body = SLICE_INIT("hello")},
		"WARC-Payload-Digest: " HELLO "\n", "Content-Type: text/plain\nContent-Length: 5\n",
		"hello"},
	{"empty metadata", {.type = WARC_TYPE_METADATA}, "",
		"Content-Type: application/warc-fields\nContent-Length: 0\n", ""},
};

/* Reads a record back and holds it against its row. */
static void check_type(const char *dir, size_t i, const struct warc_place *place)
{
	struct buf fields, block;
	char want[2048];
	const char *got, *rest;

	buf_init(&fields, SAMPLE_MAX);
	buf_init(&block, SAMPLE_MAX);
	read_back(dir, place, &fields, &block);
	CHECK_STR(buf_str(&block), TYPES[i].block);
	(void)snprintf(want, sizeof want, URL "%sWARC-Block-Digest: sha256:", TYPES[i].fields);
	got = strstr(buf_str(&fields), URL);
	rest = strstr(buf_str(&fields), TYPES[i].rest);
	CHECK(got && strncmp(got, want, strlen(want)) == 0);
	CHECK(rest && strcmp(rest, TYPES[i].rest) == 0);
	CHECK(strstr(buf_str(&fields), place->id.text) != NULL);
	buf_release(&fields);
	buf_release(&block);
}

static void test_types(void)
{
	struct warc_place places[ARRAY_LEN(TYPES)];

	for (enum warc_coding coding = 0; coding <= WARC_CODING_ZSTD; coding++) {
		const char *dir = tap_tempdir();
		struct warc_writer *w = open_writer(dir, coding, 0);
		struct err err = {0};

		tap_case("types: written, coding %d", coding);
		for (size_t i = 0; i < ARRAY_LEN(TYPES); i++) {
			struct warc_entry entry = TYPES[i].entry;

			entry.url = SLICE("http://example.com/");
			entry.date = DATE;
			CHECK_INT(warc_writer_add(w, &entry, &places[i], &err), 0);
		}
		CHECK_INT(warc_writer_sync(w, &err), 0);
		CHECK_INT(warc_writer_close(w, &err), 0);
		for (size_t i = 0; i < ARRAY_LEN(TYPES); i++) {
			tap_case("types: %s, coding %d", TYPES[i].label, coding);
			check_type(dir, i, &places[i]);
		}
	}
}

/* A response whose payload has a digest has no other where compression has a sum of its own. */
static void test_digests(void)
{
	static const char SUM[] =
		"sha256:230d8358dc8e8890b4c58deeb62912ee2f20357ae92a5cc861b98e68fe31acb5";
	struct digest payload;
	const struct warc_entry entry = {
		.type = WARC_TYPE_RESPONSE,
		.url = SLICE_INIT("http://example.com/"),
		.date = DATE,
		.head = SLICE_INIT("HTTP/1.1 200 OK\r\n\r\n"),
		.body = SLICE_INIT("body"),
		.payload = &payload,
	};

	CHECK_INT(digest_parse(slice_str(SUM), &payload), 0);
	for (enum warc_coding coding = 0; coding <= WARC_CODING_ZSTD; coding++) {
		const char *dir = tap_tempdir();
		struct warc_writer *w = open_writer(dir, coding, 0);
		struct warc_place place;
		struct buf fields, block;
		struct err err = {0};

		tap_case("digests of a response, coding %d", coding);
		buf_init(&fields, SAMPLE_MAX);
		buf_init(&block, SAMPLE_MAX);
		CHECK_INT(warc_writer_add(w, &entry, &place, &err), 0);
		CHECK_INT(warc_writer_close(w, &err), 0);
		CHECK(place.has_payload && digest_eq(&place.payload, &payload));
		read_back(dir, &place, &fields, &block);
		CHECK(strstr(buf_str(&fields), SUM) != NULL);
		CHECK_INT(strstr(buf_str(&fields), "WARC-Block-Digest: sha256:") != NULL,
			coding == WARC_CODING_PLAIN);
		buf_release(&fields);
		buf_release(&block);
	}
}

/* The record names that of its file's warcinfo, whose fields these are. */
static void check_refers(const char *dir, const struct warc_place *place, const char *info)
{
	const char *id = strstr(info, "WARC-Record-ID: ");
	char want[128];
	struct buf fields, block;

	buf_init(&fields, SAMPLE_MAX);
	buf_init(&block, SAMPLE_MAX);
	read_back(dir, place, &fields, &block);
	if (CHECK(id != NULL)) {
		id += strlen("WARC-Record-ID: ");
		(void)snprintf(want, sizeof want, "\nWARC-Warcinfo-ID: %.*s\n",
			(int)strcspn(id, "\n"), id);
		CHECK(strstr(buf_str(&fields), want) != NULL);
		CHECK(strstr(info, "WARC-Warcinfo-ID") == NULL);
	}
	buf_release(&fields);
	buf_release(&block);
}

static void test_warcinfo(void)
{
	const char *dir = tap_tempdir();
	struct warc_writer *w = open_writer(dir, WARC_CODING_GZIP, 0);
	struct warc_entry entry = {
		.type = WARC_TYPE_METADATA, .url = SLICE("http://a/"), .date = DATE};
	struct warc_place place, info;
	struct err err = {0};
	struct buf fields, block;

	CHECK_INT(warc_writer_add(w, &entry, &place, &err), 0);
	CHECK_INT(warc_writer_close(w, &err), 0);
	CHECK_STR(place.file, "stillpoint-20160111232425-00000.warc.gz");
	info = place;
	info.length = place.offset;
	info.offset = 0;
	buf_init(&fields, SAMPLE_MAX);
	buf_init(&block, SAMPLE_MAX);
	read_back(dir, &info, &fields, &block);
	CHECK(strstr(buf_str(&fields), "WARC-Type: warcinfo\n") != NULL);
	CHECK(strstr(buf_str(&fields),
		      "WARC-Filename: stillpoint-20160111232425-00000.warc.gz\n") != NULL);
	CHECK_STR(buf_str(&block), "software: stillpoint/test\r\nformat: WARC File Format 1.1\r\n");
	check_refers(dir, &place, buf_str(&fields));
	buf_release(&fields);
	buf_release(&block);
}

/* Bodies around the size where one compressor gives way to the other, in memory and spooled. */
static void test_sizes(void)
{
	static const size_t sizes[] = {0, 1, WARC_COMPRESS_SMALL_MAX - 2000,
		WARC_COMPRESS_SMALL_MAX + 2000, 3 * WARC_COMPRESS_SMALL_MAX};

	for (enum warc_coding coding = 0; coding <= WARC_CODING_ZSTD; coding++) {
		const char *dir = tap_tempdir();
		struct warc_writer *w = open_writer(dir, coding, 0);
		struct warc_place places[2 * ARRAY_LEN(sizes)];
		struct err err = {0};
		struct buf body;
		char path[4096];
		int fd;

		tap_case("sizes: coding %d", coding);
		buf_init(&body, SAMPLE_MAX);
		for (size_t i = 0; body.len < sizes[ARRAY_LEN(sizes) - 1]; i++)
			(void)buf_printf(&body, "line %zu of the body\n", i * i);
		path_of(dir, "spool", path);
		fd = open(path, O_RDWR | O_CREAT, 0600);
		CHECK_INT(pwrite(fd, body.ptr, body.len, 0), (int64_t)body.len);
		for (size_t i = 0; i < ARRAY_LEN(places); i++) {
			struct warc_spool spool = {fd, sizes[i / 2]};
			struct warc_entry entry = {.type = WARC_TYPE_RESPONSE,
				.url = SLICE("http://a/"),
				.date = DATE,
				.head = SLICE(HEAD)};

			if (i % 2)
				entry.spool = &spool;
			else
				entry.body = slice_sub(buf_slice(&body), 0, sizes[i / 2]);
			CHECK_INT(warc_writer_add(w, &entry, &places[i], &err), 0);
		}
		CHECK_INT(warc_writer_close(w, &err), 0);
		for (size_t i = 0; i < ARRAY_LEN(places); i++) {
			struct buf fields, block;

			buf_init(&fields, SAMPLE_MAX);
			buf_init(&block, SAMPLE_MAX);
			read_back(dir, &places[i], &fields, &block);
			CHECK_INT(block.len, (int64_t)(sizes[i / 2] + sizeof HEAD - 1));
			CHECK(sizes[i / 2] == 0 ||
				memcmp(block.ptr + sizeof HEAD - 1, body.ptr, sizes[i / 2]) == 0);
			buf_release(&fields);
			buf_release(&block);
		}
		(void)close(fd);
		buf_release(&body);
	}
}

static void add_metadata(struct warc_writer *w, size_t size)
{
	struct warc_entry entry = {
		.type = WARC_TYPE_METADATA, .url = SLICE("http://a/"), .date = DATE};
	struct err err = {0};
	struct buf body;

	buf_init(&body, SAMPLE_MAX);
	for (size_t i = 0; i < size; i++)
		(void)buf_add_char(&body, 'x');
	entry.body = buf_slice(&body);
	CHECK_INT(warc_writer_add(w, &entry, NULL, &err), 0);
	buf_release(&body);
}

/* A file ends with the record that brings it to its size; names that are taken are passed over. */
static void test_rolling(void)
{
	const char *dir = tap_tempdir();
	struct warc_writer *w = open_writer(dir, WARC_CODING_PLAIN, 2000);
	struct warc_writer *other;
	struct err err = {0};

	check_files(dir, "");
	add_metadata(w, 10);
	check_files(dir, "stillpoint-20160111232425-00000.warc.open ");
	add_metadata(w, 2000);
	check_files(dir, "stillpoint-20160111232425-00000.warc.open ");
	other = open_writer(dir, WARC_CODING_PLAIN, 2000);
	add_metadata(other, 10);
	add_metadata(w, 10);
	check_files(dir, "stillpoint-20160111232425-00000.warc "
			 "stillpoint-20160111232425-00001.warc.open "
			 "stillpoint-20160111232425-00002.warc.open ");
	CHECK_INT(warc_writer_close(w, &err), 0);
	CHECK_INT(warc_writer_close(other, &err), 0);
	check_files(dir, "stillpoint-20160111232425-00000.warc "
			 "stillpoint-20160111232425-00001.warc "
			 "stillpoint-20160111232425-00002.warc ");
}

/* The SHA-256 of each file that is completed, also when it was written in parts. */
static void test_file_digests(void)
{
	static const enum warc_coding CODINGS[] = {WARC_CODING_PLAIN, WARC_CODING_GZIP};

	for (size_t i = 0; i < ARRAY_LEN(CODINGS); i++) {
		const char *dir = tap_tempdir();
		struct warc_writer *w = open_writer(dir, CODINGS[i], 2000);
		struct digest want = {0};
		struct err err = {0};
		struct stat st;
		char path[4096];
		int fd;

		tap_case("digests of files: %s", i ? "gzip" : "plain");
		CHECK(warc_writer_digest(w) == NULL);
		add_metadata(w, 10);
		add_metadata(w, 600 << 10); /* more than is gathered */
		CHECK(warc_writer_digest(w) == NULL);
		CHECK_INT(warc_writer_complete(w, &err), 0);
		path_of(dir,
			i ? "stillpoint-20160111232425-00000.warc.gz"
			  : "stillpoint-20160111232425-00000.warc",
			path);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		CHECK_INT(fstat(fd, &st), 0);
		CHECK_INT(warc_file_sum(fd, (uint64_t)st.st_size, &want), 0);
		CHECK_INT(warc_file_sum(fd, (uint64_t)st.st_size + 1, &want), ERR_IO);
		(void)close(fd);
		CHECK(warc_writer_digest(w) && digest_eq(warc_writer_digest(w), &want));
		add_metadata(w, 10);
		CHECK_INT(warc_writer_complete(w, &err), 0);
		CHECK(warc_writer_digest(w) && !digest_eq(warc_writer_digest(w), &want));
		CHECK_INT(warc_writer_close(w, &err), 0);
	}
}

static void test_names(void)
{
	static const struct {
		const char *name;
		int want;
	} rows[] = {
		{"a-%n", 0},
		{"%t%%%n", 0},
		{"a", ERR_USAGE},
		{"a/%n", ERR_USAGE},
		{"%n%x", ERR_USAGE},
		{"%n%", ERR_USAGE},
		{"", ERR_USAGE},
	};
	const char *dir = tap_tempdir();

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct warc_writer_params params = {.dir = dir, .name = rows[i].name};
		struct warc_writer *w = NULL;
		struct err err = {0};

		tap_case("name: '%s'", rows[i].name);
		CHECK_INT(warc_writer_open(&params, &w, &err), rows[i].want);
		CHECK_INT(warc_writer_close(w, &err), 0);
	}
}

/* The longest name that is allowed, and one byte more. */
static void test_name_limit(void)
{
	for (int extra = 0; extra < 2; extra++) {
		char name[WARC_NAME_MAX + 2];
		int len = WARC_NAME_MAX - (int)sizeof("00000.warc") + 1 + extra;
		struct warc_writer_params params = {.dir = tap_tempdir(), .name = name};
		struct warc_writer *w = NULL;
		struct err err = {0};

		memset(name, 'a', sizeof name);
		memcpy(name + len, "%n", 3);
		CHECK_INT(warc_writer_open(&params, &w, &err), extra ? ERR_USAGE : 0);
		if (w)
			add_metadata(w, 1);
		CHECK_INT(warc_writer_close(w, &err), 0);
	}
}

/* The longest warcinfo block, and one byte more. */
static void test_info_limit(void)
{
	static char text[WARC_WRITER_INFO_MAX];
	size_t room = sizeof text - (sizeof "a: \r\n" - 1);

	memset(text, 'x', sizeof text);
	for (size_t extra = 0; extra < 2; extra++) {
		struct field info = {SLICE("a"), {text, room + extra}};
		struct warc_writer_params params = {
			.dir = tap_tempdir(), .name = "%n", .info = &info, .info_count = 1};
		struct warc_entry e = {.type = WARC_TYPE_METADATA, .url = SLICE("http://a/")};
		struct warc_writer *w = NULL;
		struct err err = {0};

		CHECK_INT(warc_writer_open(&params, &w, &err), 0);
		CHECK_INT(warc_writer_add(w, &e, NULL, &err), extra ? ERR_LIMIT : 0);
		CHECK_INT(warc_writer_close(w, &err), 0);
	}
}

/* All names but the last that may be tried are taken; then that one, too. */
static void test_tries_limit(void)
{
	const char *dir = tap_tempdir();
	struct warc_writer_params params = {.dir = dir, .name = "%n"};
	struct warc_entry e = {.type = WARC_TYPE_METADATA, .url = SLICE("http://a/")};

	for (int i = 0; i < WARC_WRITER_TRIES_MAX - 1; i++) {
		char path[4096];
		int fd;

		(void)snprintf(path, sizeof path, "%s/%05d.warc", dir, i);
		fd = open(path, O_WRONLY | O_CREAT, 0666);
		if (!CHECK(fd >= 0))
			return;
		(void)close(fd);
	}
	for (int taken = 0; taken < 2; taken++) {
		struct warc_writer *w = NULL;
		struct err err = {0};

		CHECK_INT(warc_writer_open(&params, &w, &err), 0);
		CHECK_INT(warc_writer_add(w, &e, NULL, &err), taken ? ERR_EXISTS : 0);
		CHECK_INT(warc_writer_close(w, &err), 0);
	}
}

static void test_refused(void)
{
	static const struct {
		const char *label;
		struct warc_entry entry;
		int want;
	} rows[] = {
		{"no type", {.url = SLICE_INIT("http://a/")}, ERR_USAGE},
		{"no URL", {.type = WARC_TYPE_RESPONSE}, ERR_USAGE},
		{"a URL with a line break",
			{.type = WARC_TYPE_METADATA, .url = SLICE_INIT("http://a/\r\nX: y")},
			ERR_SYNTAX},
		{"resource without a type",
			{.type = WARC_TYPE_RESOURCE, .url = SLICE_INIT("http://a/")}, ERR_USAGE},
		{"revisit of nothing", {.type = WARC_TYPE_REVISIT, .url = SLICE_INIT("http://a/")},
			ERR_USAGE},
		{"revisit of a record without a name",
			{.type = WARC_TYPE_REVISIT,
				.url = SLICE_INIT("http://a/"),
				.profile = WARC_PROFILE_NOT_MODIFIED,
				.refers_to_url = SLICE_INIT("http://a/"),
				.refers_to_date = 1},
			ERR_USAGE},
		{"identical to what?",
			{.type = WARC_TYPE_REVISIT,
				.url = SLICE_INIT("http://a/"),
				.refers_to = SLICE_INIT("<urn:uuid:1>"),
				.refers_to_url = SLICE_INIT("http://a/"),
				.refers_to_date = 1},
			ERR_USAGE},
	};
	const char *dir = tap_tempdir();
	struct warc_writer *w = open_writer(dir, WARC_CODING_GZIP, 0);
	struct err err = {0};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("refused: %s", rows[i].label);
		CHECK_INT(warc_writer_add(w, &rows[i].entry, NULL, &err), rows[i].want);
		CHECK(err.text[0] != '\0');
	}
	CHECK_INT(warc_writer_close(w, &err), 0);
}

static void test_open_fails(void)
{
	struct warc_writer_params params = {.dir = "/no/such/directory"};
	struct warc_writer *w;
	struct err err = {0};

	CHECK_INT(warc_writer_open(&params, &w, &err), ERR_IO);
	params = (struct warc_writer_params){
		.dir = tap_tempdir(), .coding = WARC_CODING_GZIP, .level = WARC_GZIP_LEVEL_MAX + 1};
	CHECK_INT(warc_writer_open(&params, &w, &err), ERR_RANGE);
	params.level = -1;
	CHECK_INT(warc_writer_open(&params, &w, &err), ERR_RANGE);
	params.level = WARC_GZIP_LEVEL_MAX;
	CHECK_INT(warc_writer_open(&params, &w, &err), 0);
	CHECK_INT(warc_writer_close(w, &err), 0);
	params.coding = WARC_CODING_ZSTD;
	params.level = WARC_ZSTD_LEVEL_MAX + 1;
	CHECK_INT(warc_writer_open(&params, &w, &err), ERR_RANGE);
	params.level = WARC_ZSTD_LEVEL_MAX;
	CHECK_INT(warc_writer_open(&params, &w, &err), 0);
	CHECK_INT(warc_writer_close(w, &err), 0);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_types();
	test_digests();
	TAP_RUN(test_warcinfo);
	test_sizes();
	TAP_RUN(test_rolling);
	test_file_digests();
	test_names();
	TAP_RUN(test_name_limit);
	TAP_RUN(test_info_limit);
	TAP_RUN(test_tries_limit);
	test_refused();
	TAP_RUN(test_open_fails);
	return tap_done();
}
