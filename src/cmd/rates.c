/* stillpoint rates: how often pages change, from archives and from lists of captures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "archive/rates_model.h"
#include "archive/rates_observed.h"
#include "base/clock.h"
#include "base/timestamp.h"
#include "cmd/archive.h"
#include "cmd/cmd.h"
#include "cmd/listings.h"
#include "cmd/option_row.h"
#include "report/rates_print.h"
#include "warc/warc_set.h"

struct rates_options {
	const char *explain;
	const char *at, *model;
	double threshold, within;
	int64_t limit;
	int per, change;
	bool json, csv, contents, due;
};

enum { PER_PAGE, PER_HOMEPAGE, PER_SITE };

static const char *const PER[] = {"page", "homepage", "site", NULL};

static const double UNSET = -1, THRESHOLD = 0.5, WEEK = 7 * 86400.0;

#define ROW_OF struct rates_options

static const struct option_spec SPECS[] = {
	ROW(FLAG, json, "json", 0, "print JSON lines"),
	ROW(FLAG, csv, "csv", 0, "print CSV, as plan, crawl --rates and simulate read it"),
	ROW(FLAG, contents, "contents", 0,
		"with --csv: read the captured pages, too, for the columns images, tables, "
		"out_links and in_links of train --features=offline"),
	ROW(STRING, explain, "explain", 0, "show how the rate of this page came about",
		.metavar = "URL"),
	ROW(FLAG, due, "due", 0,
		"list what has probably changed since its last capture, likeliest first"),
	ROW(DOUBLE, threshold, "threshold", 0,
		"with --due: the least probability to be listed (default 0.5)", .metavar = "T",
		.min = 0, .max = 1),
	ROW(DURATION, within, "within", 0, "with --due: changed by then, from now (default 7d)",
		.metavar = "TIME"),
	ROW(INT, limit, "limit", 0, "with --due: list at most so many", .metavar = "N", .min = 1,
		.max = 1e15),
	ROW(CHOICE, per, "per", 0,
		"an answer for each page, for each home page, or for each site: the rate "
		"at which any of its pages changes (default page)",
		.choices = PER),
	ROW(CHOICE, change, "change", 0,
		"what counts as a change: the content without noise, the payload's bytes, "
		"or links that are new (default content)",
		.choices = RATES_CHANGES),
	ROW(STRING, model, "model", 0,
		"a model of 'train' for pages without captures (default: rates.model in "
		"an archive, if it is there)",
		.metavar = "FILE"),
	ROW(STRING, at, "at", 0,
		"what was known at this time, and what has changed since; such as "
		"2026-01-31 or 2026-01-31T12:00:00Z (default: now)",
		.metavar = "DATE"),
	{0},
};

static const struct options OPTIONS = {
	.program = "stillpoint",
	.command = "rates",
	.usage = "ARCHIVE|FILE… [--json|--csv] [--per page|homepage|site]\n"
		 "ARCHIVE|FILE… --due [--threshold T] [OPTION…]\n"
		 "ARCHIVE|FILE… --explain URL",
	.description =
		"Tells how often each page changes, in changes per second, and how sure that is: "
		"what pages of its kind do, corrected by what its own captures show. "
		"Captures come from archives of Stillpoint, and from files of others: CDX, CDXJ, "
		"ZipNum indexes, TimeMaps, sitemaps, WARC and WACZ files, most also gzip. Several "
		"are taken "
		"together.\n\nTwo captures with the same digest: unchanged in between. TimeMaps "
		"have no digests as a rule and tell nothing about changes.",
	.specs = SPECS,
	.min_args = 1,
	.max_args = SIZE_MAX,
};

/* ---- reading ---- */

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int read_archive(struct rates_observed *in, const char *path, struct err *err)
{
	struct catalog *catalog;
	int rc = archive_open_catalog(path, &catalog, err);

	if (rc)
		return rc;
	rc = rates_observed_catalog(in, catalog, err);
	catalog_close(catalog);
	return rc;
}

/* *ret_status is set on failure. */
static int read_all(
	struct rates_observed *in, const struct option_args *args, enum cmd_status *ret_status)
{
	struct err err = {0};

	for (size_t i = 0; i < args->count; i++) {
		bool archive = is_directory(args->ptr[i]);

		if (archive ? read_archive(in, args->ptr[i], &err)
			    : listings_read(in, "rates", args->ptr[i], &err)) {
			*ret_status = archive ? cmd_fail_archive("rates", &err)
					      : cmd_fail_input("rates", &err);
			return err.code;
		}
	}
	return 0;
}

/* Archives, WARC and WACZ files; lists have no contents. *ret_status is set on failure. */
static int read_contents(struct rates_contents *c, const struct page_table *table,
	const struct option_args *args, enum cmd_status *ret_status)
{
	struct err err = {0};
	int rc = 0;

	rates_contents_init(c, table);
	for (size_t i = 0; rc == 0 && i < args->count; i++)
		if (is_directory(args->ptr[i]) || warc_set_is_name(slice_str(args->ptr[i])))
			rc = rates_contents_read(c, args->ptr[i], &err);
	if (rc)
		*ret_status = cmd_fail_input("rates", &err);
	return rc;
}

