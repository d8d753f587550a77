/* Saved reports: equal to computed ones, by page and as a whole; stale and damaged ones are passed
 * over. */
#include "proof/report_saved.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "archive_sample.h"
#include "base/buf.h"
#include "proof/report_json.h"
#include "proof/why.h"
#include "report/report_print.h"
#include "tap.h"

enum { TEXT_MAX = 64 << 20, PAGES = 1300, HOSTS = 7 };

static struct catalog *open_catalog(const char *dir, enum catalog_mode mode)
{
	struct catalog *c = NULL;
	struct err err = {0};
	char *path;

	if (asprintf(&path, "%s/catalog.sqlite", dir) < 0)
		abort();
	if (!CHECK_INT(catalog_open(path, mode, &c, &err), 0))
		tap_note("%s", err.text);
	free(path);
	return c;
}

/* All that it says, as JSON and as text. */
static void say(const struct report *r, struct buf *out)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	struct json j;

	json_init_file(&j, file, JSON_LINES);
	report_json(r, &j);
	CHECK_INT(json_finish(&j), 0);
	report_print(r, "archive", file);
	(void)fclose(file);
	CHECK_INT(buf_add(out, (slice){text, size}), 0);
	free(text);
}

static void say_page(const struct report *r, const struct why *w, struct buf *out)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	struct json j;

	json_init_file(&j, file, JSON_LINES);
	why_json(r, w, &j);
	CHECK_INT(json_finish(&j), 0);
	report_print_why(r, w, file);
	(void)fclose(file);
	CHECK_INT(buf_add(out, (slice){text, size}), 0);
	free(text);
}

static bool read_saved(struct catalog *c, struct report *r)
{
	struct report whole;
	int rc;

	CHECK_INT(report_compute(&whole, c, 0, NULL, NULL), 0);
	*r = (struct report){.capture = whole.capture};
	arena_init(&r->arena, TEXT_MAX);
	words_init(&r->words, &r->arena);
	known_init(&r->known);
	rc = report_read_saved(r, c);
	report_release(r);
	report_release(&whole);
	return rc == 0;
}

static void save(const char *dir)
{
	struct catalog *c = open_catalog(dir, CATALOG_WRITE);
	struct err err = {0};
	struct report r;

	CHECK_INT(report_compute(&r, c, 0, NULL, &err), 0);
	CHECK_INT(report_save(&r, c, &err), 0);
	CHECK_INT(catalog_commit(c, &err), 0);
	report_release(&r);
	catalog_close(c);
}

/* The whole report, computed and loaded. */
static void check_whole(struct catalog *c)
{
	struct report computed, loaded;
	struct buf a, b;

	buf_init(&a, TEXT_MAX);
	buf_init(&b, TEXT_MAX);
	CHECK_INT(report_compute(&computed, c, 0, NULL, NULL), 0);
	CHECK_INT(report_load(&loaded, c, 0, NULL), 0);
	computed.lists_requisites = loaded.lists_requisites = true;
	say(&computed, &a);
	say(&loaded, &b);
	CHECK(slice_eq(buf_slice(&a), buf_slice(&b)));
	CHECK_INT(computed.known.proven.len, loaded.known.proven.len);
	CHECK_INT(computed.known.asserted.len, loaded.known.asserted.len);
	buf_release(&a);
	buf_release(&b);
	report_release(&computed);
	report_release(&loaded);
}

/* Every step-th page, by its URL and alone. */
static void check_pages(struct catalog *c, uint32_t step)
{
	struct report computed;
	struct buf a, b;

	buf_init(&a, TEXT_MAX);
	buf_init(&b, TEXT_MAX);
	CHECK_INT(report_compute(&computed, c, 0, NULL, NULL), 0);
	for (uint32_t i = 0; i < computed.pages.len; i += step) {
		struct report r;
		struct why w;

		buf_reset(&a);
		buf_reset(&b);
		CHECK_INT(why_load(&w, c, computed.capture.id, computed.pages.ptr[i].url, NULL), 0);
		CHECK_INT(w.page, i);
		CHECK_INT(report_load_page(&r, c, computed.capture.id, i, NULL), 0);
		say_page(&computed, &w, &a);
		say_page(&r, &w, &b);
		if (!CHECK(slice_eq(buf_slice(&a), buf_slice(&b))))
			tap_note("%s\n---\n%s", buf_str(&a), buf_str(&b));
		report_release(&r);
		why_release(&w);
	}
	buf_release(&a);
	buf_release(&b);
	report_release(&computed);
}

