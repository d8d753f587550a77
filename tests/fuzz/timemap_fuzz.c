/* TimeMaps: the first byte says in which form the rest is read; captures come out, or a sentence.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "archive/listing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

static int count(void *context, const struct listed *o, struct err *err)
{
	(void)err;
	require(o->url.ptr && o->url.len > 0);
	++*(uint64_t *)context;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct timemap_counts counts = {0};
	struct text_input in;
	struct err err = {0};
	uint64_t seen = 0;
	int fd, rc;

	if (size == 0)
		return 0;
	fd = memfd_create("timemap", MFD_CLOEXEC);
	require(fd >= 0 && write(fd, data + 1, size - 1) == (ssize_t)(size - 1));
	require(lseek(fd, 0, SEEK_SET) == 0);
	text_input_open_fd(&in, fd);
	rc = data[0] == 'j' ? timemap_read_json(&in, count, &seen, &counts, &err)
			    : timemap_read_links(&in, count, &seen, &counts, &err);
	require(rc == 0 || (err.code == rc && err.text[0] != '\0'));
	require(seen == counts.read);
	text_input_close(&in);
	return 0;
}
