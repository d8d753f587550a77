#include "proof/verify.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/lists.h"
#include "catalog/catalog_line.h"
#include "proof/noise_rules.h"
#include "proof/report.h"
#include "proof/same_body.h"
#include "proof/verify_run.h"
#include "warc/warc_set.h"
#include "warc/warc_writer.h"

enum { PATH_SIZE = 4096, TEXT_SIZE = 1024, LINE_TEXT_MAX = 4 << 20, URL_TEXT_MAX = 1 << 24 };

static void verify_table_release(struct verify_table *t)
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

/* The row of a page, which is new if it is the next one: NULL for any other. */
static struct verify_row *row_of(struct verify_table *t, uint32_t page)
{
	if (page == t->rows.len)
		verify_rows_push(&t->rows, (struct verify_row){0});
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
		verify_edges_push(
			&t->edges, (uint64_t)l->requisite.page << 32 | l->requisite.requisite);
		return 0;
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

static int read_line(
	const struct verify *v, slice line, struct verify_capture *c, struct arena *texts)
{
	struct catalog_line l;
	int rc;

	arena_reset(texts);
	rc = c ? catalog_line_parse(line, texts, &l) : ERR_SYNTAX;
	if (rc == 0)
		rc = apply(v, &c->table, &l);
	return rc == ERR_NOTFOUND ? 0 : rc; /* of a later version */
}

static slice take_line(slice *block)
{
	slice line = slice_take(block, '\n');

	return slice_ends_with(line, SLICE("\r")) ? slice_sub(line, 0, line.len - 1) : line;
}

void verify_table_record(struct verify *v, slice block, const struct verify_place *place)
{
	struct verify_capture *c = NULL;
	slice line = take_line(&block);
	struct arena texts;
	int rc = slice_starts_with(line, SLICE("stillpoint-pages: ")) ? 0 : ERR_SYNTAX;

	arena_init_small(&texts, LINE_TEXT_MAX);
	while (rc == 0 && block.len > 0) {
		line = take_line(&block);
		if (slice_starts_with(line, SLICE(CATALOG_TABLE_OF))) /* whose lines follow */
			c = verify_find_capture(
				v, slice_sub(line, sizeof CATALOG_TABLE_OF - 1, line.len));
		else
			rc = read_line(v, line, c, &texts);
	}
	arena_release(&texts);
	if (rc != ERR_SYNTAX) {
		verify_fail(v, rc);
		return;
	}
	/* The pages before may be in a file that is lost. */
	verify_lost(v, v->loss, (slice){0}, place, "a line of the page table cannot be read");
}

/* ---- comparing ---- */

struct comparing {
	struct verify *v;
	const struct verify_table *table;
	size_t pages;
	size_t edge; /* the next one */
};

static int on_page(void *context, const struct catalog_page *p)
{
	struct comparing *c = context;
	const struct verify_row *row =
		p->number < c->table->rows.len ? &c->table->rows.ptr[p->number] : NULL;
	uint64_t decision = hash_decision(c->v, p->taken, p->left_out, p->rule);

	c->pages++;
	if (!row || !row->known)
		verify_problem(c->v, p->url, NULL,
			"the catalog has a page that the page table of the WARC has not");
	else if (row->found != hash_found(c->v, p) || row->decision != decision ||
		 row->weight != p->weight || row->content != p->content)
		verify_problem(c->v, p->url, NULL,
			"the catalog has it otherwise than the page table of the WARC");
	return 0;
}

static int on_plan(void *context, const struct catalog_plan *p)
{
	struct comparing *c = context;
	const struct verify_row *row =
		p->page < c->table->rows.len ? &c->table->rows.ptr[p->page] : NULL;

	if (row && row->planned && row->plan != hash_plan(c->v, p))
		verify_problem(c->v, (slice){0}, NULL,
			"the catalog has another plan than the page table of the WARC");
	return 0;
}

static int on_requisite(void *context, const struct catalog_requisite *r)
{
	struct comparing *c = context;
	uint64_t edge = (uint64_t)r->page << 32 | r->requisite;

	if (c->edge < c->table->edges.len && c->table->edges.ptr[c->edge] == edge)
		c->edge++;
	else
		verify_problem(c->v, (slice){0}, NULL,
			"the catalog has other requisites of page %u than the page table of the "
			"WARC",
			r->page);
	return 0;
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
	struct comparing k = {.v = v, .table = &c->table};

	if (c->table.rows.len == 0 || !c->ended || v->loss)
		return 0;
	sort_edges(&c->table.edges);
	TRY(catalog_each_page(catalog, c->id, on_page, &k, err));
	/* Lines of the plan are not evidence, and a crash may lose the last of them. */
	if (!c->resumed)
		TRY(catalog_each_plan(catalog, c->id, on_plan, &k, err));
	TRY(catalog_each_requisite(catalog, c->id, on_requisite, &k, err));
	if (k.pages < c->table.rows.len || k.edge < c->table.edges.len)
		verify_problem(v, (slice){0}, NULL,
			"the page table of the WARC has pages or requisites that the catalog has "
			"not");
	return 0;
}

/* Of strings: URLs, record ids, problems. */
#define ARENA_MAX ((size_t)64 << 30)

/* ---- problems ---- */

void verify_fail(struct verify *v, int code)
{
	if (code && !v->failure.code)
		(void)err_code(&v->failure, code);
}

void verify_blame(struct verify *v, uint32_t loss)
{
	v->cause = loss;
}

/* The problem that is about to be added: its cause is known, or that of the first like it. */
static uint32_t find_cause(struct verify *v, slice text)
{
	uint32_t first = (uint32_t)v->problems.len;

	if (v->cause)
		return v->cause - 1;
	if (!strmap_get(&v->causes, text, &first))
		(void)strmap_add(&v->causes, text, first);
	return first;
}

static SP_PRINTF(5, 0) void add(struct verify *v, struct verify_problems *list, slice url,
	const struct verify_place *place, const char *fmt, va_list args)
{
	struct verify_problem p = {.url = words_copy(&v->words, url)};
	char text[TEXT_SIZE];

	(void)vsnprintf(text, sizeof text, fmt, args);
	if (place) {
		p.file = words_copy(&v->words, place->file);
		p.offset = place->offset;
		p.has_offset = true;
	}
	p.text = words_copy(&v->words, slice_str(text));
	if (list == &v->problems)
		p.cause = find_cause(v, p.text);
	verify_problems_push(list, p);
}

void verify_problem(
	struct verify *v, slice url, const struct verify_place *place, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add(v, &v->problems, url, place, fmt, args);
	va_end(args);
}

void verify_lost(struct verify *v, uint32_t loss, slice url, const struct verify_place *place,
	const char *fmt, ...)
{
	uint32_t before = v->cause;
	va_list args;

	v->cause = loss ? loss : before;
	va_start(args, fmt);
	add(v, &v->problems, url, place, fmt, args);
	va_end(args);
	v->cause = before;
}

void verify_note(
	struct verify *v, slice url, const struct verify_place *place, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add(v, &v->notes, url, place, fmt, args);
	va_end(args);
}

/* ---- captures ---- */

struct verify_capture *verify_find_capture(struct verify *v, slice uuid)
{
	struct verify_capture c = {.book = rulebook_default()};
	uint32_t number;

