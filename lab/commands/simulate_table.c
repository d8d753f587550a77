/* simulate --table: the experiments of the papers, our figures beside the printed ones. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/progress.h"
#include "commands/simulate_lab.h"
#include "commands/simulate_table.h"
#include "pages/assets.h"
#include "papers/table_lead.h"
#include "report/html.h"

struct session {
	struct table_params params;
	struct progress progress;
	const struct table *table; /* the present one */
	size_t done;               /* runs of the tables before it */
	struct table_results results;
};

static void json_figure(struct json *j, const struct table_cell *c, const struct table_figure *f)
{
	json_object_begin(j);
	json_put_string(j, "table", c->table->name);
	json_put_string(j, "row", c->row);
	json_put_string(j, "strategy", c->strategy);
	json_put_string(j, "metric", f->metric);
	json_put_double(j, "paper", f->paper);
	json_put_double(j, "ours", f->ours);
	json_put_double(j, "stderr", f->error);
	json_put_string(j, "note", c->note[0] ? c->note : NULL);
	json_object_end(j);
}

/* In percent of what stillpoint-offline expects. */
static void json_lead(struct json *j, const struct table_lead *l)
{
	json_object_begin(j);
	json_put_string(j, "table", l->table->name);
	json_put_string(j, "row", l->row);
	json_put_string(j, "strategy", l->table->leader);
	json_put_string(j, "metric", "lead");
	json_put_double(j, "paper", NAN);
	json_put_double(j, "ours", l->lead);
	json_put_double(j, "stderr", l->error);
	json_put_string(j, "note", l->rival);
	json_object_end(j);
}

static int print_json(const void *context, FILE *out)
{
	const struct table_results *results = context;
	const struct table_cells *cells = &results->cells;
	struct json j;

	json_init_file(&j, out, JSON_LINES);
	json_array_begin(&j);
	for (size_t i = 0; i < cells->len; i++)
		for (size_t k = 0; k < 2; k++)
			json_figure(&j, &cells->ptr[i], &cells->ptr[i].figures[k]);
	for (size_t i = 0; i < results->leads.len; i++)
		json_lead(&j, &results->leads.ptr[i]);
	json_array_end(&j);
	return json_finish(&j);
}

int table_digits(double value)
{
	static const double MANY = 1000, SOME = 30;

	if (fabs(value) >= MANY)
		return 1;
	return fabs(value) >= SOME ? 3 : 4;
}

static void print_value(FILE *out, int width, int digits, double value)
{
	if (isnan(value))
		(void)fprintf(out, " %*s", width, "");
	else
		(void)fprintf(out, " %*.*f", width, digits, value);
}

int table_printed_digits(const struct table *table, double value)
{
	static const int COUNT_DIGITS = 3, OTHER_DIGITS = 2;
	bool count = !table->worst && table->metric != TABLE_BLUR;

	if (!count && !(value >= 100))
		return OTHER_DIGITS;
	return value == floor(value) ? 0 : COUNT_DIGITS;
}

static void print_printed(FILE *out, int width, const struct table *table, double value)
{
	print_value(out, width, table_printed_digits(table, value), value);
}

static void print_cell(FILE *out, const struct table_cell *c)
{
	const struct table_figure *expected = &c->figures[0], *simulated = &c->figures[1];

	(void)fprintf(out, "  %-24s", c->table->worst ? c->row : c->strategy);
	print_printed(out, 9, c->table, expected->paper);
	print_value(out, 12, table_digits(expected->ours), expected->ours);
	print_printed(out, 9, c->table, simulated->paper);
	print_value(out, 12, table_digits(simulated->ours), simulated->ours);
	if (isnan(simulated->error))
		(void)fprintf(out, "%12s", "");
	else
		(void)fprintf(out, " ± %-9.*f", table_digits(simulated->ours), simulated->error);
	if (isnan(simulated->paper))
		(void)putc('\n', out);
	else
		(void)fprintf(out, "%+7.1f %%\n", 100 * (simulated->ours / simulated->paper - 1));
}

void table_note_scope(const struct table_note *note, char out[TABLE_SCOPE_SIZE])
{
	const char *row = note->row ? note->row : "",
		   *strategy = note->strategy ? note->strategy : "";

	(void)snprintf(out, TABLE_SCOPE_SIZE, "%s%s%s%s", note->row || note->strategy ? "" : "all",
		row, note->row && note->strategy ? ", " : "", strategy);
}

