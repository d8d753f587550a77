/*
 * Every row of the one table of settings, every way in: command line of crawl and of resume, file
 * of crawl, file of a watch, lines in an archive.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crawl/crawl_options.h"
#include "crawl/watch_config.h"
#include "tap.h"

enum { TEXT_SIZE = 4096, ARENA_MAX = 1 << 24 };

static char list_file[] = "/tmp/every-key-XXXXXX"; /* a URL in a line; serves as any file */

/* Values that no rule for their kind gives. */
static const char *sample_of(const struct option_spec *s)
{
	static const char *const ROWS[][2] = {{"strategy", "bfs-lifo"}, {"hours", "22-06"},
		{"windows", "22-06"}, {"contact", "me@example.org"}, {"dns", "127.0.0.1"},
		{"order", "pagerank"}, {"policy", "age"}, {"retention", "30d"}, {"ping", "8734"},
		{"without-rule", "class-order"}, {"topic", "harbour ships"}, {"grid", "1h"},
		{"robots-age", "1h"}, {"proxy", "http://127.0.0.1:3128"},
		{"auth", "http://me:secret@127.0.0.1/"}, {"header", "Accept-Language: la"},
		{"warc-compression", "zstd"}, {"delay", "2"}, {"host-budget", "7"},
		{"theta", "0.25"}, {"min-free", "1M"}, {"memory", "64M"}, {"bandwidth", "1M"},
		{"max-pages", "5"}};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++)
		if (strcmp(s->name, ROWS[i][0]) == 0)
			return ROWS[i][1];
	switch (s->kind) {
	case OPTION_FLAG:
		return "true";
	case OPTION_CHOICE:
	case OPTION_SWITCH:
		return s->choices[1];
	case OPTION_STRING:
	case OPTION_LIST:
		return s->metavar && strstr(s->metavar, "FILE") ? list_file : "a";
	default: /* another value than the default, which is not saved */
		return s->usual && strcmp(s->usual, "7") == 0 ? "8" : "7";
	}
}

/* Files of certain forms, and what cannot stand alone. */
static bool needs_more(const struct option_spec *s)
{
	static const char *const NAMES[] = {"login", "cacert", "cert", "key", "cookies", "ignore",
		"auth-file", "header-file", "proxy-file", "config", "rates"};

	for (size_t i = 0; i < ARRAY_LEN(NAMES); i++)
		if (strcmp(s->name, NAMES[i]) == 0)
			return true;
	return s->kind == OPTION_GONE;
}

static int parse_line(const struct options *o, const struct option_spec *s, struct err *err)
{
	char option[TEXT_SIZE], command[] = "x", argument[] = "http://a/";
	char *argv[] = {command, argument, option, NULL};
	struct option_args args;
	struct crawl_command out;
	int rc;

	(void)snprintf(option, sizeof option, s->kind == OPTION_FLAG ? "--%s" : "--%s=%s", s->name,
		sample_of(s));
	crawl_command_init(&out);
	rc = options_parse(o, 3, argv, &out, &args, err);
	CHECK(rc || out.given[s - CRAWL_SPECS]);
	crawl_command_release(&out);
	return rc;
}

static void check_lines(const struct option_spec *s)
{
	bool by_crawl = s->kind != OPTION_GONE && !(s->tags & (CRAWL_FILE | CRAWL_OF_RESUME));
	bool by_resume =
		s->kind != OPTION_GONE && s->tags & (CRAWL_CHANGES | CRAWL_RUN | CRAWL_OF_RESUME);
	struct err err = {0};

	CHECK_INT(parse_line(&CRAWL_OPTIONS, s, &err), by_crawl ? 0 : ERR_USAGE);
	CHECK(by_crawl || strstr(err.text, s->name)); /* says which, and why */
	err = (struct err){0};
	CHECK_INT(parse_line(&RESUME_OPTIONS, s, &err), by_resume ? 0 : ERR_USAGE);
	CHECK(by_resume || strstr(err.text, s->name));
}

