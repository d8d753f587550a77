/* What is put into a catalog comes out of it, and transactions are whole. */
#include "catalog/catalog.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "catalog/catalog_db.h"
#include "catalog_sample.h"
#include "tap.h"

enum { PAGES = 300 };

static void test_round_trip(void)
{
	char path[SAMPLE_PATH_SIZE];
	uint32_t capture = 0;
	struct catalog *c = sample_fill(sample_path(path), PAGES, &capture);

	CHECK_INT(capture, 1);
	CHECK_INT(sample_check(c, capture, true), PAGES);
	catalog_close(c);
	c = sample_open(path, CATALOG_READ);
	CHECK_INT(sample_check(c, capture, true), PAGES);
	catalog_close(c);
	c = sample_open(path, CATALOG_WRITE);
	CHECK_INT(sample_check(c, capture, true), PAGES);
	catalog_close(c);
}

/* Rows of one capture are not seen in another, and each has its own numbers. */
static void test_captures(void)
{
	char path[SAMPLE_PATH_SIZE];
	struct catalog_capture got;
	struct err err = {0};
	struct arena arena;
	uint32_t first = 0, second = 0, none = 0;
	struct catalog *c = sample_fill(sample_path(path), 5, &first);

	arena_init(&arena, 1 << 16);
	CHECK_INT(sample_add_capture(c, 2, &none, &err), 0);
	CHECK_INT(sample_add_capture(c, 3, &second, &err), 0);
	for (uint32_t i = 0; i < 7; i++) {
		CHECK_INT(sample_add_page(c, second, i, &err), 0);
		CHECK_INT(sample_add_page(c, first, 5 + i, &err), 0);
	}
	CHECK_INT(catalog_commit(c, &err), 0);
	CHECK_INT(sample_check(c, first, true), 12);
	CHECK_INT(sample_check(c, none, false), 0);
	CHECK_INT(sample_check(c, second, false), 7);
	CHECK_INT(catalog_get_capture(c, 0, &arena, &got, &err), 0);
	CHECK_INT(got.id, second);
	CHECK_SLICE(got.site, SLICE("http://site3.example/"));
	CHECK_INT(catalog_get_capture(c, 4, &arena, &got, &err), ERR_NOTFOUND);
	CHECK_STR(strrchr(err.text, '/'), "/catalog.sqlite has no capture 4; stillpoint report "
					  "--captures lists those it has");
	catalog_close(c);
	arena_release(&arena);
}

static void test_update_capture(void)
{
	char path[SAMPLE_PATH_SIZE];
	struct catalog_capture got = {0}, change = {.state = CATALOG_CUT,
						  .finished = CATALOG_TIME_MAX,
						  .still_from = -CATALOG_TIME_MAX,
						  .still_to = -1,
						  .ended_by = CATALOG_END_BYTES,
						  .caveats = CATALOG_CAVEAT_CLOCK,
						  .addresses = 5};
	struct err err = {0};
	struct arena arena;
	struct catalog *c = sample_fill(sample_path(path), 0, &change.id);

	arena_init(&arena, 1 << 16);
	CHECK_INT(catalog_put(c, CATALOG_ROW_CAPTURE, 0, &change, &err), 0);
	CHECK_INT(catalog_get_capture(c, change.id, &arena, &got, &err), 0);
	CHECK_SLICE(got.uuid, SLICE("urn:uuid:00000000-0000-4000-8000-000000000001"));
	CHECK_SLICE(got.strategy, SLICE("stillpoint-online"));
	CHECK_SLICE(got.settings, SLICE("{\"delay\":1}"));
	CHECK_INT(got.single, 1);
	CHECK_INT(got.state, CATALOG_CUT);
	CHECK_INT(got.started, 1700000000123456790);
	CHECK_INT(got.finished, CATALOG_TIME_MAX);
	CHECK_INT(got.still_from, -CATALOG_TIME_MAX);
	CHECK_INT(got.still_to, -1);
	CHECK_INT(got.ended_by, CATALOG_END_BYTES);
	CHECK_INT(got.caveats, CATALOG_CAVEAT_CLOCK);
	CHECK_INT(got.addresses, 5);
	change.id = 99;
	CHECK_INT(catalog_put(c, CATALOG_ROW_CAPTURE, 0, &change, &err), ERR_NOTFOUND);
	catalog_close(c);
	arena_release(&arena);
}

