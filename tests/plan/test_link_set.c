#include "plan/link_set.h"

#include <stdio.h>

#include "tap.h"

static slice name(char out[64], int n)
{
	(void)snprintf(out, 64, "http://example.org/page/%d", n);
	return slice_str(out);
}

static struct link_set make(int from, int to)
{
	struct link_set s;
	char text[64];

	link_set_init(&s, (size_t)(to - from));
	for (int i = from; i < to; i++)
		link_set_add(&s, name(text, i));
	return s;
}

static bool adds(struct link_union *u, struct link_set s)
{
	bool is_new = false;

	CHECK_INT(link_union_add(u, link_set_sketch(&s), &is_new), 0);
	return is_new;
}

/* Only links that no look before had are new: HACS section II-B. */
static void test_union(void)
{
	struct link_union u = {0};

	CHECK(!adds(&u, make(0, 0)));
	CHECK(adds(&u, make(0, 40)));
	CHECK(!adds(&u, make(0, 40)));
	CHECK(!adds(&u, make(5, 20))); /* some are gone */
	CHECK(!adds(&u, make(0, 40))); /* and back again */
	CHECK(adds(&u, make(30, 300)));
	CHECK(!adds(&u, make(0, 300)));
	CHECK(!adds(&u, make(100, 120))); /* a smaller sketch */
	CHECK(adds(&u, make(1000, 3000)));
	link_union_release(&u);
}

/* One more link is rarely missed, and never seen where there is none. */
static void test_misses(void)
{
	enum { ROUNDS = 2000, LINKS = 100 };
	int missed = 0;

	for (int i = 0; i < ROUNDS; i++) {
		struct link_union u = {0};
		struct link_set first = make(i * 1000, i * 1000 + LINKS);
		struct link_set more = make(i * 1000, i * 1000 + LINKS + 1);

		CHECK(adds(&u, first));
		CHECK(!adds(&u, first));
		missed += !adds(&u, more);
		link_union_release(&u);
	}
	CHECK(missed < ROUNDS / 20);
}

static void test_bounds(void)
{
	static const char BYTES[2 * LINK_SET_SIZE_MAX] = {0};
	struct link_set s = make(0, 100000);

	CHECK_INT((int64_t)s.size, LINK_SET_SIZE_MAX);
	CHECK(link_set_is_sketch(link_set_sketch(&s)));
	CHECK(link_set_is_sketch((slice){BYTES, LINK_SET_SIZE_MIN}));
	CHECK(!link_set_is_sketch((slice){0}));
	CHECK(!link_set_is_sketch((slice){BYTES, 4}));
	CHECK(!link_set_is_sketch((slice){BYTES, 24}));
	CHECK(!link_set_is_sketch((slice){BYTES, sizeof BYTES}));
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_union);
	TAP_RUN(test_misses);
	TAP_RUN(test_bounds);
	return tap_done();
}
