
#include <inttypes.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "proof/ranking.h"
#include "proof/report_json.h"
#include "report/assets.h"
#include "report/html.h"
#include "report/report_page.h"
#include "report/report_print.h"
#include "report/report_words.h"

enum {
	DIRECTORIES = 30,
	HOSTS = 30,
	HOTTEST = 50,
	REASONS = 20,
};

/* ---- what was captured ---- */

static void put_times(const struct report *r, FILE *file)
{
	char started[CLOCK_TEXT_SIZE], finished[CLOCK_TEXT_SIZE], length[TEXT_DURATION_SIZE];

	clock_format(r->capture.started, CLOCK_ROUND_DOWN, started);
	if (!r->capture.finished) {
		page_fact(file, "Time", "since %s", started);
		return;
	}
	clock_format(r->capture.finished, CLOCK_ROUND_UP, finished);
	text_duration(clock_seconds(r->capture.finished - r->capture.started), length);
	page_fact(file, "Time", "%s to %s (%s)", started, finished, length);
}

static void put_best(const struct report *r, FILE *file)
{
	const struct best_instant *best = &r->known.best;
	char from[CLOCK_TEXT_SIZE], to[CLOCK_TEXT_SIZE];

	if (best->proven == 0)
		return;
	clock_format(best->from, CLOCK_ROUND_UP, from);
	clock_format(best->to, CLOCK_ROUND_DOWN, to);
	page_fact(file, "Best instant", "%s to %s, with %zu pages proven", from, to, best->proven);
}

static void put_facts(const struct report_page_parts *p, FILE *file)
{
	const struct report *r = p->report;
	char text[REPORT_WORDS_SIZE];

	(void)fputs("<dl class=\"facts\">\n", file);
	page_fact(file, "Site", "%.*s", (int)r->capture.site.len, r->capture.site.ptr);
	page_fact(file, "Archive", "%s", p->archive);
	if (!report_is_judged(r)) {
		report_ending(r, text);
		page_fact(file, "Capture", "%" PRIu32 ", %s", r->capture.id, text);
		page_fact(file, "Strategy", "%.*s%s", (int)r->capture.strategy.len,
			r->capture.strategy.ptr, r->capture.single ? ", visits only" : "");
	}
	put_times(r, file);
	report_window(r, text);
	if (!r->capture.single && !report_is_watched(r))
		page_fact(file, "Still point", "%s", text);
	put_best(r, file);
	if (r->composites.pages)
		page_fact(file, "With all requisites",
			"%" PRIu64 " of %" PRIu64 " pages sharp (%.1f %%)", r->composites.sharp,
			r->composites.pages,
			report_percent(r->composites.sharp, r->composites.pages));
	if (r->asserted)
		page_fact(file, "Asserted only",
			"%" PRIu64 " pages, by Last-Modified or ETag of their server", r->asserted);
	(void)fputs("</dl>\n", file);
}

static void put_claims(const struct report *r, FILE *file)
{
	(void)fputs(
		"<p>A page is <b>sharp</b> when two full downloads of it, one before and one after "
		"the still point, had the same status, Location, Refresh, Content-Disposition, "
		"media type and content. Each such "
		"page is claimed to have been like this from the end of the first download to the "
		"start of the second.</p>\n",
		file);
	if (r->sharp_normalised)
		(void)fprintf(file,
			"<p>Of the sharp pages, %" PRIu64 " were the same byte for byte. %" PRIu64
			" differed by noise only: rules of version %u explain every place where "
			"they differ.</p>\n",
			r->sharp_bytes, r->sharp_normalised, r->rule_set);
	if (r->on_rule_set_1)
		(void)fprintf(file,
			"<p>%" PRIu64 " of these rest on rule set version 1, which was too "
			"lenient.</p>\n",
			r->on_rule_set_1);
	(void)fputs(
		"<p>Not claimed: that a page did not change and change back between the two "
		"downloads; that a cache in between showed what the origin had; that other "
		"visitors, with other cookies or from other places, saw the same. What a server "
		"merely asserts (304, Last-Modified) proves nothing here.</p>\n",
		file);
}

/* ---- tables ---- */

static void put_verdict_row(const struct report *r, enum verdict v, FILE *file)
{
	uint64_t pages = r->totals[v] - (v == VERDICT_EXCLUDED ? r->out_of_scope : 0);

	if (pages == 0)
		return;
	html_row_begin(file, verdict_name(v));
	html_cell(file, "%" PRIu64, pages);
	if (verdict_is_captured(v))
		html_cell(file, "%.1f %%", report_percent(pages, r->captured));
	else
		html_cell_empty(file);
	html_cell_words(file, slice_str(report_meaning(v)));
	html_row_end(file);
}

