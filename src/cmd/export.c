/* stillpoint export: an archive for other tools, as WACZ or WARC, or its index as CDXJ or CSV. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "archive/export.h"
#include "archive/export_wacz.h"
#include "base/output.h"
#include "cmd/archive.h"
#include "cmd/cmd.h"
#include "cmd/option_row.h"

struct export_options {
	const char *wacz, *warc, *cdxj, *csv;
	bool text, redact;
	int evidence;
	int64_t capture;
};

enum { EVIDENCE_RECORDS, EVIDENCE_COMPACT };

static const char *const EVIDENCE[] = {
	[EVIDENCE_RECORDS] = "records", [EVIDENCE_COMPACT] = "compact", NULL};

#define ROW_OF struct export_options

static const struct option_spec SPECS[] = {
	ROW(STRING, wacz, "wacz", 0, "write a WACZ package; '-' is standard output",
		.metavar = "FILE"),
	ROW(STRING, warc, "warc", 0,
		"write all records into one WARC file, compressed as its name says: .warc, "
		".warc.gz (default) or .warc.zst",
		.metavar = "FILE"),
	ROW(STRING, cdxj, "cdxj", 0, "write the index as CDXJ lines", .metavar = "FILE"),
	ROW(STRING, csv, "csv", 0,
		"write the index as CSV: url, timestamp, status, mime, digest, length, offset, "
		"filename",
		.metavar = "FILE"),
	ROW(FLAG, text, "text", 0, "put the visible text of pages into the WACZ package"),
	ROW(INT, capture, "capture", 0,
		"only the records of this capture, and those that its revisit records refer to",
		.metavar = "N", .min = 1, .max = UINT32_MAX),
	ROW(CHOICE, evidence, "evidence", 0,
		"how looks that found nothing new are written: as records, for other tools "
		"(default), or compact, for stillpoint; compact goes with --warc",
		.metavar = "FORM", .choices = EVIDENCE),
	ROW(FLAG, redact, "redact", 0,
		"replace the values of Cookie, Set-Cookie, Authorization and "
		"Proxy-Authorization by [redacted]"),
	{.name = NULL},
};

static const struct options OPTIONS = {
	.program = "stillpoint",
	.command = "export",
	.usage = "ARCHIVE|DIR|FILE --wacz FILE [OPTION…]\n"
		 "ARCHIVE|DIR|FILE --warc FILE [OPTION…]\n"
		 "ARCHIVE|DIR|FILE --cdxj FILE\n"
		 "ARCHIVE|DIR|FILE --csv FILE",
	.description =
		"Writes an archive in a form that other tools read. WACZ is one file with the WARC "
		"files as they are, an index, a list of pages with their titles, and digests of "
		"all of them; ReplayWeb.page and other players show it. The same archive gives "
		"the same bytes.\n"
		"\n"
		"WARC files, WACZ packages and directories of other tools are exported as well. "
		"Files of a capture that is not finished are left out.",
	.specs = SPECS,
	.min_args = 1,
	.max_args = 1,
};

typedef int export_write(const struct export_params *params, struct output *out,
	struct export_counts *counts, struct err *err);

/* The one form that was asked for. */
struct form {
	const char *path;
	export_write *write;
};

static int choose(const struct export_options *o, struct form *ret, struct err *err)
{
	const struct form forms[] = {
		{o->wacz, wacz_write},
		{o->warc, warc_export},
		{o->cdxj, table_write_cdxj},
		{o->csv, table_write_csv},
	};
	unsigned given = 0;

	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
		if (forms[i].path) {
			*ret = forms[i];
			given++;
		}
	if (given != 1)
		return err_set(err, ERR_USAGE,
			"give one of --wacz, --warc, --cdxj and --csv, with a file");
	if (o->redact && !o->wacz && !o->warc)
		return err_set(err, ERR_USAGE, "--redact goes with --wacz or --warc");
	if (o->text && !o->wacz)
		return err_set(err, ERR_USAGE, "--text goes with --wacz");
	if (o->evidence == EVIDENCE_COMPACT && (!o->warc || strcmp(o->warc, "-") == 0))
		return err_set(err, ERR_USAGE,
			"--evidence compact goes with --warc and a file, by whose name patches "
			"know it");
	if (o->evidence == EVIDENCE_COMPACT && o->redact)
		return err_set(err, ERR_USAGE,
			"--redact changes records: it goes with --evidence records");
	if (o->capture && !o->wacz && !o->warc)
		return err_set(err, ERR_USAGE, "--capture goes with --wacz or --warc");
	return *ret->path ? 0 : err_set(err, ERR_USAGE, "the name of the file is empty");
}

static int choose_capture(
	const char *archive, int64_t capture, struct chosen **ret, struct err *err)
{
	struct catalog *catalog = NULL;
	int rc = archive_open_catalog(archive, &catalog, err);

	if (rc)
		return rc;
	rc = chosen_open(catalog, (uint32_t)capture, ret, err);
	if (rc)
		err_prefix(err, "%s", archive);
	catalog_close(catalog);
	return rc;
}

static enum cmd_status run(const struct export_params *params, const struct form *form)
{
	struct export_counts counts = {0};
	struct output out = {0};
	struct err err = {0};
	struct stat st;
	int rc = 0;

	archive_guard_files(params->path, false);
	if (stat(params->path, &st))
		rc = archive_check(params->path, &err);
	if (rc == 0)
		rc = output_open(&out, form->path, &err);
	if (rc == 0)
		rc = form->write(params, &out, &counts, &err);
	rc = output_close(&out, rc, &err);
	if (rc)
		return cmd_fail_archive("export", &err);
	if (strcmp(form->path, "-") != 0) {
		printf("%s: %" PRIu64 " WARC %s", form->path, counts.files,
			counts.files == 1 ? "file" : "files");
		if (counts.lines)
			printf(", %" PRIu64 " responses", counts.lines);
		if (counts.redacted)
			printf(", %" PRIu64 " records redacted", counts.redacted);
		(void)putchar('\n');
	}
	if (counts.damaged)
		cmd_say("stillpoint: export: %s: damaged records (%" PRIu64
			") are left out of the index, and of records that are "
			"written anew; 'stillpoint verify' says which",
			params->path, counts.damaged);
	if (counts.open)
		cmd_say("stillpoint: export: %s: left out: files of a capture that is not "
			"finished (%" PRIu64 "); 'stillpoint resume' completes them",
			params->path, counts.open);
	return counts.damaged ? CMD_FAILURE : cmd_finish(0);
}

enum cmd_status cmd_export(int argc, char **argv)
{
	struct export_params params = {.temporary = cmd_temporary()};
	struct export_options o = {0};
	struct option_args args;
	struct err err = {0};
	enum cmd_status status;
	struct chosen *chosen = NULL;
	struct form form;

	if (!cmd_options(&OPTIONS, argc, argv, &o, &args, &status))
		return status;
	if (choose(&o, &form, &err))
		return cmd_fail("export", &err);
	params.path = args.ptr[0];
	params.text = o.text;
	params.redact = o.redact;
	params.compact = o.evidence == EVIDENCE_COMPACT;
	if (o.capture && (choose_capture(params.path, o.capture, &chosen, &err) ||
				 chosen_complete(chosen, &params, &err))) {
		status = cmd_fail_archive("export", &err);
	} else {
		params.chosen = chosen;
		status = run(&params, &form);
	}
	chosen_close(chosen);
	return status;
}