struct seen {
	struct catalog_page page;
	char rule[64];
	int calls, stop_at;
};

static int keep_page(void *context, const struct catalog_page *page)
{
	struct seen *seen = context;

	seen->page = *page;
	(void)snprintf(seen->rule, sizeof seen->rule, "%.*s", (int)page->rule.len, page->rule.ptr);
	return ++seen->calls == seen->stop_at ? 77 : 0;
}

static void test_refuse_page(void)
{
	char path[SAMPLE_PATH_SIZE];
	struct seen seen = {.stop_at = 3};
	struct err err = {0};
	uint32_t capture = 0;
	struct catalog *c = sample_fill(sample_path(path), 5, &capture);

	CHECK_INT(
		catalog_put(c, CATALOG_ROW_REFUSE_PAGE, capture,
			&(struct catalog_page){
				.number = 2, .left_out = LEFT_OUT_ROBOTS, .rule = SLICE("robots")},
			&err),
		0);
	CHECK_INT(catalog_each_page(c, capture, keep_page, &seen, &err), 77);
	CHECK_INT(seen.calls, 3);
	CHECK_INT(seen.page.number, 2);
	CHECK(!seen.page.taken);
	CHECK_INT(seen.page.left_out, LEFT_OUT_ROBOTS);
	CHECK_STR(seen.rule, "robots");
	CHECK_INT(
		catalog_put(c, CATALOG_ROW_REFUSE_PAGE, capture,
			&(struct catalog_page){
				.number = 5, .left_out = LEFT_OUT_ROBOTS, .rule = SLICE("robots")},
			&err),
		ERR_NOTFOUND);
	CHECK_INT(
		catalog_put(c, CATALOG_ROW_REFUSE_PAGE, capture + 1,
			&(struct catalog_page){
				.number = 2, .left_out = LEFT_OUT_ROBOTS, .rule = SLICE("robots")},
			&err),
		ERR_NOTFOUND);
	CHECK_INT(catalog_put(c, CATALOG_ROW_ADMIT_PAGE, capture,
			  &(struct catalog_page){.number = 2, .rule = SLICE("changed")}, &err),
		0);
	seen = (struct seen){.stop_at = 3};
	CHECK_INT(catalog_each_page(c, capture, keep_page, &seen, &err), 77);
	CHECK(seen.page.taken);
	CHECK_INT(seen.page.left_out, LEFT_OUT_NOT);
	CHECK_STR(seen.rule, "changed");
	catalog_close(c);
}

/* A page that was refused, and is taken because of another link to it. */
static void test_take_page(void)
{
	char path[SAMPLE_PATH_SIZE];
	struct catalog_page found = {.number = 4,
		.kind = SLICE("image"),
		.via = CATALOG_NO_PAGE,
		.found = SLICE("sitemap http://site.example/sitemap.xml"),
		.depth = 1,
		.rule = SLICE("requisite")};
	struct seen seen = {.stop_at = 5};
	struct err err = {0};
	uint32_t capture = 0;
	struct catalog *c = sample_fill(sample_path(path), 5, &capture);

	CHECK_INT(catalog_each_page(c, capture, keep_page, &seen, &err), 77);
	CHECK(!seen.page.taken);
	CHECK_INT(catalog_put(c, CATALOG_ROW_TAKE_PAGE, capture, &found, &err), 0);
	CHECK_INT(catalog_commit(c, &err), 0);
	seen.calls = 0;
	CHECK_INT(catalog_each_page(c, capture, keep_page, &seen, &err), 77);
	CHECK(seen.page.taken);
	CHECK_INT(seen.page.left_out, LEFT_OUT_NOT);
	CHECK_INT(seen.page.via, CATALOG_NO_PAGE);
	CHECK_INT(seen.page.depth, 1);
	CHECK_STR(seen.rule, "requisite");
	found.number = 5;
	CHECK_INT(catalog_put(c, CATALOG_ROW_TAKE_PAGE, capture, &found, &err), ERR_NOTFOUND);
	catalog_close(c);
}

