/*
 * Reading a site. Links may name pages that come later, so every name gets an id when it is first
 * mentioned, as a page or in a link; when all rows are read, ids become page numbers. Each name is
 * stored once, and no link text is kept.
 */
#include <errno.h>
#include <float.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/csv.h"
#include "base/parse.h"
#include "sim/site.h"

enum {
	NAME_SHOWN_MAX = 80,  /* bytes of a page, link or column name in a message */
	FILE_SHOWN_MAX = 160, /* the same of a file's name */
	COMPLAINT_SIZE = 384,
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
	COLUMN_COUNT,
};

static const slice COLUMNS[COLUMN_COUNT] = {
	[COLUMN_PAGE] = SLICE_INIT("page"),
	[COLUMN_RATE] = SLICE_INIT("rate"),
	[COLUMN_WEIGHT] = SLICE_INIT("weight"),
	[COLUMN_SHAPE] = SLICE_INIT("shape"),
	[COLUMN_LINKS] = SLICE_INIT("links"),
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
	const char *file; /* for messages */
	struct err *err;
	int column[COLUMN_COUNT]; /* where each stands, or -1 */
	size_t columns;           /* in the file */
	uint64_t header_line;

	struct arena text;
	struct strmap ids;
	struct mentions mentions; /* by id */
	struct survivals survival;
	struct floats weights;
	struct sizes link_from;
	struct u32_vec links; /* ids */
};

/* A name as messages show it: the end of a long one tells more than its beginning. */
static slice tail(slice s, size_t max)
{
	return slice_sub(s, s.len > max ? s.len - max : 0, s.len);
}

SP_PRINTF(4, 5)
static int complain(const struct reader *r, int code, uint64_t line, const char *fmt, ...)
{
	slice file = tail(slice_str(r->file), FILE_SHOWN_MAX);
	char text[COMPLAINT_SIZE];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return err_set(r->err, code, "%s:%llu: %s", file.ptr, (unsigned long long)line, text);
}

static int complain_file(const char *file, struct err *err, int code, const char *what)
{
	return err_set(err, code, "%s: %s", tail(slice_str(file), FILE_SHOWN_MAX).ptr, what);
}

static int complain_memory(const struct reader *r)
{
	return complain_file(r->file, r->err, ERR_NOMEM, err_name(ERR_NOMEM));
}

/* The CSV reader says "line N: …". */
static int complain_csv(const struct reader *r, const struct err *csv)
{
	static const char LINE[] = "line ";
	unsigned long long line;
	char *rest;

	if (csv->code == ERR_NOMEM)
		return complain_memory(r);
	if (strncmp(csv->text, LINE, sizeof LINE - 1) != 0)
		return complain_file(r->file, r->err, csv->code, csv->text);
	line = strtoull(csv->text + sizeof LINE - 1, &rest, 10);
	return complain(r, csv->code, line, "%s", rest + strspn(rest, ": "));
}

static int read_column(struct reader *r, slice name, int at, uint64_t line)
{
	if (slice_eq(name, SLICE("url"))) /* as in files for crawl --rates */
		name = COLUMNS[COLUMN_PAGE];
	for (size_t c = 0; c < COLUMN_COUNT; c++) {
		if (!slice_eq(COLUMNS[c], name))
			continue;
		if (r->column[c] >= 0)
			return complain(r, ERR_SYNTAX, line, "column '%s' is given twice (%s)",
				COLUMNS[c].ptr, HEADER_HINT);
		r->column[c] = at;
		return 0;
	}
	return complain(r, ERR_SYNTAX, line, "unknown column '%.*s' (%s)",
		slice_shown(name, NAME_SHOWN_MAX), name.ptr, HEADER_HINT);
}

static int read_header(struct reader *r, const struct csv_row *row)
{
	r->columns = row->count;
	r->header_line = row->line;
	for (size_t c = 0; c < COLUMN_COUNT; c++)
		r->column[c] = -1;
	for (size_t i = 0; i < row->count; i++) {
		int rc = read_column(r, row->fields[i], (int)i, row->line);

		if (rc)
			return rc;
	}
	for (enum column c = COLUMN_PAGE; c <= COLUMN_RATE; c++)
		if (r->column[c] < 0)
			return complain(r, ERR_SYNTAX, row->line, "no column '%s' (%s)",
				COLUMNS[c].ptr, HEADER_HINT);
	return 0;
}

