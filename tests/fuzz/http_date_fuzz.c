/*
 * Dates of HTTP: any bytes are a date or none, and a date that is printed as servers print it reads
 * back as the same. Retry-After is a time that is neither negative nor too long.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/err.h"
#include "formats/http_date.h"

#define NOW (INT64_C(1780000000) * CLOCK_NS_PER_SECOND)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

static void check_again(int64_t seconds)
{
	time_t t = (time_t)seconds;
	char printed[64];
	int64_t again;
	struct tm tm;
	size_t len;

	require(gmtime_r(&t, &tm) != NULL);
	if (tm.tm_year + 1900 > 9999) /* a leap second or 24:00 at the very end */
		return;
	len = strftime(printed, sizeof printed, "%a, %d %b ", &tm);
	(void)snprintf(printed + len, sizeof printed - len, "%04d %02d:%02d:%02d GMT",
		tm.tm_year + 1900, tm.tm_hour, tm.tm_min, tm.tm_sec);
	require(http_date_parse_seconds(slice_str(printed), NOW, &again) == 0 && again == seconds);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	slice text = {(const char *)data, size};
	int64_t seconds = 0;
	double wait = 0;
	int rc = http_date_parse_seconds(text, NOW, &seconds);

	require(rc == 0 || rc == ERR_SYNTAX || rc == ERR_RANGE);
	if (rc == 0)
		check_again(seconds);
	if (retry_after_parse(text, NOW, &wait) == 0)
		require(wait >= 0 && wait <= RETRY_AFTER_MAX);
	return 0;
}