static void test_mark_page(void)
{
	char path[SAMPLE_PATH_SIZE];
	struct seen seen = {.stop_at = 3};
	struct err err = {0};
	uint32_t capture = 0;
	struct catalog *c = sample_fill(sample_path(path), 5, &capture);

	CHECK_INT(catalog_put(c, CATALOG_ROW_MARK_PAGE, capture,
			  &(struct catalog_page){.number = 2, .content = CATALOG_CONTENT_SOFT_404},
			  &err),
		0);
	CHECK_INT(catalog_each_page(c, capture, keep_page, &seen, &err), 77);
	CHECK_INT(seen.page.content, CATALOG_CONTENT_SOFT_404);
	CHECK_INT(catalog_put(c, CATALOG_ROW_MARK_PAGE, capture,
			  &(struct catalog_page){.number = 5, .content = CATALOG_CONTENT_SOFT_404},
			  &err),
		ERR_NOTFOUND);
	catalog_close(c);
}

static int keep_unkept(void *context, const struct catalog_unkept *u)
{
	uint64_t *seen = context;

	seen[u->reason] += u->links;
	return 0;
}

static void test_unkept(void)
{
	char path[SAMPLE_PATH_SIZE];
	uint64_t seen[LEFT_OUT_COUNT] = {0};
	struct err err = {0};
	uint32_t capture = 0;
	struct catalog *c = sample_fill(sample_path(path), 5, &capture);

	CHECK_INT(catalog_put(c, CATALOG_ROW_UNKEPT, capture,
			  &(struct catalog_unkept){LEFT_OUT_SCOPE, 7}, &err),
		0);
	CHECK_INT(catalog_put(c, CATALOG_ROW_UNKEPT, capture,
			  &(struct catalog_unkept){LEFT_OUT_COUNTER, 1}, &err),
		0);
	CHECK_INT(catalog_put(c, CATALOG_ROW_UNKEPT, capture,
			  &(struct catalog_unkept){LEFT_OUT_SCOPE, 9}, &err),
		0);
	CHECK_INT(catalog_put(c, CATALOG_ROW_UNKEPT, capture + 1,
			  &(struct catalog_unkept){LEFT_OUT_SCOPE, 100}, &err),
		0);
	CHECK_INT(catalog_put(c, CATALOG_ROW_UNKEPT, capture,
			  &(struct catalog_unkept){LEFT_OUT_SCOPE, UINT64_MAX}, &err),
		ERR_RANGE);
	CHECK_INT(catalog_each_unkept(c, capture, keep_unkept, seen, &err), 0);
	CHECK_INT((int64_t)seen[LEFT_OUT_SCOPE], 9);
	CHECK_INT((int64_t)seen[LEFT_OUT_COUNTER], 1);
	/* A reason of no version that there ever was. */
	CHECK_INT(catalog_put(c, CATALOG_ROW_UNKEPT, capture,
			  &(struct catalog_unkept){(enum left_out)LEFT_OUT_COUNT, 1}, &err),
		0);
	CHECK_INT(catalog_each_unkept(c, capture, keep_unkept, seen, &err), ERR_IO);
	catalog_close(c);
}

static int count_observation(void *context, const struct attempt *a)
{
	CHECK(a->leg < ATTEMPT_LEGS);
	++*(int *)context;
	return 0;
}

/* A later version may have more legs: its catalog is still read, without them. */
static void test_later_leg(void)
{
	char path[SAMPLE_PATH_SIZE];
	struct err err = {0};
	uint32_t capture = 0;
	int before = 0, after = 0;
	struct catalog *c = sample_fill(sample_path(path), 5, &capture);

	CHECK_INT(catalog_each_observation(c, capture, count_observation, &before, &err), 0);
	for (unsigned leg = ATTEMPT_PROBE; leg <= ATTEMPT_LEGS; leg++) {
		struct attempt a = {.page = 2, .leg = (enum attempt_leg)leg, .number = 1};

		CHECK_INT(catalog_add_observation(c, capture, &a, &err), 0);
	}
	CHECK_INT(catalog_each_observation(c, capture, count_observation, &after, &err), 0);
	CHECK_INT(after, before + 2);
	catalog_close(c);
}

