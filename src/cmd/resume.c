/* stillpoint resume: goes on with captures after a stop, a crash or a power cut. */
#include "cmd/capture.h"
#include "cmd/cmd.h"
#include "crawl/crawl.h"

struct resume_options {
	int64_t lanes;
	bool json;
	bool verbose;
};

static const struct option_spec SPECS[] = {
	{.name = "lanes",
		.kind = OPTION_INT,
		.offset = offsetof(struct resume_options, lanes),
		.min = 1,
		.max = CRAWL_LANES_MAX,
		.help = "threads that several sites are spread over (default: one for each "
			"processor)"},
	{.name = "json",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct resume_options, json),
		.help = "print the report as JSON"},
	{.name = "verbose",
		.letter = 'v',
		.kind = OPTION_FLAG,
		.offset = offsetof(struct resume_options, verbose),
		.help = "log what fails, and why"},
	{.name = NULL},
};

static const struct options OPTIONS = {
	.program = "stillpoint",
	.command = "resume",
	.usage = "ARCHIVE [OPTION…]",
	.description = "Goes on with all captures of an archive that are not finished, with the "
		       "same settings. What a crash has left unfinished in a WARC file is set "
		       "aside under a name of its own, never deleted.",
	.specs = SPECS,
	.min_args = 1,
	.max_args = 1,
};

/* An archive that is not there, or in use, is no wrong usage. */
static enum cmd_status fail(const struct err *err)
{
	enum cmd_status status = cmd_fail(err);

	return err->code == ERR_NOTFOUND || err->code == ERR_STATE ? CMD_FAILURE : status;
}

enum cmd_status cmd_resume(int argc, char **argv)
{
	struct resume_options o = {0};
	struct capture_view view;
	struct crawl_results results = {0};
	struct option_args args;
	struct err err = {0};
	enum cmd_status status;

	if (!cmd_options(&OPTIONS, argc, argv, &o, &args, &status))
		return status;
	cmd_log(o.verbose);
	if (capture_view_init(&view, "resume", (unsigned)o.lanes, &err) ||
		crawl_resume(args.ptr[0], &view.options, &results, &err))
		status = fail(&err);
	else
		status = capture_view_finish(&view, args.ptr[0], &results, o.json);
	capture_view_release(&view);
	crawl_results_release(&results);
	return status;
}
