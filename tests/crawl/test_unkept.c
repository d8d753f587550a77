#include "crawl/discover.h"

#include "tap.h"

static void test_unkept(void)
{
	struct unkept u = {0};

	CHECK(unkept_keeps_outside(&u, 2));
	CHECK(unkept_keeps_outside(&u, 2));
	CHECK(!u.changed);
	CHECK(!unkept_keeps_outside(&u, 2));
	CHECK(u.changed);
	CHECK_INT(u.outside, 2);
	CHECK_INT(u.links[LEFT_OUT_SCOPE], 1);
	u.outside--; /* a page was taken after all: there is room for another */
	CHECK(unkept_keeps_outside(&u, 2));
	CHECK(!unkept_keeps_outside(&u, 0));
	CHECK_INT(u.links[LEFT_OUT_SCOPE], 2);
}

/* No links are no change: the catalog need not be told. */
static void test_change(void)
{
	struct unkept u = {0};

	unkept_add(&u, LEFT_OUT_LENGTH, 0);
	CHECK(!u.changed);
	unkept_add(&u, LEFT_OUT_LENGTH, 7);
	unkept_add(&u, LEFT_OUT_LENGTH, 0);
	CHECK(u.changed);
	CHECK_INT(u.links[LEFT_OUT_LENGTH], 7);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_unkept);
	TAP_RUN(test_change);
	return tap_done();
}
