#include "proof/compare_captures.h"

#include "base/hash.h"
#include "base/mem.h"
#include "proof/legs.h"

/* A usable look, as far as it is compared. */
struct look {
	struct same_key key;
	int64_t start, end;
	uint16_t status;
	bool made;
};

VEC_DECLARE(look_vec, struct look);

struct loading {
	struct look_vec looks; /* by page */
	bool is_first;         /* of the two captures: the last look counts */
};

const char *compare_change_name(enum compare_change change)
{
	static const char *const names[] = {
#define X(name, word) [name] = (word),
		COMPARE_CHANGES(X)
#undef X
	};

	return names[change];
}

const char *compare_change_meaning(enum compare_change change)
{
	static const char *const meanings[] = {
		[COMPARE_APPEARED] = "there in the second capture only",
		[COMPARE_WENT] = "there in the first capture only",
		[COMPARE_CHANGED] = "there in both, and not the same",
		[COMPARE_SAME] = "the same at the end of the first and the start of the second",
		[COMPARE_ABSENT] = "404 or 410 in both",
		[COMPARE_UNKNOWN] = "not seen in one of them, so nobody can tell",
	};

	return meanings[change];
}

/* ---- looks ---- */

static int on_observation(void *context, const struct attempt *a)
{
	struct loading *l = context;
	struct observation o = legs_observe(a);
	struct look *look;

	if (a->page >= l->looks.len || !legs_has(a->leg) || !observation_is_usable(&o) ||
		o.stand_in.ptr)
		return 0;
	look = &l->looks.ptr[a->page];
	if (look->made && (l->is_first ? o.start < look->start : o.start > look->start))
		return 0;
	*look = (struct look){
		.made = true,
		.key = o.key,
		.status = (uint16_t)o.status,
		.start = o.start,
		.end = o.end,
	};
	return 0;
}

static int load_looks(
	struct loading *l, struct catalog *catalog, const struct report *r, struct err *err)
{
	while (l->looks.len < r->pages.len)
		look_vec_push(&l->looks, (struct look){0});
	return catalog_each_observation(catalog, r->capture.id, on_observation, l, err);
}

/* ---- pages ---- */

/* A capture that does not know the page, or one that has looked at it. */
struct side {
	bool is_known;
	const struct look *look; /* NULL: none that is usable */
};

static enum compare_change decide(
	const struct side *a, const struct side *b, const char **ret_evidence)
{
	bool was = a->look && !same_is_missing(a->look->status);
	bool is = b->look && !same_is_missing(b->look->status);

	*ret_evidence = NULL;
	if (was && is) {
		*ret_evidence = same_by_name(same_content(
			a->look->status, &a->look->key, b->look->status, &b->look->key));
		return *ret_evidence ? COMPARE_SAME : COMPARE_CHANGED;
	}
	if (a->look && b->look) {
		*ret_evidence = same_by_name(SAME_STATUS);
		return is ? COMPARE_APPEARED : was ? COMPARE_WENT : COMPARE_ABSENT;
	}
	if ((is && !a->is_known) || (was && !b->is_known)) {
		*ret_evidence = "not found";
		return is ? COMPARE_APPEARED : COMPARE_WENT;
	}
	return COMPARE_UNKNOWN;
}

static const struct report_page *page_of(const struct compare *x, uint32_t page, int side)
{
	return page == COMPARE_NO_PAGE ? NULL : &x->reports[side]->pages.ptr[page];
}

unsigned compare_verdict(const struct compare *x, const struct compare_row *row, int side)
{
	const struct report_page *p = page_of(x, row->page[side], side);

	return p ? p->verdict : COMPARE_UNLISTED;
}

const char *compare_verdict_name(unsigned verdict)
{
	return verdict < VERDICT_COUNT ? verdict_name((enum verdict)verdict) : "not known";
}

static const struct look *look_of(const struct loading *l, uint32_t page)
{
	return page != COMPARE_NO_PAGE && l->looks.ptr[page].made ? &l->looks.ptr[page] : NULL;
}

/* Pages that neither capture took are not worth a row. */
static void add_row(
	struct compare *x, const struct loading loads[2], uint32_t first, uint32_t second)
{
	const struct report_page *a = page_of(x, first, 0), *b = page_of(x, second, 1);
	struct side sides[2] = {{a != NULL, look_of(&loads[0], first)},
		{second != COMPARE_NO_PAGE, look_of(&loads[1], second)}};
	struct compare_row row = {.page = {first, second}};

	if (!(a && a->taken) && !(b && b->taken))
		return;
	if (a)
		row.url = a->url;
	if (b)
		row.url = b->url;
	row.change = (uint8_t)decide(&sides[0], &sides[1], &row.evidence);
	row.before = sides[0].look ? sides[0].look->end : 0;
	row.after = sides[1].look ? sides[1].look->start : 0;
	for (int i = 0; i < 2; i++)
		row.status[i] = sides[i].look ? sides[i].look->status : 0;
	x->totals[row.change]++;
	x->moved[compare_verdict(x, &row, 0)][compare_verdict(x, &row, 1)]++;
	compare_rows_push(&x->rows, row);
}

/* Numbers of the pages of a report by their URL. */
static void index_pages(struct strmap *map, const struct report *r)
{
	strmap_init(map, hash_key_random(), NULL);
	for (uint32_t i = 0; i < r->pages.len; i++)
		if (!strmap_get(map, r->pages.ptr[i].url, NULL) &&
			strmap_put(map, r->pages.ptr[i].url, i))
			mem_end();
}

static void join(struct compare *x, const struct loading loads[2])
{
	struct strmap first, second;
	uint32_t other;

	index_pages(&first, x->reports[0]);
	index_pages(&second, x->reports[1]);
	for (uint32_t i = 0; i < x->reports[1]->pages.len; i++) {
		bool is_known = strmap_get(&first, x->reports[1]->pages.ptr[i].url, &other);

		add_row(x, loads, is_known ? other : COMPARE_NO_PAGE, i);
	}
	for (uint32_t i = 0; i < x->reports[0]->pages.len; i++)
		if (!strmap_get(&second, x->reports[0]->pages.ptr[i].url, NULL))
			add_row(x, loads, i, COMPARE_NO_PAGE);
	strmap_release(&first);
	strmap_release(&second);
}

int compare_load(struct compare *x, struct catalog *catalog, const struct report *first,
	const struct report *second, struct err *err)
{
	struct loading loads[2] = {{.is_first = true}};
	int rc;

	*x = (struct compare){.reports = {first, second}};
	rc = load_looks(&loads[0], catalog, first, err);
	if (rc == 0)
		rc = load_looks(&loads[1], catalog, second, err);
	if (rc == 0)
		join(x, loads);
	look_vec_release(&loads[0].looks);
	look_vec_release(&loads[1].looks);
	return rc;
}

void compare_release(struct compare *x)
{
	compare_rows_release(&x->rows);
}
