#include "base/slice.h"

#include "tap.h"

static void test_eq(void)
{
	CHECK(slice_eq(SLICE("page"), slice_str("page")));
	CHECK(!slice_eq(SLICE("page"), SLICE("pagE")));
	CHECK(!slice_eq(SLICE("page"), SLICE("pages")));
	CHECK(slice_eq((slice){NULL, 0}, SLICE("")));
	CHECK(slice_eq((slice){"a\0b", 3}, SLICE("a\0b")));
	CHECK(!slice_eq((slice){"a\0b", 3}, SLICE("a\0c")));
}

static void test_sub(void)
{
	static const struct {
		const char *label;
		size_t from, to;
		const char *want;
	} rows[] = {
		{"all", 0, 5, "sharp"},
		{"middle", 1, 3, "ha"},
		{"end beyond the slice", 3, 99, "rp"},
		{"start beyond the slice", 9, 99, ""},
		{"start behind the end", 3, 2, ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("sub: %s", rows[i].label);
		CHECK_SLICE(slice_sub(SLICE("sharp"), rows[i].from, rows[i].to),
			slice_str(rows[i].want));
	}
	tap_case("sub: of nothing");
	CHECK_INT((int64_t)slice_sub((slice){NULL, 0}, 0, 5).len, 0);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_eq);
	test_sub();
	return tap_done();
}
