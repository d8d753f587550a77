#include "plan/expect.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "plan/assign.h"
#include "plan/heat.h"
#include "plan/measure.h"

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

	if (name.len == 0)
		return err_set(r->err, ERR_SYNTAX, "the page has no name");
	TRY(find_id(r, name, &id));
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

	if (r->column[COLUMN_WEIGHT] < 0)
		return 0;
	TRY(csv_number(row->fields[r->column[COLUMN_WEIGHT]], "weight", FLT_MAX, &weight, r->err));
	return err_code(r->err, floats_try_push(&r->weights, (float)weight));
}

/* How much is known of the rate; nothing said is all. */
static int read_survival(struct reader *r, const struct csv_row *row, struct survival *ret)
{
	struct survival s = {0};
	int shape = r->column[COLUMN_SHAPE];

	TRY(csv_number(row->fields[r->column[COLUMN_RATE]], "rate", DBL_MAX, &s.rate, r->err));
	if (shape >= 0)
		TRY(csv_number(row->fields[shape], "shape", DBL_MAX, &s.shape, r->err));
	*ret = s;
	return 0;
}

static int read_links(struct reader *r, const struct csv_row *row)
{
	slice rest = {0};

	TRY(err_code(r->err, sizes_try_push(&r->link_from, r->links.len)));
	if (r->column[COLUMN_LINKS] >= 0)
		rest = row->fields[r->column[COLUMN_LINKS]];
	while (rest.len > 0) {
		slice name = slice_take(&rest, ' ');
		uint32_t id;

		if (name.len == 0)
			continue;
		TRY(find_id(r, name, &id));
		TRY(err_code(r->err, u32_vec_try_push(&r->links, id)));
	}
	return 0;
}

/* Of the page that is read: its number is the next. */
static int read_requisites(struct reader *r, const struct csv_row *row)
{
	uint32_t page = (uint32_t)r->survival.len, id;
	slice rest = {0};

	if (r->column[COLUMN_REQUISITES] >= 0)
		rest = row->fields[r->column[COLUMN_REQUISITES]];
	while (rest.len > 0) {
		slice name = slice_take(&rest, ' ');

		if (name.len == 0)
			continue;
		TRY(find_id(r, name, &id));
		TRY(err_code(r->err,
			group_edges_try_push(&r->requisites, (struct group_edge){page, id})));
	}
	return 0;
}

static int read_row(struct reader *r, const struct csv_row *row)
{
	struct survival survival = {0};

	r->line = row->line;
	if (row->count != r->columns)
		return err_set(r->err, ERR_SYNTAX, "%zu field%s, but the header has %zu",
			row->count, row->count == 1 ? "" : "s", r->columns);
	TRY(read_page(r, row->fields[r->column[COLUMN_PAGE]]));
	TRY(read_survival(r, row, &survival));
	TRY(read_weight(r, row));
	TRY(read_links(r, row));
	TRY(read_requisites(r, row));
	return err_code(r->err, survivals_try_push(&r->survival, survival));
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
	size_t done = list->len;
	int rc = seen ? 0 : ERR_NOMEM;

	for (size_t i = 0; rc == 0 && i < seed_count; i++)
		rc = reach(list, seen, seeds[i]);
	for (; rc == 0 && done < list->len; done++) {
		uint32_t page = list->ptr[done];

		for (size_t i = s->link_from[page]; rc == 0 && i < s->link_from[page + 1]; i++)
			rc = reach(list, seen, s->links[i]);
	}
	for (uint32_t i = 0; rc == 0 && i < s->n; i++)
		if (!seen[i])
			rc = u32_vec_try_push(rest, i);
	free(seen);
	return rc;
}

/* A capture under way. */
struct run {
	const struct drive_params *params;
	struct plan_run *plan;
	struct u32_vec reached; /* breadth first */
	uint64_t slot;          /* of the last download; time is slot times delay, never a sum */
	enum plan_leg leg;      /* of the last download */
	size_t downloads;       /* so far */
	bool begun;
	struct drive_result *result;
	size_t *requisites_from; /* those of a page, in site->requisites; NULL: told already */