/* A number of at least 0 and at most max; what says of which column. */
static int read_number(
	struct reader *r, const char *what, slice field, double max, uint64_t line, double *ret)
{
	double value = 0;
	int rc;

	if (field.len == 0)
		return complain(
			r, ERR_SYNTAX, line, "the %s is missing (0 or more is needed)", what);
	rc = parse_double(field, &value);
	if (rc == ERR_SYNTAX)
		return complain(r, rc, line, "%s '%.*s' is not a number (0 or more is needed)",
			what, slice_shown(field, NAME_SHOWN_MAX), field.ptr);
	if (rc == 0 && value < 0)
		return complain(r, ERR_RANGE, line, "%s %.*s is negative (0 or more is needed)",
			what, slice_shown(field, NAME_SHOWN_MAX), field.ptr);
	if (rc || value > max)
		return complain(r, ERR_RANGE, line, "%s %.*s is too large (at most %g)", what,
			slice_shown(field, NAME_SHOWN_MAX), field.ptr, max);
	*ret = value + 0.0; /* -0 becomes 0 */
	return 0;
}

/* The id of a name, given out when it is new. */
static int find_id(struct reader *r, slice name, uint64_t line, uint32_t *ret_id)
{
	struct mention m = {.line = line, .page = NO_PAGE};
	uint32_t id = (uint32_t)r->mentions.len;
	int rc;

	if (strmap_get(&r->ids, name, ret_id))
		return 0;
	m.name = (slice){arena_strdup(&r->text, name), name.len};
	if (!m.name.ptr)
		return complain_memory(r);
	rc = strmap_put(&r->ids, m.name, id);
	if (rc == ERR_LIMIT)
		return complain(r, rc, line, "too many pages");
	if (rc || mentions_push(&r->mentions, m))
		return complain_memory(r);
	*ret_id = id;
	return 0;
}

static int read_page(struct reader *r, slice name, uint64_t line)
{
	struct mention *m;
	uint32_t id;
	int rc;

	if (name.len == 0)
		return complain(r, ERR_SYNTAX, line, "the page has no name");
	rc = find_id(r, name, line, &id);
	if (rc)
		return rc;
	m = &r->mentions.ptr[id];
	if (m->page != NO_PAGE)
		return complain(r, ERR_EXISTS, line,
			"page '%.*s' is given already, in line %llu (keep one of them)",
			slice_shown(name, NAME_SHOWN_MAX), name.ptr, (unsigned long long)m->line);
	m->page = (uint32_t)r->survival.len;
	m->line = line;
	return 0;
}

static int read_weight(struct reader *r, const struct csv_row *row)
{
	double weight;
	int rc;

	if (r->column[COLUMN_WEIGHT] < 0)
		return 0;
	rc = read_number(
		r, "weight", row->fields[r->column[COLUMN_WEIGHT]], FLT_MAX, row->line, &weight);
	if (rc)
		return rc;
	return floats_push(&r->weights, (float)weight) ? complain_memory(r) : 0;
}

/* How much is known of the rate; nothing said is all. */
static int read_survival(struct reader *r, const struct csv_row *row, struct survival *ret)
{
	struct survival s = {0};
	int shape = r->column[COLUMN_SHAPE];
	int rc = read_number(
		r, "rate", row->fields[r->column[COLUMN_RATE]], DBL_MAX, row->line, &s.rate);

	if (rc == 0 && shape >= 0)
		rc = read_number(r, "shape", row->fields[shape], DBL_MAX, row->line, &s.shape);
	if (rc == 0)
		*ret = s;
	return rc;
}

/* The next of words separated by blanks, and *rest behind it; empty when there is none. */
static slice take_word(slice *rest)
{
	size_t from = 0, to;
	slice word;

	while (from < rest->len && rest->ptr[from] == ' ')
		from++;
	for (to = from; to < rest->len && rest->ptr[to] != ' ';)
		to++;
	word = slice_sub(*rest, from, to);
	*rest = slice_sub(*rest, to, rest->len);
	return word;
}

