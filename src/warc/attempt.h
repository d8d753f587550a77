/*
 * An attempt to fetch a page and what it showed, as the metadata of a record has it; whether two of
 * them show the same.
 */
#ifndef WARC_ATTEMPT_H
#define WARC_ATTEMPT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include "formats/http_digest.h"
#include "formats/http_fields.h"

/* ---- attempts ---- */

/*
 * An attempt: one request for a page and what came of it, as the archive stores it. What came over
 * the wire is a struct net_fetch (net/net.h); the crawler makes an attempt of it, store_attempt
 * writes its records, and the catalog keeps it as an observation. Each attempt has a metadata
 * record in the WARC (application/warc-fields), so that whatever is claimed of a capture can be
 * checked from the WARC files alone. docs/archive.md lists the fields.
 *
 * To store another field:
 *	- add a member to struct attempt, and fill it where the crawler describes a fetch
 *	  (crawl/response.c);
 *	- for the WARC: add a row to ROWS in attempt.c;
 *	- for the catalog: add a line to OBSERVATION (catalog/catalog_sql.c), and the
 *	  column to catalog_schema.c;
 *	- a slice that is not in ROWS: add it to OTHER_TEXTS in attempt.c, or it is not copied.
 */

/* In which pass; the values are stored. */
enum attempt_leg {
	ATTEMPT_VISIT = 0,
	ATTEMPT_REVISIT = 1,
	ATTEMPT_LATE = 2,  /* found after the barrier, or single visits only after the end */
	ATTEMPT_SIDE = 3,  /* robots.txt, sitemaps: archived, not judged */
	ATTEMPT_PROBE = 4, /* a further look at a page, for a purpose: it has no verdict */
	ATTEMPT_LOOK = 5,  /* at a page that is watched: there are no legs, and no still point */
	ATTEMPT_LEGS,
};

/* What a request was for, if for more than its leg says. The archive has the words. */
enum attempt_purpose {
	PURPOSE_NONE,
	PURPOSE_NOISE, /* of probes: this to session */
	PURPOSE_CANARY,
	PURPOSE_VARIANT,
	PURPOSE_LANGUAGE,
	PURPOSE_CLOAKING,
	PURPOSE_SESSION,
	PURPOSE_COOKIES, /* a look that was sent with cookies */
	PURPOSE_POST,    /* a page that is asked by POST */
	PURPOSE_AUDIT,   /* a look that measures how fresh the archive is */
	/* A second visit behind a cookie gate: "cookie: NAME" (crawl/sessions.h). */
	PURPOSE_COOKIE_GATE,
	PURPOSE_OTHER, /* of a later version */
	PURPOSES,
};

/* The word of the archive, without the name of a cookie; constant. Not of none and other. */
slice attempt_purpose_word(enum attempt_purpose purpose);

/* Failures that are decisions of ours, by the word before their colon. */
enum attempt_failure {
	FAILURE_OTHER, /* or none */
	FAILURE_HOURS, /* put off, to revisit before the hours are over */
	FAILURE_SLOW,  /* ended or put off, since it held up the others */
	FAILURE_ABORTED,
	FAILURE_HOST_DOWN,
	FAILURE_DNS,
	FAILURES,
};

/* The word; constant. Not of others. */
slice attempt_failure_word(enum attempt_failure failure);
enum attempt_failure attempt_failure(slice text);

/* "visit", "revisit", "late", "side", "probe", "look"; constant. */
const char *attempt_leg_name(enum attempt_leg leg);

/* Nanoseconds; 0 for what did not happen. */
struct attempt_times {
	int64_t sent;       /* just before the first byte of the request could leave */
	int64_t first_byte; /* of the response */
	int64_t last_byte;  /* of the response; of a failure, when it was noticed */
};

/* The response record that has the body of a revisit record, or that a patch is against. */
struct attempt_original {
	slice record; /* its id, with angle brackets */
	slice url;
	int64_t date;
	slice file;      /* where it is, if that is known: for patches */
	uint64_t offset; /* the same */
};

/* The Age of a response, if it has one. */
struct attempt_age {
	bool known;
	unsigned seconds;
};