	/* Of several servers: */
	double time;
	double ready[FLEET_MAX];             /* when a server may be asked again */
	double start[FLEET_MAX];             /* of its order; infinite: it has none */
	enum plan_leg leg_of[FLEET_MAX];     /* of its last order */
	struct plan_order orders[FLEET_MAX]; /* given out */
};

static bool has_fleet(const struct run *r)
{
	return r->params->fleet && r->params->fleet->servers > 0;
}

static double now(const struct run *r)
{
	if (has_fleet(r))
		return r->time;
	return (double)r->slot * r->params->plan.delay;
}

static int discover(struct run *r, uint32_t page)
{
	const struct site *site = r->params->site;
	const struct survival *told = r->params->told ? r->params->told : site->survival;

	/* One that is known already stays where it is. */
	if (has_fleet(r) &&
		plan_place(r->plan, page, r->params->fleet->server_of[page]) == ERR_NOMEM)
		return ERR_NOMEM;
	return plan_discovered(r->plan, page, told[page], site_weight(site, page));
}

static int discover_all(struct run *r, const uint32_t *pages, size_t count)
{
	for (size_t i = 0; i < count; i++)
		TRY(discover(r, pages[i]));
	return 0;
}

static bool happens(const struct run *r, double probability)
{
	return probability > 0 && rng_double(r->params->faults.rng) < probability;
}

/* The links of a page; hidden is the probability that one is not there yet. */
static int discover_links(struct run *r, uint32_t page, double hidden)
{
	const struct site *site = r->params->site;

	for (size_t i = site->link_from[page]; i < site->link_from[page + 1]; i++)
		if (!happens(r, hidden))
			TRY(discover(r, site->links[i]));
	return 0;
}

/* Lets the pause before a download pass. */
static void pass_delay(struct run *r, enum plan_leg leg)
{
	bool at_barrier = leg == PLAN_REVISIT && r->leg == PLAN_VISIT;

	if (r->begun && !(at_barrier && r->params->plan.strategy->shared_slot))
		r->slot++;
	r->begun = true;
	r->leg = leg;
}

/* What a page needs, which was found with it. */
static int tell_requisites(struct run *r, uint32_t page)
{
	const struct group_edge *e = r->params->site->requisites.ptr;

	for (size_t i = r->requisites_from[page]; i < r->requisites_from[page + 1]; i++)
		TRY(plan_group(r->plan, page, &e[i].requisite, 1));
	return 0;
}

/*
 * Offline strategies know all requisites beforehand. The others learn them from the pages, where
 * the edges are in the order of the pages, as the simulator makes them; else beforehand, too.
 */
static int prepare_requisites(struct run *r)
{
	const struct group_edges *e = &r->params->site->requisites;
	size_t n = r->params->site->n, page = 0;
	bool sorted = r->params->seeds && !r->params->plan.strategy->offline;
	int rc = 0;

	for (size_t i = 1; i < e->len; i++)
		sorted = sorted && e->ptr[i - 1].page <= e->ptr[i].page;
	for (size_t i = 0; !sorted && rc == 0 && i < e->len; i++)
		rc = plan_group(r->plan, e->ptr[i].page, &e->ptr[i].requisite, 1);
	if (!sorted || e->len == 0)
		return rc;
	r->requisites_from = calloc(n + 2, sizeof *r->requisites_from);
	if (!r->requisites_from)
		return ERR_NOMEM;
	for (size_t i = 0; i < e->len; i++)
		while (page < e->ptr[i].page)
			r->requisites_from[++page] = i;
	while (page < n)
		r->requisites_from[++page] = e->len;
	return 0;
}

