/* An archive's directory: what is taken for one, and that one process writes to it at a time. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/directory.h"
#include "tap.h"

enum { PATH_SIZE = 4096 };

static void join(char out[PATH_SIZE], const char *dir, const char *name)
{
	(void)snprintf(out, PATH_SIZE, "%s/%s", dir, name);
}

static void put(const char *dir, const char *name, const char *text)
{
	char path[PATH_SIZE];
	FILE *file;

	join(path, dir, name);
	file = fopen(path, "we");
	if (CHECK(file != NULL)) {
		CHECK(fputs(text, file) >= 0);
		CHECK_INT(fclose(file), 0);
	}
}

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static void test_made(void)
{
	struct directory d;
	struct err err = {0};
	char path[PATH_SIZE];

	join(path, tap_tempdir(), "new.stillpoint//");
	if (!CHECK_INT(directory_open(&d, path, true, &err), 0))
		return;
	CHECK(is_directory(d.path) && is_directory(d.warc) && is_directory(d.spool));
	CHECK(d.path[strlen(d.path) - 1] != '/');
	directory_close(&d);
	directory_close(&d); /* once more does no harm */
}

/* What a directory may hold for an archive to be made in it, or to be opened. */
static void test_kinds(void)
{
	static const struct {
		const char *label, *file, *folder;
		int create, open;
	} ROWS[] = {
		{"an empty directory", NULL, NULL, 0, ERR_NOTFOUND},
		{"leftovers of an early kill", "lock", "warc", 0, ERR_NOTFOUND},
		{"more of them", "lock", "spool", 0, ERR_NOTFOUND},
		{"an archive", "catalog.sqlite", "warc", 0, 0},
		{"an archive with something else", "catalog.sqlite", "pictures", 0, 0},
		{"somebody's file", "thesis.txt", NULL, ERR_NOTFOUND, ERR_NOTFOUND},
		{"somebody's hidden file", ".profile", NULL, ERR_NOTFOUND, ERR_NOTFOUND},
		{"somebody's directory", NULL, "pictures", ERR_NOTFOUND, ERR_NOTFOUND},
	};

	for (size_t i = 0; i < 2 * ARRAY_LEN(ROWS); i++) {
		const char *dir = tap_tempdir();
		bool create = i % 2;
		char path[PATH_SIZE];
		struct directory d;
		struct err err = {0};

		tap_case("%s %s", create ? "making in" : "opening", ROWS[i / 2].label);
		if (ROWS[i / 2].file)
			put(dir, ROWS[i / 2].file, "");
		if (ROWS[i / 2].folder) {
			join(path, dir, ROWS[i / 2].folder);
			CHECK_INT(mkdir(path, 0777), 0);
		}
		CHECK_INT(directory_open(&d, dir, create, &err),
			create ? ROWS[i / 2].create : ROWS[i / 2].open);
		directory_close(&d);
		join(path, dir, "spool");
		CHECK(!err.code || !is_directory(path) || ROWS[i / 2].folder);
	}
}

static void test_not_there(void)
{
	struct directory d;
	struct err err = {0};
	char path[PATH_SIZE];

	join(path, tap_tempdir(), "none");
	CHECK_INT(directory_open(&d, path, false, &err), ERR_NOTFOUND);
	join(path, tap_tempdir(), "none/none");
	CHECK_INT(directory_open(&d, path, true, &err), ERR_IO);
}

static void test_no_directory(void)
{
	const char *dir = tap_tempdir();
	struct directory d;
	struct err err = {0};
	char path[PATH_SIZE];

	put(dir, "file", "");
	join(path, dir, "file");
	CHECK_INT(directory_open(&d, path, true, &err), ERR_NOTFOUND);
}

static void test_long_path(void)
{
	struct directory d;
	struct err err = {0};
	char path[2 * DIRECTORY_PATH_MAX];

	memset(path, 'a', sizeof path - 1);
	path[sizeof path - 1] = '\0';
	CHECK_INT(directory_open(&d, path, true, &err), ERR_LIMIT);
	path[DIRECTORY_PATH_MAX - 2] = '\0';
	CHECK_INT(directory_open(&d, path, true, &err), ERR_LIMIT);
}

static void test_lock(void)
{
	const char *dir = tap_tempdir();
	struct directory first, second;
	struct err err = {0};

	if (!CHECK_INT(directory_open(&first, dir, true, &err), 0))
		return;
	CHECK_INT(directory_open(&second, dir, true, &err), ERR_STATE);
	CHECK(strstr(err.text, "another process") != NULL);
	directory_close(&first);
	CHECK_INT(directory_open(&second, dir, true, &err), 0);
	directory_close(&second);
}

static void test_copy_in(void)
{
	const char *from = tap_tempdir();
	struct directory d;
	struct err err = {0};
	struct stat st;
	struct arena arena;
	const char *name = "rates-1.csv";
	char path[PATH_SIZE];

	put(from, "rates.csv", "url,rate\n");
	join(path, from, "rates.csv");
	arena_init(&arena, 1 << 20);
	if (CHECK_INT(directory_open(&d, tap_tempdir(), true, &err), 0)) {
		CHECK_INT(directory_copy_in(&d, path, name, &err), 0);
		CHECK_INT(directory_path(&d, &name, &arena, &err), 0);
		CHECK(stat(name, &st) == 0 && st.st_size == 9);
		join(path, from, "none.csv");
		CHECK_INT(directory_copy_in(&d, path, "x", &err), ERR_IO);
	}
	directory_close(&d);
	arena_release(&arena);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_made);
	test_kinds();
	TAP_RUN(test_not_there);
	TAP_RUN(test_no_directory);
	TAP_RUN(test_long_path);
	TAP_RUN(test_lock);
	TAP_RUN(test_copy_in);
	return tap_done();
}
