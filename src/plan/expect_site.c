#include "plan/expect_site.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"

enum {
	NAME_SHOWN_MAX = 80,  /* bytes of a page, link or column name in a message */
	FILE_SHOWN_MAX = 160, /* the same of a file's name */
};

/* Of all names; a site of a million pages has a twentieth of it. */
#define TEXT_MAX ((size_t)4 << 30)

#define NO_PAGE UINT32_MAX

#define HEADER_HINT "the header names the columns: page,rate[,weight][,shape][,links]"

enum column {
	COLUMN_PAGE,
	COLUMN_RATE,
	COLUMN_WEIGHT,
	COLUMN_SHAPE,
	COLUMN_LINKS,
	COLUMN_REQUISITES,
	COLUMN_COUNT,
};

static const slice COLUMNS[COLUMN_COUNT] = {
	[COLUMN_PAGE] = SLICE_INIT("page"),
	[COLUMN_RATE] = SLICE_INIT("rate"),
	[COLUMN_WEIGHT] = SLICE_INIT("weight"),
	[COLUMN_SHAPE] = SLICE_INIT("shape"),
	[COLUMN_LINKS] = SLICE_INIT("links"),
	[COLUMN_REQUISITES] = SLICE_INIT("requisites"),
};

/* A name with an id. */
struct mention {
	slice name;
	uint64_t line; /* of its row; of the first link while there is none */
	uint32_t page; /* NO_PAGE while only links have named it */
};

VEC_DECLARE(mentions, struct mention);
VEC_DECLARE(survivals, struct survival);
VEC_DECLARE(floats, float);
VEC_DECLARE(sizes, size_t);

struct reader {
	struct err *err;
	uint64_t line;            /* to blame for what goes wrong; 0: none */
	int column[COLUMN_COUNT]; /* where each stands, or -1 */
	size_t columns;           /* in the file */

	struct arena text;
	struct strmap ids;
	struct mentions mentions; /* by id */
	struct survivals survival;
	struct floats weights;
	struct sizes link_from;
	struct u32_vec links;          /* ids */
	struct group_edges requisites; /* page numbers and ids */
};

/* The CSV reader says "line N: …": the line is kept apart. */
static int fail_csv(struct reader *r, const struct err *csv)
{
	static const char LINE[] = "line ";
	const char *text = csv->text;
	char *rest;

	r->line = 0;
	if (strncmp(text, LINE, sizeof LINE - 1) == 0) {
		r->line = strtoull(text + sizeof LINE - 1, &rest, 10);
		text = rest + strspn(rest, ": ");
	}
	return err_set(r->err, csv->code, "%s", text);
}

/* Says which file, by the end of a long name, and which line, where one is to blame. */
static void locate(struct err *err, const char *file, uint64_t line)
{
	size_t len = strlen(file);

	if (len > FILE_SHOWN_MAX)
		file += len - FILE_SHOWN_MAX;
	if (line && err->code != ERR_NOMEM)
		err_prefix(err, "%s:%llu", file, (unsigned long long)line);
	else
		err_prefix(err, "%s", file);
}

/* Other columns of `stillpoint rates --csv`. Unknown ones are refused: they may be misspelt. */
static bool is_ignored(slice name)
{
	static const slice NAMES[] = {
		SLICE_INIT("low"),
		SLICE_INIT("high"),
		SLICE_INIT("observations"),
		SLICE_INIT("changes"),
		SLICE_INIT("last_change"),
		SLICE_INIT("days_since_change"),
		SLICE_INIT("source"),
		SLICE_INIT("images"),
		SLICE_INIT("tables"),
		SLICE_INIT("out_links"),
		SLICE_INIT("in_links"),
		SLICE_INIT("probability"),
	};

	for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
		if (slice_eq(NAMES[i], name))
			return true;
	return false;
}

