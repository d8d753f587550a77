/*
 * How the body of a response is read, as a number: equal numbers, and equal bodies show the same.
 * What decides is the Content-Type with its charset, the content coding, and the elements that the
 * user requires of the page. A revisit record refers only to a body that is read in the same way,
 * so that what it shows can be found again from the two records.
 */
#ifndef QUALITY_MANNER_H
#define QUALITY_MANNER_H

#include "http/state.h"

/* By its head and the number of the requirements that hold for the page; 0: none. */
uint64_t manner_of(const struct fields *head, uint64_t requirements);

/* The same with the names of its content codings (attempt.coding). */
uint64_t manner_coding(slice coding, uint64_t manner);

/* Whether all of the body passed by, so that what was read of it counts. */
static inline bool manner_is_read(const struct state_result *result)
{
	return result->whole && result->decoded && result->readable;
}

#endif