/* Once for the whole table, each with what it is about. */
static void print_notes(FILE *out, const struct table *table)
{
	const struct table_note *n = table->notes;

	if (!n)
		return;
	(void)putc('\n', out);
	for (; n->text; n++) {
		char scope[TABLE_SCOPE_SIZE];

		table_note_scope(n, scope);
		(void)fprintf(out, "  %s: %s\n", scope, n->text);
	}
}

static void print_heading(FILE *out, const struct table_cell *c)
{
	bool worst = c->table->worst;

	(void)putc('\n', out);
	if (!worst)
		(void)fprintf(out, "%s  (%u run%s)\n", c->row, c->runs, c->runs == 1 ? "" : "s");
	(void)fprintf(out, "  %-24s %9s %12s %9s %12s%12s %8s\n", "", "printed",
		worst ? "increase" : "expected", "printed", worst ? "relative" : "simulated",
		worst ? "" : " ± s.e.  ", "off by");
}

/* The rows of the worst case have one line each, so one heading does. */
static bool begins_row(const struct table_cell *last, const struct table_cell *c)
{
	return !last || last->table != c->table ||
	       (!c->table->worst && strcmp(last->row, c->row) != 0);
}

static void print_lead(FILE *out, const struct table_lead *l)
{
	char error[32] = "";

	if (!isnan(l->error))
		(void)snprintf(error, sizeof error, "± %.2f", l->error);
	(void)fprintf(out, "%-40s %-24s %7.2f %7.2f %+7.2f %-8s %7.2f\n", l->row, l->rival, l->best,
		l->ours, l->lead, error, l->bound);
}

/* A line for each row, and the means. */
static void print_leads(FILE *out, const struct table_results *results, const struct table *table)
{
	struct table_lead mean = table_lead_mean(&results->cells, table);

	(void)fprintf(out, "%s  %s\nin percent of stillpoint-offline, which knows all pages\n\n",
		table->name, table->title);
	(void)fprintf(out, "%-40s %-24s %7s %7s %7s %-7s %7s\n", "", "best other", "", "ours",
		"lead", "  s.e.", "bound");
	for (size_t i = 0; i < results->leads.len; i++)
		if (results->leads.ptr[i].table == table)
			print_lead(out, &results->leads.ptr[i]);
	print_lead(out, &mean);
}

static void print_text(const void *context, FILE *out)
{
	const struct table_results *results = context;
	const struct table_cells *cells = &results->cells;
	const struct table_cell *last = NULL;

	for (size_t i = 0; i < cells->len; i++) {
		const struct table_cell *c = &cells->ptr[i];

		if (last && last->table != c->table) {
			print_notes(out, last->table);
			(void)putc('\n', out);
		}
		if (c->table->leader) {
			if (!last || last->table != c->table)
				print_leads(out, results, c->table);
			last = c;
			continue;
		}
		if (!last || last->table != c->table)
			(void)fprintf(out, "%s  %s\n", c->table->name, c->table->title);
		if (begins_row(last, c))
			print_heading(out, c);
		print_cell(out, c);
		last = c;
	}
	if (last)
		print_notes(out, last->table);
}

/* Name and title of all tables, those of the papers first; false past the last. */
static bool listed(size_t i, const char **ret_name, const char **ret_title)
{
	const struct table *t = table_at(i);
	const struct lab_table *lab;
	size_t tables = 0;

	if (t) {
		*ret_name = t->name;
		*ret_title = t->title;
		return true;
	}
	while (table_at(tables))
		tables++;
	lab = lab_table_at(i - tables);
	if (lab) {
		*ret_name = lab->name;
		*ret_title = lab->title;
	}
	return lab != NULL;
}

static int print_list_json(const void *context, FILE *out)
{
	const char *name, *title;
	struct json j;

	(void)context;
	json_init_file(&j, out, JSON_LINES);
	json_array_begin(&j);
	for (size_t i = 0; listed(i, &name, &title); i++) {
		json_object_begin(&j);
		json_put_string(&j, "table", name);
		json_put_string(&j, "title", title);
		json_object_end(&j);
	}
	json_array_end(&j);
	return json_finish(&j);
}

static void print_list(const void *context, FILE *out)
{
	const char *name, *title;

	(void)context;
	for (size_t i = 0; listed(i, &name, &title); i++)
		(void)fprintf(out, "%-18s %s\n", name, title);
}