static void test_find_page(void)
{
	char path[SAMPLE_PATH_SIZE];
	struct err err = {0};
	uint32_t capture = 0, number = 99;
	struct catalog *c = sample_fill(sample_path(path), 20, &capture);

	CHECK_INT(catalog_find_page(
			  c, capture, SLICE("http://site.example/a/path/page-17"), &number, &err),
		0);
	CHECK_INT(number, 17);
	CHECK_INT(catalog_find_page(
			  c, capture, SLICE("http://site.example/a/path/page-"), &number, &err),
		ERR_NOTFOUND);
	CHECK_INT(number, 17);
	catalog_close(c);
}

/* What is set again replaces what was there. */
static void test_replace(void)
{
	char path[SAMPLE_PATH_SIZE];
	struct catalog_warc warc = {.name = SLICE("a.warc.gz"), .size = 7};
	struct err err = {0};
	uint32_t capture = 0;
	struct catalog *c = sample_fill(sample_path(path), 0, &capture);

	CHECK_INT(catalog_put(c, CATALOG_ROW_WARC, 0, &warc, &err), 0);
	warc.size = 9;
	warc.complete = true;
	CHECK_INT(catalog_put(c, CATALOG_ROW_WARC, 0, &warc, &err), 0);
	CHECK_INT(catalog_commit(c, &err), 0);
	CHECK_INT(sqlite3_exec(c->db,
			  "SELECT CASE WHEN (SELECT count(*) FROM warc) = 4"
			  " AND (SELECT size + complete FROM warc WHERE name = 'a.warc.gz') = 10"
			  " THEN 1 ELSE abs(-9223372036854775807 - 1) END",
			  NULL, NULL, NULL),
		SQLITE_OK);
	catalog_close(c);
}

/* What is known of the robots.txt of one host. */
struct robots_seen {
	char bodies[64];
	int64_t checked;
};

static int see_robots(void *context, const struct catalog_robots *r)
{
	struct robots_seen *seen = context;
	size_t len = strlen(seen->bodies);

	(void)snprintf(seen->bodies + len, sizeof seen->bodies - len, "%.*s;", (int)r->body.len,
		r->body.ptr);
	seen->checked = r->checked;
	return 0;
}

static void add_robots(struct catalog *c, uint32_t capture, const char *body, int64_t fetched)
{
	struct err err = {0};

	CHECK_INT(catalog_put(c, CATALOG_ROW_ADD_ROBOTS, capture,
			  &(struct catalog_robots){.origin = SLICE("http://r:80"),
				  .fetched = fetched,
				  .body = slice_str(body)},
			  &err),
		0);
}

/* Each version has a row; what is seen again adds none. */
static void test_robots_versions(void)
{
	char path[SAMPLE_PATH_SIZE];
	struct robots_seen seen = {0}, earlier = {0};
	struct err err = {0};
	uint32_t first = 0;
	struct catalog *c = sample_open(sample_path(path), CATALOG_CREATE);

	first = 1;
	add_robots(c, first, "a", 10);
	add_robots(c, first, "b", 20);
	CHECK_INT(catalog_put(c, CATALOG_ROW_CONFIRM_ROBOTS, first,
			  &(struct catalog_robots){.origin = SLICE("http://r:80"), .checked = 30},
			  &err),
		0);
	CHECK_INT(catalog_put(c, CATALOG_ROW_CONFIRM_ROBOTS, first,
			  &(struct catalog_robots){.origin = SLICE("http://s:80"), .checked = 30},
			  &err),
		ERR_NOTFOUND);
	add_robots(c, first + 1, "c", 40);
	CHECK_INT(catalog_each_robots(c, first, see_robots, &seen, &err), 0);
	CHECK_STR(seen.bodies, "a;b;");
	CHECK_INT(seen.checked, 30);
	CHECK_INT(catalog_earlier_robots(c, first + 2, see_robots, &earlier, &err), 0);
	CHECK_STR(earlier.bodies, "a;b;c;");
	CHECK_INT(earlier.checked, 40);
	catalog_close(c);
}

