#include "base/vec.h"

#include <stdint.h>

#include "tap.h"

struct point {
	double x, y;
	char tag;
};

VEC_DECLARE(point_vec, struct point);
VEC_DECLARE(id_vec, uint32_t);

static void test_push_and_pop(void)
{
	struct point_vec v = {0};

	for (int i = 0; i < 1000; i++)
		CHECK_INT(point_vec_push(&v, (struct point){i, -i, 'p'}), 0);
	CHECK_INT((int64_t)v.len, 1000);
	for (int i = 999; i >= 0; i--)
		if (!CHECK(point_vec_pop(&v).x == i))
			break;
	CHECK_INT((int64_t)v.len, 0);
	point_vec_release(&v);
	CHECK(v.ptr == NULL && v.cap == 0);
}

static void test_reserve(void)
{
	struct id_vec v = {0};
	uint32_t *ptr;

	CHECK_INT(id_vec_reserve(&v, 100), 0);
	ptr = v.ptr;
	for (uint32_t i = 0; i < 100; i++)
		CHECK_INT(id_vec_push(&v, i), 0);
	CHECK(v.ptr == ptr);
	CHECK_INT(id_vec_try_reserve(&v, SIZE_MAX), ERR_NOMEM);
	CHECK_INT(id_vec_try_reserve(&v, SIZE_MAX / 8), ERR_NOMEM);
	CHECK(v.ptr == ptr && v.len == 100);
	CHECK_INT(v.ptr[99], 99);
	id_vec_release(&v);
}

static void test_growth_is_geometric(void)
{
	struct id_vec v = {0};
	int moves = 0;

	for (uint32_t i = 0; i < 100000; i++) {
		size_t cap = v.cap;

		CHECK_INT(id_vec_push(&v, i), 0);
		moves += v.cap != cap;
	}
	CHECK(moves < 60);
	id_vec_release(&v);
}

static void test_grow_limits(void)
{
	static const struct {
		const char *label;
		size_t need, elem;
	} rows[] = {
		{"product overflows", SIZE_MAX / 2, 16},
		{"more bytes than a pointer difference", (size_t)PTRDIFF_MAX + 1, 1},
		{"largest count", SIZE_MAX, 1},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		size_t cap = 3;

		tap_case("grow: %s", rows[i].label);
		CHECK(vec_grow(NULL, &cap, rows[i].need, rows[i].elem) == NULL);
		CHECK_INT((int64_t)cap, 3);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_push_and_pop);
	TAP_RUN(test_reserve);
	TAP_RUN(test_growth_is_geometric);
	test_grow_limits();
	return tap_done();
}
