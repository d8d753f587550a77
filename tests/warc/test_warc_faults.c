/*
 * Fault injection: the N-th system call of the writer fails, for every N until none is left, in
 * several ways. Whatever fails, the file holds the records that were reported as written, whole,
 * and nothing else.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/rng.h"
#include "sample.h"
#include "tap.h"
#include "warc/warc_reader.h"
#include "warc/warc_writer.h"

enum {
	RECORDS = 4,
	NUMBER_MAX = 64, /* calls; the run of all records makes fewer */
};

enum fault {
	WRITE_FAILS,          /* nothing is written */
	WRITE_FAILS_HALFWAY,  /* half is, and then no more */
	WRITE_LIES,           /* half is written, though the call says that it failed */
	WRITE_IS_SHORT,       /* half is written and the call says so: no failure */
	TRUNCATE_FAILS_FIRST, /* a write fails, and so does the first attempt to take it back */
	SYNC_FAILS,
	FAULTS,
};

static const char *const FAULT_NAMES[FAULTS] = {"write", "write, halfway", "write, with a trace",
	"short write", "write and truncate", "sync"};

struct faulty {
	struct warc_io io;
	enum fault fault;
	int countdown;     /* calls until the fault; negative when it has happened */
	bool half_done;    /* of WRITE_FAILS_HALFWAY */
	bool truncate_bad; /* the next truncate fails */
};

static bool strikes(struct faulty *f)
{
	return f->countdown-- == 0;
}

static ssize_t faulty_write(void *context, int fd, const void *bytes, size_t len, off_t at)
{
	struct faulty *f = context;
	ssize_t n;

	if (f->half_done) {
		f->half_done = false;
		errno = ENOSPC;
		return -1;
	}
	if (f->fault == SYNC_FAILS || !strikes(f))
		return pwrite(fd, bytes, len, at);
	f->truncate_bad = f->fault == TRUNCATE_FAILS_FIRST;
	if (f->fault == WRITE_FAILS) {
		errno = EIO;
		return -1;
	}
	n = pwrite(fd, bytes, (len + 1) / 2, at);
	if (f->fault == WRITE_IS_SHORT)
		return n;
	f->half_done = f->fault == WRITE_FAILS_HALFWAY;
	errno = ENOSPC;
	return f->half_done ? n : -1;
}

static int faulty_truncate(void *context, int fd, off_t size)
{
	struct faulty *f = context;

	if (!f->truncate_bad)
		return ftruncate(fd, size);
	f->truncate_bad = false;
	errno = EIO;
	return -1;
}

static int faulty_sync(void *context, int fd)
{
	struct faulty *f = context;

	(void)fd;
	if (f->fault != SYNC_FAILS || !strikes(f))
		return 0;
	errno = EIO;
	return -1;
}

struct outcome {
	unsigned written; /* records, as bits */
	struct warc_place places[RECORDS];
	int failures;
	int close_rc;
	bool has_digest;
	struct digest digest; /* of the file */
};

/* Bodies of every kind: none, small, large enough for the streaming compressor. */
static size_t body_size(unsigned i)
{
	static const size_t sizes[] = {0, 700, 1100000, 30};

	return sizes[i % ARRAY_LEN(sizes)];
}

static int add_record(struct warc_writer *w, unsigned i, slice noise, struct outcome *o)
{
	struct warc_entry entry = {
		.type = WARC_TYPE_RESPONSE,
		.date = 1,
		.head = SLICE("HTTP/1.1 200 OK\r\n\r\n"),
		.body = slice_sub(noise, 0, body_size(i)),
	};
	char url[] = "http://example.com/0";
	struct err err = {0};
	int rc;

	url[sizeof url - 2] = (char)('1' + i);
	entry.url = slice_str(url);
	rc = warc_writer_add(w, &entry, &o->places[i], &err);
	if (rc == 0)
		o->written |= 1U << i;
	else
		CHECK(rc == ERR_IO && err.text[0] != '\0');
	o->failures += rc != 0;
	return rc;
}

static struct outcome run(
	const char *dir, const struct warc_io *io, enum warc_coding coding, slice noise)
{
	struct warc_writer_params params = {
		.dir = dir, .name = "%n", .coding = coding, .level = 1, .io = io, .seed = 1};
	struct outcome o = {0};
	struct warc_writer *w = NULL;
	struct err err = {0};

	CHECK_INT(warc_writer_open(&params, &w, &err), 0);
	for (unsigned i = 0; i < RECORDS; i++)
		(void)add_record(w, i, noise, &o);
	o.failures += warc_writer_sync(w, &err) != 0;
	o.close_rc = warc_writer_complete(w, &err);
	o.has_digest = warc_writer_digest(w) != NULL;
	if (o.has_digest)
		o.digest = *warc_writer_digest(w);
	CHECK_INT(warc_writer_close(w, &err), 0);
	return o;
}

/* What was taken back is not in the digest either. */
static void check_digest(const char *path, const struct outcome *o)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct digest digest = {0};
	struct stat st;

	CHECK_INT(o->has_digest, o->close_rc == 0);
	CHECK_INT(fstat(fd, &st), 0);
	CHECK_INT(warc_file_sum(fd, (uint64_t)st.st_size, &digest), 0);
	CHECK(!o->has_digest || digest_eq(&digest, &o->digest));
	(void)close(fd);
}

