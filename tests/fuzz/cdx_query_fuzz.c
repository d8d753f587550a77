/* Queries of the CDX server: any text is read or refused, and what was read can be asked. */
#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/clock.h"
#include "replay/cdx_query.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cdx_row row = {.line = {
				      .key = SLICE("org,example)/a"),
				      .timestamp = "20200101120000",
				      .url = SLICE("http://example.org/a"),
				      .mime = SLICE("text/html"),
				      .status = 200,
				      .has_place = true,
			      }};
	struct cdx_query q;
	struct err err = {0};
	struct buf out;
	bool past = false;
	int rc = cdx_query_parse((slice){(const char *)data, size}, &q, &err);

	if ((rc != 0) != (err.code != 0))
		abort();
	buf_init(&out, 1 << 20);
	if (rc == 0) {
		/* What is behind the key that was asked for cannot begin with it. */
		if (cdx_query_fits_key(&q, row.line.key, &past) && past && q.match != CDX_EXACT)
			abort();
		(void)cdx_query_fits(&q, &row, 1577880000 * CLOCK_NS_PER_SECOND);
		if (cdx_query_print(&q, &row, &out) || out.len == 0)
			abort();
	}
	buf_release(&out);
	cdx_query_release(&q);
	return 0;
}
