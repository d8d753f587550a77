/* stillpoint report: the quality of a capture. */
#include <stdio.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/parse.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "cmd/archive.h"
#include "cmd/captures.h"
#include "cmd/cmd.h"
#include "cmd/explain.h"
#include "cmd/option_row.h"
#include "formats/url.h"
#include "proof/report_json.h"
#include "report/report_at.h"
#include "report/report_compare.h"
#include "report/report_print.h"

struct report_options {
	int64_t capture; /* 0: the last */
	const char *why;
	const char *at;
	const char *curve; /* from when; until when is an argument */
	const char *site;
	const char *compare; /* number of a capture; the other one is an argument */
	const char *html;
	const char *replay;
	const char *operator;
	bool captures;
	bool requisites;
	bool hosts, types, status;
	bool csv;
	bool json;
	bool is_end; /* of a crawl, which says itself what to do next */
};

#define ROW_OF struct report_options

static const struct option_spec SPECS[] = {
	ROW(INT, capture, "capture", 'c',
		"which capture of the archive, from 1 (default: the last)", .metavar = "N",
		.min = 1, .max = UINT32_MAX - 1.0),
	ROW(FLAG, captures, "captures", 0,
		"list all captures of the archive, one per line, and their totals"),
	ROW(STRING, why, "why", 'w',
		"explain one page: where it was found, which rule took or refused it, and what "
		"became of it",
		.metavar = "URL"),
	ROW(STRING, at, "at", 0,
		"what the whole archive proves of each page at that instant, such as "
		"2026-05-31T12:00:00Z, 2026-05-31 or 20260531120000",
		.metavar = "TIME"),
	ROW(STRING, curve, "curve", 0,
		"how many pages are proven at each instant from FROM to TO: the sharpness curve",
		.metavar = "FROM TO"),
	ROW(STRING, site, "site", 0,
		"with --at and --curve: pages of this site only, as --captures lists it",
		.metavar = "URL"),
	ROW(STRING, compare, "compare", 0,
		"what appeared, went and changed from capture A to capture B, and how sharpness "
		"moved",
		.metavar = "A B"),
	ROW(FLAG, requisites, "requisites", 0,
		"list the requisites of each page, and how each stands to it in time"),
	ROW(STRING, html, "html", 0,
		"write one page that needs no request, with figures and all pages, to a file",
		.metavar = "FILE"),
	ROW(STRING, replay, "replay", 0,
		"with --html: where the archive is served, for links to its pages, such as "
		"http://127.0.0.1:8080/example.org",
		.metavar = "URL"),
	ROW(STRING, operator, "operator", 0,
		"who answers for this report: it says so, and that the archive does not",
		.metavar = "TEXT"),
	ROW(FLAG, hosts, "hosts", 0, "list the requests by host"),
	ROW(FLAG, types, "types", 0, "list the requests by media type"),
	ROW(FLAG, status, "status", 0, "list the requests by status"),
	ROW(FLAG, csv, "csv", 0, "print all known pages as CSV, or what --hosts and the like list"),
	ROW(FLAG, json, "json", 'j',
		"print one JSON document with every known page, or with what --why says"),
	{.name = NULL},
};

static const struct options OPTIONS = {
	.program = "stillpoint",
	.command = "report",
	.usage = "ARCHIVE|FILE [OPTION…]",
	.description = "Prints how sharp a capture is: how many of the captured pages were proven "
		       "the same before and after its still point, how many changed, failed or "
		       "were left out, what was expected, and where the problems are.",
	.specs = SPECS,
	.min_args = 1,
	.max_args = 2,
};

/* ---- the page ---- */

static enum cmd_status print_html(const struct report *r, struct catalog *c, const char *archive,
	const struct report_options *o)
{
	struct records records;
	struct tally hosts;
	struct err err = {0};
	int rc = records_load(&records, &hosts, c, r, &err);

	if (rc == 0)
		rc = cmd_write_file(o->html, report_html,
			&(struct report_page_parts){r, &records, &hosts, archive, o->replay}, &err);
	tally_release(&hosts);
	records_release(&records);
	return rc ? cmd_fail("report", &err) : cmd_finish(0);
}

