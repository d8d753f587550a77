/* Which places are learned from double fetches, and what their rules mask then. */
#include <stdio.h>
#include <stdlib.h>

#include "quality/change.h"
#include "quality/learnable.h"
#include "quality/learner.h"
#include "quality/place.h"
#include "tap.h"

enum { PAGES = 3, PAGE_SIZE = 4096 };

#define TEXT                                                                                \
	"<p>Words that stay, and enough of them that a masked line is a small part of all " \
	"that can be read on this page, which speaks of nothing but itself.</p>"

static void read_page(struct view *v, const char *fragment)
{
	char page[PAGE_SIZE];

	(void)snprintf(page, sizeof page,
		"<!DOCTYPE html><html><head><title>T</title></head><body>" TEXT TEXT TEXT TEXT TEXT
		"%s</body></html>",
		fragment);
	view_init(v, NOISE_DEFAULT);
	CHECK_INT(change_view(slice_str(page), SLICE("text/html"), v), 0);
}

/* %d in a fragment is a number that no two downloads share. */
static void fill(char *out, size_t size, const char *fragment, int number)
{
	const char *at = strstr(fragment, "%d");
	int front = (int)(at ? at - fragment : (long)strlen(fragment));

	if (at)
		(void)snprintf(out, size, "%.*s%d%s", front, fragment, number, at + 2);
	else
		(void)snprintf(out, size, "%s", fragment);
}

static void page_url(struct url *url, int page)
{
	char text[64];

	(void)snprintf(text, sizeof text, "http://shop.example/news/p%d", page);
	url_init(url);
	CHECK_INT(url_parse(url, slice_str(text), NULL, NULL), 0);
}

/* Learns from pages whose downloads differ in %d. */
static void learn(const char *fragment, int pages, bool visible, struct learned *rules)
{
	struct learner l;

	learner_init(&l, visible);
	for (int i = 0; i < pages; i++) {
		char text_a[PAGE_SIZE], text_b[PAGE_SIZE];
		struct view a, b;
		struct url url;

		fill(text_a, sizeof text_a, fragment, 7100000 + 17 * i);
		fill(text_b, sizeof text_b, fragment, 8200003 + 31 * i);
		page_url(&url, i);
		read_page(&a, text_a);
		read_page(&b, text_b);
		CHECK_INT(learner_add(&l, &url, &a, &b), 0);
		view_release(&a);
		view_release(&b);
		url_release(&url);
	}
	learned_init(rules);
	CHECK_INT(learner_finish(&l, rules), 0);
	learner_release(&l);
}

/* Whether two downloads of another page are the same under the rules. */
static bool are_same(const struct learned *rules, const char *text_a, const char *text_b)
{
	struct learned_tally tally = {0};
	struct digest x, y;
	struct view a, b;
	struct url url;
	bool same;

	page_url(&url, 99);
	read_page(&a, text_a);
	read_page(&b, text_b);
	CHECK_INT(learned_mask(rules, &url, &a, &tally), 0);
	CHECK_INT(learned_mask(rules, &url, &b, &tally), 0);
	CHECK_INT(view_digest(&a, &x), 0);
	CHECK_INT(view_digest(&b, &y), 0);
	same = digest_eq(&x, &y);
	view_release(&a);
	view_release(&b);
	url_release(&url);
	return same;
}

/* ---- what is learned ---- */

#define LD "<script type='application/ld+json'>"

