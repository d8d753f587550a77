/* stillpoint rebuild: makes catalog and index of an archive anew from its WARC files. */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "archive/rebuild.h"
#include "base/json.h"
#include "base/text.h"
#include "cmd/archive.h"
#include "cmd/cmd.h"
#include "cmd/option_row.h"

struct rebuild_options {
	bool json;
};

#define ROW_OF struct rebuild_options

static const struct option_spec SPECS[] = {
	ROW(FLAG, json, "json", 0, "print what was found as JSON"),
	{.name = NULL},
};

static const struct options OPTIONS = {
	.program = "stillpoint",
	.command = "rebuild",
	.usage = "ARCHIVE",
	.description =
		"Makes the catalog and the index of an archive anew from its WARC files: use it "
		"if the catalog is lost or damaged. Reports of finished captures are as before. "
		"The old catalog stays until the new one is complete. Unfinished captures can be "
		"resumed.",
	.specs = SPECS,
	.min_args = 1,
	.max_args = 1,
};

/* What is missing or was found otherwise than it should be: key of JSON, and sentence. */
#define LOSSES(X)                                                                                  \
	X(damaged, damaged,                                                                        \
		"damaged records left out: %" PRIu64 "; 'stillpoint verify' says which\n")         \
	X(missing_files, missing,                                                                  \
		"WARC files that are missing, by the numbers of the others: %" PRIu64              \
		"; 'stillpoint verify' names them\n")                                              \
	X(missing_captures, captures.missing,                                                      \
		"captures whose WARC files are missing: %" PRIu64                                  \
		"; 'stillpoint verify' names them\n")                                              \
	X(malformed, captures.malformed,                                                           \
		"records or lines about captures that cannot be read: %" PRIu64 "\n")              \
	X(without_start, captures.without_start,                                                   \
		"captures whose first record is missing, and with it site and settings: %" PRIu64  \
		"\n")                                                                              \
	X(without_table, captures.without_table,                                                   \
		"captures of an earlier version, whose pages are known only as far as they were "  \
		"requested: %" PRIu64 "\n")                                                        \
	X(lost_pages, captures.lost_pages, "pages whose URL is lost: %" PRIu64 "\n")               \
	X(unread, captures.unread,                                                                 \
		"responses after the last commit before a crash, whose links 'stillpoint resume' " \
		"reads again: %" PRIu64 "\n")                                                      \
	X(repeated, captures.twice, "records of an attempt that is there already: %" PRIu64 "\n")

static enum cmd_status print_text(const char *archive, const struct rebuild_counts *x)
{
	printf("catalog.sqlite and index.cdxj rebuilt from %" PRIu64 " WARC %s: %" PRIu64
	       " %s, %" PRIu64 " pages, %" PRIu64 " requests\n",
		x->files, x->files == 1 ? "file" : "files", x->captures.captures,
		x->captures.captures == 1 ? "capture" : "captures", x->captures.pages,
		x->captures.attempts);
	if (x->foreign)
		printf("WARC files of others, which are in the index only: %" PRIu64 "\n",
			x->foreign);
	if (x->waiting || x->imported)
		printf("taken over from the old catalog: %" PRIu64
		       " groups of looks that wait for their record, %" PRIu64
		       " captures of others\n",
			x->waiting, x->imported);
#define LOSS(key, member, sentence) \
	if (x->member)              \
		printf(sentence, x->member);
	LOSSES(LOSS)
#undef LOSS
	if (x->problem[0]) {
		(void)fputs("the old catalog could not be read (", stdout);
		text_name(stdout, slice_str(x->problem), 0);
		(void)puts("): what was imported from lists of captures is lost, if there was any; "
			   "import it again");
	}
	if (x->captures.unfinished) {
		printf("unfinished captures: %" PRIu64 "; go on with: ", x->captures.unfinished);
		text_command(stdout, "resume", archive, "\n");
	}
	(void)fputs("check it with: ", stdout);
	text_command(stdout, "verify", archive, "\n");
	return cmd_finish(0);
}

static enum cmd_status print_json(const struct rebuild_counts *x)
{
	struct json j;

	json_init_file(&j, stdout, JSON_LINES);
	json_document_begin(&j);
	json_put_uint(&j, "files", x->files);
	json_put_uint(&j, "foreign_files", x->foreign);
	json_put_uint(&j, "captures", x->captures.captures);
	json_put_uint(&j, "unfinished", x->captures.unfinished);
	json_put_uint(&j, "pages", x->captures.pages);
	json_put_uint(&j, "attempts", x->captures.attempts);
	json_put_uint(&j, "waiting_looks", x->waiting);
	json_put_uint(&j, "imported", x->imported);
#define LOSS(key, member, sentence) json_put_uint(&j, #key, x->member);
	LOSSES(LOSS)
#undef LOSS
	json_object_end(&j);
	return cmd_finish(json_finish(&j));
}

enum cmd_status cmd_rebuild(int argc, char **argv)
{
	struct rebuild_options o = {0};
	struct rebuild_counts counts;
	struct option_args args;
	struct progress progress;
	struct err err = {0};
	enum cmd_status status;
	int rc;

	if (!cmd_options(&OPTIONS, argc, argv, &o, &args, &status))
		return status;
	progress_init(&progress, &(struct progress_config){.fd = STDERR_FILENO,
					 .clock = clock_system(),
					 .title = "rebuild",
					 .unit = "bytes"});
	rc = archive_check(args.ptr[0], &err);
	if (rc == 0)
		rc = rebuild(args.ptr[0], &progress, &counts, &err);
	progress_clear(&progress);
	if (rc)
		return cmd_fail_archive("rebuild", &err);
	return o.json ? print_json(&counts) : print_text(args.ptr[0], &counts);
}
