#include "crawl/rules.h"

#include <stdio.h>

#include "formats/robots.h"
#include "tap.h"

static void add(struct catalog *c, uint32_t capture, const char *origin, enum robots_policy policy,
	int64_t fetched, const char *body)
{
	struct err err = {0};

	CHECK_INT(catalog_put(c, CATALOG_ROW_ADD_ROBOTS, capture,
			  &(struct catalog_robots){.origin = slice_str(origin),
				  .policy = (uint8_t)policy,
				  .fetched = fetched,
				  .body = slice_str(body)},
			  &err),
		0);
}

static void check(
	const struct robots_history *m, const char *origin, const char *body, int64_t unreachable)
{
	const struct earlier_robots *r = robots_history_find(m, slice_str(origin));

	CHECK(r != NULL);
	if (!r)
		return;
	CHECK_INT(r->body != NULL, body != NULL);
	if (body && r->body)
		CHECK_SLICE(((slice){r->body, r->len}), slice_str(body));
	CHECK_INT(r->unreachable, unreachable);
}

/* What came last counts; of what could not be had, when that began. */
static void test_history(void)
{
	struct robots_history m = {0};
	struct catalog *c = NULL;
	struct err err = {0};
	char path[512];

	(void)snprintf(path, sizeof path, "%s/catalog.sqlite", tap_tempdir());
	CHECK_INT(catalog_open(path, CATALOG_CREATE, &c, &err), 0);
	add(c, 1, "http://a:80", ROBOTS_PARSE, 1, "old");
	add(c, 1, "http://a:80", ROBOTS_PARSE, 2, "new");
	add(c, 1, "http://b:80", ROBOTS_DISALLOW_ALL, 3, "");
	add(c, 2, "http://b:80", ROBOTS_DISALLOW_ALL, 4, "");
	add(c, 1, "http://c:80", ROBOTS_PARSE, 5, "gone");
	add(c, 2, "http://c:80", ROBOTS_ALLOW_ALL, 6, "");
	add(c, 1, "http://d:80", ROBOTS_PARSE, 7, "kept");
	add(c, 2, "http://d:80", ROBOTS_DISALLOW_ALL, 8, "");
	add(c, 1, "http://e:80", ROBOTS_DISALLOW_ALL, 9, "");
	add(c, 2, "http://e:80", ROBOTS_PARSE, 10, "");
	add(c, 3, "http://f:80", ROBOTS_PARSE, 11, "of the capture itself");
	CHECK_INT(robots_history_load(&m, c, 3, &err), 0);
	check(&m, "http://a:80", "new", 0);
	check(&m, "http://b:80", NULL, 3);
	check(&m, "http://c:80", NULL, 0);
	check(&m, "http://d:80", "kept", 8);
	check(&m, "http://e:80", "", 0); /* an empty robots.txt is one */
	CHECK(!robots_history_find(&m, SLICE("http://f:80")));
	CHECK(!robots_history_find(&m, SLICE("http://g:80")));
	robots_history_release(&m);
	CHECK(!robots_history_find(&m, SLICE("http://a:80")));
	catalog_close(c);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_history);
	return tap_done();
}
