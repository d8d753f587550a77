/* stillpoint verify: what an archive claims, computed again from its WARC files. */
#include "proof/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "archive/our_file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/archive.h"
#include "cmd/cmd.h"
#include "cmd/option_row.h"
#include "proof/report_json.h"

struct verify_options {
	bool warc_only;
	bool json;
	bool verbose;
};

#define ROW_OF struct verify_options

static const struct option_spec SPECS[] = {
	ROW(FLAG, warc_only, "warc-only", 0, "check the WARC files alone, without the catalog"),
	ROW(FLAG, json, "json", 'j', "print one JSON document"),
	ROW(FLAG, verbose, "verbose", 'v', "print every problem, not one line for each cause"),
	{.name = NULL},
};

static const struct options OPTIONS = {
	.program = "stillpoint",
	.command = "verify",
	.usage = "ARCHIVE|FILE [OPTION…]",
	.description = "Recomputes digests, states, verdicts and the still point from the WARC "
		       "files, compares them with what the WARC files and the catalog say, and "
		       "lists the differences: one line for each cause, every page with --verbose. "
		       "Names WARC files that are missing, as far as the others show it. "
		       "Exits with 1 if there are any. A WARC or WACZ file is checked by itself.",
	.specs = SPECS,
	.min_args = 1,
	.max_args = 1,
};

/* "URL: what (warc/FILE at 1234)", without the end of the line. */
static void print_problem(const struct verify_problem *p, FILE *file)
{
	if (p->url.ptr) {
		text_name(file, p->url, 0);
		(void)fputs(": ", file);
	}
	text_name(file, p->text, 0);
	if (p->file.ptr) {
		(void)fputs(" (", file);
		text_name(file, p->file, 0);
		if (p->has_offset)
			(void)fprintf(file, " at %" PRIu64, p->offset);
		(void)putc(')', file);
	}
}

/* Problems with one cause. */
struct cause {
	size_t count;
	bool is_mixed; /* they are not all the same */
};

static bool is_first(const struct verify *v, size_t i)
{
	return v->problems.ptr[i].cause == i;
}

/* The first problem of each cause and how many more there are, or all of them. */
static size_t print_problems(const struct verify *v, const struct cause *list, bool all)
{
	size_t causes = 0;

	for (size_t i = 0; i < v->problems.len; i++) {
		causes += is_first(v, i);
		if (!all && !is_first(v, i))
			continue;
		print_problem(&v->problems.ptr[i], stdout);
		if (!all && list[i].count > 1)
			printf(!list[i].is_mixed     ? ", and %zu more"
				: list[i].count == 2 ? "; %zu problem follows from it"
						     : "; %zu problems follow from it",
				list[i].count - 1);
		(void)putc('\n', stdout);
	}
	return causes;
}

static void print_sum(const struct verify *v, size_t causes)
{
	if (v->problems.len == 0)
		(void)fputs("verified: ", stdout);
	else
		printf("not verified: %zu %s", v->problems.len,
			v->problems.len == 1 ? "problem" : "problems");
	if (causes < v->problems.len)
		printf(" of %zu %s (-v lists all)", causes, causes == 1 ? "cause" : "causes");
	printf("%s%" PRIu64 " records, %" PRIu64 " pages, %" PRIu64 " sharp\n",
		v->problems.len ? "; " : "", v->records, v->pages, v->sharp);
}

static int print_text(const struct verify *v, bool all)
{
	struct cause *list = mem_new(v->problems.len + 1, sizeof *list);
	size_t causes;

	for (size_t i = 0; i < v->problems.len; i++) {
		const struct verify_problem *p = &v->problems.ptr[i];

		list[p->cause].count++;
		if (!slice_eq(p->text, v->problems.ptr[p->cause].text))
			list[p->cause].is_mixed = true;
	}
	causes = print_problems(v, list, all);
	for (size_t i = 0; i < v->notes.len; i++) {
		(void)fputs("note: ", stdout);
		print_problem(&v->notes.ptr[i], stdout);
		(void)putc('\n', stdout);
	}
	for (size_t i = 0; i < v->captures.len; i++) {
		char from[CLOCK_TEXT_SIZE], to[CLOCK_TEXT_SIZE];

		if (v->captures.ptr[i].id)
			printf("capture %" PRIu32, v->captures.ptr[i].id);
		else
			text_name(stdout, v->captures.ptr[i].uuid, 0);
		printf(": %zu pages, %" PRIu64 " sharp, ", v->captures.ptr[i].pages.len,
			v->captures.ptr[i].sharp);
		if (stillpoint_format(&v->captures.ptr[i].window, from, to))
			printf("still point %s to %s\n", from, to);
		else
			puts(v->captures.ptr[i].window.clock_set
					? "no still point: the wall clock was set"
					: "no still point");
	}
	print_sum(v, all ? v->problems.len : causes);
	free(list);
	return 0;
}

