/*
 * Repair of WARC files after a crash: what counts stays, the rest is set aside byte for byte, and
 * being stopped at any call and beginning anew gives the same result. The files are made by
 * sample.c: records 1 to COUNT, each in a gzip member unless said otherwise.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "sample.h"
#include "tap.h"
#include "warc/warc_input.h"
#include "warc/warc_repair.h"

enum {
	COUNT = 3,
	STOPPED = 77, /* exit status of a process that was stopped */
	CALLS_MAX = 64,
};

#define NAME "a.warc.gz"

static int open_dir(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void put(int dir, const char *name, slice bytes)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	if (CHECK(fd >= 0))
		CHECK_INT(write(fd, bytes.ptr, bytes.len), (int64_t)bytes.len);
	(void)close(fd);
}

static bool is_there(int dir, const char *name)
{
	return faccessat(dir, name, F_OK, 0) == 0;
}

/* The file holds exactly these bytes. */
static bool check_holds(int dir, const char *name, slice want)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	char *bytes = malloc(want.len + 1);
	bool ok = CHECK(fd >= 0) && bytes &&
		  CHECK_INT(read(fd, bytes, want.len + 1), (int64_t)want.len) &&
		  CHECK(memcmp(bytes, want.ptr, want.len) == 0);

	if (fd >= 0)
		(void)close(fd);
	free(bytes);
	return ok;
}

static int count_files(const char *path)
{
	DIR *d = opendir(path);
	int n = 0;

	for (struct dirent *e; d && (e = readdir(d));)
		n += e->d_name[0] != '.';
	if (d)
		(void)closedir(d);
	return n;
}

static int no_sync(void *context, int fd)
{
	(void)context, (void)fd;
	return 0;
}

/* Repairs without waiting for the disk, where there is a lot to repair. */
static int repair(int dir, uint64_t size, struct err *err)
{
	struct warc_io io = *warc_io_system();

	io.sync = no_sync;
	return warc_repair(dir, NAME, size, &io, err);
}

/* COUNT records; ret_ends[i] is where the i-th ends. */
static void make_file(struct buf *out, enum warc_coding coding, size_t *ret_ends)
{
	buf_init(out, SAMPLE_MAX);
	if (coding == WARC_CODING_GZIP)
		sample_gzip_file(out, COUNT, ret_ends);
	for (unsigned i = 0; i < COUNT && coding != WARC_CODING_GZIP; i++) {
		struct buf record;

		buf_init(&record, SAMPLE_MAX);
		sample_record(&record, i + 1, 0);
		if (coding == WARC_CODING_ZSTD)
			sample_zstd(out, buf_slice(&record), (slice){0});
		else
			(void)buf_add(out, buf_slice(&record));
		ret_ends[i] = out->len;
		buf_release(&record);
	}
}

/* Both names are accepted, and both are found. */
static void test_names(void)
{
	static const struct {
		const char *label, *file, *name;
	} rows[] = {
		{"open file, plain name", NAME ".open", NAME},
		{"open file, its own name", NAME ".open", NAME ".open"},
		{"closed file, plain name", NAME, NAME},
		{"closed file, name of the open one", NAME, NAME ".open"},
	};
	size_t ends[COUNT];
	struct buf file;

	make_file(&file, WARC_CODING_GZIP, ends);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *path = tap_tempdir();
		int dir = open_dir(path);
		struct err err = {0};
		char torn[64];

		tap_case("names: %s", rows[i].label);
		put(dir, rows[i].file, buf_slice(&file));
		CHECK_INT(warc_repair(dir, rows[i].name, ends[1], NULL, &err), 0);
		check_holds(dir, NAME, slice_sub(buf_slice(&file), 0, ends[1]));
		(void)snprintf(torn, sizeof torn, NAME ".torn-%zu", ends[1]);
		check_holds(dir, torn, slice_sub(buf_slice(&file), ends[1], file.len));
		CHECK_INT(count_files(path), 2);
		(void)close(dir);
	}
	buf_release(&file);
}

/* A file that is as it should be only gets its name, as often as one likes. */
static void test_nothing_torn(void)
{
	const char *path = tap_tempdir();
	int dir = open_dir(path);
	size_t ends[COUNT];
	struct err err = {0};
	struct buf file;

	make_file(&file, WARC_CODING_GZIP, ends);
	put(dir, NAME ".open", buf_slice(&file));
	for (int i = 0; i < 3; i++) {
		CHECK_INT(warc_repair(dir, NAME, file.len, NULL, &err), 0);
		check_holds(dir, NAME, buf_slice(&file));
		CHECK_INT(count_files(path), 1);
	}
	buf_release(&file);
	(void)close(dir);
}