/* The file, whose name depends on how closing went, holds just what was reported. */
static void check_file(const char *dir, const struct outcome *o)
{
	const char *file = "";
	char path[4096];
	const struct warc_record *rec;
	struct warc_reader *r = NULL;
	struct err err = {0};
	unsigned found = 0;
	int rc;

	for (unsigned i = 0; i < RECORDS; i++)
		if (o->written & 1U << i)
			file = o->places[i].file;
	(void)snprintf(path, sizeof path, "%s/%s%s", dir, file, o->close_rc ? ".open" : "");
	/* What fails last is syncing the directory: the file has its name by then. */
	if (o->close_rc && access(path, F_OK) != 0)
		path[strlen(path) - strlen(".open")] = '\0';
	rc = warc_reader_open(path, 0, &r, &err);
	if (!CHECK_INT(rc, 0))
		return;
	check_digest(path, o);
	while ((rc = warc_reader_next(r, &rec, &err)) == 0) {
		unsigned n;

		CHECK_INT(warc_reader_end(r, &err), 0);
		CHECK_STR(rec->problem.text, "");
		if (rec->header.type != WARC_TYPE_RESPONSE)
			continue;
		n = (unsigned)(rec->header.url.ptr[rec->header.url.len - 1] - '1');
		found |= 1U << n;
		CHECK_INT(rec->spot.offset, (int64_t)o->places[n].offset);
		CHECK_INT(rec->length, (int64_t)o->places[n].length);
	}
	CHECK_INT(rc, ERR_END);
	CHECK_INT(found, o->written);
	warc_reader_close(r);
}

static void make_noise(struct buf *out)
{
	struct rng rng;

	rng_init(&rng, 3);
	buf_init(out, SAMPLE_MAX);
	while (out->len < 1100000)
		(void)buf_printf(out, "%llx", (unsigned long long)rng_u64(&rng));
}

/* Whether the fault struck. */
static bool try_fault(enum fault fault, enum warc_coding coding, int number, slice noise)
{
	struct faulty f = {
		.io = {.write = faulty_write, .truncate = faulty_truncate, .sync = faulty_sync},
		.fault = fault,
		.countdown = number,
	};
	const char *dir = tap_tempdir();
	struct outcome o;

	f.io.context = &f;
	o = run(dir, &f.io, coding, noise);
	check_file(dir, &o);
	if (fault == WRITE_IS_SHORT)
		CHECK(o.failures == 0 && o.written == (1U << RECORDS) - 1);
	else if (f.countdown < 0)
		CHECK_INT(o.failures + (o.close_rc != 0), 1);
	return f.countdown < 0;
}

static void test_faults(void)
{
	static const char *const codings[] = {"plain", "gzip", "zstd"};
	struct buf noise;

	make_noise(&noise);
	for (unsigned fault = 0; fault < FAULTS; fault++)
		for (unsigned coding = 0; coding < ARRAY_LEN(codings); coding++) {
			int number = 0;

			tap_case("fault: %s, %s", FAULT_NAMES[fault], codings[coding]);
			while (number < NUMBER_MAX &&
				try_fault(fault, coding, number, buf_slice(&noise)))
				number++;
			CHECK(number > 0 && number < NUMBER_MAX);
		}
	buf_release(&noise);
}

/* The kernel's own refusal: the file may not grow beyond the limit. In a child, for it stays. */
static int run_limited(const char *dir, rlim_t limit, slice noise)
{
	struct rlimit r = {limit, limit};
	struct outcome o;

	(void)signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &r))
		return 2;
	o = run(dir, NULL, WARC_CODING_GZIP, noise);
	return o.failures > 0 && o.close_rc == 0 && o.written > 1 ? 0 : 1;
}

static void test_file_size_limit(void)
{
	struct buf noise;

	make_noise(&noise);
	for (rlim_t limit = 4000; limit < 1100000; limit = limit * 2 + 311) {
		const char *dir = tap_tempdir();
		char path[4096];
		struct buf file, got;
		pid_t child = fork();
		int status;
		FILE *f;

		if (child == 0)
			_exit(run_limited(dir, limit, buf_slice(&noise)));
		CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
		CHECK_INT(WEXITSTATUS(status), 0);
		(void)snprintf(path, sizeof path, "%s/00000.warc.gz", dir);
		f = fopen(path, "rb");
		buf_init(&file, SAMPLE_MAX);
		buf_init(&got, SAMPLE_MAX);
		if (CHECK(f != NULL) && CHECK_INT(buf_reserve(&file, 1 << 21), 0)) {
			file.len = fread(file.ptr, 1, 1 << 21, f);
			(void)fclose(f);
			sample_read(buf_slice(&file), false, &got);
			CHECK(strpbrk(buf_str(&got), "?!") == NULL);
		}
		buf_release(&file);
		buf_release(&got);
	}
	buf_release(&noise);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_faults();
	TAP_RUN(test_file_size_limit);
	return tap_done();
}
