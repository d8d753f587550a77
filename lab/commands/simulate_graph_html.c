/* simulate --graph --html: one capture of a given site, page by page. */
#include <math.h>

#include "base/format.h"
#include "commands/simulate_graph.h"
#include "pages/assets.h"
#include "pages/plot.h"
#include "report/html.h"

enum { ROWS_MAX = 1000 }; /* of the table of pages */

static double total_weight(const struct graph_view *v)
{
	double sum = 0;

	for (size_t i = 0; i < v->capture->visits.len; i++)
		sum += (double)site_weight(v->site, v->capture->visits.ptr[i]);
	return sum;
}

static void write_sweep(FILE *file, const struct graph_view *v)
{
	double x[SWEEP_POINTS], sharp[SWEEP_POINTS], bound[SWEEP_POINTS], blur[SWEEP_POINTS];
	double weight = total_weight(v), pages = (double)v->capture->visits.len;
	struct plot_series shares[] = {{.name = v->strategy->name, .values = sharp},
		{.name = "upper bound", .colour = 1, .values = bound}};
	struct plot_series blurs[] = {{.name = v->strategy->name, .values = blur}};

	for (size_t i = 0; i < SWEEP_POINTS; i++) {
		x[i] = v->capture->delay * SWEEP_FACTORS[i];
		sharp[i] = 100 * v->sweep[i].expected.coherence / weight;
		bound[i] = 100 * v->sweep[i].bound / weight;
		blur[i] = v->sweep[i].expected.blur / pages;
	}
	web_page_section(file, "At other delays");
	if (!v->capture->single)
		plot_lines(file, &(struct plot_lines){
					 .caption = {"Sharp share over delay.",
						 "Expected; no schedule can expect more than the "
						 "upper bound."},
					 .x_label = "delay between two downloads",
					 .y_label = "sharp pages, %",
					 .log_x = true,
					 .x = x,
					 .count = SWEEP_POINTS,
					 .series = shares,
					 .series_count = isnan(bound[0]) ? 1 : 2});
	plot_lines(file,
		&(struct plot_lines){.caption = {"Blur over slow-down.", "Expected, per page."},
			.x_label = "delay between two downloads",
			.y_label = "blur per page",
			.log_x = true,
			.log_y = true,
			.x = x,
			.count = SWEEP_POINTS,
			.series = blurs,
			.series_count = 1});
}

static void write_facts(FILE *file, const struct graph_view *v)
{
	static const char *const COLUMNS[] = {"", "", NULL};
	const struct drive_result *c = v->capture;

	html_table_begin(file, "What may be expected", COLUMNS);
	html_row_begin(file, "pages");
	html_cell(file, "%zu", c->visits.len);
	html_row_end(file);
	if (!c->single) {
		html_row_begin(
			file, v->site->weights ? "expected sharp (weighted)" : "expected sharp");
		html_cell(file, "%.3f", v->expected.coherence);
		html_row_end(file);
	}
	html_row_begin(file, "expected blur");
	html_cell(file, "%.3f", v->expected.blur);
	html_row_end(file);
	html_row_begin(file, "expected blur per page");
	html_cell(file, "%.3f", v->expected.blur / (double)c->visits.len);
	html_row_end(file);
	html_row_begin(file, "hopeless");
	html_cell(file, "%zu", v->hopeless.len);
	html_row_end(file);
	html_row_begin(file, "unreached");
	html_cell(file, "%zu", c->unreached.len);
	html_row_end(file);
	html_table_end(file);
}

static void write_page(FILE *file, const struct graph_view *v, uint32_t page)
{
	const struct drive_result *c = v->capture;

	(void)fputs("<tr><th scope=\"row\">", file);
	html_text(file, v->site->names[page]);
	(void)fputs("</th>", file);
	html_cell(file, "%lld", (long long)drive_visit_slot(c, page));
	if (isnan(c->revisited_at[page]))
		html_cell_empty(file);
	else
		html_cell(file, "%lld", (long long)drive_revisit_slot(c, page));
	html_cell(file, "%s", c->hopeless[page] ? "hopeless" : "");
	html_row_end(file);
}

static void write_pages(FILE *file, const struct graph_view *v)
{
	static const char *const COLUMNS[] = {"page", "visit", "revisit", "", NULL};
	const struct u32_vec *visits = &v->capture->visits;

	web_page_section(file, "Page by page");
	html_table_begin(file, "Slots in delays, in the order of the visits", COLUMNS);
	for (size_t i = 0; i < visits->len && i < ROWS_MAX; i++)
		write_page(file, v, visits->ptr[i]);
	html_table_end(file);
	if (visits->len > ROWS_MAX) {
		(void)fputs("<p>", file);
		html_printf(file, "%zu more; --json has them all.", visits->len - ROWS_MAX);
		(void)fputs("</p>\n", file);
	}
}

static void write_made(FILE *file, const struct graph_view *v)
{
	char delay[FORMAT_DOUBLE_SIZE];

	(void)format_double(v->capture->delay, delay);
	simulate_html_made(file, v->options);
	simulate_html_fact(file, "site", "%s, %zu pages", v->options->graph, v->site->n);
	simulate_html_fact(file, "strategy", "%s", v->strategy->name);
	simulate_html_fact(file, "delay", "%s", delay);
	simulate_html_end(file);
}

void simulate_graph_html(const void *view, FILE *file)
{
	const struct graph_view *v = view;
	struct pyramid pyramid;
	struct album album = {0};
	char title[200];

	(void)snprintf(title, sizeof title, "A capture of %.100s by %s",
		simulate_html_base(v->options->graph), v->strategy->name);
	web_page_begin(file, web_report_css(), slice_str(title),
		"Pages are found by following links, as a crawler finds them; this is what may be "
		"expected of that.");
	web_page_section(file, "The capture");
	write_facts(file, v);
	pyramid_of_drive(v->capture, NULL, &pyramid);
	album_add(&album, NULL, v->strategy->name, &pyramid);
	album_write(file, &album, NULL,
		"Each bar is a page, from its visit to its revisit; pages that are visited first "
		"stand below.",
		"delays around the still point");
	picture_list_release(&album.pictures);
	write_sweep(file, v);
	write_pages(file, v);
	write_made(file, v);
}