	if (!strmap_get(&v->by_uuid, uuid, &number)) {
		number = (uint32_t)v->captures.len;
		c.uuid = words_copy(&v->words, uuid);
		(void)strmap_add(&v->by_uuid, c.uuid, number);
		seen_init(&c.urls, hash_key_random());
		learned_pages_init(&c.learned);
		verify_captures_push(&v->captures, c);
	}
	return &v->captures.ptr[number];
}

/* ---- pages ---- */

/* Failures of the file of pages are kept. */
static void check_io(struct verify *v, int rc, const struct err *err)
{
	if (rc && !v->failure.code)
		v->failure = *err;
}

static uint64_t place_of(const struct verify_capture *c, uint32_t page)
{
	return (uint64_t)c->pages.ptr[page] * sizeof(struct verify_page);
}

static struct verify_page get_page(struct verify *v, const struct verify_capture *c, uint32_t page)
{
	struct verify_page row = {0};
	struct err err = {0};

	check_io(v, spill_read(&v->page_rows, place_of(c, page), &row, sizeof row, &err), &err);
	return row;
}

uint32_t verify_page(struct verify *v, struct verify_capture *c, slice url)
{
	struct verify_page row = {.url_at = v->page_urls.size, .url_len = url.len};
	struct err err = {0};
	uint32_t page;

	if (seen_find(&c->urls, url, &page))
		return page;
	page = (uint32_t)c->pages.len;
	verify_fail(v, seen_add(&c->urls, url, page));
	u32_vec_push(&c->pages, v->page_count++);
	if (url.len)
		check_io(v, spill_write(&v->page_urls, row.url_at, url.ptr, url.len, &err), &err);
	check_io(v, spill_write(&v->page_rows, place_of(c, page), &row, sizeof row, &err), &err);
	return page;
}

slice verify_url(struct verify *v, const struct verify_capture *c, uint32_t page)
{
	struct verify_page row = get_page(v, c, page);
	struct err err = {0};

	buf_reset(&v->url);
	if (row.url_len == 0 || buf_reserve(&v->url, row.url_len))
		return SLICE("");
	check_io(v, spill_read(&v->page_urls, row.url_at, v->url.ptr, row.url_len, &err), &err);
	return (slice){v->url.ptr, row.url_len};
}

struct legs verify_legs(struct verify *v, const struct verify_capture *c, uint32_t page)
{
	return get_page(v, c, page).legs;
}

void verify_put_legs(
	struct verify *v, const struct verify_capture *c, uint32_t page, const struct legs *legs)
{
	struct err err = {0};