static void test_size_zero(void)
{
	const char *path = tap_tempdir();
	int dir = open_dir(path);
	struct err err = {0};

	put(dir, NAME ".open", SLICE("WARC/1.1\r\nWAR"));
	for (int i = 0; i < 2; i++) {
		CHECK_INT(repair(dir, 0, &err), 0);
		check_holds(dir, NAME ".torn-0", SLICE("WARC/1.1\r\nWAR"));
		CHECK_INT(count_files(path), 1);
	}
	/* The next one does not take its place, even if it is the same. */
	put(dir, NAME ".open", SLICE("WARC/1.1\r\nWAR"));
	CHECK_INT(repair(dir, 0, &err), 0);
	check_holds(dir, NAME ".torn-0-2", SLICE("WARC/1.1\r\nWAR"));
	CHECK_INT(count_files(path), 2);
	put(dir, NAME ".open", SLICE(""));
	CHECK_INT(repair(dir, 0, &err), 0);
	CHECK_INT(count_files(path), 2);
	(void)close(dir);
}

/* What is set aside is never written over. */
static void test_torn_names(void)
{
	static const char *const tails[] = {"one", "two", "two", "three"};
	static const char *const wants[] = {
		NAME ".torn-4", NAME ".torn-4-2", NAME ".torn-4-2", NAME ".torn-4-3"};
	const char *path = tap_tempdir();
	int dir = open_dir(path);
	struct err err = {0};

	for (size_t i = 0; i < ARRAY_LEN(tails); i++) {
		char bytes[32];

		(void)snprintf(bytes, sizeof bytes, "WARC%s", tails[i]);
		put(dir, NAME, slice_str(bytes));
		CHECK_INT(repair(dir, 4, &err), 0);
		check_holds(dir, wants[i], slice_str(tails[i]));
		check_holds(dir, NAME, SLICE("WARC"));
	}
	CHECK_INT(count_files(path), 4);
	(void)close(dir);
}

static void test_too_many_torn(void)
{
	const char *path = tap_tempdir();
	int dir = open_dir(path);
	struct err err = {0};

	put(dir, NAME ".torn-4", SLICE("x"));
	for (int i = 2; i < WARC_TORN_MAX; i++) {
		char name[64];

		(void)snprintf(name, sizeof name, NAME ".torn-4-%d", i);
		put(dir, name, SLICE("x"));
	}
	put(dir, NAME ".open", SLICE("WARCtail"));
	CHECK_INT(repair(dir, 4, &err), 0);
	check_holds(dir, NAME ".torn-4-1000", SLICE("tail"));
	put(dir, NAME, SLICE("WARCmore"));
	CHECK_INT(repair(dir, 4, &err), ERR_EXISTS);
	check_holds(dir, NAME, SLICE("WARCmore"));
	CHECK_INT(count_files(path), WARC_TORN_MAX + 1);
	(void)close(dir);
}

static void test_refusals(void)
{
	char long_name[WARC_NAME_MAX + 2];
	const char *path = tap_tempdir();
	int dir = open_dir(path);
	struct err err = {0};

	put(dir, NAME ".open", SLICE("WARC"));
	tap_case("refusals: shorter than its size");
	CHECK_INT(warc_repair(dir, NAME, 5, NULL, &err), ERR_STATE);
	CHECK_STR(err.text,
		NAME ".open has 4 bytes, but 5 were written and synced: records are lost");
	check_holds(dir, NAME ".open", SLICE("WARC"));
	CHECK_INT(count_files(path), 1);
	tap_case("refusals: two files");
	put(dir, NAME, SLICE("WARC"));
	CHECK_INT(repair(dir, 4, &err), ERR_STATE);
	CHECK_INT(count_files(path), 2);
	tap_case("refusals: no file");
	CHECK_INT(warc_repair(dir, "b", 1, NULL, &err), ERR_NOTFOUND);
	CHECK_STR(err.text, "b is missing");
	tap_case("refusals: names");
	CHECK_INT(warc_repair(dir, "", 1, NULL, &err), ERR_USAGE);
	CHECK_INT(warc_repair(dir, "../b", 1, NULL, &err), ERR_USAGE);
	memset(long_name, 'n', sizeof long_name - 1);
	long_name[sizeof long_name - 1] = '\0';
	CHECK_INT(warc_repair(dir, long_name, 0, NULL, &err), ERR_LIMIT);
	CHECK_INT(warc_repair(dir, long_name + 1, 0, NULL, &err), 0);
	(void)close(dir);
}

/* The process ends at its N-th call, before or after what the call does. */
struct stopper {
	int countdown;
	bool after;
};

static void stop_before(struct stopper *s)
{
	if (!s->after && s->countdown-- == 0)
		_exit(STOPPED);
}

static void stop_after(struct stopper *s)
{
	if (s->after && s->countdown-- == 0)
		_exit(STOPPED);
}

/* A few bytes at a time, so that a copy can be stopped in the middle. */
static ssize_t stop_write(void *context, int fd, const void *bytes, size_t len, off_t at)
{
	size_t step = len > 100 ? len / 2 : len;
	ssize_t n;

	stop_before(context);
	n = pwrite(fd, bytes, step, at);
	stop_after(context);
	return n;
}

