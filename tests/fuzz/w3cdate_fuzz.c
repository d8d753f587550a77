/* Dates: any bytes are a date or none, and what we print of a date reads back as the same. */
#include <stdint.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "formats/w3cdate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

static void check(slice text, int (*parse)(slice, struct w3cdate *))
{
	struct w3cdate date, again;
	char printed[CLOCK_TEXT_SIZE];
	int rc = parse(text, &date);

	if (rc) {
		require(rc == ERR_SYNTAX || rc == ERR_RANGE);
		return;
	}
	require(date.precision <= W3CDATE_FRACTION);
	clock_format(date.ns, CLOCK_ROUND_DOWN, printed);
	/* A zone may carry the first and the last day over the edge of the years that are read. */
	rc = w3cdate_parse(slice_str(printed), &again);
	if (rc == ERR_RANGE)
		return;
	require(rc == 0 && again.ns <= date.ns && date.ns - again.ns < 1000000);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	slice text = {(const char *)data, size};

	check(text, w3cdate_parse);
	check(text, w3cdate_parse_rfc822);
	check(text, w3cdate_parse_any);
	return 0;
}