static int read_column(struct reader *r, slice name, int at)
{
	if (is_ignored(name))
		return 0;
	if (slice_eq(name, SLICE("url"))) /* as in files for crawl --rates */
		name = COLUMNS[COLUMN_PAGE];
	for (size_t c = 0; c < COLUMN_COUNT; c++) {
		if (!slice_eq(COLUMNS[c], name))
			continue;
		if (r->column[c] >= 0)
			return err_set(r->err, ERR_SYNTAX, "column '%s' is given twice (%s)",
				COLUMNS[c].ptr, HEADER_HINT);
		r->column[c] = at;
		return 0;
	}
	return err_set(r->err, ERR_SYNTAX, "unknown column '%.*s' (%s)",
		slice_shown(name, NAME_SHOWN_MAX), name.ptr, HEADER_HINT);
}

static int read_header(struct reader *r, const struct csv_row *row)
{
	r->columns = row->count;
	r->line = row->line;
	for (size_t c = 0; c < COLUMN_COUNT; c++)
		r->column[c] = -1;
	for (size_t i = 0; i < row->count; i++) {
		int rc = read_column(r, row->fields[i], (int)i);

		if (rc)
			return rc;
	}
	for (enum column c = COLUMN_PAGE; c <= COLUMN_RATE; c++)
		if (r->column[c] < 0)
			return err_set(r->err, ERR_SYNTAX, "no column '%s' (%s)", COLUMNS[c].ptr,
				HEADER_HINT);
	return 0;
}

/* The id of a name, given out when it is new. */
static int find_id(struct reader *r, slice name, uint32_t *ret_id)
{
	struct mention m = {.line = r->line, .page = NO_PAGE};
	uint32_t id = (uint32_t)r->mentions.len;
	int rc;

	if (strmap_get(&r->ids, name, ret_id))
		return 0;
	m.name = (slice){arena_strdup(&r->text, name), name.len};
	if (!m.name.ptr)
		return err_code(r->err, ERR_NOMEM);
	rc = strmap_put(&r->ids, m.name, id);
	if (rc == ERR_LIMIT)
		return err_set(r->err, rc, "too many pages");
	if (rc || mentions_try_push(&r->mentions, m))
		return err_code(r->err, ERR_NOMEM);
	*ret_id = id;
	return 0;
}

static int read_page(struct reader *r, slice name)
{
	struct mention *m;
	uint32_t id;
	int rc;

	if (name.len == 0)
		return err_set(r->err, ERR_SYNTAX, "the page has no name");
	rc = find_id(r, name, &id);
	if (rc)
		return rc;
	m = &r->mentions.ptr[id];
	if (m->page != NO_PAGE)
		return err_set(r->err, ERR_EXISTS,
			"page '%.*s' is given already, in line %llu (keep one of them)",
			slice_shown(name, NAME_SHOWN_MAX), name.ptr, (unsigned long long)m->line);
	m->page = (uint32_t)r->survival.len;
	m->line = r->line;
	return 0;
}

static int read_weight(struct reader *r, const struct csv_row *row)
{
	double weight;
	int rc;

	if (r->column[COLUMN_WEIGHT] < 0)
		return 0;
	rc = csv_number(row->fields[r->column[COLUMN_WEIGHT]], "weight", FLT_MAX, &weight, r->err);
	return rc ? rc : err_code(r->err, floats_try_push(&r->weights, (float)weight));
}

/* How much is known of the rate; nothing said is all. */
static int read_survival(struct reader *r, const struct csv_row *row, struct survival *ret)
{
	struct survival s = {0};
	int shape = r->column[COLUMN_SHAPE];
	int rc = csv_number(row->fields[r->column[COLUMN_RATE]], "rate", DBL_MAX, &s.rate, r->err);

	if (rc == 0 && shape >= 0)
		rc = csv_number(row->fields[shape], "shape", DBL_MAX, &s.shape, r->err);
	if (rc == 0)
		*ret = s;
	return rc;
}

