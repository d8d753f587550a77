#include <stddef.h>
#include <string.h>

#include "catalog/catalog_db.h"
#include "catalog/catalog_packed.h"
#include "warc/compact.h"

/*
 * Attempts at robots.txt and sitemaps have no page. They are rows of pages that no capture can
 * have, from SIDE_FIRST on, in the order of their coming: behind all others.
 */
#define SIDE_FIRST INT64_C(0xffffffff)

/* ---- adding ---- */

static int next_side(struct catalog *c, uint32_t capture, int64_t *ret, struct err *err)
{
	struct query q;
	int rc;

	query_rows(&q, c, SQL_NEXT_SIDE, capture, err);
	rc = query_next(&q, err);
	if (rc == 0)
		*ret = sqlite3_column_type(q.stmt, 0) == SQLITE_NULL ? SIDE_FIRST
								     : query_int(&q, 0);
	return query_end(&q, rc);
}

/* ---- rows of one observation each ---- */

struct rows {
	struct query q;
	struct attempt a;
	bool more;
};

static int rows_next(struct rows *rows, struct err *err)
{
	struct query *q = &rows->q;
	int rc = query_next_key(q, err);
	uint64_t page;

	rows->more = rc == 0;
	if (rc)
		return rc == ERR_END ? 0 : rc;
	TRY(query_read_row(q, &rows->a, sizeof rows->a, err));
	page = query_up_to(q, 1, INT64_MAX >> 30);
	rows->a.page = page < SIDE_FIRST ? (uint32_t)page : CATALOG_NO_PAGE;
	rows->a.url = query_text(q, 2);
	return query_check(q, err);
}

/* ---- rows of packed looks ---- */

/* The observation that looks are stored against; its strings are valid until base->q ends. */
static int find_base(struct rows *base, struct catalog *c, uint32_t capture, uint32_t page,
	const unsigned key[2], enum catalog_sql sql, struct err *err)
{
	*base = (struct rows){0};
	query_rows(&base->q, c, sql, capture, err);
	query_put_int(&base->q, page);
	query_put_int(&base->q, key[0]);
	query_put_int(&base->q, key[1]);
	return rows_next(base, err);
}

/* The name of the capture, which names of records follow from; ERR_LIMIT when it has no room. */
static int capture_name(struct catalog *c, uint32_t capture, slice *ret, struct err *err)
{
	struct query q;
	slice uuid;
	int rc = 0;

	if (c->named != capture) {
		query_rows(&q, c, SQL_GET_CAPTURE, capture, err);
		rc = query_next(&q, err);
		if (rc == 0) {
			uuid = query_text(&q, 1);
			rc = uuid.len < sizeof c->name ? 0 : ERR_LIMIT;
		}
		if (rc == 0) {
			(void)memcpy(c->name, uuid.ptr, uuid.len);
			c->name[uuid.len] = '\0';
			c->named = capture;
		}
		if (rc == ERR_END)
			rc = ERR_LIMIT;
		rc = query_end(&q, rc);
	}
	*ret = slice_str(c->name);
	return rc;
}

/* The name that the record of a look has, unless something else is said. */
static int derive_id(struct catalog *c, uint32_t capture, const struct attempt *look,
	struct warc_id *ret, struct err *err)
{
	struct attempt named = *look;

	TRY(capture_name(c, capture, &named.capture, err));
	return err_code(err, compact_id(&named, ret));
}

struct looks {
	uint32_t capture;
	struct query q;
	struct rows base;
	struct packed_looks packed;
	struct attempt look;
	struct warc_id id;
	int64_t key; /* in the reading order */
	bool more;   /* there is a look */
	bool open;   /* its row may have others */
};

static int open_row(struct looks *l, struct err *err)
{
	struct catalog *c = l->q.c;
	uint32_t page = (uint32_t)query_up_to(&l->q, 1, SIDE_FIRST - 1);
	unsigned key[2];
	int rc = packed_looks_open(&l->packed, query_text(&l->q, 4), &key[0], &key[1]);

	(void)query_up_to(&l->q, 3, CATALOG_LEG_MAX);
	if (rc)
		l->q.damaged = true;
	rc = query_check(&l->q, err);
	(void)query_end(&l->base.q, 0);
	l->base = (struct rows){0};
	if (rc == 0 && key[1]) {
		rc = find_base(&l->base, c, l->capture, page, key, SQL_GET_OBSERVATION, err);
		if (rc == 0 && !l->base.more)
			rc = catalog_damaged(c, "a compact look has lost its base", err);
	}
	packed_looks_begin(l->base.more ? &l->base.a : NULL, &l->packed.look);
	l->open = rc == 0;
	return rc;
}

