/*
 * All looks at all pages that two archives hold: one for each response or revisit record that HTTP
 * gave. Never a body: about 300 bytes for each look, and each URL once.
 */
#ifndef JUDGE_LOOKS_H
#define JUDGE_LOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/slice.h"
#include "base/vec.h"
#include "extract/blocked.h"
#include "http/digest.h"
#include "quality/verdict.h"
#include "quality/words.h"

/* From which archive. */
enum judge_side { JUDGE_FIRST, JUDGE_SECOND };

struct judge_look {
	int64_t date;                   /* of its record, ns */
	int64_t begin, end;             /* within which the server was asked and answered, ns */
	int64_t clock_begin, clock_end; /* monotonic, where an exact look has them */
	int64_t modified;               /* Last-Modified, ns; 0: none */
	uint64_t offset;                /* of its record */
	struct digest state; /* http/state.h; what a revisit record shows, once it is resolved */
	struct digest class; /* archive/attempt.h, if has_class */
	uint64_t head;       /* hash of Content-Type and Location; 0: it cannot be compared */
	uint64_t body_at;    /* where its body is kept for comparing, if has_body */
	uint64_t body_size;
	struct digest payload;
	struct digest body;
	uint32_t page;
	uint32_t original; /* of a revisit record that is resolved: the look that has its body */
	uint32_t file;     /* this and those that follow are numbers of words */
	uint32_t rules;    /* as attempt.rules */
	uint32_t missing;  /* the rule whose required element is missing, or "" */
	uint32_t stand_in; /* what stands in the page's place (extract/stand_in.h), or "" */
	uint32_t media_type;
	uint32_t content_type; /* all of the field */
	uint32_t coding;
	uint32_t etag;
	uint32_t caches;
	uint32_t masked;
	uint32_t rule_set;
	uint32_t age;              /* seconds, if has_age */
	struct blocked_body signs; /* of its HTML body, if has_signs */
	uint16_t status;
	uint8_t side;         /* enum judge_side */
	uint8_t coding_end;   /* enum coding_end */
	bool exact;           /* times are those of the request, not of a date */
	bool dropped;         /* not a look at the page: the answer to a POST */
	bool is_revisit;      /* its body is in another record */
	bool resolved;        /* … which was found; true for responses */
	bool sound;           /* the record could be read, and its digests match */
	bool whole;           /* and so is the body */
	bool decoded;         /* http/state.h */
	bool close_delimited; /* the same */
	bool has_class;
	bool wants_body; /* it is to be compared by its body */
	bool has_body;
	bool names_requisites; /* its body does */
	bool has_age;
	bool has_signs;
};

VEC_DECLARE(judge_look_vec, struct judge_look);

/* That a look at a page named a requisite. */
struct judge_edge {
	uint32_t look;
	uint32_t requisite; /* number of a page */
};

VEC_DECLARE(judge_edge_vec, struct judge_edge);

/* Fields may be read. */
struct judge_looks {
	struct judge_look_vec list;
	struct judge_edge_vec edges;
	struct words pages;     /* URLs, by number */
	struct words words;     /* names of files, media types … */
	struct strmap ids;      /* of records → look */
	struct strmap payloads; /* stated digests of responses → look */
	struct arena arena;
};

void judge_looks_init(struct judge_looks *l);
void judge_looks_release(struct judge_looks *l);

/*
 * Adds the look of a record. 0, ERR_EXISTS when the record is there already (the same file, or a
 * copy of it, was given twice), ERR_NOMEM, ERR_LIMIT.
 */
int judge_looks_add(struct judge_looks *l, slice id, const struct judge_look *look) SP_MUST_CHECK;

/* The look of a record, or NULL; valid until the next one is added. */
struct judge_look *judge_looks_find(const struct judge_looks *l, slice id);

/* Notes, and finds, a response by the payload digest that it states ("sha1:…", any spelling). */
int judge_looks_note_payload(struct judge_looks *l, slice stated, uint32_t look) SP_MUST_CHECK;
const struct judge_look *judge_looks_by_payload(const struct judge_looks *l, slice stated);

/* What it shows of its page, for quality/verdict.h. */
struct observation judge_look_observe(const struct judge_looks *l, const struct judge_look *look);

#endif
