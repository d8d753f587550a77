/* stillpoint index: writes the index of an archive anew, from its WARC files. */
#include <inttypes.h>
#include <stdio.h>

#include "cmd/archive.h"
#include "cmd/cmd.h"
#include "store/index.h"

static const struct option_spec SPECS[] = {
	{.name = NULL},
};

static const struct options OPTIONS = {
	.program = "stillpoint",
	.command = "index",
	.usage = "ARCHIVE",
	.description =
		"Rebuilds index.cdxj of an archive from its WARC files: one line for each "
		"response, sorted. A crawl does so at its end; use this command if the index is "
		"missing or damaged, or after adding files. Nothing else is changed.",
	.specs = SPECS,
	.min_args = 1,
	.max_args = 1,
};

static void print(const struct index_counts *x)
{
	printf("index.cdxj: %" PRIu64 " lines from %" PRIu64 " WARC %s\n", x->lines, x->files,
		x->files == 1 ? "file" : "files");
	if (x->damaged)
		printf("left out: damaged records (%" PRIu64 "); 'stillpoint verify' says which\n",
			x->damaged);
	if (x->open)
		printf("left out: files of a capture that is not finished (%" PRIu64
		       "); 'stillpoint resume' completes them and writes the index\n",
			x->open);
}

enum cmd_status cmd_index(int argc, char **argv)
{
	struct index_counts counts;
	struct option_args args;
	struct err err = {0};
	enum cmd_status status;

	if (!cmd_options(&OPTIONS, argc, argv, NULL, &args, &status))
		return status;
	if (archive_check(args.ptr[0], &err) || index_from_warc(args.ptr[0], &counts, &err))
		return cmd_fail_archive("index", &err);
	print(&counts);
	return cmd_finish(0);
}