static int record(struct run *r, const struct plan_order *order)
{
	struct drive_result *to = r->result;
	struct u32_vec *const lists[] = {
		[PLAN_VISIT] = &to->visits,
		[PLAN_REVISIT] = &to->revisits,
		[PLAN_LATE] = &to->late,
	};
	double late = r->params->faults.late;
	int rc;

	if (order->leg == PLAN_VISIT)
		to->hopeless[order->page] = order->hopeless;
	(order->leg == PLAN_REVISIT ? to->revisited_at : to->visited_at)[order->page] = now(r);
	if (u32_vec_try_push(lists[order->leg], order->page))
		return ERR_NOMEM;
	if (order->leg == PLAN_REVISIT && !(late > 0))
		return 0; /* the visit found all links */
	rc = discover_links(r, order->page, order->leg == PLAN_VISIT ? late : 0);
	return rc || !r->requisites_from ? rc : tell_requisites(r, order->page);
}

static int carry_out(struct run *r, const struct plan_order *order)
{
	bool failed = happens(r, r->params->faults.failure);

	if (!has_fleet(r))
		pass_delay(r, order->leg);
	r->result->end = now(r);
	r->downloads++;
	TRY(failed ? 0 : record(r, order));
	plan_done(r->plan, order, failed ? PLAN_RETRY : PLAN_OK, now(r), now(r));
	return 0;
}

/* Keeps to the limit of downloads, if there is one. */
static void limit(struct run *r)
{
	size_t most = r->params->plan.downloads;

	if (most == 0)
		return;
	if (r->downloads >= most)
		plan_cancel(r->plan);
	else if (plan_budget(r->plan, now(r), (double)(most - r->downloads)))
		plan_end_visits(r->plan);
}

static enum plan_step next(struct run *r, struct plan_order *ret_order)
{
	limit(r);
	return plan_next(r->plan, now(r), ret_order);
}

/* Puts an order into the queue of its server, which has one at most. */
static void enqueue(struct run *r, const struct plan_order *order)
{
	uint32_t s = r->params->fleet->server_of[order->page];
	bool at_barrier = order->leg == PLAN_REVISIT && r->leg_of[s] == PLAN_VISIT;

	if (at_barrier && r->params->plan.strategy->shared_slot)
		r->ready[s] = r->time;
	r->leg_of[s] = order->leg;
	r->start[s] = fmax(r->time, r->ready[s]);
	r->orders[s] = *order;
}

/* Lets time pass until something can happen, and carries out the order that is due by then. */
static int pass_time(struct run *r)
{
	const struct fleet *f = r->params->fleet;
	size_t first = 0;

	for (size_t s = 1; s < f->servers; s++)
		if (r->start[s] < r->start[first])
			first = s;
	if (plan_wake(r->plan) < r->start[first] && plan_wake(r->plan) > r->time) {
		r->time = plan_wake(r->plan);
		return 0;
	}
	assert(isfinite(r->start[first])); /* a plan waits only for something */
	r->time = r->start[first];
	r->start[first] = INFINITY;
	r->ready[first] = r->time + f->delays[first];
	return carry_out(r, &r->orders[first]);
}

static int run_fleet(struct run *r)
{
	enum plan_step step = PLAN_WAIT;
	struct plan_order order;

	for (size_t s = 0; s < r->params->fleet->servers; s++)
		r->start[s] = INFINITY;
	while (step != PLAN_END) {
		step = next(r, &order);
		if (step == PLAN_WAIT)
			TRY(pass_time(r));
		else if (step == PLAN_ORDER && order.put_off)
			plan_done(r->plan, &order, PLAN_PUT_OFF, r->time, r->time);
		else if (step == PLAN_ORDER)
			enqueue(r, &order);
	}
	return 0;
}

static int run_all(struct run *r)
{
	const struct drive_params *p = r->params;
	struct plan_order order;
	enum plan_step step;

	if (p->plan.strategy->offline || !p->seeds)
		TRY(discover_all(r, r->reached.ptr, r->reached.len));
	else
		TRY(discover_all(r, p->seeds, p->seed_count));
	TRY(prepare_requisites(r));
	for (uint32_t s = 0; has_fleet(r) && s < p->fleet->servers; s++)
		TRY(plan_pace(r->plan, s, p->fleet->delays[s]));
	if (has_fleet(r))
		TRY(run_fleet(r));
	while (!has_fleet(r) && (step = next(r, &order)) != PLAN_END) {
		assert(step == PLAN_ORDER); /* nothing is in flight that could be waited for */
		TRY(carry_out(r, &order));
	}
	return plan_error(r->plan);
}

