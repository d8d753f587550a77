/*
 * WARC records written anew: in another compression, or without secrets. Redaction replaces the
 * values of fields in HTTP heads that let somebody act as the one who crawled; such a record gets a
 * new length and block digest, and a field WARC-Redacted that names what was replaced. Bodies, and
 * so payload digests, stay as they are. Compact looks (warc/compact.h) become the records that
 * they stand for, or with a packer records become compact looks.
 */
#ifndef ARCHIVE_EXPORT_COPIER_H
#define ARCHIVE_EXPORT_COPIER_H

#include <stdbool.h>
#include <stdint.h>

#include "archive/export.h"
#include "base/api.h"
#include "base/err.h"
#include "base/output.h"
#include "warc/warc_input.h"

struct copier; /* opaque */

/* params are borrowed: redact, chosen, temporary. 0, ERR_IO.
 */
int copier_open(enum warc_coding coding, const struct export_params *params, struct copier **ret,
	struct err *err) SP_MUST_CHECK;
void copier_close(struct copier *r); /* NULL is fine */

/*
 * Whether a source has records that other tools do not know: compact looks. If not, *ret_damaged,
 * unless NULL, is how many of its records and gaps are damaged. 0, ERR_IO.
 */
int copier_is_needed(const struct warc_source *source, bool *ret, uint64_t *ret_damaged,
	struct err *err) SP_MUST_CHECK;

struct copier_counts {
	uint64_t redacted; /* records that were changed */
	uint64_t kept;     /* records but for warcinfo */
	uint64_t damaged;  /* records and gaps that were left out */
};

/* Hands the records of a source to emit. 0, ERR_IO, or what emit returned. */
int copier_copy(struct copier *r, const struct warc_source *source, export_emit *emit,
	void *context, struct copier_counts *counts, struct err *err) SP_MUST_CHECK;

/*
 * From now on looks become compact ones, of an output of which nothing was written yet. emit must
 * be the same in all calls; copier_end comes last, and writes what is held back.
 */
int copier_pack(struct copier *r, const struct output *out, export_emit *emit, void *context,
	struct err *err) SP_MUST_CHECK;
int copier_end(struct copier *r, struct err *err) SP_MUST_CHECK;

#endif
