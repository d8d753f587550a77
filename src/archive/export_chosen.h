/*
 * Which records belong to one capture, as the catalog knows them: its responses, the requests and
 * metadata that go with them, and the responses of earlier captures that its revisit records refer
 * to, so that nothing is without its body.
 */
#ifndef ARCHIVE_EXPORT_CHOSEN_H
#define ARCHIVE_EXPORT_CHOSEN_H

#include <stdbool.h>
#include <stdint.h>

#include "archive/export_set.h"
#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"
#include "catalog/catalog.h"
#include "warc/warc_header.h"

enum { CHOSEN_LOOK_MAX = 4096 }; /* bytes of a metadata block that are looked at */

struct chosen; /* opaque */

/* 0, ERR_NOTFOUND when there is no such capture, ERR_STATE when it is not finished, ERR_NOMEM, … */
int chosen_open(struct catalog *catalog, uint32_t capture, struct chosen **ret,
	struct err *err) SP_MUST_CHECK;
void chosen_close(struct chosen *c); /* NULL is fine */

/* Reads the files for what its revisit records refer to; needed once, before chosen_has. */
int chosen_complete(
	struct chosen *c, const struct export_params *params, struct err *err) SP_MUST_CHECK;

/* Whether a record does. start: the first bytes of its block, up to CHOSEN_LOOK_MAX. */
bool chosen_has(const struct chosen *c, const struct warc_header *h, slice start);

#endif