static void print_list_html(const void *context, FILE *out)
{
	static const char *const COLUMNS[] = {"name", "what it is about", NULL};
	const char *name, *title;

	web_page_begin(out, web_report_css(), SLICE("Experiments of the papers"), "All there are.");
	html_table_begin(out, "simulate --table NAME", COLUMNS);
	for (size_t i = 0; listed(i, &name, &title); i++) {
		html_row_begin(out, name);
		html_cell(out, "%s", title);
		html_row_end(out);
	}
	html_table_end(out);
	simulate_html_made(out, context);
	simulate_html_end(out);
}

static void show_progress(void *context, size_t done)
{
	struct session *s = context;

	progress_update(&s->progress, s->done + done, s->table->name);
}

/* Pictures are taken where pages are revisited: blur is about single visits. */
static void take_picture(void *context, size_t contender, const struct drive_result *capture,
	const struct change_history *histories)
{
	struct session *s = context;
	struct pyramid pyramid;

	if (s->table->metric == TABLE_BLUR)
		return;
	pyramid_of_drive(capture, histories, &pyramid);
	album_add(&s->results.album, s->table, s->table->columns[contender], &pyramid);
}

static int run_table(struct session *s, const struct table *table, struct err *err)
{
	int rc;

	s->table = table;
	show_progress(s, 0);
	rc = table_run(table, &s->params, &s->results.cells, err);
	s->done += table_runs(table, &s->params);
	return rc;
}

static int run_all(struct session *s, struct err *err)
{
	const struct table *t;
	int rc = 0;

	for (size_t i = 0; rc == 0 && (t = table_at(i)); i++)
		rc = run_table(s, t, err);
	return rc;
}

static uint64_t total_runs(const struct session *s, const struct table *table)
{
	const struct table *t;
	uint64_t runs = 0;

	for (size_t i = 0; (t = table_at(i)); i++)
		if (!table || t == table)
			runs += table_runs(t, &s->params);
	return runs;
}

static int unknown(const char *name, struct err *err)
{
	const char *known, *title;
	struct closest c;

	closest_init(&c, name);
	for (size_t i = 0; listed(i, &known, &title); i++)
		closest_offer(&c, known);
	return cmd_unknown("unknown table", &c, "all: stillpoint-lab simulate --table list", err);
}

/* Table NULL: all. */
static int run(struct session *s, const struct table *table, struct err *err)
{
	const struct simulate_options *o = s->results.options;
	int rc;

	s->params = (struct table_params){
		.runs = (unsigned)o->runs,
		.threads = (unsigned)o->threads,
		.seed = (uint64_t)o->seed,
		.report = show_progress,
		.context = s,
		.leads = &s->results.leads,
		.watch = o->html ? take_picture : NULL,
		.watch_context = s,
	};
	progress_init(&s->progress, &(struct progress_config){.fd = STDERR_FILENO,
					    .clock = clock_system(),
					    .title = "simulate",
					    .unit = "runs",
					    .total = total_runs(s, table)});
	rc = table ? run_table(s, table, err) : run_all(s, err);
	progress_clear(&s->progress);
	if (rc == 0 && s->results.album.failed)
		rc = err_code(err, ERR_NOMEM);
	return rc;
}

/* The papers' sites are synthetic. */
static struct err *refuse(const struct simulate_options *o, struct err *err)
{
	(void)err_set(err, ERR_USAGE,
		"--%s has no meaning with --table %s (try 'stillpoint-lab simulate --help')",
		o->history ? "history"
		: o->links ? "links"
			   : "start",
		o->table);
	return err;
}

enum cmd_status simulate_table(const struct simulate_options *o)
{
	const struct table *table = table_find(o->table);
	struct session s = {.results = {.options = o}};
	struct simulate_output list = {print_list_json, print_list, print_list_html, o};
	struct simulate_output cells = {print_json, print_text, simulate_table_html, &s.results};
	struct err err = {0};
	enum cmd_status status;

	if (strcmp(o->table, "list") == 0)
		return simulate_print(o, &list);
	if (lab_table_find(o->table))
		return simulate_lab(o, lab_table_find(o->table));
	if (o->history || o->links || o->start)
		return cmd_fail("simulate", refuse(o, &err));
	if ((!table && strcmp(o->table, "all") != 0 && unknown(o->table, &err)) ||
		run(&s, table, &err))
		status = cmd_fail("simulate", &err);
	else
		status = simulate_print(o, &cells);
	table_cells_release(&s.results.cells);
	table_leads_release(&s.results.leads);
	picture_list_release(&s.results.album.pictures);
	return status;
}
