/*
 * warc_sample DIR [plain|gzip|zstd]: writes a WARC file of every kind of record with our writer
 * into DIR, reads it with our reader, and prints the CDXJ lines of it. For tests that hold it
 * against other programs.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "warc/cdxj.h"
#include "warc/warc_reader.h"
#include "warc/warc_writer.h"

enum { LARGE = 3 << 20 };

#define DATE  INT64_C(1452554665412030000)
#define ROOT  "http://example.com/"
#define CHUNK "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"

static int fail(const struct err *err)
{
	(void)fprintf(stderr, "warc_sample: %s\n", err->text);
	return 1;
}

/* Bytes that compress a little. */
static void fill(char *to, size_t len)
{
	unsigned x = 1;

	for (size_t i = 0; i < len; i++) {
		x = x * 1103515245 + 12345;
		to[i] = (char)(x >> 16 & 0x3f);
	}
}

/* A response, and the request and metadata that belong to it. */
static int add_exchange(struct warc_writer *w, const struct warc_entry *entry,
	struct warc_place *place, struct err *err)
{
	struct warc_entry response = *entry, other = {.url = entry->url, .date = DATE};
	int rc;

	response.date = DATE;
	response.ip = SLICE("192.0.2.1");
	rc = warc_writer_add(w, &response, place, err);
	if (rc)
		return rc;
	other.concurrent = slice_str(place->id.text);
	other.type = WARC_TYPE_REQUEST;
	other.head = SLICE("GET / HTTP/1.1\r\nHost: example.com\r\n\r\n");
	rc = warc_writer_add(w, &other, NULL, err);
	other.type = WARC_TYPE_METADATA;
	other.head = SLICE("capture: 1\r\nleg: visit\r\n");
	return rc ? rc : warc_writer_add(w, &other, NULL, err);
}

static int write_records(
	struct warc_writer *w, const struct warc_spool *spool, slice large, struct err *err)
{
	const struct warc_entry entries[] = {
		{.type = WARC_TYPE_RESPONSE,
			.url = SLICE(ROOT),
			.head = SLICE("HTTP/1.1 200 OK\r\nContent-Type: text/html; "
				      "charset=utf-8\r\n\r\n"),
			.body = SLICE("<title>\xc3\xa4</title>")},
		{.type = WARC_TYPE_RESPONSE,
			.url = SLICE(ROOT "chunked?b=2&a=1"),
			.head = SLICE(CHUNK),
			.body = SLICE("4\r\nhell\r\n1\r\no\r\n0\r\n\r\n")},
		{.type = WARC_TYPE_RESPONSE,
			.url = SLICE(ROOT "empty"),
			.head = SLICE("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")},
		{.type = WARC_TYPE_RESPONSE,
			.url = SLICE(ROOT "large"),
			.head = SLICE("HTTP/1.1 200 OK\r\nContent-Type: image/x\r\n\r\n"),
			.body = large},
		{.type = WARC_TYPE_RESPONSE,
			.url = SLICE(ROOT "spooled"),
			.head = SLICE("HTTP/1.1 200 OK\r\nContent-Type: video/x\r\n\r\n"),
			.spool = spool,
			.truncated = "length"},
		{.type = WARC_TYPE_RESOURCE,
			.url = SLICE(ROOT "resource"),
			.content_type = SLICE("text/plain"),
			.body = SLICE("a resource")},
	};
	struct warc_place place = {0};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof entries / sizeof entries[0]; i++)
		rc = add_exchange(w, &entries[i], &place, err);
	for (int profile = 0; rc == 0 && profile < 2; profile++) {
		struct warc_entry revisit = {
			.type = WARC_TYPE_REVISIT,
			.url = SLICE(ROOT "resource"),
			.date = DATE + 1000,
			.head = SLICE("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"),
			.payload = &place.payload,
			.profile = profile ? WARC_PROFILE_NOT_MODIFIED : WARC_PROFILE_IDENTICAL,
			.refers_to = SLICE("<urn:uuid:00000000-0000-4000-8000-000000000000>"),
			.refers_to_url = SLICE(ROOT "resource"),
			.refers_to_date = DATE,
		};

		if (profile) {
			revisit.head = SLICE("HTTP/1.1 304 Not Modified\r\n\r\n");
			revisit.payload = NULL;
		}
		rc = warc_writer_add(w, &revisit, &place, err);
	}
	return rc;
}

/* As warcio makes it for the URLs above: host turned round, arguments sorted. */
static void make_key(slice url, struct buf *out)
{
	slice path = slice_sub(url, sizeof ROOT - 2, url.len);

	buf_reset(out);
	(void)buf_add_str(out, "com,example)");
	if (slice_eq(path, SLICE("/chunked?b=2&a=1")))
		path = SLICE("/chunked?a=1&b=2");
	(void)buf_add(out, path);
}

static int print_index(const char *dir, const char *file, struct err *err)
{
	const struct warc_record *rec;
	struct warc_reader *r = NULL;
	char path[4096];
	struct buf key, line;
	int rc;

	(void)snprintf(path, sizeof path, "%s/%s", dir, file);
	buf_init(&key, CDXJ_LINE_MAX);
	buf_init(&line, CDXJ_LINE_MAX);
	rc = warc_reader_open(path, 0, &r, err);
	while (rc == 0 && (rc = warc_reader_next(r, &rec, err)) == 0) {
		struct cdxj cdxj;

		rc = warc_reader_end(r, err);
		if (rc == 0 && rec->problem.code)
			rc = err_set(err, ERR_SYNTAX, "%s", rec->problem.text);
		if (rc || !cdxj_from_record(rec, slice_str(file), &cdxj))
			continue;
		make_key(rec->header.url, &key);
		cdxj.key = buf_slice(&key);
		buf_reset(&line);
		rc = cdxj_write(&line, &cdxj);
		(void)fwrite(line.ptr, 1, line.len, stdout);
	}
	warc_reader_close(r);
	buf_release(&key);
	buf_release(&line);
	return rc == ERR_END ? 0 : rc;
}

static enum warc_coding find_coding(const char *name)
{
	return strcmp(name, "plain") == 0  ? WARC_CODING_PLAIN
	       : strcmp(name, "zstd") == 0 ? WARC_CODING_ZSTD
					   : WARC_CODING_GZIP;
}

int main(int argc, char **argv)
{
	static const struct field info[] = {{SLICE_INIT("software"), SLICE_INIT("stillpoint")}};
	struct warc_writer_params params = {
		.dir = argc > 1 ? argv[1] : ".",
		.name = "sample-%n",
		.coding = find_coding(argc > 2 ? argv[2] : "gzip"),
		.info = info,
		.info_count = 1,
	};
	static char large[LARGE];
	struct warc_spool spool = {.size = LARGE};
	struct warc_writer *w = NULL;
	struct warc_entry probe = {.type = WARC_TYPE_METADATA, .url = SLICE(ROOT), .date = DATE};
	struct warc_place place;
	struct err err = {0};
	FILE *file = tmpfile();

	fill(large, sizeof large);
	if (!file || fwrite(large, 1, sizeof large, file) != sizeof large || fflush(file))
		return 1;
	spool.fd = fileno(file);
	if (warc_writer_open(&params, &w, &err))
		return fail(&err);
	if (warc_writer_add(w, &probe, &place, &err) ||
		write_records(w, &spool, (slice){large, sizeof large}, &err))
		return fail(&err);
	if (warc_writer_close(w, &err) || print_index(params.dir, place.file, &err))
		return fail(&err);
	return fclose(file) != 0;
}
