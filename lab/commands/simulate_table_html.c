/* simulate --table --html: each table with its plot, the papers' figures beside ours. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/simulate_table.h"
#include "pages/assets.h"
#include "pages/plot.h"
#include "report/html.h"

enum { ROWS_MAX = 16, FOREST_MAX = 128, NAME_SIZE = 96 };

/* Normal quantile of 95 % intervals. */
static const double SIGMAS = 1.96;

/* Where a logarithmic axis reads better. */
static const double WIDE = 20;

/* A row's label: "leaves=cold,skew=0.5" is the value 0.5 of skew, under "leaves=cold". */
struct label {
	slice under;
	slice key; /* empty: no number */
	double value;
};

static struct label read_label(const char *text)
{
	const char *comma = strrchr(text, ','), *last = comma ? comma + 1 : text;
	const char *equals = strchr(last, '=');
	struct label l = {.under = {text, comma ? (size_t)(comma - text) : 0}};
	char *end;

	if (!equals)
		return l;
	l.value = strtod(equals + 1, &end);
	if (*end == '\0')
		l.key = (slice){last, (size_t)(equals - last)};
	return l;
}

/* The cells of one table. */
struct view {
	const struct table *table;
	const struct table_cell *cells;
	size_t count;
};

/* What is plotted: the share of sharp pages in percent, or blur, or the share of the optimum. */
struct figure {
	double ours, low, high, printed;
};

static double pages_of(const struct table_cell *c)
{
	const struct table_row *row = c->table->rows;

	while (row->label != c->row)
		row++;
	return (double)row->site.n;
}

static double to_plot(const struct table_cell *c, double value)
{
	if (c->table->worst)
		return 100 * value;
	if (c->table->metric == TABLE_BLUR)
		return value;
	value = 100 * value / pages_of(c);
	return c->table->metric == TABLE_INCOHERENCE ? 100 - value : value;
}

static struct figure figure_of(const struct table_cell *c)
{
	const struct table_figure *f = &c->figures[1];

	return (struct figure){
		.ours = to_plot(c, f->ours),
		.low = to_plot(c, f->ours - SIGMAS * f->error),
		.high = to_plot(c, f->ours + SIGMAS * f->error),
		.printed = to_plot(c, f->paper),
	};
}

static const char *y_label(const struct table *t)
{
	if (t->worst)
		return "more blur than the optimum, %";
	return t->metric == TABLE_BLUR ? "blur per page" : "sharp pages, %";
}

/* Series over the numbers of their rows. */
struct chart {
	char title[NAME_SIZE], x_label[NAME_SIZE];
	double x[ROWS_MAX];
	size_t rows;
	size_t columns; /* series of ours; as many printed ones may follow */
	char names[2 * TABLE_COLUMNS_MAX][NAME_SIZE];
	bool has_printed[TABLE_COLUMNS_MAX];
	double ours[TABLE_COLUMNS_MAX][ROWS_MAX], low[TABLE_COLUMNS_MAX][ROWS_MAX],
		high[TABLE_COLUMNS_MAX][ROWS_MAX], printed[TABLE_COLUMNS_MAX][ROWS_MAX];
};

static void put_figure(struct chart *c, size_t column, size_t row, const struct table_cell *cell)
{
	struct figure f = figure_of(cell);

	c->ours[column][row] = f.ours;
	c->low[column][row] = f.low;
	c->high[column][row] = f.high;
	c->printed[column][row] = f.printed;
	c->has_printed[column] |= !isnan(f.printed);
}

static void write_chart(FILE *file, struct chart *c, const struct table *table)
{
	struct plot_series series[2 * TABLE_COLUMNS_MAX];
	size_t n = c->columns;

	for (size_t i = 0; i < c->columns; i++) {
		series[i] = (struct plot_series){c->names[i], (unsigned)i, false, c->ours[i],
			table->worst ? NULL : c->low[i], table->worst ? NULL : c->high[i]};
		if (!c->has_printed[i])
			continue;
		(void)snprintf(c->names[n], NAME_SIZE, "%.80s (paper)", c->names[i]);
		series[n] = (struct plot_series){
			c->names[n], (unsigned)i, true, c->printed[i], NULL, NULL};
		n++;
	}
	plot_lines(file,
		&(struct plot_lines){
			.caption = {c->title,
				table->worst
					? NULL
					: "Lines are ours, with 95 % intervals; hollow points are "
					  "printed in the paper. Click on a name to hide it."},
			.x_label = c->x_label,
			.y_label = y_label(table),
			.log_x = c->x[c->rows - 1] > WIDE * c->x[0],
			.x = c->x,
			.count = c->rows,
			.series = series,
			.series_count = n,
		});
}

