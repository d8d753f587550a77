/*
 * Budgets from both sides: parts of a site that go on without anything new end, and normal sites of
 * 10^5 pages lose nothing. A small crawler drives them as a capture does: pages are taken in the
 * order in which they are found, links come from a function, content from another.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/rng.h"
#include "base/seen.h"
#include "crawl/traps.h"
#include "tap.h"

enum { BUDGET = TRAPS_BUDGET, LINKS_MAX = 256, URL_SIZE = 200 };

struct links {
	char list[LINKS_MAX][URL_SIZE];
	size_t count;
};

/* A site to be crawled: the links of a page and its text. */
struct site {
	const char *label;
	const char *start;
	void (*links)(const char *url, struct links *ret);
	void (*text)(const char *url, char out[1024]);
	size_t at_least, at_most; /* pages that are to be taken */
};

VEC_DECLARE(url_vec, char *);

struct crawl {
	const struct site *site;
	struct traps traps;
	struct seen seen;
	struct url_vec urls;  /* all that are known */
	struct url_vec queue; /* taken, in their order */
	struct buf text;
	size_t left_out;
};

static struct trap_levels levels_of(struct crawl *c, const char *text)
{
	struct trap_levels levels;
	struct trap_shape shape;
	struct url url;

	url_init(&url);
	if (url_parse(&url, slice_str(text), NULL, NULL) || trap_shape(&c->text, &url, &shape) ||
		traps_find(&c->traps, &shape, &levels))
		abort();
	url_release(&url);
	return levels;
}

static void find(struct crawl *c, const char *text, const struct trap_levels *from, bool worthy)
{
	uint32_t number = (uint32_t)c->urls.len;
	struct trap_levels l;
	unsigned full;
	bool is_free;

	if (seen_find(&c->seen, slice_str(text), NULL))
		return;
	l = levels_of(c, text);
	is_free = !from || (worthy && (l.list[0] == TRAPS_NO_LEVEL || l.list[0] != from->list[0]));
	if (seen_add(&c->seen, slice_str(text), number) || url_vec_push(&c->urls, strdup(text)))
		abort();
	if (is_free || traps_has_room(&c->traps, &l, &full)) {
		traps_take(&c->traps, &l, is_free);
		if (url_vec_push(&c->queue, c->urls.ptr[number]))
			abort();
		return;
	}
	c->left_out++;
	CHECK_INT(traps_defer(&c->traps, l.list[full], number), 0);
}

static void release(struct crawl *c, const struct trap_levels *from)
{
	uint32_t page;

	while (traps_next(&c->traps, from, &page)) {
		struct trap_levels l = levels_of(c, c->urls.ptr[page]);
		unsigned full;

		if (traps_has_room(&c->traps, &l, &full)) {
			traps_take(&c->traps, &l, false);
			c->left_out--;
			if (url_vec_push(&c->queue, c->urls.ptr[page]))
				abort();
		} else {
			CHECK_INT(traps_defer(&c->traps, l.list[full], page), 0);
		}
	}
}

static void visit(struct crawl *c, const char *url, struct gist *gist, struct links *links)
{
	struct trap_levels l = levels_of(c, url);
	char text[1024];
	bool is_new;

	if (traps_wants_look(&c->traps, &l)) {
		c->site->text(url, text);
		gist_reset(gist);
		CHECK_INT(gist_add_text(gist, slice_str(text), slice_str(url)), 0);
		CHECK_INT(traps_look(&c->traps, &l, gist, &is_new), 0);
	}
	links->count = 0;
	c->site->links(url, links);
	for (size_t i = 0; i < links->count; i++)
		find(c, links->list[i], &l, traps_is_worthy(&c->traps, &l));
	release(c, &l);
}

static size_t crawl(const struct site *site, size_t *ret_left_out)
{
	static struct links links;
	struct crawl c = {.site = site};
	struct gist gist = {0};
	size_t at;

	traps_init(&c.traps, BUDGET, (struct hash_key){1, 2});
	seen_init(&c.seen, (struct hash_key){3, 4});
	buf_init(&c.text, URL_MAX);
	find(&c, site->start, NULL, true);
	for (at = 0; at < c.queue.len && at < 3 * site->at_most + 1000; at++)
		visit(&c, c.queue.ptr[at], &gist, &links);
	*ret_left_out = c.left_out;
	for (size_t i = 0; i < c.urls.len; i++)
		free(c.urls.ptr[i]);
	url_vec_release(&c.urls);
	url_vec_release(&c.queue);
	gist_release(&gist);
	buf_release(&c.text);
	seen_release(&c.seen);
	traps_release(&c.traps);
	return at;
}