static int place_look(struct looks *l, struct err *err)
{
	struct attempt *look = &l->look;
	uint64_t page = query_up_to(&l->q, 1, SIDE_FIRST - 1);
	int64_t key;
	int rc = 0;

	*look = l->packed.look;
	look->page = (uint32_t)page;
	look->url = query_text(&l->q, 2);
	look->leg = (enum attempt_leg)query_up_to(&l->q, 3, CATALOG_LEG_MAX);
	key = (int64_t)(page << 30 | (uint64_t)look->leg << 26 | look->number);
	if (key <= l->key)
		return catalog_damaged(l->q.c, "looks are out of order", err);
	l->key = key;
	if (l->packed.is_derived) {
		rc = derive_id(l->q.c, l->capture, look, &l->id, err);
		look->record_id = slice_str(l->id.text);
	}
	return rc;
}

static int looks_next(struct looks *l, struct err *err)
{
	int rc = ERR_END;

	if (l->open)
		rc = packed_looks_next(l->q.c, &l->packed, err);
	while (rc == ERR_END && (rc = query_next_key(&l->q, err)) == 0) {
		rc = open_row(l, err);
		if (rc == 0)
			rc = packed_looks_next(l->q.c, &l->packed, err);
		if (rc == ERR_END)
			l->open = false;
		else
			break;
	}
	l->more = rc == 0;
	if (rc == ERR_END)
		return 0;
	return rc ? rc : place_look(l, err);
}

/* ---- both in their order ---- */

struct merging {
	struct rows rows;
	struct looks looks;
};

static int hand_out(struct merging *m, catalog_on_observation *call, void *context, struct err *err)
{
	struct rows *rows = &m->rows;
	struct looks *looks = &m->looks;
	int rc = rows_next(rows, err);

	if (rc == 0)
		rc = looks_next(looks, err);
	while (rc == 0 && (rows->more || looks->more)) {
		bool is_look = looks->more && (!rows->more || looks->key < rows->q.key);
		const struct attempt *a = is_look ? &looks->look : &rows->a;

		/* Legs of a later version are passed over. */
		if (a->leg < ATTEMPT_LEGS)
			rc = call(context, a);
		if (rc == 0)
			rc = is_look ? looks_next(looks, err) : rows_next(rows, err);
	}
	return rc;
}

enum { ALL_PAGES = -1 };

/* page: only of that, or from that on; or ALL_PAGES. from: rows, packed looks. */
static int each(struct catalog *c, uint32_t capture, int64_t page, const enum catalog_sql from[2],
	catalog_on_observation *call, void *context, struct err *err)
{
	struct merging m = {.looks = {.capture = capture, .key = -1}};
	int rc;

	query_rows(&m.rows.q, c, from[0], capture, err);
	query_rows(&m.looks.q, c, from[1], capture, err);
	if (page != ALL_PAGES) {
		query_put_int(&m.rows.q, page);
		query_put_int(&m.looks.q, page);
	}
	rc = hand_out(&m, call, context, err);
	(void)query_end(&m.looks.base.q, 0);
	(void)query_end(&m.looks.q, 0);
	return query_end(&m.rows.q, rc);
}

int catalog_page_observations(struct catalog *c, uint32_t capture, uint32_t page,
	catalog_on_observation *call, void *context, struct err *err)
{
	return each(c, capture, page, (enum catalog_sql[]){SQL_PAGE_OBSERVATIONS, SQL_PAGE_PACKED},
		call, context, err);
}

int catalog_side_observations(struct catalog *c, uint32_t capture, uint32_t first,
	catalog_on_observation *call, void *context, struct err *err)
{
	return each(c, capture, SIDE_FIRST + first,
		(enum catalog_sql[]){SQL_SIDE_OBSERVATIONS, SQL_PAGE_PACKED}, call, context, err);
}

int catalog_each_observation(struct catalog *c, uint32_t capture, catalog_on_observation *call,
	void *context, struct err *err)
{
	return each(c, capture, ALL_PAGES,
		(enum catalog_sql[]){SQL_EACH_OBSERVATION, SQL_EACH_PACKED}, call, context, err);
}

int catalog_each_body(struct catalog *c, uint32_t capture, catalog_on_observation *call,
	void *context, struct err *err)
{
	return each(c, capture, ALL_PAGES, (enum catalog_sql[]){SQL_EACH_BODY, SQL_EACH_PACKED},
		call, context, err);
}