static void put_verdicts(const struct report *r, FILE *file)
{
	static const char *const HEADINGS[] = {"verdict", "pages", "of captured", "meaning", NULL};
	char expected[REPORT_WORDS_SIZE];

	html_table_begin(file, "Pages by verdict", HEADINGS);
	for (int v = 0; v < VERDICT_COUNT; v++)
		put_verdict_row(r, (enum verdict)v, file);
	html_table_end(file);
	if (r->not_captured)
		(void)fprintf(file,
			"<p>%" PRIu64 " pages were captured, %" PRIu64 " known ones never.</p>\n",
			r->captured, r->not_captured);
	if (!report_has_expectation(r))
		return;
	(void)fputs("<p>", file);
	report_expectation(r, expected);
	html_printf(file, "Unchanged from visit to revisit: %" PRIu64 " found, %s. %s",
		r->totals[VERDICT_SHARP] + r->totals[VERDICT_ABSENT], expected,
		report_comparison(r));
	(void)fputs("</p>\n", file);
}

static void put_directories(const struct report *r, FILE *file)
{
	static const char *const HEADINGS[] = {"directory", "captured", "sharp", "changed", NULL};
	struct ranking_groups groups = ranking_directories(r);

	html_table_begin(file, "Directories with most pages", HEADINGS);
	for (size_t i = 0; i < groups.len && i < DIRECTORIES; i++) {
		const struct ranking_group *g = &groups.ptr[i];

		html_url_row(file, g->name);
		html_cell(file, "%" PRIu64, g->captured);
		html_cell(file, "%" PRIu64, g->sharp);
		html_cell(file, "%" PRIu64, g->changed);
		html_row_end(file);
	}
	html_table_end(file);
	if (groups.len > DIRECTORIES)
		(void)fprintf(file, "<p>And %zu more.</p>\n", groups.len - DIRECTORIES);
	ranking_groups_release(&groups);
}

/* What the time of the capture was spent on. */
static void put_spent(const struct report *r, const struct tally *hosts, FILE *file)
{
	char busy[TEXT_DURATION_SIZE], whole[TEXT_DURATION_SIZE], pauses[TEXT_DURATION_SIZE];
	int64_t length = r->capture.finished - r->capture.started, downloading = 0;
	uint64_t requests = 0, retries = 0;

	for (size_t i = 0; i < hosts->rows.len; i++) {
		downloading += hosts->rows.ptr[i].busy;
		requests += hosts->rows.ptr[i].requests;
		retries += hosts->rows.ptr[i].retries;
	}
	text_duration(clock_seconds(downloading), busy);
	(void)fputs("<p>", file);
	html_printf(file, "%" PRIu64 " requests, %" PRIu64 " of them retries, took %s in all.",
		requests, retries, busy);
	if (r->capture.finished && length > downloading) {
		text_duration(clock_seconds(length), whole);
		text_duration(clock_seconds(length - downloading), pauses);
		html_printf(file,
			" The capture took %s: at least %s of it are pauses between requests, for "
			"the sake of the servers.",
			whole, pauses);
	}
	(void)fputs("</p>\n", file);
}

static void put_hottest(const struct report *r, FILE *file)
{
	static const char *const HEADINGS[] = {"page", "assumed before", "", NULL};
	uint32_t pages[HOTTEST];
	size_t count = ranking_hottest(r, VERDICT_CHANGED, HOTTEST, pages);

	if (count == 0)
		return;
	web_page_section(file, "What changed");
	html_table_begin(file, "Changed pages, hottest first", HEADINGS);
	for (size_t i = 0; i < count; i++) {
		const struct report_page *p = &r->pages.ptr[pages[i]];
		char rate[TEXT_RATE_SIZE];

		report_rate(r, p, rate);
		html_url_row(file, p->url);
		html_cell_words(file, slice_str(rate));
		html_cell_words(
			file, slice_str(p->hopeless && r->rates_differ ? "not prioritised" : ""));
		html_row_end(file);
	}
	html_table_end(file);
}

static void put_reasons(const struct report *r, enum verdict v, FILE *file)
{
	static const char *const HEADINGS[] = {"reason", "pages", "for instance", NULL};
	struct ranking_groups groups = ranking_reasons(r, v);

	if (groups.len > 0) {
		html_table_begin(file, verdict_name(v), HEADINGS);
		for (size_t i = 0; i < groups.len && i < REASONS; i++) {
			html_url_row(file, groups.ptr[i].name);
			html_cell(file, "%" PRIu64, groups.ptr[i].pages);
			html_cell_words(file, groups.ptr[i].example);
			html_row_end(file);
		}
		html_table_end(file);
	}
	ranking_groups_release(&groups);
}

