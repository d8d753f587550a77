/* stillpoint rates: how often pages change, from archives and from lists of captures. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "archive/warc_date.h"
#include "base/clock.h"
#include "base/lists.h"
#include "base/log.h"
#include "cmd/archive.h"
#include "cmd/cmd.h"
#include "cmd/rates_model.h"
#include "cmd/rates_print.h"
#include "import/listing.h"

struct rates_options {
	const char *explain;
	const char *at;
	double threshold, within;
	int64_t limit;
	int per;
	bool json, csv, due;
};

enum { PER_PAGE, PER_SITE };

static const char *const PER[] = {"page", "site", NULL};

static const double UNSET = -1, THRESHOLD = 0.5, WEEK = 7 * 86400.0;

#define AT(member) offsetof(struct rates_options, member)

static const struct option_spec SPECS[] = {
	{.name = "json", .kind = OPTION_FLAG, .offset = AT(json), .help = "print JSON lines"},
	{.name = "csv",
		.kind = OPTION_FLAG,
		.offset = AT(csv),
		.help = "print CSV, as plan, crawl --rates and simulate read it"},
	{.name = "explain",
		.kind = OPTION_STRING,
		.offset = AT(explain),
		.metavar = "URL",
		.help = "show how the rate of this page came about"},
	{.name = "due",
		.kind = OPTION_FLAG,
		.offset = AT(due),
		.help = "list what has probably changed since its last capture, likeliest first"},
	{.name = "threshold",
		.kind = OPTION_DOUBLE,
		.offset = AT(threshold),
		.metavar = "T",
		.min = 0,
		.max = 1,
		.help = "with --due: the least probability to be listed (default 0.5)"},
	{.name = "within",
		.kind = OPTION_DURATION,
		.offset = AT(within),
		.metavar = "TIME",
		.help = "with --due: changed by then, from now (default 7d)"},
	{.name = "limit",
		.kind = OPTION_INT,
		.offset = AT(limit),
		.metavar = "N",
		.min = 1,
		.max = 1e15,
		.help = "with --due: list at most so many"},
	{.name = "per",
		.kind = OPTION_CHOICE,
		.offset = AT(per),
		.choices = PER,
		.help = "an answer for each page, or for each site: the rate at which any of "
			"its pages changes (default page)"},
	{.name = "at",
		.kind = OPTION_STRING,
		.offset = AT(at),
		.metavar = "DATE",
		.help = "count from this time instead of now, such as 2026-01-31 or "
			"2026-01-31T12:00:00Z"},
	{0},
};

static const struct options OPTIONS = {
	.program = "stillpoint",
	.command = "rates",
	.usage = "ARCHIVE|FILE… [--json|--csv] [--per page|site]\n"
		 "ARCHIVE|FILE… --due [--threshold T] [--within TIME] [--limit N]\n"
		 "ARCHIVE|FILE… --explain URL",
	.description =
		"Tells how often each page changes, in changes per second, and how sure that is: "
		"what pages in its directory do, corrected by what its own captures show. "
		"Captures come from archives of Stillpoint, and from files of others: CDX, CDXJ, "
		"ZipNum indexes, TimeMaps, WARC files, all of them also gzip. Several are taken "
		"together.\n\nTwo captures with the same digest: unchanged in between. TimeMaps "
		"have no digests as a rule and tell nothing about changes.",
	.specs = SPECS,
	.min_args = 1,
	.max_args = SIZE_MAX,
};

/* ---- reading ---- */

struct input {
	struct page_table table;
	struct listing_counts counts; /* of the file that is being read */
	struct u32_vec pages;    /* of a capture: its page numbers to ours, or CATALOG_NO_PAGE */
	struct u32_vec captures; /* of an archive */
};

static int on_listed(void *context, const struct listed *o, struct err *err)
{
	struct input *in = context;

	return err_code(err, page_table_add(&in->table, o, 1U << in->counts.format));
}

static int read_list(struct input *in, const char *path, struct err *err)
{
	int rc = listing_read(path, on_listed, in, &in->counts, err);

	if (rc || in->counts.bad == 0)
		return rc;
	if (in->counts.first_bad > 0)
		log_warn("rates",
			"%s: passed over %" PRIu64 " unreadable lines (first: line %" PRIu64 ")",
			path, in->counts.bad, in->counts.first_bad);
	else
		log_warn("rates", "%s: passed over %" PRIu64 " unreadable captures", path,
			in->counts.bad);
	return 0;
}

