#include "cmd/report_at_html.h"

#include <inttypes.h>

#include "base/clock.h"
#include "cmd/report_page.h"
#include "cmd/report_words.h"
#include "cmd/text.h"
#include "web/assets.h"
#include "web/html.h"
#include "web/page.h"

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
		"one, of any capture, if both show the same: status, Location, media type and "
		"content. What a server merely asserts (304, Last-Modified) is counted apart.</p>\n"
		"<p>Not claimed: that a page did not change and change back between the two looks; "
		"that a cache in between showed what the origin had; that other visitors saw the "
		"same.</p>\n",
		file);
}

/* ---- an instant ---- */

struct at_data {
	const struct report_at_page *p;
	struct u32_vec pages; /* that are listed */
	int64_t started;      /* the first time of all; ns */
	uint64_t count[KNOWN_STATES];
};

static struct known_at known_of(const struct at_data *d, uint32_t row)
{
	return archive_known_at(d->p->known, d->pages.ptr[row], d->p->from);
}

static int gather(struct at_data *d)
{
	const struct archive_known *x = d->p->known;
	int rc = 0;

	d->started = d->p->from;
	for (uint32_t i = 0; rc == 0 && i < x->listed.len; i++) {
		struct known_at at;

		if (!archive_known_is_listed(x, i))
			continue;
		rc = u32_vec_push(&d->pages, i);
		at = archive_known_at(x, i, d->p->from);
		d->count[at.state]++;
		if (at.interval && at.interval->from < d->started)
			d->started = at.interval->from;
	}
	return rc;
}

static void put_url(struct json *j, const void *context, uint32_t row)
{
	const struct at_data *d = context;

	json_slice(j, words_text(&d->p->known->urls, d->pages.ptr[row]));
}

static void put_state(struct json *j, const void *context, uint32_t row)
{
	json_uint(j, known_of(context, row).state);
}

static void put_evidence(struct json *j, const void *context, uint32_t row)
{
	struct known_at at = known_of(context, row);

	json_string(j, at.interval ? interval_evidence_name(at.interval->evidence) : NULL);
}

/* Rounded inwards: what is shown is known. */
static void put_from(struct json *j, const void *context, uint32_t row)
{
	const struct at_data *d = context;
	struct known_at at = known_of(d, row);

	page_time(j, d->started, at.interval ? at.interval->from : 0, true);
}

static void put_to(struct json *j, const void *context, uint32_t row)
{
	const struct at_data *d = context;
	struct known_at at = known_of(d, row);

	page_time(j, d->started, at.interval ? at.interval->to : 0, false);
}

static const struct page_column COLUMNS[] = {
	{"url", put_url},
	{"verdict", put_state},
	{"evidence", put_evidence},
	{"visitEnd", put_from},
	{"revisitStart", put_to},
};

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
	const struct at_data *d = context;

	json_object_begin(j);
	json_key(j, "started");
	json_int(j, d->started / PAGE_NS_PER_MS);
	json_key(j, "stillFrom");
	page_time(j, d->started, d->p->from, false);
	json_key(j, "stillTo");
	page_time(j, d->started, d->p->from, false);
	json_put_string(j, "replay", d->p->replay);
	put_state_names(j);
	json_key(j, "titles");
	json_object_begin(j);
	json_put_string(j, "verdict", "state");
	json_put_string(j, "visitEnd", "known from");
	json_put_string(j, "revisitStart", "known until");
	json_object_end(j);
	page_columns(j, COLUMNS, sizeof COLUMNS / sizeof COLUMNS[0], d, d->pages.len);
	json_object_end(j);
}

static void put_states(const struct at_data *d, FILE *file)
{
	static const char *const HEADINGS[] = {"state", "pages", "of all", "meaning", NULL};

	html_table_begin(file, "Pages by what is known of them", HEADINGS);
	for (int s = 0; s < KNOWN_STATES; s++) {
		html_row_begin(file, known_state_name((enum known_state)s));
		html_cell(file, "%" PRIu64, d->count[s]);
		html_cell(file, "%.1f %%", report_percent(d->count[s], d->p->known->pages));
		html_cell_words(file, slice_str(MEANINGS[s]));
		html_row_end(file);
	}
	html_table_end(file);
}

