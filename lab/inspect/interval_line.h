/*
 * A line of JSON (RFC 8259) that says what visits to a page saw:
 *
 *	{"intervals": [[30, true], [7.5, false], [1, 0]]}
 *
 * Each element is a length, in any unit, and whether the page had changed at its end: true, false,
 * or a number (0: no). Other keys are skipped, of two "intervals" the last one counts.
 */
#ifndef INSPECT_INTERVAL_LINE_H
#define INSPECT_INTERVAL_LINE_H

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"
#include "plan/rate_estimate.h"

/*
 * Puts the line's intervals in place of what is in the list. ERR_SYNTAX, ERR_RANGE for a number
 * that no double holds, ERR_LIMIT for what is nested too deeply, ERR_NOMEM; err says what and at
 * which byte. The list is the caller's to release in every case.
 */
int rate_interval_line(slice line, struct rate_intervals *out, struct err *err) SP_MUST_CHECK;

#endif
