#include "report/report_compare.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/text.h"
#include "catalog/unknown_rate.h"
#include "proof/report_json.h"
#include "report/assets.h"
#include "report/html.h"
#include "report/report_page.h"
#include "report/report_words.h"

enum { MOVES = 12, LISTED = 10, HTML_MOVES = 20 };

/* ---- the table of pages ---- */

static const char *change_word(uint64_t change)
{
	return compare_change_name((enum compare_change)change);
}

static struct cell get_verdict(const struct table *t, size_t row, int side)
{
	const struct compare *x = t->context;
	unsigned v = compare_verdict(x, &x->rows.ptr[row], side);

	return cell_string(v < VERDICT_COUNT ? verdict_name((enum verdict)v) : NULL);
}

static struct cell get_first_verdict(const struct table *t, size_t row)
{
	return get_verdict(t, row, 0);
}

static struct cell get_second_verdict(const struct table *t, size_t row)
{
	return get_verdict(t, row, 1);
}

#define ROW(member) MEMBER(struct compare_row, member)
#define BOTH        (TABLE_JSON | TABLE_CSV)

/* Packed under the names of a capture's pages, which the script knows. */
static const struct column COLUMNS[] = {
	{"url", BOTH, ROW(url), UNIT_URL, .heading = "URL", .place = 1, .packed = "url"},
	{"change", BOTH, ROW(change), .word = change_word, .place = 2, .packed = "verdict"},
	{"evidence", BOTH, ROW(evidence), .place = 3, .packed = "evidence"},
	{"first_verdict", BOTH, .get = get_first_verdict, .heading = "verdict before",
		.none = "not known", .place = 4},
	{"second_verdict", BOTH, .get = get_second_verdict, .heading = "verdict after",
		.none = "not known", .place = 5},
	{"first_status", TABLE_JSON, ROW(status[0]), .zero_is_none = true, .packed = "status"},
	{"second_status", TABLE_JSON, ROW(status[1]), .zero_is_none = true,
		.packed = "revisitStatus"},
	{"last_seen", BOTH, ROW(before), UNIT_TIME_UP, .heading = "last seen in the first",
		.place = 6, .packed = "visitEnd"},
	{"first_seen", BOTH, ROW(after), UNIT_TIME, .heading = "first seen in the second",
		.place = 7, .packed = "revisitStart"},
};

struct table report_compare_table(const struct compare *x)
{
	struct table table = TABLE_OF(COLUMNS, x->rows);

	table.context = x;
	return table;
}

/* ---- words and figures ---- */

static double sharpness(const struct report *r)
{
	return report_percent(r->totals[VERDICT_SHARP], r->captured);
}

static void report_compare_lead(const struct compare *x, char out[REPORT_COMPARE_SIZE])
{
	const struct report *a = x->reports[0], *b = x->reports[1];
	char before[CLOCK_TEXT_SIZE], after[CLOCK_TEXT_SIZE];

	clock_format(a->capture.started, CLOCK_ROUND_DOWN, before);
	clock_format(b->capture.started, CLOCK_ROUND_DOWN, after);
	(void)snprintf(out, REPORT_COMPARE_SIZE,
		"Of %zu pages, %" PRIu64 " appeared, %" PRIu64 " went, %" PRIu64
		" changed and %" PRIu64 " stayed the same from capture %" PRIu32
		" (%s) to capture %" PRIu32 " (%s); %" PRIu64
		" were missing in both, and of %" PRIu64
		" nobody can tell. Sharpness moved from %.1f %% to %.1f %% of the captured pages.",
		x->rows.len, x->totals[COMPARE_APPEARED], x->totals[COMPARE_WENT],
		x->totals[COMPARE_CHANGED], x->totals[COMPARE_SAME], a->capture.id, before,
		b->capture.id, after, x->totals[COMPARE_ABSENT], x->totals[COMPARE_UNKNOWN],
		sharpness(a), sharpness(b));
}

