/*
 * A moment of a capture ("start", "stillpoint", …) as the block of a metadata record
 * (docs/archive.md): the clocks then, and, where a process begins, whose capture it is and by which
 * settings. So a catalog's row of the capture can be made anew from its moments.
 */
#ifndef PROOF_MOMENT_H
#define PROOF_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/slice.h"
#include "catalog/catalog.h"

/* Strings are in the arena that it was read into; ptr is NULL for what is not there. */
struct moment {
	struct catalog_clock clock;
	bool is_exact; /* to the nanosecond; those of earlier versions are not */
	enum catalog_end ended_by;
	int64_t addresses; /* as catalog_capture; CATALOG_NO_ADDRESSES when it is not told */

	/* Where a process begins. */
	slice site, strategy;
	uint32_t number; /* of the capture in its archive; 0: of an earlier version */
	int64_t started; /* wall, ns; the same */
};

/* Appends the block: 0, or as buf_add. Of the settings as many as there is room for. */
int moment_format(struct buf *out, const struct catalog_capture *capture,
	const struct catalog_clock *k) SP_MUST_CHECK;

/*
 * Reads a block; date is that of its record. 0, ERR_NOTFOUND when it is about something else,
 * ERR_SYNTAX, ERR_NOMEM.
 */
int moment_parse(slice block, int64_t date, struct arena *arena, struct moment *ret) SP_MUST_CHECK;

/*
 * Appends the settings of a block as the catalog has them. *ret_cut: there was no room for all. 0,
 * or as buf_add.
 */
int moment_settings(slice block, struct buf *out, bool *ret_cut) SP_MUST_CHECK;

#endif