static int read_links(struct reader *r, const struct csv_row *row)
{
	slice rest = {0}, name;

	if (sizes_push(&r->link_from, r->links.len))
		return complain_memory(r);
	if (r->column[COLUMN_LINKS] >= 0)
		rest = row->fields[r->column[COLUMN_LINKS]];
	while ((name = take_word(&rest)).len > 0) {
		uint32_t id;
		int rc = find_id(r, name, row->line, &id);

		if (rc)
			return rc;
		if (u32_vec_push(&r->links, id))
			return complain_memory(r);
	}
	return 0;
}

static int read_row(struct reader *r, const struct csv_row *row)
{
	struct survival survival = {0};
	int rc;

	if (row->count != r->columns)
		return complain(r, ERR_SYNTAX, row->line, "%zu field%s, but the header has %zu",
			row->count, row->count == 1 ? "" : "s", r->columns);
	rc = read_page(r, row->fields[r->column[COLUMN_PAGE]], row->line);
	if (rc == 0)
		rc = read_survival(r, row, &survival);
	if (rc == 0)
		rc = read_weight(r, row);
	if (rc == 0)
		rc = read_links(r, row);
	if (rc == 0 && survivals_push(&r->survival, survival))
		rc = complain_memory(r);
	return rc;
}

static int read_rows(struct reader *r, struct csv_reader *csv)
{
	struct err err = {0};
	struct csv_row row;
	int rc = csv_next(csv, &row, &err);

	if (rc == ERR_END)
		return complain(r, ERR_SYNTAX, 1, "the file is empty (%s)", HEADER_HINT);
	if (rc)
		return complain_csv(r, &err);
	rc = read_header(r, &row);
	while (rc == 0) {
		rc = csv_next(csv, &row, &err);
		if (rc == ERR_END)
			break;
		rc = rc ? complain_csv(r, &err) : read_row(r, &row);
	}
	if (rc != ERR_END)
		return rc;
	return r->survival.len > 0
		       ? 0
		       : complain(r, ERR_SYNTAX, r->header_line, "no pages follow the header");
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

		if (m->page == NO_PAGE)
			return complain(r, ERR_NOTFOUND, m->line,
				"link to '%.*s', which is not a page of the file",
				slice_shown(m->name, NAME_SHOWN_MAX), m->name.ptr);
	}
	if (sizes_push(&r->link_from, r->links.len))
		return complain_memory(r);
	s->names = calloc(r->survival.len + 1, sizeof *s->names);
	s->page_of_id = calloc(r->mentions.len + 1, sizeof *s->page_of_id);
	if (!s->names || !s->page_of_id) {
		free(s->names);
		free(s->page_of_id);
		return complain_memory(r);
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
	arena_release(&r->text);
}

int site_read(FILE *file, const char *name, struct site *ret_site, struct err *err)
{
	struct reader r = {.file = name, .err = err};
	struct csv_reader csv;
	struct err csv_err = {0};
	struct site site = {0};
	int rc;

	rc = csv_open_file(&csv, file, 0, &csv_err);
	if (rc)
		return complain_csv(&r, &csv_err);
	arena_init(&r.text, TEXT_MAX);
	strmap_init(&r.ids, hash_key_random(), NULL);
	rc = read_rows(&r, &csv);
	csv_close(&csv);
	if (rc == 0)
		rc = build(&r, &site);
	if (rc)
		release(&r);
	else
		*ret_site = site;
	return rc;
}

int site_load(const char *path, struct site *ret_site, struct err *err)
{
	struct stat st;
	FILE *file;
	int rc;

	if (strcmp(path, "-") == 0)
		return site_read(stdin, "stdin", ret_site, err);
	file = fopen(path, "re");
	if (!file)
		return complain_file(path, err, ERR_IO, strerror(errno));
	/* Opening one works, and only reading fails. */
	if (fstat(fileno(file), &st) == 0 && S_ISDIR(st.st_mode))
		rc = complain_file(path, err, ERR_IO, "is a directory, not a CSV file");
	else
		rc = site_read(file, path, ret_site, err);
	(void)fclose(file);
	return rc;
}