/* The rows under one heading, as many as there are from this cell on; returns its cells. */
static size_t chart_rows(FILE *file, const struct view *v, size_t first)
{
	struct label heading = read_label(v->cells[first].row);
	struct chart c = {0};
	size_t i = first;

	(void)snprintf(c.x_label, NAME_SIZE, "%.*s", (int)heading.key.len, heading.key.ptr);
	(void)snprintf(c.title, NAME_SIZE, "%s over %s%s%.*s.",
		v->table->metric == TABLE_BLUR ? "Blur per page" : "Share of sharp pages",
		c.x_label, heading.under.len ? ", " : "", (int)heading.under.len,
		heading.under.ptr);
	for (; i < v->count && c.rows < ROWS_MAX; c.rows++) {
		struct label l = read_label(v->cells[i].row);
		const char *row = v->cells[i].row;

		if (!slice_eq(l.under, heading.under))
			break;
		c.x[c.rows] = l.value;
		for (c.columns = 0; i < v->count && v->cells[i].row == row; i++, c.columns++) {
			(void)snprintf(c.names[c.columns], NAME_SIZE, "%s", v->cells[i].strategy);
			put_figure(&c, c.columns, c.rows, &v->cells[i]);
		}
	}
	write_chart(file, &c, v->table);
	return i - first;
}

static slice before_equals(slice s)
{
	const char *equals = s.len ? memchr(s.ptr, '=', s.len) : NULL;

	return equals ? (slice){s.ptr, (size_t)(equals - s.ptr)} : (slice){s.ptr, 0};
}

/* The worst case: what rows stand under is a series each, as long as it is the same kind. */
static size_t chart_worst(FILE *file, const struct view *v, size_t first)
{
	struct label heading = read_label(v->cells[first].row);
	slice kind = before_equals(heading.under);
	struct chart c = {0};
	size_t i = first;

	(void)snprintf(c.x_label, NAME_SIZE, "%s", "k, misplaced pages");
	(void)snprintf(c.title, NAME_SIZE, "Worst case over k, by %.*s.", (int)kind.len, kind.ptr);
	while (i < v->count && c.columns < TABLE_COLUMNS_MAX) {
		struct label l = read_label(v->cells[i].row), next = l;

		if (!slice_eq(before_equals(l.under), kind))
			break;
		(void)snprintf(
			c.names[c.columns], NAME_SIZE, "%.*s", (int)l.under.len, l.under.ptr);
		for (c.rows = 0; slice_eq(next.under, l.under) && c.rows < ROWS_MAX; c.rows++) {
			c.x[c.rows] = next.value;
			put_figure(&c, c.columns, c.rows, &v->cells[i++]);
			if (i == v->count)
				next.under = (slice){0};
			else
				next = read_label(v->cells[i].row);
		}
		c.columns++;
	}
	write_chart(file, &c, v->table);
	return i - first;
}

static bool has_numbers(const struct view *v)
{
	for (size_t i = 0; i < v->count; i++)
		if (read_label(v->cells[i].row).key.len == 0 && !v->table->worst)
			return false;
	return true;
}

static void write_forest(FILE *file, const struct view *v)
{
	char names[FOREST_MAX][NAME_SIZE];
	struct plot_row rows[FOREST_MAX];
	size_t n = 0;

	for (; n < v->count && n < FOREST_MAX; n++) {
		const struct table_cell *c = &v->cells[n];
		struct figure f = figure_of(c);

		(void)snprintf(names[n], NAME_SIZE, "%.40s: %.40s", c->row, c->strategy);
		rows[n] = (struct plot_row){names[n], f.ours, f.low, f.high, f.printed};
	}
	plot_forest(
		file, &(struct plot_forest){
			      .caption = {"Sharp pages.",
				      "Points are ours, with 95 % intervals; rings are printed in "
				      "the paper."},
			      .x_label = y_label(v->table),
			      .rows = rows,
			      .count = n});
}

