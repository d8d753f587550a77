#include "report/report_at.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/text.h"
#include "proof/report_json.h"
#include "report/assets.h"
#include "report/html.h"
#include "report/report_page.h"
#include "report/report_words.h"

static const char *const MEANINGS[KNOWN_STATES] = {
	[KNOWN_PROVEN] = "the looks before and after show the same page",
	[KNOWN_ASSERTED] = "only the server says that it was so",
	[KNOWN_UNKNOWN] = "nothing says how it was then",
	[KNOWN_ABSENT] = "404 or 410 before and after",
};

static void put_facts(const struct report_at_page *p, FILE *file)
{
	(void)fputs("<dl class=\"facts\">\n", file);
	page_fact(file, "Archive", "%s", p->archive);
	page_fact(file, "Site", "%s", p->site ? p->site : "all of the archive");
	page_fact(file, "Pages", "%" PRIu64, p->known->pages);
}

static void put_claims(FILE *file)
{
	(void)fputs(
		"<p>A page is <b>proven</b> from the end of a look to the start of the next usable "
		"one, of any capture, if both show the same: status, Location, Refresh, "
		"Content-Disposition, media type and "
		"content. What a server merely asserts (304, Last-Modified) is counted apart.</p>\n"
		"<p>Not claimed: that a page did not change and change back between the two looks; "
		"that a cache in between showed what the origin had; that other visitors saw the "
		"same.</p>\n",
		file);
}

/* ---- an instant ---- */

static void put_state_names(struct json *j)
{
	json_key(j, "verdicts");
	json_array_begin(j);
	for (int s = 0; s < KNOWN_STATES; s++)
		json_string(j, known_state_name((enum known_state)s));
	json_array_end(j);
}

static void put_at_data(const void *context, struct json *j)
{
	const struct report_at_page *p = context;

	json_object_begin(j);
	json_key(j, "started");
	json_int(j, p->rows->started / PAGE_NS_PER_MS);
	json_key(j, "stillFrom");
	table_pack_time(j, p->rows->started, p->from, false);
	json_key(j, "stillTo");
	table_pack_time(j, p->rows->started, p->from, false);
	json_put_string(j, "replay", p->replay);
	put_state_names(j);
	json_key(j, "titles");
	json_object_begin(j);
	json_put_string(j, "verdict", "state");
	json_put_string(j, "visitEnd", "known from");
	json_put_string(j, "revisitStart", "known until");
	json_object_end(j);
	table_pack(&p->rows->table, p->rows->started, j);
	json_object_end(j);
}

static void put_states(const struct report_at_page *p, FILE *file)
{
	static const char *const HEADINGS[] = {"state", "pages", "of all", "meaning", NULL};

	html_table_begin(file, "Pages by what is known of them", HEADINGS);
	for (int s = 0; s < KNOWN_STATES; s++) {
		html_row_begin(file, known_state_name((enum known_state)s));
		html_cell(file, "%" PRIu64, p->rows->count[s]);
		html_cell(file, "%.1f %%", report_percent(p->rows->count[s], p->known->pages));
		html_cell_words(file, slice_str(MEANINGS[s]));
		html_row_end(file);
	}
	html_table_end(file);
}

static void put_rows(const struct table *t, FILE *file)
{
	web_page_section(file, "All pages");
	page_rows_begin(file, "The first pages", t);
	for (size_t i = 0; i < t->rows && i < PAGE_STATIC_ROWS; i++)
		html_columns_row(file, t, i, (slice){0});
	page_rows_end(file);
}

static void begin_at(const struct report_at_page *p, FILE *file)
{
	char instant[CLOCK_TEXT_SIZE], title[2 * CLOCK_TEXT_SIZE], share[PAGE_SHARE_SIZE];
	char lead[REPORT_WORDS_SIZE];

	clock_format(p->from, CLOCK_ROUND_DOWN, instant);
	page_share(p->rows->count[KNOWN_PROVEN], p->known->pages, share);
	(void)snprintf(title, sizeof title, "The archive at %s", instant);
	(void)snprintf(lead, sizeof lead,
		"At %s, %" PRIu64 " of %" PRIu64
		" pages (%s) are proven to have been as they are in the archive, and %" PRIu64
		" to have been missing. Of %" PRIu64 " nothing proves how they were.",
		instant, p->rows->count[KNOWN_PROVEN], p->known->pages, share,
		p->rows->count[KNOWN_ABSENT],
		p->rows->count[KNOWN_ASSERTED] + p->rows->count[KNOWN_UNKNOWN]);
	web_page_begin(file, web_capture_css(), slice_str(title), lead);
	put_facts(p, file);
	page_fact(file, "Instant", "%s", instant);
	(void)fputs("</dl>\n", file);
}

