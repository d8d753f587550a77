/*
 * Where two views differ. Whether they do is exact; which items are set against each other is a
 * good guess, found within a bounded number of steps.
 */
#ifndef QUALITY_CHANGE_DIFF_H
#define QUALITY_CHANGE_DIFF_H

#include "quality/change.h"

/* Fills differs of c, at most CHANGE_DIFFERS_MAX; none when the views are equal. 0 or ERR_NOMEM. */
int change_diff(struct change *c, const struct view *a, const struct view *b) SP_MUST_CHECK;

#endif
