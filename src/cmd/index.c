/* stillpoint index: writes the index of an archive, or of anybody's WARC files, anew. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "archive/foreign_index.h"
#include "archive/index.h"
#include "base/text.h"
#include "cmd/archive.h"
#include "cmd/cmd.h"
#include "cmd/option_row.h"
#include "text/text_index.h"

struct index_options {
	const char *output;
	bool compressed, text;
};

#define ROW_OF struct index_options

static const struct option_spec SPECS[] = {
	ROW(STRING, output, "output", 'o',
		"where to write the index; '-' is standard output (default: index.cdxj in "
		"the directory)",
		.metavar = "FILE"),
	ROW(FLAG, compressed, "compressed", 0,
		"write ZipNum: blocks in NAME.cdx.gz, and their index in NAME.idx"),
	ROW(FLAG, text, "text", 0,
		"write a full text index instead, text.sqlite in the directory; only files "
		"that it does not know yet are read"),
	{.name = NULL},
};

static const struct options OPTIONS = {
	.program = "stillpoint",
	.command = "index",
	.usage = "ARCHIVE|DIR|FILE",
	.description =
		"Rebuilds index.cdxj of an archive from its WARC files: one line for each "
		"response, sorted. A crawl does so at its end; use this command if the index is "
		"missing or damaged, or after adding files. Nothing else is changed.\n"
		"\n"
		"Does the same for WARC files and WACZ packages of other tools, and for "
		"directories of them.\n"
		"\n"
		"With --text, writes the full text index that 'stillpoint search' and the search "
		"of "
		"'stillpoint serve' use.",
	.specs = SPECS,
	.min_args = 1,
	.max_args = 1,
};

static bool has(const char *directory, const char *name)
{
	char path[PATH_MAX];
	struct stat st;

	return snprintf(path, sizeof path, "%s/%s", directory, name) < (int)sizeof path &&
	       stat(path, &st) == 0;
}

/* One of ours has a directory for its WARC files; its index stays where it is. */
static bool is_archive(const char *path)
{
	return has(path, "warc") || has(path, "catalog.sqlite");
}

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Where the index goes when nobody says. */
static int choose_output(
	const char *path, const struct index_options *o, char out[PATH_MAX], struct err *err)
{
	const char *name = o->compressed ? "index.cdx.gz" : "index.cdxj";

	if (o->output && strcmp(o->output, "-") == 0 && o->compressed)
		return err_set(
			err, ERR_USAGE, "--compressed writes two files: give their name with -o");
	if (o->output) {
		(void)snprintf(out, PATH_MAX, "%s", o->output);
		return 0;
	}
	if (!is_directory(path))
		return err_set(
			err, ERR_USAGE, "%s is no directory: say with -o where to write", path);
	(void)snprintf(out, PATH_MAX, "%s/%s", path, name);
	return 0;
}

static enum cmd_status index_foreign(const char *path, const struct index_options *o)
{
	struct foreign_index_params p = {
		.path = path,
		.is_inside = !o->output,
		.compressed = o->compressed,
		.temporary = cmd_temporary(),
	};
	struct warc_index_counts counts;
	char out[PATH_MAX];
	struct err err = {0};
	struct stat st;

	archive_guard_files(path, false);
	if (stat(path, &st) && archive_check(path, &err))
		return cmd_fail_archive("index", &err);
	if (choose_output(path, o, out, &err))
		return cmd_fail("index", &err);
	p.out = out;
	if (foreign_index_write(&p, &counts, &err))
		return cmd_fail_archive("index", &err);
	if (strcmp(out, "-") != 0)
		printf("%s: %" PRIu64 " lines from %" PRIu64 " WARC %s\n", out, counts.lines,
			counts.files, counts.files == 1 ? "file" : "files");
	if (counts.damaged)
		fprintf(stderr, "stillpoint: index: left out: damaged records (%" PRIu64 ")\n",
			counts.damaged);
	return cmd_finish(0);
}

static enum cmd_status index_text(const char *path, const struct index_options *o)
{
	char warc_dir[ARCHIVE_PATH_SIZE];
	struct text_index_params p = {
		.path = path, .directory = path, .temporary = cmd_temporary()};
	struct text_index_counts counts;
	struct err err = {0};
	char size[TEXT_SIZE_SIZE];

	if (o->output || o->compressed) {
		(void)err_set(&err, ERR_USAGE, "--text goes with no other option");
		return cmd_fail("index", &err);
	}
	if (is_archive(path))
		p.path = warc_dir;
	if (archive_check(path, &err) ||
		(is_archive(path) && archive_warc_dir(path, warc_dir, &err)) ||
		text_index_write(&p, &counts, &err))
		return cmd_fail_archive("index", &err);
	text_size(counts.bytes, size);
	printf(TEXT_FILE_NAME ": %" PRIu64 " new pages with %s of text from %" PRIu64
			      " WARC %s; %" PRIu64 " were known\n",
		counts.docs, size, counts.files, counts.files == 1 ? "file" : "files",
		counts.known);
	if (counts.open)
		printf("left out: files of a capture that is not finished (%" PRIu64 ")\n",
			counts.open);
	return cmd_finish(0);
}

enum cmd_status cmd_index(int argc, char **argv)
{
	struct index_options o = {0};
	struct index_counts counts;
	struct option_args args;
	struct err err = {0};
	enum cmd_status status;
	const char *path;

	if (!cmd_options(&OPTIONS, argc, argv, &o, &args, &status))
		return status;
	path = args.ptr[0];
	if (o.text)
		return index_text(path, &o);
	if (o.output || o.compressed || !is_archive(path))
		return index_foreign(path, &o);
	if (archive_check(path, &err) || index_from_warc(path, &counts, &err))
		return cmd_fail_archive("index", &err);
	printf("index.cdxj: %" PRIu64 " lines from %" PRIu64 " WARC %s\n", counts.lines,
		counts.files, counts.files == 1 ? "file" : "files");
	if (counts.damaged)
		printf("left out: damaged records (%" PRIu64 "); 'stillpoint verify' says which\n",
			counts.damaged);
	if (counts.open)
		printf("left out: files of a capture that is not finished (%" PRIu64
		       "); 'stillpoint resume' completes them and writes the index\n",
			counts.open);
	return cmd_finish(0);
}