int report_at_html(const void *page, FILE *file)
{
	const struct report_at_page *p = page;
	int rc;

	begin_at(p, file);
	put_claims(file);
	put_states(p, file);
	web_page_section(file, "Around the instant");
	page_figure(file, "pyramid", "What is known.",
		"Each page is a bar from the look before to the look after; the line is the "
		"instant.");
	web_page_section(file, "Where the pages are");
	page_figure(file, "treemap", "Directories.",
		"The area is the number of pages, the colours are what is known of them.");
	put_rows(&p->rows->table, file);
	rc = page_data(file, put_at_data, p);
	web_page_end(file, web_capture_js());
	return rc;
}

/* ---- a span ---- */

/* What the curve comes to. */
struct curve_sum {
	uint64_t most, least;
	int64_t most_from, most_to; /* the first stretch of time with most */
	double mean;                /* proven pages, by time */
};

static struct curve_sum sum_up(const struct report_at_page *p)
{
	const struct curve *c = p->curve;
	struct curve_sum s = {.least = UINT64_MAX};
	double all = 0;

	for (size_t i = 0; i < c->len; i++) {
		uint64_t proven = c->ptr[i].count[KNOWN_PROVEN];
		int64_t until = i + 1 < c->len ? c->ptr[i + 1].at : p->to;

		all += (double)proven * clock_seconds(until - c->ptr[i].at);
		s.least = proven < s.least ? proven : s.least;
		if (i > 0 && proven <= s.most)
			continue;
		s.most = proven;
		s.most_from = c->ptr[i].at;
		s.most_to = until;
	}
	s.mean = p->to > p->from ? all / clock_seconds(p->to - p->from) : (double)s.most;
	return s;
}

static void put_curve_data(const void *context, struct json *j)
{
	const struct report_at_page *p = context;

	json_object_begin(j);
	json_key(j, "started");
	json_int(j, p->from / PAGE_NS_PER_MS);
	json_key(j, "ended");
	table_pack_time(j, p->from, p->to, false);
	json_put_uint(j, "pages", p->known->pages);
	put_state_names(j);
	json_key(j, "curve");
	json_object_begin(j);
	json_key(j, "at");
	json_array_begin(j);
	for (size_t i = 0; i < p->curve->len; i++)
		json_int(j, (p->curve->ptr[i].at - p->from) / PAGE_NS_PER_MS);
	json_array_end(j);
	json_key(j, "counts");
	json_array_begin(j);
	for (int s = 0; s < KNOWN_STATES; s++) {
		json_array_begin(j);
		for (size_t i = 0; i < p->curve->len; i++)
			json_uint(j, p->curve->ptr[i].count[s]);
		json_array_end(j);
	}
	json_array_end(j);
	json_object_end(j);
	json_object_end(j);
}

static void put_points(const struct report_at_page *p, FILE *file)
{
	web_page_section(file, "Where the curve changes");
	html_columns(file, "The first points of the curve", &p->points, PAGE_STATIC_ROWS);
	if (p->curve->len > PAGE_STATIC_ROWS)
		(void)fprintf(file, "<p>And %zu more; the figure has all of them.</p>\n",
			p->curve->len - PAGE_STATIC_ROWS);
}

