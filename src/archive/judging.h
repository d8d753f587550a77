/* Puts the verdicts of a finished capture into the catalog, as the report computes them. */
#ifndef ARCHIVE_JUDGING_H
#define ARCHIVE_JUDGING_H

#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "catalog/catalog.h"
#include "proof/report.h"

/* Commits nothing. also: who wants to see the observations, in the same reading, or NULL. */
int judging_store(struct catalog *catalog, uint32_t capture, const struct report_observer *also,
	struct err *err) SP_MUST_CHECK;

#endif
