/*
 * ZipNum: whatever the index of blocks says and the blocks hold, lines come out that are not below
 * what was asked for, or a sentence. The first two bytes are the lengths of what is searched for
 * and of the index, which come next; the rest is the file of blocks.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "warc/zipnum.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { DATA_MAX = 4096 }; /* each line of the index may have all of it unpacked */

static void require(bool ok)
{
	if (!ok)
		abort();
}

static int make_file(slice bytes)
{
	int fd = memfd_create("zipnum", MFD_CLOEXEC);

	require(fd >= 0 && write(fd, bytes.ptr, bytes.len) == (ssize_t)bytes.len);
	return fd;
}

static void read_all(int blocks, int index, slice from)
{
	struct zipnum_reader *r = NULL;
	struct err err = {0};
	slice line;
	int rc = zipnum_reader_open(blocks, index, from, &r, &err);

	while (rc == 0 && (rc = zipnum_reader_next(r, &line, &err)) == 0)
		require(line.len > 0 && cdxj_compare(line, from) >= 0);
	require(rc == ERR_END || ((rc == ERR_SYNTAX || rc == ERR_LIMIT) && err.text[0] != '\0'));
	zipnum_reader_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	slice input = {(const char *)data, size}, from, index;
	int fds[2];

	if (size < 2)
		return 0;
	from = slice_sub(input, 2, 2 + (size_t)data[0]);
	index = slice_sub(input, 2 + from.len, 2 + from.len + data[1]);
	input = slice_sub(input, 2 + from.len + index.len, size);
	fds[0] = make_file(slice_sub(input, 0, DATA_MAX));
	fds[1] = make_file(index);
	read_all(fds[0], fds[1], from);
	(void)close(fds[0]);
	(void)close(fds[1]);
	return 0;
}
