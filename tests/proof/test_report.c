/* Reports: verdicts from the catalog, totals, measures, and what people get to see. */
#include "proof/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "archive_sample.h"
#include "base/buf.h"
#include "catalog/unknown_rate.h"
#include "proof/expect.h"
#include "proof/ranking.h"
#include "proof/report_json.h"
#include "proof/why.h"
#include "report/report_print.h"
#include "tap.h"

enum { TEXT_MAX = 1 << 20 };

/* The catalog of the archive, open; and its last capture's report. */
static struct catalog *load(const char *dir, struct report *ret)
{
	struct catalog *c = NULL;
	struct err err = {0};
	char *path;

	if (asprintf(&path, "%s/catalog.sqlite", dir) < 0)
		abort();
	CHECK_INT(catalog_open(path, CATALOG_READ, &c, &err), 0);
	if (!CHECK_INT(report_load(ret, c, 0, &err), 0))
		tap_note("%s", err.text);
	free(path);
	return c;
}

static const struct report_page *find(const struct report *r, const char *path)
{
	for (size_t i = 0; i < r->pages.len; i++) {
		slice url = r->pages.ptr[i].url;
		size_t len = strlen(path);

		if (url.len >= len && memcmp(url.ptr + url.len - len, path, len) == 0)
			return &r->pages.ptr[i];
	}
	tap_fail(__FILE__, __LINE__, "no page %s", path);
	return &r->pages.ptr[0];
}

static void test_verdicts(void)
{
	static const struct {
		const char *path;
		enum verdict verdict;
		const char *reason;
	} rows[] = {
		{"http://example.org/", VERDICT_SHARP, ""},
		{"/a/", VERDICT_SHARP, ""},
		{"/a/moved", VERDICT_SHARP, ""},
		{"/a/news", VERDICT_CHANGED, ""},
		{"/a/price?eur=1", VERDICT_CHANGED, ""},
		{"/b/missing", VERDICT_ABSENT, ""},
		{"/b/new", VERDICT_APPEARED, ""},
		{"/b/old", VERDICT_GONE, ""},
		{"/b/busy", VERDICT_UNCONFIRMED, "HTTP 503"},
		{"/b/torn", VERDICT_UNCONFIRMED, "reset: it went away"},
		{"/c/error", VERDICT_FAILED, "HTTP 503"},
		{"/c/cut", VERDICT_FAILED, "reset: it went away"},
		{"/c/lost", VERDICT_FAILED, "timeout: no answer within 30 s"},
		{"nowhere.example/", VERDICT_FAILED, "dns: nowhere.example resolves to nothing"},
		{"/login", VERDICT_BLOCKED, "HTTP 403"},
		{"/private/", VERDICT_EXCLUDED, "robots.txt: Disallow: /private/"},
		{"elsewhere.example/", VERDICT_EXCLUDED, "another host"},
		{"/late", VERDICT_SINGLE, ""},
		{"/unseen", VERDICT_UNVISITED, "not visited"},
	};
	const char *dir = tap_tempdir();
	uint64_t all = 0;
	struct report r;
	struct catalog *c;

	sample_site(dir);
	c = load(dir, &r);
	CHECK_INT(r.pages.len, ARRAY_LEN(rows));
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct report_page *p = find(&r, rows[i].path);

		tap_case("verdict: %s", rows[i].path);
		CHECK_STR(verdict_name((enum verdict)p->verdict), verdict_name(rows[i].verdict));
		CHECK_SLICE(p->reason, slice_str(rows[i].reason));
		CHECK((p->evidence != SAME_NOT) == (rows[i].verdict == VERDICT_SHARP));
	}
	tap_case("totals cover all known pages");
	for (size_t i = 0; i < VERDICT_COUNT; i++)
		all += r.totals[i];
	CHECK_INT(all, ARRAY_LEN(rows));
	CHECK_INT(r.totals[VERDICT_SHARP], 3);
	CHECK_INT(r.totals[VERDICT_FAILED], 4);
	CHECK_INT(r.totals[VERDICT_UNVISITED], 1);
	CHECK_INT(r.captured, 11);
	CHECK_INT(r.out_of_scope, 1);
	CHECK(r.rates_differ);
	CHECK_INT(find(&r, "/b/busy")->visit.attempts, 2);
	CHECK_INT(find(&r, "/b/busy")->visit.start, SAMPLE_BASE + 2000 * SAMPLE_MS);
	report_release(&r);
	catalog_close(c);
}

