#include "judge/pairs.h"

#include <stdlib.h>

#include "base/lists.h"
#include "quality/best_instant.h"

struct finding {
	struct judge_pairs *pairs;
	const struct judge_looks *looks;
	struct u32_vec order; /* looks that count, by page and time */
	struct page_interval_vec intervals;
	int64_t last_visit, first_revisit; /* of two archives; 0 for none */
};

/* ---- order ---- */

static int compare_looks(const void *a, const void *b, void *context)
{
	const struct judge_look *list = context;
	const struct judge_look *x = &list[*(const uint32_t *)a], *y = &list[*(const uint32_t *)b];

	if (x->page != y->page)
		return x->page < y->page ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

static int sort_looks(struct finding *f)
{
	const struct judge_look_vec *list = &f->looks->list;
	int rc = u32_vec_reserve(&f->order, list->len);

	for (size_t i = 0; rc == 0 && i < list->len; i++)
		if (!list->ptr[i].dropped)
			rc = u32_vec_push(&f->order, (uint32_t)i);
	if (rc == 0 && f->order.len > 0)
		qsort_r(f->order.ptr, f->order.len, sizeof *f->order.ptr, compare_looks, list->ptr);
	return rc;
}

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
static int add_interval(struct finding *f, uint32_t a, uint32_t b)
{
	const struct judge_look *x = look_at(f, a), *y = look_at(f, b);

	if (x->end > y->begin || !shows_same(f, a, b))
		return 0;
	return page_interval_vec_push(&f->intervals,
		(struct page_interval){.page = x->page, .from = x->end, .to = y->begin});
}

/* Calls for the looks of each page. */
static int each_page(struct finding *f, int (*call)(struct finding *, struct row))
{
	const struct u32_vec *o = &f->order;
	int rc = 0;

	for (size_t from = 0, to; rc == 0 && from < o->len; from = to) {
		uint32_t page = look_at(f, o->ptr[from])->page;

		for (to = from + 1; to < o->len && look_at(f, o->ptr[to])->page == page; to++)
			;
		rc = call(f, (struct row){o->ptr + from, to - from});
	}
	return rc;
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

static int pair_two(struct finding *f, struct row row)
{
	struct judge_pair p = pair_sides(f, row);
	int rc = judge_pair_vec_push(&f->pairs->list, p);

	if (p.visit != JUDGE_NO_LOOK && look_at(f, p.visit)->end > f->last_visit)
		f->last_visit = look_at(f, p.visit)->end;
	if (p.revisit != JUDGE_NO_LOOK &&
		(!f->first_revisit || look_at(f, p.revisit)->begin < f->first_revisit))
		f->first_revisit = look_at(f, p.revisit)->begin;
	if (rc || p.visit == JUDGE_NO_LOOK || p.revisit == JUDGE_NO_LOOK)
		return rc;
	return add_interval(f, p.visit, p.revisit);
}

/* ---- one archive ---- */

static int add_intervals(struct finding *f, struct row row)
{
	uint32_t before = JUDGE_NO_LOOK;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < row.len; i++) {
		if (!is_usable(f, row.looks[i]))
			continue;
		if (before != JUDGE_NO_LOOK)
			rc = add_interval(f, before, row.looks[i]);
		before = row.looks[i];
	}
	return rc;
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

static int pair_one(struct finding *f, struct row row)
{
	return judge_pair_vec_push(&f->pairs->list, pair_around(f, row));
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
	rc = sort_looks(&f);
	if (rc == 0)
		rc = each_page(&f, terms->two_archives ? pair_two : add_intervals);
	if (rc == 0)
		rc = choose_instant(&f);
	if (rc == 0 && !terms->two_archives)
		rc = each_page(&f, pair_one);
	u32_vec_release(&f.order);
	page_interval_vec_release(&f.intervals);
	return rc;
}

void judge_pairs_release(struct judge_pairs *p)
{
	judge_pair_vec_release(&p->list);
}