static void test_rollback(void)
{
	char path[SAMPLE_PATH_SIZE];
	struct err err = {0};
	uint32_t capture = 0;
	struct catalog *c = sample_fill(sample_path(path), 10, &capture);

	CHECK(!catalog_is_dirty(c));
	for (uint32_t i = 10; i < 20; i++)
		CHECK_INT(sample_add_page(c, capture, i, &err), 0);
	CHECK(catalog_is_dirty(c));
	catalog_rollback(c);
	CHECK(!catalog_is_dirty(c));
	CHECK_INT(sample_check(c, capture, true), 10);
	/* The numbers of events and words go on where they were. */
	for (uint32_t i = 10; i < 30; i++)
		CHECK_INT(sample_add_page(c, capture, i, &err), 0);
	CHECK_INT(catalog_commit(c, &err), 0);
	for (uint32_t i = 30; i < 40; i++)
		CHECK_INT(sample_add_page(c, capture, i, &err), 0);
	catalog_close(c);
	c = sample_open(path, CATALOG_READ);
	CHECK_INT(sample_check(c, capture, true), 30);
	catalog_close(c);
}

static void test_refused_rows(void)
{
	char path[SAMPLE_PATH_SIZE];
	struct catalog_page page = {.number = 0, .url = SLICE("u"), .rate = NAN};
	struct catalog_warc warc = {.name = SLICE("w"), .size = UINT64_MAX};
	struct catalog_event event = {.end = NAN};
	struct attempt o = {.page = 0, .number = 1};
	struct err err = {0};
	uint32_t capture = 0;
	struct catalog *c = sample_fill(sample_path(path), 0, &capture);

	CHECK_INT(catalog_put(c, CATALOG_ROW_ADD_PAGE, capture, &page, &err), ERR_RANGE);
	page.rate = 0;
	page.url = (slice){0};
	CHECK_INT(catalog_put(c, CATALOG_ROW_ADD_PAGE, capture, &page, &err), ERR_USAGE);
	CHECK_INT(catalog_put(c, CATALOG_ROW_WARC, 0, &warc, &err), ERR_RANGE);
	CHECK_INT(catalog_add_event(c, capture, &event, &err), ERR_RANGE);
	/* A row that is refused takes nothing with it. */
	CHECK_INT(sample_add_page(c, capture, 0, &err), 0);
	CHECK_INT(catalog_add_observation(c, capture, &o, &err), ERR_EXISTS);
	CHECK_INT(sample_add_page(c, capture, 0, &err), ERR_EXISTS);
	CHECK_INT(sample_add_page(c, capture, 1, &err), 0);
	CHECK_INT(catalog_commit(c, &err), 0);
	CHECK_INT(sample_check(c, capture, true), 2);
	catalog_close(c);
}

/* The table of words is bounded: what does not fit is stored all the same. */
static void test_many_words(void)
{
	char path[SAMPLE_PATH_SIZE], rule[64], seen_rule[64];
	struct seen seen = {0};
	struct err err = {0};
	uint32_t capture = 0, count = 5000;
	struct catalog *c = sample_fill(sample_path(path), 0, &capture);

	for (uint32_t i = 0; i < count; i++) {
		struct catalog_page page = {.number = i, .url = SLICE("u"), .kind = SLICE("page")};

		(void)snprintf(rule, sizeof rule, "rule %u", (unsigned)i);
		page.rule = slice_str(rule);
		CHECK_INT(catalog_put(c, CATALOG_ROW_ADD_PAGE, capture, &page, &err), 0);
	}
	CHECK_INT(catalog_commit(c, &err), 0);
	catalog_close(c);
	c = sample_open(path, CATALOG_READ);
	for (seen.stop_at = 1; seen.stop_at < (int)count; seen.stop_at += 997) {
		seen.calls = 0;
		CHECK_INT(catalog_each_page(c, capture, keep_page, &seen, &err), 77);
		(void)snprintf(seen_rule, sizeof seen_rule, "rule %d", seen.stop_at - 1);
		CHECK_STR(seen.rule, seen_rule);
	}
	seen = (struct seen){.stop_at = (int)count};
	CHECK_INT(catalog_each_page(c, capture, keep_page, &seen, &err), 77);
	CHECK_STR(seen.rule, "rule 4999");
	catalog_close(c);
}

struct imported_seen {
	int count;
	struct catalog_imported last;
	char url[64];
};

static int keep_imported(void *context, const struct catalog_imported *i)
{
	struct imported_seen *seen = context;

	seen->count++;
	seen->last = *i;
	(void)snprintf(seen->url, sizeof seen->url, "%.*s", (int)i->url.len, i->url.ptr);
	return 0;
}