static void begin_curve(const struct report_at_page *p, const struct curve_sum *s, FILE *file)
{
	char from[CLOCK_TEXT_SIZE], to[CLOCK_TEXT_SIZE], best[CLOCK_TEXT_SIZE];
	char until[CLOCK_TEXT_SIZE], share[PAGE_SHARE_SIZE];
	char title[REPORT_WORDS_SIZE], lead[REPORT_WORDS_SIZE];

	clock_format(p->from, CLOCK_ROUND_UP, from);
	clock_format(p->to, CLOCK_ROUND_DOWN, to);
	clock_format(s->most_from, CLOCK_ROUND_DOWN, best);
	clock_format(s->most_to, CLOCK_ROUND_DOWN, until);
	page_share(s->most, p->known->pages, share);
	(void)snprintf(title, sizeof title, "Sharpness curve: %s", p->site ? p->site : p->archive);
	(void)snprintf(lead, sizeof lead,
		"At its best, from %s to %s, the archive proves %" PRIu64 " of %" PRIu64
		" pages (%s) at one instant. On average over the whole time it proves %.1f pages, "
		"at its worst %" PRIu64 ".",
		best, until, s->most, p->known->pages, share, s->mean, s->least);
	web_page_begin(file, web_capture_css(), slice_str(title), lead);
	put_facts(p, file);
	page_fact(file, "Time", "%s to %s", from, to);
	(void)fputs("</dl>\n", file);
}

int report_curve_html(const void *page, FILE *file)
{
	const struct report_at_page *p = page;
	struct curve_sum s = sum_up(p);
	int rc;

	begin_curve(p, &s, file);
	put_claims(file);
	web_page_section(file, "Sharpness curve");
	page_figure(file, "curve", "What is known at each instant.",
		"How many pages are proven, proven to be missing, or asserted by their server.");
	put_points(p, file);
	rc = page_data(file, put_curve_data, p);
	web_page_end(file, web_capture_js());
	return rc;
}

/* ---- an instant ---- */

static const char *state_word(uint64_t state)
{
	return known_state_name((enum known_state)state);
}

static struct known_at known_of(const struct table *t, size_t row)
{
	const struct report_at_rows *rows = t->context;

	return archive_known_at(rows->known, rows->pages.ptr[row], rows->instant);
}

static struct cell get_url(const struct table *t, size_t row)
{
	const struct report_at_rows *rows = t->context;

	return cell_text(words_text(&rows->known->urls, rows->pages.ptr[row]));
}

static struct cell get_state(const struct table *t, size_t row)
{
	return cell_uint(known_of(t, row).state);
}

static struct cell get_from(const struct table *t, size_t row)
{
	struct known_at at = known_of(t, row);

	return cell_time(at.interval ? at.interval->from : 0);
}

static struct cell get_to(const struct table *t, size_t row)
{
	struct known_at at = known_of(t, row);

	return cell_time(at.interval ? at.interval->to : 0);
}

static struct cell get_evidence(const struct table *t, size_t row)
{
	struct known_at at = known_of(t, row);

	return cell_string(at.interval ? same_by_name(at.interval->evidence) : NULL);
}

#define TEXT (TABLE_TEXT | TABLE_JSON)

/* Times are rounded inwards: what is printed is known. Packed as those of a capture's pages. */
static const struct column PAGES[] = {
	{"url", TEXT, .get = get_url, .unit = UNIT_URL, .heading = "page", .at = 4, .gap = 1,
		.place = 1, .packed = "url"},
	{"state", TEXT, .get = get_state, .word = state_word, .at = 1, .width = -9, .place = 2,
		.packed = "verdict"},
	{"from", TEXT, .get = get_from, .unit = UNIT_TIME_UP, .at = 2, .gap = 1, .width = -24,
		.none = "-", .place = 3, .packed = "visitEnd"},
	{"to", TEXT, .get = get_to, .unit = UNIT_TIME, .at = 3, .gap = 1, .width = -24, .none = "-",
		.place = 4, .packed = "revisitStart"},
	{"evidence", TABLE_JSON, .get = get_evidence, .place = 5, .packed = "evidence"},
};

void report_at_gather(struct report_at_rows *rows, const struct archive_known *x, int64_t instant)
{
	*rows = (struct report_at_rows){.known = x, .instant = instant, .started = instant};
	for (uint32_t i = 0; i < x->listed.len; i++) {
		struct known_at at;

		if (!archive_known_is_listed(x, i))
			continue;
		u32_vec_push(&rows->pages, i);
		at = archive_known_at(x, i, instant);
		rows->count[at.state]++;
		if (at.interval && at.interval->from < rows->started)
			rows->started = at.interval->from;
	}
	rows->table = (struct table){.columns = PAGES,
		.count = sizeof PAGES / sizeof *PAGES,
		.context = rows,
		.rows = rows->pages.len};
}

