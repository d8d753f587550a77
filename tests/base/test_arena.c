#include "base/arena.h"

#include <stdint.h>

#include "tap.h"

static void test_pieces_are_aligned_and_apart(void)
{
	static const size_t aligns[] = {1, 2, 4, 8, 16};
	unsigned char *pieces[1000];
	struct arena a;

	arena_init(&a, 1 << 20);
	for (size_t i = 0; i < ARRAY_LEN(pieces); i++) {
		size_t align = aligns[i % ARRAY_LEN(aligns)];

		pieces[i] = arena_alloc(&a, i % 37 + 1, align);
		CHECK(pieces[i] != NULL);
		if (!pieces[i])
			return;
		CHECK_INT((int64_t)((uintptr_t)pieces[i] % align), 0);
		memset(pieces[i], (int)(i & 0xff), i % 37 + 1);
	}
	for (size_t i = 0; i < ARRAY_LEN(pieces); i++)
		for (size_t k = 0; k < i % 37 + 1; k++)
			if (!CHECK_INT(pieces[i][k], (int64_t)(i & 0xff)))
				break;
	arena_release(&a);
}

static void test_maximum(void)
{
	static const struct {
		const char *label;
		size_t max, first, second;
		bool want_first, want_second;
	} rows[] = {
		{"fits exactly", 100, 60, 40, true, true},
		{"second is one too many", 100, 60, 41, true, false},
		{"first is too large", 100, 101, 10, false, true},
		{"larger than a chunk", 10 << 20, 5 << 20, 5 << 20, true, true},
		{"size near SIZE_MAX", SIZE_MAX, SIZE_MAX, SIZE_MAX - 8, false, false},
		{"nothing allowed", 0, 1, 0, false, true},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct arena a;

		tap_case("maximum: %s", rows[i].label);
		arena_init(&a, rows[i].max);
		CHECK_INT(arena_alloc(&a, rows[i].first, 1) != NULL, rows[i].want_first);
		CHECK_INT(arena_alloc(&a, rows[i].second, 1) != NULL, rows[i].want_second);
		CHECK(a.held <= a.max);
		arena_release(&a);
	}
}

static void test_many_pieces_up_to_the_maximum(void)
{
	struct arena a;
	int n = 0;

	arena_init(&a, 10000);
	while (n < 1000 && arena_alloc(&a, 100, 1))
		n++;
	CHECK(n >= 98 && n <= 100); /* chunks may end in a useless rest */
	CHECK(a.held <= 10000);
	arena_release(&a);
}

static void test_zalloc_after_reset_is_zero(void)
{
	struct arena a;
	char *dirty, *clean;

	arena_init(&a, 1 << 20);
	dirty = arena_alloc(&a, 64, 8);
	if (CHECK(dirty != NULL))
		memset(dirty, 0xff, 64);
	arena_reset(&a);
	clean = arena_zalloc(&a, 64, 8);
	CHECK(clean == dirty); /* or it would prove nothing */
	for (int i = 0; clean && i < 64; i++)
		CHECK_INT(clean[i], 0);
	arena_release(&a);
}

static void test_reset_gives_memory_back(void)
{
	struct arena a;

	arena_init(&a, 64 << 10);
	for (int round = 0; round < 100; round++) {
		for (int i = 0; i < 40; i++)
			CHECK(arena_alloc(&a, 1000, 1) != NULL);
		arena_reset(&a);
	}
	CHECK(a.held > 0);
	arena_release(&a);
	CHECK_INT((int64_t)a.held, 0);
	arena_reset(&a);
	arena_release(&a);
}

static void test_array_overflow(void)
{
	struct arena a;
	uint64_t *array;

	arena_init(&a, SIZE_MAX);
	CHECK(!arena_array(&a, SIZE_MAX / 4, 8, 8));
	array = ARENA_ARRAY(&a, uint64_t, 10);
	for (int i = 0; array && i < 10; i++)
		CHECK_INT((int64_t)array[i], 0);
	CHECK(ARENA_NEW(&a, struct arena) != NULL);
	arena_release(&a);
}

static void test_strdup(void)
{
	struct arena a;
	char *copy;

	arena_init(&a, 1000);
	copy = arena_strdup(&a, slice_sub(SLICE("still point"), 0, 5));
	CHECK_STR(copy, "still");
	CHECK_STR(arena_strdup(&a, (slice){NULL, 0}), "");
	arena_release(&a);
}

/* The forms that never return NULL count the maximum and go beyond it. */
static void test_full(void)
{
	struct arena a;
	uint64_t *numbers;

	arena_init_small(&a, 1000);
	CHECK(!arena_full(&a));
	CHECK_STR(arena_str(&a, slice_sub(SLICE("still point"), 0, 5)), "still");
	CHECK_STR(arena_str(&a, (slice){NULL, 0}), "");
	CHECK(!arena_keep(&a, (slice){NULL, 0}).ptr);
	CHECK_INT((int64_t)arena_keep(&a, SLICE("a\0b")).len, 3);
	numbers = ARENA_NEED_ARRAY(&a, uint64_t, 20);
	for (int i = 0; i < 20; i++)
		CHECK_INT((int64_t)numbers[i], 0);
	CHECK_INT(*ARENA_NEED(&a, int), 0);
	CHECK(!arena_full(&a));
	memset(ARENA_NEED_ARRAY(&a, char, 2000), 1, 2000);
	CHECK(arena_full(&a));
	CHECK(!arena_alloc(&a, 300, 1));
	for (int i = 0; i < 1000; i++)
		memset(arena_need(&a, 30, 1), 1, 30);
	CHECK(a.held < 40000);
	CHECK(arena_full(&a));
	arena_reset(&a);
	CHECK(!arena_full(&a));
	arena_release(&a);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_pieces_are_aligned_and_apart);
	test_maximum();
	TAP_RUN(test_many_pieces_up_to_the_maximum);
	TAP_RUN(test_zalloc_after_reset_is_zero);
	TAP_RUN(test_reset_gives_memory_back);
	TAP_RUN(test_array_overflow);
	TAP_RUN(test_strdup);
	TAP_RUN(test_full);
	return tap_done();
}