static void put_length(const struct report *r, char out[64])
{
	char text[TEXT_DURATION_SIZE];

	if (!r->capture.finished) {
		(void)snprintf(out, 64, "unfinished");
		return;
	}
	text_duration(clock_seconds(r->capture.finished - r->capture.started), text);
	(void)snprintf(out, 64, "%s", text);
}

/* Of the pages of which something was known; NAN: of none. */
static double mean_rate(const struct report *r)
{
	double sum = 0;
	uint64_t pages = 0;

	for (size_t i = 0; i < r->pages.len; i++)
		if (r->pages.ptr[i].taken &&
			!unknown_rate_is(r->pages.ptr[i].rate, r->pages.ptr[i].shape)) {
			sum += r->pages.ptr[i].rate;
			pages++;
		}
	return sum / (double)pages;
}

static void report_compare_causes(const struct compare *x, struct report_cause out[REPORT_CAUSES])
{
	static const char *const NAMES[REPORT_CAUSES] = {"strategy", "time", "captured pages",
		"sharp", "unchanged from visit to revisit", "blur", "mean change rate assumed",
		"pages with all requisites sharp", "failed, blocked or unvisited"};

	for (int i = 0; i < REPORT_CAUSES; i++)
		out[i].name = NAMES[i];
	for (int k = 0; k < 2; k++) {
		const struct report *r = x->reports[k];
		double mean = mean_rate(r);
		char rate[TEXT_RATE_SIZE] = "nothing", expected[REPORT_WORDS_SIZE] = "-";

		if (!isnan(mean))
			text_rate(mean, rate);
		if (report_has_expectation(r))
			report_expectation(r, expected);
		(void)snprintf(out[0].values[k], 64, "%.*s%s", slice_shown(r->capture.strategy, 40),
			r->capture.strategy.ptr, r->capture.single ? ", visits only" : "");
		put_length(r, out[1].values[k]);
		(void)snprintf(out[2].values[k], 64, "%" PRIu64, r->captured);
		(void)snprintf(out[3].values[k], 64, "%" PRIu64 " (%.1f %%)",
			r->totals[VERDICT_SHARP], sharpness(r));
		(void)snprintf(out[4].values[k], 64, "%.60s", expected);
		(void)snprintf(out[5].values[k], 64, isnan(r->blur) ? "-" : "%.3g", r->blur);
		(void)snprintf(out[6].values[k], 64, "%s", rate);
		(void)snprintf(out[7].values[k], 64, "%" PRIu64 " of %" PRIu64, r->composites.sharp,
			r->composites.pages);
		(void)snprintf(out[8].values[k], 64, "%" PRIu64,
			r->totals[VERDICT_FAILED] + r->totals[VERDICT_BLOCKED] +
				r->totals[VERDICT_UNVISITED]);
	}
}

static size_t report_compare_moves(const struct compare *x, struct report_move *out, size_t size)
{
	size_t count = 0;

	for (unsigned from = 0; from <= VERDICT_COUNT; from++)
		for (unsigned to = 0; to <= VERDICT_COUNT; to++) {
			struct report_move m = {from, to, x->moved[from][to]};
			size_t at = count;

			if (from == to || m.pages == 0)
				continue;
			while (at > 0 && out[at - 1].pages < m.pages)
				at--;
			if (at == size)
				continue;
			count += count < size;
			memmove(&out[at + 1], &out[at], (count - at - 1) * sizeof *out);
			out[at] = m;
		}
	return count;
}

/* The page of `stillpoint report --compare A B --html`. */

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
		"look of the second. <b>Same</b> means equal status, Location, Refresh, "
		"Content-Disposition, media type and "
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
	struct report_move moves[HTML_MOVES];
	size_t count = report_compare_moves(x, moves, HTML_MOVES);

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

/* ---- text ---- */

