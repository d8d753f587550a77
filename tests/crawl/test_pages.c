/* The pages of a capture: numbers, kinds, visits. */
#include <stdio.h>

#include "crawl/pages.h"
#include "extract/link_kind.h"
#include "tap.h"

enum { MANY = 5000 };

static void test_numbers(void)
{
	struct pages p;
	uint32_t number;
	bool same = true;

	pages_init(&p);
	for (uint32_t i = 0; i < MANY; i++) {
		char url[64];
		int len = snprintf(url, sizeof url, "http://a/%u", i);
		struct crawl_page page = {.via = i, .taken = i % 2};

		if (!CHECK_INT(pages_add(&p, (slice){url, (size_t)len}, &page, &number), 0))
			break;
		same = same && number == i;
	}
	CHECK(same);
	CHECK_INT((int64_t)p.taken, MANY / 2);
	CHECK(pages_find(&p, SLICE("http://a/4711"), &number) && number == 4711);
	CHECK_STR(p.list.ptr[4711].url, "http://a/4711");
	CHECK_SLICE(crawl_page_url(&p.list.ptr[4711]), SLICE("http://a/4711"));
	CHECK_INT(p.list.ptr[4711].via, 4711);
	CHECK(!pages_find(&p, SLICE("http://a/5000"), &number));
	pages_release(&p);
}

/* A page's identity is its URL. */
static void test_identity(void)
{
	static const char *const URLS[] = {"http://x/", "https://x/", "https://www.x/",
		"http://x/A", "http://x/a", "http://x/a/", "http://x/a?", "http://x:8080/"};
	struct pages p;
	uint32_t number;

	pages_init(&p);
	for (size_t i = 0; i < ARRAY_LEN(URLS); i++) {
		CHECK(!pages_find(&p, slice_str(URLS[i]), &number));
		CHECK_INT(pages_add(&p, slice_str(URLS[i]), &(struct crawl_page){0}, &number), 0);
	}
	for (uint32_t i = 0; i < ARRAY_LEN(URLS); i++)
		CHECK(pages_find(&p, slice_str(URLS[i]), &number) && number == i);
	pages_release(&p);
}

static void test_visit(void)
{
	struct pages p;
	struct page_visit *visit;
	uint32_t number = 0;

	pages_init(&p);
	CHECK_INT(pages_add(&p, SLICE("http://a/"), &(struct crawl_page){0}, &number), 0);
	CHECK(p.list.ptr[number].visit == NULL);
	visit = pages_visit(&p, number);
	CHECK(visit != NULL && p.list.ptr[number].visit == visit);
	CHECK(pages_visit(&p, number) == visit); /* a retry fills the same */
	pages_release(&p);
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
	TAP_RUN(test_identity);
	TAP_RUN(test_visit);
	TAP_RUN(test_kinds);
	return tap_done();
}
