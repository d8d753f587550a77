#include "cmd/report_at.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/timestamp.h"
#include "cmd/archive.h"
#include "cmd/report_at_html.h"
#include "cmd/text.h"
#include "quality/archive_known.h"
#include "quality/report_json.h"
#include "url/url.h"

/* ---- what the user says ---- */

static int read_time(const char *text, struct timestamp *ret, struct err *err)
{
	return timestamp_read_said(text, clock_realtime(clock_system()), ret, err);
}

bool report_at_is_time(const char *text)
{
	struct timestamp ignored;

	return read_time(text, &ignored, NULL) == 0;
}

/* The site as the catalog spells it. */
static slice spell_site(const char *text, struct url *url)
{
	if (!text)
		return (slice){0};
	return url_parse(url, slice_str(text), NULL, NULL) ? slice_str(text) : url_page(url);
}

/* ---- an instant ---- */

/* Rounded inwards: what is printed is known. */
static void put_interval(struct json *j, const struct interval *i)
{
	if (i) {
		report_json_time(j, "from", i->from, CLOCK_ROUND_UP);
		report_json_time(j, "to", i->to, CLOCK_ROUND_DOWN);
	} else {
		json_put_string(j, "from", NULL);
		json_put_string(j, "to", NULL);
	}
	json_put_string(j, "evidence", i ? interval_evidence_name(i->evidence) : NULL);
}

static void put_counts(struct json *j, const uint64_t count[KNOWN_STATES])
{
	for (int s = 0; s < KNOWN_STATES; s++)
		json_put_uint(j, known_state_name((enum known_state)s), count[s]);
}