static const struct {
	const char *label, *fragment, *want; /* what is learned: label of the rule; NULL: nothing */
	bool visible;
} LEARNED[] = {
	{"hidden field", "<form><input type=hidden name=zq7 value='4:%dab'></form>",
		"learned:field:zq7", false},
	{"literal of a script", "<script>var s = {'visitKey': 'k:%d words in it'};</script>", NULL,
		false},
	{"literal of JSON", "<script type='application/json'>{\"zk\":\"k:%d\"}</script>",
		"learned:data:zk", false},
	{"meta", "<meta name=x-zk content='k:%d'>", "learned:meta:x-zk", false},
	{"image of another site", "<aside><img src='http://ads.example/%d.gif'></aside>",
		"learned:image:src", false},
	{"frame of another site", "<iframe src='//ads.example/f/%d'></iframe>", "learned:frame:src",
		false},
	{"line, when asked for", "<div>Advertisement: fresh tea at 12:%d</div>",
		"learned:text:Advertisement:%20fresh%20tea%20at", true},

	{"visible line", "<div>Advertisement: fresh tea at 12:%d</div>", NULL, false},
	{"visible field", "<input name=zq7 value='4:%dab'>", NULL, false},
	{"image of the site", "<aside><img src='/i/%d.gif'></aside>", NULL, false},
	{"image of a host of the site", "<img src='http://img.shop.example/%d.gif'>", NULL, false},
	{"one of two images at the place",
		"<div><img src='http://ads.example/%d.gif'><img "
		"src='http://ads.example/x.gif'></div>",
		NULL, false},
	{"image of a host with others that stay",
		"<aside><img src='http://cdn.example/%d.gif'></aside><b><img "
		"src='http://cdn.example/x.gif'></b>",
		NULL, false},
	{"link", "<a href='http://ads.example/%d'>x</a>", NULL, false},
	{"form", "<form action='/f/%d'></form>", NULL, false},
	{"price in a field", "<input type=hidden name=price value='k:%d'>", NULL, false},
	{"amount in a field", "<input type=hidden name=zq value='%d EUR'>", NULL, false},
	{"linked data", LD "{\"zk\":\"k:%d\"}</script>", NULL, false},
	{"line with a price, when asked for", "<div>Only today: %d EUR</div>", NULL, true},
	{"line with a figure, when asked for", "<div>Copies left: %d</div>", NULL, true},
	{"line that begins with the figure", "<div>%d visitors</div>", NULL, true},
};

static void test_learned(void)
{
	for (size_t i = 0; i < ARRAY_LEN(LEARNED); i++) {
		struct learned rules;

		tap_case("learned: %s", LEARNED[i].label);
		learn(LEARNED[i].fragment, PAGES, LEARNED[i].visible, &rules);
		CHECK_INT((int64_t)rules.rules.len, LEARNED[i].want ? 1 : 0);
		if (LEARNED[i].want && rules.rules.len)
			CHECK_SLICE(rules.rules.ptr[0].label, slice_str(LEARNED[i].want));
		learned_release(&rules);
	}
}

static void test_support(void)
{
	const char *field = "<form><input type=hidden name=zq7 value='4:%dab'></form>";
	struct learned rules;

	learn(field, 1, false, &rules);
	CHECK_INT((int64_t)rules.rules.len, 0);
	learned_release(&rules);
	learn(field, 2, false, &rules);
	CHECK_INT((int64_t)rules.rules.len, 1);
	learned_release(&rules);
}

/* The same page twice is one page. */
static void test_one_page(void)
{
	struct learned rules;
	struct learner l;
	struct view a, b;
	struct url url;

	page_url(&url, 1);
	learner_init(&l, false);
	read_page(&a, "<form><input type=hidden name=zq7 value='4:a1'></form>");
	read_page(&b, "<form><input type=hidden name=zq7 value='4:b2'></form>");
	CHECK_INT(learner_add(&l, &url, &a, &b), 0);
	CHECK_INT(learner_add(&l, &url, &b, &a), 0);
	learned_init(&rules);
	CHECK_INT(learner_finish(&l, &rules), 0);
	CHECK_INT((int64_t)rules.rules.len, 0);
	view_release(&a);
	view_release(&b);
	learned_release(&rules);
	learner_release(&l);
	url_release(&url);
}

/* ---- what the rules mask ---- */

