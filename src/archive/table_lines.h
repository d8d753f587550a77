/*
 * The page table that captures leave in the WARC files (docs/archive.md, "The page table"): lines
 * of the rows that a lane adds to its batches (catalog/catalog_line.h), gathered until the next
 * commit, and written before it. So whatever the catalog has, the WARC files have as well.
 */
#ifndef ARCHIVE_TABLE_LINES_H
#define ARCHIVE_TABLE_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/slice.h"
#include "catalog/catalog.h"

enum {
	TABLE_LINES_FULL = 256 << 10, /* bytes that make a record due */
	/* A line may come on top: at most that of a robots.txt, three bytes for each of its. */
	TABLE_LINES_MAX = TABLE_LINES_FULL + (2 << 20),
	TABLE_LINES_WAIT =
		16 << 10, /* lines of the plan alone wait until there are as many bytes */
};

/* Fields may be read. */
struct table_lines {
	struct buf text;  /* head and lines; empty when there are none */
	uint32_t capture; /* whose lines came last */
	bool urgent;      /* there are lines that must not be lost: all but those of the plan */
};

void table_lines_init(struct table_lines *t);
void table_lines_release(struct table_lines *t);

/* Adds the line of a row, if its kind has one. uuid is its capture's. 0, ERR_LIMIT. */
int table_lines_add(struct table_lines *t, slice uuid, const struct catalog_row *row) SP_MUST_CHECK;

/* Whether a record should be written, now that there is a commit. */
static inline bool table_lines_is_due(const struct table_lines *t)
{
	return t->text.len > 0 && (t->urgent || t->text.len >= TABLE_LINES_WAIT);
}

/* All lines were written. */
void table_lines_reset(struct table_lines *t);

#endif
