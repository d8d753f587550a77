/* The pages of a capture: numbers, kinds, visits. */
#include <stdio.h>
#include <string.h>

#include "crawl/pages.h"
#include "formats/links.h"
#include "formats/url.h"
#include "tap.h"

enum { MANY = 50000 }; /* more than memory is meant for */

static int add(struct pages *p, slice url, const struct crawl_page *page, uint32_t *ret)
{
	struct page_prior prior = {.survival = survival_poisson((double)url.len), .weight = 2};
	struct err err = {0};

	return pages_add(p, url, &prior, page, ret, &err);
}

static bool has_url(const struct pages *p, uint32_t number, slice want)
{
	struct err err = {0};
	struct buf text;
	bool same;

	buf_init(&text, URL_MAX);
	same = pages_url(p, number, &text, &err) == 0 && slice_eq(buf_slice(&text), want);
	buf_release(&text);
	return same;
}

static void test_numbers(void)
{
	struct seen_budget budget = {.max = 1 << 20};
	struct spill_pool pool;
	struct pages p;
	struct page_prior prior = {0};
	struct err err = {0};
	uint32_t number;
	bool same = true;

	spill_pool_init(&pool, "/tmp");
	pages_init(&p, &pool, &budget);
	for (uint32_t i = 0; i < MANY; i++) {
		char url[128];
		int len = snprintf(url, sizeof url, "http://a/%090u", i);
		struct crawl_page page = {.via = i, .taken = i % 2};

		if (!CHECK_INT(add(&p, (slice){url, (size_t)len}, &page, &number), 0))
			break;
		same = same && number == i && has_url(&p, i, (slice){url, (size_t)len});
	}
	CHECK(same);
	CHECK_INT((int64_t)p.taken, MANY / 2);
	CHECK_INT(add(&p, SLICE("http://a/b"), &(struct crawl_page){.via = 7}, &number), 0);
	CHECK(pages_find(&p, SLICE("http://a/b"), &number) && number == MANY);
	CHECK(has_url(&p, number, SLICE("http://a/b")));
	CHECK_INT(p.list.ptr[number].via, 7);
	CHECK_INT(pages_prior(&p, number, &prior, &err), 0);
	CHECK_NEAR(prior.survival.rate, 10, 0);
	CHECK_NEAR((double)prior.weight, 2, 0);
	CHECK(!pages_find(&p, SLICE("http://a/c"), &number));
	pages_release(&p);
	spill_pool_release(&pool);
}

/* As long as URLs may be, and between shorter ones. */
static void test_long(void)
{
	static char text[URL_MAX];
	static const size_t LENGTHS[] = {1, 231, 232, 233, 1000, URL_MAX};
	struct seen_budget budget = {.max = 1 << 20};
	struct spill_pool pool;
	struct pages p;
	uint32_t number;

	memset(text, 'u', sizeof text);
	spill_pool_init(&pool, "/tmp");
	pages_init(&p, &pool, &budget);
	for (uint32_t i = 0; i < ARRAY_LEN(LENGTHS); i++)
		CHECK_INT(add(&p, (slice){text, LENGTHS[i]}, &(struct crawl_page){0}, &number), 0);
	for (uint32_t i = 0; i < ARRAY_LEN(LENGTHS); i++)
		CHECK(has_url(&p, i, (slice){text, LENGTHS[i]}));
	pages_release(&p);
	spill_pool_release(&pool);
}

