/* Links in few bytes: back and forth, and bytes that are no links. */
#include <string.h>

#include "base/rng.h"
#include "plan/rank_graph.h"
#include "tap.h"

enum { ROUNDS = 300, LINKS_MAX = 200, PACKED_MAX = 1 << 20 };

static void fill(struct u32_vec *v, const uint32_t *from, size_t n)
{
	v->len = 0;
	CHECK_INT(u32_vec_add(v, from, n), 0);
}

static void check_same(const struct u32_vec *a, const struct u32_vec *b)
{
	CHECK(a->len == b->len && (a->len == 0 || memcmp(a->ptr, b->ptr, a->len * 4) == 0));
}

static void test_tidy(void)
{
	static const uint32_t GIVEN[] = {7, 3, 7, 5, 3, 9, 5}, WANT[] = {3, 7, 9};
	struct u32_vec v = {0}, want = {0};

	tap_case("links: sorted, once each, without the page itself");
	fill(&v, GIVEN, ARRAY_LEN(GIVEN));
	fill(&want, WANT, ARRAY_LEN(WANT));
	rank_links_tidy(5, &v);
	check_same(&v, &want);
	u32_vec_release(&v);
	u32_vec_release(&want);
}

static void test_sizes(void)
{
	static const struct {
		const char *label;
		uint32_t page, targets[3];
		size_t count, bytes;
	} ROWS[] = {
		{"none", 5, {0}, 0, 0},
		{"the next page", 5, {6}, 1, 1},
		{"one before", 5, {4}, 1, 1},
		{"three in a row", 5, {6, 7, 8}, 3, 3},
		{"the ends", 0, {1, UINT32_MAX - 1, UINT32_MAX}, 3, 7},
		{"from end to end", UINT32_MAX, {0, 1, UINT32_MAX - 1}, 3, 11},
	};
	struct u32_vec v = {0}, back = {0};
	struct buf packed;

	buf_init(&packed, PACKED_MAX);
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		tap_case("packed: %s", ROWS[i].label);
		fill(&v, ROWS[i].targets, ROWS[i].count);
		buf_reset(&packed);
		CHECK_INT(rank_pack(ROWS[i].page, &v, &packed), 0);
		CHECK_INT(packed.len, ROWS[i].bytes);
		CHECK_INT(rank_unpack(ROWS[i].page, buf_slice(&packed), &back), 0);
		check_same(&v, &back);
	}
	buf_release(&packed);
	u32_vec_release(&v);
	u32_vec_release(&back);
}

static void test_random(void)
{
	struct u32_vec v = {0}, back = {0};
	struct buf packed;
	struct rng rng;

	tap_case("packed: any links come back");
	rng_init(&rng, 1);
	buf_init(&packed, PACKED_MAX);
	for (int r = 0; r < ROUNDS; r++) {
		uint32_t range = UINT32_MAX >> rng_below(&rng, 32);
		uint32_t page = (uint32_t)rng_below(&rng, range);

		v.len = 0;
		for (uint64_t n = rng_below(&rng, LINKS_MAX); n > 0; n--)
			CHECK_INT(u32_vec_push(&v, (uint32_t)rng_below(&rng, range)), 0);
		rank_links_tidy(page, &v);
		buf_reset(&packed);
		CHECK_INT(rank_pack(page, &v, &packed), 0);
		CHECK_INT(rank_unpack(page, buf_slice(&packed), &back), 0);
		check_same(&v, &back);
	}
	buf_release(&packed);
	u32_vec_release(&v);
	u32_vec_release(&back);
}

static void test_bad(void)
{
	static const struct {
		const char *label;
		slice bytes;
	} ROWS[] = {
		{"cut off", SLICE_INIT("\x80")},
		{"longer than any number", SLICE_INIT("\xff\xff\xff\xff\xff\x01")},
		{"before page 0", SLICE_INIT("\x0e")}, /* 7 back from 5 */
		{"behind the last page", SLICE_INIT("\xff\xff\xff\xff\x7f")},
	};
	struct u32_vec back = {0};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		tap_case("unpack: %s", ROWS[i].label);
		CHECK_INT(rank_unpack(5, ROWS[i].bytes, &back), ERR_SYNTAX);
	}
	u32_vec_release(&back);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_tidy();
	test_sizes();
	test_random();
	test_bad();
	return tap_done();
}
