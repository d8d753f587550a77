/* Dominated pages by hand and by removing pages; the bound against all orders of tiny sites. */
#include "sim/discovery.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "plan/fixture.h"
#include "plan/plan.h"
#include "sim/kinds.h"

enum { TINY = 6 };

static void test_behind(void)
{
	static const struct {
		const char *label, *csv;
		uint32_t behind[TINY];
	} rows[] = {
		{"tree", FIXTURE_FIGURE_3, {5, 2, 1, 0, 0, 0}},
		{"two ways to c",
			"page,rate,links\nh,1,a b\na,1,c h\nb,1,c\nc,1,d a\nd,1,\ne,1,e\n",
			{4, 0, 0, 1, 0, 0}},
		{"loop", "page,rate,links\nh,1,a\na,1,b\nb,1,a c\nc,1,d\nd,1,b e\ne,1,\n",
			{5, 4, 3, 2, 1, 0}},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct site s = fixture_site(rows[i].csv);
		uint32_t behind[TINY] = {0};

		tap_case("%s", rows[i].label);
		CHECK_INT(discovery_behind(&s, behind), 0);
		for (size_t p = 0; p < s.n; p++)
			CHECK_INT(behind[p], rows[i].behind[p]);
		site_release(&s);
	}
}

/* Pages reached from page 0 without passing one. */
static size_t reached_without(const struct site *s, uint32_t without)
{
	bool seen[64] = {[0] = without != 0};
	size_t count = seen[0];

	for (bool grown = true; grown;) {
		grown = false;
		for (uint32_t i = 0; i < s->n; i++)
			for (size_t k = s->link_from[i]; seen[i] && k < s->link_from[i + 1]; k++) {
				uint32_t to = s->links[k];

				if (to == without || seen[to])
					continue;
				seen[to] = grown = true;
				count++;
			}
	}
	return count;
}

static void test_behind_by_removal(void)
{
	struct rng rng;
	uint32_t behind[40];

	rng_init(&rng, 7);
	for (int links = KIND_SECTIONS; links <= KIND_RANDOM; links++) {
		struct kind kind = {.links = links, .changes = 1, .n = 40};
		struct site s;
		size_t wrong = 0;

		tap_case("link structure %d", links);
		if (!CHECK_INT(kind_site(&kind, &rng, &s), 0))
			return;
		CHECK_INT(discovery_behind(&s, behind), 0);
		for (uint32_t i = 0; i < s.n; i++)
			wrong += behind[i] != s.n - 1 - reached_without(&s, i);
		CHECK_INT(wrong, 0);
		site_release(&s);
	}
}

/* All orders of visits that discover, and for each all orders of revisits. */
struct orders {
	const struct site *site;
	bool found[TINY], used[TINY];
	double age[TINY]; /* from visit to barrier */
	double best;
};

static void try_revisits(struct orders *o, size_t slot, double sum)
{
	const struct site *s = o->site;

	if (slot == s->n)
		o->best = fmax(o->best, sum);
	for (uint32_t i = 0; slot < s->n && i < s->n; i++) {
		if (o->used[i])
			continue;
		o->used[i] = true;
		try_revisits(
			o, slot + 1, sum + survival_at(s->survival[i], o->age[i] + (double)slot));
		o->used[i] = false;
	}
}

static void try_visits(struct orders *o, size_t slot)
{
	const struct site *s = o->site;

	if (slot == s->n) {
		memset(o->used, 0, sizeof o->used);
		try_revisits(o, 0, 0);
		memset(o->used, 1, sizeof o->used);
	}
	for (uint32_t i = 0; slot < s->n && i < s->n; i++) {
		bool before[TINY];

		if (o->used[i] || !o->found[i])
			continue;
		memcpy(before, o->found, sizeof before);
		for (size_t k = s->link_from[i]; k < s->link_from[i + 1]; k++)
			o->found[s->links[k]] = true;
		o->used[i] = true;
		o->age[i] = (double)(s->n - 1 - slot);
		try_visits(o, slot + 1);
		o->used[i] = false;
		memcpy(o->found, before, sizeof before);
	}
}

static void test_bound(void)
{
	struct rng rng;
	double gap = 0;
	size_t tighter = 0, rounds = tap_rounds(60);

	tap_case("all orders of tiny sites");
	rng_init(&rng, 3);
	for (size_t i = 0; i < rounds; i++) {
		struct kind kind = {.links = i % (KIND_RANDOM + 1),
			.rates = (i / 6) % (KIND_HOT_TOP + 1),
			.changes = 0.3 * pow(3, (double)(i % 4)),
			.n = TINY};
		struct site s;
		struct orders o = {.site = &s, .found = {true}};
		struct plan_limit known;
		double bound = 0;

		if (!CHECK_INT(kind_site(&kind, &rng, &s), 0))
			return;
		try_visits(&o, 0);
		CHECK_INT(discovery_bound(&s, 1, &bound), 0);
		CHECK_INT(plan_limit(s.survival, NULL, s.n, 1, false, &known), 0);
		CHECK(bound >= o.best - 1e-12);
		CHECK(bound <= known.bound + 1e-9);
		tighter += bound < known.bound - 1e-6;
		gap += (bound - o.best) / o.best;
		site_release(&s);
	}
	tap_note("%zu of the bounds are below that of known pages; mean gap %.2f %%", tighter,
		100 * gap / (double)rounds);
	CHECK(tighter > 0);
}

/* A larger one is solved to the end: no price can be improved any more. */
static void test_large(void)
{
	struct kind kind = {.links = KIND_LISTS, .rates = KIND_HOT_LISTS, .changes = 3, .n = 250};
	struct rng rng;
	struct site s;
	double bound = 0;
	struct plan_limit known;

	tap_case("250 pages");
	rng_init(&rng, 5);
	if (!CHECK_INT(kind_site(&kind, &rng, &s), 0))
		return;
	CHECK_INT(discovery_bound(&s, 1, &bound), 0);
	CHECK_INT(plan_limit(s.survival, NULL, s.n, 1, false, &known), 0);
	tap_note("discovering %.3f, known %.3f", bound, known.bound);
	CHECK(bound < known.bound);
	CHECK(bound > 0.9 * known.bound);
	site_release(&s);
}

int main(void)
{
	test_behind();
	test_behind_by_removal();
	test_bound();
	test_large();
	return tap_done();
}
