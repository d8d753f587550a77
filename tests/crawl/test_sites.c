/* Which seeds make one site. */
#include "crawl/seeds.h"

#include "tap.h"

static void add(struct sites *s, const char *text)
{
	struct url url;

	url_init(&url);
	CHECK_INT(url_parse(&url, slice_str(text), NULL, NULL), 0);
	CHECK_INT(sites_add(s, &url), 0);
	url_release(&url);
}

static const char *const SEEDS[] = {
	"http://a.example.org/",
	"https://a.example.org/x#y", /* the same server: http/80 and https/443 */
	"http://b.example.org/",
	"http://a.example.org:8080/",
	"http://127.0.0.1/",
	"http://127.0.0.1:80/z",
	"http://example.net/",
	"http://localhost/",
};

struct row {
	const char *label;
	enum scope_kind scope;
	size_t sites;
	size_t seeds[8]; /* of each */
};

static void check(const struct row *row)
{
	struct crawl_settings common;
	struct arena arena;
	struct sites s;

	crawl_settings_init(&common);
	common.scope = row->scope;
	common.delay = 7;
	arena_init(&arena, 1 << 20);
	sites_init(&s, &common, &arena);
	for (size_t i = 0; i < ARRAY_LEN(SEEDS); i++)
		add(&s, SEEDS[i]);
	CHECK_INT((int64_t)s.list.len, (int64_t)row->sites);
	for (size_t i = 0; i < s.list.len; i++) {
		CHECK_INT((int64_t)s.list.ptr[i].seeds.len, (int64_t)row->seeds[i]);
		CHECK_NEAR(s.list.ptr[i].delay, 7, 0);
	}
	CHECK_STR(s.list.ptr[0].seeds.ptr[1], "https://a.example.org/x");
	sites_release(&s);
	arena_release(&arena);
}

/* Each entry of a configuration makes sites of its own, also of a server that is there already. */
static void test_entries(void)
{
	struct crawl_settings first, second;
	struct arena arena;
	struct sites s;

	crawl_settings_init(&first);
	crawl_settings_init(&second);
	second.delay = 3;
	arena_init(&arena, 1 << 20);
	sites_init(&s, &first, &arena);
	add(&s, "http://a.example.org/");
	sites_begin(&s, &second);
	add(&s, "http://a.example.org/news/");
	add(&s, "http://a.example.org/sport/");
	CHECK_INT((int64_t)s.list.len, 2);
	CHECK_INT((int64_t)s.list.ptr[1].seeds.len, 2);
	CHECK_NEAR(s.list.ptr[0].delay, CRAWL_DELAY_AUTO, 0);
	CHECK_NEAR(s.list.ptr[1].delay, 3, 0);
	sites_release(&s);
	arena_release(&arena);
}

int main(int argc, char **argv)
{
	static const struct row ROWS[] = {
		{"host", SCOPE_HOST, 6, {2, 1, 1, 2, 1, 1}},
		{"page", SCOPE_PAGE, 6, {2, 1, 1, 2, 1, 1}},
		{"domain", SCOPE_DOMAIN, 4, {4, 2, 1, 1}},
	};

	tap_init(argc, argv);
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		tap_case("sites by %s", ROWS[i].label);
		check(&ROWS[i]);
	}
	TAP_RUN(test_entries);
	return tap_done();
}
