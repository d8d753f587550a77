/* Bodies of POST as queries: any bytes give a query that begins with its method. */
#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"
#include "warc/warc_request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const slice TYPES[] = {SLICE_INIT("application/json"),
		SLICE_INIT("application/x-www-form-urlencoded"), SLICE_INIT("text/plain")};
	slice body = {(const char *)data, size};

	for (size_t i = 0; i < sizeof TYPES / sizeof TYPES[0]; i++) {
		struct buf query, key;
		int rc;

		buf_init(&query, POST_QUERY_MAX);
		buf_init(&key, 4 * POST_QUERY_MAX);
		rc = post_query_add(&query, SLICE("POST"), TYPES[i], body);
		if (rc == 0 && !slice_starts_with(buf_slice(&query), SLICE("__wb_method=POST")))
			abort();
		if (rc == 0)
			rc = post_query_key(&key, SLICE("http://example.org/"), buf_slice(&query));
		(void)rc;
		buf_release(&query);
		buf_release(&key);
	}
	return 0;
}