static void put_problems(
	struct json *j, const char *key, const char *what, const struct verify_problems *list)
{
	json_key(j, key);
	json_array_begin(j);
	for (size_t i = 0; i < list->len; i++) {
		const struct verify_problem *p = &list->ptr[i];

		json_object_begin(j);
		json_text(j, "url", p->url);
		json_text(j, "file", p->file);
		json_put_uint_if(j, "offset", p->has_offset, p->offset);
		json_text(j, what, p->text);
		json_object_end(j);
	}
	json_array_end(j);
}

static int print_json(const struct verify *v)
{
	struct json j;

	json_init_file(&j, stdout, JSON_LINES);
	json_document_begin(&j);
	json_put_bool(&j, "ok", v->problems.len == 0);
	json_put_uint(&j, "records", v->records);
	json_put_uint(&j, "pages", v->pages);
	json_put_uint(&j, "sharp", v->sharp);
	json_key(&j, "captures");
	json_array_begin(&j);
	for (size_t i = 0; i < v->captures.len; i++) {
		json_object_begin(&j);
		json_put_uint_if(&j, "capture", v->captures.ptr[i].id, v->captures.ptr[i].id);
		json_text(&j, "uuid", v->captures.ptr[i].uuid);
		json_put_uint(&j, "pages", v->captures.ptr[i].pages.len);
		json_put_uint(&j, "sharp", v->captures.ptr[i].sharp);
		report_json_window(&v->captures.ptr[i].window, &j);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_key(&j, "rule_set_1");
	json_object_begin(&j);
	json_put_uint(&j, "claims", v->rule_set_1.claims);
	json_put_uint(&j, "hold", v->rule_set_1.hold);
	json_put_uint(&j, "do_not_hold", v->rule_set_1.do_not_hold);
	json_put_uint(&j, "not_recomputed", v->rule_set_1.not_recomputed);
	json_object_end(&j);
	json_put_uint(&j, "not_recomputed", v->not_recomputed);
	put_problems(&j, "problems", "problem", &v->problems);
	put_problems(&j, "notes", "note", &v->notes);
	json_object_end(&j);
	return json_finish(&j);
}

static enum cmd_status print(const struct verify *v, const struct verify_options *o)
{
	enum cmd_status status;
	int rc = o->json ? print_json(v) : print_text(v, o->verbose);

	status = cmd_finish(rc);
	return status == CMD_OK && v->problems.len ? CMD_FAILURE : status;
}

static enum cmd_status verify(const struct verify_params *params, const struct verify_options *o)
{
	struct err err = {0};
	struct verify v;
	enum cmd_status status;
	int rc = verify_run(&v, params, &err);

	progress_clear(params->progress);
	status = rc ? cmd_fail_archive("verify", &err) : print(&v, o);
	verify_release(&v);
	return status;
}

static enum cmd_status verify_archive(
	const char *path, struct verify_params params, const struct verify_options *o)
{
	struct imported_files imported;
	struct err err = {0};
	enum cmd_status status;

	if (!o->warc_only && archive_open_catalog(path, &params.catalog, &err))
		return cmd_fail_archive("verify", &err);
	params.imported = &imported.names;
	status = imported_files_load(&imported, path, &err) ? cmd_fail_archive("verify", &err)
							    : verify(&params, o);
	imported_files_release(&imported);
	catalog_close(params.catalog);
	return status;
}

enum cmd_status cmd_verify(int argc, char **argv)
{
	struct verify_options o = {0};
	struct verify_params params = {.tmp_dir = cmd_temporary()};
	char dir[ARCHIVE_PATH_SIZE], index[ARCHIVE_PATH_SIZE];
	struct option_args args;
	struct progress progress;
	struct err err = {0};
	enum cmd_status status;

	if (!cmd_options(&OPTIONS, argc, argv, &o, &args, &status))
		return status;
	if (archive_warc_dir(args.ptr[0], dir, &err) || archive_index(args.ptr[0], index, &err))
		return cmd_fail_archive("verify", &err);
	progress_init(&progress, &(struct progress_config){.fd = STDERR_FILENO,
					 .clock = clock_system(),
					 .title = "verify",
					 .unit = "bytes"});
	params.warc_dir = dir;
	params.index = index;
	params.progress = &progress;
	if (!archive_is_file(args.ptr[0]))
		return verify_archive(args.ptr[0], params, &o);
	params.file = args.ptr[0];
	return verify(&params, &o);
}