static void put_rows(const struct at_data *d, FILE *file)
{
	static const char *const HEADINGS[] = {
		"URL", "state", "known from", "known until", "evidence", NULL};

	web_page_section(file, "All pages");
	page_rows_begin(file, "The first pages", HEADINGS);
	for (uint32_t i = 0; i < d->pages.len && i < PAGE_STATIC_ROWS; i++) {
		struct known_at at = known_of(d, i);

		page_url_row(file, words_text(&d->p->known->urls, d->pages.ptr[i]));
		html_cell(file, "%s", known_state_name(at.state));
		page_time_cell(file, at.interval ? at.interval->from : 0, true);
		page_time_cell(file, at.interval ? at.interval->to : 0, false);
		html_cell(file, "%s",
			at.interval ? interval_evidence_name(at.interval->evidence) : "");
		html_row_end(file);
	}
	page_rows_end(file);
}

static void begin_at(const struct at_data *d, FILE *file)
{
	char instant[CLOCK_TEXT_SIZE], title[2 * CLOCK_TEXT_SIZE], share[PAGE_SHARE_SIZE];
	char lead[REPORT_WORDS_SIZE];

	clock_format(d->p->from, CLOCK_ROUND_DOWN, instant);
	page_share(d->count[KNOWN_PROVEN], d->p->known->pages, share);
	(void)snprintf(title, sizeof title, "The archive at %s", instant);
	(void)snprintf(lead, sizeof lead,
		"At %s, %" PRIu64 " of %" PRIu64
		" pages (%s) are proven to have been as they are in the archive, and %" PRIu64
		" to have been missing. Of %" PRIu64 " nothing proves how they were.",
		instant, d->count[KNOWN_PROVEN], d->p->known->pages, share, d->count[KNOWN_ABSENT],
		d->count[KNOWN_ASSERTED] + d->count[KNOWN_UNKNOWN]);
	web_page_begin(file, web_capture_css(), slice_str(title), lead);
	put_facts(d->p, file);
	page_fact(file, "Instant", "%s", instant);
	(void)fputs("</dl>\n", file);
}

int report_at_html(const struct report_at_page *p, FILE *file)
{
	struct at_data d = {.p = p};
	int rc = gather(&d);

	if (rc == 0) {
		begin_at(&d, file);
		put_claims(file);
		put_states(&d, file);
		web_page_section(file, "Around the instant");
		page_figure(file, "pyramid", "What is known.",
			"Each page is a bar from the look before to the look after; the line is "
			"the "
			"instant.");
		web_page_section(file, "Where the pages are");
		page_figure(file, "treemap", "Directories.",
			"The area is the number of pages, the colours are what is known of them.");
		put_rows(&d, file);
		rc = page_data(file, put_at_data, &d);
		web_page_end(file, web_capture_js());
	}
	u32_vec_release(&d.pages);
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
	page_time(j, p->from, p->to, false);
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
	static const char *const HEADINGS[] = {
		"from", "proven", "of all", "absent", "asserted", "unknown", NULL};

	web_page_section(file, "Where the curve changes");
	html_table_begin(file, "The first points of the curve", HEADINGS);
	for (size_t i = 0; i < p->curve->len && i < PAGE_STATIC_ROWS; i++) {
		const uint64_t *count = p->curve->ptr[i].count;
		char at[CLOCK_TEXT_SIZE];

		clock_format(p->curve->ptr[i].at, CLOCK_ROUND_DOWN, at);
		html_row_begin(file, at);
		html_cell(file, "%" PRIu64, count[KNOWN_PROVEN]);
		html_cell(file, "%.1f %%", report_percent(count[KNOWN_PROVEN], p->known->pages));
		html_cell(file, "%" PRIu64, count[KNOWN_ABSENT]);
		html_cell(file, "%" PRIu64, count[KNOWN_ASSERTED]);
		html_cell(file, "%" PRIu64, count[KNOWN_UNKNOWN]);
		html_row_end(file);
	}
	html_table_end(file);
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

int report_curve_html(const struct report_at_page *p, FILE *file)
{
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