static int stop_truncate(void *context, int fd, off_t size)
{
	int rc;

	stop_before(context);
	rc = ftruncate(fd, size);
	stop_after(context);
	return rc;
}

static int stop_sync(void *context, int fd)
{
	stop_before(context);
	stop_after(context);
	(void)fd;
	return 0;
}

/* Exit status of a process that repairs and may be stopped at that call. */
static int repair_stopped(int dir, uint64_t size, int number, bool after)
{
	struct stopper stopper = {number, after};
	struct warc_io io = {&stopper, stop_write, stop_truncate, stop_sync};
	struct err err = {0};
	pid_t child = fork();
	int status = 0;

	if (child == 0)
		_exit(warc_repair(dir, NAME, size, &io, &err) ? 1 : 0);
	if (!CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)))
		return -1;
	return WEXITSTATUS(status);
}

/* Whether that call was reached. All bytes are still somewhere, and the next attempt succeeds. */
static bool try_stop(slice file, uint64_t size, int number, bool after)
{
	const char *path = tap_tempdir();
	int dir = open_dir(path), status;
	struct err err = {0};
	char torn[64];

	(void)snprintf(torn, sizeof torn, NAME ".torn-%" PRIu64, size);
	put(dir, NAME ".open", file);
	status = repair_stopped(dir, size, number, after);
	CHECK(status == STOPPED || status == 0);
	CHECK(is_there(dir, torn) || (is_there(dir, NAME ".open") && !is_there(dir, NAME)));
	/* Stopped once more at the same call of the second attempt, which has less to do. */
	if (status == STOPPED)
		(void)repair_stopped(dir, size, number, after);
	CHECK_INT(repair(dir, size, &err), 0);
	check_holds(dir, torn, slice_sub(file, size, file.len));
	if (size > 0)
		check_holds(dir, NAME, slice_sub(file, 0, size));
	CHECK_INT(count_files(path), size > 0 ? 2 : 1);
	(void)close(dir);
	return status == STOPPED;
}

static void test_stops(void)
{
	static const char *const labels[] = {"before", "after"};
	size_t ends[COUNT];
	struct buf file;

	make_file(&file, WARC_CODING_GZIP, ends);
	for (int after = 0; after < 2; after++)
		for (int from = 0; from < 2; from++) {
			size_t size = from ? ends[0] : 0;
			int number = 0;

			tap_case("stops: %s a call, size %s", labels[after], from ? "> 0" : "0");
			while (number < CALLS_MAX &&
				try_stop(buf_slice(&file), size, number, after))
				number++;
			CHECK(number >= (from ? 5 : 2) && number < CALLS_MAX);
		}
	buf_release(&file);
}

/* The disk is full: the file stays as it is, and nothing half is left. */
static ssize_t full_write(void *context, int fd, const void *bytes, size_t len, off_t at)
{
	(void)context, (void)fd, (void)bytes, (void)len, (void)at;
	return 0;
}

static void test_full_disk(void)
{
	const char *path = tap_tempdir();
	int dir = open_dir(path);
	struct warc_io io = *warc_io_system();
	struct err err = {0};

	io.write = full_write;
	put(dir, NAME ".open", SLICE("WARCtail"));
	CHECK_INT(warc_repair(dir, NAME, 4, &io, &err), ERR_IO);
	check_holds(dir, NAME ".open", SLICE("WARCtail"));
	CHECK_INT(count_files(path), 1);
	(void)close(dir);
}

/* A file cut anywhere in its last record is repaired to the end of the one before. */
static void test_cut_anywhere(void)
{
	static const char *const labels[] = {"plain", "gzip", "zstd"};

	for (unsigned coding = 0; coding < ARRAY_LEN(labels); coding++) {
		const char *path = tap_tempdir();
		int dir = open_dir(path);
		size_t ends[COUNT];
		struct buf file;

		tap_case("cut anywhere: %s", labels[coding]);
		make_file(&file, coding, ends);
		for (size_t len = ends[1]; len <= file.len; len++) {
			size_t want = len == file.len ? len : ends[1];
			struct err err = {0};

			put(dir, NAME ".open", slice_sub(buf_slice(&file), 0, len));
			CHECK_INT(repair(dir, want, &err), 0);
			check_holds(dir, NAME, slice_sub(buf_slice(&file), 0, want));
			CHECK_INT(unlinkat(dir, NAME, 0), 0);
		}
		(void)close(dir);
		buf_release(&file);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_names();
	TAP_RUN(test_nothing_torn);
	TAP_RUN(test_size_zero);
	TAP_RUN(test_torn_names);
	TAP_RUN(test_too_many_torn);
	test_refusals();
	test_stops();
	TAP_RUN(test_full_disk);
	test_cut_anywhere();
	return tap_done();
}