/* ---- where the requests went ---- */

static bool wants_tally(const struct report_options *o)
{
	return o->hosts || o->types || o->status;
}

static enum cmd_status print_tally(
	const struct report *r, struct catalog *c, const struct report_options *o)
{
	enum tally_by by = o->hosts ? TALLY_HOSTS : o->types ? TALLY_TYPES : TALLY_STATUS;
	struct err err = {0};
	struct tally tally;
	enum cmd_status status;
	int rc = tally_load(&tally, c, r, by, &err);

	struct table table = report_tally(&tally);
	struct json j;

	if (rc) {
		status = cmd_fail_archive("report", &err);
	} else if (o->json) {
		json_init_file(&j, stdout, JSON_LINES);
		json_document_begin(&j);
		json_put_string(&j, "by", table.name);
		json_key(&j, "rows");
		table_json(&table, &j);
		json_object_end(&j);
		status = cmd_finish(json_finish(&j));
	} else {
		(o->csv ? table_csv : table_text)(&table, stdout);
		status = cmd_finish(0);
	}
	tally_release(&tally);
	return status;
}

static enum cmd_status print_text(const struct report *r, struct catalog *c, const char *archive,
	const struct report_options *o)
{
	struct err err = {0};

	report_print(r, archive, stdout);
	if (report_print_moved(r, c, stdout, &err))
		return cmd_fail_archive("report", &err);
	if (!o->is_end)
		report_print_next(archive, stdout);
	if (!o->capture) {
		SCOPED(u32_vec_release) struct u32_vec ids = {0};

		/* Who has not said which capture may not know that there are others. */
		if (report_captures(c, &ids, NULL) == 0 && ids.len > 1) {
			printf("\nThe last of %zu captures; all of them: ", ids.len);
			text_command(stdout, "report", archive, " --captures\n");
		}
	}
	return cmd_finish(0);
}

static enum cmd_status print(const struct report *r, struct catalog *c, const char *archive,
	const struct report_options *o)
{
	struct json j;

	if (o->html)
		return print_html(r, c, archive, o);
	if (wants_tally(o))
		return print_tally(r, c, o);
	if (o->csv) {
		struct table pages = report_table(&(struct report_rows){.report = r});

		table_csv(&pages, stdout);
		return cmd_finish(0);
	}
	if (!o->json)
		return print_text(r, c, archive, o);
	json_init_file(&j, stdout, JSON_LINES);
	report_json(r, &j);
	return cmd_finish(json_finish(&j));
}

static enum cmd_status run(const char *archive, const struct report_options *o)
{
	uint32_t capture = (uint32_t)o->capture;
	struct catalog *catalog;
	struct report report;
	struct err err = {0};
	enum cmd_status status;

	if (archive_open_catalog(archive, &catalog, &err))
		return cmd_fail_archive("report", &err);
	if (o->why && !capture)
		capture = why_newest_capture(catalog, o->why);
	if (o->why) {
		status = explain_page("report", catalog, capture, o->why, o->json);
	} else if (report_load(&report, catalog, capture, &err)) {
		status = cmd_fail_archive("report", &err);
	} else {
		report.lists_requisites = o->requisites;
		report.provenance.said_operator = o->operator;
		status = print(&report, catalog, archive, o);
		report_release(&report);
	}
	catalog_close(catalog);
	return status;
}

enum cmd_status cmd_report_capture(const char *archive, uint32_t capture, bool json)
{
	enum cmd_status status = run(archive,
		&(struct report_options){.capture = capture, .json = json, .is_end = true});

	/* Whatever is wrong with an archive that was just written, the command line was right. */
	return status == CMD_USAGE ? CMD_FAILURE : status;
}

enum cmd_status cmd_report_page(const char *archive, const char *html)
{
	return run(archive, &(struct report_options){.html = html});
}