static void print_changes(const struct compare *x, enum compare_change change)
{
	uint64_t left = x->totals[change], shown = 0;

	if (left == 0)
		return;
	printf("\n%s:\n", compare_change_name(change));
	for (size_t i = 0; i < x->rows.len && shown < LISTED; i++)
		if (x->rows.ptr[i].change == change) {
			printf("  ");
			text_name(stdout, x->rows.ptr[i].url, 0);
			(void)putchar('\n');
			shown++;
		}
	if (left > shown)
		printf("  and %" PRIu64 " more (--csv lists them all)\n", left - shown);
}

int report_compare_print(const struct compare *x)
{
	char lead[REPORT_COMPARE_SIZE];
	struct report_cause causes[REPORT_CAUSES];
	struct report_move moves[MOVES];
	size_t count = report_compare_moves(x, moves, MOVES);

	report_compare_lead(x, lead);
	report_compare_causes(x, causes);
	printf("%s\n\n", lead);
	for (int i = 0; i < COMPARE_COUNT; i++)
		printf("  %-9s %9" PRIu64 "  %s\n", compare_change_name((enum compare_change)i),
			x->totals[i], compare_change_meaning((enum compare_change)i));
	printf("\n  %-33s %-24s %s\n", "", "first", "second");
	for (int i = 0; i < REPORT_CAUSES; i++)
		printf("  %-33s %-24s %s\n", causes[i].name, causes[i].values[0],
			causes[i].values[1]);
	if (count)
		printf("\nVerdicts that moved:\n");
	for (size_t i = 0; i < count; i++)
		printf("  %9" PRIu64 "  %s to %s\n", moves[i].pages,
			compare_verdict_name(moves[i].from), compare_verdict_name(moves[i].to));
	print_changes(x, COMPARE_APPEARED);
	print_changes(x, COMPARE_WENT);
	print_changes(x, COMPARE_CHANGED);
	return ferror(stdout) ? ERR_IO : 0;
}

/* ---- JSON ---- */

static void put_capture(struct json *j, const char *key, const struct report *r)
{
	json_key(j, key);
	json_object_begin(j);
	json_put_uint(j, "capture", r->capture.id);
	json_text(j, "site", r->capture.site);
	report_json_time(j, "started", r->capture.started, CLOCK_ROUND_DOWN);
	report_json_time(j, "finished", r->capture.finished, CLOCK_ROUND_UP);
	json_put_uint(j, "captured", r->captured);
	json_put_double(j, "expected_sharp", r->expected_sharp);
	json_put_double(j, "blur", r->blur);
	json_key(j, "verdicts");
	json_object_begin(j);
	for (int v = 0; v < VERDICT_COUNT; v++)
		json_put_uint(j, verdict_name((enum verdict)v), r->totals[v]);
	json_object_end(j);
	json_object_end(j);
}

static void put_moved(struct json *j, const struct compare *x)
{
	enum { ALL = (VERDICT_COUNT + 1) * (VERDICT_COUNT + 1) };
	struct report_move moves[ALL];
	size_t count = report_compare_moves(x, moves, ALL);

	json_key(j, "moved");
	json_array_begin(j);
	for (size_t i = 0; i < count; i++) {
		json_object_begin(j);
		json_put_string(j, "from", compare_verdict_name(moves[i].from));
		json_put_string(j, "to", compare_verdict_name(moves[i].to));
		json_put_uint(j, "pages", moves[i].pages);
		json_object_end(j);
	}
	json_array_end(j);
}

int report_compare_json(const struct compare *x)
{
	struct table pages = report_compare_table(x);
	struct json j;

	json_init_file(&j, stdout, JSON_LINES);
	json_document_begin(&j);
	put_capture(&j, "first", x->reports[0]);
	put_capture(&j, "second", x->reports[1]);
	json_key(&j, "totals");
	json_object_begin(&j);
	for (int i = 0; i < COMPARE_COUNT; i++)
		json_put_uint(&j, compare_change_name((enum compare_change)i), x->totals[i]);
	json_object_end(&j);
	put_moved(&j, x);
	json_key(&j, "pages");
	table_json(&pages, &j);
	json_object_end(&j);
	return json_finish(&j);
}