	_Static_assert(offsetof(struct verify_page, legs) == 0, "they are written alone");
	check_io(v, spill_write(&v->page_rows, place_of(c, page), legs, sizeof *legs, &err), &err);
}

struct legs_terms verify_terms(const struct verify_capture *c)
{
	enum catalog_state ended = c->ended_by == CATALOG_END_NONE ? CATALOG_FINISHED : CATALOG_CUT;

	return (struct legs_terms){.single = c->single,
		.window = c->window,
		.state = c->ended ? ended : CATALOG_RUNNING,
		.ended_by = c->ended_by};
}

static void count_capture(struct verify *v, struct verify_capture *c)
{
	struct legs_terms terms = verify_terms(c);
	struct same_bodies same = {0};
	struct legs legs;

	for (uint32_t i = 0; i < c->pages.len; i++) {
		legs = verify_legs(v, c, i);
		same_bodies_add(&same, verify_url(v, c, i), &legs);
	}
	same_bodies_find(&same);
	for (uint32_t i = 0; i < c->pages.len; i++) {
		legs = verify_legs(v, c, i);
		if (same_bodies_mark(&same, &legs))
			verify_put_legs(v, c, i, &legs);
		c->sharp += legs_judge(&legs, &terms).verdict == VERDICT_SHARP;
	}
	v->pages += c->pages.len;
	v->sharp += c->sharp;
	same_bodies_release(&same);
}

/* ---- files ---- */

static int select_warc(const struct dirent *entry)
{
	return warc_is_name(warc_closed_name(slice_str(entry->d_name)));
}

static int on_warc(void *context, const struct catalog_warc *w)
{
	struct verify *v = context;

	if (words_put(&v->file_names, w->name) == v->files.len)
		verify_files_push(&v->files, (struct verify_file){
						     .size = w->size,
						     .complete = w->complete,
						     .has_digest = w->has_digest,
						     .digest = w->digest,
					     });
	return 0;
}

/* The problem that was told last is the loss of a file, or of a part of it. */
static void note_loss(struct verify *v, struct verify_file *f)
{
	f->loss = (uint32_t)v->problems.len;
	if (!v->loss)
		v->loss = f->loss;
}

static void check_size(struct verify *v, const struct verify_input *in)
{
	struct verify_place place = {.file = in->shown};
	struct verify_file *f;
	struct stat st;
	uint32_t number;

	if (!strmap_get(&v->file_names.map, in->name, &number) || in->source.fd < 0 ||
		fstat(in->source.fd, &st))
		return;
	f = &v->files.ptr[number];
	f->seen = true;
	place.offset = (uint64_t)st.st_size;
	if (place.offset < f->size) {
		verify_problem(v, (slice){0}, &place, "the file ends before its %llu bytes",
			(unsigned long long)f->size);
		note_loss(v, f);
	} else if (place.offset > f->size && f->complete) {
		verify_problem(v, (slice){0}, &place, "the file goes on behind its %llu bytes",
			(unsigned long long)f->size);
	}
}

static void read_file(struct verify *v, const struct verify_input *in)
{
	verify_read(v, in);
	verify_sum(v, in);
}

/* What is done with each file, in its turn. */
static void do_file(struct verify *v, const struct verify_params *p, const char *name,
	void (*call)(struct verify *v, const struct verify_input *in))
{
	char path[PATH_SIZE], shown[WARC_NAME_MAX + PATH_SIZE];
	struct verify_input in = {.name = warc_closed_name(slice_str(name))};
	int n = snprintf(path, sizeof path, "%s/%s", p->warc_dir, name);

	if (n < 0 || (size_t)n >= sizeof path)
		(void)err_set(&v->failure, ERR_LIMIT, "%.60s…: the path is too long", p->warc_dir);
	if (v->failure.code || strmap_get(&v->obsolete, in.name, NULL))
		return;
	(void)snprintf(shown, sizeof shown, "warc/%s", name);
	in.is_imported = p->imported && strmap_get(p->imported, in.name, NULL);
	in.shown = slice_str(shown);
	in.source.fd = file_open_inside(AT_FDCWD, path);
	call(v, &in);
	if (in.source.fd >= 0)
		(void)close(in.source.fd);
}

static void note_missing_files(struct verify *v)
{
	for (uint32_t i = 0; i < v->files.len; i++) {
		slice name = words_text(&v->file_names, i);

		if (v->files.ptr[i].seen)
			continue;
		verify_problem(v, (slice){0}, NULL, "warc/%.*s: the file is missing", (int)name.len,
			name.ptr);
		note_loss(v, &v->files.ptr[i]);
	}
}

/* The loss of files of which nothing but a gap is left. */
static void tell_loss(struct verify *v, const char *fmt, ...) SP_PRINTF(2, 3);

static void tell_loss(struct verify *v, const char *fmt, ...)
{
	struct verify_file lost = {0};
	va_list args;

	va_start(args, fmt);
	add(v, &v->problems, (slice){0}, NULL, fmt, args);
	va_end(args);
	if (!v->cause)
		note_loss(v, &lost);
}

static int on_gap(void *context, const struct warc_gap *gap)
{
	if (gap->is_before)
		tell_loss(context,
			"WARC files are missing that were written before warc/%s: %" PRIu64,
			gap->name, gap->count);
	else
		tell_loss(context,
			gap->count == 1 ? "warc/%s: the file is missing: there are those before "
					  "and behind it"
					: "warc/%s: the file is missing, as are those behind it: "
					  "%" PRIu64 " in all",
			gap->name, gap->count);
	return 0;
}

/* Files that neither the directory has nor the catalog, by the numbers of the others. */
static void note_gaps(
	struct verify *v, const struct verify_params *p, struct dirent **names, int count)
{
	struct slice_vec known = {0};
	uint64_t imported = 0;

