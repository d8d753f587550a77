/* simulate --history --html: strategies and gains on a real site, also for other lengths. */
#include <math.h>
#include <stdlib.h>

#include "commands/simulate_history.h"
#include "pages/assets.h"
#include "pages/plot.h"
#include "report/html.h"

enum { CELL_SIZE = 96 };

/* As in the text: "81.20 [79.91, 82.54]". */
static void cell(FILE *file, const struct bootstrap_mean *m, double scale, int digits, bool sign)
{
	if (isnan(m->mean))
		html_cell_empty(file);
	else if (sign)
		html_cell(file, "%+.*f [%+.*f, %+.*f]", digits, scale * m->mean, digits,
			scale * m->low, digits, scale * m->high);
	else
		html_cell(file, "%.*f [%.*f, %.*f]", digits, scale * m->mean, digits,
			scale * m->low, digits, scale * m->high);
}

static void plain_cell(FILE *file, double value, int digits)
{
	if (isnan(value))
		html_cell_empty(file);
	else
		html_cell(file, "%.*f", digits, value);
}

static void write_arm(FILE *file, const struct history_experiment *e, size_t a)
{
	const struct history_summary *s = &e->summaries[a];
	char name[GAINS_TEXT_SIZE];

	history_arm_name(e, a, name);
	html_row_begin(file, name);
	cell(file, &s->mean[HISTORY_SHARP], 100, 2, false);
	cell(file, &s->difference[HISTORY_SHARP], 100, 2, true);
	cell(file, &s->mean[HISTORY_BLUR], 1, 4, false);
	plain_cell(file, s->mean[HISTORY_REQUESTS].mean, 3);
	plain_cell(file, 100 * s->mean[HISTORY_JOINT].mean, 2);
	plain_cell(file, 100 * s->mean[HISTORY_LOST_BULK].mean, 2);
	plain_cell(file, 100 * s->mean[HISTORY_LOST_LARGE].mean, 2);
	html_row_end(file);
}

static void write_table(FILE *file, const struct history_experiment *e)
{
	static const char *const COLUMNS[] = {"strategy or gain", "sharp %", "difference",
		"blur per page", "requests", "joint %", "lost 10+", "lost 100+", NULL};
	char with[CELL_SIZE];

	html_table_begin(file,
		"Means over the crawls, with 95 % intervals; differences to the first line, crawl "
		"by "
		"crawl",
		COLUMNS);
	for (size_t a = 0; a < e->params.arm_count; a++) {
		if (a == e->strategies) {
			(void)snprintf(with, sizeof with, "with %s:", e->arms[0].strategy->name);
			html_table_group(file, with, 8);
		}
		write_arm(file, e, a);
	}
	html_table_end(file);
}

static void write_differences(FILE *file, const struct history_experiment *e)
{
	char names[HISTORY_ARMS_MAX][GAINS_TEXT_SIZE];
	struct plot_row rows[HISTORY_ARMS_MAX];
	char title[CELL_SIZE];
	size_t n = 0;

	for (size_t a = 1; a < e->params.arm_count; a++) {
		const struct bootstrap_mean *d = &e->summaries[a].difference[HISTORY_SHARP];

		if (isnan(d->mean))
			continue;
		history_arm_name(e, a, names[n]);
		rows[n] = (struct plot_row){
			names[n], 100 * d->mean, 100 * d->low, 100 * d->high, NAN};
		n++;
	}
	(void)snprintf(title, sizeof title, "Differences to %s.", e->arms[0].strategy->name);
	if (n > 0)
		plot_forest(file,
			&(struct plot_forest){
				.caption = {title, "Paired, crawl by crawl, with 95 % intervals."},
				.x_label = "sharp pages, percentage points",
				.zero = true,
				.rows = rows,
				.count = n});
}

/* Values of an arm at all lengths, and their intervals. */
struct curve {
	double mean[SWEEP_POINTS], low[SWEEP_POINTS], high[SWEEP_POINTS];
};

