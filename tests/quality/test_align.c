/* Two lists side by side. Letters are elements; capitals are another kind than small letters. */
#include "quality/align.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/rng.h"
#include "tap.h"

enum { MAX = 1 << 16, RANDOM_MAX = 40, LARGE = 3000 };

struct row {
	const char *label, *a, *b;
	const char *want; /* "a=a" equal, "a|b" a pair that differs, "a<" and ">b" one side only */
};

static const struct row ROWS[] = {
	{"both empty", "", "", ""},
	{"equal", "ab", "ab", "a=a b=b "},
	{"one replaced", "abc", "axc", "a=a b|x c=c "},
	{"one more", "ac", "abc", "a=a >b c=c "},
	{"one less", "abc", "ac", "a=a b< c=c "},
	{"all new", "", "ab", ">a >b "},
	{"all gone", "ab", "", "a< b< "},
	{"nothing in common", "ab", "xy", "a|x b|y "},
	{"only the like beside the like", "aBc", "axBc", "a=a >x B=B c=c "},
	{"kinds that differ", "aBc", "axc", "a=a B< >x c=c "},
	{"moved to the end", "abc", "bca", "a< b=b c=c >a "},
	{"repeated elements", "xaxbx", "xbx", "x=x a< x< b=b x=x "},
};

static int fill(const char *text, struct align_items *out)
{
	int rc = 0;

	for (; rc == 0 && *text; text++)
		rc = align_items_push(
			out, (struct align_item){(uint64_t)*text, *text >= 'A' && *text <= 'Z'});
	return rc;
}

static void print(const struct row *row, struct align_row at, struct buf *out)
{
	char a = '\0', b = '\0';

	if (at.a != ALIGN_NONE)
		a = row->a[at.a];
	if (at.b != ALIGN_NONE)
		b = row->b[at.b];
	if (a && b)
		CHECK(buf_printf(out, "%c%c%c ", a, a == b ? '=' : '|', b) == 0);
	else if (a)
		CHECK(buf_printf(out, "%c< ", a) == 0);
	else
		CHECK(buf_printf(out, ">%c ", b) == 0);
}

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct align_items a = {0}, b = {0};
		struct align_rows rows = {0};
		struct buf got;

		tap_case("rows: %s", ROWS[i].label);
		buf_init(&got, MAX);
		CHECK(fill(ROWS[i].a, &a) == 0 && fill(ROWS[i].b, &b) == 0);
		CHECK_INT(align(&a, &b, &rows), 0);
		for (size_t k = 0; k < rows.len; k++)
			print(&ROWS[i], rows.ptr[k], &got);
		CHECK_STR(buf_str(&got), ROWS[i].want);
		buf_release(&got);
		align_items_release(&a);
		align_items_release(&b);
		align_rows_release(&rows);
	}
}

/* Every element once, each list in its order; returns the number of equal rows. */
static size_t check_complete(
	const struct align_items *a, const struct align_items *b, const struct align_rows *rows)
{
	uint32_t next_a = 0, next_b = 0;
	size_t equal = 0;

	for (size_t i = 0; i < rows->len; i++) {
		struct align_row at = rows->ptr[i];

		if (at.a != ALIGN_NONE)
			CHECK_INT(at.a, next_a++);
		if (at.b != ALIGN_NONE)
			CHECK_INT(at.b, next_b++);
		if (at.a != ALIGN_NONE && at.b != ALIGN_NONE)
			equal += a->ptr[at.a].key == b->ptr[at.b].key;
	}
	CHECK_INT((int64_t)next_a, (int64_t)a->len);
	CHECK_INT((int64_t)next_b, (int64_t)b->len);
	return equal;
}

static void test_random_lists_are_complete(void)
{
	struct rng rng;

	rng_init(&rng, 12);
	for (size_t round = 0; round < tap_rounds(2000); round++) {
		struct align_items a = {0}, b = {0};
		struct align_rows rows = {0};
		uint64_t len_a = rng_below(&rng, RANDOM_MAX), len_b = rng_below(&rng, RANDOM_MAX);

		for (uint64_t i = 0; i < len_a; i++)
			CHECK(align_items_push(&a, (struct align_item){rng_below(&rng, 6),
							   (uint32_t)rng_below(&rng, 2)}) == 0);
		for (uint64_t i = 0; i < len_b; i++)
			CHECK(align_items_push(&b, (struct align_item){rng_below(&rng, 6),
							   (uint32_t)rng_below(&rng, 2)}) == 0);
		CHECK_INT(align(&a, &b, &rows), 0);
		(void)check_complete(&a, &b, &rows);
		align_items_release(&a);
		align_items_release(&b);
		align_rows_release(&rows);
	}
}

/* Beyond ALIGN_CELLS_MAX: the first is another, and every hundredth; 300 come in between. */
static void test_large_lists(void)
{
	struct align_items a = {0}, b = {0};
	struct align_rows rows = {0};

	for (uint64_t i = 0; i < LARGE; i++) {
		CHECK(align_items_push(&a, (struct align_item){.key = i}) == 0);
		if (i == LARGE / 2)
			for (uint64_t k = 0; k < 300; k++)
				CHECK(align_items_push(
					      &b, (struct align_item){.key = 2 * LARGE + k}) == 0);
		CHECK(align_items_push(
			      &b, (struct align_item){.key = i % 100 ? i : i + 10 * LARGE}) == 0);
	}
	CHECK((uint64_t)a.len * b.len > ALIGN_CELLS_MAX);
	CHECK_INT(align(&a, &b, &rows), 0);
	CHECK_INT((int64_t)check_complete(&a, &b, &rows), LARGE - LARGE / 100);
	align_items_release(&a);
	align_items_release(&b);
	align_rows_release(&rows);
}

/* Nothing is there once: no anchor, and still an end. */
static void test_large_lists_without_anchors(void)
{
	struct align_items a = {0}, b = {0};
	struct align_rows rows = {0};

	for (uint64_t i = 0; i < LARGE; i++) {
		CHECK(align_items_push(&a, (struct align_item){.key = 1 + i % 3}) == 0);
		CHECK(align_items_push(&b, (struct align_item){.key = 2 + i % 3}) == 0);
	}
	CHECK_INT(align(&a, &b, &rows), 0);
	(void)check_complete(&a, &b, &rows);
	align_items_release(&a);
	align_items_release(&b);
	align_rows_release(&rows);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_rows();
	TAP_RUN(test_random_lists_are_complete);
	TAP_RUN(test_large_lists);
	TAP_RUN(test_large_lists_without_anchors);
	return tap_done();
}
