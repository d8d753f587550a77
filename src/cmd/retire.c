/* stillpoint retire: gives up old versions of pages, by rules. */
#include <inttypes.h>
#include <stdio.h>

#include "archive/retire.h"
#include "base/json.h"
#include "cmd/archive.h"
#include "cmd/cmd.h"
#include "cmd/option_row.h"

struct retire_options {
	const char *keep, *site;
	bool dry_run, json;
};

#define ROW_OF struct retire_options

static const struct option_spec SPECS[] = {
	ROW(STRING, keep, "keep", 0,
		"which versions stay, by their age: all:30d,7d:1y,30d keeps every version "
		"for 30 days, then one a week up to a year, then one in 30 days",
		.metavar = "RULES"),
	ROW(STRING, site, "site", 0,
		"only captures of this site, as 'stillpoint report --captures' has it",
		.metavar = "URL"),
	ROW(FLAG, dry_run, "dry-run", 0, "only tell what would be retired"),
	ROW(FLAG, json, "json", 0, "print JSON"),
	{.name = NULL},
};

static const struct options OPTIONS = {
	.program = "stillpoint",
	.command = "retire",
	.usage = "ARCHIVE --keep RULES",
	.description =
		"Gives up the responses of old versions of pages, to save space. Of each look at "
		"them a tombstone stays in the WARC files and the catalog: its times, and the "
		"digests of what it showed. A tombstone proves nothing: 'stillpoint report' no "
		"longer counts such a page as sharp, or as proven at that time.\n"
		"\n"
		"The newest version of a page always stays. What stays and refers to a retired "
		"response gets its body, or another one to refer to. What is retired cannot be "
		"brought back: try --dry-run first.",
	.specs = SPECS,
	.min_args = 1,
	.max_args = 1,
};

static int print_json(const struct retire_counts *n, bool dry_run)
{
	struct json j;

	json_init_file(&j, stdout, JSON_LINES);
	json_document_begin(&j);
	json_put_bool(&j, "dry_run", dry_run);
	json_put_uint(&j, "versions", n->versions);
	json_put_uint(&j, "retired", n->retired);
	json_put_uint(&j, "looks", n->looks);
	json_put_uint(&j, "rebased", n->rebased);
	json_put_uint(&j, "referred", n->referred);
	json_put_uint(&j, "files", n->files);
	json_put_uint(&j, "bytes_before", n->bytes_before);
	json_put_uint(&j, "bytes_after", n->bytes_after);
	json_object_end(&j);
	return json_finish(&j);
}

enum cmd_status cmd_retire(int argc, char **argv)
{
	struct retire_options o = {0};
	struct retire_counts counts = {0};
	struct retire_rule rule = {0};
	struct option_args args;
	struct err err = {0};
	enum cmd_status status;

	if (!cmd_options(&OPTIONS, argc, argv, &o, &args, &status))
		return status;
	if (!o.keep)
		(void)err_set(&err, ERR_USAGE,
			"--keep is missing; for instance --keep "
			"all:30d,7d:1y,30d");
	else if (retention_parse(slice_str(o.keep), &rule.keep, &err))
		err.code = ERR_USAGE;
	if (err.code)
		return cmd_fail("retire", &err);
	if (o.site)
		rule.site = slice_str(o.site);
	if (archive_check(args.ptr[0], &err) ||
		retire_archive(args.ptr[0],
			&(struct retire_params){
				.rules = &rule, .rule_count = 1, .dry_run = o.dry_run},
			&counts, &err))
		return cmd_fail_archive("retire", &err);
	if (o.json)
		return cmd_finish(print_json(&counts, o.dry_run));
	printf("%s %" PRIu64 " of %" PRIu64 " versions: %" PRIu64 " looks in %" PRIu64
	       " WARC files\n",
		o.dry_run ? "would retire" : "retired", counts.retired, counts.versions,
		counts.looks, counts.files);
	if (counts.rebased)
		printf("kept looks that %s another response: %" PRIu64 "\n",
			o.dry_run ? "would refer to" : "refer to", counts.rebased);
	if (counts.referred)
		printf("responses that stay because something kept refers to them: %" PRIu64 "\n",
			counts.referred);
	if (counts.files && !o.dry_run)
		printf("bytes of these files: %" PRIu64 " before, %" PRIu64 " now\n",
			counts.bytes_before, counts.bytes_after);
	return cmd_finish(0);
}