static int check(const struct report_options *o, struct err *err)
{
	if (o->why && (o->csv || o->html || wants_tally(o)))
		return err_set(err, ERR_USAGE,
			"--why explains one page; combine it with --json or --capture only");
	if (o->captures && (o->why || o->capture || o->html || o->csv || wants_tally(o)))
		return err_set(err, ERR_USAGE,
			"--captures lists all of them; combine it with --json only");
	if (o->csv && o->json)
		return err_set(err, ERR_USAGE, "--csv and --json cannot be combined");
	if (o->hosts + o->types + o->status > 1)
		return err_set(err, ERR_USAGE, "choose one of --hosts, --types and --status");
	if (o->html && (o->csv || o->json || wants_tally(o)))
		return err_set(err, ERR_USAGE,
			"--html writes a page of its own; leave out --json, --csv and the lists");
	if (o->replay && !o->html)
		return err_set(err, ERR_USAGE, "--replay is for --html");
	return 0;
}

/* The same of --at and --curve, which are about the whole archive. */
static int check_instant(const struct report_options *o, size_t args, struct err *err)
{
	bool instant = o->at || o->curve;
	bool other = o->capture || o->captures || o->why || o->requisites || o->csv || o->compare ||
		     wants_tally(o);

	if (o->at && o->curve)
		return err_set(err, ERR_USAGE, "--at and --curve cannot be combined");
	if (instant && other)
		return err_set(err, ERR_USAGE,
			"--at and --curve are about the whole archive; combine them with --site, "
			"--json and --html only");
	if (o->site && !instant)
		return err_set(err, ERR_USAGE, "--site goes with --at or --curve");
	if (o->curve && args < 2)
		return err_set(err, ERR_USAGE, "--curve needs two times: --curve FROM TO");
	if (o->compare && args < 2)
		return err_set(err, ERR_USAGE, "--compare needs two captures: --compare A B");
	if (!o->curve && !o->compare && args > 1)
		return err_set(err, ERR_USAGE, "one archive at a time");
	return 0;
}

static int check_compare(const struct report_options *o, struct err *err)
{
	if (o->compare && (o->capture || o->captures || o->why || o->requisites || wants_tally(o)))
		return err_set(err, ERR_USAGE,
			"--compare is about two captures; combine it with --html, --json or --csv "
			"only");
	return 0;
}

/* ---- the whole archive, at an instant or over a span ---- */

static int read_time(const char *text, struct timestamp *ret, struct err *err)
{
	return timestamp_read_said(slice_str(text), clock_realtime(clock_system()), ret, err);
}

static bool is_time(const char *text)
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

struct times {
	int64_t from, to; /* the same for an instant */
};

static int parse_times(
	const struct report_options *o, const char *until, struct times *ret, struct err *err)
{
	struct timestamp from, to;
	int rc = read_time(o->at ? o->at : o->curve, &from, err);

	if (rc == 0)
		ret->from = ret->to = o->at ? from.last : from.first;
	if (rc || o->at)
		return rc;
	rc = read_time(until, &to, err);
	if (rc == 0)
		ret->to = to.last;
	if (rc == 0 && ret->to < ret->from)
		rc = err_set(err, ERR_USAGE,
			"--curve: %s is before %s; write the earlier one first", until, o->curve);
	return rc;
}

static int write_whole(const struct archive_known *x, const char *archive,
	const struct report_options *o, const struct times *t, struct err *err)
{
	struct curve curve = {0};
	struct report_at_rows rows = {0};
	int rc;

	if (o->at)
		report_at_gather(&rows, x, t->from);
	else
		archive_known_curve(x, t->from, t->to, &curve);
	rc = cmd_write_file(o->html, o->at ? report_at_html : report_curve_html,
		&(struct report_at_page){x, archive, o->site, o->replay, t->from, t->to, &rows,
			&curve, report_curve_table(x, &curve)},
		err);
	u32_vec_release(&rows.pages);
	curve_release(&curve);
	return rc;
}

static enum cmd_status show_whole(const struct archive_known *x, const char *archive,
	const struct report_options *o, const struct times *t)
{
	struct err err = {0};
	int rc = o->html ? write_whole(x, archive, o, t, &err)
		 : o->at ? report_at(x, t->from, o->json)
			 : report_curve(x, t->from, t->to, o->json);

	if (rc == ERR_NOMEM || err.code)
		return (void)err_code(&err, rc), cmd_fail("report", &err);
	return cmd_finish(rc);
}

