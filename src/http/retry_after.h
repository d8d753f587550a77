/* The Retry-After field, RFC 9110 §10.2.3: for how long a server wants to be left alone. */
#ifndef HTTP_RETRY_AFTER_H
#define HTTP_RETRY_AFTER_H

#include <stdint.h>

#include "base/api.h"
#include "base/slice.h"

/* Longer times are given as this one; whoever uses it will have a smaller maximum. */
#define RETRY_AFTER_MAX 1e9

/*
 * Seconds from now, at least 0 (also for a date that is past): a number, of which some servers send
 * fractions, or an HTTP-date. 0 or ERR_SYNTAX; *ret_seconds is untouched then.
 */
int retry_after_parse(slice value, int64_t now_realtime_ns, double *ret_seconds) SP_MUST_CHECK;

#endif
