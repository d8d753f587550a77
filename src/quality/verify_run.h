/* What the parts of a verification share; nobody else's business. */
#ifndef QUALITY_VERIFY_RUN_H
#define QUALITY_VERIFY_RUN_H

#include "archive/compact.h"
#include "quality/verify.h"

/* Where something was found. */
struct verify_place {
	slice file; /* "warc/NAME" */
	uint64_t offset;
};

/* Both make a copy of all they are given. url may be empty, place NULL. 0 or ERR_NOMEM. */
int verify_problem(struct verify *v, slice url, const struct verify_place *place, const char *fmt,
	...) SP_PRINTF(4, 5) SP_MUST_CHECK;
int verify_note(struct verify *v, slice url, const struct verify_place *place, const char *fmt, ...)
	SP_PRINTF(4, 5) SP_MUST_CHECK;

/*
 * Problems that follow belong to the loss of a file (verify_file.loss) until this is called with 0;
 * then each belongs to those with the same text.
 */
void verify_blame(struct verify *v, uint32_t loss);

/* The capture of that name, which is new if need be: 0 or ERR_NOMEM. */
int verify_find_capture(struct verify *v, slice uuid, struct verify_capture **ret) SP_MUST_CHECK;

/* How its pages are judged. */
struct legs_terms verify_terms(const struct verify_capture *c);

/* Reads a WARC file, name being that of the catalog: 0, ERR_NOMEM. verify_read.c */
struct verify_input {
	const char *path;
	slice shown; /* "warc/NAME" */
	slice name;  /* without ".open" */
};
int verify_read(struct verify *v, const struct verify_input *input, struct progress *progress,
	struct err *err) SP_MUST_CHECK;

/*
 * Calls with the records of each look of a batch, and tells what cannot be read: 0, ERR_NOMEM, or
 * what call returned. verify_compact.c
 */
struct verify_batch {
	const char *path; /* of a file; others of its directory have the bodies of patches */
	slice block;
	struct verify_place place;
};
typedef int verify_on_records(void *context, const struct compact_look *look, slice records);
int verify_looks(struct verify *v, const struct verify_batch *batch, verify_on_records *call,
	void *context) SP_MUST_CHECK;

/* Reads looks as if a record of that file had them: 0, ERR_NOMEM, ERR_IO. verify_read.c */
int verify_read_looks(struct verify *v, const struct verify_input *input, slice block,
	const struct verify_place *place) SP_MUST_CHECK;

/*
 * Reads the looks that wait in the catalog for their record, and notes how many these are: 0,
 * ERR_NOMEM, as the catalog. verify_compact.c
 */
int verify_waiting(struct verify *v, const char *warc_dir, struct catalog *catalog,
	struct err *err) SP_MUST_CHECK;

/*
 * The capture's clock: verify_clock.c. All return 0 or ERR_NOMEM, besides what the catalog says. A
 * metadata record that is no reading of the clock is left alone.
 */
struct verify_clock_record {
	slice uuid;  /* the record's target: the name of the capture */
	slice block; /* borrowed */
	int64_t date;
	struct verify_place place;
	struct arena *scratch;
};
int verify_clock_moment(struct verify *v, const struct verify_clock_record *r) SP_MUST_CHECK;
int verify_clock_attempt(
	struct verify *v, const struct attempt *a, const struct verify_place *place) SP_MUST_CHECK;

/* All was read: decides whether the wall clock was set, and whether all times fit. */
int verify_clock_check(struct verify *v, struct verify_capture *c) SP_MUST_CHECK;
int verify_clock_compare(struct verify *v, const struct verify_capture *c, struct catalog *catalog,
	struct err *err) SP_MUST_CHECK;

/*
 * The rules by which the responses of a file were read, as the block of its warcinfo record has
 * them: 0 or ERR_NOMEM. verify_rules.c
 */
int verify_rules_record(struct verify *v, slice block, const struct verify_place *place,
	const struct rulebook **ret) SP_MUST_CHECK;
void verify_rules_release(struct verify *v);

/*
 * What an attempt says of a comparison with an earlier look, which is made again: verify_noise.c.
 * All is borrowed. 0 or ERR_NOMEM.
 */
struct verify_claim {
	const struct attempt *attempt;
	const struct evidence *evidence; /* of its response */
	const struct verify_place *place;
	const struct rulebook *book;
	const char *path; /* of the file, or of its directory with a slash behind it */
	slice records;    /* of a compact look; else empty */
};

/* That it shows the same as the earlier one; *ret is false when the bodies do not show that. */
int verify_claim(struct verify *v, const struct verify_claim *claim, bool *ret) SP_MUST_CHECK;

/* The same of rule set version 1: whether the current rules find them the same is counted. */
int verify_old_claim(struct verify *v, const struct verify_claim *claim,
	const struct observation *shown) SP_MUST_CHECK;

/* As look_find: the record with the body of a revisit record; context: the verification. */
int verify_find_original(
	void *verify, slice id, struct attempt *ret, struct err *err) SP_MUST_CHECK;

/*
 * What was learned: verify_learned.c. All return 0 or ERR_NOMEM. A metadata record that is about
 * something else is left alone; the look is that of an attempt whose response is e, or NULL.
 */
int verify_learned_record(struct verify *v, const struct verify_clock_record *r) SP_MUST_CHECK;
int verify_learned_look(
	struct verify *v, const struct attempt *a, const struct evidence *e) SP_MUST_CHECK;

/* All was read: computes it again, and applies it to the pages. */
int verify_learned_check(
	struct verify *v, struct verify_capture *c, const char *warc_dir) SP_MUST_CHECK;

/*
 * A record of page tables, and a capture's table against the catalog, when all was read:
 * verify_table.c. 0 or ERR_NOMEM; the second also as the catalog.
 */
int verify_table_record(struct verify *v, slice block, const struct verify_place *place,
	struct arena *scratch) SP_MUST_CHECK;
int verify_table_compare(struct verify *v, struct verify_capture *c, struct catalog *catalog,
	struct err *err) SP_MUST_CHECK;

/* The SHA-256 of a file against the catalog's: 0 or ERR_NOMEM. verify_read.c */
int verify_sum(struct verify *v, const struct verify_input *input) SP_MUST_CHECK;

/*
 * Holds the index against the records: 0, ERR_NOMEM, as the catalog. While a capture is under way
 * the index need not have all of them. verify_index.c
 */
int verify_index(
	struct verify *v, const struct verify_params *params, struct err *err) SP_MUST_CHECK;

/* Holds what was read against the catalog: 0, ERR_NOMEM, as the catalog. verify_compare.c */
int verify_compare(struct verify *v, struct catalog *catalog, struct err *err) SP_MUST_CHECK;

#endif
