/*
 * All looks at all pages that two archives hold: one for each response or revisit record that HTTP
 * gave. Never a body: about 300 bytes for each look, and each URL once.
 */
#ifndef PROOF_JUDGE_LOOKS_H
#define PROOF_JUDGE_LOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/lists.h"
#include "base/slice.h"
#include "base/vec.h"
#include "proof/evidence.h"
#include "proof/quality_words.h"
#include "proof/verdict.h"

/* From which archive. */
enum judge_side { JUDGE_FIRST, JUDGE_SECOND };

struct judge_look {
	slice id;                       /* of its record */
	int64_t date;                   /* of its record, ns */
	int64_t begin, end;             /* within which the server was asked and answered, ns */
	int64_t clock_begin, clock_end; /* monotonic, where an exact look has them */
	int64_t modified;               /* Last-Modified, ns; 0: none */
	uint64_t offset;                /* of its record */
	struct shown shown;             /* of a revisit record, once it is resolved */
	struct digest class;            /* warc/attempt.h, if has_class */
	uint64_t head;    /* hash of Content-Type and Location; 0: it cannot be compared */
	uint64_t body_at; /* where its body is kept for comparing, if has_body */
	uint64_t body_size;
	uint32_t page;
	uint32_t original; /* of a revisit record that is resolved: the look that has its body */
	uint32_t file;     /* this and those that follow are numbers of words */
	uint32_t rules;    /* as attempt.rules */
	uint32_t media_type;
	uint32_t content_type; /* all of the field */
	uint32_t etag;
	uint32_t caches;
	uint32_t masked;
	uint32_t rule_set;
	uint32_t age;    /* seconds, if has_age */
	uint8_t side;    /* enum judge_side */
	bool exact;      /* times are those of the request, not of a date */
	bool dropped;    /* not a look at the page: the answer to a POST */
	bool is_revisit; /* its body is in another record */
	bool resolved;   /* … which was found; true for responses */
	bool sound;      /* the record could be read, and its digests match */
	bool has_class;
	bool wants_body; /* it is to be compared by its body */
	bool has_body;
	bool names_requisites; /* its body does */
	bool has_age;
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
	struct words pages;             /* URLs, by number */
	struct words words;             /* names of files, media types … */
	struct evidence_table evidence; /* their records */
	struct arena arena;
};

/* tmp_dir is for what does not fit into memory. It may not be moved. */
void judge_looks_init(struct judge_looks *l, const char *tmp_dir);
void judge_looks_release(struct judge_looks *l);

/* The look of a record, or NULL; valid until the next one is added. */
struct judge_look *judge_looks_find(const struct judge_looks *l, slice id);

/* Those that count, by page and time. is_usable: only those that show a page that is there. */
void judge_looks_sort(const struct judge_looks *l, bool is_usable, struct u32_vec *ret);

/* What it shows of its page, for proof/verdict.h. */
struct observation judge_look_observe(const struct judge_looks *l, const struct judge_look *look);

#endif