static void put_left_out(const struct report *r, FILE *file)
{
	static const enum verdict EXPLAINED[] = {VERDICT_UNCONFIRMED, VERDICT_FAILED,
		VERDICT_BLOCKED, VERDICT_UNVISITED, VERDICT_EXCLUDED};
	uint64_t links = 0;

	web_page_section(file, "What is missing, and why");
	for (size_t i = 0; i < sizeof EXPLAINED / sizeof EXPLAINED[0]; i++)
		put_reasons(r, EXPLAINED[i], file);
	(void)fputs("<ul>\n", file);
	for (int i = 0; i < LEFT_OUT_COUNT; i++) {
		if (!r->left_out[i])
			continue;
		(void)fprintf(file, "<li>%" PRIu64 " links: ", r->left_out[i]);
		html_text(file, slice_str(left_out_meaning((enum left_out)i)));
		(void)fputs("</li>\n", file);
		links += r->left_out[i];
	}
	(void)fputs(links ? "</ul>\n" : "<li>No link was left out.</li></ul>\n", file);
}

/* ---- who, with what, by which clock, in which files ---- */

static void put_provenance(const struct report *r, FILE *file)
{
	static const char *const HEADINGS[] = {"WARC file", "size", "SHA-256", NULL};
	const struct provenance_files *files = &r->provenance.files;
	char text[REPORT_WORDS_SIZE], clock[PROVENANCE_CLOCK_SIZE];

	if (report_is_judged(r))
		return;
	web_page_section(file, "Where this comes from");
	(void)fputs("<dl class=\"facts\">\n", file);
	report_operator(r, text);
	page_fact(file, "Operator", "%s", text);
	report_program(r, text);
	page_fact(file, "Program", "%s", text);
	page_fact(file, "Capture", "%.*s", (int)r->capture.uuid.len, r->capture.uuid.ptr);
	provenance_clock(&r->provenance, clock);
	if (clock[0])
		page_fact(file, "Clock", "%s", clock);
	(void)fputs("</dl>\n", file);
	if (files->len == 0)
		return;
	html_table_begin(
		file, "Files of the archive that the claims can be checked with", HEADINGS);
	for (size_t i = 0; i < files->len; i++) {
		char digest[DIGEST_TEXT_SIZE], size[TEXT_SIZE_SIZE];

		provenance_digest(&files->ptr[i], digest);
		text_size(files->ptr[i].size, size);
		html_url_row(file, files->ptr[i].name);
		html_cell(file, "%s", size);
		(void)fprintf(file, "<td class=\"words digest\">%s</td>",
			digest[0]                ? digest
			: files->ptr[i].complete ? "not recorded"
						 : "not complete yet");
		html_row_end(file);
	}
	html_table_end(file);
	(void)fputs("<p><code>sha256sum</code> prints these digests, and <code>stillpoint "
		    "verify</code> checks every claim by the files alone.</p>\n",
		file);
}

/* ---- figures and pages ---- */

static void put_figures(const struct report *r, FILE *file)
{
	if (r->capture.single || report_is_watched(r))
		return;
	web_page_section(file, "Around the still point");
	page_figure(file, "pyramid", "From visit to revisit.",
		"Each page is a bar from the end of its visit to the start of its revisit; the "
		"band is the still point.");
	page_figure(file, "curve", "Sharpness curve.",
		"How many pages are proven at each instant of the capture.");
}

/* Where the replay shows pages at the still point, or without one when they were seen; or "". */
static void replay_prefix(const struct report_page_parts *p, char out[REPORT_WORDS_SIZE])
{
	const struct stillpoint *window = &p->report->window;
	size_t len = p->replay ? strlen(p->replay) : 0;
	char digits[TIMESTAMP_SIZE];

	out[0] = '\0';
	if (len == 0)
		return;
	/* 17 digits mean the last instant of their millisecond. */
	if (stillpoint_is_known(window))
		timestamp_format(window->to - PAGE_NS_PER_MS, TIMESTAMP_DIGITS_MAX, digits);
	else
		timestamp_format(p->report->capture.started, TIMESTAMP_SECONDS, digits);
	(void)snprintf(out, REPORT_WORDS_SIZE, "%.300s%s%s/", p->replay,
		p->replay[len - 1] == '/' ? "" : "/", digits);
}

