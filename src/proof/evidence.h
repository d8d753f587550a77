/*
 * What WARC files hold, read once for all who turn records into looks: `verify`, `judge` and
 * `rebuild` are sinks of one stream. It reads any WARC file, whoever wrote it, record by record;
 * responses through response_reader.h, with the body of the record that a revisit record refers to;
 * attempts wherever they stand; page tables, moments, learned rules; and compact looks, which a
 * sink takes as rows or as the records that they stand for (evidence_expand).
 *
 *	evidence_init(&table, &words, dir);
 *	evidence_reader_init(&r, &table, sink, context);
 *	for each file:
 *		rc = evidence_read(&r, &source, name, err);
 *
 * Never a body. Memory: 25 bytes for each response; the rest is in a file that has no name
 * (base/spill.h).
 */
#ifndef PROOF_EVIDENCE_H
#define PROOF_EVIDENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/progress.h"
#include "base/seen.h"
#include "base/slice.h"
#include "base/spill.h"
#include "proof/moment.h"
#include "proof/response_reader.h"
#include "warc/attempt.h"
#include "warc/compact.h"
#include "warc/warc_reader.h"

/* ---- responses by their records ---- */

/* A response or revisit record: enough to find again the state that its attempt claims. */
struct evidence {
	struct shown shown;
	/* What its attempt says of a comparison with an earlier look (attempt.h): */
	struct digest class;
	uint64_t rules; /* hash of their text, by the table's key */
	uint32_t masked;
	uint32_t rule_set;
	bool has_class, close_delimited;
	int64_t sent;       /* when its request was sent, by its attempt, ns; 0: not known */
	int64_t first_byte; /* the same */
	uint32_t capture;   /* for the sink: whose look at which page, … */
	uint32_t page;
	uint32_t attempt; /* its number in its leg */
	uint8_t leg;      /* enum attempt_leg */
	bool is_look;     /* … which can be read again */
	bool is_canary;
	uint64_t served;     /* hash of what its head says of age and origin; 0: nothing */
	uint64_t url;        /* hash of the target URI, by the table's key */
	uint64_t offset;     /* of a compact look that of its batch */
	uint64_t line;       /* hash of its line in the index, by the table's key; 0: it has none */
	uint64_t coding;     /* as attempt.coding */
	uint64_t links_at;   /* where the sketch of its links is (evidence_links) */
	int64_t date;        /* of the record */
	uint32_t links_size; /* 0: there is none */
	uint32_t look;       /* for the sink: 1 + the number that it has there */
	uint32_t file;       /* this and those that follow are numbers of words */
	uint32_t ip;         /* WARC-IP-Address; that of the empty word when there is none */
	bool sound;          /* the record could be read, and its digests match */
	bool claimed;        /* by an attempt */
	bool is_revisit;     /* its body is in another record */
	bool has_digest;     /* of its block or payload, which was checked */
	bool is_ours;        /* of a revisit: its profile is the one that we write */
	bool is_compact;     /* it is a look of a batch (warc/compact.h) */
};

/* Fields are its own, but for key and words. It may not be moved. */
struct evidence_table {
	struct hash_key key;
	struct words *words;  /* borrowed */
	struct seen ids;      /* numbers by record id */
	struct seen payloads; /* the same by digest, of responses that may be found by it */
	struct spill_pool pool;
	struct spill rows, links;
	struct err err; /* its first failure: what follows is not kept */
};

#define EVIDENCE_NONE UINT32_MAX

/* Both are borrowed; dir is for what does not fit into memory. */
void evidence_init(struct evidence_table *t, struct words *words, const char *dir);
void evidence_release(struct evidence_table *t);

static inline uint32_t evidence_count(const struct evidence_table *t)
{
	return (uint32_t)seen_count(&t->ids);
}

/* The number of a record, or EVIDENCE_NONE; ret may be NULL. */
uint32_t evidence_find(const struct evidence_table *t, slice id, struct evidence *ret);
bool evidence_get(const struct evidence_table *t, uint32_t number, struct evidence *ret);
void evidence_put(struct evidence_table *t, uint32_t number, const struct evidence *e);

/* Keeps the sketch of a record's links, and reads it: its size. */
void evidence_keep_links(struct evidence_table *t, struct evidence *e, slice links);
size_t evidence_links(const struct evidence_table *t, const struct evidence *e, void *ret);

/* Hash of what a head says of age and origin, as an attempt has it; 0 when it says nothing. */
uint64_t evidence_served(const struct evidence_table *t, const struct attempt *a);

/* Keeps what an attempt says of a comparison. */
void evidence_claim(const struct evidence_table *t, struct evidence *e, const struct attempt *a);

/* Whether an attempt of the catalog says the same of it. */
bool evidence_claims_same(
	const struct evidence_table *t, const struct evidence *e, const struct attempt *a);