/* Three pages, by hand: e^-λL, and the integral of the distance to the nearer download. */
static void test_measures(void)
{
	static const double RATES[] = {0.1, 0.2, 0.4};
	static const double VISITS[] = {1000, 2000, 3000}, REVISITS[] = {7000, 6000, 5000};
	const char *dir = tap_tempdir();
	struct sample *s = sample_open(dir, false);
	double sharp = 0, blur = 0;
	struct report r;
	struct catalog *c;

	for (int i = 0; i < 3; i++) {
		char url[64];
		uint32_t page;
		double length = (REVISITS[i] - VISITS[i] - 10) / 1000, obs = (7000 - 1010) / 1000.0;
		double before = (VISITS[i] - 1000) / 1000, behind = (7000 - REVISITS[i]) / 1000;

		(void)snprintf(url, sizeof url, "http://example.org/%d", i);
		page = sample_add(s, &(struct sample_page){.url = url, .rate = RATES[i]});
		sample_fetch(s, page,
			&(struct sample_fetch){.leg = ATTEMPT_VISIT,
				.sent = VISITS[i],
				.end = VISITS[i] + 10,
				.response = "HTTP/1.1 200 OK\r\n\r\nx"});
		sample_fetch(s, page,
			&(struct sample_fetch){.leg = ATTEMPT_REVISIT,
				.sent = REVISITS[i],
				.end = REVISITS[i] + 10,
				.response = "HTTP/1.1 200 OK\r\n\r\nx"});
		sharp += exp(-RATES[i] * length);
		/* Triangles on both sides of the downloads, two small ones between them. */
		blur += RATES[i] *
			(before * before / 2 + behind * behind / 2 + length * length / 4) / obs;
	}
	sample_close(s, CATALOG_FINISHED);
	c = load(dir, &r);
	CHECK_NEAR(r.expected_sharp, sharp, 1e-9);
	CHECK_NEAR(r.blur, blur, 1e-9);
	CHECK_INT(r.totals[VERDICT_SHARP], 3);
	report_release(&r);
	catalog_close(c);
}

static void check_single_page(enum catalog_state state, enum catalog_end limit, bool single,
	bool visited, enum verdict want, const char *reason)
{
	const char *dir = tap_tempdir();
	struct sample *s = sample_open(dir, single);
	uint32_t page = sample_add(s, &(struct sample_page){.url = "http://example.org/"});
	struct report r;
	struct catalog *c;

	if (visited)
		sample_fetch(s, page,
			&(struct sample_fetch){.leg = ATTEMPT_VISIT,
				.sent = 1,
				.end = 2,
				.response = "HTTP/1.1 200 OK\r\n\r\nx"});
	sample_end(s, limit);
	sample_close(s, state);
	c = load(dir, &r);
	CHECK(!r.rates_differ);
	CHECK_INT(r.capture.ended_by, limit);
	CHECK_STR(verdict_name((enum verdict)r.pages.ptr[0].verdict), verdict_name(want));
	CHECK_SLICE(r.pages.ptr[0].reason, slice_str(reason));
	report_release(&r);
	catalog_close(c);
}

