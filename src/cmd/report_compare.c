#include "cmd/report_compare.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/csv.h"
#include "base/json.h"
#include "cmd/archive.h"
#include "cmd/report_words.h"
#include "cmd/text.h"

enum { MOVES = 12, LISTED = 10 };

/* ---- words and figures ---- */

static double sharpness(const struct report *r)
{
	return report_percent(r->totals[VERDICT_SHARP], r->captured);
}

void report_compare_lead(const struct compare *x, char out[REPORT_COMPARE_SIZE])
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

static double mean_rate(const struct report *r)
{
	double sum = 0;
	uint64_t pages = 0;

	for (size_t i = 0; i < r->pages.len; i++)
		if (r->pages.ptr[i].taken) {
			sum += r->pages.ptr[i].rate;
			pages++;
		}
	return pages ? sum / (double)pages : 0;
}

void report_compare_causes(const struct compare *x, struct report_cause out[REPORT_CAUSES])
{
	static const char *const NAMES[REPORT_CAUSES] = {"strategy", "time", "captured pages",
		"sharp", "unchanged pages expected", "blur", "mean change rate assumed",
		"pages with all requisites sharp", "failed, blocked or unvisited"};

	for (int i = 0; i < REPORT_CAUSES; i++)
		out[i].name = NAMES[i];
	for (int k = 0; k < 2; k++) {
		const struct report *r = x->reports[k];
		char rate[TEXT_RATE_SIZE];

		text_rate(mean_rate(r), rate);
		(void)snprintf(out[0].values[k], 64, "%.*s%s", slice_shown(r->capture.strategy, 40),
			r->capture.strategy.ptr, r->capture.single ? ", visits only" : "");
		put_length(r, out[1].values[k]);
		(void)snprintf(out[2].values[k], 64, "%" PRIu64, r->captured);
		(void)snprintf(out[3].values[k], 64, "%" PRIu64 " (%.1f %%)",
			r->totals[VERDICT_SHARP], sharpness(r));
		(void)snprintf(out[4].values[k], 64, "%.1f", r->expected_sharp);
		(void)snprintf(out[5].values[k], 64, "%.3g", r->blur);
		(void)snprintf(out[6].values[k], 64, "%s", rate);
		(void)snprintf(out[7].values[k], 64, "%" PRIu64 " of %" PRIu64, r->composites.sharp,
			r->composites.pages);
		(void)snprintf(out[8].values[k], 64, "%" PRIu64,
			r->totals[VERDICT_FAILED] + r->totals[VERDICT_BLOCKED] +
				r->totals[VERDICT_UNVISITED]);
	}
}

size_t report_compare_moves(const struct compare *x, struct report_move *out, size_t size)
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

static int print_text(const struct compare *x)
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
	printf("\n  %-32s %-24s %s\n", "", "first", "second");
	for (int i = 0; i < REPORT_CAUSES; i++)
		printf("  %-32s %-24s %s\n", causes[i].name, causes[i].values[0],
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

/* ---- JSON and CSV ---- */

static void put_time(struct json *j, const char *key, int64_t time, enum clock_round round)
{
	char text[CLOCK_TEXT_SIZE];

	if (time)
		clock_format(time, round, text);
	json_put_string(j, key, time ? text : NULL);
}

static void put_capture(struct json *j, const char *key, const struct report *r)
{
	json_key(j, key);
	json_object_begin(j);
	json_put_uint(j, "capture", r->capture.id);
	json_text(j, "site", r->capture.site);
	put_time(j, "started", r->capture.started, CLOCK_ROUND_DOWN);
	put_time(j, "finished", r->capture.finished, CLOCK_ROUND_UP);
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

static const char *verdict_or_null(const struct compare *x, const struct compare_row *row, int side)
{
	unsigned v = compare_verdict(x, row, side);

	return v < VERDICT_COUNT ? verdict_name((enum verdict)v) : NULL;
}

static void put_row(struct json *j, const struct compare *x, const struct compare_row *row)
{
	json_object_begin(j);
	json_text(j, "url", row->url);
	json_put_string(j, "change", compare_change_name((enum compare_change)row->change));
	json_put_string(j, "evidence", row->evidence);
	json_put_string(j, "first_verdict", verdict_or_null(x, row, 0));
	json_put_string(j, "second_verdict", verdict_or_null(x, row, 1));
	json_put_uint_if(j, "first_status", row->status[0], row->status[0]);
	json_put_uint_if(j, "second_status", row->status[1], row->status[1]);
	put_time(j, "last_seen", row->before, CLOCK_ROUND_UP);
	put_time(j, "first_seen", row->after, CLOCK_ROUND_DOWN);
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

static int print_json(const struct compare *x)
{
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
	json_array_begin(&j);
	for (size_t i = 0; i < x->rows.len; i++)
		put_row(&j, x, &x->rows.ptr[i]);
	json_array_end(&j);
	json_object_end(&j);
	return json_finish(&j);
}

static void put_csv_time(int64_t time, enum clock_round round)
{
	char text[CLOCK_TEXT_SIZE] = "";

	if (time)
		clock_format(time, round, text);
	printf(",%s", text);
}

static int print_csv(const struct compare *x)
{
	printf("url,change,evidence,first_verdict,second_verdict,last_seen,first_seen\n");
	for (size_t i = 0; i < x->rows.len; i++) {
		const struct compare_row *row = &x->rows.ptr[i];
		const char *before = verdict_or_null(x, row, 0),
			   *after = verdict_or_null(x, row, 1);

		csv_write_field(stdout, row->url);
		printf(",%s,%s,%s,%s", compare_change_name((enum compare_change)row->change),
			row->evidence ? row->evidence : "", before ? before : "",
			after ? after : "");
		put_csv_time(row->before, CLOCK_ROUND_UP);
		put_csv_time(row->after, CLOCK_ROUND_DOWN);
		(void)putchar('\n');
	}
	return ferror(stdout) ? ERR_IO : 0;
}

/* ---- all of it ---- */

struct page_writing {
	struct report_compare_page page;
	int *rc;
};

static void write_page(const void *context, FILE *file)
{
	const struct page_writing *w = context;

	*w->rc = report_compare_html(&w->page, file);
}

static enum cmd_status print(
	const struct compare *x, const char *archive, const struct report_compare_options *o)
{
	struct err err = {0};
	int written = 0, rc;

	if (!o->html)
		return cmd_finish(o->json ? print_json(x) : o->csv ? print_csv(x) : print_text(x));
	rc = cmd_write_file(o->html, write_page,
		&(struct page_writing){{x, archive, o->replay}, &written}, &err);
	rc = rc ? rc : err_code(&err, written);
	return rc ? cmd_fail("report", &err) : cmd_finish(0);
}

enum cmd_status report_compare(const char *archive, const struct report_compare_options *o)
{
	struct report first = {0}, second = {0};
	struct catalog *catalog;
	struct compare x = {0};
	struct err err = {0};
	enum cmd_status status;
	int rc;

	if (archive_open_catalog(archive, &catalog, &err))
		return cmd_fail_archive("report", &err);
	rc = report_load(&first, catalog, o->first, &err);
	if (rc == 0)
		rc = report_load(&second, catalog, o->second, &err);
	if (rc == 0)
		rc = compare_load(&x, catalog, &first, &second, &err);
	status = rc ? cmd_fail_archive("report", &err) : print(&x, archive, o);
	compare_release(&x);
	report_release(&first);
	report_release(&second);
	catalog_close(catalog);
	return status;
}
