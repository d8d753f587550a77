/* The page of `stillpoint report --compare A B --html`. */
#include <inttypes.h>

#include "report/assets.h"
#include "report/html.h"
#include "report/report_compare.h"
#include "report/report_page.h"
#include "report/report_words.h"

enum { MOVES = 20 };

/* ---- the data ---- */

struct compare_data {
	const struct report_compare_page *p;
	int64_t started; /* ns: the first time of all */
};

static void put_data(const void *context, struct json *j)
{
	const struct compare_data *d = context;
	struct table pages = report_compare_table(d->p->compare);

	json_object_begin(j);
	json_key(j, "started");
	json_int(j, d->started / PAGE_NS_PER_MS);
	json_key(j, "stillFrom");
	json_int(j, -1);
	json_put_string(j, "replay", d->p->replay);
	json_key(j, "verdicts");
	json_array_begin(j);
	for (int i = 0; i < COMPARE_COUNT; i++)
		json_string(j, compare_change_name((enum compare_change)i));
	json_array_end(j);
	json_put_string(j, "sort", "verdict");
	json_key(j, "titles");
	json_object_begin(j);
	json_put_string(j, "verdict", "change");
	json_put_string(j, "visitEnd", "last seen in the first");
	json_put_string(j, "revisitStart", "first seen in the second");
	json_object_end(j);
	table_pack(&pages, d->started, j);
	json_object_end(j);
}

static int64_t first_time(const struct compare *x)
{
	int64_t a = x->reports[0]->capture.started, b = x->reports[1]->capture.started;

	return a < b ? a : b;
}

/* ---- the text ---- */

static void put_changes(const struct compare *x, FILE *file)
{
	static const char *const HEADINGS[] = {"change", "pages", "of all", "meaning", NULL};

	html_table_begin(file, "Pages by change", HEADINGS);
	for (int i = 0; i < COMPARE_COUNT; i++) {
		html_row_begin(file, compare_change_name((enum compare_change)i));
		html_cell(file, "%" PRIu64, x->totals[i]);
		html_cell(file, "%.1f %%", report_percent(x->totals[i], x->rows.len));
		html_cell_words(file, slice_str(compare_change_meaning((enum compare_change)i)));
		html_row_end(file);
	}
	html_table_end(file);
}

static void put_claims(FILE *file)
{
	(void)fputs(
		"<p>Compared are the last usable look of the first capture and the first usable "
		"look of the second. <b>Same</b> means equal status, Location, media type and "
		"content, byte for byte or after the rules against noise. A page that a capture "
		"did not find at all counts as not there; a 404 or 410 says more, and the evidence "
		"of each page tells which it is.</p>\n"
		"<p>Not claimed: that a page that is the same did not change and change back in "
		"between; that a page that was not found did not exist.</p>\n",
		file);
}

static void put_causes(const struct compare *x, FILE *file)
{
	static const char *const HEADINGS[] = {"", "first", "second", NULL};
	struct report_cause causes[REPORT_CAUSES];

	report_compare_causes(x, causes);
	web_page_section(file, "How the sharpness moved, and why");
	html_table_begin(file, "The two captures", HEADINGS);
	for (int i = 0; i < REPORT_CAUSES; i++) {
		html_row_begin(file, causes[i].name);
		html_cell(file, "%s", causes[i].values[0]);
		html_cell(file, "%s", causes[i].values[1]);
		html_row_end(file);
	}
	html_table_end(file);
}

static void put_verdict_totals(const struct compare *x, FILE *file)
{
	static const char *const HEADINGS[] = {"verdict", "first", "second", "difference", NULL};

	html_table_begin(file, "Pages by verdict", HEADINGS);
	for (int v = 0; v < VERDICT_COUNT; v++) {
		uint64_t a = x->reports[0]->totals[v], b = x->reports[1]->totals[v];

		if (a == 0 && b == 0)
			continue;
		html_row_begin(file, verdict_name((enum verdict)v));
		html_cell(file, "%" PRIu64, a);
		html_cell(file, "%" PRIu64, b);
		html_cell(file, "%+" PRId64, (int64_t)(b - a));
		html_row_end(file);
	}
	html_table_end(file);
}

static void put_moves(const struct compare *x, FILE *file)
{
	static const char *const HEADINGS[] = {"in the first", "in the second", "pages", NULL};
	struct report_move moves[MOVES];
	size_t count = report_compare_moves(x, moves, MOVES);

	if (count == 0)
		return;
	html_table_begin(file, "Verdicts that moved", HEADINGS);
	for (size_t i = 0; i < count; i++) {
		html_row_begin(file, compare_verdict_name(moves[i].from));
		html_cell(file, "%s", compare_verdict_name(moves[i].to));
		html_cell(file, "%" PRIu64, moves[i].pages);
		html_row_end(file);
	}
	html_table_end(file);
}

/* Without the script pages that are the same are of little interest: they come last. */
static void put_rows(const struct compare *x, FILE *file)
{
	struct table pages = report_compare_table(x);
	size_t rows = 0;

	web_page_section(file, "All pages");
	page_rows_begin(file, "The first pages, by change", &pages);
	for (int change = 0; change < COMPARE_COUNT; change++)
		for (size_t i = 0; i < x->rows.len && rows < PAGE_STATIC_ROWS; i++) {
			if (x->rows.ptr[i].change != change)
				continue;
			html_columns_row(file, &pages, i, (slice){0});
			rows++;
		}
	page_rows_end(file);
}

static void put_facts(const struct report_compare_page *p, FILE *file)
{
	const struct compare *x = p->compare;
	char text[REPORT_WORDS_SIZE];

	(void)fputs("<dl class=\"facts\">\n", file);
	page_fact(file, "Archive", "%s", p->archive);
	for (int i = 0; i < 2; i++) {
		const struct report *r = x->reports[i];

		report_window(r, text);
		page_fact(file, i ? "Second capture" : "First capture", "%" PRIu32 ", %.*s",
			r->capture.id, slice_shown(r->capture.site, 300), r->capture.site.ptr);
		if (!r->capture.single)
			page_fact(file, "Its still point", "%s", text);
	}
	(void)fputs("</dl>\n", file);
}

int report_compare_html(const void *page, FILE *file)
{
	const struct report_compare_page *p = page;
	const struct compare *x = p->compare;
	struct compare_data d = {p, first_time(x)};
	char lead[REPORT_COMPARE_SIZE], title[REPORT_WORDS_SIZE];
	int rc;

	report_compare_lead(x, lead);
	(void)snprintf(title, sizeof title, "What changed: %.*s",
		slice_shown(x->reports[1]->capture.site, 300), x->reports[1]->capture.site.ptr);
	web_page_begin(file, web_capture_css(), slice_str(title), lead);
	put_facts(p, file);
	put_claims(file);
	put_changes(x, file);
	put_causes(x, file);
	put_verdict_totals(x, file);
	put_moves(x, file);
	web_page_section(file, "Where it changed");
	page_figure(file, "treemap", "Directories.",
		"The area is the number of pages, the colours are their changes.");
	put_rows(x, file);
	rc = page_data(file, put_data, &d);
	web_page_end(file, web_capture_js());
	return rc;
}
