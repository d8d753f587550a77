/*
 * srcset and refresh: any bytes are read; candidates are parts of the input, in order, and keep
 * what the standard says of them.
 */
#include <stdint.h>
#include <stdlib.h>

#include "formats/link_values.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	slice in = {(const char *)data, size}, url;
	const char *at = in.ptr;
	struct srcset_candidate c;
	struct srcset s;
	uint64_t seconds;

	srcset_init(&s, in);
	while (srcset_next(&s, &c)) {
		require(c.url.len > 0 && c.url.ptr >= at && c.url.ptr + c.url.len <= in.ptr + size);
		require(!(c.has_x && (c.has_w || c.has_h)) && (!c.has_h || c.has_w));
		require((!c.has_w || c.w > 0) && (!c.has_x || c.x >= 0));
		at = c.url.ptr + c.url.len;
	}
	if (refresh_parse(in, &seconds, &url) && url.len)
		require(url.ptr >= in.ptr && url.ptr + url.len <= in.ptr + size);
	return 0;
}
