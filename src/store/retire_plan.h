/*
 * Inside the room: what a retirement is about (retire.h). retire.c chooses looks by the catalog,
 * retire_scan.c reads in the WARC files what refers to them, retire_files.c writes these anew.
 */
#ifndef STORE_RETIRE_PLAN_H
#define STORE_RETIRE_PLAN_H

#include "archive/attempt.h"
#include "archive/warc_id.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/lists.h"
#include "base/vec.h"
#include "store/retire.h"

#define RETIRE_NONE UINT32_MAX

/* A look that is to be retired, unless kept. */
struct retire_entry {
	uint32_t capture, page, version;
	unsigned number;
	enum attempt_leg leg;
	bool kept;
	bool has_record, has_metadata; /* found in a complete file; a compact look is both */
	bool has_state;
	struct digest state, payload;
};

/* A record of an entry, or of none, that refers to the response of an entry. */
struct retire_reference {
	uint32_t from, to;
};

VEC_DECLARE(retire_entries, struct retire_entry);
VEC_DECLARE(retire_references, struct retire_reference);
VEC_DECLARE(retire_moves, struct catalog_move);

struct retire_file {
	const char *name;
	bool complete;
	bool affected;             /* has to be written anew */
	struct u32_vec entries;    /* that have records in it */
	struct u32_vec patched;    /* files that its patches are against */
	struct retire_moves moves; /* by the old offset */
	uint64_t size;
	char new_name[WARC_NAME_MAX + 1];
	uint64_t new_size;
	struct digest digest; /* of the new one */
};

VEC_DECLARE(retire_files, struct retire_file);

struct retire_plan {
	const struct retire_params *p;
	struct arena arena;
	struct retire_entries entries;
	struct strmap by_id; /* record → entry */
	struct retire_references references;
	struct retire_files files; /* in the order in which they were written */
	struct strmap by_name;     /* → file */
	struct err *err;
};

/* The entry of a record by its name, with angle brackets: RETIRE_NONE when it has none. */
uint32_t retire_find(const struct retire_plan *plan, slice id);

/* Reads all files: what is where, and what refers to it. */
int retire_scan(struct retire_plan *plan) SP_MUST_CHECK;

/* Writes a file anew, under new_name, synced. The files that its patches are against come first. */
int retire_write(struct retire_plan *plan, struct retire_file *file) SP_MUST_CHECK;

#endif