static void test_sample(void)
{
	const char *dir = tap_tempdir();
	struct catalog *c;
	struct report r;
	uint32_t page;

	sample_site(dir);
	save(dir);
	c = open_catalog(dir, CATALOG_READ);
	tap_case("a sample of all verdicts");
	CHECK(read_saved(c, &r));
	check_whole(c);
	check_pages(c, 1);
	CHECK_INT(report_find_page(c, 1, SLICE("http://example.org/none"), &page, NULL),
		ERR_NOTFOUND);
	catalog_close(c);
}

/* ---- a capture of many parts ---- */

static void add_look(struct catalog *c, uint32_t capture, uint32_t page, enum attempt_leg leg)
{
	int64_t at =
		SAMPLE_BASE + (leg == ATTEMPT_VISIT ? page : 3 * PAGES - page) * 1000 * SAMPLE_MS;
	struct attempt a = {
		.page = page,
		.leg = leg,
		.number = 1,
		.wall = {at, at + SAMPLE_MS, at + 2 * SAMPLE_MS},
		.clock = {at, at + SAMPLE_MS, at + 2 * SAMPLE_MS},
		.status = page % 11 == 3 ? 404 : 200,
		.has_state = true,
		.media_type = SLICE("text/html"),
		.modified = page % 3 ? SAMPLE_BASE - CLOCK_NS_PER_SECOND * page : 0,
		.etag = page % 5 ? SLICE("\"tag\"") : (slice){0},
		.deceit = page % 50 == 7 ? SLICE("score=0.5 entropy=0.4") : (slice){0},
	};

	a.state.kind = DIGEST_SHA256;
	memcpy(a.state.bytes, &page, sizeof page);
	a.state.bytes[9] = leg == ATTEMPT_REVISIT && page % 8 == 1;
	CHECK_INT(catalog_add_observation(c, capture, &a, NULL), 0);
}

static void make_large(const char *dir)
{
	struct catalog *c = open_catalog(dir, CATALOG_CREATE);
	struct catalog_capture row = {.uuid = SLICE("urn:uuid:1"),
		.site = SLICE("http://h0.example/"),
		.strategy = SLICE("stillpoint-online"),
		.settings = SLICE(""),
		.state = CATALOG_FINISHED,
		.started = SAMPLE_BASE,
		.finished = SAMPLE_BASE + CLOCK_NS_PER_SECOND,
		.addresses = CATALOG_NO_ADDRESSES};
	uint32_t id;

	CHECK_INT(catalog_add_capture(c, &row, &id, NULL), 0);
	for (uint32_t i = 0; i < PAGES; i++) {
		char url[80];
		struct catalog_page page = {.number = i,
			.kind = i % 4 == 2 ? SLICE("style") : SLICE("page"),
			.via = i ? i / 3 : CATALOG_NO_PAGE,
			.found = SLICE("link"),
			.taken = i % 17 != 5,
			.rule = SLICE("rule"),
			.left_out = i % 17 == 5 ? LEFT_OUT_SCOPE : LEFT_OUT_NOT,
			.rate = 1e-6 * i,
			.shape = 1,
			.weight = 1};

		(void)snprintf(url, sizeof url, "http://h%u.example/%u/%u", i % HOSTS, i % 31, i);
		page.url = slice_str(url);
		CHECK_INT(catalog_put(c, CATALOG_ROW_ADD_PAGE, id, &page, NULL), 0);
		CHECK_INT(catalog_put(c, CATALOG_ROW_PLAN, id,
				  &(struct catalog_plan){.page = i, .hopeless = i % 9 == 0}, NULL),
			0);
		if (i % 13 != 6 && page.taken) {
			add_look(c, id, i, ATTEMPT_VISIT);
			add_look(c, id, i, ATTEMPT_REVISIT);
		}
		if (i % 4 != 2 && i > 10)
			CHECK_INT(catalog_put(c, CATALOG_ROW_REQUISITE, id,
					  &(struct catalog_requisite){
						  i, i % 5 ? i / 4 * 4 - 2 : CATALOG_NO_PAGE},
					  NULL),
				0);
	}
	CHECK_INT(catalog_commit(c, NULL), 0);
	catalog_close(c);
}

static void change(const char *dir, const char *sql)
{
	sqlite3 *db = NULL;
	char path[4096];

	(void)snprintf(path, sizeof path, "%s/catalog.sqlite", dir);
	CHECK_INT(sqlite3_open(path, &db), SQLITE_OK);
	if (!CHECK_INT(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK))
		tap_note("%s", sqlite3_errmsg(db));
	(void)sqlite3_close(db);
}