static int put_at(const struct archive_known *x, int64_t instant)
{
	uint64_t count[KNOWN_STATES] = {0};
	struct json j;

	json_init_file(&j, stdout, JSON_LINES);
	json_document_begin(&j);
	report_json_time(&j, "at", instant, CLOCK_ROUND_DOWN);
	json_key(&j, "pages");
	json_array_begin(&j);
	for (uint32_t i = 0; i < x->listed.len; i++) {
		struct known_at at;

		if (!archive_known_is_listed(x, i))
			continue;
		at = archive_known_at(x, i, instant);
		count[at.state]++;
		json_object_begin(&j);
		json_text(&j, "url", words_text(&x->urls, i));
		json_put_string(&j, "state", known_state_name(at.state));
		put_interval(&j, at.interval);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_key(&j, "totals");
	json_object_begin(&j);
	json_put_uint(&j, "pages", x->pages);
	put_counts(&j, count);
	json_object_end(&j);
	json_object_end(&j);
	return json_finish(&j);
}

static void print_count(const char *name, uint64_t count, uint64_t all)
{
	printf("  %-9s %9" PRIu64, name, count);
	if (all > 0)
		printf("  %5.1f %%", 100.0 * (double)count / (double)all);
	(void)putchar('\n');
}

static void print_row(const struct archive_known *x, uint32_t page, const struct known_at *at)
{
	char from[CLOCK_TEXT_SIZE] = "-", to[CLOCK_TEXT_SIZE] = "-";

	if (at->interval) {
		clock_format(at->interval->from, CLOCK_ROUND_UP, from);
		clock_format(at->interval->to, CLOCK_ROUND_DOWN, to);
	}
	printf("%-9s %-24s %-24s ", known_state_name(at->state), from, to);
	text_name(stdout, words_text(&x->urls, page), 0);
	(void)putchar('\n');
}

static int print_at(const struct archive_known *x, int64_t instant)
{
	uint64_t count[KNOWN_STATES] = {0};
	char text[CLOCK_TEXT_SIZE];

	for (uint32_t i = 0; i < x->listed.len; i++)
		if (archive_known_is_listed(x, i))
			count[archive_known_at(x, i, instant).state]++;
	clock_format(instant, CLOCK_ROUND_DOWN, text);
	printf("At %s, of %" PRIu64 " pages:\n", text, x->pages);
	for (int s = 0; s < KNOWN_STATES; s++)
		print_count(known_state_name((enum known_state)s), count[s], x->pages);
	if (x->pages > 0)
		printf("\n%-9s %-24s %-24s %s\n", "state", "from", "to", "page");
	for (uint32_t i = 0; i < x->listed.len; i++) {
		struct known_at at = archive_known_at(x, i, instant);

		if (archive_known_is_listed(x, i))
			print_row(x, i, &at);
	}
	return ferror(stdout) ? ERR_IO : 0;
}

/* ---- a span ---- */

static int put_curve(const struct archive_known *x, const struct curve *c, int64_t from, int64_t to)
{
	struct json j;

	json_init_file(&j, stdout, JSON_LINES);
	json_document_begin(&j);
	report_json_time(&j, "from", from, CLOCK_ROUND_UP);
	report_json_time(&j, "to", to, CLOCK_ROUND_DOWN);
	json_put_uint(&j, "pages", x->pages);
	json_key(&j, "curve");
	json_array_begin(&j);
	for (size_t i = 0; i < c->len; i++) {
		json_object_begin(&j);
		report_json_time(&j, "at", c->ptr[i].at, CLOCK_ROUND_DOWN);
		put_counts(&j, c->ptr[i].count);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
	return json_finish(&j);
}

static int print_curve(const struct curve *c)
{
	char text[CLOCK_TEXT_SIZE];

	printf("%-24s %9s %9s %9s %9s\n", "from", "proven", "absent", "asserted", "unknown");
	for (size_t i = 0; i < c->len; i++) {
		const uint64_t *count = c->ptr[i].count;

		clock_format(c->ptr[i].at, CLOCK_ROUND_DOWN, text);
		printf("%-24s %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 "\n", text,
			count[KNOWN_PROVEN], count[KNOWN_ABSENT], count[KNOWN_ASSERTED],
			count[KNOWN_UNKNOWN]);
	}
	return ferror(stdout) ? ERR_IO : 0;
}

static int show_curve(const struct archive_known *x, int64_t from, int64_t to, bool json)
{
	struct curve c = {0};
	int rc = archive_known_curve(x, from, to, &c);

	if (rc == 0)
		rc = json ? put_curve(x, &c, from, to) : print_curve(&c);
	curve_release(&c);
	return rc;
}

/* ---- both ---- */

struct times {
	int64_t from, to; /* the same for an instant */
};

static int parse_times(const struct report_at_options *o, struct times *ret, struct err *err)
{
	struct timestamp from, to;
	int rc = read_time(o->at ? o->at : o->from, &from, err);

	if (rc == 0)
		ret->from = ret->to = o->at ? from.last : from.first;
	if (rc || o->at)
		return rc;
	rc = read_time(o->to, &to, err);
	if (rc == 0)
		ret->to = to.last;
	if (rc == 0 && ret->to < ret->from)
		rc = err_set(err, ERR_USAGE,
			"--curve: %s is before %s; write the earlier one first", o->to, o->from);
	return rc;
}

struct page_writing {
	struct report_at_page page;
	int *rc;
};

static void write_page(const void *context, FILE *file)
{
	const struct page_writing *w = context;

	*w->rc = w->page.curve ? report_curve_html(&w->page, file) : report_at_html(&w->page, file);
}

static enum cmd_status show_html(const struct archive_known *x, const char *archive,
	const struct report_at_options *o, const struct times *t)
{
	struct curve curve = {0};
	struct err err = {0};
	int written = 0;
	int rc = o->at ? 0 : err_code(&err, archive_known_curve(x, t->from, t->to, &curve));

	if (rc == 0)
		rc = cmd_write_file(o->html, write_page,
			&(struct page_writing){.page = {x, archive, o->site, o->replay, t->from,
						       t->to, o->at ? NULL : &curve},
				.rc = &written},
			&err);
	rc = rc ? rc : err_code(&err, written);
	curve_release(&curve);
	return rc ? cmd_fail("report", &err) : cmd_finish(0);
}

static enum cmd_status show(
	const struct archive_known *x, const struct report_at_options *o, const struct times *t)
{
	int rc;

	if (!o->at)
		rc = show_curve(x, t->from, t->to, o->json);
	else
		rc = o->json ? put_at(x, t->from) : print_at(x, t->from);
	if (rc == ERR_NOMEM)
		return cmd_fail("report", &(struct err){ERR_NOMEM, "out of memory"});
	return cmd_finish(rc);
}

enum cmd_status report_at(const char *archive, const struct report_at_options *o)
{
	struct archive_known x;
	struct catalog *catalog;
	struct err err = {0};
	enum cmd_status status;
	struct times t = {0};
	struct url url;

	if (parse_times(o, &t, &err))
		return cmd_fail("report", &err);
	if (archive_open_catalog(archive, &catalog, &err))
		return cmd_fail_archive("report", &err);
	url_init(&url);
	status = archive_known_load(&x, catalog, spell_site(o->site, &url), &err)
			 ? cmd_fail_archive("report", &err)
		 : o->html ? show_html(&x, archive, o, &t)
			   : show(&x, o, &t);
	archive_known_release(&x);
	url_release(&url);
	catalog_close(catalog);
	return status;
}
