#include "crawl/requests.h"

#include <string.h>

#include "tap.h"

static size_t take(struct requests *q, enum request_kind kind, const char *url)
{
	size_t place = SIZE_MAX;
	int rc = requests_take(
		q, &(struct request){.kind = kind, .url = url ? strdup(url) : NULL}, &place);

	CHECK_INT(rc, 0);
	return place;
}

/* Places are used again, the last one that became free first; the table does not grow. */
static void test_places(void)
{
	struct requests q;

	requests_init(&q);
	CHECK_INT(take(&q, REQUEST_PAGE, NULL), 0);
	CHECK_INT(take(&q, REQUEST_ROBOTS, "http://a/robots.txt"), 1);
	CHECK_INT(take(&q, REQUEST_PAGE, NULL), 2);
	requests_free(&q, 0);
	requests_free(&q, 1);
	CHECK_INT(take(&q, REQUEST_SITEMAP, "http://a/s.xml"), 1);
	CHECK_INT(take(&q, REQUEST_PROBE, "http://a/none"), 0);
	CHECK_INT(take(&q, REQUEST_PAGE, NULL), 3);
	CHECK_INT(q.list.len, 4);
	CHECK_STR(q.list.ptr[1].url, "http://a/s.xml");
	CHECK_INT(q.list.ptr[1].next_free, 0);
	requests_release(&q); /* frees the URLs: ASan would tell */
	CHECK_INT(q.list.len, 0);
	requests_release(&q);
}

static void test_find(void)
{
	struct requests q;
	size_t place = 0;

	requests_init(&q);
	CHECK_INT(take(&q, REQUEST_ROBOTS, "http://a/robots.txt"), 0);
	CHECK(!requests_find(&q, 0, &place));
	for (uint32_t page = 0; page < 3; page++)
		CHECK_INT(requests_take(&q,
				  &(struct request){.order = {.page = page, .attempt = 1}}, &place),
			0);
	CHECK(requests_find(&q, 2, &place) && place == 3);
	requests_free(&q, 1);
	CHECK(!requests_find(&q, 0, &place));
	requests_release(&q);
}

/* All kinds but pages count as not part of the plan, as long as they are in the table. */
static void test_unplanned(void)
{
	static const struct {
		const char *label;
		enum request_kind kind;
		size_t unplanned;
	} ROWS[] = {
		{"page", REQUEST_PAGE, 0},
		{"robots.txt", REQUEST_ROBOTS, 1},
		{"sitemap", REQUEST_SITEMAP, 1},
		{"probe", REQUEST_PROBE, 1},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct requests q;
		size_t place;

		tap_case("not part of the plan: %s", ROWS[i].label);
		requests_init(&q);
		place = take(&q, ROWS[i].kind, "http://a/");
		CHECK_INT(q.unplanned, ROWS[i].unplanned);
		requests_free(&q, place);
		CHECK_INT(q.unplanned, 0);
		requests_release(&q);
	}
}

static void test_tags(void)
{
	uint64_t tag = request_tag(UINT32_MAX, 7);

	CHECK_INT(request_tag_slot(tag), UINT32_MAX);
	CHECK_INT(request_tag_place(tag), 7);
	CHECK_INT(request_tag_slot(request_tag(3, UINT32_MAX)), 3);
	CHECK_INT(request_tag(0, 12), 12);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_places);
	TAP_RUN(test_find);
	test_unplanned();
	TAP_RUN(test_tags);
	return tap_done();
}
