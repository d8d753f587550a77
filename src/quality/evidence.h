/*
 * What the WARC files hold of responses, by record id: enough to recompute the state that an
 * attempt claims, and that of a revisit record, whose body is in the record it refers to. Never a
 * body.
 */
#ifndef QUALITY_EVIDENCE_H
#define QUALITY_EVIDENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "archive/attempt.h"
#include "base/api.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/slice.h"
#include "base/vec.h"
#include "extract/blocked.h"
#include "http/digest.h"

/* A response or revisit record. */
struct evidence {
	struct digest state;
	struct digest payload;
	struct digest body;
	/* What its attempt says of a comparison with an earlier look (attempt.h): */
	struct digest class;
	uint64_t rules; /* hash of their text, by the table's key */
	uint32_t masked;
	uint32_t rule_set;
	bool has_class;
	int64_t sent;         /* when its request was sent, by its attempt, ns; 0: not known */
	bool close_delimited; /* as in http/state.h */
	bool has_signs;       /* of an HTML body: */
	struct blocked_body signs;
	uint32_t missing;  /* number of a word: the rule whose required element is missing, or "" */
	uint32_t stand_in; /* the same: what stands in the page's place, or "" */
	uint64_t served;   /* hash of what its head says of age and origin; 0: nothing */
	uint64_t url;      /* hash of the target URI, by the table's key */
	uint64_t offset;
	uint64_t line;   /* hash of its line in the index, by the table's key; 0: it has none */
	int64_t date;    /* of the record */
	uint32_t file;   /* this and those that follow are numbers of words */
	uint32_t coding; /* names of content codings */
	uint32_t ip;     /* WARC-IP-Address; that of the empty word when there is none */
	uint16_t status;
	bool sound;         /* the record could be read, and its digests match */
	bool whole;         /* and so is the body of its response */
	bool decoded;       /* as in http/state.h */
	uint8_t coding_end; /* enum coding_end */
	bool has_state;     /* the digests above are known */
	bool claimed;       /* by an attempt */
	bool is_revisit;    /* its body is in another record */
	bool has_digest;    /* of its block, which was checked */
	bool is_ours;       /* of a revisit: its profile is the one that we write */
	bool is_indexed;    /* its line was found in the index */
	bool is_compact;    /* it is a look of a batch (archive/compact.h) */
};

VEC_DECLARE(evidence_vec, struct evidence);

/* Fields are its own, but for the list, which may be read. */
struct evidence_table {
	struct hash_key key;
	struct strmap ids;
	struct evidence_vec list;
};

/* Ids are copied into the arena, which is borrowed. */
void evidence_init(struct evidence_table *t, struct arena *arena);
void evidence_release(struct evidence_table *t);

/* 0, ERR_EXISTS when the id is there already, ERR_NOMEM, ERR_LIMIT. */
int evidence_add(struct evidence_table *t, slice id, const struct evidence *e) SP_MUST_CHECK;

/* Valid until the next evidence_add; NULL when there is none. */
struct evidence *evidence_find(const struct evidence_table *t, slice id);

/* Hash of what a head says of age and origin, as an attempt has it; 0 when it says nothing. */
uint64_t evidence_served(const struct evidence_table *t, const struct attempt *a);

/* Keeps what an attempt says of a comparison. */
void evidence_claim(const struct evidence_table *t, struct evidence *e, const struct attempt *a);

/* Whether an attempt of the catalog says the same of it. */
bool evidence_claims_same(
	const struct evidence_table *t, const struct evidence *e, const struct attempt *a);

#endif
