/*
 * Reads HTTP responses as WARC records hold them, for their state, their links and what stands in
 * the page's place, in one pass. One may be used again and again.
 */
#ifndef PROOF_RESPONSE_READER_H
#define PROOF_RESPONSE_READER_H

#include "formats/http_message.h"
#include "formats/page.h"
#include "proof/quality_words.h"
#include "proof/rulebook.h"

/* Fields are its own, but for the first ones, which callers may set before each start. */
struct response_reader {
	const struct rulebook *book; /* borrowed: the user's rules */
	slice url;                   /* of the page, which some of them need; borrowed */

	struct links *links; /* borrowed: filled with the links of the body; NULL: not wanted */
	bool framed;         /* the protocol (HTTP/2) shows where a body ends */
	struct message *message;
	struct page *page;
	struct required required;
	bool begun;      /* the body has */
	bool parsing;    /* it passes through the page */
	uint64_t manner; /* how it is read (manner.h), once its head is known */
	bool signing;    /* its signs are read */
	struct stand_in stand_in;
	bool has_signs; /* of the response that was finished last */
	struct blocked_body signs;
	slice missing;
};

/* The struct must not be moved afterwards. */
void response_reader_init(struct response_reader *r);
void response_reader_release(struct response_reader *r);

/*
 * The warcinfo record of a file that is read for what its attempts claim: what follows gets states
 * of the form that its writer used. Without it, those of the last form.
 */
void response_reader_info(struct response_reader *r, slice block);

/* As message_start, message_feed and message_finish. */
void response_reader_start(struct response_reader *r);
int response_reader_feed(struct response_reader *r, slice block) SP_MUST_CHECK;
int response_reader_finish(struct response_reader *r, struct state_result *ret_state) SP_MUST_CHECK;

struct warc_reader;

/* Starts, and feeds the whole block of the record that the reader stands at: 0, ERR_IO, ERR_NOMEM.
 */
int response_reader_read(
	struct response_reader *r, struct warc_reader *from, struct err *err) SP_MUST_CHECK;

/*
 * What the body of the response that was finished last shows of being the page or not; false when
 * it is not HTML, or not whole.
 */
bool response_reader_signs(const struct response_reader *r, struct blocked_body *ret);

/* Name of the user's rule whose required element it has not, that of the book; or empty. */
static inline slice response_reader_missing(const struct response_reader *r)
{
	return r->missing;
}

/* How the body of the response that was read last is read (manner.h). */
static inline uint64_t response_reader_manner(const struct response_reader *r)
{
	return r->manner;
}

/* The head of the response that was read last; valid until the next one. */
const struct fields *response_reader_head(const struct response_reader *r);

/*
 * As message_combine, in place of finishing: the head that was read, with the body of another
 * record. The result may be in the place of what it is made of.
 */
int response_reader_combine(struct response_reader *r, const struct state_result *of,
	struct state_result *ret) SP_MUST_CHECK;

/*
 * What a response shows of its page, as far as its record tells: never a body. Texts are numbers of
 * words.
 */
struct shown {
	struct digest state, payload, body; /* formats/http_state.h; if has_state */
	struct blocked_body signs;          /* of an HTML body, if has_signs */
	uint32_t coding;                    /* names of content codings */
	uint32_t missing;                   /* the rule whose required element is missing, or "" */
	uint32_t stand_in; /* what stands in the page's place (formats/blocked.h), or "" */
	uint16_t status;
	uint8_t coding_end; /* enum coding_end */
	bool has_state;
	bool whole;           /* the body */
	bool decoded;         /* formats/http_state.h */
	bool close_delimited; /* the same */
	bool has_signs;
};

/* Finishes a response: 0, ERR_SYNTAX when it is no HTTP, ERR_NOMEM, ERR_LIMIT. */
int shown_finish(struct response_reader *r, struct words *words, struct shown *ret) SP_MUST_CHECK;

/* The head that was read with the body of another record. As response_reader_combine. */
int shown_combine(struct response_reader *r, struct words *words, const struct shown *of,
	bool is_sound, struct shown *ret) SP_MUST_CHECK;

/* Fills in what stands in the page's place, by the head and by signs of the body. As above. */
int shown_stand_in(
	struct response_reader *r, struct words *words, slice url, struct shown *s) SP_MUST_CHECK;

#endif