static int on_capture(void *context, const struct catalog_capture *capture)
{
	return u32_vec_push(&((struct input *)context)->captures, capture->id);
}

/* Numbers are dense: pages come as 0, 1, 2, … */
static int on_page(void *context, const struct catalog_page *page)
{
	struct input *in = context;
	uint32_t number = CATALOG_NO_PAGE;
	int rc = page->taken ? page_table_get(&in->table, page->url, &number, NULL) : 0;

	if (rc == ERR_SYNTAX)
		rc = 0;
	return rc ? rc : u32_vec_push(&in->pages, number);
}

/* What was cut off, or failed, shows no state of the page. */
static int on_attempt(void *context, const struct attempt *a)
{
	struct input *in = context;
	struct listed o = {.time = a->wall.first_byte, .status = a->status};

	if (a->page >= in->pages.len || in->pages.ptr[a->page] == CATALOG_NO_PAGE ||
		!a->has_payload || a->truncated || a->failure.ptr || o.time == 0)
		return 0;
	o.digest = listed_digest_of(&a->payload);
	return page_table_see(&in->table, in->pages.ptr[a->page], &o, RATES_FROM_ARCHIVE);
}

static int read_catalog(struct input *in, struct catalog *catalog, struct err *err)
{
	int rc;

	in->captures.len = 0;
	rc = catalog_each_capture(catalog, on_capture, in, err);
	for (size_t i = 0; rc == 0 && i < in->captures.len; i++) {
		in->pages.len = 0;
		rc = catalog_each_page(catalog, in->captures.ptr[i], on_page, in, err);
		if (rc == 0)
			rc = catalog_each_observation(
				catalog, in->captures.ptr[i], on_attempt, in, err);
	}
	return err_code(err, rc);
}

