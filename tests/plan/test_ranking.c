/* The ranking against an array that is kept sorted by moving everything. */
#include "plan/ranking.h"

#include "base/rng.h"
#include "tap.h"

enum { ENTRIES_MAX = 6000 };

struct model {
	struct ranked_page entry[ENTRIES_MAX];
	size_t len;
};

static void model_insert(struct model *m, struct ranked_page e)
{
	size_t at = m->len;

	for (; at > 0 && m->entry[at - 1].key < e.key; at--)
		m->entry[at] = m->entry[at - 1];
	m->entry[at] = e;
	m->len++;
}

static struct ranked_page model_take(struct model *m, size_t rank)
{
	struct ranked_page e = m->entry[rank];

	m->len--;
	for (; rank < m->len; rank++)
		m->entry[rank] = m->entry[rank + 1];
	return e;
}

static bool same(struct ranked_page got, struct ranked_page want)
{
	return CHECK_INT(got.page, want.page) && CHECK(got.key == want.key);
}

static bool is_page(const struct ranked_page *entry, void *context)
{
	return entry->page == *(const uint32_t *)context;
}

/* How a phase picks keys and ranks: strategies live at the ends, and on equal rates. */
struct phase {
	const char *label;
	unsigned insert_percent;
	uint64_t keys; /* different ones */
	enum { ANYWHERE, FRONT, BACK } where;
};

static size_t pick_rank(struct rng *rng, const struct model *m, const struct phase *p)
{
	switch (p->where) {
	case FRONT:
		return 0;
	case BACK:
		return m->len - 1;
	default:
		return rng_below(rng, m->len);
	}
}

static bool operate(struct ranking *r, struct model *m, struct rng *rng, const struct phase *p,
	uint32_t *next_page)
{
	bool insert = rng_below(rng, 100) < p->insert_percent;
	size_t rank;

	if (m->len == 0 || (insert && m->len < ENTRIES_MAX)) {
		struct ranked_page e = {
			.key = (double)rng_below(rng, p->keys) - 10, .page = (*next_page)++};

		model_insert(m, e);
		return CHECK_INT(ranking_insert(r, e.key, e.page), 0);
	}
	rank = pick_rank(rng, m, p);
	if (rng_below(rng, 4) == 0)
		return same(ranking_at(r, rank), m->entry[rank]);
	return same(ranking_take(r, rank), model_take(m, rank));
}

static void test_operations(void)
{
	static const struct phase phases[] = {
		{"growing", 80, UINT64_MAX, ANYWHERE},
		{"mixed", 50, UINT64_MAX, ANYWHERE},
		{"equal keys", 60, 1, ANYWHERE},
		{"few keys, from the front", 50, 4, FRONT},
		{"many keys, from the back", 50, 1000, BACK},
		{"shrinking", 10, 1000, ANYWHERE},
		{"to nothing and back", 48, 3, FRONT},
		{"growing again", 90, 20, ANYWHERE},
	};
	enum { OPERATIONS = 100000 / 8 };
	static struct model m;
	struct ranking r = {0};
	struct rng rng;
	uint32_t next_page = 0;

	rng_init(&rng, 1);
	for (size_t p = 0; p < ARRAY_LEN(phases); p++) {
		bool ok = true;

		tap_case("operations: %s", phases[p].label);
		for (int i = 0; ok && i < OPERATIONS; i++) {
			ok = operate(&r, &m, &rng, &phases[p], &next_page);
			ok = ok && CHECK_INT(r.len, m.len);
		}
		for (size_t rank = 0; ok && rank < m.len; rank++)
			ok = same(ranking_at(&r, rank), m.entry[rank]);
		for (size_t rank = 0; ok && rank < m.len; rank += 97)
			ok = CHECK_INT(ranking_find(&r, is_page, &m.entry[rank].page), rank);
		ok = ok && CHECK_INT(ranking_find(&r, is_page, &next_page), m.len);
	}
	ranking_release(&r);
	CHECK_INT(r.len, 0);
}

/* The first that is wanted, even where later ones are as well. */
static bool is_cool(const struct ranked_page *entry, void *context)
{
	return entry->key <= *(const double *)context;
}

static void test_find(void)
{
	struct ranking r = {0};
	double limit;

	CHECK_INT(ranking_find(&r, is_cool, &limit), 0);
	for (uint32_t i = 0; i < 2000; i++)
		CHECK_INT(ranking_insert(&r, (double)(i % 1000), i), 0);
	for (int key = 999; key >= 0; key -= 37) {
		limit = key;
		CHECK_INT(ranking_find(&r, is_cool, &limit), 2 * (999 - key));
	}
	limit = -1;
	CHECK_INT(ranking_find(&r, is_cool, &limit), 2000);
	ranking_release(&r);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_operations();
	TAP_RUN(test_find);
	return tap_done();
}
