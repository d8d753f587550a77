#include "http/retry_after.h"

#include <math.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/parse.h"
#include "http/date.h"
#include "http/fields.h"

static double clamp(double seconds)
{
	return fmin(fmax(seconds, 0), RETRY_AFTER_MAX);
}

int retry_after_parse(slice value, int64_t now_realtime_ns, double *ret_seconds)
{
	double seconds;
	int64_t until;
	int rc;

	value = fields_trim(value);
	rc = parse_double(value, &seconds);
	if (rc == ERR_RANGE) /* too large for a double, in either direction */
		seconds = value.ptr[0] == '-' ? 0 : RETRY_AFTER_MAX;
	if (rc == 0 || rc == ERR_RANGE) {
		*ret_seconds = clamp(seconds);
		return 0;
	}
	if (http_date_parse_seconds(value, now_realtime_ns, &until))
		return ERR_SYNTAX;
	*ret_seconds = clamp((double)until - clock_seconds(now_realtime_ns));
	return 0;
}