/* "--curve FROM TO ARCHIVE" leaves its end in front of the archive. */
static enum cmd_status whole(const struct report_options *o, const struct option_args *args)
{
	bool swapped = o->curve && is_time(args->ptr[0]) && !is_time(args->ptr[1]);
	const char *archive = args->ptr[swapped];
	struct archive_known x;
	struct catalog *catalog;
	struct err err = {0};
	enum cmd_status status;
	struct times t = {0};
	URL_SCOPED(url);

	if (parse_times(o, o->curve ? args->ptr[!swapped] : NULL, &t, &err))
		return cmd_fail("report", &err);
	if (archive_open_catalog(archive, &catalog, &err))
		return cmd_fail_archive("report", &err);
	status = archive_known_load(&x, catalog, spell_site(o->site, &url), &err)
			 ? cmd_fail_archive("report", &err)
			 : show_whole(&x, archive, o, &t);
	archive_known_release(&x);
	catalog_close(catalog);
	return status;
}

/* ---- two captures ---- */

static int parse_capture(const char *text, uint32_t *ret, struct err *err)
{
	uint64_t number;

	if (parse_u64(slice_str(text), &number) || number == 0 || number >= UINT32_MAX)
		return err_set(err, ERR_USAGE,
			"--compare: '%.80s' is no number of a capture; 'stillpoint report ARCHIVE "
			"--captures' lists them",
			text);
	*ret = (uint32_t)number;
	return 0;
}

static enum cmd_status print_compared(
	const struct compare *x, const char *archive, const struct report_options *o)
{
	struct table pages = report_compare_table(x);
	struct err err = {0};

	if (o->html && cmd_write_file(o->html, report_compare_html,
			       &(struct report_compare_page){x, archive, o->replay}, &err))
		return cmd_fail("report", &err);
	if (o->csv)
		table_csv(&pages, stdout);
	return cmd_finish(o->html || o->csv ? 0
			  : o->json         ? report_compare_json(x)
					    : report_compare_print(x));
}

static enum cmd_status compare(
	const char *archive, uint32_t from, uint32_t to, const struct report_options *o)
{
	struct report first = {0}, second = {0};
	struct catalog *catalog;
	struct compare x = {0};
	struct err err = {0};
	enum cmd_status status;
	int rc;

	if (archive_open_catalog(archive, &catalog, &err))
		return cmd_fail_archive("report", &err);
	rc = report_load(&first, catalog, from, &err);
	if (rc == 0)
		rc = report_load(&second, catalog, to, &err);
	if (rc == 0)
		rc = compare_load(&x, catalog, &first, &second, &err);
	status = rc ? cmd_fail_archive("report", &err) : print_compared(&x, archive, o);
	compare_release(&x);
	report_release(&first);
	report_release(&second);
	catalog_close(catalog);
	return status;
}

/* "--compare A B ARCHIVE" leaves B in front of the archive. */
static enum cmd_status two(const struct report_options *o, const struct option_args *args)
{
	struct err err = {0};
	uint32_t ignored, first = 0, second = 0;
	bool swapped = parse_capture(args->ptr[1], &ignored, NULL) != 0;

	if (parse_capture(o->compare, &first, &err) ||
		parse_capture(args->ptr[!swapped], &second, &err))
		return cmd_fail("report", &err);
	return compare(args->ptr[swapped], first, second, o);
}

enum cmd_status cmd_report(int argc, char **argv)
{
	struct report_options o = {0};
	struct option_args args;
	struct err err = {0};
	enum cmd_status status;

	if (!cmd_options(&OPTIONS, argc, argv, &o, &args, &status))
		return status;
	if (check(&o, &err) || check_compare(&o, &err) || check_instant(&o, args.count, &err))
		return cmd_fail("report", &err);
	if (o.compare)
		return two(&o, &args);
	if (o.at || o.curve)
		return whole(&o, &args);
	return o.captures ? captures_print(args.ptr[0], NULL, o.json) : run(args.ptr[0], &o);
}
