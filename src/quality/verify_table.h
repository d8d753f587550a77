/*
 * The page tables of the WARC files (docs/archive.md) against the catalog. A few dozen bytes for
 * each page, and eight for each requisite.
 */
#ifndef QUALITY_VERIFY_TABLE_H
#define QUALITY_VERIFY_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "catalog/catalog.h"

/* A page, in hashes of what its lines say. */
struct verify_row {
	uint64_t found;    /* URL, kind, how and where it was found, rate */
	uint64_t decision; /* whether it was taken, and the rule */
	uint64_t plan;
	float weight;
	uint8_t content;
	bool known;   /* it has a line */
	bool planned; /* the same of the plan */
};

VEC_DECLARE(verify_rows, struct verify_row);
VEC_DECLARE(verify_edges, uint64_t); /* page << 32 | requisite */

/* That of one capture. Zero-initialise. Fields are verify_table.c's own. */
struct verify_table {
	struct verify_rows rows; /* by page */
	struct verify_edges edges;
};

void verify_table_release(struct verify_table *t);

#endif