/* ---- sites ---- */

#define X "http://x.org"

static void add(struct links *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add(struct links *l, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	if (l->count < LINKS_MAX)
		(void)vsnprintf(l->list[l->count++], URL_SIZE, fmt, args);
	va_end(args);
}

static unsigned long number_in(const char *url)
{
	return strtoul(url + strcspn(url + strlen(X), "0123456789") + strlen(X), NULL, 10);
}

/* Words of which there are as many as numbers. */
static void words(unsigned long seed, int count, char *out, size_t size)
{
	struct rng rng;
	size_t at = 0;

	rng_init(&rng, seed);
	for (int i = 0; i < count && at + 10 < size; i++) {
		for (int k = 0; k < 8; k++)
			out[at++] = (char)('a' + (int)(rng_u64(&rng) % 26));
		out[at++] = ' ';
	}
	out[at] = '\0';
}

static const char FRAME[] = "Welcome to our site\nNavigation and imprint\n";

static void text_distinct(const char *url, char out[1024])
{
	char body[400];

	words(hash_bytes((struct hash_key){7, 8}, slice_str(url)), 30, body, sizeof body);
	(void)snprintf(out, 1024, "%s%s", FRAME, body);
}

static void text_empty(const char *url, char out[1024])
{
	(void)snprintf(out, 1024, "%sPage %lu of many\nnothing", FRAME, number_in(url));
}

static void text_months(const char *url, char out[1024])
{
	static const char *const NAMES[] = {"January", "May", "June", "August", "October"};

	(void)snprintf(out, 1024, "%sThe events of %s %lu\nThere are no events on that day", FRAME,
		NAMES[number_in(url) % 5], number_in(url));
}

/* One in three has content, as a forum where the others were deleted. */
static void text_third(const char *url, char out[1024])
{
	if (number_in(url) % 3)
		text_empty(url, out);
	else
		text_distinct(url, out);
}

/* Sanitizers find in a tenth of it what they can find. */
enum { NORMAL = TAP_SANITIZED ? 10000 : 100000 };

/* A chain: each leads to the next few, which nobody else links to. */
static void links_chain(const char *url, struct links *l)
{
	unsigned long n = number_in(url);

	for (unsigned long i = n + 1; i <= n + 3 && i < NORMAL; i++)
		add(l, X "/article/%lu", i);
}

static void links_query(const char *url, struct links *l)
{
	unsigned long n = number_in(url);

	for (unsigned long i = n + 1; i <= n + 3 && i < NORMAL; i++)
		add(l, X "/index.php?id=%lu", i);
}

/* Slugs, dates and categories, in lists of a hundred. */
static void links_blog(const char *url, struct links *l)
{
	unsigned long page = strstr(url, "/page/") ? number_in(url) : 0;

	if (strstr(url, "/post-"))
		return;
	for (unsigned long i = 0; i < 100; i++)
		add(l, X "/%lu/%02lu/post-%c%c-%lu.html", 2000 + page % 25, 1 + i % 12,
			(int)('a' + page % 26), (int)('a' + i % 26), page * 100 + i);
	if (page < NORMAL / 100 - 1)
		add(l, X "/page/%lu", page + 1);
}

/* Of all at once, from one page that shows nothing new. */
static void links_hub(const char *url, struct links *l)
{
	unsigned long n = strcmp(url, X "/") == 0 ? 0 : number_in(url);

	for (unsigned long i = 10 * n + 1; i <= 10 * n + 10 && i < NORMAL; i++)
		add(l, X "/item/%lu/view", i);
}

static void links_counter(const char *url, struct links *l)
{
	add(l, X "/item/%lu", number_in(url) + 1);
	add(l, X "/item/%lu", 2 * number_in(url));
}

static void links_calendar(const char *url, struct links *l)
{
	char *at;
	unsigned long year = strtoul(url + strlen(X "/calendar/"), &at, 10);
	unsigned long month = strtoul(at + 1, &at, 10);
	unsigned long day = strtoul(at + 1, NULL, 10);

	add(l, X "/calendar/%lu/%02lu/%02lu", year, month, day % 28 + 1);
	add(l, X "/calendar/%lu/%02lu/%02lu", year, month % 12 + 1, day);
	add(l, X "/calendar/%lu/%02lu/%02lu", year + 1, month, day);
}

/* Two shapes that lead to each other. */
static void links_in_turns(const char *url, struct links *l)
{
	unsigned long n = number_in(url);

	add(l, strstr(url, "/day/") ? X "/night/%lu" : X "/day/%lu", n + 1);
}

/* Any field with any value, one more each time. */
static void links_fields(const char *url, struct links *l)
{
	size_t len = strlen(url) < 120 ? strlen(url) : 120;

	for (int i = 0; i < 5; i++)
		add(l, "%.*s%c%c%d=%zu", (int)len, url, strchr(url, '?') ? '&' : '?', 'a' + i,
			(int)(len % 10), len);
}

static void links_random(const char *url, struct links *l)
{
	char name[64];

	words(hash_bytes((struct hash_key){9, 9}, slice_str(url)), 4, name, sizeof name);
	for (char *p = name; *p; p++)
		if (*p == ' ')
			*p = '/';
	add(l, X "/w/%s", name);
	add(l, X "/w/%s", name + 9);
}

static const struct site SITES[] = {
	/* Normal ones: all is taken. */
	{"100,000 articles, one after the other", X "/article/0", links_chain, text_distinct,
		NORMAL, NORMAL},
	{"100,000 articles by a query", X "/index.php?id=0", links_query, text_distinct, NORMAL,
		NORMAL},
	{"a blog of 100,000 posts", X "/", links_blog, text_distinct, NORMAL + NORMAL / 100,
		NORMAL + NORMAL / 100},
	{"100,000 items, ten at a time", X "/", links_hub, text_distinct, NORMAL, NORMAL},
	{"a forum, two thirds of it deleted", X "/article/0", links_chain, text_third, NORMAL,
		NORMAL},
	/* Endless ones. */
	{"a counter", X "/item/1", links_counter, text_empty, BUDGET / 2, BUDGET + 100},
	{"a calendar", X "/calendar/2000/01/01", links_calendar, text_months, BUDGET / 8,
		BUDGET / 2},
	{"day and night", X "/day/1", links_in_turns, text_empty, BUDGET / 4, 3 * BUDGET},
	{"parameters", X "/list", links_fields, text_empty, BUDGET / 4, 3 * BUDGET},
	{"random names of the same page", X "/w/", links_random, text_empty, BUDGET,
		25 * BUDGET + 200},
};

static void test_sites(void)
{
	for (size_t i = 0; i < ARRAY_LEN(SITES); i++) {
		size_t left_out, taken = crawl(&SITES[i], &left_out);

		tap_case("site: %s", SITES[i].label);
		tap_note("%zu taken, %zu left out", taken, left_out);
		CHECK(taken >= SITES[i].at_least && taken <= SITES[i].at_most);
		CHECK(left_out == 0 || SITES[i].at_least != SITES[i].at_most);
	}
}

/*
 * Pages of real sites, as their histories have them: even if nobody recommends any, and none is
 * ever looked at, none is left out.
 */
static void test_real_sites(void)
{
	static const char *const NAMES[] = {"kubernetes-website", "openbsd-www", "python-peps"};

	for (size_t i = 0; i < ARRAY_LEN(NAMES); i++) {
		struct crawl c = {0};
		char path[4096], line[4096];
		size_t left_out = 0;
		gzFile file;

		tap_case("pages of %s", NAMES[i]);
		(void)snprintf(
			path, sizeof path, "%s/data/histories/%s.tsv.gz", tap_srcdir(), NAMES[i]);
		traps_init(&c.traps, BUDGET, (struct hash_key){1, 2});
		seen_init(&c.seen, (struct hash_key){3, 4});
		buf_init(&c.text, URL_MAX);
		file = gzopen(path, "rb");
		CHECK(file != NULL);
		while (file && gzgets(file, line, sizeof line)) {
			char url[8192];
			struct trap_levels l;
			unsigned full;

			line[strcspn(line, "\n")] = '\0';
			(void)snprintf(url, sizeof url, X "/%s", strrchr(line, '\t') + 1);
			if (seen_add(&c.seen, slice_str(url), 0))
				continue;
			l = levels_of(&c, url);
			left_out += !traps_has_room(&c.traps, &l, &full);
			traps_take(&c.traps, &l, false);
		}
		tap_note("%zu pages, %zu left out", seen_count(&c.seen), left_out);
		CHECK(seen_count(&c.seen) > 500);
		CHECK_INT((int64_t)left_out, 0);
		if (file)
			(void)gzclose(file);
		buf_release(&c.text);
		seen_release(&c.seen);
		traps_release(&c.traps);
	}
}

/* A page that was put off is taken when the budget has grown, in the order of their coming. */
static void test_put_off(void)
{
	struct crawl c = {0};
	struct gist gist = {0};
	struct trap_levels l;
	char url[64], text[1024];
	uint32_t page, taken = 0;
	unsigned full;
	bool is_new;

	traps_init(&c.traps, 10, (struct hash_key){1, 2});
	buf_init(&c.text, URL_MAX);
	l = levels_of(&c, X "/n/1");
	for (uint32_t i = 0; i < 100; i++)
		if (traps_has_room(&c.traps, &l, &full)) {
			traps_take(&c.traps, &l, false);
			taken++;
		} else {
			CHECK_INT(full, TRAP_LEVEL_SHAPE);
			CHECK_INT(traps_defer(&c.traps, l.list[full], i), 0);
		}
	CHECK_INT(taken, 10);
	CHECK(!traps_next(&c.traps, &l, &page));
	CHECK(traps_wants_look(&c.traps, &l));
	text_distinct(X "/n/1", text);
	CHECK_INT(gist_add_text(&gist, slice_str(text), slice_str(X "/n/1")), 0);
	CHECK_INT(traps_look(&c.traps, &l, &gist, &is_new), 0);
	CHECK(is_new);
	for (uint32_t i = 0; i < TRAPS_PAY; i++) {
		CHECK(traps_next(&c.traps, &l, &page));
		CHECK_INT(page, 10 + i);
		traps_take(&c.traps, &l, false);
	}
	CHECK(!traps_next(&c.traps, &l, &page));
	/* The same once more is nothing new. */
	CHECK(traps_wants_look(&c.traps, &l));
	CHECK_INT(traps_look(&c.traps, &l, &gist, &is_new), 0);
	CHECK(!is_new && !traps_is_worthy(&c.traps, &l));
	CHECK(!traps_next(&c.traps, &l, &page));
	/* A redirect that leads on gives its place back. */
	traps_refund(&c.traps, &l);
	CHECK(traps_next(&c.traps, &l, &page));
	(void)snprintf(url, sizeof url, "%s", X "/other");
	l = levels_of(&c, url);
	CHECK_INT((int64_t)l.list[TRAP_LEVEL_SHAPE], (int64_t)TRAPS_NO_LEVEL);
	gist_release(&gist);
	buf_release(&c.text);
	traps_release(&c.traps);
}

/* A section is one of all its URLs, whichever came first. */
static void test_kinds(void)
{
	struct crawl c = {0};
	struct trap_levels session, plain;

	traps_init(&c.traps, 10, (struct hash_key){1, 2});
	buf_init(&c.text, URL_MAX);
	session = levels_of(&c, X "/shop/item?PHPSESSID=0123456789abcdef0123456789abcdef");
	plain = levels_of(&c, X "/shop/about");
	CHECK_INT(c.traps.levels.ptr[session.list[TRAP_LEVEL_SHAPE]].kind, TRAP_SESSION);
	CHECK_INT(session.list[TRAP_LEVEL_SECTION], plain.list[TRAP_LEVEL_SECTION]);
	CHECK_INT(c.traps.levels.ptr[plain.list[TRAP_LEVEL_SECTION]].kind, TRAP_PLAIN);
	buf_release(&c.text);
	traps_release(&c.traps);
}

/* However many shapes there are, memory has a bound. */
static void test_many_shapes(void)
{
	struct crawl c = {0};
	char url[64];

	traps_init(&c.traps, 10, (struct hash_key){1, 2});
	buf_init(&c.text, URL_MAX);
	for (unsigned i = 0; i < TRAPS_LEVELS_MAX + 1000; i++) {
		struct trap_levels l;

		(void)snprintf(url, sizeof url, X "/%c%c%c%c%c/1", 'a' + i % 26, 'a' + i / 26 % 26,
			'a' + i / 676 % 26, 'a' + i / 17576 % 26, 'a' + i / 456976 % 26);
		l = levels_of(&c, url);
		CHECK(l.list[TRAP_LEVEL_SECTION] != TRAPS_NO_LEVEL);
	}
	CHECK_INT((int64_t)c.traps.levels.len, TRAPS_LEVELS_MAX);
	buf_release(&c.text);
	traps_release(&c.traps);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_sites();
	test_real_sites();
	TAP_RUN(test_put_off);
	TAP_RUN(test_kinds);
	TAP_RUN(test_many_shapes);
	return tap_done();
}
