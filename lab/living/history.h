/*
 * A recorded history, as a version control system has it: when which file was added, modified or
 * deleted. Each line is
 *
 *	UNIX_SECONDS <TAB> COMMIT <TAB> A|M|D <TAB> PATH
 *
 * Files become pages. Their directories become pages too, which list what is in them at the moment
 * and so change whenever something appears or disappears; "/" is the page to start from.
 */
#ifndef LIVING_HISTORY_H
#define LIVING_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "living/change.h"
#include "living/layout.h"
#include "living/params.h"

struct recording;

/*
 * Reads params->history. Recorded times become times of the site: the recorded time history_from
 * is its start, and time_scale recorded seconds pass in one second. *ret_rates gets the mean rates
 * after the start; the caller frees it. On failure nothing is made: ERR_IO, ERR_SYNTAX with the
 * line's number, ERR_LIMIT, ERR_NOMEM.
 */
int recording_load(const struct living_params *params, struct layout *ret_layout,
	struct recording **ret_recording, double **ret_rates, struct err *err) SP_MUST_CHECK;

/* NULL is fine. */
void recording_free(struct recording *r);

/* The changes of a page, ascending. */
const struct recorded_change *recording_of(
	const struct recording *r, uint32_t page, size_t *ret_len);

#endif