static void test_large(void)
{
	const char *dir = tap_tempdir();
	struct catalog *c;
	struct report r;
	uint32_t page;

	make_large(dir);
	c = open_catalog(dir, CATALOG_READ);
	tap_case("nothing is saved");
	CHECK(!read_saved(c, &r));
	check_whole(c);
	check_pages(c, 211);
	catalog_close(c);
	save(dir);
	save(dir); /* again: it replaces */
	c = open_catalog(dir, CATALOG_READ);
	tap_case("several parts");
	CHECK(read_saved(c, &r));
	check_whole(c);
	check_pages(c, 7);
	for (unsigned i = 0; i < 1000; i++) {
		char url[80];

		(void)snprintf(url, sizeof url, "http://h0.example/none/%u", i);
		CHECK_INT(report_find_page(c, 1, slice_str(url), &page, NULL), ERR_NOTFOUND);
	}
	catalog_close(c);
}

/* Whatever happened to the saved rows, the report is that of the others. */
static void test_stale(void)
{
	static const struct {
		const char *name, *sql;
	} rows[] = {
		{"a byte of the totals",
			"UPDATE saved SET bytes = CAST(substr(bytes, 1, 20) || x'7f' ||"
			" substr(bytes, 22) AS BLOB) WHERE kind = 0"},
		{"a byte of pages", "UPDATE saved SET bytes = CAST(substr(bytes, 1, 43) || x'55' ||"
				    " substr(bytes, 45) AS BLOB) WHERE kind = 1"},
		{"an end", "UPDATE saved SET bytes = substr(bytes, 1, length(bytes) - 9)"},
		{"no bytes", "UPDATE saved SET bytes = x''"},
		{"no totals", "DELETE FROM saved WHERE kind = 0"},
		{"no first pages", "DELETE FROM saved WHERE kind = 1 AND number = 0"},
		{"no last pages", "DELETE FROM saved WHERE kind = 1 AND number > 1000"},
		{"pages at another number", "UPDATE saved SET number = number + 512 WHERE kind = 1"
					    " AND number = 1024"},
		{"no URLs", "DELETE FROM saved WHERE kind = 2 AND number > 0"},
		{"the capture goes on", "UPDATE capture SET state = 0"},
		{"another end", "UPDATE capture SET finished = finished + 1"},
		{"a caveat", "UPDATE capture SET caveats = 1"},
		{"another page",
			"INSERT INTO page SELECT id + 1, url || '?', kind, via, found, depth,"
			" hops_out, taken, rule, rate, shape, weight, left_out, content, lastmod,"
			" frequency FROM page ORDER BY id DESC LIMIT 1"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *dir = tap_tempdir();
		struct catalog *c;

		tap_case("saved, then: %s", rows[i].name);
		make_large(dir);
		save(dir);
		change(dir, rows[i].sql);
		c = open_catalog(dir, CATALOG_READ);
		check_whole(c);
		check_pages(c, 137);
		catalog_close(c);
	}
}

static void count_difference(
	void *context, const struct report_page *computed, const struct report_page *saved)
{
	unsigned *counts = context;

	counts[computed != NULL]++;
	CHECK((computed == NULL) == (saved == NULL));
}

/* What verify asks: whether the report that people are shown is that of the other rows. */
static void test_check(void)
{
	static const struct {
		const char *name;
		enum { NOTHING, A_VERDICT, A_TIME, A_TOTAL, THE_WINDOW, A_RATE } change;
		unsigned totals, pages;
	} rows[] = {{"nothing", NOTHING, 0, 0}, {"a verdict", A_VERDICT, 0, 1},
		{"a time", A_TIME, 0, 1}, {"a total", A_TOTAL, 1, 0},
		{"the still point", THE_WINDOW, 1, 0}, {"a rate, no claim", A_RATE, 0, 0}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *dir = tap_tempdir();
		struct catalog *c;
		struct report lie, true_one;
		unsigned counts[2] = {0};

		tap_case("saved with another: %s", rows[i].name);
		make_large(dir);
		c = open_catalog(dir, CATALOG_WRITE);
		CHECK_INT(report_compute(&lie, c, 0, NULL, NULL), 0);
		lie.pages.ptr[600].verdict =
			(uint8_t)(rows[i].change == A_VERDICT ? VERDICT_UNCONFIRMED
							      : lie.pages.ptr[600].verdict);
		lie.pages.ptr[601].revisit.start += rows[i].change == A_TIME;
		lie.totals[VERDICT_SHARP] += rows[i].change == A_TOTAL;
		lie.window.to += rows[i].change == THE_WINDOW;
		lie.pages.ptr[602].rate += rows[i].change == A_RATE;
		CHECK_INT(report_save(&lie, c, NULL), 0);
		CHECK_INT(report_compute(&true_one, c, 0, NULL, NULL), 0);
		report_check_saved(&true_one, c, count_difference, counts);
		CHECK_INT(counts[0], rows[i].totals);
		CHECK_INT(counts[1], rows[i].pages);
		report_release(&lie);
		report_release(&true_one);
		catalog_close(c);
	}
}

int main(void)
{
	test_sample();
	test_large();
	test_stale();
	test_check();
	return tap_done();
}