	for (int i = 0; i < count; i++) {
		slice name = warc_closed_name(slice_str(names[i]->d_name));

		if (p->imported && strmap_get(p->imported, name, NULL))
			imported++;
		else if (!strmap_get(&v->file_names.map, name, NULL))
			slice_vec_push(&known, name);
	}
	for (uint32_t i = 0; i < v->files.len; i++) {
		slice name = words_text(&v->file_names, i);

		if (!p->imported || !strmap_get(p->imported, name, NULL))
			slice_vec_push(&known, name);
	}
	verify_fail(v, warc_names_missing(known.ptr, known.len, imported, on_gap, v));
	slice_vec_release(&known);
}

static uint64_t size_of_all(const struct verify_params *p, struct dirent **names, int count)
{
	char path[PATH_SIZE];
	uint64_t total = 0;
	struct stat st;

	for (int i = 0; i < count; i++) {
		(void)snprintf(path, sizeof path, "%s/%s", p->warc_dir, names[i]->d_name);
		if (stat(path, &st) == 0)
			total += (uint64_t)st.st_size;
	}
	return total;
}

/* A file's place in the order in which the catalog got to know them; behind all for others. */
static uint32_t rank_of(const struct verify *v, const char *name)
{
	uint32_t number = UINT32_MAX;

	(void)strmap_get(&v->file_names.map, warc_closed_name(slice_str(name)), &number);
	return number;
}

static int by_rank(const void *a, const void *b, void *context)
{
	const struct dirent *const *x = a, *const *y = b;
	uint32_t m = rank_of(context, (*x)->d_name), n = rank_of(context, (*y)->d_name);

	return m == n ? warc_name_compare((*x)->d_name, (*y)->d_name) : m < n ? -1 : 1;
}

/*
 * In the order in which they were begun, so that a revisit comes behind its visit. The catalog
 * knows it; without one it is that of the times in their names, if the clock was not set back.
 */
static int read_files(struct verify *v, const struct verify_params *p, struct err *err)
{
	struct dirent **names = NULL;
	int count = scandir(p->warc_dir, &names, select_warc, NULL);

	if (count < 0)
		return err_set(err, ERR_IO, "%s: %s", p->warc_dir, strerror(errno));
	/* Nothing to read proves nothing. What a catalog misses is told file by file. */
	if (count == 0 && !p->catalog)
		verify_problem(v, (slice){0}, NULL, "%s: there is no WARC file", p->warc_dir);
	if (count > 1)
		qsort_r(names, (size_t)count, sizeof(void *), by_rank, v);
	if (p->progress)
		progress_set_total(p->progress, size_of_all(p, names, count));
	/* What is lost is told first: much of what follows is due to it. */
	for (int i = 0; i < count; i++)
		do_file(v, p, names[i]->d_name, check_size);
	note_missing_files(v);
	note_gaps(v, p, names, count);
	for (int i = 0; i < count; i++) {
		do_file(v, p, names[i]->d_name, read_file);
		free(names[i]);
	}
	free(names);
	return 0;
}

/* A file that the user named: nothing is said of others. */
static int on_given(void *context, const struct warc_set_file *file, struct err *err)
{
	struct verify *v = context;
	slice name = warc_set_file_name(file);

	verify_read(v, &(struct verify_input){.source = file->source,
			       .shown = name,
			       .name = warc_closed_name(name),
			       .is_imported = true});
	if (v->failure.code)
		*err = v->failure;
	return v->failure.code;
}

/* Files that a retirement that was cut short left over (archive/retire.h). */
static int on_replaced(void *context, const struct catalog_replaced *r)
{
	struct verify *v = context;
	slice file = r->done ? r->name : r->new_name;

	verify_note(v, (slice){0}, NULL,
		"warc/%.*s: left over from 'stillpoint retire', which was cut short; the next "
		"command that writes removes it",
		slice_shown(file, 200), file.ptr);
	(void)strmap_add(&v->obsolete, file, 0);
	return 0;
}

/* Worth knowing of all that was read. */
static void note_all(struct verify *v)
{
	struct evidence e;
	size_t unclaimed = 0;

	for (uint32_t i = 0; i < evidence_count(&v->evidence); i++)
		unclaimed += evidence_get(&v->evidence, i, &e) && !e.claimed;
	if (unclaimed) /* those of other tools may well lie here */
		verify_note(
			v, (slice){0}, NULL, "responses that belong to no attempt: %zu", unclaimed);
	/* Their digests are of what the export wrote, not of what the server or crawler sent. */
	if (v->redacted)
		verify_note(v, (slice){0}, NULL,
			"records in which an export replaced secrets, and wrote new digests: "
			"%" PRIu64,
			v->redacted);
	/* Earlier versions knew less of noise, or more than was true. */
	if (v->rule_set_1.claims)
		verify_note(v, (slice){0}, NULL,
			"'normalised' rests on rule set version 1, which was too lenient: %" PRIu64
			" claims, %" PRIu64 " of them hold under version %d, %" PRIu64
			" do not, %" PRIu64 " could not be compared again",
			v->rule_set_1.claims, v->rule_set_1.hold, NOISE_RULES_VERSION,
			v->rule_set_1.do_not_hold, v->rule_set_1.not_recomputed);
	if (v->not_recomputed)
		verify_note(v, (slice){0}, NULL,
			"claims by a later version of the rules, not recomputed: %" PRIu64,
			v->not_recomputed);
}

/* ---- what is not there at all ---- */

/*
 * A capture begins with a reading of the clock: one that has later ones has lost it. Those of other
 * tools have none, and those of the first versions not all of them.
 */
static void check_beginning(struct verify *v, const struct verify_capture *c)
{
	bool is_new = c->table.rows.len > 0;

	for (size_t i = 0; !is_new && i < c->moments.len; i++)
		is_new = c->moments.ptr[i].is_exact;
	if (!c->watch.has_begun && is_new)
		tell_loss(v, "the WARC file with the beginning of capture %.*s is missing",
			slice_shown(c->uuid, 80), c->uuid.ptr);
}

/* Pages are numbered without gaps: a line that is not there was in a record that is lost. */
static void check_table(struct verify *v, const struct verify_capture *c)
{
	size_t lost = 0;

	for (size_t i = 0; i < c->table.rows.len; i++)
		lost += !c->table.rows.ptr[i].known;
	if (lost)
		tell_loss(v, "pages whose lines of the page table are missing: %zu", lost);
}

static int by_capture(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Numbers between those that are there; those of imported captures are given in the same order. */
static void tell_numbers(struct verify *v, struct u32_vec *numbers, size_t imported)
{
	uint32_t before = 0;

	if (numbers->len > 1)
		qsort(numbers->ptr, numbers->len, sizeof *numbers->ptr, by_capture);
	for (size_t i = 0; i < numbers->len; before = numbers->ptr[i++]) {
		uint32_t gap = numbers->ptr[i] > before ? numbers->ptr[i] - before - 1 : 0;

		if (gap > imported)
			tell_loss(v,
				"no WARC file has capture %" PRIu32
				", though there is capture %" PRIu32
				": its files are missing, or it was killed before it wrote any",
				before + 1, numbers->ptr[i]);
		imported -= gap < imported ? gap : imported;
	}
}

/* A capture that the catalog has is held against it. */
static int check_numbers(struct verify *v, struct catalog *catalog, struct err *err)
{
	SCOPED(u32_vec_release) struct u32_vec numbers = {0};
	bool says_all = true;
	size_t imported = 0;

	if (catalog)
		TRY(report_captures(catalog, &numbers, err));
	for (size_t i = 0; i < v->captures.len; i++) {
		const struct verify_capture *c = &v->captures.ptr[i];

		imported += !c->is_here;
		says_all = says_all && (!c->is_here || c->number);
		if (c->is_here)
			u32_vec_push(&numbers, c->number);
	}
	if (says_all)
		tell_numbers(v, &numbers, imported);
	return 0;
}

/* ---- all of it ---- */

static void check_captures(struct verify *v)
{
	verify_blame(v, v->loss);
	for (size_t i = 0; i < v->captures.len; i++) {
		check_beginning(v, &v->captures.ptr[i]);
		check_table(v, &v->captures.ptr[i]);
	}
	verify_blame(v, 0);
	for (size_t i = 0; i < v->captures.len; i++) {
		verify_clock_check(v, &v->captures.ptr[i]);
		verify_learned_check(v, &v->captures.ptr[i]);
		count_capture(v, &v->captures.ptr[i]);
	}
	note_all(v);
}

static int run(struct verify *v, const struct verify_params *p, struct err *err)
{
	if (p->catalog) {
		TRY(catalog_each_warc(p->catalog, on_warc, v, err));
		TRY(catalog_each_replaced(p->catalog, on_replaced, v, err));
	}
	TRY(p->file ? warc_set_each(p->file, v->pool.dir, on_given, v, err)
		    : read_files(v, p, err));
	if (p->catalog)
		TRY(verify_waiting(v, p->catalog, err));
	verify_blame(v, v->loss);
	TRY(check_numbers(v, p->catalog, err));
	check_captures(v);
	if (!p->catalog)
		return 0;
	TRY(verify_compare(v, p->catalog, err));
	/* The command that removes what is left over writes the index, too. */
	return p->index && v->obsolete.len == 0 ? verify_index(v, p, err) : 0;
}

int verify_run(struct verify *v, const struct verify_params *params, struct err *err)
{
	const char *dir = params->tmp_dir ? params->tmp_dir : tempfile_dir();
	int rc;

	*v = (struct verify){.warc_dir = params->warc_dir, .progress = params->progress};
	arena_init(&v->arena, ARENA_MAX);
	words_init(&v->words, &v->arena);
	words_init(&v->file_names, &v->arena);
	strmap_init(&v->by_uuid, hash_key_random(), NULL);
	strmap_init(&v->obsolete, hash_key_random(), &v->arena);
	strmap_init(&v->causes, hash_key_random(), NULL);
	evidence_init(&v->evidence, &v->words, dir);
	spill_pool_init(&v->pool, dir);
	spill_init(&v->page_rows, &v->pool);
	spill_init(&v->page_urls, &v->pool);
	buf_init(&v->url, URL_TEXT_MAX);
	rc = run(v, params, err);
	return v->failure.code ? err_copy(err, &v->failure) : rc;
}

void verify_release(struct verify *v)
{
	for (size_t i = 0; i < v->captures.len; i++) {
		seen_release(&v->captures.ptr[i].urls);
		u32_vec_release(&v->captures.ptr[i].pages);
		verify_moments_release(&v->captures.ptr[i].moments);
		verify_offsets_release(&v->captures.ptr[i].offsets);
		verify_bases_release(&v->captures.ptr[i].bases);
		learned_pages_release(&v->captures.ptr[i].learned);
		verify_table_release(&v->captures.ptr[i].table);
	}
	verify_captures_release(&v->captures);
	strmap_release(&v->by_uuid);
	strmap_release(&v->obsolete);
	strmap_release(&v->causes);
	verify_problems_release(&v->problems);
	verify_problems_release(&v->notes);
	verify_files_release(&v->files);
	verify_rules_release(v);
	evidence_release(&v->evidence);
	spill_release(&v->page_rows);
	spill_release(&v->page_urls);
	buf_release(&v->url);
	spill_pool_release(&v->pool);
	words_release(&v->file_names);
	words_release(&v->words);
	arena_release(&v->arena);
	*v = (struct verify){0};
}