/* ---- adding looks ---- */

/* The row of packed looks that a look would be appended to. */
struct last_row {
	struct query q;
	struct rows base;           /* of the look: what it would be stored against */
	struct packed_looks packed; /* behind its last look */
	slice rows;
	int64_t first;
	bool is_there;
	bool is_open; /* it has the same base */
	bool exists;  /* it has this very look */
};

/* Goes to the end of the row; the looks are read without their base, if that is another. */
static int read_last(struct last_row *l, const struct attempt *look, struct err *err)
{
	const struct rows *base = &l->base;
	unsigned key[2];
	int rc = packed_looks_open(&l->packed, l->rows, &key[0], &key[1]);

	if (rc)
		return catalog_damaged(l->q.c, "compact looks cannot be read", err);
	l->is_open = base->more ? key[0] == base->a.leg && key[1] == base->a.number : !key[1];
	packed_looks_begin(l->is_open && base->more ? &base->a : NULL, &l->packed.look);
	while ((rc = packed_looks_next(l->q.c, &l->packed, err)) == 0)
		l->exists = l->exists || l->packed.look.number == look->number;
	return rc == ERR_END ? 0 : rc;
}

static int find_last(struct last_row *l, struct catalog *c, uint32_t capture,
	const struct attempt *look, struct err *err)
{
	int rc;

	query_rows(&l->q, c, SQL_LAST_PACKED, capture, err);
	query_put_int(&l->q, look->page);
	query_put_int(&l->q, look->leg);
	query_put_int(&l->q, look->number);
	rc = query_next(&l->q, err);
	l->is_there = rc == 0;
	if (rc == ERR_END)
		return 0;
	if (rc)
		return rc;
	l->first = (int64_t)query_up_to(&l->q, 0, CATALOG_ATTEMPT_MAX);
	l->rows = query_text(&l->q, 1);
	rc = query_check(&l->q, err);
	return rc ? rc : read_last(l, look, err);
}

static void end_last(struct last_row *l)
{
	(void)query_end(&l->base.q, 0);
	(void)query_end(&l->q, 0);
}

static int put_packed(struct catalog *c, enum catalog_sql sql, uint32_t capture,
	const struct attempt *look, int64_t first, slice rows, struct err *err)
{
	struct query q;

	query_write(&q, c, sql, err);
	query_put_int(&q, capture);
	query_put_int(&q, look->page);
	query_put_int(&q, look->leg);
	query_put_int(&q, first);
	query_put_blob(&q, rows);
	return query_run(&q, err);
}

/* Appends the look to the row, or begins another. */
static int add_packed(struct catalog *c, uint32_t capture, const struct last_row *l,
	const struct attempt *look, bool is_derived, struct err *err)
{
	const struct attempt *base = l->base.more ? &l->base.a : NULL;
	bool append = l->is_there && l->is_open && l->rows.len < PACKED_FULL;
	struct attempt before;
	BUF_SCOPED(rows, PACKED_MAX);
	int rc;

	packed_looks_begin(base, &before);
	rc = append ? buf_add(&rows, l->rows) : packed_looks_start(&rows, base);
	rc = rc ? err_code(err, rc)
		: packed_looks_add(
			  c, &rows, append ? &l->packed.look : &before, look, is_derived, err);
	if (rc == 0)
		rc = put_packed(c, append ? SQL_SET_PACKED : SQL_ADD_PACKED, capture, look,
			append ? l->first : (int64_t)look->number, buf_slice(&rows), err);
	return rc;
}

static int is_derived(
	struct catalog *c, uint32_t capture, const struct attempt *look, bool *ret, struct err *err)
{
	struct warc_id id;
	int rc = derive_id(c, capture, look, &id, err);

	*ret = rc == 0 && look->record_id.ptr && slice_eq(slice_str(id.text), look->record_id);
	return rc == ERR_LIMIT ? 0 : rc;
}

static bool is_at(const struct rows *rows, const struct attempt *a)
{
	return rows->more && rows->a.leg == a->leg && rows->a.number == a->number;
}

