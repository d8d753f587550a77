#include "base/nummap.h"

#include "tap.h"

enum { COUNT = 5000 };

/* Keys that are hashes, near each other, far apart in their high bits, and the extremes. */
static uint64_t key_of(unsigned kind, uint64_t i)
{
	switch (kind) {
	case 0:
		return i;
	case 1:
		return i << 40;
	case 2:
		return i * UINT64_C(0x2545F4914F6CDD1D);
	default:
		return UINT64_MAX - i;
	}
}

static void test_keys(void)
{
	static const char *const KINDS[] = {"small", "in high bits", "mixed", "large"};

	for (unsigned kind = 0; kind < ARRAY_LEN(KINDS); kind++) {
		struct nummap m = {0};
		struct nummap_entry *e;
		bool is_new, ok = true;

		tap_case("keys: %s", KINDS[kind]);
		CHECK(nummap_find(&m, 0) == NULL);
		for (uint32_t i = 0; i < COUNT; i++) {
			CHECK_INT(nummap_put(&m, key_of(kind, i), i, &e, &is_new), 0);
			ok = ok && is_new && e->value == i && e->other == NUMMAP_NONE;
			e->other = COUNT - i;
		}
		CHECK(ok && m.len == COUNT && 4 * m.len <= 3 * m.slot_count);
		for (uint32_t i = 0; i < COUNT; i++) {
			e = nummap_find(&m, key_of(kind, i));
			ok = ok && e && e->value == i && e->other == COUNT - i;
		}
		CHECK(ok);
		CHECK(nummap_find(&m, key_of(kind, COUNT)) == NULL);
		nummap_release(&m);
	}
}

static void test_again(void)
{
	struct nummap m = {0};
	struct nummap_entry *e;
	bool is_new;

	CHECK_INT(nummap_put(&m, 7, 1, &e, NULL), 0);
	CHECK_INT(nummap_put(&m, 7, 2, &e, &is_new), 0);
	CHECK(!is_new && e->value == 1 && m.len == 1);
	nummap_reset(&m);
	CHECK(m.len == 0 && !nummap_find(&m, 7) && m.slot_count > 0);
	CHECK_INT(nummap_put(&m, 7, 3, &e, &is_new), 0);
	CHECK(is_new && e->value == 3);
	CHECK(nummap_need(&m, 8, 4, &is_new)->value == 4 && is_new);
	CHECK(nummap_need(&m, 8, 5, &is_new)->value == 4 && !is_new);
	nummap_release(&m);
	CHECK(!nummap_find(&m, 7));
	nummap_reset(&m);
	nummap_release(&m);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_keys();
	TAP_RUN(test_again);
	return tap_done();
}
