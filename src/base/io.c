#include "base/io.h"

#include <errno.h>
#include <unistd.h>

ssize_t io_read_at(int fd, void *to, size_t len, uint64_t at)
{
	size_t have = 0;

	while (have < len) {
		ssize_t n = pread(fd, (char *)to + have, len - have, (off_t)(at + have));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		have += (size_t)n;
	}
	return (ssize_t)have;
}

int io_write(int fd, const void *from, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = write(fd, (const char *)from + done, len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n < 0 ? errno : EIO;
			return -1;
		}
		done += (size_t)n;
	}
	return 0;
}
