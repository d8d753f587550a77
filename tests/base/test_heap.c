#include "base/heap.h"

#include <math.h>

#include "base/err.h"
#include "base/rng.h"
#include "tap.h"

static void test_order(void)
{
	static const struct {
		const char *label;
		struct heap_key keys[5];
		uint32_t want[5];
	} rows[] = {
		{"rising", {{1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}}, {0, 1, 2, 3, 4}},
		{"falling", {{5, 0}, {4, 0}, {3, 0}, {2, 0}, {1, 0}}, {4, 3, 2, 1, 0}},
		{"ties by sequence", {{1, 9}, {1, 3}, {1, 7}, {1, 1}, {1, 5}}, {3, 1, 4, 2, 0}},
		{"key before sequence", {{2, 0}, {1, 9}, {2, 1}, {1, 8}, {0, 7}}, {4, 3, 1, 0, 2}},
		{"infinities", {{INFINITY, 0}, {0, 0}, {-INFINITY, 0}, {-1, 0}, {1, 0}},
			{2, 3, 1, 4, 0}},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct heap h;
		uint32_t id;

		tap_case("order: %s", rows[i].label);
		heap_init(&h);
		for (uint32_t k = 0; k < 5; k++)
			CHECK_INT(heap_push(&h, k, rows[i].keys[k]), 0);
		for (int k = 0; k < 5; k++)
			if (CHECK(heap_pop(&h, &id, NULL)))
				CHECK_INT(id, rows[i].want[k]);
		CHECK(!heap_pop(&h, &id, NULL));
		heap_release(&h);
	}
}

static void test_lookups(void)
{
	struct heap h;
	struct heap_key key;
	uint32_t id;

	heap_init(&h);
	CHECK(!heap_peek(&h, &id, &key));
	CHECK(!heap_contains(&h, 0));
	CHECK(!heap_remove(&h, 5));
	CHECK(!heap_update(&h, 5, (struct heap_key){1, 1}));
	CHECK_INT(heap_push(&h, 1000, (struct heap_key){2, 1}), 0);
	CHECK_INT(heap_push(&h, 1000, (struct heap_key){1, 1}), ERR_EXISTS);
	CHECK_INT(heap_push(&h, 7, (struct heap_key){3, 2}), 0);
	CHECK(heap_peek(&h, &id, &key));
	CHECK_INT(id, 1000);
	CHECK(key.key == 2 && key.seq == 1);
	CHECK(heap_update(&h, 7, (struct heap_key){0.5, 3}));
	CHECK(heap_peek(&h, &id, NULL));
	CHECK_INT(id, 7);
	CHECK(heap_remove(&h, 7));
	CHECK(!heap_contains(&h, 7));
	CHECK(heap_contains(&h, 1000));
	CHECK_INT((int64_t)h.len, 1);
	heap_set(&h, 3, (struct heap_key){9, 4});
	heap_set(&h, 3, (struct heap_key){1, 4});
	CHECK(heap_pop(&h, &id, &key) && id == 3 && key.key == 1);
	heap_release(&h);
}

enum { IDS = 500 };

/* The plain way: what the heap is held against. */
struct model {
	bool in[IDS];
	struct heap_key keys[IDS];
	int len;
};

static uint32_t model_least(const struct model *m)
{
	uint32_t best = IDS;

	for (uint32_t i = 0; i < IDS; i++) {
		const struct heap_key *a = &m->keys[i], *b = &m->keys[best % IDS];

		if (m->in[i] &&
			(best == IDS || a->key < b->key || (a->key == b->key && a->seq < b->seq)))
			best = i;
	}
	return best;
}

static void step(struct heap *h, struct model *m, struct rng *r, uint64_t seq)
{
	uint32_t id = (uint32_t)rng_below(r, IDS), top;
	struct heap_key key = {(double)rng_below(r, 20), seq};

	switch (rng_below(r, 5)) {
	case 0:
	case 1:
		CHECK_INT(heap_push(h, id, key), m->in[id] ? ERR_EXISTS : 0);
		m->len += !m->in[id];
		m->keys[id] = m->in[id] ? m->keys[id] : key;
		m->in[id] = true;
		break;
	case 2:
		CHECK_INT(heap_remove(h, id), m->in[id]);
		m->len -= m->in[id];
		m->in[id] = false;
		break;
	case 3:
		CHECK_INT(heap_update(h, id, key), m->in[id]);
		m->keys[id] = key;
		break;
	default:
		if (!CHECK_INT(heap_pop(h, &top, NULL), m->len > 0) || m->len == 0)
			break;
		CHECK_INT(top, model_least(m));
		m->len--;
		m->in[top] = false;
	}
}

static void test_against_a_model(void)
{
	struct model m = {0};
	struct heap h;
	struct rng r;

	rng_init(&r, 1);
	heap_init(&h);
	for (uint64_t i = 0; i < 20000; i++) {
		step(&h, &m, &r, i);
		if (!CHECK_INT((int64_t)h.len, m.len))
			break;
	}
	heap_release(&h);
}

static void test_reserved_memory(void)
{
	struct heap h;

	heap_init(&h);
	CHECK_INT(heap_reserve(&h, 1000), 0);
	CHECK_INT((int64_t)(h.keys_cap * sizeof *h.keys + h.ids_cap * sizeof *h.ids +
			    h.places_cap * sizeof *h.places),
		24000);
	CHECK_INT(heap_reserve(&h, SIZE_MAX), ERR_NOMEM);
	heap_release(&h);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_order();
	TAP_RUN(test_lookups);
	TAP_RUN(test_against_a_model);
	TAP_RUN(test_reserved_memory);
	return tap_done();
}