static void test_states(void)
{
	static const struct {
		enum catalog_state state;
		enum catalog_end limit;
		bool single, visited;
		enum verdict want;
		const char *reason;
	} rows[] = {
		{CATALOG_FINISHED, CATALOG_END_NONE, true, true, VERDICT_SINGLE, ""},
		{CATALOG_FINISHED, CATALOG_END_NONE, true, false, VERDICT_UNVISITED, "not visited"},
		{CATALOG_CUT, CATALOG_END_NONE, false, false, VERDICT_UNVISITED, "a limit"},
		{CATALOG_CUT, CATALOG_END_TIME, false, false, VERDICT_UNVISITED, "time limit"},
		{CATALOG_CUT, CATALOG_END_BYTES, false, false, VERDICT_UNVISITED, "byte limit"},
		{CATALOG_CUT, CATALOG_END_BYTES, false, true, VERDICT_UNCONFIRMED,
			"not revisited: byte limit"},
		{CATALOG_RUNNING, CATALOG_END_NONE, false, false, VERDICT_UNVISITED,
			"the capture is not finished"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_single_page(rows[i].state, rows[i].limit, rows[i].single, rows[i].visited,
			rows[i].want, rows[i].reason);
}

/* A revisit before another page's visit: there is no instant that both are known to share. */
static void test_no_stillpoint(void)
{
	const char *dir = tap_tempdir();
	struct sample *s = sample_open(dir, false);
	struct report r;
	struct catalog *c;

	sample_sharp(s, "http://example.org/early", 100, 500);
	sample_sharp(s, "http://example.org/late", 600, 900);
	sample_close(s, CATALOG_FINISHED);
	c = load(dir, &r);
	CHECK_INT(r.totals[VERDICT_SHARP], 0);
	CHECK_INT(r.totals[VERDICT_UNCONFIRMED], 2);
	CHECK_SLICE(r.pages.ptr[0].reason, SLICE("the capture has no still point"));
	report_release(&r);
	catalog_close(c);
}

/* What printing makes of it, through a file. */
static void print_golden(const char *name, const struct report *r, const struct why *w)
{
	FILE *file = tmpfile();
	struct buf text;
	char chunk[4096];
	size_t n;

	buf_init(&text, TEXT_MAX);
	if (!CHECK(file != NULL))
		return;
	if (w)
		report_print_why(r, w, file);
	else
		report_print(r, "example.org.stillpoint", file);
	rewind(file);
	while ((n = fread(chunk, 1, sizeof chunk, file)) > 0)
		CHECK_INT(buf_add(&text, (slice){chunk, n}), 0);
	tap_golden(name, buf_slice(&text));
	(void)fclose(file);
	buf_release(&text);
}

/* Of the page that was just explained as text. */
static void why_json_golden(const char *name, const struct report *r, const struct why *w)
{
	struct buf text;
	struct json j;

	buf_init(&text, TEXT_MAX);
	json_init_buf(&j, &text, JSON_PRETTY | JSON_LINES);
	why_json(r, w, &j);
	CHECK_INT(json_finish(&j), 0);
	tap_golden(name, buf_slice(&text));
	buf_release(&text);
}

static void explain_golden(
	const char *name, struct catalog *c, const struct report *r, const char *url)
{
	char path[64];
	struct err err = {0};
	struct why w;

	if (CHECK_INT(why_load(&w, c, r->capture.id, slice_str(url), &err), 0)) {
		/* Where records lie depends on how well the library at hand compresses. */
		for (size_t i = 0; i < w.attempts.len; i++)
			w.attempts.ptr[i].length = w.attempts.ptr[i].offset = 1000 * (i + 1);
		(void)snprintf(path, sizeof path, "proof/%s.txt", name);
		print_golden(path, r, &w);
		(void)snprintf(path, sizeof path, "proof/%s.json", name);
		why_json_golden(path, r, &w);
	}
	why_release(&w);
}

static void test_golden(void)
{
	const char *dir = tap_tempdir();
	struct err err = {0};
	struct report r;
	struct catalog *c;
	struct buf text;
	struct json j;
	struct why w;

	sample_site(dir);
	c = load(dir, &r);
	print_golden("proof/report.txt", &r, NULL);
	explain_golden("why", c, &r, "http://example.org/b/busy");
	explain_golden("why-refused", c, &r, "http://example.org/private/");
	explain_golden("why-late", c, &r, "http://example.org/late");
	CHECK_INT(why_load(&w, c, 1, SLICE("http://example.org/unknown"), &err), ERR_NOTFOUND);
	why_release(&w);
	buf_init(&text, TEXT_MAX);
	json_init_buf(&j, &text, JSON_PRETTY | JSON_LINES);
	/* How long the file is, its writers decide. */
	CHECK_INT((int64_t)r.provenance.files.len, 1);
	r.provenance.files.ptr[0].size = 1000;
	report_json(&r, &j);
	CHECK_INT(json_finish(&j), 0);
	tap_golden("proof/report.json", buf_slice(&text));
	buf_release(&text);
	report_release(&r);
	catalog_close(c);
}

static void test_golden_running(void)
{
	const char *dir = tap_tempdir();
	struct sample *s = sample_open(dir, false);
	struct report r;
	struct catalog *c;

	sample_sharp(s, "http://example.org/", 100, 500);
	(void)sample_add(s, &(struct sample_page){.url = "http://example.org/\x1b[2Jnext"});
	sample_close(s, CATALOG_RUNNING);
	c = load(dir, &r);
	print_golden("proof/report-running.txt", &r, NULL);
	report_release(&r);
	catalog_close(c);
}

/* Many directories and hot pages: the tables stay short, and their sums are right. */
static void test_ranking(void)
{
	const char *dir = tap_tempdir();
	struct sample *s = sample_open(dir, false);
	struct ranking_groups groups;
	uint32_t hottest[4];
	struct report r;
	struct catalog *c;

	for (int i = 0; i < 60; i++) {
		char url[64];

		(void)snprintf(url, sizeof url, "http://example.org/%d/%d?a=/x/y", i % 20, i);
		(void)sample_add(s, &(struct sample_page){.url = url, .rate = (i * 7) % 60});
	}
	sample_end(s, CATALOG_END_BYTES);
	sample_close(s, CATALOG_CUT);
	c = load(dir, &r);
	groups = ranking_directories(&r);
	CHECK_INT(groups.len, 20);
	CHECK_SLICE(groups.ptr[0].name, SLICE("http://example.org/0/"));
	CHECK_INT(groups.ptr[19].pages, 3);
	ranking_groups_release(&groups);
	groups = ranking_reasons(&r, VERDICT_UNVISITED);
	CHECK_INT(groups.len, 1);
	CHECK_INT(groups.ptr[0].pages, 60);
	ranking_groups_release(&groups);
	CHECK_INT(ranking_hottest(&r, VERDICT_UNVISITED, 4, hottest), 4);
	for (int i = 0; i < 4; i++)
		CHECK_NEAR(r.pages.ptr[hottest[i]].rate, 59 - i, 0);
	print_golden("proof/report-many.txt", &r, NULL);
	report_release(&r);
	catalog_close(c);
}

/* --why, as users spell URLs. */
static void test_why(void)
{
	static const struct {
		const char *text, *want; /* the page, or else what the error says */
		int rc;
	} rows[] = {
		{"http://example.org/a/news", "http://example.org/a/news", 0},
		{"HTTP://Example.org:80/a/../a/news#top", "http://example.org/a/news", 0},
		{"/a/news", "'/a/news' is not a URL; did you mean http://example.org/a/news ?",
			ERR_NOTFOUND},
		{"example.org/a/",
			"'example.org/a/' is not a URL; did you mean "
			"http://example.org/a/ ?",
			ERR_NOTFOUND},
		{"/none",
			"'/none' is not a URL, and capture 1 does not know "
			"http://example.org/none",
			ERR_NOTFOUND},
		{"http://example.org/none",
			"http://example.org/none: capture 1 does not know this "
			"URL: it found no link to it",
			ERR_NOTFOUND},
	};
	const char *dir = tap_tempdir();
	struct catalog *c;
	struct report r;

	sample_site(dir);
	c = load(dir, &r);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err err = {0};
		struct why w;

		tap_case("why: %s", rows[i].text);
		CHECK_INT(why_find(&w, c, &r.capture, rows[i].text, &err), rows[i].rc);
		if (rows[i].rc)
			CHECK_STR(err.text, rows[i].want);
		else
			CHECK_SLICE(w.way.ptr[w.way.len - 1].url, slice_str(rows[i].want));
		why_release(&w);
		CHECK_INT(why_newest_capture(c, rows[i].text), rows[i].rc ? 0 : 1);
	}
	report_release(&r);
	catalog_close(c);
}

static void test_expect_compare(void)
{
	static const struct {
		const char *label;
		uint64_t found;
		double expected;
		uint64_t pages;
		enum expect_result result;
	} rows[] = {
		{"nothing of nothing", 0, 0, 0, EXPECT_AGREES},
		{"chance, below", 91, 100, 200, EXPECT_AGREES},
		{"chance, above", 120, 100, 200, EXPECT_AGREES},
		{"few pages scatter", 4, 6.9, 12, EXPECT_AGREES},
		{"all but one of nearly all", 399, 399.9, 400, EXPECT_AGREES},
		{"far from nearly all", 378, 399.9, 400, EXPECT_FEWER},
		{"fewer", 43, 147.0, 300, EXPECT_FEWER},
		{"none at all", 0, 9.5, 300, EXPECT_FEWER},
		{"more", 147, 43.0, 300, EXPECT_MORE},
		{"more than none", 4, 0, 300, EXPECT_MORE},
	};
	struct report r = {0};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		tap_case("expected and found: %s", rows[i].label);
		r.expected_sharp = rows[i].expected;
		r.captured = rows[i].pages;
		CHECK_INT(expect_compare(&r, rows[i].found), rows[i].result);
	}
	/* Of 30 pages 20 are expected to be the same; of 10 others nothing is known. */
	tap_case("expected and found: a range");
	r = (struct report){.captured = 30,
		.expected_sharp = 29.9,
		.expected_unknown = 10,
		.expected_range = {17, 30}};
	CHECK_INT(expect_compare(&r, 17), EXPECT_AGREES);
	CHECK_INT(expect_compare(&r, 30), EXPECT_AGREES);
	CHECK_INT(expect_compare(&r, 16), EXPECT_FEWER);
}