/* Fills reached and unreached. */
static int drive_reach(struct run *r)
{
	const struct drive_params *p = r->params;

	if (p->seeds)
		return site_reach(
			p->site, p->seeds, p->seed_count, &r->reached, &r->result->unreached);
	for (uint32_t i = 0; i < p->site->n; i++)
		TRY(u32_vec_try_push(&r->reached, i));
	return 0;
}

int drive_result_init(struct drive_result *r, size_t n, bool single, double delay)
{
	*r = (struct drive_result){.single = single, .delay = delay};
	r->visited_at = malloc((n + 1) * sizeof *r->visited_at);
	r->revisited_at = malloc((n + 1) * sizeof *r->revisited_at);
	r->hopeless = calloc(n + 1, sizeof *r->hopeless);
	if (!r->visited_at || !r->revisited_at || !r->hopeless)
		return ERR_NOMEM;
	for (size_t i = 0; i < n; i++)
		r->visited_at[i] = r->revisited_at[i] = NAN;
	return 0;
}

static int prepare(struct run *r, struct err *err)
{
	struct plan_params plan = r->params->plan;
	int rc = drive_result_init(
		r->result, r->params->site->n, !plan.strategy->revisits || plan.single, plan.delay);

	if (rc == 0)
		rc = drive_reach(r);
	if (rc)
		return err_code(err, rc);
	if (r->params->size_unknown)
		plan.size = 0;
	else if (plan.size == 0)
		plan.size = (uint32_t)r->reached.len;
	plan.orders = 1;
	r->plan = plan_run_new(&plan, err);
	return r->plan ? 0 : err->code;
}

int drive(const struct drive_params *params, struct drive_result *ret_result, struct err *err)
{
	struct drive_result result = {0};
	struct run r = {.params = params, .result = &result};
	int rc = prepare(&r, err);

	if (rc == 0)
		rc = err_code(err, run_all(&r));
	plan_run_free(r.plan);
	u32_vec_release(&r.reached);
	free(r.requisites_from);
	if (rc)
		drive_release(&result);
	else
		*ret_result = result;
	return rc;
}

void drive_release(struct drive_result *r)
{
	u32_vec_release(&r->visits);
	u32_vec_release(&r->revisits);
	u32_vec_release(&r->late);
	u32_vec_release(&r->unreached);
	free(r->visited_at);
	free(r->revisited_at);
	free(r->hopeless);
	*r = (struct drive_result){0};
}

static int64_t slot_of(const struct drive_result *r, double time)
{
	const struct u32_vec *visits = &r->visits;
	double zero = r->single ? 0 : r->visited_at[visits->ptr[visits->len - 1]];

	return llround((time - zero) / r->delay);
}

int64_t drive_visit_slot(const struct drive_result *r, uint32_t page)
{
	return slot_of(r, r->visited_at[page]);
}

int64_t drive_revisit_slot(const struct drive_result *r, uint32_t page)
{
	return slot_of(r, r->revisited_at[page]);
}

static bool is_fast(const struct exposure_params *p)
{
	return p->fast || p->site->n > EXPOSURE_EXACT_MAX;
}

static int expect(const struct exposure_params *p, const struct plan_strategy *strategy,
	double delay, double *ret_sharp, struct err *err)
{
	struct drive_params params = {
		.site = p->site,
		.plan = {.strategy = strategy, .delay = delay, .tau = p->tau, .fast = is_fast(p)},
	};
	struct drive_result capture;

	TRY(drive(&params, &capture, err));
	*ret_sharp = evaluate(p->site, &capture, NULL).coherence;
	drive_release(&capture);
	return 0;
}

int exposure_row(const struct exposure_params *params, double delay, double *sharp,
	double *ret_bound, struct err *err)
{
	double most = 0;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < params->strategy_count; i++) {
		rc = expect(params, params->strategies[i], delay, &sharp[i], err);
		if (rc == 0)
			most = fmax(most, sharp[i]);
	}
	if (rc)
		return rc;
	return err_code(err, evaluate_bound(params->site, delay, is_fast(params), most, ret_bound));
}

