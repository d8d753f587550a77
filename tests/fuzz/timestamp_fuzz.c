/* Times as users write them: any text is read or refused, and what is read is a range. */
#include <stdint.h>
#include <stdlib.h>

#include "base/timestamp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct timestamp t = {0}, again = {0};
	char digits[TIMESTAMP_SIZE];

	if (timestamp_read((slice){(const char *)data, size}, 0, &t))
		return 0;
	if (t.first > t.last)
		abort();
	if (t.last == INT64_MIN || t.last == INT64_MAX)
		return 0;
	/* Written as digits it is the same millisecond. */
	timestamp_format(t.last, TIMESTAMP_DIGITS_MAX, digits);
	if (timestamp_parse(slice_str(digits), &again) ||
		(again.last != INT64_MIN && again.last != INT64_MAX &&
			(again.first > t.last || again.last < t.last)))
		abort();
	return 0;
}
