/* What is written reads back, also where 32 or 16 bits are too few; never with other sizes. */
#include "warc/zip.h"

#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "tap.h"

enum { ZEROS = 1 << 20 };

static const char zeros[ZEROS];

struct file {
	int fd;
	uint64_t at;
};

/* Zeros become holes: a file of gigabytes takes no room on the disk. */
static int emit(void *context, slice bytes, struct err *err)
{
	struct file *f = context;

	if (bytes.ptr != zeros && io_write_at(f->fd, bytes.ptr, bytes.len, f->at))
		return err_set(err, ERR_IO, "cannot write");
	f->at += bytes.len;
	return 0;
}

static int add(struct zip_writer *z, const char *name, slice text, struct err *err)
{
	int rc = zip_writer_begin(z, slice_str(name), text.len, err);

	if (rc == 0)
		rc = zip_writer_feed(z, text, err);
	return rc ? rc : zip_writer_end(z, err);
}

static int add_zeros(struct zip_writer *z, const char *name, uint64_t size, struct err *err)
{
	int rc = zip_writer_begin(z, slice_str(name), size, err);

	for (uint64_t done = 0; rc == 0 && done < size; done += ZEROS)
		rc = zip_writer_feed(
			z, (slice){zeros, size - done < ZEROS ? size - done : ZEROS}, err);
	return rc ? rc : zip_writer_end(z, err);
}

static int take(void *context, slice bytes, struct err *err)
{
	struct buf *out = context;

	(void)err;
	return buf_add(out, bytes);
}

static void check_entry(struct zip_reader *z, int fd, const char *name, const char *text)
{
	struct zip_entry e = {.size = 0};
	struct err err = {0};
	struct buf got;

	buf_init(&got, 4096);
	CHECK_INT(zip_reader_next(z, &e, &err), 0);
	CHECK(slice_eq(e.name, slice_str(name)));
	CHECK_INT(e.method, ZIP_STORED);
	CHECK_INT(zip_entry_read(&e, fd, take, &got, &err), 0);
	CHECK_STR(buf_str(&got), text);
	buf_release(&got);
}

static void test_small(void)
{
	struct file f = {.fd = tempfile_open("/tmp")};
	struct zip_writer w;
	struct zip_reader r;
	struct zip_entry e;
	struct err err = {0};

	tap_case("small entries read back");
	zip_writer_init(&w, emit, &f);
	CHECK_INT(add(&w, "archive/a.warc", SLICE("some bytes"), &err), 0);
	CHECK_INT(add(&w, "empty", SLICE(""), &err), 0);
	CHECK_INT(zip_writer_finish(&w, &err), 0);
	zip_writer_release(&w);
	CHECK_INT(zip_reader_open(&r, f.fd, &err), 0);
	check_entry(&r, f.fd, "archive/a.warc", "some bytes");
	check_entry(&r, f.fd, "empty", "");
	CHECK_INT(zip_reader_next(&r, &e, &err), ERR_END);
	zip_reader_release(&r);
	(void)close(f.fd);
}

static void test_large(void)
{
	const uint64_t size = (UINT64_C(4) << 30) + 5;
	struct file f = {.fd = tempfile_open("/tmp")};
	struct zip_writer w;
	struct zip_reader r;
	struct zip_entry e = {.size = 0};
	struct err err = {0};

	tap_case("an entry beyond 4 GiB, and one behind it");
	zip_writer_init(&w, emit, &f);
	CHECK_INT(add_zeros(&w, "large", size, &err), 0);
	CHECK_INT(add(&w, "behind", SLICE("far away"), &err), 0);
	CHECK_INT(zip_writer_finish(&w, &err), 0);
	zip_writer_release(&w);
	CHECK_INT(zip_reader_open(&r, f.fd, &err), 0);
	CHECK_INT(zip_reader_next(&r, &e, &err), 0);
	CHECK(e.size == size && e.packed == size);
	check_entry(&r, f.fd, "behind", "far away");
	zip_reader_release(&r);
	(void)close(f.fd);
}

static void test_many(void)
{
	enum { COUNT = 65536 };
	struct file f = {.fd = tempfile_open("/tmp")};
	struct zip_writer w;
	struct zip_reader r;
	struct err err = {0};
	char name[32];
	int rc = 0;

	tap_case("more entries than 16 bits can count");
	zip_writer_init(&w, emit, &f);
	for (int i = 0; rc == 0 && i < COUNT; i++) {
		(void)snprintf(name, sizeof name, "%d", i);
		rc = add(&w, name, SLICE(""), &err);
	}
	CHECK_INT(rc, 0);
	CHECK_INT(zip_writer_finish(&w, &err), 0);
	zip_writer_release(&w);
	CHECK_INT(zip_reader_open(&r, f.fd, &err), 0);
	CHECK_INT((int64_t)r.entries, COUNT);
	zip_reader_release(&r);
	(void)close(f.fd);
}

static void test_wrong_sizes(void)
{
	struct file f = {.fd = tempfile_open("/tmp")};
	struct zip_writer w;
	struct err err = {0};

	tap_case("an entry has as many bytes as were told");
	zip_writer_init(&w, emit, &f);
	CHECK_INT(zip_writer_begin(&w, SLICE("a"), 3, &err), 0);
	CHECK_INT(zip_writer_feed(&w, SLICE("ab"), &err), 0);
	CHECK_INT(zip_writer_end(&w, &err), ERR_STATE);
	CHECK(strstr(err.text, "a shrank"));
	CHECK_INT(zip_writer_feed(&w, SLICE("cd"), &err), ERR_STATE);
	CHECK(strstr(err.text, "a grew"));
	zip_writer_release(&w);
	(void)close(f.fd);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_small();
	test_large();
	test_many();
	test_wrong_sizes();
	return tap_done();
}
