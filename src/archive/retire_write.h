/*
 * Inside the room: a WARC file that is being written anew (retire_files.c), and how what stays in
 * it gets another record to refer to (retire_rebase.c).
 *
 * Readers of an archive go through its files once, in their order (proof/verify.h, rebuild). So
 * what is referred to always comes before what refers to it, and no file has to know where records
 * of a later one will be.
 */
#ifndef ARCHIVE_RETIRE_WRITE_H
#define ARCHIVE_RETIRE_WRITE_H

#include "archive/retire_plan.h"
#include "warc/compact.h"
#include "warc/warc_compress.h"
#include "warc/warc_reader.h"
#include "warc/warc_writer.h"

struct rewriting {
	struct retire_plan *plan;
	struct retire_file *file;
	int fd; /* of the old file */
	struct warc_reader *reader;
	struct warc_file out;
	struct warc_compress *compress;
	struct rng rng;
	struct warc_id info;   /* of the warcinfo record */
	uint64_t copied;       /* bytes of the old file that were seen to */
	struct buf block;      /* scratch */
	struct buf record;     /* the same */
	struct buf tombstones; /* block of their record */
	uint32_t tombstone_count;
	int64_t date; /* of the last one */
	struct arena arena;
	struct buf body, other, patch; /* scratch of retire_rebase.c */
	struct patch_maker patches;
};

/* Writes a record: its bytes, or an entry, whose id is new unless it has one. */
int retire_put(struct rewriting *w, slice record) SP_MUST_CHECK;
int retire_put_entry(struct rewriting *w, const struct warc_entry *entry) SP_MUST_CHECK;

/* A record of the old file is in the new one from `to` up to its end. */
void retire_move(struct rewriting *w, uint64_t from, uint64_t to, bool is_whole);

/* A kept look that the catalog has to know otherwise; its name is that of the attempt. */
int retire_note_change(struct rewriting *w, const struct attempt *a,
	const struct retire_change *change) SP_MUST_CHECK;

/* What became of a row. */
enum rebased {
	REBASED_NOT,  /* it stays as it is */
	REBASED_ROW,  /* it is another row */
	REBASED_AWAY, /* it has records of its own, which were written, and is none */
};

/* Writes a revisit record whose response is retired, with another one or with its body. */
int retire_rebase_revisit(
	struct rewriting *w, const struct warc_record *rec, struct retire_entry *to) SP_MUST_CHECK;

/* The same for a compact look. */
int retire_rebase_look(struct rewriting *w, struct compact_look *look, struct retire_entry *to,
	enum rebased *ret_how) SP_MUST_CHECK;

/* A patch against a response that stays, but may have moved. */
int retire_follow(
	struct rewriting *w, struct compact_look *look, enum rebased *ret_how) SP_MUST_CHECK;

#endif
