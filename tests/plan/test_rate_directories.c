#include "plan/rate_estimate.h"

#include <stdio.h>

#include "tap.h"

static void test_tree(void)
{
	static const char *const PATHS[] = {
		"a.org/x", "a.org/news/1", "a.org/news/2", "b.org/", "x"};
	static const uint32_t CLASSES[] = {1, 2, 2, 3, 0}, PARENTS[] = {0, 0, 1, 0};
	struct directories d;

	CHECK_INT(directories_init(&d), 0);
	for (size_t i = 0; i < ARRAY_LEN(PATHS); i++)
		CHECK_INT(directories_add(&d, slice_str(PATHS[i])), 0);
	CHECK_INT((int64_t)d.parents.len, ARRAY_LEN(PARENTS));
	for (size_t i = 0; i < ARRAY_LEN(PARENTS); i++)
		CHECK_INT(d.parents.ptr[i], PARENTS[i]);
	for (size_t i = 0; i < ARRAY_LEN(CLASSES); i++)
		CHECK_INT(d.classes.ptr[i], CLASSES[i]);
	CHECK_INT(directories_find(&d, SLICE("a.org/news/new/9")), 2);
	CHECK_INT(directories_find(&d, SLICE("a.org/other/")), 1);
	CHECK_INT(directories_find(&d, SLICE("c.org/news/")), 0);
	directories_release(&d);
}

/* However many directories there are, classes are bounded. */
static void test_bounds(void)
{
	struct directories d;
	char path[64];

	CHECK_INT(directories_init(&d), 0);
	for (int i = 0; i < 2 * DIRECTORIES_MAX; i++) {
		(void)snprintf(path, sizeof path, "a.org/%d/x", i);
		if (!CHECK_INT(directories_add(&d, slice_str(path)), 0))
			break;
	}
	CHECK_INT((int64_t)d.parents.len, DIRECTORIES_MAX);
	CHECK_INT(d.classes.ptr[d.classes.len - 1], 1);
	directories_release(&d);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_tree);
	TAP_RUN(test_bounds);
	return tap_done();
}