static void write_plots(FILE *file, const struct view *v)
{
	size_t i = 0;

	if (!has_numbers(v)) {
		write_forest(file, v);
		return;
	}
	while (i < v->count)
		if (!v->table->worst)
			i += chart_rows(file, v, i);
		else if (read_label(v->cells[i].row).key.len == 0)
			i++; /* an example of its own */
		else
			i += chart_worst(file, v, i);
}

static void cell(FILE *file, int digits, double value)
{
	if (isnan(value))
		html_cell_empty(file);
	else
		html_cell(file, "%.*f", digits, value);
}

static void write_row(FILE *file, const struct table_cell *c)
{
	const struct table_figure *expected = &c->figures[0], *simulated = &c->figures[1];

	html_row_begin(file, c->table->worst ? c->row : c->strategy);
	cell(file, table_printed_digits(c->table, expected->paper), expected->paper);
	cell(file, table_digits(expected->ours), expected->ours);
	cell(file, table_printed_digits(c->table, simulated->paper), simulated->paper);
	cell(file, table_digits(simulated->ours), simulated->ours);
	if (!c->table->worst)
		cell(file, table_digits(simulated->ours), simulated->error);
	if (isnan(simulated->paper))
		html_cell_empty(file);
	else
		html_cell(file, "%+.1f %%", 100 * (simulated->ours / simulated->paper - 1));
	html_row_end(file);
}

static void write_rows(FILE *file, const struct view *v)
{
	static const char *const COLUMNS[] = {"strategy", "printed", "expected", "printed",
		"simulated", "standard error", "off by", NULL};
	static const char *const WORST[] = {
		"case", "printed", "increase", "printed", "relative", "off by", NULL};
	const char *row = NULL;
	char heading[NAME_SIZE];

	html_table_begin(file, v->table->title, v->table->worst ? WORST : COLUMNS);
	for (size_t i = 0; i < v->count; i++) {
		const struct table_cell *c = &v->cells[i];

		if (c->row != row && !v->table->worst) {
			(void)snprintf(heading, sizeof heading, "%s (%u run%s)", c->row, c->runs,
				c->runs == 1 ? "" : "s");
			html_table_group(file, heading, 7);
		}
		row = c->row;
		write_row(file, c);
	}
	html_table_end(file);
}

static void write_notes(FILE *file, const struct table *table)
{
	if (!table->notes)
		return;
	(void)fputs("<ul>\n", file);
	for (const struct table_note *n = table->notes; n->text; n++) {
		char scope[TABLE_SCOPE_SIZE];

		table_note_scope(n, scope);
		(void)fputs("<li>", file);
		html_printf(file, "%s: %s", scope, n->text);
		(void)fputs("</li>\n", file);
	}
	(void)fputs("</ul>\n", file);
}

static void write_table(FILE *file, const struct table_results *r, const struct view *v)
{
	char heading[NAME_SIZE];

	(void)snprintf(heading, sizeof heading, "%s: %s", v->table->name, v->table->title);
	web_page_section(file, heading);
	write_plots(file, v);
	write_rows(file, v);
	write_notes(file, v->table);
	if (v->table->metric != TABLE_BLUR)
		album_write(file, &r->album, v->table,
			"One run of the table's first row. Each bar is a page, from its visit to "
			"its "
			"revisit; pages that are visited first stand below.",
			"delays around the still point");
}

void simulate_table_html(const void *results, FILE *file)
{
	const struct table_results *r = results;
	const struct table_cells *cells = &r->cells;
	char title[NAME_SIZE];
	struct view v;

	(void)snprintf(title, sizeof title, "Experiments of the papers: %.40s", r->options->table);
	web_page_begin(file, web_report_css(), slice_str(title),
		"Figures of the SHARC and SOLAR papers beside ours: what may be expected of the "
		"schedules, and what simulated changes gave.");
	for (size_t i = 0; i < cells->len; i += v.count) {
		v = (struct view){.table = cells->ptr[i].table, .cells = &cells->ptr[i]};
		while (i + v.count < cells->len && cells->ptr[i + v.count].table == v.table)
			v.count++;
		write_table(file, r, &v);
	}
	simulate_html_made(file, r->options);
	simulate_html_fact(file, "seed", "%lld", (long long)r->options->seed);
	simulate_html_end(file);
}
