#include "histories/history_file.h"

#include <stdlib.h>
#include <string.h>

#include "histories/gz_lines.h"
#include "history_fixture.h"

static void test_lines(void)
{
	static const struct {
		const char *line, *path;
		int64_t at;
		bool gone;
	} ROWS[] = {
		{"100\tc0ffee\tA\ta/b.html", "a/b.html", 100, false},
		{"0\t\tD\tx y", "x y", 0, true},
		{"7\tc\tM\t\"caf\\303\\251\\t\\\"\\\\.md\"", "caf\303\251\t\"\\.md", 7, false},
		{"", NULL, 0, false},
		{"100\tc\tA", NULL, 0, false},
		{"-1\tc\tA\ta", NULL, 0, false},
		{"soon\tc\tA\ta", NULL, 0, false},
		{"100\tc\tR\ta", NULL, 0, false},
		{"100\tc\tAM\ta", NULL, 0, false},
		{"100\tc\tA\t", NULL, 0, false},
		{"100\tc\tA\t/a", NULL, 0, false},
		{"100\tc\tA\ta/", NULL, 0, false},
		{"100\tc\tA\t\"a", NULL, 0, false},
		{"100\tc\tA\t\"a\\q\"", NULL, 0, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct history_line e = {0};
		char path[HISTORY_PATH_MAX];
		struct err err = {0};
		int rc = history_file_parse(slice_str(ROWS[i].line), path, &e, &err);

		tap_case("line: '%s'", ROWS[i].path ? ROWS[i].path : ROWS[i].line);
		CHECK_INT(rc, ROWS[i].path ? 0 : ERR_SYNTAX);
		if (rc || !ROWS[i].path)
			continue;
		CHECK_SLICE(e.path, slice_str(ROWS[i].path));
		CHECK_INT(e.at_s, ROWS[i].at);
		CHECK_INT(e.gone, ROWS[i].gone);
	}
}

static void test_links(void)
{
	static const struct {
		const char *line, *from, *to;
	} ROWS[] = {
		{"a.html\tb/c.html", "a.html", "b/c.html"},
		{"\"caf\\303\\251\"\tx y", "caf\303\251", "x y"},
		{"a\ta", "a", "a"},
		{"", NULL, NULL},
		{"a", NULL, NULL},
		{"a\t", NULL, NULL},
		{"\tb", NULL, NULL},
		{"a\t/b", NULL, NULL},
		{"a\tb\tc", NULL, NULL},
		{"\"a\tb", NULL, NULL},
	};
	static char room[2 * HISTORY_PATH_MAX];

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct history_link l = {0};
		struct err err = {0};
		int rc = history_file_parse_link(slice_str(ROWS[i].line), room, &l, &err);

		tap_case("link: '%s'", ROWS[i].from ? ROWS[i].from : ROWS[i].line);
		CHECK_INT(rc, ROWS[i].from ? 0 : ERR_SYNTAX);
		if (rc || !ROWS[i].from)
			continue;
		CHECK_SLICE(l.from, slice_str(ROWS[i].from));
		CHECK_SLICE(l.to, slice_str(ROWS[i].to));
	}
}

static void test_path_limit(void)
{
	char *line = malloc(GZ_LINE_MAX), *path = malloc(HISTORY_PATH_MAX);
	struct history_line l;
	struct err err = {0};

	for (int extra = 0; extra <= 1; extra++) {
		size_t len = (size_t)snprintf(line, GZ_LINE_MAX, "1\tc\tA\t");

		memset(line + len, 'x', HISTORY_PATH_MAX + (size_t)extra);
		len += HISTORY_PATH_MAX + (size_t)extra;
		CHECK_INT(history_file_parse((slice){line, len}, path, &l, &err),
			extra ? ERR_LIMIT : 0);
	}
	CHECK_STR(err.text, "the path is longer than 4096 bytes");
	free(line);
	free(path);
}

static int count(void *context, slice line, struct err *err)
{
	(void)line;
	(void)err;
	++*(int *)context;
	return 0;
}

static int refuse(void *context, slice line, struct err *err)
{
	(void)line;
	return *(bool *)context ? err_set(err, ERR_STATE, "not this one") : ERR_NOMEM;
}

static void test_lines_of_a_file(void)
{
	struct err err = {0};
	int lines = 0;
	bool says = true;
	const char *path = fixture_file(SLICE("1\tc\tA\ta\n2\td\tM\ta"));

	CHECK_INT(gz_lines_read(path, count, &lines, &err), 0);
	CHECK_INT(lines, 2);
	CHECK_INT(gz_lines_read(path, refuse, &says, &err), ERR_STATE);
	CHECK(strstr(err.text, "history.tsv:1: not this one"));
	says = false;
	CHECK_INT(gz_lines_read(path, refuse, &says, &err), ERR_NOMEM);
	CHECK(strstr(err.text, "history.tsv:1: out of memory"));
}

/* Half a gzip file. */
static void test_cut_file(void)
{
	static const char BYTES[] = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x33\xe4";
	const char *path = fixture_file((slice){BYTES, sizeof BYTES - 1});
	struct err err = {0};
	int lines = 0;

	CHECK_INT(gz_lines_read(path, count, &lines, &err), ERR_IO);
	CHECK(strstr(err.text, "history.tsv: "));
	CHECK_INT(gz_lines_read("/nowhere", count, &lines, &err), ERR_IO);
	CHECK_STR(err.text, "/nowhere: No such file or directory");
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_lines();
	test_links();
	TAP_RUN(test_path_limit);
	TAP_RUN(test_lines_of_a_file);
	TAP_RUN(test_cut_file);
	return tap_done();
}