/* ERR_LIMIT for what does not fit into a row of looks: it gets one of its own. */
static int add_look(struct catalog *c, uint32_t capture, const struct attempt *a, struct err *err)
{
	struct last_row l = {0};
	bool derived = false;
	int rc = find_base(&l.base, c, capture, a->page, (const unsigned[]){a->leg, a->number},
		SQL_FIND_BASE, err);

	if (rc == 0)
		rc = find_last(&l, c, capture, a, err);
	if (rc == 0 && (l.exists || is_at(&l.base, a)))
		rc = err_set(err, ERR_EXISTS, "%s has this row already", c->path);
	if (rc == 0 && l.is_there && l.packed.look.number > a->number)
		rc = ERR_LIMIT;
	if (rc == 0)
		rc = is_derived(c, capture, a, &derived, err);
	if (rc == 0)
		rc = add_packed(c, capture, &l, a, derived, err);
	end_last(&l);
	return rc;
}

/* Whether it is among the packed looks already. */
static int is_packed(
	struct catalog *c, uint32_t capture, const struct attempt *a, bool *ret, struct err *err)
{
	struct last_row l = {0};
	int rc = find_last(&l, c, capture, a, err);

	*ret = l.exists;
	end_last(&l);
	return rc;
}

static int add_row(struct catalog *c, uint32_t capture, const struct attempt *a, struct err *err)
{
	int64_t page = a->page;
	bool exists = false;
	struct query q;
	int rc = 0;

	query_write(&q, c, SQL_ADD_OBSERVATION, err);
	if (a->page == CATALOG_NO_PAGE && !q.rc)
		rc = next_side(c, capture, &page, err);
	else if (!q.rc)
		rc = is_packed(c, capture, a, &exists, err);
	if (exists)
		rc = err_set(err, ERR_EXISTS, "%s has this row already", c->path);
	if (rc)
		return query_end(&q, rc);
	query_put_int(&q, capture);
	query_put_int(&q, page);
	/* That of a page is the page's. */
	query_put_text(&q, page >= SIDE_FIRST ? a->url : (slice){0});
	query_put_row(&q, capture, a);
	return query_run(&q, err);
}

int catalog_add_observation(
	struct catalog *c, uint32_t capture, const struct attempt *a, struct err *err)
{
	int rc = ERR_LIMIT;

	if (a->number > CATALOG_ATTEMPT_MAX)
		return err_set(err, ERR_RANGE, "%s: attempt %u", c->path, a->number);
	if (a->is_compact && a->page != CATALOG_NO_PAGE && a->number > 0)
		rc = add_look(c, capture, a, err);
	return rc == ERR_LIMIT ? add_row(c, capture, a, err) : rc;
}

/* ---- changing ---- */

VEC_DECLARE(attempt_vec, struct attempt);

/* All observations of a page, in memory. */
struct page_copy {
	struct arena arena;
	struct attempt_vec list;
};

enum { PAGE_MAX = 1 << 30 };

static int keep_copy(void *context, const struct attempt *a)
{
	struct page_copy *copy = context;
	struct attempt kept = *a;

	TRY(attempt_keep(&kept, &copy->arena));
	return attempt_vec_push(&copy->list, kept);
}

static int drop_page(
	struct catalog *c, enum catalog_sql sql, uint32_t capture, uint32_t page, struct err *err)
{
	struct query q;

	query_write(&q, c, sql, err);
	query_put_int(&q, capture);
	query_put_int(&q, page);
	query_put_int(&q, ATTEMPT_LEGS); /* those of a later version stay */
	return query_run(&q, err);
}

int catalog_edit_page(struct catalog *c, uint32_t capture, uint32_t page, catalog_edit *call,
	void *context, struct err *err)
{
	struct page_copy copy = {0};
	int rc;

	arena_init_small(&copy.arena, PAGE_MAX);
	rc = err_code(err, catalog_page_observations(c, capture, page, keep_copy, &copy, err));
	for (size_t i = 0; rc == 0 && i < copy.list.len; i++)
		rc = call(context, &copy.list.ptr[i]);
	if (rc == 0)
		rc = drop_page(c, SQL_DROP_OBSERVATIONS, capture, page, err);
	if (rc == 0)
		rc = drop_page(c, SQL_DROP_PACKED, capture, page, err);
	for (size_t i = 0; rc == 0 && i < copy.list.len; i++)
		rc = catalog_add_observation(c, capture, &copy.list.ptr[i], err);
	attempt_vec_release(&copy.list);
	arena_release(&copy.arena);
	return rc;
}

int catalog_count_seen(struct catalog *c, uint32_t capture, uint64_t *ret, struct err *err)
{
	struct query q;
	int rc;

	query_rows(&q, c, SQL_COUNT_SEEN, capture, err);
	rc = query_next(&q, err);
	if (rc == 0)
		*ret = query_up_to(&q, 0, UINT32_MAX);
	return query_end(&q, rc);
}