/* A capture of others is added once; a digest that was missing is added to it. */
static void test_imported(void)
{
	static const struct {
		const char *url;
		int64_t time;
		uint64_t digest;
		bool added;
	} ROWS[] = {
		{"http://a/", 5, 0, true},
		{"http://a/", 5, 0, false},
		{"http://a/", 5, UINT64_MAX, true},
		{"http://a/", 5, 7, false},
		{"http://a/", 6, 7, true},
		{"http://b/", 5, 8, true},
	};
	char path[SAMPLE_PATH_SIZE];
	struct imported_seen seen = {0};
	struct err err = {0};
	uint32_t capture = 0;
	struct catalog *c = sample_fill(sample_path(path), 0, &capture);

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct catalog_imported row = {
			slice_str(ROWS[i].url), ROWS[i].time, ROWS[i].digest, 4};
		bool added = !ROWS[i].added;

		CHECK_INT(catalog_add_imported(c, &row, &added, &err), 0);
		CHECK_INT(added, ROWS[i].added);
	}
	CHECK_INT(catalog_commit(c, &err), 0);
	catalog_close(c);
	c = sample_open(path, CATALOG_READ);
	CHECK_INT(catalog_each_imported(c, keep_imported, &seen, &err), 0);
	CHECK_INT(seen.count, 3);
	CHECK_STR(seen.url, "http://b/");
	CHECK_INT(seen.last.time, 5);
	CHECK_INT((int64_t)seen.last.digest, 8);
	CHECK_INT(seen.last.source, 4);
	catalog_close(c);
}

/* Tables of no capture that are read as a whole. */
static bool may_scan(const char *line)
{
	static const char *const TABLES[] = {
		"warc", "capture", "imported", "look", "replaced", "CONSTANT ROW"};

	for (size_t i = 0; i < ARRAY_LEN(TABLES); i++)
		if (strcmp(line + strlen("SCAN "), TABLES[i]) == 0)
			return true;
	return false;
}

/*
 * No statement sorts, or reads more than its capture. Those that move records to another file
 * (catalog_replaced.c) go through all of that file's.
 */
static void test_query_plans(void)
{
	char path[SAMPLE_PATH_SIZE];
	uint32_t capture = 0;
	struct catalog *c = sample_fill(sample_path(path), 0, &capture);

	CHECK_INT(sqlite3_exec(c->db,
			  "CREATE TEMP TABLE moved(place INTEGER PRIMARY KEY, new, length, whole)",
			  NULL, NULL, NULL),
		SQLITE_OK);
	for (int i = 0; i < SQL_COUNT; i++) {
		BUF_SCOPED(text, 1 << 16);
		sqlite3_stmt *s = NULL;
		const char *sql;
		bool moves;

		buf_add_str(&text, "EXPLAIN QUERY PLAN ");
		catalog_sql((enum catalog_sql)i, &text);
		sql = buf_str(&text);
		moves = strstr(sql, "temp.moved") || i == SQL_DROP_LOOKS;
		if (!CHECK_INT(sqlite3_prepare_v2(c->db, sql, -1, &s, NULL), SQLITE_OK))
			tap_note("%s: %s", sql, sqlite3_errmsg(c->db));
		while (s && sqlite3_step(s) == SQLITE_ROW) {
			const char *line = (const char *)sqlite3_column_text(s, 3);
			bool bad = strstr(line, "TEMP B-TREE") ||
				   (strstr(line, "AUTOMATIC") && !moves);
			bool scan = strncmp(line, "SCAN ", 5) == 0 && !may_scan(line) && !moves;

			if (!CHECK(!bad && !scan))
				tap_note("%s: %s", sql, line);
		}
		(void)sqlite3_finalize(s);
	}
	catalog_close(c);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_round_trip);
	TAP_RUN(test_captures);
	TAP_RUN(test_update_capture);
	TAP_RUN(test_refuse_page);
	TAP_RUN(test_take_page);
	TAP_RUN(test_mark_page);
	TAP_RUN(test_unkept);
	TAP_RUN(test_later_leg);
	TAP_RUN(test_find_page);
	TAP_RUN(test_replace);
	TAP_RUN(test_robots_versions);
	TAP_RUN(test_rollback);
	TAP_RUN(test_refused_rows);
	TAP_RUN(test_many_words);
	TAP_RUN(test_imported);
	TAP_RUN(test_query_plans);
	return tap_done();
}
