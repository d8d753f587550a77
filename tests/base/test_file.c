/* What may be opened: a table of all kinds of files, by all functions. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tap.h"

static void prepare(int dir)
{
	CHECK_INT(close(file_open_new(dir, "file")), 0);
	CHECK_INT(close(file_open_new(dir, "target")), 0);
	CHECK_INT(symlinkat("target", dir, "symbolic"), 0);
	CHECK_INT(symlinkat("nowhere", dir, "dangling"), 0);
	CHECK_INT(symlinkat("/dev/null", dir, "device"), 0);
	CHECK_INT(symlinkat("pipe", dir, "to-pipe"), 0);
	CHECK_INT(linkat(dir, "target", dir, "hard", 0), 0);
	CHECK_INT(mkdirat(dir, "directory", 0777), 0);
	CHECK_INT(mkfifoat(dir, "pipe", 0666), 0);
}

/* Closes it; errno, or 0 if it was opened. */
static int outcome(int fd)
{
	int error = fd < 0 ? errno : 0;

	if (fd >= 0)
		(void)close(fd);
	return error;
}

static int database(const char *path, bool writing)
{
	char *name = NULL;
	int error = file_check_database(path, writing, &name) ? errno : 0;

	CHECK(error || name[0] == '/');
	free(name);
	return error;
}

static void test_kinds(void)
{
	static const struct {
		const char *name;
		int own, inside, given, base, fresh; /* errno, or 0 */
	} rows[] = {
		{"file", 0, 0, 0, 0, 0},
		{"symbolic", ELOOP, ELOOP, 0, ELOOP, 0},
		{"dangling", ELOOP, ELOOP, ENOENT, ELOOP, 0},
		{"device", ELOOP, ELOOP, EISDIR, ELOOP, 0},
		{"to-pipe", ELOOP, ELOOP, EISDIR, ELOOP, 0},
		{"hard", EMLINK, 0, 0, 0, 0},
		{"directory", EISDIR, EISDIR, EISDIR, EISDIR, EISDIR},
		{"pipe", EISDIR, EISDIR, EISDIR, EISDIR, 0},
		{"missing", ENOENT, ENOENT, ENOENT, 0, 0},
	};
	const char *place = tap_tempdir();
	int dir = file_open_dir(place), fd;
	struct stat st;

	prepare(dir);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char path[4096];

		tap_case("files: %s", rows[i].name);
		(void)snprintf(path, sizeof path, "%s/%s", place, rows[i].name);
		CHECK_INT(outcome(file_open_own(dir, rows[i].name, O_RDWR)), rows[i].own);
		CHECK_INT(outcome(file_open_inside(dir, rows[i].name)), rows[i].inside);
		CHECK_INT(outcome(file_open_inside(AT_FDCWD, path)), rows[i].inside);
		CHECK_INT(outcome(file_open_given(path)), rows[i].given);
		CHECK_INT(database(path, false), rows[i].base);
		CHECK(rows[i].own == 0 || file_problem(rows[i].own)[0] != '\0');
	}
	CHECK_INT(unlinkat(dir, "to-pipe", 0), 0);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("files: a new one for %s", rows[i].name);
		fd = file_open_new(dir, rows[i].name);
		CHECK(fd < 0 || io_write(fd, "x", 1) == 0);
		CHECK_INT(outcome(fd), rows[i].fresh);
	}
	tap_case("files: what the links led to");
	CHECK_INT(fstatat(dir, "target", &st, 0), 0);
	CHECK_INT(st.st_size, 0);
	CHECK_INT(faccessat(dir, "nowhere", F_OK, 0), -1);
	(void)close(dir);
}

/* The files beside a database count as it does, and what lies above it is the user's. */
static void test_database(void)
{
	static const char *const SUFFIXES[] = {"-wal", "-shm", "-journal"};
	const char *place = tap_tempdir();
	int dir = file_open_dir(place);
	char path[4096], above[4096];

	CHECK_INT(mkdirat(dir, "real", 0777), 0);
	CHECK_INT(symlinkat("real", dir, "linked"), 0);
	(void)snprintf(path, sizeof path, "%s/real/db", place);
	(void)snprintf(above, sizeof above, "%s/linked/db", place);
	CHECK_INT(outcome(file_open_new(AT_FDCWD, path)), 0);
	CHECK_INT(database(above, true), 0);
	for (size_t i = 0; i < ARRAY_LEN(SUFFIXES); i++) {
		char beside[4200];

		tap_case("database: %s", SUFFIXES[i]);
		(void)snprintf(beside, sizeof beside, "%s%s", path, SUFFIXES[i]);
		CHECK_INT(symlink("nowhere", beside), 0);
		CHECK_INT(database(above, false), ELOOP);
		CHECK_INT(unlink(beside), 0);
		CHECK_INT(link(path, beside), 0);
		CHECK_INT(database(above, true), EMLINK);
		CHECK_INT(unlink(beside), 0);
		CHECK_INT(mkfifo(beside, 0600), 0);
		CHECK_INT(database(above, false), EISDIR);
		CHECK_INT(unlink(beside), 0);
	}
	(void)close(dir);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_kinds();
	test_database();
	return tap_done();
}
