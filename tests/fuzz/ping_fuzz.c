/* Forms of pings: what is read of any bytes is lines, and no more of them than there may be. */
#include <stdint.h>
#include <stdlib.h>

#include "crawl/watch_daemon.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t lines = 0;
	struct buf urls;
	int rc;

	if (size > PING_BODY_MAX)
		return 0;
	buf_init(&urls, PING_BODY_MAX + PING_URLS_MAX + 1);
	rc = ping_parse((slice){(const char *)data, size}, &urls);
	for (size_t i = 0; i < urls.len; i++)
		lines += urls.ptr[i] == '\n';
	if (rc == 0 && (lines == 0 || lines > PING_URLS_MAX || urls.ptr[urls.len - 1] != '\n'))
		abort();
	if (rc && rc != ERR_SYNTAX && rc != ERR_LIMIT)
		abort();
	buf_release(&urls);
	return 0;
}