double exposure_duration(size_t n, double delay)
{
	return n ? (2 * (double)n - 1) * delay : 0;
}

size_t exposure_downloads(double delay, double seconds)
{
	static const double MOST = 1e15, ROUNDING = 1e-9;
	double count = floor(seconds / delay * (1 + ROUNDING));

	return count < 1 ? 0 : (size_t)fmin(count, MOST) + 1;
}

int exposure_share(const struct exposure_params *params, double delay, size_t downloads,
	enum plan_aim aim, struct plan_share *ret_share)
{
	return plan_share(
		&(struct plan_budgeting){
			.survival = params->site->survival,
			.weight = params->site->weights,
			.n = params->site->n,
			.delay = delay,
			.downloads = downloads,
			.aim = aim,
			.shared_slot = true,
			.fast = is_fast(params),
		},
		NULL, ret_share);
}

/* Two legs one after the other, from the beginning of the hours; one page has both innermost slots.
 */
static int go_on(const struct exposure_params *p, const struct plan_hours *h, double *length,
	struct plan_limit *ret)
{
	double last = (double)p->site->n - 1;
	struct assign_problem problem = {.n = p->site->n,
		.survival = p->site->survival,
		.weight = p->site->weights,
		.length = length};
	struct assign_solution s = {0};

	for (size_t j = 0; j < p->site->n; j++)
		length[j] = plan_hours_until(h, h->pace * (last + (double)j)) -
			    plan_hours_until(h, h->pace * (last - (double)j));
	TRY(assign_solve(&problem, is_fast(p), ASSIGN_BOUND, &s));
	ret->reached = assign_total(&problem, s.page_of);
	ret->bound = fmax(s.bound, ret->reached);
	assign_solution_release(&s);
	return 0;
}

int exposure_hours(const struct exposure_params *params, const struct plan_hours *hours,
	struct exposure_hours *ret)
{
	double *length = malloc((params->site->n + 1) * sizeof *length);
	size_t downloads = exposure_downloads(hours->pace, hours->open);
	struct plan_share share = {0};
	int rc = length ? exposure_share(params, hours->pace, downloads, PLAN_SHARP, &share)
			: ERR_NOMEM;

	*ret = (struct exposure_hours){
		.visits = share.visits,
		.in_time = {.bound = share.bound, .reached = share.sharp},
	};
	if (rc == 0)
		rc = go_on(params, hours, length, &ret->go_on);
	free(length);
	return rc;
}

/* What is measured of a page whose revisit may be missing (NAN). */
struct page_value {
	double coherence; /* without its weight */
	double blur;
};

static struct page_value expected_page(
	struct survival survival, double visit, double revisit, struct blur_interval obs)
{
	if (isnan(revisit))
		return (struct page_value){.blur = blur_page(survival.rate, visit, obs)};
	return (struct page_value){
		.coherence = survival_at(survival, revisit - visit),
		.blur = blur_page_revisit(survival.rate, visit, revisit, obs),
	};
}

static struct page_value actual_page(
	struct change_history history, double visit, double revisit, struct blur_interval obs)
{
	if (isnan(revisit))
		return (struct page_value){.blur = blur_actual_page(history, visit, obs)};
	return (struct page_value){
		.coherence = coherence_actual_page(history, visit, revisit),
		.blur = blur_actual_page_revisit(history, visit, revisit, obs),
	};
}

struct evaluation evaluate(const struct site *site, const struct drive_result *capture,
	const struct change_history *histories)
{
	const struct u32_vec *const lists[] = {&capture->visits, &capture->late};
	struct blur_interval obs = {0, capture->end};
	struct sum coherence = {0}, blur = {0};

	for (size_t l = 0; l < sizeof lists / sizeof lists[0]; l++)
		for (size_t i = 0; i < lists[l]->len; i++) {
			uint32_t p = lists[l]->ptr[i];
			double visit = capture->visited_at[p], revisit = capture->revisited_at[p];
			struct page_value v =
				histories ? actual_page(histories[p], visit, revisit, obs)
					  : expected_page(site->survival[p], visit, revisit, obs);

			sum_add(&coherence, (double)site_weight(site, p) * v.coherence);
			sum_add(&blur, v.blur);
		}
	return (struct evaluation){
		.coherence = capture->single ? NAN : sum_value(&coherence),
		.blur = sum_value(&blur),
	};
}

