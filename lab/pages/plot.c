#include "pages/plot.h"

#include "base/json.h"
#include "report/html.h"

static const char *const FATES[] = {
	[PLOT_SHARP] = "sharp",
	[PLOT_CHANGED] = "changed",
	[PLOT_HOPELESS] = "hopeless",
	[PLOT_PLANNED] = "planned",
};

/* A figure up to its data. The plot is an image to who cannot see it, named by its title. */
static void figure_begin(FILE *file, const struct plot_caption *caption, struct json *j)
{
	(void)fputs("<figure class=\"plot\"><figcaption><b>", file);
	html_text(file, slice_str(caption->title));
	(void)fputs("</b>", file);
	if (caption->text) {
		(void)fputs(" ", file);
		html_text(file, slice_str(caption->text));
	}
	(void)fputs("</figcaption>\n<div class=\"canvas\" role=\"img\" aria-label=\"Plot: ", file);
	html_text(file, slice_str(caption->title));
	(void)fputs("\"></div><noscript><p>The plot needs JavaScript.</p></noscript>\n"
		    "<script type=\"application/json\">",
		file);
	json_init_file(j, file, JSON_SCRIPT);
	json_object_begin(j);
}

static void figure_end(FILE *file, struct json *j)
{
	json_object_end(j);
	/* What fails stays in the FILE. */
	if (json_finish(j) == 0)
		(void)fputs("</script></figure>\n", file);
}

static void json_numbers(struct json *j, const char *key, const double *values, size_t count)
{
	json_key(j, key);
	if (!values) {
		json_null(j);
		return;
	}
	json_array_begin(j);
	for (size_t i = 0; i < count; i++)
		json_double(j, values[i]);
	json_array_end(j);
}

static void json_series(struct json *j, const struct plot_series *s, size_t count)
{
	json_object_begin(j);
	json_put_string(j, "name", s->name);
	json_put_uint(j, "colour", s->colour);
	json_put_string(j, "style", s->printed ? "points" : "line");
	json_numbers(j, "values", s->values, count);
	json_numbers(j, "low", s->low, count);
	json_numbers(j, "high", s->high, count);
	json_object_end(j);
}

void plot_lines(FILE *file, const struct plot_lines *lines)
{
	struct json j;

	figure_begin(file, &lines->caption, &j);
	json_put_string(&j, "kind", "lines");
	json_key(&j, "x");
	json_object_begin(&j);
	json_put_string(&j, "label", lines->x_label);
	json_put_bool(&j, "log", lines->log_x);
	json_numbers(&j, "values", lines->x, lines->count);
	json_object_end(&j);
	json_key(&j, "y");
	json_object_begin(&j);
	json_put_string(&j, "label", lines->y_label);
	json_put_bool(&j, "log", lines->log_y);
	json_object_end(&j);
	json_key(&j, "series");
	json_array_begin(&j);
	for (size_t i = 0; i < lines->series_count; i++)
		json_series(&j, &lines->series[i], lines->count);
	json_array_end(&j);
	figure_end(file, &j);
}

static void json_row(struct json *j, const struct plot_row *row)
{
	json_object_begin(j);
	json_put_string(j, "name", row->name);
	json_put_double(j, "value", row->value);
	json_put_double(j, "low", row->low);
	json_put_double(j, "high", row->high);
	json_put_double(j, "printed", row->printed);
	json_object_end(j);
}

void plot_forest(FILE *file, const struct plot_forest *forest)
{
	struct json j;

	figure_begin(file, &forest->caption, &j);
	json_put_string(&j, "kind", "forest");
	json_key(&j, "x");
	json_object_begin(&j);
	json_put_string(&j, "label", forest->x_label);
	json_put_bool(&j, "zero", forest->zero);
	json_object_end(&j);
	json_key(&j, "rows");
	json_array_begin(&j);
	for (size_t i = 0; i < forest->count; i++)
		json_row(&j, &forest->rows[i]);
	json_array_end(&j);
	figure_end(file, &j);
}

void plot_pyramids_begin(FILE *file, bool planned)
{
	(void)fputs(
		planned ? "<ul class=\"key\"><li>planned</li>"
			  "<li class=\"hopeless\">hopeless: given up for the sake of the "
			  "others</li></ul>\n"
			: "<ul class=\"key\"><li>sharp: did not change from visit to revisit</li>"
			  "<li class=\"changed\">changed</li>"
			  "<li class=\"hopeless\">changed, and given up by the plan</li></ul>\n",
		file);
	(void)fputs("<div class=\"pyramids\">\n", file);
}

void plot_pyramid(FILE *file, const struct plot_pyramid *pyramid)
{
	struct json j;

	figure_begin(file, &pyramid->caption, &j);
	json_put_string(&j, "kind", "pyramid");
	json_key(&j, "x");
	json_object_begin(&j);
	json_put_string(&j, "label", pyramid->x_label);
	json_object_end(&j);
	json_key(&j, "bars");
	json_array_begin(&j);
	for (size_t i = 0; i < pyramid->count; i++) {
		json_array_begin(&j);
		json_double(&j, pyramid->bars[i].visit);
		json_double(&j, pyramid->bars[i].revisit);
		json_string(&j, FATES[pyramid->bars[i].fate]);
		json_array_end(&j);
	}
	json_array_end(&j);
	figure_end(file, &j);
}

void plot_pyramids_end(FILE *file)
{
	(void)fputs("</div>\n", file);
}