static const struct {
	const char *label, *fragment; /* that is learned */
	const char *a, *b;
	bool visible, same;
} MASKED[] = {
	{"field", "<form><input type=hidden name=zq7 value='4:%dab'></form>",
		"<form><input type=hidden name=zq7 value='1:cd'></form>",
		"<form><input type=hidden name=zq7 value='2:ef'></form>", false, true},
	{"field of another name", "<form><input type=hidden name=zq7 value='4:%dab'></form>",
		"<form><input type=hidden name=zq8 value='1:cd'></form>",
		"<form><input type=hidden name=zq8 value='2:ef'></form>", false, false},
	{"field that holds words now", "<form><input type=hidden name=zq7 value='4:%dab'></form>",
		"<form><input type=hidden name=zq7 value='1:cd'></form>",
		"<form><input type=hidden name=zq7 value='Sold out'></form>", false, false},
	{"field elsewhere", "<form><input type=hidden name=zq7 value='4:%dab'></form>",
		"<form><b><input type=hidden name=zq7 value='1:cd'></b></form>",
		"<form><b><input type=hidden name=zq7 value='2:ef'></b></form>", false, false},
	{"field and a word of the text", "<form><input type=hidden name=zq7 value='4:%dab'></form>",
		"<form><input type=hidden name=zq7 value='1:cd'>red</form>",
		"<form><input type=hidden name=zq7 value='2:ef'>rot</form>", false, false},
	{"advertisement", "<aside><img src='http://ads.example/%d.gif'></aside>",
		"<aside><img src='http://ads.example/1.gif'></aside>",
		"<aside><img src='http://other.example/2.gif'></aside>", false, true},
	{"image of the site in its place", "<aside><img src='http://ads.example/%d.gif'></aside>",
		"<aside><img src='http://ads.example/1.gif'></aside>",
		"<aside><img src='/2.gif'></aside>", false, false},
	{"two images in its place", "<aside><img src='http://ads.example/%d.gif'></aside>",
		"<aside><img src='//ads.example/1.gif'><img src='//ads.example/2.gif'></aside>",
		"<aside><img src='//ads.example/1.gif'><img src='//ads.example/3.gif'></aside>",
		false, false},
	{"line", "<div>Advertisement: fresh tea at 12:%d</div>",
		"<div>Advertisement: fresh tea at 12:04</div>",
		"<div>Advertisement: fresh tea at 12:09</div>", true, true},
	{"line with a price", "<div>Advertisement: fresh tea at 12:%d</div>",
		"<div>Advertisement: fresh tea at 12 EUR</div>",
		"<div>Advertisement: fresh tea at 13 EUR</div>", true, false},
};

static void test_masked(void)
{
	for (size_t i = 0; i < ARRAY_LEN(MASKED); i++) {
		struct learned rules;

		tap_case("masked: %s", MASKED[i].label);
		learn(MASKED[i].fragment, PAGES, MASKED[i].visible, &rules);
		CHECK_INT((int64_t)rules.rules.len, 1);
		CHECK_INT(are_same(&rules, MASKED[i].a, MASKED[i].b), MASKED[i].same);
		learned_release(&rules);
	}
}

/* Masked text counts. */
static void test_share(void)
{
	struct learned_tally tally = {0};
	struct learned rules;
	struct view v;
	struct url url;

	learn("<div>Advertisement: fresh tea at 12:%d</div>", PAGES, true, &rules);
	page_url(&url, 5);
	read_page(&v, "<div>Advertisement: fresh tea at 12:04</div>");
	CHECK_INT(learned_mask(&rules, &url, &v, &tally), 0);
	CHECK_INT((int64_t)v.noise.tally.masked, 5);
	CHECK_INT(tally.rules[0].count, 1);
	view_release(&v);
	url_release(&url);
	learned_release(&rules);
}

/* ---- lines ---- */

static void test_lines(void)
{
	struct learned rules, again;
	struct buf line;

	learn("<form><input type=hidden name='z q%' value='4:%dab'></form>", PAGES, false, &rules);
	learned_init(&again);
	buf_init(&line, LEARNED_LINE_MAX);
	CHECK_INT((int64_t)rules.rules.len, 1);
	CHECK_INT(learned_format(&rules.rules.ptr[0], &line), 0);
	CHECK(memmem(line.ptr, line.len, "http://shop.example/news/ ", 26) == line.ptr);
	CHECK(memmem(line.ptr, line.len, " field z%20q%25 html>body>form>input 3", 38));
	CHECK_INT(learned_parse(&again, buf_slice(&line)), 0);
	CHECK_INT(learned_parse(&again, buf_slice(&line)), ERR_EXISTS);
	CHECK_INT(learned_finish(&again), 0);
	CHECK_SLICE(again.rules.ptr[0].key, rules.rules.ptr[0].key);
	CHECK(are_same(&again, "<form><input type=hidden name='z q%' value='1:cd'></form>",
		"<form><input type=hidden name='z q%' value='2:ef'></form>"));
	buf_release(&line);
	learned_release(&rules);
	learned_release(&again);
}

static void test_bad_lines(void)
{
	static const char *const LINES[] = {"", "3", "a 3", "http://h/ 1a field x 3",
		"http://h/ 1a field x p x", "http://h/ 1a link x p 3", "http://h/ 1a field x p q 3",
		"http://h/ 1a field  p 3", "http://h/ 1a text - p 3"};
	struct learned rules;

	learned_init(&rules);
	for (size_t i = 0; i < ARRAY_LEN(LINES); i++) {
		tap_case("bad line: '%s'", LINES[i]);
		CHECK_INT(learned_parse(&rules, slice_str(LINES[i])), ERR_SYNTAX);
	}
	learned_release(&rules);
}

