/* ZIP files as Python's zipfile writes them, and damaged ones: the corpus of the fuzzer. */
#include "warc/zip.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "tap.h"

struct row {
	const char *file;
	int rc;            /* of the first thing that fails, or 0 */
	const char *names; /* of all entries, in their order */
	uint64_t unpacked; /* bytes of all of them */
	const char *says;  /* part of the sentence */
};

static const struct row ROWS[] = {
	{"stored", 0, "archive/a.warc datapackage.json ", 202, NULL},
	{"deflated", 0, "archive/a.warc datapackage.json ", 202, NULL},
	{"local-zip64", 0, "archive/a.warc datapackage.json ", 202, NULL},
	{"zip64", 0, "archive/b.warc ", 10, NULL},
	{"empty-directory", 0, "", 0, NULL},
	{"bzip2", ERR_UNSUPPORTED, "archive/a.warc ", 0, "compression method 12"},
	{"cut", ERR_SYNTAX, "", 0, "not a ZIP file, or its end is missing"},
	{"size-too-large", ERR_LIMIT, "", 0, "unpack to more than 100 times"},
	{"size-one-more", ERR_SYNTAX, "archive/a.warc ", 0, "checksum"},
	{"overlap", ERR_SYNTAX, "", 0, "entries of it overlap"},
	{"zip64-far", ERR_SYNTAX, "", 0, "it ends too early"},
};

static int take(void *context, slice bytes, struct err *err)
{
	(void)err;
	*(uint64_t *)context += bytes.len;
	return 0;
}

static int read_all(int fd, struct buf *names, uint64_t *unpacked, struct err *err)
{
	struct zip_reader z;
	struct zip_entry e;
	int rc = zip_reader_open(&z, fd, err);

	while (rc == 0 && (rc = zip_reader_next(&z, &e, err)) == 0) {
		uint64_t size = 0;

		CHECK_INT(buf_add(names, e.name), 0);
		CHECK_INT(buf_add_char(names, ' '), 0);
		rc = zip_entry_read(&e, fd, take, &size, err);
		*unpacked += rc ? 0 : size;
	}
	zip_reader_release(&z);
	return rc == ERR_END ? 0 : rc;
}

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		const struct row *r = &ROWS[i];
		uint64_t unpacked = 0;
		struct err err = {0};
		char path[4096];
		struct buf names;
		int fd;

		tap_case("zip: %s", r->file);
		(void)snprintf(
			path, sizeof path, "%s/tests/fuzz/corpus/zip/%s", tap_srcdir(), r->file);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		CHECK(fd >= 0);
		buf_init(&names, 4096);
		CHECK_INT(read_all(fd, &names, &unpacked, &err), r->rc);
		CHECK_STR(buf_str(&names), r->names);
		CHECK_INT((int64_t)unpacked, (int64_t)r->unpacked);
		CHECK(!r->says || strstr(err.text, r->says));
		buf_release(&names);
		(void)close(fd);
	}
}

static void test_start(void)
{
	CHECK(zip_is_start(SLICE("PK\3\4")));
	CHECK(zip_is_start(SLICE("PK\5\6rest")));
	CHECK(!zip_is_start(SLICE("PK\3")));
	CHECK(!zip_is_start(SLICE("WARC/1.1")));
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_rows();
	TAP_RUN(test_start);
	return tap_done();
}
