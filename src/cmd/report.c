/* stillpoint report: the quality of a capture. */
#include <stdio.h>

#include "base/json.h"
#include "cmd/archive.h"
#include "cmd/captures.h"
#include "cmd/cmd.h"
#include "cmd/option_row.h"
#include "cmd/report_at.h"
#include "cmd/report_print.h"
#include "quality/report_json.h"

struct report_options {
	int64_t capture; /* 0: the last */
	const char *why;
	const char *at;
	const char *curve; /* from when; until when is an argument */
	const char *site;
	bool captures;
	bool requisites;
	bool json;
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
	ROW(FLAG, requisites, "requisites", 0,
		"list the requisites of each page, and how each stands to it in time"),
	ROW(FLAG, json, "json", 'j', "print one JSON document with every known page"),
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

static enum cmd_status print(const struct report *r, struct catalog *c, const char *archive,
	const struct report_options *o)
{
	struct json j;
	int rc;

	if (!o->json) {
		rc = report_print(r, archive, stdout);
		if (rc == ERR_NOMEM)
			return cmd_fail("report", &(struct err){ERR_NOMEM, "out of memory"});
		if (rc == 0 && !o->capture)
			tell_others(c, archive);
		return cmd_finish(rc);
	}
	json_init_file(&j, stdout, JSON_LINES);
	rc = report_json(r, &j);
	if (rc)
		return cmd_fail("report", &(struct err){ERR_NOMEM, "out of memory"});
	return cmd_finish(json_finish(&j));
}

static enum cmd_status explain(struct catalog *c, const struct report *r, const char *url)
{
	struct err err = {0};
	struct why w;
	enum cmd_status status;

	if (why_find(&w, c, &r->capture, url, &err)) {
		status = cmd_fail_archive("report", &err);
	} else {
		report_print_why(r, &w, stdout);
		status = cmd_finish(0);
	}
	why_release(&w);
	return status;
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
		status = o->why ? explain(catalog, &report, o->why)
				: print(&report, catalog, archive, o);
		report_release(&report);
	}
	catalog_close(catalog);
	return status;
}

enum cmd_status cmd_report_capture(const char *archive, uint32_t capture, bool json)
{
	enum cmd_status status =
		run(archive, &(struct report_options){.capture = capture, .json = json});

	/* Whatever is wrong with an archive that was just written, the command line was right. */
	return status == CMD_USAGE ? CMD_FAILURE : status;
}

/* What is wrong with the options together, or NULL. */
static const char *find_conflict(const struct report_options *o, size_t args)
{
	bool instant = o->at || o->curve;

	if (o->why && o->json)
		return "--why and --json cannot be combined";
	if (o->captures && (o->why || o->capture))
		return "--captures lists all of them; leave out --capture and --why";
	if (o->at && o->curve)
		return "--at and --curve cannot be combined";
	if (instant && (o->capture || o->captures || o->why || o->requisites))
		return "--at and --curve are about the whole archive; leave out --capture, "
		       "--captures, --why and --requisites";
	if (o->site && !instant)
		return "--site goes with --at or --curve";
	if (o->curve && args < 2)
		return "--curve needs two times: --curve FROM TO";
	if (!o->curve && args > 1)
		return "one archive at a time";
	return NULL;
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
						     .json = o->json,
					     });
}

enum cmd_status cmd_report(int argc, char **argv)
{
	struct report_options o = {0};
	struct option_args args;
	enum cmd_status status;
	struct err err = {0};
	const char *conflict;

	if (!cmd_options(&OPTIONS, argc, argv, &o, &args, &status))
		return status;
	conflict = find_conflict(&o, args.count);
	if (conflict) {
		(void)err_set(&err, ERR_USAGE, "%s", conflict);
		return cmd_fail("report", &err);
	}
	if (o.at || o.curve)
		return whole(&o, &args);
	return o.captures ? captures_print(args.ptr[0], NULL, o.json) : run(args.ptr[0], &o);
}