static void write_sweep(
	FILE *file, const struct history_experiment *e, const struct plot_lines *like, bool sharp)
{
	struct curve *curves = calloc(e->params.arm_count, sizeof *curves);
	struct plot_series series[HISTORY_ARMS_MAX];
	char names[HISTORY_ARMS_MAX][GAINS_TEXT_SIZE];
	double x[SWEEP_POINTS], scale = sharp ? 100 : 1;
	struct plot_lines lines = *like;

	lines.series_count = 0;
	for (size_t a = 0; curves && a < e->params.arm_count; a++) {
		struct curve *c = &curves[a];
		size_t n = lines.series_count;

		for (size_t i = 0; i < e->sweep_count; i++) {
			const struct history_point *p = &e->sweep[i];
			struct bootstrap_mean m = sharp ? p->sharp[a] : p->blur[a];

			x[i] = p->days;
			c->mean[i] = scale * m.mean;
			c->low[i] = scale * m.low;
			c->high[i] = scale * m.high;
		}
		if (e->sweep_count == 0 || isnan(c->mean[0]))
			continue;
		history_arm_name(e, a, names[n]);
		series[n] = (struct plot_series){
			names[n], (unsigned)n, false, c->mean, c->low, c->high};
		lines.series_count++;
	}
	lines.x = x;
	lines.count = e->sweep_count;
	lines.series = series;
	if (lines.series_count > 0)
		plot_lines(file, &lines);
	free(curves);
}

static void write_sweeps(FILE *file, const struct history_experiment *e)
{
	web_page_section(file, "Shorter and longer crawls");
	write_sweep(file, e,
		&(struct plot_lines){
			.caption = {"Sharp share over the length of the crawl.",
				"From fewer crawls than the table, with 95 % intervals. Click on a "
				"name to hide it."},
			.x_label = "days",
			.y_label = "sharp pages, %",
			.log_x = true},
		true);
	write_sweep(file, e,
		&(struct plot_lines){.caption = {"Blur over the length of the crawl.",
					     "Changes between a random time of the crawl and the "
					     "nearest copy of a page."},
			.x_label = "days",
			.y_label = "blur per page",
			.log_x = true,
			.log_y = true},
		false);
}

static void write_made(FILE *file, const struct history_experiment *e)
{
	simulate_html_made(file, e->options);
	simulate_html_fact(file, "history", "%s, %s", e->options->history,
		e->params.half == REPLAY_ALL     ? "all of it"
		: e->params.half == REPLAY_FIRST ? "first half"
						 : "second half");
	simulate_html_fact(file, "crawls", "%zu of %g days, %.0f pages on average, rates from %s",
		e->params.draws, e->params.days, history_mean_pages(&e->result),
		history_rates_name(e));
	if (e->options->links)
		simulate_html_fact(file, "links", "%s, %.1f %% of the pages are found by them",
			e->options->links, 100 * history_linked_share(&e->result));
	simulate_html_fact(
		file, "intervals", "95 %%, bootstrap over stretches of %g days", e->params.days);
	simulate_html_fact(file, "seed", "%llu", (unsigned long long)e->params.seed);
	simulate_html_end(file);
}

void simulate_history_html(const void *experiment, FILE *file)
{
	const struct history_experiment *e = experiment;
	char title[160];

	(void)snprintf(title, sizeof title, "Crawls of %.100s in %g days",
		simulate_html_base(e->options->history), e->params.days);
	web_page_begin(file, web_report_css(), slice_str(title),
		"Crawls that begin at random moments of the site's recorded history. What each "
		"proves is read off the record.");
	web_page_section(file, "Strategies and gains");
	write_table(file, e);
	write_differences(file, e);
	write_sweeps(file, e);
	album_write(file, &e->album, NULL,
		"The first crawl. Each bar is a page, from its first look to its last; pages that "
		"are visited first stand below.",
		"days around the still point");
	write_made(file, e);
}
