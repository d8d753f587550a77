/* stillpoint search: pages of an archive that have all words, as of one instant. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/text.h"
#include "cmd/archive.h"
#include "cmd/cmd.h"
#include "cmd/option_row.h"
#include "replay/collection.h"
#include "replay/search.h"
#include "text/text_index.h"
#include "text/text_search.h"

struct search_options {
	const char *at;
	int64_t limit;
	bool json;
};

#define ROW_OF struct search_options

static const struct option_spec SPECS[] = {
	ROW(STRING, at, "at", 0,
		"the instant: 4 to 17 digits of YYYYMMDDhhmmss and milliseconds, or a date such as "
		"2026-11-17T13:09:03Z (default: the newest still point, or now if there is none)",
		.metavar = "TIME"),
	ROW(INT, limit, "limit", 'n', "at most so many pages (default 20)", .min = 1,
		.max = SEARCH_LIMIT_MAX),
	ROW(FLAG, json, "json", 0, "print one JSON document"),
	{.name = NULL},
};

static const struct options OPTIONS = {
	.program = "stillpoint",
	.command = "search",
	.usage = "ARCHIVE|FILE WORD…",
	.description =
		"Finds the pages of an archive that have all words in the version of one instant, "
		"the best first. Several words in quotes stand next to each other; 'word*' is the "
		"beginning of a word. Case and accents do not matter.\n"
		"\n"
		"'stillpoint index ARCHIVE --text' writes the index that this needs. That of a "
		"WARC "
		"or WACZ file is made for each search.",
	.specs = SPECS,
	.min_args = 2,
	.max_args = SIZE_MAX,
};

/* An argument with blanks in it was quoted for the shell: it is a phrase. */
static int join(const struct option_args *args, struct buf *out)
{
	for (size_t i = 1; i < args->count; i++) {
		slice word = slice_str(args->ptr[i]);
		bool is_phrase = args->count > 2 && memchr(word.ptr, ' ', word.len) &&
				 !memchr(word.ptr, '"', word.len);

		TRY(buf_add_str(out, is_phrase ? " \"" : " "));
		TRY(buf_add(out, word));
		if (is_phrase)
			TRY(buf_add_str(out, "\""));
	}
	return 0;
}

static void print(const struct search_result *r)
{
	char time[CLOCK_TEXT_SIZE];

	for (size_t i = 0; i < r->hits.len; i++) {
		const struct search_hit *hit = &r->hits.ptr[i];

		clock_format(hit->seen, CLOCK_ROUND_DOWN, time);
		text_name(stdout, hit->url, 0);
		printf("  %s\n", time);
		if (hit->title.len) {
			printf("    ");
			text_name(stdout, hit->title, 0);
			putchar('\n');
		}
		if (hit->snippet.len) {
			slice snippet = hit->snippet;

			/* Marks are for pages, and what a terminal would obey is not printed. */
			printf("    ");
			while (snippet.len) {
				slice piece = slice_take(&snippet, TEXT_MARK_BEGIN), word;

				text_name(stdout, piece, 0);
				word = slice_take(&snippet, TEXT_MARK_END);
				text_name(stdout, word, 0);
			}
			putchar('\n');
		}
	}
	clock_format(r->time, CLOCK_ROUND_DOWN, time);
	printf("%s%zu %s%s as of %s%s\n", r->hits.len ? "\n" : "", r->hits.len,
		r->hits.len == 1 ? "page" : "pages", r->more ? ", and more," : "", time,
		r->at_still_point ? ", the newest still point" : "");
}

static enum cmd_status search(
	const char *path, const char *directory, const struct search_options *o, slice words)
{
	struct collection_terms terms = {.temporary = cmd_temporary()};
	struct search_params params = {.words = words,
		.at = slice_str(o->at ? o->at : ""),
		.directory = directory,
		.limit = (uint64_t)o->limit};
	struct search_result result;
	struct collection *c = NULL;
	struct err err = {0};
	enum cmd_status status;

	if ((!directory && archive_check(path, &err)) || collection_open(path, &terms, &c, &err))
		return cmd_fail_archive("search", &err);
	if (search_run(c, &params, &result, &err)) {
		status = err.code == ERR_USAGE ? cmd_fail("search", &err)
					       : cmd_fail_archive("search", &err);
	} else {
		int rc = 0;

		if (o->json) {
			struct json j;

			json_init_file(&j, stdout, JSON_LINES);
			search_print_json(&result, words, &j);
			rc = json_finish(&j);
		} else
			print(&result);
		status = cmd_finish(rc);
	}
	search_result_release(&result);
	collection_close(c);
	return status;
}

/* The text index of a WARC or WACZ file is made in a temporary directory, and goes with it. */
static enum cmd_status search_file(const char *path, const struct search_options *o, slice words)
{
	char directory[PATH_MAX], index[PATH_MAX + sizeof TEXT_FILE_NAME];
	struct text_index_params p = {
		.path = path, .directory = directory, .temporary = cmd_temporary()};
	struct text_index_counts ignored;
	struct err err = {0};
	enum cmd_status status;
	int n = snprintf(directory, sizeof directory, "%s/stillpoint-XXXXXX", cmd_temporary());

	archive_guard_files(path, false);
	if (n < 0 || (size_t)n >= sizeof directory || !mkdtemp(directory)) {
		(void)err_set(&err, ERR_IO, "%s: no temporary directory: %s (set TMPDIR)",
			cmd_temporary(), strerror(errno));
		return cmd_fail("search", &err);
	}
	status = text_index_write(&p, &ignored, &err) ? cmd_fail_archive("search", &err)
						      : search(path, directory, o, words);
	(void)snprintf(index, sizeof index, "%s/" TEXT_FILE_NAME, directory);
	(void)unlink(index);
	(void)rmdir(directory);
	return status;
}

enum cmd_status cmd_search(int argc, char **argv)
{
	struct search_options o = {.limit = SEARCH_LIMIT};
	struct option_args args;
	struct err err = {0};
	enum cmd_status status;
	BUF_SCOPED(words, TEXT_QUERY_MAX);

	if (!cmd_options(&OPTIONS, argc, argv, &o, &args, &status))
		return status;
	if (join(&args, &words)) {
		(void)err_set(
			&err, ERR_USAGE, "the search has more than %d bytes", (int)TEXT_QUERY_MAX);
		status = cmd_fail("search", &err);
	} else {
		slice given = slice_sub(buf_slice(&words), 1, words.len);

		status = archive_is_file(args.ptr[0]) ? search_file(args.ptr[0], &o, given)
						      : search(args.ptr[0], NULL, &o, given);
	}
	return status;
}
