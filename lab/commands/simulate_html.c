#include "commands/simulate_html.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "pages/assets.h"
#include "pages/plot.h"
#include "report/html.h"

const double SWEEP_FACTORS[SWEEP_POINTS] = {0.1, 0.2, 0.5, 1, 2, 5, 10};

static const enum plot_fate FATES[] = {
	[PYRAMID_SHARP] = PLOT_SHARP,
	[PYRAMID_CHANGED] = PLOT_CHANGED,
	[PYRAMID_HOPELESS] = PLOT_HOPELESS,
	[PYRAMID_PLANNED] = PLOT_PLANNED,
};

void album_add(
	struct album *album, const void *group, const char *name, const struct pyramid *pyramid)
{
	struct picture p = {.group = group, .pyramid = *pyramid};

	if (pyramid->count == 0)
		return;
	(void)snprintf(p.name, sizeof p.name, "%s", name);
	if (picture_list_push(&album->pictures, p))
		album->failed = true;
}

static size_t total(const struct pyramid *p)
{
	size_t pages = 0;

	for (size_t i = 0; i < PYRAMID_FATES; i++)
		pages += p->pages[i];
	return pages;
}

static void write_picture(FILE *file, const struct picture *p, const char *x_label)
{
	const struct pyramid *y = &p->pyramid;
	size_t pages = total(y);
	struct plot_bar bars[PYRAMID_BARS_MAX];
	char text[160];
	int len;

	for (size_t i = 0; i < y->count; i++)
		bars[i] = (struct plot_bar){
			y->bars[i].visit, y->bars[i].revisit, FATES[y->bars[i].fate]};
	if (y->pages[PYRAMID_PLANNED])
		len = snprintf(text, sizeof text, "%zu pages, %zu of them given up", pages,
			y->pages[PYRAMID_HOPELESS]);
	else
		len = snprintf(text, sizeof text, "%zu of %zu pages sharp, %zu given up",
			y->pages[PYRAMID_SHARP], pages, y->pages[PYRAMID_HOPELESS]);
	if (y->count < pages)
		(void)snprintf(text + len, sizeof text - (size_t)len, "; %zu shown", y->count);
	plot_pyramid(file, &(struct plot_pyramid){.caption = {p->name, text},
				   .x_label = x_label,
				   .bars = bars,
				   .count = y->count});
}

void album_write(FILE *file, const struct album *album, const void *group, const char *lead,
	const char *x_label)
{
	const struct picture_list *list = &album->pictures;
	size_t first = 0;

	while (first < list->len && list->ptr[first].group != group)
		first++;
	if (first == list->len)
		return;
	web_page_section(file, "From visit to revisit");
	(void)fputs("<p>", file);
	html_text(file, slice_str(lead));
	(void)fputs("</p>\n", file);
	plot_pyramids_begin(file, list->ptr[first].pyramid.pages[PYRAMID_PLANNED] > 0);
	for (size_t i = first; i < list->len; i++)
		if (list->ptr[i].group == group)
			write_picture(file, &list->ptr[i], x_label);
	plot_pyramids_end(file);
}

const char *simulate_html_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

void simulate_html_made(FILE *file, const struct simulate_options *o)
{
	web_page_section(file, "How this was made");
	(void)fputs("<p>The same command gives the same figures, in any number of threads.</p>\n"
		    "<dl class=\"made\"><dt>command</dt><dd><code>",
		file);
	html_text(file, slice_str(o->command));
	(void)fputs("</code></dd>\n", file);
	simulate_html_fact(file, "program", LAB_PROGRAM " %s", STILLPOINT_VERSION);
}

void simulate_html_fact(FILE *file, const char *name, const char *format, ...)
{
	va_list arguments;

	(void)fputs("<dt>", file);
	html_text(file, slice_str(name));
	(void)fputs("</dt><dd>", file);
	va_start(arguments, format);
	html_vprintf(file, format, arguments);
	va_end(arguments);
	(void)fputs("</dd>\n", file);
}

void simulate_html_end(FILE *file)
{
	(void)fputs("</dl>\n", file);
	web_page_end(file, web_report_js());
}
