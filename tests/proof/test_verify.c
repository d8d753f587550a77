/* Verification: what is sound is verified, and nothing that is damaged or untrue goes unnoticed. */
#include "proof/verify.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive_sample.h"
#include "base/buf.h"
#include "base/rng.h"
#include "tap.h"

enum { FILE_MAX = 64 << 20, FLIPS = 200 };

static char *join(const char *dir, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

static void read_file(const char *path, struct buf *out)
{
	char chunk[4096];
	FILE *f = fopen(path, "rb");
	size_t n;

	buf_init(out, FILE_MAX);
	while (f && (n = fread(chunk, 1, sizeof chunk, f)) > 0)
		CHECK_INT(buf_add(out, (slice){chunk, n}), 0);
	if (CHECK(f != NULL))
		(void)fclose(f);
}

static void write_file(const char *path, slice bytes)
{
	FILE *f = fopen(path, "wb");

	if (!CHECK(f != NULL))
		return;
	CHECK_INT(fwrite(bytes.ptr, 1, bytes.len, f), bytes.len);
	CHECK_INT(fclose(f), 0);
}

/* Verifies the archive; the result is to be released. */
static void verify(const char *dir, bool with_catalog, struct verify *v)
{
	char *warc = join(dir, "warc"), *file = join(dir, "catalog.sqlite");
	struct verify_params params = {.warc_dir = warc};
	struct err err = {0};

	if (with_catalog)
		CHECK_INT(catalog_open(file, CATALOG_READ, &params.catalog, &err), 0);
	if (!CHECK_INT(verify_run(v, &params, &err), 0))
		tap_note("%s", err.text);
	catalog_close(params.catalog);
	free(warc);
	free(file);
}

static bool says(const struct verify *v, const char *url, const char *text)
{
	for (size_t i = 0; i < v->problems.len; i++) {
		const struct verify_problem *p = &v->problems.ptr[i];

		if (memmem(p->text.ptr, p->text.len, text, strlen(text)) &&
			(url ? p->url.ptr && slice_eq(p->url, slice_str(url)) : !p->url.ptr))
			return true;
	}
	for (size_t i = 0; i < v->problems.len; i++)
		tap_note("%.*s: %.*s", (int)v->problems.ptr[i].url.len, v->problems.ptr[i].url.ptr,
			(int)v->problems.ptr[i].text.len, v->problems.ptr[i].text.ptr);
	return false;
}

static void test_sound(void)
{
	for (int with_catalog = 0; with_catalog < 2; with_catalog++) {
		const char *dir = tap_tempdir();
		struct verify v;

		sample_site(dir);
		verify(dir, with_catalog, &v);
		CHECK_INT(v.problems.len, 0);
		CHECK_INT(v.notes.len, 0);
		CHECK_INT(v.pages, 16); /* all that were asked for */
		CHECK_INT(v.sharp, 3);
		/* warcinfo; 26 responses, 28 requests and attempts, robots.txt among them. */
		CHECK_INT(v.records, 83);
		if (CHECK_INT(v.captures.len, 1)) {
			CHECK_INT(v.captures.ptr[0].id, with_catalog);
			CHECK_INT(v.captures.ptr[0].window.from, SAMPLE_BASE + 2020 * SAMPLE_MS);
			CHECK_INT(v.captures.ptr[0].window.to, SAMPLE_BASE + 9000 * SAMPLE_MS);
		}
		if (v.problems.len)
			CHECK(says(&v, "", "nothing"));
		verify_release(&v);
	}
}

/* A byte at a place of the file is another one. */
static size_t flip(const char *dir, const char *path, slice good, size_t at, unsigned char by)
{
	struct buf bad;
	struct verify v;
	size_t problems, named = 0;

	buf_init(&bad, FILE_MAX);
	CHECK_INT(buf_add(&bad, good), 0);
	bad.ptr[at] = (char)(bad.ptr[at] ^ by);
	write_file(path, buf_slice(&bad));
	verify(dir, true, &v);
	problems = v.problems.len;
	for (size_t i = 0; i < problems; i++)
		named += v.problems.ptr[i].url.ptr != NULL;
	if (!CHECK(problems > 0))
		tap_note("flip of %#x at %zu goes unnoticed", by, at);
	verify_release(&v);
	buf_release(&bad);
	return named;
}

/* Changes the catalog by hand. */
static void change(const char *dir, const char *sql)
{
	char *file = join(dir, "catalog.sqlite");
	sqlite3 *db = NULL;

	CHECK_INT(sqlite3_open(file, &db), SQLITE_OK);
	CHECK_INT(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	(void)sqlite3_close(db);
	free(file);
}

/* The SHA-256 of the whole file, as a crawl stores it. */
static void store_digest(const char *dir, slice file)
{
	char sql[128] = "UPDATE warc SET digest = x'";
	struct digester d = {0};
	struct digest sum = {0};

	CHECK_INT(digester_start(&d, DIGEST_SHA256), 0);
	digester_feed(&d, file);
	digester_finish(&d, &sum);
	digester_release(&d);
	for (size_t i = 0; i < 32; i++)
		(void)snprintf(sql + strlen(sql), 3, "%02x", sum.bytes[i]);
	(void)snprintf(sql + strlen(sql), 2, "'");
	change(dir, sql);
}

static void test_flips(void)
{
	const char *dir = tap_tempdir();
	size_t named = 0, flips = 0;
	struct rng rng;
	struct buf good;
	char *path;

	sample_site(dir);
	path = sample_warc_path(dir);
	read_file(path, &good);
	store_digest(dir, buf_slice(&good)); /* nothing else covers the last bits of a member */
	rng_init(&rng, 20260101);
	for (; flips < FLIPS; flips++)
		named += flip(dir, path, buf_slice(&good), rng_below(&rng, good.len),
				 (unsigned char)(1 + rng_below(&rng, 255))) > 0;
	/* But for those in the warcinfo record, and robots.txt, there is a page to name. */
	CHECK(named > FLIPS * 9 / 10);
	tap_note("%zu of %zu flips name a page", named, flips);
	write_file(path, buf_slice(&good));
	buf_release(&good);
	free(path);
}

/* Of each member's head, which no checksum covers, every byte. */
static void test_flips_in_heads(void)
{
	static const char MAGIC[] = {0x1f, (char)0x8b, 8, 0};
	const char *dir = tap_tempdir();
	struct buf good;
	size_t members = 0;
	char *path;

	sample_site(dir);
	path = sample_warc_path(dir);
	read_file(path, &good);
	for (size_t at = 0; at + 10 < good.len && members < 3; at++) {
		if (memcmp(good.ptr + at, MAGIC, sizeof MAGIC) != 0)
			continue;
		members++;
		for (size_t i = 0; i < 10; i++)
			for (unsigned bit = 0; bit < 8; bit += 2)
				(void)flip(dir, path, buf_slice(&good), at + i,
					(unsigned char)(1 << bit));
	}
	CHECK_INT(members, 3);
	buf_release(&good);
	free(path);
}

static void test_cuts(void)
{
	const char *dir = tap_tempdir();
	struct rng rng;
	struct buf good;
	char *path;

	sample_site(dir);
	path = sample_warc_path(dir);
	read_file(path, &good);
	rng_init(&rng, 3);
	for (int i = 0; i < 40; i++) {
		struct verify v;

		write_file(path, slice_sub(buf_slice(&good), 0, rng_below(&rng, good.len)));
		verify(dir, true, &v);
		CHECK(v.problems.len > 0);
		verify_release(&v);
	}
	CHECK_INT(unlink(path), 0);
	{
		struct verify v;

		verify(dir, true, &v);
		CHECK(says(&v, NULL, "warc/sample-00000.warc.gz: the file is missing"));
		CHECK(says(
			&v, "http://example.org/", "catalog says sharp, the WARC says unvisited"));
		CHECK(says(&v, "http://example.org/", "its record is missing"));
		verify_release(&v);
	}
	buf_release(&good);
	free(path);
}

/* Where members begin: behind each of them there is another, or the end. */
static size_t find_members(slice bytes, size_t *ret, size_t max)
{
	static const char MAGIC[] = {0x1f, (char)0x8b, 8, 0, 0, 0, 0, 0};
	size_t count = 0;

	for (size_t at = 0; at + sizeof MAGIC < bytes.len && count < max; at++)
		if (memcmp(bytes.ptr + at, MAGIC, sizeof MAGIC) == 0)
			ret[count++] = at;
	return count;
}

/* Each record in turn is left out, or there twice. */
static void test_missing_and_twice(void)
{
	const char *dir = tap_tempdir();
	size_t members[256], count;
	struct buf good;
	char *path;

	sample_site(dir);
	path = sample_warc_path(dir);
	read_file(path, &good);
	count = find_members(buf_slice(&good), members, 255);
	members[count] = good.len;
	CHECK_INT(count, 83);
	for (size_t i = 0; i < 2 * count; i++) {
		size_t from = members[i / 2], to = members[i / 2 + 1];
		struct buf bad;
		struct verify v;

		buf_init(&bad, FILE_MAX);
		CHECK_INT(buf_add(&bad, slice_sub(buf_slice(&good), 0, from)), 0);
		for (size_t copies = i % 2 ? 2 : 0; copies > 0; copies--)
			CHECK_INT(buf_add(&bad, slice_sub(buf_slice(&good), from, to)), 0);
		CHECK_INT(buf_add(&bad, slice_sub(buf_slice(&good), to, good.len)), 0);
		write_file(path, buf_slice(&bad));
		verify(dir, true, &v);
		CHECK(v.problems.len > 0);
		verify_release(&v);
		buf_release(&bad);
	}
	buf_release(&good);
	free(path);
}

#define OK "HTTP/1.1 200 OK\r\n\r\n"

static void test_lies(void)
{
	const char *dir = tap_tempdir();
	struct sample *s = sample_open(dir, false);
	uint32_t liar = sample_add(s, &(struct sample_page){.url = "http://example.org/liar"});
	uint32_t ghost = sample_add(s, &(struct sample_page){.url = "http://example.org/ghost"});
	uint32_t thief = sample_add(s, &(struct sample_page){.url = "http://example.org/thief"});
	struct verify v;

	sample_fetch(s, liar,
		&(struct sample_fetch){.leg = ATTEMPT_VISIT,
			.sent = 100,
			.end = 110,
			.response = OK "a",
			.lies = true});
	sample_fetch(s, ghost,
		&(struct sample_fetch){.leg = ATTEMPT_VISIT,
			.sent = 200,
			.end = 210,
			.response = OK "a",
			.forgotten = true});
	sample_fetch(s, thief,
		&(struct sample_fetch){.leg = ATTEMPT_VISIT,
			.sent = 120,
			.end = 130,
			.response = OK "b",
			.target = "http://example.org/other"});
	sample_fetch(s, liar,
		&(struct sample_fetch){
			.leg = ATTEMPT_REVISIT, .sent = 300, .end = 310, .response = OK "a"});
	sample_close(s, CATALOG_FINISHED);
	verify(dir, true, &v);
	CHECK(says(
		&v, "http://example.org/liar", "its attempt says another state than the response"));
	CHECK(says(&v, "http://example.org/thief", "its response is that of another URL"));
	CHECK(says(&v, "http://example.org/ghost", "catalog says unvisited, the WARC says"));
	CHECK(says(&v, "http://example.org/", "another still point than the WARC"));
	verify_release(&v);
}

/* A revisit record has the body of the record it refers to, if that is really the same body. */
static void test_revisit_records(void)
{
	static const struct {
		const char *label, *head, *refers_to, *problem;
		bool other_payload;
		const char *url;
		int64_t later;
	} rows[] = {
		{"the same", OK, NULL, NULL, false, NULL, 0},
		{"no such record", OK, "<urn:uuid:none>", "the record it refers to is not there",
			false, NULL, 0},
		{"another payload", OK, NULL, "the record it refers to has another payload", true,
			NULL, 0},
		{"another URL", OK, NULL, "the record it refers to has another URL", false,
			"http://example.org/other", 0},
		{"another date", OK, NULL, "the record it refers to has another date", false, NULL,
			SAMPLE_SECOND},
		{"the same second", OK, NULL, NULL, false, NULL, SAMPLE_MS},
		{"another coding", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", NULL,
			"the record it refers to has another content coding", false, NULL, 0},
		{"no head", "nothing", NULL, "it has no HTTP head", false, NULL, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *dir = tap_tempdir();
		struct sample *s = sample_open(dir, false);
		uint32_t page = sample_add(s, &(struct sample_page){.url = "http://example.org/"});
		struct digest payload;
		struct err err = {0};
		struct verify v;

		tap_case("revisit records: %s", rows[i].label);
		sample_fetch(s, page,
			&(struct sample_fetch){.leg = ATTEMPT_VISIT,
				.sent = 100,
				.end = 110,
				.response = OK "body"});
		payload = s->payloads[page];
		payload.bytes[0] ^= rows[i].other_payload;
		CHECK_INT(
			warc_writer_add(s->writer,
				&(struct warc_entry){
					.type = WARC_TYPE_REVISIT,
					.date = SAMPLE_BASE,
					.url = SLICE("http://example.org/"),
					.head = slice_str(rows[i].head),
					.payload = &payload,
					.refers_to = slice_str(rows[i].refers_to
								       ? rows[i].refers_to
								       : s->visits[page].id.text),
					.refers_to_url = slice_str(
						rows[i].url ? rows[i].url : "http://example.org/"),
					.refers_to_date = s->dates[page] + rows[i].later,
				},
				NULL, &err),
			0);
		sample_close(s, CATALOG_FINISHED);
		verify(dir, false, &v);
		CHECK_INT(v.problems.len, rows[i].problem != NULL);
		CHECK(!rows[i].problem || says(&v, "http://example.org/", rows[i].problem));
		verify_release(&v);
	}
}

/* A record without a body is of no use to replay: it must not be referred to. */
static void test_revisit_of_revisit(void)
{
	const char *dir = tap_tempdir();
	struct sample *s = sample_open(dir, false);
	uint32_t page = sample_add(s, &(struct sample_page){.url = "http://example.org/"});
	struct warc_entry entry = {
		.type = WARC_TYPE_REVISIT,
		.date = SAMPLE_BASE + 200 * SAMPLE_MS,
		.url = SLICE("http://example.org/"),
		.head = SLICE(OK),
		.refers_to_url = SLICE("http://example.org/"),
	};
	struct warc_place first;
	struct err err = {0};
	struct verify v;

	sample_fetch(s, page,
		&(struct sample_fetch){
			.leg = ATTEMPT_VISIT, .sent = 100, .end = 110, .response = OK "body"});
	entry.payload = &s->payloads[page];
	entry.refers_to = slice_str(s->visits[page].id.text);
	entry.refers_to_date = s->dates[page];
	CHECK_INT(warc_writer_add(s->writer, &entry, &first, &err), 0);
	entry.refers_to = slice_str(first.id.text);
	entry.refers_to_date = entry.date;
	CHECK_INT(warc_writer_add(s->writer, &entry, NULL, &err), 0);
	sample_close(s, CATALOG_FINISHED);
	verify(dir, false, &v);
	CHECK_INT(v.problems.len, 1);
	CHECK(says(&v, "http://example.org/", "it refers to a record without a body"));
	verify_release(&v);
}

/* Revisits that began before the visits had ended: nothing is sharp, and all agree on it. */
static void test_inside_out(void)
{
	const char *dir = tap_tempdir();
	struct sample *s = sample_open(dir, false);
	struct verify v;

	sample_sharp(s, "http://example.org/early", 100, 500);
	sample_sharp(s, "http://example.org/late", 600, 900);
	sample_close(s, CATALOG_FINISHED);
	verify(dir, true, &v);
	CHECK_INT(v.problems.len, 0);
	CHECK_INT(v.sharp, 0);
	verify_release(&v);
}

/* Probes are archived and checked, but judge nothing and bound nothing. */
static void test_probes(void)
{
	const char *dir = tap_tempdir();
	struct sample *s = sample_open(dir, false);
	struct verify v;

	sample_sharp(s, "http://example.org/", 100, 5000);
	sample_fetch(s, 0,
		&(struct sample_fetch){
			.leg = ATTEMPT_PROBE, .sent = 90, .end = 6000, .response = OK "b"});
	sample_fetch(s, 0,
		&(struct sample_fetch){
			.leg = ATTEMPT_PROBE, .sent = 6500, .end = 7000, .failure = "timeout"});
	sample_close(s, CATALOG_FINISHED);
	verify(dir, true, &v);
	CHECK_INT(v.problems.len, 0);
	CHECK_INT(v.sharp, 1);
	verify_release(&v);
}

static void test_two_captures(void)
{
	const char *dir = tap_tempdir();
	struct sample *s;
	struct verify v;

	sample_site(dir);
	s = sample_again(dir, true);
	sample_fetch(s, sample_add(s, &(struct sample_page){.url = "http://example.org/"}),
		&(struct sample_fetch){
			.leg = ATTEMPT_VISIT, .sent = 100, .end = 110, .response = OK "a"});
	sample_close(s, CATALOG_FINISHED);
	verify(dir, true, &v);
	CHECK_INT(v.problems.len, 0);
	CHECK_INT(v.captures.len, 2);
	CHECK_INT(v.pages, 17);
	CHECK_INT(v.sharp, 3);
	verify_release(&v);
}

/* Which limit ended a capture is in the WARC, and the catalog may not say otherwise. */
static void test_ends(void)
{
	static const struct {
		const char *label;
		enum catalog_end limit;
		enum catalog_state state;
		const char *sql;
		const char *problem; /* NULL: none */
	} rows[] = {
		{"no limit", CATALOG_END_NONE, CATALOG_FINISHED, "", NULL},
		{"time", CATALOG_END_TIME, CATALOG_CUT, "", NULL},
		{"bytes", CATALOG_END_BYTES, CATALOG_CUT, "", NULL},
		{"not said", CATALOG_END_NONE, CATALOG_CUT, "", NULL},
		{"another limit", CATALOG_END_BYTES, CATALOG_CUT, "UPDATE capture SET ended_by = 1",
			"is time in the catalog, bytes in the WARC"},
		{"hushed up", CATALOG_END_TIME, CATALOG_CUT, "UPDATE capture SET ended_by = 0",
			"is none in the catalog, time in the WARC"},
		{"under way", CATALOG_END_BYTES, CATALOG_RUNNING, "UPDATE capture SET ended_by = 0",
			NULL},
		{"the word of earlier versions", CATALOG_END_TIME, CATALOG_CUT,
			"UPDATE word SET text = 'failed' WHERE text = 'unvisited'", NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *dir = tap_tempdir();
		struct sample *s = sample_open(dir, false);
		struct verify v;

		tap_case("ends: %s", rows[i].label);
		sample_sharp(s, "http://example.org/", 100, 500);
		(void)sample_add(s, &(struct sample_page){.url = "http://example.org/next"});
		sample_end(s, rows[i].limit);
		sample_close(s, rows[i].state);
		change(dir, rows[i].sql);
		verify(dir, true, &v);
		CHECK_INT(v.problems.len, rows[i].problem != NULL);
		if (rows[i].problem)
			CHECK(says(&v, "http://example.org/", rows[i].problem));
		CHECK_INT(v.captures.ptr[0].ended_by, rows[i].limit);
		verify_release(&v);
	}
}

/* A capture under way: what is behind the last commit is nobody's claim yet. */
static void test_uncommitted(void)
{
	const char *dir = tap_tempdir();
	struct sample *s = sample_open(dir, false);
	struct buf bytes;
	struct verify v;
	char *path, *open;

	sample_sharp(s, "http://example.org/", 100, 500);
	sample_close(s, CATALOG_RUNNING);
	path = sample_warc_path(dir);
	CHECK(asprintf(&open, "%s.open", path) > 0);
	read_file(path, &bytes);
	CHECK_INT(buf_add(&bytes, slice_sub(buf_slice(&bytes), 0, 300)), 0);
	CHECK_INT(rename(path, open), 0);
	write_file(open, buf_slice(&bytes));
	verify(dir, true, &v);
	CHECK_INT(v.problems.len, 0);
	CHECK_INT(v.notes.len, 1);
	CHECK_INT(v.sharp, 1);
	verify_release(&v);
	buf_release(&bytes);
	free(path);
	free(open);
}

/* Files of other tools may lie in the same directory. */
static void test_foreign(void)
{
	static const char RECORD[] =
		"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x>\r\n"
		"WARC-Target-URI: http://example.org/\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
		"Content-Type: application/http\r\nContent-Length: 20\r\n\r\n"
		"HTTP/1.1 200 OK\r\n\r\nx\r\n\r\n";
	const char *dir = tap_tempdir();
	char *path = join(dir, "warc/other.warc"), *junk = join(dir, "warc/readme.txt");
	struct verify v;

	sample_site(dir);
	write_file(path, SLICE(RECORD));
	write_file(junk, SLICE("no WARC"));
	verify(dir, true, &v);
	CHECK_INT(v.problems.len, 0);
	CHECK_INT(v.notes.len, 1);
	CHECK_INT(v.records, 84);
	verify_release(&v);
	free(path);
	free(junk);
}

static void test_no_directory(void)
{
	struct err err = {0};
	struct verify v;

	CHECK_INT(
		verify_run(&v, &(struct verify_params){.warc_dir = "/nonexistent"}, &err), ERR_IO);
	CHECK_STR(err.text, "/nonexistent: No such file or directory");
	verify_release(&v);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_sound);
	TAP_RUN(test_flips);
	TAP_RUN(test_flips_in_heads);
	TAP_RUN(test_cuts);
	TAP_RUN(test_missing_and_twice);
	TAP_RUN(test_lies);
	test_revisit_records();
	TAP_RUN(test_revisit_of_revisit);
	TAP_RUN(test_inside_out);
	TAP_RUN(test_probes);
	TAP_RUN(test_two_captures);
	test_ends();
	TAP_RUN(test_uncommitted);
	TAP_RUN(test_foreign);
	TAP_RUN(test_no_directory);
	return tap_done();
}
