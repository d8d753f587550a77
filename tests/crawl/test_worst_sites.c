#include "crawl/crawl.h"

#include <stdio.h>
#include <string.h>

#include "tap.h"

static struct site_progress site(const char *name, size_t done, size_t failed, size_t left)
{
	struct site_progress s = {.done = done, .failed = failed, .left = left};

	(void)snprintf(s.site, sizeof s.site, "%s", name);
	return s;
}

/* Those that fail go first, then those that take longest, whatever the order they come in. */
static void test_order(void)
{
	static const char *const WANT[] = {"bad-long", "bad-short", "e", "d", "c"};
	const struct site_progress all[] = {site("a", 10, 0, 1), site("c", 10, 5, 30),
		site("bad-short", 10, 6, 1), site("e", 0, 0, 90), site("b", 10, 0, 2),
		site("bad-long", 1, 1, 50), site("d", 10, 0, 40)};
	size_t count = ARRAY_LEN(all);

	for (size_t first = 0; first < count; first++) {
		struct worst_sites w = {0};

		for (size_t i = 0; i < count; i++)
			worst_sites_add(&w, &all[(first + i) % count]);
		CHECK_INT(w.len, WORST_SITES_MAX);
		for (size_t i = 0; i < ARRAY_LEN(WANT); i++)
			CHECK_STR(w.list[i].site, WANT[i]);
	}
}

static void test_few(void)
{
	struct site_progress one = site("a", 0, 0, 1);
	struct worst_sites w = {0};

	worst_sites_add(&w, &one);
	CHECK_INT(w.len, 1);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_order);
	TAP_RUN(test_few);
	return tap_done();
}
