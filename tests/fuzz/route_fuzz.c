/* Targets of the replay server: any bytes are read or refused; timestamps are ranges. */
#include <stdint.h>
#include <stdlib.h>

#include "replay/asked.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct route r = {0};
	struct err err = {0};
	int rc = route_parse((slice){(const char *)data, size}, &r, &err);

	if ((rc != 0) != (err.code != 0))
		abort();
	if (rc == 0 && r.digits.len && r.time.first > r.time.last)
		abort();
	if (rc == 0 &&
		(r.kind == ROUTE_MEMENTO || r.kind == ROUTE_COMPOSITE || r.kind == ROUTE_TIMEGATE ||
			r.kind == ROUTE_SAID_TIME || r.kind == ROUTE_TIMEMAP) &&
		r.url.len == 0)
		abort();
	return 0;
}