int evaluate_bound(
	const struct site *site, double delay, bool fast, double reached, double *ret_bound)
{
	static const double ROUNDING = 1e-9;
	struct plan_limit found;

	TRY(plan_limit(site->survival, site->weights, site->n, delay, fast, &found));
	if (reached > found.bound && reached <= found.bound * (1 + ROUNDING))
		found.bound = reached;
	*ret_bound = found.bound;
	return 0;
}

/* The probability that a page was sharp; with histories 0 or 1. */
static double alive(const struct site *site, const struct drive_result *capture,
	const struct change_history *histories, uint32_t page)
{
	double visit = capture->visited_at[page], revisit = capture->revisited_at[page];

	if (histories)
		return coherence_actual_page(histories[page], visit, revisit);
	return survival_at(site->survival[page], revisit - visit);
}

static double groups_whole(const struct site *site, const struct drive_result *capture,
	const struct groups *g, const struct change_history *histories)
{
	struct sum sum = {0};

	for (size_t a = 0; a < g->count; a++) {
		double whole = g->weight[a];

		for (size_t k = g->from[a]; k < g->from[a + 1]; k++)
			whole *= alive(site, capture, histories, g->member[k]);
		sum_add(&sum, whole);
	}
	for (uint32_t i = 0; i < site->n; i++)
		if (!g->grouped[i])
			sum_add(&sum,
				(double)site_weight(site, i) * alive(site, capture, histories, i));
	return sum_value(&sum);
}

/* Pages by the length of their intervals, which are those of the pyramid if all are revisited. */
static int order_by_length(
	const struct site *site, const struct drive_result *capture, uint32_t *page_of)
{
	double *key = malloc((site->n + 1) * sizeof *key);
	int rc = key ? 0 : ERR_NOMEM;

	for (uint32_t i = 0; rc == 0 && i < site->n; i++) {
		page_of[i] = i;
		key[i] = capture->visited_at[i] - capture->revisited_at[i];
	}
	if (rc == 0)
		rc = heat_sort_by(key, page_of, site->n);
	free(key);
	return rc;
}

int evaluate_groups(const struct site *site, const struct drive_result *capture, bool fast,
	const struct change_history *histories, struct group_evaluation *ret)
{
	struct assign_problem p = {.n = site->n,
		.survival = site->survival,
		.weight = site->weights,
		.step = 2 * capture->delay};
	uint32_t *same = malloc((site->n + 1) * sizeof *same);
	uint32_t *page_of = malloc((site->n + 1) * sizeof *page_of);
	struct groups g = {0};
	int rc = same && page_of ? 0 : ERR_NOMEM;

	*ret = (struct group_evaluation){.expected = NAN, .bound = NAN, .actual = NAN};
	for (uint32_t i = 0; rc == 0 && i < site->n; i++)
		same[i] = i;
	if (rc == 0)
		rc = groups_init(&g, &(struct groups_params){.edges = site->requisites.ptr,
					     .edge_count = site->requisites.len,
					     .index_of = same,
					     .pages = site->n,
					     .weight = site->weights,
					     .n = site->n});
	ret->groups = g.count;
	if (rc == 0 && !capture->single && capture->revisits.len == site->n) {
		rc = order_by_length(site, capture, page_of);
		if (rc == 0)
			rc = groups_bound(&g, &p, fast, page_of, &ret->bound);
		ret->expected = groups_whole(site, capture, &g, NULL);
		if (histories)
			ret->actual = groups_whole(site, capture, &g, histories);
	}
	groups_release(&g);
	free(same);
	free(page_of);
	return rc;
}
