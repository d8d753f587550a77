/*
 * What the parts of a verification share; nobody else's business. Problems are told, failures kept
 * (verify_fail): the first one ends the verification, so nobody passes it on.
 */
#ifndef PROOF_VERIFY_RUN_H
#define PROOF_VERIFY_RUN_H

#include "proof/verify.h"
#include "warc/warc_input.h"

/* Where something was found. */
struct verify_place {
	slice file; /* "warc/NAME" */
	uint64_t offset;
};

/* Both make a copy of all they are given. url may be empty, place NULL. */
void verify_problem(struct verify *v, slice url, const struct verify_place *place, const char *fmt,
	...) SP_PRINTF(4, 5);
void verify_note(struct verify *v, slice url, const struct verify_place *place, const char *fmt,
	...) SP_PRINTF(4, 5);

/*
 * A problem that is due to the loss of a file (verify_file.loss), if there is one: 0, or 1 + the
 * number of the problem that told it.
 */
void verify_lost(struct verify *v, uint32_t loss, slice url, const struct verify_place *place,
	const char *fmt, ...) SP_PRINTF(5, 6);

/* It cannot go on: code may be 0. */
void verify_fail(struct verify *v, int code);

/*
 * Problems that follow belong to the loss of a file (verify_file.loss) until this is called with 0;
 * then each belongs to those with the same text.
 */
void verify_blame(struct verify *v, uint32_t loss);

/* The capture of that name, which is new if need be. Valid until the next new one. */
struct verify_capture *verify_find_capture(struct verify *v, slice uuid);

/* The number of a page in its capture, which is new if need be; its URL, until the next is asked.
 */
uint32_t verify_page(struct verify *v, struct verify_capture *c, slice url);
slice verify_url(struct verify *v, const struct verify_capture *c, uint32_t page);

/* What counts of a page. */
struct legs verify_legs(struct verify *v, const struct verify_capture *c, uint32_t page);
void verify_put_legs(
	struct verify *v, const struct verify_capture *c, uint32_t page, const struct legs *legs);

/* How its pages are judged. */
struct legs_terms verify_terms(const struct verify_capture *c);

/* Reads a WARC file, name being that of the catalog. verify_read.c */
struct verify_input {
	struct warc_source source; /* fd is negative when it cannot be opened: errno says why */
	slice shown;               /* "warc/NAME" */
	slice name;                /* without ".open" */
	bool is_imported;
};
void verify_read(struct verify *v, const struct verify_input *input);

/* The SHA-256 of a file against the catalog's. */
void verify_sum(struct verify *v, const struct verify_input *input);

/*
 * Reads the looks that wait in the catalog for their record, and notes how many these are: 0, or as
 * the catalog.
 */
int verify_waiting(struct verify *v, struct catalog *catalog, struct err *err) SP_MUST_CHECK;

/* A metadata record about a capture. */
struct verify_note_record {
	slice uuid;  /* the record's target: the name of the capture */
	slice block; /* borrowed */
	int64_t date;
	bool is_here; /* it is in a file that was written in this archive */
	struct verify_place place;
};

/* The capture's clock: verify_clock.c. */
void verify_clock_moment(
	struct verify *v, const struct verify_note_record *r, const struct moment *m);
void verify_clock_attempt(
	struct verify *v, const struct attempt *a, const struct verify_place *place);

/* All was read: decides whether the wall clock was set, and whether all times fit. */
void verify_clock_check(struct verify *v, struct verify_capture *c);

/* 0, or as the catalog. */
int verify_clock_compare(struct verify *v, const struct verify_capture *c, struct catalog *catalog,
	struct err *err) SP_MUST_CHECK;

/*
 * The rules by which the responses of a file were read, as the block of its warcinfo record has
 * them. verify_noise.c
 */
const struct rulebook *verify_rules_record(
	struct verify *v, slice block, const struct verify_place *place);
void verify_rules_release(struct verify *v);

/*
 * What an attempt says of a comparison with an earlier look, which is made again: verify_noise.c.
 * All is borrowed.
 */
struct verify_claim {
	const struct attempt *attempt;
	const struct evidence *evidence; /* of its response */
	uint32_t number;                 /* of that */
	const struct verify_place *place;
	const struct rulebook *book;
	slice records; /* of a compact look; else empty */
};

/* Whether it shows the same as the earlier one, as it says: false when the bodies do not. */
bool verify_claim(struct verify *v, const struct verify_claim *claim);

/* The same of rule set version 1: whether the current rules find them the same is counted. */
void verify_old_claim(
	struct verify *v, const struct verify_claim *claim, const struct observation *shown);

/* As look_find: the record with the body of a revisit record; context: the verification. */
int verify_find_original(
	void *verify, slice id, struct attempt *ret, struct err *err) SP_MUST_CHECK;

/* What was learned, and a look that it may rest on: verify_learned.c. */
void verify_learned_record(struct verify *v, const struct verify_note_record *r);
void verify_learned_look(
	struct verify *v, const struct attempt *a, uint32_t number, struct evidence *e);

/* All was read: computes it again, and applies it to the pages. */
void verify_learned_check(struct verify *v, struct verify_capture *c);

/* A record of page tables, and a capture's table against the catalog, when all was read. */
void verify_table_record(struct verify *v, slice block, const struct verify_place *place);
int verify_table_compare(struct verify *v, struct verify_capture *c, struct catalog *catalog,
	struct err *err) SP_MUST_CHECK;

/*
 * Holds the index against the records: 0, or as the catalog. While a capture is under way the index
 * need not have all of them. verify_index.c
 */
int verify_index(
	struct verify *v, const struct verify_params *params, struct err *err) SP_MUST_CHECK;

/* Holds what was read against the catalog: 0, or as the catalog. verify_compare.c */
int verify_compare(struct verify *v, struct catalog *catalog, struct err *err) SP_MUST_CHECK;

#endif