/* What cannot be found unchanged is not expected to be. */
static void test_expect_judged(void)
{
	static const struct report_page PAGE = {.taken = true,
		.usable_visit = true,
		.rate = 1e-9,
		.shape = 1,
		.visit = {.start = 1, .end = 2, .made = true},
		.revisit = {.start = 1000000003, .end = 1000000004, .made = true},
		.verdict = VERDICT_SHARP};
	struct report_page pages[] = {PAGE, PAGE, PAGE, PAGE, PAGE};
	struct report r = {.pages = {.ptr = pages, .len = ARRAY_LEN(pages)}, .captured = 4};
	uint64_t unknown;

	pages[1].verdict = VERDICT_SHELL;
	pages[2].usable_visit = false;
	pages[3].revisit = (struct report_leg){0};
	pages[4].rate = UNKNOWN_RATE_SHAPE / (UNKNOWN_RATE_DAYS * 86400);
	pages[4].shape = UNKNOWN_RATE_SHAPE;
	tap_case("expected: only pages that are judged");
	CHECK(fabs(expect_sharp(&r) - 2) < 1e-5);
	r.expected_range = expect_range(&r, &unknown);
	CHECK_INT(unknown, 1);
	CHECK(r.expected_range.low > 0.99 && r.expected_range.low <= 1);
	CHECK(fabs(r.expected_range.high - 2) < 1e-5);
}

static void test_no_capture(void)
{
	const char *dir = tap_tempdir();
	struct catalog *c = NULL;
	struct err err = {0};
	struct report r;

	sample_site(dir);
	c = load(dir, &r);
	report_release(&r);
	CHECK_INT(report_load(&r, c, 7, &err), ERR_NOTFOUND);
	CHECK(err.text[0] != '\0');
	report_release(&r);
	catalog_close(c);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_verdicts();
	TAP_RUN(test_measures);
	TAP_RUN(test_states);
	TAP_RUN(test_no_stillpoint);
	TAP_RUN(test_golden);
	TAP_RUN(test_golden_running);
	TAP_RUN(test_ranking);
	test_why();
	test_expect_compare();
	test_expect_judged();
	TAP_RUN(test_no_capture);
	return tap_done();
}