/* All slices are borrowed; ptr is NULL for what is not there. */
struct attempt {
	uint32_t page; /* number of the page, or CATALOG_NO_PAGE; then url says what it was */
	enum attempt_leg leg;
	unsigned number; /* of the attempts at this page in this leg, from 1 */
	unsigned status; /* of the HTTP response; 0 when there was none */
	slice capture;   /* "urn:uuid:…" */
	slice url;
	slice purpose; /* the word of an attempt_purpose */
	slice post;    /* the body that was sent by POST; none when it was GET */
	slice target;  /* then the URL that was asked: url has the body, too (warc_request.h) */
	slice kind;    /* what it is: "page", "image", … (formats/links.h) */
	slice via;     /* the URL it was found on */
	struct attempt_times wall;  /* since 1970 */
	struct attempt_times clock; /* monotonic, of the machine that fetched */
	slice failure;  /* a word and perhaps a sentence, "timeout: …"; none when whole */
	slice protocol; /* how the answer came, where that is more than HTTP/1: "h2 tls/1.3" */
	slice cipher;   /* of TLS, as IANA calls it */
	slice redacted; /* names of the request's fields whose values were left out */
	bool single;    /* the capture has no revisits */
	bool truncated; /* there is a response, but its body is not whole */
	bool close_delimited; /* only the end of the connection shows where its body ends */

	/*
	 * What the comparison with an earlier look found (proof/pair.h), if rule_set is not 0:
	 * the two differ, and by noise alone if there is a class. In archives of rule set version 1
	 * the class is a digest of what the page showed but for noise, and every look has one.
	 */
	unsigned rule_set; /* version of the rules */
	unsigned masked;   /* millionths of the visible text that rules explain */
	/* Rules that explain what differs, "nonce=5 comment=1"; or what they do not:
	 * "changed-in=text,code", "duties=2" (proof/pair.h). */
	slice rules;
	slice compared; /* id of the record of the look that it was compared with */
	bool has_class;
	struct digest class; /* the state of the first look of the chain that shows the same */

	/*
	 * What stands in the page's place, "challenge: …", "login: …", "refused: …", "shell: …"
	 * (docs/judgement.md); none when it is the page.
	 */
	slice stand_in;
	/* Signs that it wants to deceive (formats/deceit.h); none where there is nothing to tell.
	 * Of a probe for cloaking what it showed (quality/deceit.h). */
	slice deceit;
	unsigned sign_set; /* version of the signs by which that was judged; 0: it was not */

	/* What the head says (formats/http_message.h); not in the metadata, since the response has
	 * it. */
	int64_t modified; /* Last-Modified, ns since 1970; 0: none */
	slice etag;
	struct attempt_age age;
	slice caches;  /* "via: …; x-cache: …" */
	slice address; /* of the server */

	slice links; /* a sketch of the links that lead out (plan/link_set.h), if they were read */

	/* The response, if has_payload. */
	bool is_revisit; /* its record is a revisit record: original has the body */
	/*
	 * Kept as a row of a batch of looks (warc/compact.h): warc is none, offset the number of
	 * the batch, length the bytes of the row. Its body is that of original, or, without
	 * is_revisit, a patch against it.
	 */
	bool is_compact;
	bool has_state;
	struct digest state; /* formats/http_state.h; of whole responses only */
	bool has_payload;
	struct digest payload;
	uint64_t payload_size;
	uint64_t coding; /* hash of Content-Encoding and Content-Type: how the body is read */
	slice media_type;
	slice record_id;
	slice warc;              /* the file's name; none before the record is written */
	uint64_t offset, length; /* of the record in that file */
	struct attempt_original original;
	/*
	 * When the response was retired (docs/watching.md), ns since 1970; 0: it was not. What is
	 * known of it is left, but for the bytes: it proves nothing any longer.
	 */
	int64_t retired;
};

/* The URL that was asked: its records have it as their target. */
static inline slice attempt_target(const struct attempt *a)
{
	return a->target.ptr ? a->target : a->url;
}

enum attempt_purpose attempt_purpose(const struct attempt *a);

/*
 * Whether it asks for the page as visits do. Files beside the pages are not asked for as a page,
 * and probes but those for noise and canaries ask for something else: another variant, or as
 * another client.
 */
bool attempt_is_look(const struct attempt *a);

/* Replaces all strings by copies in the arena: 0 or ERR_LIMIT. */
int attempt_keep(struct attempt *a, struct arena *arena) SP_MUST_CHECK;

/*
 * Appends the fields of the metadata record's block; blanks around a value are not kept. 0,
 * ERR_SYNTAX (line break or NUL in a value), ERR_RANGE (a wall time outside 1678 to 2261), as
 * buf_add; out is as before then.
 */
int attempt_format(const struct attempt *a, struct buf *out) SP_MUST_CHECK;

/*
 * Reads such a block; strings are copied into the arena. url is the record's target URI, which
 * becomes the target of an attempt by POST. Fields
 * that are not known are left alone. 0, ERR_NOTFOUND for a block that is not of an attempt (it has
 * no capture or leg), ERR_UNSUPPORTED (a leg of a later version: to be passed over), ERR_SYNTAX (a
 * known field malformed or there twice), ERR_LIMIT when the arena is full.
 */
