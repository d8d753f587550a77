/*
 * A document as tokens, whatever its language. Tokens and what is skipped between them (white space
 * that means nothing, comments, elements that the user ignores) cover every byte of the source: so
 * two documents that differ in any byte differ in a token or between two of them.
 */
#ifndef PROOF_TOKENS_H
#define PROOF_TOKENS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/slice.h"
#include "base/vec.h"
#include "formats/ignore.h"

enum {
	TOKENS_MAX = 1 << 20, /* of a document */
};

#define NO_TOKEN UINT32_MAX

enum token_kind {
	/* markup */
	TOKEN_START,
	TOKEN_END,
	TOKEN_TEXT,
	TOKEN_KEPT_TEXT, /* of which every blank counts */
	TOKEN_RAW,       /* of script, style and such: a document of its own */
	TOKEN_COMMENT,   /* that a browser or a script reads */
	TOKEN_DOCTYPE,
	/* scripts, JSON and CSS */
	TOKEN_WORD,
	TOKEN_STRING, /* text is without quotes, escapes as they are written */
	TOKEN_NUMBER,
	TOKEN_TEMPLATE, /* a piece of a template literal */
	TOKEN_REGEX,
	TOKEN_SIGN,
	TOKEN_URL,  /* CSS: url( without quotes; text is what it holds */
	TOKEN_HASH, /* CSS: #name; text is without # */
	TOKEN_AT,   /* CSS: @name */
};

struct proof_token {
	uint64_t key;   /* of its meaning: equal ones are equal tokens */
	uint64_t shape; /* of what stays when only values change */
	slice text;     /* its meaning; of a start or end tag the name */
	slice full;     /* of text: before white space was collapsed */
	uint32_t from, to;
	uint32_t element; /* innermost open element; of a start tag its own; NO_TOKEN outside */
	uint8_t kind;
	char sign;      /* of TOKEN_SIGN; of a string its quote */
	bool is_spaced; /* white space stands before it that means something */
};

struct proof_attr {
	slice name;
	slice value;  /* as it counts */
	slice source; /* with its name, quotes and references as written */
	slice given;  /* the value before it was read (class list, encoded address) */
};

struct proof_element {
	slice name;
	const struct proof_attr *attrs; /* by name */
	uint32_t attr_count;
	uint32_t parent;  /* NO_TOKEN: none */
	bool keeps_space; /* white space in it is shown */
	bool is_hidden;   /* nothing in it is shown */
	bool is_foreign;
};

/* What is no token: bytes [from, to) of the source. */
struct proof_skipped {
	uint32_t from, to;
	uint32_t rule; /* of the user's, that ignores it; IGNORE_NONE: a comment */
};

VEC_DECLARE(proof_token_vec, struct proof_token);
VEC_DECLARE(proof_element_vec, struct proof_element);
VEC_DECLARE(proof_skipped_vec, struct proof_skipped);

enum proof_format {
	FORMAT_HTML,
	FORMAT_XML,
	FORMAT_SCRIPT,
	FORMAT_JSON,
	FORMAT_CSS,
	FORMAT_DECLARATIONS, /* CSS of a style attribute */
	FORMAT_PLAIN,
	FORMAT_OPAQUE,
};

struct proof_tokens {
	slice source; /* borrowed */
	enum proof_format format;
	struct arena *arena; /* borrowed: owns texts and attributes */
	struct proof_token_vec list;
	struct proof_element_vec elements;
	struct proof_skipped_vec skipped; /* in their order */
	bool is_part;                     /* of another document, as a value */
	bool has_sheet;                   /* styles other than those of attributes */
	bool class_order;                 /* its own styles ask for the order of classes */
	bool lays_inline;                 /* its own styles make blocks parts of lines */
	size_t text_bytes;                /* that readers see */
	const char *limit;                /* that was met; NULL: none */
};

void proof_tokens_init(
	struct proof_tokens *t, slice source, enum proof_format, struct arena *arena);
void proof_tokens_release(struct proof_tokens *t);

/*
 * Reads all of the source. 0 or ERR_NOMEM; see limit. ignoring (NULL: none) is a page of the user's
 * rules that has been begun.
 */
int proof_tokens_read(struct proof_tokens *t, struct ignore_page *ignoring) SP_MUST_CHECK;

/* The readers behind it. */
int proof_read_markup(struct proof_tokens *t, struct ignore_page *ignoring) SP_MUST_CHECK;
int proof_read_script(struct proof_tokens *t) SP_MUST_CHECK;
int proof_read_css(struct proof_tokens *t) SP_MUST_CHECK;

/* Collapses white space as CSS does; flags of elements are known. */
void proof_collapse(struct proof_tokens *t);

/* Appends a token; at the limit it sets that and drops it. 0 or ERR_NOMEM. */
int proof_tokens_add(struct proof_tokens *t, struct proof_token token) SP_MUST_CHECK;
int proof_tokens_skip(struct proof_tokens *t, size_t from, size_t to, uint32_t rule) SP_MUST_CHECK;

/* A hash of bytes after another hash: one key for all that is compared. */
uint64_t proof_hash(uint64_t seed, slice bytes);

/* The value of an attribute; ptr NULL: it is not there. */
slice proof_attr(const struct proof_element *e, slice name);

/* Elements that go on with a line of text, and those that end it; unknown ones are neither. */
bool proof_is_inline(slice name);
bool proof_is_block(slice name);

/* Elements that are no part of a line: scripts, styles, what belongs into the head. */
bool proof_is_absent(slice name);

#endif