static int read_links(struct reader *r, const struct csv_row *row)
{
	slice rest = {0};
	int rc = err_code(r->err, sizes_try_push(&r->link_from, r->links.len));

	if (r->column[COLUMN_LINKS] >= 0)
		rest = row->fields[r->column[COLUMN_LINKS]];
	while (rc == 0 && rest.len > 0) {
		slice name = slice_take(&rest, ' ');
		uint32_t id;

		if (name.len == 0)
			continue;
		rc = find_id(r, name, &id);
		if (rc == 0)
			rc = err_code(r->err, u32_vec_try_push(&r->links, id));
	}
	return rc;
}

/* Of the page that is read: its number is the next. */
static int read_requisites(struct reader *r, const struct csv_row *row)
{
	uint32_t page = (uint32_t)r->survival.len, id;
	slice rest = {0};
	int rc = 0;

	if (r->column[COLUMN_REQUISITES] >= 0)
		rest = row->fields[r->column[COLUMN_REQUISITES]];
	while (rc == 0 && rest.len > 0) {
		slice name = slice_take(&rest, ' ');

		if (name.len == 0)
			continue;
		rc = find_id(r, name, &id);
		if (rc == 0)
			rc = err_code(r->err, group_edges_try_push(&r->requisites,
						      (struct group_edge){page, id}));
	}
	return rc;
}

static int read_row(struct reader *r, const struct csv_row *row)
{
	struct survival survival = {0};
	int rc;

	r->line = row->line;
	if (row->count != r->columns)
		return err_set(r->err, ERR_SYNTAX, "%zu field%s, but the header has %zu",
			row->count, row->count == 1 ? "" : "s", r->columns);
	rc = read_page(r, row->fields[r->column[COLUMN_PAGE]]);
	if (rc == 0)
		rc = read_survival(r, row, &survival);
	if (rc == 0)
		rc = read_weight(r, row);
	if (rc == 0)
		rc = read_links(r, row);
	if (rc == 0)
		rc = read_requisites(r, row);
	return rc ? rc : err_code(r->err, survivals_try_push(&r->survival, survival));
}

static int read_rows(struct reader *r, struct csv_reader *csv)
{
	struct err err = {0};
	struct csv_row row;
	uint64_t header_line;
	int rc = csv_next(csv, &row, &err);

	r->line = 1;
	if (rc == ERR_END)
		return err_set(r->err, ERR_SYNTAX, "the file is empty (%s)", HEADER_HINT);
	if (rc)
		return fail_csv(r, &err);
	rc = read_header(r, &row);
	header_line = row.line;
	while (rc == 0) {
		rc = csv_next(csv, &row, &err);
		if (rc == ERR_END)
			break;
		rc = rc ? fail_csv(r, &err) : read_row(r, &row);
	}
	if (rc != ERR_END)
		return rc;
	r->line = header_line;
	return r->survival.len > 0 ? 0 : err_set(r->err, ERR_SYNTAX, "no pages follow the header");
}

/* Gives the arrays to the site; all that can fail has been done. */
static void hand_over(struct reader *r, struct site *s)
{
	s->n = r->survival.len;
	for (size_t i = 0; i < r->mentions.len; i++) {
		const struct mention *m = &r->mentions.ptr[i];

		s->page_of_id[i] = m->page;
		s->names[m->page] = m->name;
	}
	for (size_t i = 0; i < r->links.len; i++)
		r->links.ptr[i] = s->page_of_id[r->links.ptr[i]];
	for (size_t i = 0; i < r->requisites.len; i++)
		r->requisites.ptr[i].requisite = s->page_of_id[r->requisites.ptr[i].requisite];
	s->requisites = r->requisites;
	s->survival = r->survival.ptr;
	s->weights = r->weights.ptr;
	s->link_from = r->link_from.ptr;
	s->links = r->links.ptr;
	s->ids = r->ids;
	s->text = r->text;
	s->ids.arena = NULL;
	mentions_release(&r->mentions);
}

