/* stillpoint report: the quality of a capture. */
#include <stdio.h>

#include "base/json.h"
#include "cmd/archive.h"
#include "cmd/captures.h"
#include "cmd/cmd.h"
#include "cmd/option_row.h"
#include "cmd/report_print.h"
#include "quality/report_json.h"

struct report_options {
	int64_t capture; /* 0: the last */
	const char *why;
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
	.max_args = 1,
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

enum cmd_status cmd_report(int argc, char **argv)
{
	struct report_options o = {0};
	struct option_args args;
	enum cmd_status status;

	if (!cmd_options(&OPTIONS, argc, argv, &o, &args, &status))
		return status;
	if (o.why && o.json)
		return cmd_fail(
			"report", &(struct err){ERR_USAGE, "--why and --json cannot be combined"});
	if (o.captures && (o.why || o.capture))
		return cmd_fail("report",
			&(struct err){ERR_USAGE,
				"--captures lists all of them; leave out --capture and --why"});
	return o.captures ? captures_print(args.ptr[0], NULL, o.json) : run(args.ptr[0], &o);
}