static void put_pages(const struct report_page_parts *p, FILE *file)
{
	const struct report *r = p->report;
	struct table pages = report_table(&(struct report_rows){.report = r});
	char replay[REPORT_WORDS_SIZE];
	size_t rows = 0;

	replay_prefix(p, replay);
	web_page_section(file, "All pages");
	page_rows_begin(file, "The first pages; those out of the scope are left out", &pages);
	for (size_t i = 0; i < r->pages.len && rows < PAGE_STATIC_ROWS; i++) {
		if (report_is_out_of_scope(&r->pages.ptr[i]))
			continue;
		html_columns_row(file, &pages, i, slice_str(replay));
		rows++;
	}
	page_rows_end(file);
}

/* ---- the data for the script: web/src/capture/data.ts ---- */

/* Ends of the proven intervals of all pages, for the sharpness curve. */
static void put_ends(struct json *j, const struct report_page_parts *parts, bool to)
{
	json_key(j, to ? "provenTo" : "provenFrom");
	json_array_begin(j);
	for (uint32_t i = 0; i < parts->report->pages.len; i++) {
		size_t count;
		const struct interval *list = known_proven(&parts->report->known, i, &count);

		/* Rounded inwards: what is drawn is known. */
		for (size_t n = 0; n < count; n++)
			table_pack_time(j, parts->report->capture.started,
				to ? list[n].to : list[n].from, !to);
	}
	json_array_end(j);
}

static void put_words(struct json *j, const struct report_page_parts *parts)
{
	const struct slice_vec *files = &parts->records->files.list;

	json_key(j, "verdicts");
	json_array_begin(j);
	for (int v = 0; v < VERDICT_COUNT; v++)
		json_string(j, verdict_name((enum verdict)v));
	json_array_end(j);
	json_key(j, "captured");
	json_array_begin(j);
	for (int v = 0; v < VERDICT_COUNT; v++)
		json_bool(j, verdict_is_captured((enum verdict)v));
	json_array_end(j);
	json_key(j, "files");
	json_array_begin(j);
	for (size_t i = 0; i < files->len; i++)
		json_slice(j, files->ptr[i]);
	json_array_end(j);
}

static void put_data(const void *context, struct json *j)
{
	const struct report_page_parts *parts = context;
	const struct report *r = parts->report;
	int64_t started = r->capture.started;
	bool is_known = stillpoint_is_known(&r->window);
	char digest[DIGEST_TEXT_SIZE];
	struct table pages = report_table(
		&(struct report_rows){.report = r, .records = parts->records, .digest = digest});

	json_object_begin(j);
	json_key(j, "started");
	json_int(j, started / PAGE_NS_PER_MS);
	json_key(j, "stillFrom");
	table_pack_time(j, started, is_known ? r->window.from : 0, true);
	json_key(j, "stillTo");
	table_pack_time(j, started, is_known ? r->window.to : 0, false);
	json_put_string(j, "replay", parts->replay);
	put_words(j, parts);
	put_ends(j, parts, false);
	put_ends(j, parts, true);
	table_pack(&pages, started, j);
	json_object_end(j);
}

int report_html(const void *parts, FILE *file)
{
	const struct report_page_parts *p = parts;
	const struct report *r = p->report;
	struct table hosts = report_tally(p->hosts);
	char lead[2 * REPORT_WORDS_SIZE], claim[REPORT_WORDS_SIZE], title[REPORT_WORDS_SIZE];
	int rc;

	report_headline(r, lead);
	report_claim(r, claim);
	(void)snprintf(title, sizeof title, "How sharp: %.*s", slice_shown(r->capture.site, 300),
		r->capture.site.ptr);
	(void)snprintf(lead + strlen(lead), sizeof lead - strlen(lead), " %s", claim);
	web_page_begin(file, web_capture_css(), slice_str(title), lead);
	put_facts(p, file);
	put_claims(r, file);
	put_verdicts(r, file);
	put_figures(r, file);
	web_page_section(file, "Where the pages are");
	page_figure(file, "treemap", "Directories.",
		"The area is the number of captured pages, the colours are their verdicts.");
	put_directories(r, file);
	web_page_section(file, "Where the time went");
	put_spent(r, p->hosts, file);
	html_columns(file, "Hosts with most requests", &hosts, HOSTS);
	put_hottest(r, file);
	put_left_out(r, file);
	put_provenance(r, file);
	put_pages(p, file);
	rc = page_data(file, put_data, p);
	web_page_end(file, web_capture_js());
	return rc;
}