static int build(struct reader *r, struct site *s)
{
	for (size_t i = 0; i < r->mentions.len; i++) {
		const struct mention *m = &r->mentions.ptr[i];

		r->line = m->line;
		if (m->page == NO_PAGE)
			return err_set(r->err, ERR_NOTFOUND,
				"link to '%.*s', which is not a page of the file",
				slice_shown(m->name, NAME_SHOWN_MAX), m->name.ptr);
	}
	if (sizes_try_push(&r->link_from, r->links.len))
		return err_code(r->err, ERR_NOMEM);
	s->names = calloc(r->survival.len + 1, sizeof *s->names);
	s->page_of_id = calloc(r->mentions.len + 1, sizeof *s->page_of_id);
	if (!s->names || !s->page_of_id) {
		free(s->names);
		free(s->page_of_id);
		return err_code(r->err, ERR_NOMEM);
	}
	hand_over(r, s);
	return 0;
}

static void release(struct reader *r)
{
	strmap_release(&r->ids);
	mentions_release(&r->mentions);
	survivals_release(&r->survival);
	floats_release(&r->weights);
	sizes_release(&r->link_from);
	u32_vec_release(&r->links);
	group_edges_release(&r->requisites);
	arena_release(&r->text);
}

static int read_file(struct reader *r, FILE *file, struct site *ret_site)
{
	struct csv_reader csv;
	struct err csv_err = {0};
	int rc = csv_open_file(&csv, file, 0, &csv_err);

	if (rc)
		return fail_csv(r, &csv_err);
	rc = read_rows(r, &csv);
	csv_close(&csv);
	return rc ? rc : build(r, ret_site);
}

int site_read(FILE *file, const char *name, struct site *ret_site, struct err *err)
{
	struct reader r = {.err = err};
	struct site site = {0};
	int rc;

	arena_init(&r.text, TEXT_MAX);
	strmap_init(&r.ids, hash_key_random(), NULL);
	rc = read_file(&r, file, &site);
	if (rc) {
		locate(err, name, r.line);
		release(&r);
	} else {
		*ret_site = site;
	}
	return rc;
}

int site_load(const char *path, struct site *ret_site, struct err *err)
{
	FILE *file;
	int rc;

	if (strcmp(path, "-") == 0)
		return site_read(stdin, "stdin", ret_site, err);
	file = csv_open_path(path, err);
	if (!file) {
		locate(err, path, 0);
		return ERR_IO;
	}
	rc = site_read(file, path, ret_site, err);
	(void)fclose(file);
	return rc;
}

void site_release(struct site *s)
{
	free(s->names);
	free(s->survival);
	free(s->weights);
	free(s->link_from);
	free(s->links);
	group_edges_release(&s->requisites);
	strmap_release(&s->ids);
	free(s->page_of_id);
	arena_release(&s->text);
	*s = (struct site){0};
}

bool site_find(const struct site *s, slice name, uint32_t *ret_page)
{
	uint32_t id;

	if (!strmap_get(&s->ids, name, &id))
		return false;
	*ret_page = s->page_of_id[id];
	return true;
}

static int reach(struct u32_vec *list, bool *seen, uint32_t page)
{
	if (seen[page])
		return 0;
	seen[page] = true;
	return u32_vec_try_push(list, page);
}

int site_reach(const struct site *s, const uint32_t *seeds, size_t seed_count, struct u32_vec *list,
	struct u32_vec *rest)
{
	bool *seen = calloc(s->n + 1, sizeof *seen);
	size_t next = list->len;
	int rc = seen ? 0 : ERR_NOMEM;

	for (size_t i = 0; rc == 0 && i < seed_count; i++)
		rc = reach(list, seen, seeds[i]);
	for (; rc == 0 && next < list->len; next++) {
		uint32_t page = list->ptr[next];

		for (size_t i = s->link_from[page]; rc == 0 && i < s->link_from[page + 1]; i++)
			rc = reach(list, seen, s->links[i]);
	}
	for (uint32_t i = 0; rc == 0 && i < s->n; i++)
		if (!seen[i])
			rc = u32_vec_try_push(rest, i);
	free(seen);
	return rc;
}