/* ---- the stream ---- */

enum evidence_kind {
	EVIDENCE_BEGIN,       /* a record or gap: a sink may set skip, and read the block itself */
	EVIDENCE_END,         /* the same behind it: its problem and digests are known */
	EVIDENCE_INFO,        /* a warcinfo record */
	EVIDENCE_REQUEST,     /* a request */
	EVIDENCE_FORM,        /* a form of requests (warc/warc_request.h) */
	EVIDENCE_RESPONSE,    /* a response or revisit record, whatever its problem */
	EVIDENCE_ATTEMPT,     /* in a record of its own, or in that of its response before it */
	EVIDENCE_BAD_ATTEMPT, /* code: ERR_UNSUPPORTED, of a later version; ERR_SYNTAX */
	EVIDENCE_TABLE,       /* lines of page tables */
	EVIDENCE_MOMENT,      /* a reading of the clock */
	EVIDENCE_BAD_MOMENT,
	EVIDENCE_LEARNED,  /* what a capture has learned */
	EVIDENCE_OTHER,    /* other metadata */
	EVIDENCE_LOOKS,    /* compact looks follow */
	EVIDENCE_LOOK,     /* one of them */
	EVIDENCE_BAD_LOOK, /* code as above; ERR_UNSUPPORTED may be all of them */
};

/* What is wrong with a response. */
enum evidence_fault {
	EVIDENCE_FINE,
	EVIDENCE_NO_HTTP, /* it is no HTTP response */
	/* Of a revisit record; the record that it refers to: */
	EVIDENCE_LOST,          /* is not there */
	EVIDENCE_OTHER_PAYLOAD, /* has another payload */
	EVIDENCE_OTHER_CODING,  /* has another content coding: the same bytes mean another body */
	EVIDENCE_NOT_MODIFIED,  /* none: the server has asserted it; of is_foreign readers */
};

/* Valid for the call; texts are borrowed. */
struct evidence_item {
	enum evidence_kind kind;
	const struct warc_record *record; /* NULL: of looks that wait in a catalog */
	uint64_t offset;                  /* of the record; of a compact look that of its batch */
	slice block;                      /* of what is no response */

	/* Of a response. What the sink changes is kept, unless the record is there already. */
	struct evidence *evidence;
	const struct evidence *original; /* of a revisit record; NULL: it is not there */
	const struct evidence *known;    /* the record, if it is there already; or NULL */
	enum evidence_fault fault;

	const struct attempt *attempt;
	unsigned form; /* of its request, of an attempt in a header; 0: none */
	const struct moment *moment;
	const struct compact_look *look;
	uint64_t size; /* of its row */
	int code;
};

/* 0, ERR_END (the rest of the file is not wanted), or a failure, which ends the reading. */
typedef int evidence_sink(void *context, const struct evidence_item *item);

/* Fields are its own, but for the first ones. It may not be moved. */
struct evidence_reader {
	const char *dir;                  /* of the files: where patches find their records */
	bool is_foreign;                  /* of other tools: a revisit may be found by its digest */
	struct progress *progress;        /* NULL for none; counts bytes */
	struct response_reader responses; /* book, links, url, framed: the sink's */
	bool skip;                        /* set by a sink: the block is not wanted */
	struct warc_reader *warc;         /* may be read at EVIDENCE_BEGIN */
	struct err *err;                  /* of the call: a sink that fails fills it */

	struct evidence_table *table;
	evidence_sink *sink;
	void *context;
	slice name; /* of the file */
	uint32_t file;
	slice records;  /* of the compact look that is read, or empty */
	uint64_t batch; /* where it is, and its record */
	const struct warc_record *looks_record;
	bool is_compact; /* it is one */
	struct buf block;
	struct arena texts;
};

/* All is borrowed. */
void evidence_reader_init(struct evidence_reader *r, struct evidence_table *table,
	evidence_sink *sink, void *context);
void evidence_reader_release(struct evidence_reader *r);

/* Reads a file, whose name its evidence gets: 0, ERR_IO, ERR_NOMEM, or what the sink returned. */
int evidence_read(struct evidence_reader *r, const struct warc_source *source, slice name,
	struct err *err) SP_MUST_CHECK;

/* The same of compact looks that wait in a catalog, as if they were at that offset. */
int evidence_read_looks(struct evidence_reader *r, slice name, slice rows, uint64_t offset,
	struct err *err) SP_MUST_CHECK;

/*
 * For sinks, at EVIDENCE_LOOK: reads the records that it stands for. *ret_why: why there are none,
 * ERR_NOTFOUND and the like; or 0.
 */
int evidence_expand(
	struct evidence_reader *r, const struct compact_look *look, int *ret_why) SP_MUST_CHECK;

/* A field of a record's header, without blanks around it. */
slice evidence_field(const struct warc_record *record, slice name);

#endif
