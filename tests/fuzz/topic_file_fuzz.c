/* Example pages of a topic, HTML or text: any bytes give a line that is a topic, or a sentence. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "archive/topic_file.h"
#include "text/topic.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINE_MAX_SIZE = 1 << 20 };

static void require(bool ok)
{
	if (!ok)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("topic", MFD_CLOEXEC);
	struct topic topic = {0};
	struct err err = {0};
	struct buf line;
	char path[64];
	int rc;

	require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	(void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	buf_init(&line, LINE_MAX_SIZE);
	rc = topic_file_read(path, &line, &err);
	require(rc == 0 || (rc == ERR_USAGE && err.text[0]));
	if (rc == 0) {
		require(line.len > 0 && !memchr(line.ptr, '\n', line.len));
		require(topic_read(&topic, buf_slice(&line), &err) == 0);
	}
	topic_release(&topic);
	buf_release(&line);
	(void)close(fd);
	return 0;
}
