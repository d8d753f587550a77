#include "crawl/sitemaps.h"

#include <stdio.h>
#include <stdlib.h>

#include "tap.h"

static void wait_for(struct sitemap_list *l, uint32_t host, const char *url, uint8_t nesting)
{
	struct waiting_sitemap w = {.host = host, .nesting = nesting};

	sitemap_list_wait(l, slice_str(url), &w);
}

static void check_taken(struct sitemap_list *l, uint32_t host, const char *url, uint8_t nesting)
{
	struct waiting_sitemap w = {0};

	CHECK(sitemap_list_take(l, host, &w));
	CHECK_STR(w.url, url);
	CHECK_INT(w.nesting, nesting);
	free(w.url);
}

/* Those of one host come in their order; the others stay. */
static void test_waiting(void)
{
	struct waiting_sitemap w;
	struct sitemap_list l;

	sitemap_list_init(&l);
	wait_for(&l, 1, "http://a/1.xml", 0);
	wait_for(&l, 2, "http://b/1.xml", 3);
	wait_for(&l, 1, "http://a/2.xml", 2);
	wait_for(&l, 3, "http://c/1.xml", 0);
	CHECK(!sitemap_list_take(&l, 4, &w));
	check_taken(&l, 1, "http://a/1.xml", 0);
	check_taken(&l, 1, "http://a/2.xml", 2);
	CHECK(!sitemap_list_take(&l, 1, &w));
	check_taken(&l, 2, "http://b/1.xml", 3);
	sitemap_list_release(&l); /* frees the last */
}

static void test_once(void)
{
	struct sitemap_list l;

	sitemap_list_init(&l);
	CHECK_INT(sitemap_list_add(&l, SLICE("http://a/s.xml")), 0);
	CHECK_INT(sitemap_list_add(&l, SLICE("http://a/s.xml")), ERR_EXISTS);
	CHECK_INT(sitemap_list_add(&l, SLICE("http://a/t.xml")), 0);
	sitemap_list_release(&l);
}

static void test_limits(void)
{
	struct sitemap_list l;
	char url[64];

	sitemap_list_init(&l);
	for (int i = 0; i < SITEMAPS_MAX; i++) {
		CHECK(!sitemap_list_is_full(&l));
		(void)snprintf(url, sizeof url, "http://a/%d.xml", i);
		CHECK_INT(sitemap_list_add(&l, slice_str(url)), 0);
	}
	CHECK(sitemap_list_is_full(&l));
	for (int i = 0; i < SITEMAP_FOREIGN_HOSTS_MAX; i++)
		CHECK(sitemap_list_add_host(&l));
	CHECK(!sitemap_list_add_host(&l));
	sitemap_list_release(&l);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_waiting);
	TAP_RUN(test_once);
	TAP_RUN(test_limits);
	return tap_done();
}
