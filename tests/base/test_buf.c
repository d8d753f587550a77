#include "base/buf.h"

#include <stdint.h>

#include "base/err.h"
#include "tap.h"

static void test_adding(void)
{
	struct buf b;

	buf_init(&b, 1000);
	CHECK_STR(buf_str(&b), "");
	CHECK_INT(buf_add_str(&b, "still"), 0);
	CHECK_INT(buf_add_char(&b, '-'), 0);
	CHECK_INT(buf_add(&b, SLICE("point")), 0);
	CHECK_INT(buf_printf(&b, " %d%s", 7, "!"), 0);
	CHECK_STR(buf_str(&b), "still-point 7!");
	CHECK_INT((int64_t)b.len, 14);
	buf_truncate(&b, 5);
	CHECK_STR(buf_str(&b), "still");
	CHECK_INT((int64_t)b.len, 5);
	buf_reset(&b);
	CHECK_STR(buf_str(&b), "");
	CHECK_INT(buf_add(&b, (slice){NULL, 0}), 0);
	CHECK_STR(buf_str(&b), "");
	buf_release(&b);
	buf_release(&b);
}

static void test_growth_keeps_content(void)
{
	struct buf b;

	buf_init(&b, SIZE_MAX - 1);
	for (int i = 0; i < 10000; i++)
		CHECK_INT(buf_add_char(&b, (char)('a' + i % 26)), 0);
	CHECK_INT((int64_t)b.len, 10000);
	for (int i = 0; i < 10000; i++)
		if (!CHECK_INT(b.ptr[i], 'a' + i % 26))
			break;
	CHECK_INT(b.ptr[b.len], '\0');
	buf_release(&b);
}

static void test_maximum(void)
{
	static const struct {
		const char *label;
		size_t max, fill, more;
		int want;
	} rows[] = {
		{"up to the maximum", 100, 90, 10, 0},
		{"one byte over", 100, 90, 11, ERR_LIMIT},
		{"first piece too large", 10, 0, 11, ERR_LIMIT},
		{"far below the first memory", 10, 5, 6, ERR_LIMIT},
		{"that much and no more", 10, 5, 5, 0},
		{"sum would overflow", 100, 90, SIZE_MAX, ERR_LIMIT},
		{"nothing allowed", 0, 0, 1, ERR_LIMIT},
		{"nothing of nothing", 0, 0, 0, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct buf b;

		tap_case("maximum: %s", rows[i].label);
		buf_init(&b, rows[i].max);
		for (size_t n = 0; n < rows[i].fill; n++)
			CHECK_INT(buf_add_char(&b, 'x'), 0);
		CHECK_INT(buf_reserve(&b, rows[i].more), rows[i].want);
		CHECK_INT((int64_t)b.len, (int64_t)rows[i].fill);
		buf_release(&b);
	}
}

static void test_failed_printf_leaves_content(void)
{
	struct buf b;

	buf_init(&b, 5);
	CHECK_INT(buf_add_str(&b, "abc"), 0);
	CHECK_INT(buf_printf(&b, "%d", 1000), ERR_LIMIT);
	CHECK_STR(buf_str(&b), "abc");
	buf_release(&b);
}

static void test_first_error_is_kept(void)
{
	struct buf b;

	buf_init(&b, 5);
	(void)buf_add_str(&b, "abc");
	(void)buf_add_str(&b, "too long");
	CHECK_INT(b.error, ERR_LIMIT);
	CHECK_INT(buf_add_char(&b, 'd'), ERR_LIMIT);
	CHECK_STR(buf_str(&b), "abc");
	buf_truncate(&b, 1);
	CHECK_INT(b.error, 0);
	CHECK_INT(buf_add_char(&b, 'd'), 0);
	CHECK_STR(buf_str(&b), "ad");
	CHECK_INT(buf_printf(&b, "%d", 10000), ERR_LIMIT);
	buf_reset(&b);
	CHECK_INT(buf_add_str(&b, "12345"), 0);
	buf_release(&b);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_adding);
	TAP_RUN(test_growth_keeps_content);
	test_maximum();
	TAP_RUN(test_failed_printf_leaves_content);
	TAP_RUN(test_first_error_is_kept);
	return tap_done();
}
