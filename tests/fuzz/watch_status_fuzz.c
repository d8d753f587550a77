/* The status of a watch: what is read is written as a text that reads the same. */
#include <stdint.h>
#include <stdlib.h>

#include "crawl/watch_status.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct watch_status s, again;
	struct buf one, other;

	watch_status_init(&s);
	watch_status_init(&again);
	buf_init(&one, 1 << 24);
	buf_init(&other, 1 << 24);
	if (watch_status_parse(&s, (slice){(const char *)data, size}) == 0) {
		if (watch_status_format(&s, &one) || watch_status_parse(&again, buf_slice(&one)) ||
			watch_status_format(&again, &other) ||
			!slice_eq(buf_slice(&one), buf_slice(&other)))
			abort();
	}
	buf_release(&one);
	buf_release(&other);
	watch_status_release(&s);
	watch_status_release(&again);
	return 0;
}
