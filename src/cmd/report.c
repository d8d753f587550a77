/* stillpoint report: the quality of a capture. */
#include <stdio.h>

#include "base/json.h"
#include "base/parse.h"
#include "cmd/archive.h"
#include "cmd/captures.h"
#include "cmd/cmd.h"
#include "cmd/explain.h"
#include "cmd/option_row.h"
#include "cmd/report_at.h"
#include "cmd/report_compare.h"
#include "cmd/report_html.h"
#include "cmd/report_next.h"
#include "cmd/report_print.h"
#include "quality/report_json.h"

struct report_options {
	int64_t capture; /* 0: the last */
	const char *why;
	const char *at;
	const char *curve; /* from when; until when is an argument */
	const char *site;
	const char *compare; /* number of a capture; the other one is an argument */
	const char *html;
	const char *replay;
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
	.usage = "ARCHIVE [OPTION…]",
	.description = "Prints how sharp a capture is: how many of the captured pages were proven "
		       "the same before and after its still point, how many changed, failed or "
		       "were left out, what was expected, and where the problems are.",
	.specs = SPECS,
	.min_args = 1,
	.max_args = 2,
};

/* Who has not said which capture may not know that there are others. */
static void tell_others(struct catalog *c, const char *archive)
{
	struct u32_vec ids = {0};

	if (report_captures(c, &ids, NULL) == 0 && ids.len > 1)
		printf("\nThe last of %zu captures; all of them: stillpoint report %s --captures\n",
			ids.len, archive);
	u32_vec_release(&ids);
}

/* ---- the page ---- */

struct page_writing {
	struct report_page_parts parts;
	int *rc; /* of report_html */
};

static void write_page(const void *context, FILE *file)
{
	const struct page_writing *w = context;

	*w->rc = report_html(&w->parts, file);
}

static enum cmd_status print_html(const struct report *r, struct catalog *c, const char *archive,
	const struct report_options *o)
{
	struct records records;
	struct tally hosts;
	struct err err = {0};
	int written = 0;
	int rc = records_load(&records, &hosts, c, r, &err);

	if (rc == 0) {
		struct page_writing w = {
			.parts = {r, &records, &hosts, archive, o->replay}, .rc = &written};

		rc = cmd_write_file(o->html, write_page, &w, &err);
		rc = rc ? rc : err_code(&err, written);
	}
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

	if (rc)
		status = cmd_fail_archive("report", &err);
	else if (o->json)
		status = cmd_finish(report_tally_json(&tally, by, stdout));
	else if (o->csv)
		status = cmd_finish((report_tally_csv(&tally, by, stdout), 0));
	else
		status = cmd_finish((report_tally_print(&tally, by, stdout), 0));
	tally_release(&tally);
	return status;
}

static enum cmd_status print_text(const struct report *r, struct catalog *c, const char *archive,
	const struct report_options *o)
{
	struct err err = {0};
	int rc = err_code(&err, report_print(r, archive, stdout));

	if (rc == 0)
		rc = report_print_moved(r, c, stdout, &err);
	if (rc)
		return cmd_fail_archive("report", &err);
	if (!o->is_end)
		report_print_next(archive, stdout);
	if (!o->capture)
		tell_others(c, archive);
	return cmd_finish(0);
}

static enum cmd_status print(const struct report *r, struct catalog *c, const char *archive,
	const struct report_options *o)
{
	struct json j;
	int rc;

	if (o->html)
		return print_html(r, c, archive, o);
	if (wants_tally(o))
		return print_tally(r, c, o);
	if (o->csv) {
		report_csv(r, stdout);
		return cmd_finish(0);
	}
	if (!o->json)
		return print_text(r, c, archive, o);
	json_init_file(&j, stdout, JSON_LINES);
	rc = report_json(r, &j);
	if (rc)
		return cmd_fail("report", &(struct err){ERR_NOMEM, "out of memory"});
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
	if (report_load(&report, catalog, capture, &err)) {
		status = cmd_fail_archive("report", &err);
	} else {
		report.lists_requisites = o->requisites;
		status = o->why ? explain_page("report", catalog, &report, o->why, o->json)
				: print(&report, catalog, archive, o);
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

/* "--curve FROM TO ARCHIVE" leaves its end in front of the archive. */
static enum cmd_status whole(const struct report_options *o, const struct option_args *args)
{
	bool swapped =
		o->curve && report_at_is_time(args->ptr[0]) && !report_at_is_time(args->ptr[1]);

	return report_at(args->ptr[swapped], &(struct report_at_options){
						     .at = o->at,
						     .from = o->curve,
						     .to = o->curve ? args->ptr[!swapped] : NULL,
						     .site = o->site,
						     .html = o->html,
						     .replay = o->replay,
						     .json = o->json,
					     });
}

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

/* "--compare A B ARCHIVE" leaves B in front of the archive. */
static enum cmd_status two(const struct report_options *o, const struct option_args *args)
{
	struct report_compare_options c = {
		.html = o->html, .replay = o->replay, .json = o->json, .csv = o->csv};
	struct err err = {0};
	uint32_t ignored;
	bool swapped = parse_capture(args->ptr[1], &ignored, NULL) != 0;

	if (parse_capture(o->compare, &c.first, &err) ||
		parse_capture(args->ptr[!swapped], &c.second, &err))
		return cmd_fail("report", &err);
	return report_compare(args->ptr[swapped], &c);
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