static int read_archive(struct input *in, const char *path, struct err *err)
{
	struct catalog *catalog;
	int rc = archive_open_catalog(path, &catalog, err);

	if (rc)
		return rc;
	rc = read_catalog(in, catalog, err);
	catalog_close(catalog);
	return rc;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* *ret_status is set on failure. */
static int read_all(struct input *in, const struct option_args *args, enum cmd_status *ret_status)
{
	struct err err = {0};

	for (size_t i = 0; i < args->count; i++) {
		bool archive = is_directory(args->ptr[i]);

		if (archive ? read_archive(in, args->ptr[i], &err)
			    : read_list(in, args->ptr[i], &err)) {
			*ret_status = archive ? cmd_fail_archive("rates", &err)
					      : cmd_fail_input("rates", &err);
			return err.code;
		}
	}
	return 0;
}

/* ---- answers ---- */

static int by_url(const void *a, const void *b)
{
	const struct rates_answer *x = a, *y = b;
	size_t n = x->url.len < y->url.len ? x->url.len : y->url.len;
	int order = memcmp(x->url.ptr, y->url.ptr, n);

	return order ? order : (x->url.len > y->url.len) - (x->url.len < y->url.len);
}

static int by_chance(const void *a, const void *b)
{
	const struct rates_answer *x = a, *y = b;

	if (x->changed != y->changed)
		return x->changed > y->changed ? -1 : 1;
	return by_url(a, b);
}

static void sort(struct rates_answers *answers, int (*order)(const void *, const void *))
{
	if (answers->len > 0)
		qsort(answers->ptr, answers->len, sizeof *answers->ptr, order);
}

/* Keeps what is likely enough, likeliest first. */
static void keep_due(struct rates_answers *answers, const struct rates_options *o)
{
	size_t kept = 0;

	for (size_t i = 0; i < answers->len; i++)
		if (answers->ptr[i].changed >= o->threshold)
			answers->ptr[kept++] = answers->ptr[i];
	answers->len = kept;
	sort(answers, by_chance);
	if (o->limit > 0 && answers->len > (uint64_t)o->limit)
		answers->len = (size_t)o->limit;
}

static int answer_all(struct rates_model *m, int64_t by, struct rates_answers *out)
{
	for (uint32_t i = 0; i < m->table->pages.len; i++) {
		struct rates_answer a;
		int rc = rates_model_answer(m, i, by, &a);

		if (rc == 0)
			rc = rates_answers_push(out, a);
		if (rc)
			return rc;
	}
	return 0;
}

static enum cmd_status print_all(
	struct rates_model *m, const struct rates_options *o, int64_t by, struct err *err)
{
	struct rates_answers answers = {0};
	enum rates_form form = o->json ? RATES_JSON : o->csv ? RATES_CSV : RATES_TEXT;
	int rc = answer_all(m, by, &answers);
	enum cmd_status status;

	if (rc) {
		(void)err_code(err, rc);
		status = cmd_fail("rates", err);
	} else {
		sort(&answers, by_url);
		if (o->per == PER_SITE)
			rates_join_sites(&answers);
		if (o->due)
			keep_due(&answers, o);
		status = cmd_finish(rates_print(&answers, form, o->due));
	}
	rates_answers_release(&answers);
	return status;
}

static enum cmd_status answer(
	struct input *in, const struct rates_options *o, int64_t by, struct err *err)
{
	struct rates_model *m = calloc(1, sizeof *m);
	struct rates_answer a;
	uint32_t page = 0;
	enum cmd_status status;
	int rc = m ? 0 : ERR_NOMEM;

	if (rc == 0 && o->explain)
		rc = cmd_in_option(page_table_get(&in->table, slice_str(o->explain), &page, err),
			"explain", err);
	if (rc == 0)
		rc = rates_model_init(m, &in->table);
	if (rc == 0 && o->explain)
		rc = rates_model_answer(m, page, by, &a);
	if (rc) {
		(void)err_code(err, rc);
		status = cmd_fail("rates", err);
	} else if (o->explain) {
		rates_explain(m, page, &a, by);
		status = cmd_finish(0);
	} else {
		status = print_all(m, o, by, err);
	}
	if (m)
		rates_model_release(m);
	free(m);
	return status;
}

/* ---- options ---- */

static int check(struct rates_options *o, struct err *err)
{
	bool for_due = o->threshold >= 0 || o->limit > 0;

	if (o->json && o->csv)
		return err_set(err, ERR_USAGE, "--json and --csv exclude each other; give one");
	if (o->explain && (o->json || o->csv || o->due || o->per != PER_PAGE))
		return err_set(err, ERR_USAGE,
			"--explain is for one page, as text; leave out --json, --csv, --due, "
			"--per");
	if (for_due && !o->due)
		return err_set(err, ERR_USAGE, "--threshold and --limit need --due");
	if (o->within >= 0 && !o->due && !o->explain)
		return err_set(err, ERR_USAGE, "--within needs --due or --explain");
	o->threshold = o->threshold >= 0 ? o->threshold : THRESHOLD;
	o->within = o->within >= 0 ? o->within : WEEK;
	return 0;
}

/* The time by which pages have changed or not, ns. */
static int find_end(const struct rates_options *o, int64_t *ret, struct err *err)
{
	int64_t start = clock_realtime(clock_system());
	double end;

	if (o->at && warc_date_parse(slice_str(o->at), &start))
		return err_set(err, ERR_USAGE,
			"--at: '%.99s' is not a date such as 2026-01-31T12:00:00Z", o->at);
	end = (double)start + o->within * 1e9;
	*ret = end < 9.2e18 ? (int64_t)end : INT64_MAX;
	return 0;
}

enum cmd_status cmd_rates(int argc, char **argv)
{
	struct rates_options o = {.threshold = UNSET, .within = UNSET};
	struct option_args args;
	struct err err = {0};
	struct input in = {0};
	enum cmd_status status;
	int64_t by = 0;

	if (!cmd_options(&OPTIONS, argc, argv, &o, &args, &status))
		return status;
	if (check(&o, &err) || find_end(&o, &by, &err))
		return cmd_fail("rates", &err);
	cmd_log(false);
	page_table_init(&in.table);
	if (read_all(&in, &args, &status) == 0)
		status = answer(&in, &o, by, &err);
	page_table_release(&in.table);
	u32_vec_release(&in.pages);
	u32_vec_release(&in.captures);
	return status;
}
