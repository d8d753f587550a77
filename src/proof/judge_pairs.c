#include "proof/judge_pairs.h"

#include <stdlib.h>

#include "base/lists.h"
#include "proof/stillpoint.h"

struct finding {
	struct judge_pairs *pairs;
	const struct judge_looks *looks;
	struct u32_vec order; /* looks that count, by page and time */
	struct page_interval_vec intervals;
	int64_t last_visit, first_revisit; /* of two archives; 0 for none */
};

/* ---- looks at one page ---- */

/* Numbers of looks, in the order of time. */
struct row {
	const uint32_t *looks;
	size_t len;
};

static const struct judge_look *look_at(const struct finding *f, uint32_t number)
{
	return &f->looks->list.ptr[number];
}

static struct observation observe(const struct finding *f, uint32_t number)
{
	return judge_look_observe(f->looks, look_at(f, number));
}

static bool is_usable(const struct finding *f, uint32_t number)
{
	struct observation o = observe(f, number);

	return observation_is_usable(&o);
}

static bool shows_same(const struct finding *f, uint32_t a, uint32_t b)
{
	struct observation x = observe(f, a), y = observe(f, b);
	struct judgement j = judge(&x, &y, JUDGED_PAIR);

	return j.verdict == VERDICT_SHARP || j.verdict == VERDICT_ABSENT;
}

/* If they show the same, and the first ended before the second began. */
static void add_interval(struct finding *f, uint32_t a, uint32_t b)
{
	const struct judge_look *x = look_at(f, a), *y = look_at(f, b);

	if (x->end <= y->begin && shows_same(f, a, b))
		page_interval_vec_push(&f->intervals,
			(struct page_interval){.page = x->page, .from = x->end, .to = y->begin});
}

/* Calls for the looks of each page. */
static void each_page(struct finding *f, void (*call)(struct finding *, struct row))
{
	const struct u32_vec *o = &f->order;

	for (size_t from = 0, to; from < o->len; from = to) {
		uint32_t page = look_at(f, o->ptr[from])->page;

		for (to = from + 1; to < o->len && look_at(f, o->ptr[to])->page == page; to++)
			;
		call(f, (struct row){o->ptr + from, to - from});
	}
}

/* ---- two archives ---- */

/* The last usable one of the first archive, the first usable one of the second; else the last. */
static struct judge_pair pair_sides(const struct finding *f, struct row row)
{
	struct judge_pair p = {look_at(f, row.looks[0])->page, JUDGE_NO_LOOK, JUDGE_NO_LOOK};
	bool usable_visit = false, usable_revisit = false;

	for (size_t i = 0; i < row.len; i++) {
		uint32_t look = row.looks[i];
		bool usable = is_usable(f, look);

		if (look_at(f, look)->side == JUDGE_FIRST) {
			if (usable || !usable_visit)
				p.visit = look;
			usable_visit = usable_visit || usable;
		} else if (!usable_revisit) {
			p.revisit = look;
			usable_revisit = usable;
		}
	}
	return p;
}

static void pair_two(struct finding *f, struct row row)
{
	struct judge_pair p = pair_sides(f, row);

	judge_pair_vec_push(&f->pairs->list, p);
	if (p.visit != JUDGE_NO_LOOK && look_at(f, p.visit)->end > f->last_visit)
		f->last_visit = look_at(f, p.visit)->end;
	if (p.revisit != JUDGE_NO_LOOK &&
		(!f->first_revisit || look_at(f, p.revisit)->begin < f->first_revisit))
		f->first_revisit = look_at(f, p.revisit)->begin;
	if (p.visit != JUDGE_NO_LOOK && p.revisit != JUDGE_NO_LOOK)
		add_interval(f, p.visit, p.revisit);
}

/* ---- one archive ---- */

static void add_intervals(struct finding *f, struct row row)
{
	uint32_t before = JUDGE_NO_LOOK;

	for (size_t i = 0; i < row.len; i++) {
		if (!is_usable(f, row.looks[i]))
			continue;
		if (before != JUDGE_NO_LOOK)
			add_interval(f, before, row.looks[i]);
		before = row.looks[i];
	}
}

/* The usable looks around the still point; those of a page without two of them as they come. */
static struct judge_pair pair_around(const struct finding *f, struct row row)
{
	struct judge_pair p = {look_at(f, row.looks[0])->page, JUDGE_NO_LOOK, JUDGE_NO_LOOK};

	for (size_t i = 0; i < row.len; i++) {
		uint32_t look = row.looks[i];

		if (!is_usable(f, look))
			continue;
		if (p.visit == JUDGE_NO_LOOK) {
			p.visit = look;
		} else if (p.revisit == JUDGE_NO_LOOK) {
			p.revisit = look;
		} else if (look_at(f, p.revisit)->begin < f->pairs->to) {
			p.visit = p.revisit;
			p.revisit = look;
		}
	}
	if (p.visit == JUDGE_NO_LOOK)
		p.visit = row.looks[0];
	if (p.revisit == JUDGE_NO_LOOK && row.len > 1 && p.visit != row.looks[row.len - 1])
		p.revisit = row.looks[row.len - 1];
	return p;
}

static void pair_one(struct finding *f, struct row row)
{
	judge_pair_vec_push(&f->pairs->list, pair_around(f, row));
}

/* ---- the still point ---- */

static int choose_instant(struct finding *f)
{
	bool apart = f->last_visit && f->first_revisit && f->last_visit <= f->first_revisit;
	const struct planned_instant planned = {1, 0}; /* there was no plan */
	struct best_instant best;
	int rc;

	if (apart) {
		f->pairs->from = f->last_visit;
		f->pairs->to = f->first_revisit;
		return 0;
	}
	rc = best_instant_find(&f->intervals, &planned, &best);
	if (rc)
		return rc == ERR_NOTFOUND ? 0 : rc;
	f->pairs->from = best.from;
	f->pairs->to = best.to;
	return 0;
}

int judge_pairs_find(
	struct judge_pairs *p, const struct judge_looks *looks, const struct judge_terms *terms)
{
	struct finding f = {.pairs = p, .looks = looks};
	int rc;

	*p = (struct judge_pairs){0};
	judge_looks_sort(looks, false, &f.order);
	each_page(&f, terms->two_archives ? pair_two : add_intervals);
	rc = choose_instant(&f);
	if (rc == 0 && !terms->two_archives)
		each_page(&f, pair_one);
	u32_vec_release(&f.order);
	page_interval_vec_release(&f.intervals);
	return rc;
}

void judge_pairs_release(struct judge_pairs *p)
{
	judge_pair_vec_release(&p->list);
}