/* ---- kinds of pages ---- */

static void test_kinds(void)
{
	static const struct {
		const char *label, *a, *b, *text_a, *text_b;
		bool same;
	} ROWS[] = {
		{"pages of a directory", "http://h/n/a", "http://h/n/b", "<p>x</p>", "<p>y</p>",
			true},
		{"with a slash at the end", "http://h/n/a/", "http://h/n/b/", "", "", true},
		{"years", "http://h/2025/12/a", "http://h/2026/01/b", "", "", true},
		{"more paragraphs", "http://h/n/a", "http://h/n/b", "<p>x</p>", "<p>y</p><p>z</p>",
			true},
		{"another directory", "http://h/n/a", "http://h/m/b", "", "", false},
		{"another host", "http://h/n/a", "http://g/n/b", "", "", false},
		{"another shape", "http://h/n/a", "http://h/n/b", "<p>x</p>", "<ul><li>x</ul>",
			false},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct buf kind_a, kind_b;
		struct view a, b;
		struct url url;

		tap_case("kinds: %s", ROWS[i].label);
		url_init(&url);
		buf_init(&kind_a, LEARNED_LINE_MAX);
		buf_init(&kind_b, LEARNED_LINE_MAX);
		read_page(&a, ROWS[i].text_a);
		read_page(&b, ROWS[i].text_b);
		CHECK_INT(url_parse(&url, slice_str(ROWS[i].a), NULL, NULL), 0);
		CHECK_INT(place_kind(&url, &a, &kind_a), 0);
		CHECK_INT(url_parse(&url, slice_str(ROWS[i].b), NULL, NULL), 0);
		CHECK_INT(place_kind(&url, &b, &kind_b), 0);
		CHECK_INT(slice_eq(buf_slice(&kind_a), buf_slice(&kind_b)), ROWS[i].same);
		view_release(&a);
		view_release(&b);
		buf_release(&kind_a);
		buf_release(&kind_b);
		url_release(&url);
	}
}

/* ---- what reads like content ---- */

static void test_values(void)
{
	static const struct {
		const char *name, *value;
		bool content;
	} ROWS[] = {
		{"zq", "4:71aa", false},
		{"zq", "a1b2c3d4", false},
		{"zq", "1731801600123", false},
		{"zq", "2026-05-12T13:04:05Z", false},
		{"zq", "", false},
		{"price", "4:71aa", true},
		{"product_id", "4:71aa", true},
		{"zq", "12", true},
		{"zq", "1,299.00", true},
		{"zq", "12 EUR", true},
		{"zq",
			"\xe2\x82\xac"
			"12",
			true},
		{"zq", "2026-05-12", true},
		{"zq", "Alice", true},
		{"zq", "Sold out", true},
		{"zq", "there are words 12:a4", true},
		{"zq", "/p/a1b2", true},
		{"zq", "https://h.example/a1b2", true},
		{"zq", "a@h.example", true},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		tap_case("value: %s=%s", ROWS[i].name, ROWS[i].value);
		CHECK_INT(learnable_value_is_content(
				  slice_str(ROWS[i].name), slice_str(ROWS[i].value)),
			ROWS[i].content);
	}
}

static void test_texts(void)
{
	static const struct {
		const char *text;
		bool content;
	} ROWS[] = {
		{"fresh tea from the hills", false},
		{"at 13:04:05", false},
		{"in 0.03 seconds", false},
		{"took 12ms", false},
		{"3 in stock", true},
		{"by Alice Miller", true},
		{"on 12 May", true},
		{"since may", true},
		{"10 %", true},
		{"$5", true},
		{"10 EUR", true},
		{"1,234 views", true},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		tap_case("text: %s", ROWS[i].text);
		CHECK_INT(learnable_text_is_content(slice_str(ROWS[i].text)), ROWS[i].content);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_learned();
	TAP_RUN(test_support);
	TAP_RUN(test_one_page);
	test_masked();
	TAP_RUN(test_share);
	TAP_RUN(test_lines);
	test_bad_lines();
	test_kinds();
	test_values();
	test_texts();
	return tap_done();
}