/* A page's identity is its URL. */
static void test_identity(void)
{
	static const char *const URLS[] = {"http://x/", "https://x/", "https://www.x/",
		"http://x/A", "http://x/a", "http://x/a/", "http://x/a?", "http://x:8080/"};
	struct seen_budget budget = {.max = 1 << 20};
	struct spill_pool pool;
	struct pages p;
	uint32_t number;

	spill_pool_init(&pool, "/tmp");
	pages_init(&p, &pool, &budget);
	for (size_t i = 0; i < ARRAY_LEN(URLS); i++) {
		CHECK(!pages_find(&p, slice_str(URLS[i]), &number));
		CHECK_INT(add(&p, slice_str(URLS[i]), &(struct crawl_page){0}, &number), 0);
	}
	for (uint32_t i = 0; i < ARRAY_LEN(URLS); i++)
		CHECK(pages_find(&p, slice_str(URLS[i]), &number) && number == i);
	CHECK_INT(add(&p, SLICE("http://x/"), &(struct crawl_page){0}, &number), ERR_EXISTS);
	pages_release(&p);
	spill_pool_release(&pool);
}

static void test_visit(void)
{
	struct page_visit first = {.date = 1, .end = 2}, again = {.date = 3, .end = 4}, got;
	struct seen_budget budget = {.max = 1 << 20};
	struct spill_pool pool;
	struct pages p;
	struct err err = {0};
	uint32_t a = 0, b = 0;

	spill_pool_init(&pool, "/tmp");
	pages_init(&p, &pool, &budget);
	CHECK_INT(add(&p, SLICE("http://a/"), &(struct crawl_page){0}, &a), 0);
	CHECK_INT(add(&p, SLICE("http://b/"), &(struct crawl_page){0}, &b), 0);
	CHECK_INT(pages_set_visit(&p, b, &first, &err), 0);
	CHECK(p.list.ptr[b].visited && !p.list.ptr[a].visited);
	CHECK_INT(pages_set_visit(&p, b, &again, &err), 0);
	CHECK_INT(pages_visit(&p, b, &got, &err), 0);
	CHECK(got.date == 3 && got.end == 4);
	pages_release(&p);
	spill_pool_release(&pool);
}

/* What the counter of sharp pages and the reading of links go by: as the verdicts (verdict.h). */
static void test_same(void)
{
	static const struct digest A = {DIGEST_SHA256, {1}}, B = {DIGEST_SHA256, {2}};
	static const struct {
		const char *label;
		struct page_visit visit;
		struct attempt attempt;
		bool same;
	} rows[] = {
		{"equal states", {.key = {.state = {DIGEST_SHA256, {1}}}}, {.has_state = true},
			true},
		{"other states", {.key = {.state = {DIGEST_SHA256, {2}}}}, {.has_state = true},
			false},
		{"a look without a state", {.key = {.state = {DIGEST_SHA256, {1}}}},
			{.has_state = false}, false},
		{"of the visit's class", {.key = {.state = {DIGEST_SHA256, {2}}}},
			{.has_state = true, .has_class = true}, true},
		{"of one class", {.key = {.has_class = true, .state = {DIGEST_SHA256, {3}}}},
			{.has_state = true, .has_class = true}, true},
		{"only the visit has a class",
			{.key = {.has_class = true, .state = {DIGEST_SHA256, {3}}}},
			{.has_state = true}, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct page_visit visit = rows[i].visit;
		struct attempt a = rows[i].attempt;

		tap_case("same: %s", rows[i].label);
		a.status = 200;
		a.state = A;
		a.class = visit.key.class = B;
		visit.key.has_state = true;
		CHECK_INT(page_visit_is_same(&visit, &a), rows[i].same);
	}
}

static void test_kinds(void)
{
	for (int k = 0; k < LINK_KIND_COUNT; k++)
		CHECK_INT(page_kind_of_name(slice_str(link_kind_name((enum link_kind)k))), k);
	CHECK_INT(page_kind_of_name(SLICE("hologram")), LINK_PAGE);
	CHECK(page_kind_is_requisite(LINK_STYLE) && page_kind_is_requisite(LINK_FRAME));
	CHECK(!page_kind_is_requisite(LINK_PAGE));
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_numbers);
	TAP_RUN(test_long);
	TAP_RUN(test_identity);
	TAP_RUN(test_visit);
	test_same();
	TAP_RUN(test_kinds);
	return tap_done();
}
