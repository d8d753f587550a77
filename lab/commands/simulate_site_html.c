/* simulate --site --html: strategies on a synthetic site, also at other delays. */
#include <math.h>
#include <stdlib.h>

#include "base/format.h"
#include "commands/simulate_site.h"
#include "pages/assets.h"
#include "pages/plot.h"
#include "report/html.h"

/* Of the pages that were downloaded; blur is per page already. */
static double percent_sharp(const struct study_result *r)
{
	return 100 * r->of[TRIAL_EXPECTED_COHERENCE].mean / r->of[TRIAL_PAGES].mean;
}

static double blur(const struct study_result *r)
{
	return r->of[TRIAL_EXPECTED_BLUR].mean;
}

/* What is expected at each slow-down; series without any figure are left out. */
static void write_sweep(FILE *file, const struct site_study *s, const struct plot_lines *like,
	double (*value)(const struct study_result *))
{
	size_t n = s->contenders.len, used = 0;
	double(*values)[SWEEP_POINTS] = calloc(n, sizeof *values);
	struct plot_series *series = calloc(n, sizeof *series);
	struct plot_lines lines = *like;
	double x[SWEEP_POINTS];

	for (size_t i = 0; i < SWEEP_POINTS; i++)
		x[i] = s->params.trial.delay * SWEEP_FACTORS[i];
	for (size_t c = 0; values && series && c < n; c++) {
		for (size_t i = 0; i < SWEEP_POINTS; i++)
			values[used][i] = value(&s->sweep[i * n + c]);
		if (isnan(values[used][0]))
			continue;
		series[used] = (struct plot_series){.name = s->contenders.ptr[c].name,
			.colour = (unsigned)used,
			.values = values[used]};
		used++;
	}
	lines.x = x;
	lines.count = SWEEP_POINTS;
	lines.series = series;
	lines.series_count = used;
	if (used > 0)
		plot_lines(file, &lines);
	free(values);
	free(series);
}

static void write_sweeps(FILE *file, const struct site_study *s)
{
	web_page_section(file, "At other delays");
	write_sweep(file, s,
		&(struct plot_lines){
			.caption = {"Sharp share over delay.",
				"Expected, of the pages that were downloaded, for strategies that "
				"revisit. Click on a name to hide it."},
			.x_label = "delay between two downloads",
			.y_label = "sharp pages, %",
			.log_x = true},
		percent_sharp);
	write_sweep(file, s,
		&(struct plot_lines){
			.caption = {"Blur over slow-down.", "Expected, per page. Strategies that "
							    "revisit make twice the downloads "
							    "in twice the time."},
			.x_label = "delay between two downloads",
			.y_label = "blur per page",
			.log_x = true,
			.log_y = true},
		blur);
}

static void cell(FILE *file, int digits, double value)
{
	if (isnan(value))
		html_cell(file, "–");
	else
		html_cell(file, "%.*f", digits, value);
}

static void write_table(FILE *file, const struct site_study *s)
{
	static const char *const COLUMNS[] = {"strategy", "pages", "expected sharp", "sharp",
		"standard error", "expected blur", "blur per page", "standard error", NULL};
	const struct trial_params *t = &s->params.trial;

	html_table_begin(file, "Means over the runs", COLUMNS);
	for (size_t i = 0; i < s->contenders.len; i++) {
		const struct estimate *of = s->results[i].of;

		html_row_begin(file, s->contenders.ptr[i].name);
		cell(file, t->failure > 0 || t->late > 0, of[TRIAL_PAGES].mean);
		cell(file, 2, of[TRIAL_EXPECTED_COHERENCE].mean);
		cell(file, 2, of[TRIAL_COHERENCE].mean);
		cell(file, 2, of[TRIAL_COHERENCE].error);
		cell(file, 4, of[TRIAL_EXPECTED_BLUR].mean);
		cell(file, 4, of[TRIAL_BLUR].mean);
		cell(file, 4, of[TRIAL_BLUR].error);
		html_row_end(file);
	}
	html_table_end(file);
}

static void write_made(FILE *file, const struct site_study *s)
{
	const struct trial_params *t = &s->params.trial;
	char delay[FORMAT_DOUBLE_SIZE];

	(void)format_double(t->delay, delay);
	simulate_html_made(file, s->options);
	simulate_html_fact(file, "site", "%s, %u pages", s->options->site, t->site.n);
	simulate_html_fact(file, "runs", "%u, one download every %s", s->params.runs, delay);
	if (t->size_error != 0)
		simulate_html_fact(file, "told size", "%+.0f %%", 100 * t->size_error);
	if (t->rate_error > 1)
		simulate_html_fact(
			file, "told rates", "wrong by a factor of up to %g", t->rate_error);
	if (t->failure > 0)
		simulate_html_fact(file, "failures", "%g %% of the downloads", 100 * t->failure);
	if (t->late > 0)
		simulate_html_fact(file, "late links", "%g %%", 100 * t->late);
	simulate_html_fact(file, "seed", "%llu", (unsigned long long)s->params.seed);
	simulate_html_end(file);
}

void simulate_site_html(const void *study, FILE *file)
{
	const struct site_study *s = study;
	char title[160];

	(void)snprintf(title, sizeof title, "Strategies on %.120s", s->options->site);
	web_page_begin(file, web_report_css(), slice_str(title),
		"All see the same site and the same changes, in every run. Expected is what the "
		"rates say of a schedule; the other figures are what the changes gave.");
	web_page_section(file, "Sharp pages and blur");
	write_table(file, s);
	write_sweeps(file, s);
	album_write(file, &s->album, NULL,
		"The first run. Each bar is a page, from its visit to its revisit; pages that are "
		"visited first stand below.",
		"delays around the still point");
	write_made(file, s);
}
