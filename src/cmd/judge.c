/* stillpoint judge: verdicts from archives of any crawler. */
#include "proof/judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/json.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/explain.h"
#include "cmd/noise.h"
#include "cmd/option_row.h"
#include "proof/report_json.h"
#include "report/report_print.h"

struct judge_options {
	struct text_list without;
	const char *ignore;
	double slack;
	const char *why;
	bool bytes_only;
	bool requisites;
	bool json;
};

#define ROW_OF struct judge_options

static const struct option_spec SPECS[] = {
	ROW(DURATION, slack, "slack", 's',
		"how far the date of a record may be from its download (default: 60 s)",
		.max = 86400),
	ROW(FLAG, bytes_only, "bytes-only", 0, "compare bytes alone: apply no rules against noise"),
	ROW(LIST, without, "without-rule", 0,
		"switch this rule against noise off; may be given several times (inspect change "
		"--list-rules prints them)",
		.metavar = "NAME"),
	ROW(STRING, ignore, "ignore", 'i',
		"rules of your own: what to ignore in pages, and what a page must have, see "
		"docs/judgement.md",
		.metavar = "FILE"),
	ROW(STRING, why, "why", 'w', "explain the verdict of one page", .metavar = "URL"),
	ROW(FLAG, requisites, "requisites", 0,
		"list the requisites of each page, and how each stands to it in time"),
	ROW(FLAG, json, "json", 'j', "print one JSON document with every page, as 'report' does"),
	{.name = NULL},
};

static const struct options OPTIONS = {
	.program = "stillpoint",
	.command = "judge",
	.usage = "A [B] [OPTION…]",
	.description =
		"Tells which pages are proven unchanged by archives that other crawlers made: "
		"visits are taken from A, revisits from B. With A alone, both are taken from it: "
		"it has to hold pages twice. The still point is found afterwards.\n\n"
		"An archive is a WARC or WACZ file, a directory with such files, or an archive of "
		"Stillpoint.",
	.specs = SPECS,
	.min_args = 1,
	.max_args = 2,
};

static void warn(uint64_t count, const char *what)
{
	if (count)
		(void)fprintf(stderr, "stillpoint: judge: %" PRIu64 " %s\n", count, what);
}

static enum cmd_status print(const struct report *r, const char *archive, bool as_json)
{
	struct json j;

	if (!as_json) {
		report_print(r, archive, stdout);
		return cmd_finish(0);
	}
	json_init_file(&j, stdout, JSON_LINES);
	report_json(r, &j);
	return cmd_finish(json_finish(&j));
}

static enum cmd_status judge_and_print(
	struct catalog *catalog, const struct judge_params *params, const struct judge_options *o)
{
	struct judge_counts counts;
	struct report report;
	struct err err = {0};
	enum cmd_status status;
	int rc = judge_run(params, catalog, &counts, &err);

	progress_clear(params->progress);
	if (rc)
		return cmd_fail_archive("judge", &err);
	if (counts.damaged) {
		(void)fprintf(stderr,
			"stillpoint: judge: %" PRIu64
			" records are damaged and prove nothing, the first: ",
			counts.damaged);
		text_name(stderr, slice_str(counts.example), 0);
		(void)putc('\n', stderr);
	}
	warn(counts.unresolved, "revisit records refer to records that are not in the archives");
	warn(counts.repeated, "records were there already, and count once");
	if (o->why)
		return explain_page("judge", catalog, 0, o->why, o->json);
	if (report_load(&report, catalog, 0, &err))
		return cmd_fail_archive("judge", &err);
	report.lists_requisites = o->requisites;
	status = print(&report, params->first, o->json);
	if (!o->json && !stillpoint_is_known(&report.window)) {
		/* Dates of WARC records may be off by the slack on both sides. */
		printf("\nNo still point: WARC-Date is trusted to %.0f s (--slack), so the end of "
		       "one "
		       "crawl and "
		       "the start of\nthe next must be more than %.0f s apart to prove anything. "
		       "If the "
		       "dates "
		       "are exact, give a smaller\n--slack.\n",
			o->slack, 2 * o->slack);
	}
	report_release(&report);
	return status;
}

static enum cmd_status run(
	const struct option_args *args, const struct judge_options *o, const struct rulebook *book)
{
	struct catalog *catalog;
	struct progress progress;
	struct err err = {0};
	enum cmd_status status;

	if (catalog_open_temporary(&catalog, &err))
		return cmd_fail("judge", &err);
	progress_init(&progress, &(struct progress_config){.fd = STDERR_FILENO,
					 .clock = clock_system(),
					 .title = "judge",
					 .unit = "bytes"});
	status = judge_and_print(catalog,
		&(struct judge_params){
			.first = args->ptr[0],
			.second = args->count > 1 ? args->ptr[1] : NULL,
			.slack = (int64_t)(o->slack * (double)CLOCK_NS_PER_SECOND),
			.bytes_only = o->bytes_only,
			.book = book,
			.tmp_dir = cmd_temporary(),
			.progress = &progress,
		},
		o);
	catalog_close(catalog);
	return status;
}

enum cmd_status cmd_judge(int argc, char **argv)
{
	struct judge_options o = {.slack = JUDGE_SLACK};
	struct option_args args;
	struct rulebook book;
	struct err err = {0};
	enum cmd_status status;

	if (!cmd_options(&OPTIONS, argc, argv, &o, &args, &status))
		return status;
	rulebook_init(&book);
	if (o.bytes_only && (o.ignore || o.without.len))
		(void)err_set(&err, ERR_USAGE,
			"--bytes-only applies no rules: leave it out, or --ignore and "
			"--without-rule");
	else if (noise_read_book(&o.without, o.ignore, &book, &err) == 0)
		err.code = 0;
	status = err.code ? cmd_fail("judge", &err) : run(&args, &o, &book);
	rulebook_release(&book);
	options_release(&OPTIONS, &o);
	return status;
}