/* What a document of a watch, or of a crawl, makes of a key at its top. */
static int read_watch(const char *text, size_t *ret_notes, char *settings, struct err *err)
{
	struct watch_config c;
	struct buf saved;
	int rc = watch_config_parse(&c, "w", slice_str(text), err);

	buf_init(&saved, TEXT_SIZE);
	if (rc == 0 && CHECK_INT(crawl_settings_write(&c.sites[0].settings, &saved), 0))
		(void)snprintf(settings, TEXT_SIZE, "%s", buf_str(&saved));
	*ret_notes = c.crawl.notes.list.len;
	buf_release(&saved);
	watch_config_release(&c);
	return rc;
}

static int read_crawl(const char *path, struct err *err)
{
	char command[] = "crawl", option[] = "--config", file[TEXT_SIZE];
	char *argv[] = {command, option, file, NULL};
	struct crawl_config c;
	struct arena arena;
	int rc;

	(void)snprintf(file, sizeof file, "%s", path);
	arena_init(&arena, ARENA_MAX);
	rc = crawl_config_read(&c, &(struct crawl_line){&CRAWL_OPTIONS, 3, argv}, &arena, err);
	crawl_config_release(&c);
	arena_release(&arena);
	return rc;
}

static bool write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	return file && fputs(text, file) >= 0 && fclose(file) == 0;
}

/* One document, both commands: accepted by both, refused by both. */
static void check_files(const struct option_spec *s)
{
	static const char path[] = "every-key.yaml";
	int want = (s->tags & (CRAWL_LINE | CRAWL_OF_RESUME)) ? ERR_USAGE : 0;
	bool is_noted = s->unfit[CRAWL_BY_WATCH] || s->kind == OPTION_GONE;
	char text[TEXT_SIZE], settings[TEXT_SIZE] = "", line[TEXT_SIZE];
	size_t notes = 0;
	struct err err = {0};

	(void)snprintf(text, sizeof text, "%s: \"%s\"\nsites: [{url: http://127.0.0.1/}]\n",
		s->name, sample_of(s));
	if (CHECK(write_file(path, text)))
		CHECK_INT(read_crawl(path, &err), want);
	(void)unlink(path);
	err = (struct err){0};
	CHECK_INT(read_watch(text, &notes, settings, &err), want);
	CHECK(want || !err.text[0]);
	if (want || strcmp(s->name, "auth") == 0 || strcmp(s->name, "proxy") == 0 ||
		strcmp(s->name, "header") == 0)
		return;
	CHECK((notes > 0) == is_noted);
	/* It has reached the site, unless its terms have it. */
	(void)snprintf(line, sizeof line, "\n%s ", s->saved ? s->saved : "seeds");
	if (s->saved && !is_noted && strcmp(s->name, "delay") != 0 && strcmp(s->name, "hours") != 0)
		CHECK(strstr(settings, line) != NULL);
	if (s->saved && is_noted && s->kind != OPTION_STRING && strcmp(s->name, "no-probes") != 0)
		CHECK(!strstr(settings, line));
}

static void check_gone(const struct option_spec *s)
{
	char text[TEXT_SIZE], settings[TEXT_SIZE];
	size_t notes = 0;
	struct err err = {0};

	(void)snprintf(
		text, sizeof text, "%s: [7, x]\nsites: [{url: http://127.0.0.1/}]\n", s->name);
	CHECK_INT(read_watch(text, &notes, settings, &err), 0);
	CHECK_INT((int64_t)notes, 1);
}

int main(int argc, char **argv)
{
	int fd = mkstemp(list_file);

	tap_init(argc, argv);
	CHECK(fd >= 0 && write(fd, "http://a/\n", 10) == 10 && close(fd) == 0);
	for (const struct option_spec *s = CRAWL_SPECS; s->name; s++) {
		if (strcmp(s->name, "cacert") != 0) { /* is read at once */
			tap_case("%s on the command lines", s->name);
			check_lines(s);
		}
		if (s->kind == OPTION_GONE) {
			tap_case("%s, which is gone, in files", s->name);
			check_gone(s);
		} else if (!needs_more(s)) {
			tap_case("%s in files", s->name);
			check_files(s);
		}
	}
	(void)unlink(list_file);
	return tap_done();
}