static int put_at(const struct report_at_rows *rows)
{
	struct json j;

	json_init_file(&j, stdout, JSON_LINES);
	json_document_begin(&j);
	report_json_time(&j, "at", rows->instant, CLOCK_ROUND_DOWN);
	json_key(&j, "pages");
	table_json(&rows->table, &j);
	json_key(&j, "totals");
	json_object_begin(&j);
	json_put_uint(&j, "pages", rows->known->pages);
	for (int s = 0; s < KNOWN_STATES; s++)
		json_put_uint(&j, known_state_name((enum known_state)s), rows->count[s]);
	json_object_end(&j);
	json_object_end(&j);
	return json_finish(&j);
}

static int print_at(const struct report_at_rows *rows)
{
	uint64_t all = rows->known->pages;
	char text[CLOCK_TEXT_SIZE];

	clock_format(rows->instant, CLOCK_ROUND_DOWN, text);
	printf("At %s, of %" PRIu64 " pages:\n", text, all);
	for (int s = 0; s < KNOWN_STATES; s++) {
		printf("  %-9s %9" PRIu64, known_state_name((enum known_state)s), rows->count[s]);
		if (all > 0)
			printf("  %5.1f %%", 100.0 * (double)rows->count[s] / (double)all);
		(void)putchar('\n');
	}
	if (all > 0) {
		(void)putchar('\n');
		table_text(&rows->table, stdout);
	}
	return ferror(stdout) ? ERR_IO : 0;
}

int report_at(const struct archive_known *x, int64_t instant, bool json)
{
	struct report_at_rows rows;
	int rc;

	report_at_gather(&rows, x, instant);
	rc = json ? put_at(&rows) : print_at(&rows);
	u32_vec_release(&rows.pages);
	return rc;
}

/* ---- a span ---- */

#define POINT(member) MEMBER(struct curve_point, member)

static struct cell get_share(const struct table *t, size_t row)
{
	const struct curve_point *points = t->first;
	const struct archive_known *x = t->context;

	return cell_double(report_percent(points[row].count[KNOWN_PROVEN], x->pages));
}

static const struct column POINTS[] = {
	{"at", TEXT, POINT(at), UNIT_TIME, .heading = "from", .width = -24, .place = 1},
	{"proven", TEXT, POINT(count[KNOWN_PROVEN]), .gap = 1, .width = 9, .place = 2},
	{"of all", 0, .get = get_share, .decimals = 1, .suffix = " %", .place = 3},
	{"absent", TEXT, POINT(count[KNOWN_ABSENT]), .gap = 1, .width = 9, .place = 4},
	{"asserted", TEXT, POINT(count[KNOWN_ASSERTED]), .gap = 1, .width = 9, .place = 5},
	{"unknown", TEXT, POINT(count[KNOWN_UNKNOWN]), .gap = 1, .width = 9, .place = 6},
};

struct table report_curve_table(const struct archive_known *x, const struct curve *c)
{
	struct table table = TABLE_OF(POINTS, *c);

	table.context = x;
	return table;
}

int report_curve(const struct archive_known *x, int64_t from, int64_t to, bool json)
{
	struct curve c = {0};
	struct table points;
	struct json j;
	int rc;

	archive_known_curve(x, from, to, &c);
	points = report_curve_table(x, &c);
	if (json) {
		json_init_file(&j, stdout, JSON_LINES);
		json_document_begin(&j);
		report_json_time(&j, "from", from, CLOCK_ROUND_UP);
		report_json_time(&j, "to", to, CLOCK_ROUND_DOWN);
		json_put_uint(&j, "pages", x->pages);
		json_key(&j, "curve");
		table_json(&points, &j);
		json_object_end(&j);
		rc = json_finish(&j);
	} else {
		table_text(&points, stdout);
		rc = ferror(stdout) ? ERR_IO : 0;
	}
	curve_release(&c);
	return rc;
}
