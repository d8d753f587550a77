/* Puts the verdicts of a finished capture into the catalog, as the report computes them. */
#ifndef ARCHIVE_JUDGING_H
#define ARCHIVE_JUDGING_H

#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "catalog/catalog.h"

/* Commits nothing. */
int judging_store(struct catalog *catalog, uint32_t capture, struct err *err) SP_MUST_CHECK;

#endif
