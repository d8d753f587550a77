#include "quality/verify_table.h"

#include <stdlib.h>

#include "catalog/catalog_line.h"
#include "quality/verify_run.h"

void verify_table_release(struct verify_table *t)
{
	verify_rows_release(&t->rows);
	verify_edges_release(&t->edges);
}

/* ---- what lines say, in hashes ---- */

static uint64_t hash_text(const struct verify *v, uint64_t before, slice text)
{
	uint64_t pair[2] = {before, hash_bytes(v->evidence.key, text)};

	return hash_bytes(v->evidence.key, (slice){(const char *)pair, sizeof pair});
}

static uint64_t hash_found(const struct verify *v, const struct catalog_page *p)
{
	const uint64_t numbers[] = {p->via, p->depth, p->hops_out};
	const double figures[] = {p->rate, p->shape};
	uint64_t h = hash_text(v, 0, p->url);

	h = hash_text(v, h, p->kind);
	h = hash_text(v, h, p->found);
	h = hash_text(v, h, (slice){(const char *)numbers, sizeof numbers});
	return hash_text(v, h, (slice){(const char *)figures, sizeof figures});
}

static uint64_t hash_decision(const struct verify *v, bool taken, enum left_out reason, slice rule)
{
	const uint64_t numbers[] = {taken, reason};

	return hash_text(v, hash_text(v, 0, rule), (slice){(const char *)numbers, sizeof numbers});
}

static uint64_t hash_plan(const struct verify *v, const struct catalog_plan *p)
{
	const int64_t numbers[] = {p->visit, p->revisit, p->hopeless};

	return hash_text(v, 0, (slice){(const char *)numbers, sizeof numbers});
}

/* ---- reading ---- */

/* The row of a page, which is new if it is the next one: NULL for any other, or without memory. */
static struct verify_row *row_of(struct verify_table *t, uint32_t page)
{
	if (page == t->rows.len && verify_rows_push(&t->rows, (struct verify_row){0}))
		return NULL;
	return page < t->rows.len ? &t->rows.ptr[page] : NULL;
}

static uint32_t page_of(const struct catalog_line *l)
{
	switch (l->kind) {
	case CATALOG_ROW_PLAN:
		return l->plan.page;
	case CATALOG_ROW_REQUISITE:
		return l->requisite.page;
	default:
		return l->page.number;
	}
}

static int apply(const struct verify *v, struct verify_table *t, const struct catalog_line *l)
{
	struct verify_row *row;

	if (l->kind == CATALOG_ROW_UNKEPT || l->kind == CATALOG_ROW_LIST_PAGE ||
		l->kind == CATALOG_ROW_LINKS || l->kind == CATALOG_ROW_ADD_ROBOTS ||
		l->kind == CATALOG_ROW_CONFIRM_ROBOTS || l->kind == CATALOG_ROW_POLL)
		return 0;
	row = row_of(t, page_of(l));
	if (!row)
		return ERR_SYNTAX;
	switch (l->kind) {
	case CATALOG_ROW_PLAN:
		row->plan = hash_plan(v, &l->plan);
		row->planned = true;
		return 0;
	case CATALOG_ROW_REQUISITE:
		return verify_edges_push(
			&t->edges, (uint64_t)l->requisite.page << 32 | l->requisite.requisite);
	case CATALOG_ROW_MARK_PAGE:
		row->content = (uint8_t)l->page.content;
		return 0;
	case CATALOG_ROW_WEIGH_PAGE:
		row->weight = l->page.weight;
		return 0;
	case CATALOG_ROW_ADD_PAGE:
	case CATALOG_ROW_TAKE_PAGE:
		row->weight = l->page.weight;
		row->found = hash_found(v, &l->page);
		row->known = true;
		row->decision = hash_decision(v, l->page.taken, l->page.left_out, l->page.rule);
		return 0;
	default: /* refused, or admitted */
		row->decision = hash_decision(
			v, l->kind == CATALOG_ROW_ADMIT_PAGE, l->page.left_out, l->page.rule);
		return 0;
	}
}

/* The line that says whose lines follow. */
static bool is_capture(slice line, slice *ret_uuid)
{
	if (!slice_starts_with(line, SLICE(CATALOG_TABLE_OF)))
		return false;
	*ret_uuid = slice_sub(line, sizeof CATALOG_TABLE_OF - 1, line.len);
	return true;
}

