#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
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

/* At an offset, or where the file's position is (NULL). */
static int write_all(int fd, const char *from, size_t len, const uint64_t *at)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = at ? pwrite(fd, from + done, len - done, (off_t)(*at + done))
			       : write(fd, from + done, len - done);

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

int io_write_at(int fd, const void *from, size_t len, uint64_t at)
{
	return write_all(fd, from, len, &at);
}

int io_write(int fd, const void *from, size_t len)
{
	return write_all(fd, from, len, NULL);
}