/* The model that the user names, or that of the first archive that has one. */
static int read_model(const struct rates_options *o, const struct option_args *args,
	struct predict_model *ret, bool *ret_has, struct err *err)
{
	char path[ARCHIVE_PATH_SIZE];
	int rc = o->model ? rates_model_file_read(o->model, ret, err) : ERR_NOTFOUND;

	*ret_has = rc == 0;
	if (o->model)
		return rc;
	for (size_t i = 0; i < args->count && rc == ERR_NOTFOUND; i++) {
		int n = snprintf(path, sizeof path, "%s/" RATES_MODEL_NAME, args->ptr[i]);

		if (is_directory(args->ptr[i]) && n > 0 && (size_t)n < sizeof path)
			rc = rates_model_file_inside(path, ret, err);
	}
	*ret_has = rc == 0;
	if (rc == ERR_NOTFOUND)
		*err = (struct err){0};
	return rc == ERR_NOTFOUND ? 0 : rc;
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

static enum cmd_status print_all(struct rates_model *m, const struct rates_options *o,
	const struct rates_contents *contents, int64_t by, struct err *err)
{
	struct rates_answers answers = {0};
	struct rates_listing listing = {
		.form = o->json  ? RATES_JSON
			: o->csv ? RATES_CSV
				 : RATES_TEXT,
		.due = o->due,
		.at = (double)by / 1e9 - o->within,
		.contents = contents,
	};
	int rc = answer_all(m, by, &answers);
	enum cmd_status status;

	if (rc) {
		(void)err_code(err, rc);
		status = cmd_fail("rates", err);
	} else {
		sort(&answers, by_url);
		if (o->per == PER_SITE)
			rates_join_sites(&answers);
		else if (o->per == PER_HOMEPAGE)
			rates_keep_homepages(&answers);
		if (o->due) {
			size_t kept = 0;

			/* Keeps what is likely enough, likeliest first. */
			for (size_t i = 0; i < answers.len; i++)
				if (answers.ptr[i].changed >= o->threshold)
					answers.ptr[kept++] = answers.ptr[i];
			answers.len = kept;
			sort(&answers, by_chance);
			if (o->limit > 0 && answers.len > (uint64_t)o->limit)
				answers.len = (size_t)o->limit;
		}
		status = cmd_finish(rates_print(&answers, &listing));
	}
	rates_answers_release(&answers);
	return status;
}

static enum cmd_status answer(struct rates_observed *in, struct predict_model *predictor,
	const struct rates_options *o, const struct rates_contents *contents, int64_t by,
	struct err *err)
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
		rc = rates_model_init(m, &in->table, predictor);
	if (rc == 0 && o->explain)
		rc = rates_model_answer(m, page, by, &a);
	if (rc) {
		(void)err_code(err, rc);
		status = cmd_fail("rates", err);
	} else if (o->explain) {
		rates_explain(m, page, &a, by);
		status = cmd_finish(0);
	} else {
		status = print_all(m, o, contents, by, err);
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
	if (o->contents && (!o->csv || o->per != PER_PAGE))
		return err_set(err, ERR_USAGE, "--contents needs --csv, and pages, not sites");
	if (for_due && !o->due)
		return err_set(err, ERR_USAGE, "--threshold and --limit need --due");
	if (o->within >= 0 && !o->due && !o->explain)
		return err_set(err, ERR_USAGE, "--within needs --due or --explain");
	o->threshold = o->threshold >= 0 ? o->threshold : THRESHOLD;
	o->within = o->within >= 0 ? o->within : WEEK;
	return 0;
}

/* The time from which on nothing is known, and that by which pages have changed or not, ns. */
static int find_times(
	const struct rates_options *o, int64_t *ret_until, int64_t *ret_by, struct err *err)
{
	int64_t now = clock_realtime(clock_system());
	struct timestamp start = {now, now};
	double end;

	TRY(o->at ? cmd_in_option(
			    timestamp_read_said(slice_str(o->at), now, &start, err), "at", err)
		  : 0);
	end = (double)start.last + o->within * 1e9;
	*ret_until = o->at ? start.last : INT64_MAX;
	*ret_by = end < 9.2e18 ? (int64_t)end : INT64_MAX;
	return 0;
}

enum cmd_status cmd_rates(int argc, char **argv)
{
	struct rates_options o = {.threshold = UNSET, .within = UNSET};
	SCOPED(predict_model_release) struct predict_model predictor = {0};
	SCOPED(rates_contents_release) struct rates_contents contents = {0};
	struct option_args args;
	struct err err = {0};
	struct rates_observed in;
	enum cmd_status status;
	bool has_predictor = false;
	int64_t until = INT64_MAX, by = 0;

	if (!cmd_options(&OPTIONS, argc, argv, &o, &args, &status))
		return status;
	if (check(&o, &err) || find_times(&o, &until, &by, &err))
		return cmd_fail("rates", &err);
	cmd_log(false);
	rates_observed_init(&in, (enum rates_change)o.change);
	in.table.until = until;
	if (read_model(&o, &args, &predictor, &has_predictor, &err))
		status = cmd_fail_input("rates", &err);
	else if (read_all(&in, &args, &status) == 0 &&
		 (!o.contents || read_contents(&contents, &in.table, &args, &status) == 0))
		status = answer(&in, has_predictor ? &predictor : NULL, &o,
			o.contents ? &contents : NULL, by, &err);
	rates_observed_release(&in);
	return status;
}
