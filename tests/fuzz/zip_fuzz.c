/*
 * ZIP files: whatever the bytes are, the directory ends, names and packed sizes lie within the
 * file, and an entry unpacks to what the directory says or to a sentence.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "warc/zip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ENTRIES_MAX = 64 }; /* each may unpack all of the file */

static void require(bool ok)
{
	if (!ok)
		abort();
}

static int count(void *context, slice bytes, struct err *err)
{
	(void)err;
	*(uint64_t *)context += bytes.len;
	return 0;
}

static void read_entry(const struct zip_entry *e, int fd)
{
	struct err err = {0};
	uint64_t len = 0;
	int rc = zip_entry_read(e, fd, count, &len, &err);

	require(len <= e->size);
	require(rc == 0 ? len == e->size : err.code == rc && err.text[0] != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("zip", MFD_CLOEXEC), rc;
	struct err err = {0};
	struct zip_reader z;
	struct zip_entry e;
	unsigned entries = 0;

	require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	rc = zip_reader_open(&z, fd, &err);
	while (rc == 0 && (rc = zip_reader_next(&z, &e, &err)) == 0) {
		require(e.packed <= size && e.head <= size && e.name.len <= size);
		if (entries++ < ENTRIES_MAX)
			read_entry(&e, fd);
	}
	require(rc == ERR_END || (err.code == rc && err.text[0] != '\0'));
	zip_reader_release(&z);
	(void)close(fd);
	return 0;
}