static int read_line(struct verify *v, slice line, struct verify_capture *c, struct arena *scratch)
{
	struct catalog_line l;
	int rc;

	arena_reset(scratch);
	rc = c ? catalog_line_parse(line, scratch, &l) : ERR_SYNTAX;
	if (rc == 0)
		rc = apply(v, &c->table, &l);
	return rc == ERR_NOTFOUND ? 0 : rc; /* of a later version */
}

static slice take_line(slice *block)
{
	slice line = slice_take(block, '\n');

	return slice_ends_with(line, SLICE("\r")) ? slice_sub(line, 0, line.len - 1) : line;
}

int verify_table_record(
	struct verify *v, slice block, const struct verify_place *place, struct arena *scratch)
{
	struct verify_capture *c = NULL;
	slice line = take_line(&block), uuid;
	int rc = slice_starts_with(line, SLICE("stillpoint-pages: ")) ? 0 : ERR_SYNTAX;

	while (rc == 0 && block.len > 0) {
		line = take_line(&block);
		rc = is_capture(line, &uuid) ? verify_find_capture(v, uuid, &c)
					     : read_line(v, line, c, scratch);
	}
	if (rc != ERR_SYNTAX)
		return rc;
	return verify_problem(v, (slice){0}, place, "a line of the page table cannot be read");
}

/* ---- comparing ---- */

struct comparing {
	struct verify *v;
	const struct verify_table *table;
	size_t pages;
	size_t edge; /* the next one */
	struct err *err;
};

static int on_page(void *context, const struct catalog_page *p)
{
	struct comparing *c = context;
	const struct verify_row *row =
		p->number < c->table->rows.len ? &c->table->rows.ptr[p->number] : NULL;
	uint64_t decision = hash_decision(c->v, p->taken, p->left_out, p->rule);
	int rc = 0;

	c->pages++;
	if (!row || !row->known)
		rc = verify_problem(c->v, p->url, NULL,
			"the catalog has a page that the page table of the WARC has not");
	else if (row->found != hash_found(c->v, p) || row->decision != decision ||
		 row->weight != p->weight || row->content != p->content)
		rc = verify_problem(c->v, p->url, NULL,
			"the catalog has it otherwise than the page table of the WARC");
	return err_code(c->err, rc);
}

static int on_plan(void *context, const struct catalog_plan *p)
{
	struct comparing *c = context;
	const struct verify_row *row =
		p->page < c->table->rows.len ? &c->table->rows.ptr[p->page] : NULL;

	if (!row || !row->planned || row->plan == hash_plan(c->v, p))
		return 0;
	return err_code(
		c->err, verify_problem(c->v, (slice){0}, NULL,
				"the catalog has another plan than the page table of the WARC"));
}

static int on_requisite(void *context, const struct catalog_requisite *r)
{
	struct comparing *c = context;
	uint64_t edge = (uint64_t)r->page << 32 | r->requisite;

	if (c->edge < c->table->edges.len && c->table->edges.ptr[c->edge] == edge) {
		c->edge++;
		return 0;
	}
	return err_code(c->err,
		verify_problem(c->v, (slice){0}, NULL,
			"the catalog has other requisites of page %u than the page table of the "
			"WARC",
			r->page));
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* A page may have been read twice. */
static void sort_edges(struct verify_edges *e)
{
	size_t kept = 0;

	if (e->len == 0)
		return;
	qsort(e->ptr, e->len, sizeof *e->ptr, by_number);
	for (size_t i = 1; i < e->len; i++)
		if (e->ptr[i] != e->ptr[kept])
			e->ptr[++kept] = e->ptr[i];
	e->len = kept + 1;
}

/* Captures of earlier versions have no table; one that is under way need not have all of it. */
int verify_table_compare(
	struct verify *v, struct verify_capture *c, struct catalog *catalog, struct err *err)
{
	struct comparing k = {.v = v, .table = &c->table, .err = err};
	int rc;

	if (c->table.rows.len == 0 || !c->ended || v->loss)
		return 0;
	sort_edges(&c->table.edges);
	rc = catalog_each_page(catalog, c->id, on_page, &k, err);
	/* Lines of the plan are not evidence, and a crash may lose the last of them. */
	if (rc == 0 && !c->resumed)
		rc = catalog_each_plan(catalog, c->id, on_plan, &k, err);
	if (rc == 0)
		rc = catalog_each_requisite(catalog, c->id, on_requisite, &k, err);
	if (rc == 0 && (k.pages < c->table.rows.len || k.edge < c->table.edges.len))
		rc = err_code(
			err, verify_problem(v, (slice){0}, NULL,
				     "the page table of the WARC has pages or requisites that the "
				     "catalog has not"));
	return rc;
}