int attempt_parse(slice block, slice url, struct arena *arena, struct attempt *ret,
	struct err *err) SP_MUST_CHECK;

/*
 * An attempt that found a body which the archive has is one revisit record: the block is its head,
 * and the rest stands in the record's header, in fields of the standard and in ours, "stillpoint-…"
 * (docs/archive.md). Of the request the header has the number of its form (warc_request.h). When
 * the record that it refers to is retired, it may become a response record, with the same fields.
 */

/* Whether the request was answered, and both clocks tell the same of all times. */
bool attempt_has_all_times(const struct attempt *a);

/*
 * Whether it may be such a record: it is a revisit, whole, asked for by GET, and its state follows
 * from the body.
 */
bool attempt_may_be_revisit(const struct attempt *a);

/*
 * Appends our lines of the header. form: number of the request's form, 0 for a look without a
 * request. 0, ERR_RANGE when it may be no such record, or as attempt_format.
 */
int attempt_format_header(const struct attempt *a, unsigned form, struct buf *out) SP_MUST_CHECK;

/* The fields that tell the protocol of an answer, as the IIPC proposes: how many there are. */
enum { ATTEMPT_PROTOCOL_FIELDS = 3 };
size_t attempt_protocol(const struct attempt *a, struct field out[ATTEMPT_PROTOCOL_FIELDS]);

struct warc_header;

/* Whether the header of a record has an attempt in it. */
bool attempt_is_in_header(const struct warc_header *h);

/* Appends our lines of a header, for a record that takes the place of this one: as buf_add. */
int attempt_copy_header(const struct warc_header *h, struct buf *out) SP_MUST_CHECK;

/*
 * Reads the attempt of a header, with url, target, record_id, address, payload and original (of a
 * revisit), all in the arena; what the HTTP head says, and the state, are for the reader of the
 * block to add. 0, ERR_NOTFOUND for a record that has no attempt in its header, otherwise as
 * attempt_parse.
 */
int attempt_parse_header(const struct warc_header *h, struct arena *arena, struct attempt *ret,
	unsigned *ret_form, struct err *err) SP_MUST_CHECK;

/* ---- the same or not ---- */

/*
 * Whether two looks at a page show the same: the one place where this is decided. A look that was
 * found to differ from an earlier one by noise alone (proof/pair.h) has that one's class: the
 * state of the first look of the chain. Explained differences chain, so looks of one class show the
 * same.
 */

/* What a look showed, as far as others are compared with it. */
struct same_key {
	bool has_state, has_class;
	struct digest state; /* formats/http_state.h: what counts of the head, and the body */
	struct digest class; /* attempt.h; without one its state is its class */
};

/* By what looks are known to show the same; reports call it evidence. */
enum same_by {
	SAME_NOT,
	SAME_BYTES,
	SAME_RULES,
	SAME_STATUS,    /* both found no page, whatever the error page says */
	SAME_ASSERTED,  /* the server says so */
	SAME_TOMBSTONE, /* it was once, by responses that were retired */
};

/* "bytes", "normalised", "status", "asserted", "tombstone"; constant. NULL of SAME_NOT. */
const char *same_by_name(enum same_by by);

static inline struct same_key same_key_of(const struct attempt *a)
{
	return (struct same_key){.has_state = a->has_state,
		.has_class = a->has_state && a->has_class,
		.state = a->state,
		.class = a->class};
}

static inline const struct digest *same_class(const struct same_key *k)
{
	return k->has_class ? &k->class : &k->state;
}

/* The page was not there: the one place where this is decided. */
static inline bool same_is_missing(unsigned status)
{
	return status == 404 || status == 410;
}

static inline enum same_by same_compare(const struct same_key *a, const struct same_key *b)
{
	if (!a->has_state || !b->has_state)
		return SAME_NOT;
	if (digest_eq(&a->state, &b->state))
		return SAME_BYTES;
	return digest_eq(same_class(a), same_class(b)) ? SAME_RULES : SAME_NOT;
}

/* The same of usable looks with their statuses: missing pages are missing, whatever they say. */
static inline enum same_by same_content(unsigned status, const struct same_key *key,
	unsigned other_status, const struct same_key *other)
{
	enum same_by by = status == other_status ? same_compare(key, other) : SAME_NOT;

	if (by == SAME_NOT && same_is_missing(status) && same_is_missing(other_status))
		return SAME_STATUS;
	return by;
}

#endif
