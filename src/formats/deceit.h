/*
 * Signs that a page wants to deceive: content spam, hidden text, parked and dead hosts, and
 * redirects that only browsers follow. From tokens as they come; no script is run. After Ntoulas,
 * Najork, Manasse and Fetterly, "Detecting spam web pages through content analysis" (WWW 2006), and
 * Chellapilla and Maykov (AIRWeb 2007). docs/deceit.md describes the features and their weights.
 *
 *	deceit_start(&d);
 *	deceit_token(&d, token);			// each token of the page
 *	deceit_judge(&d, &signs);
 *
 * What costs time is done only for pages that look odd already.
 */
#ifndef FORMATS_DECEIT_H
#define FORMATS_DECEIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/slice.h"
#include "formats/html_token.h"

enum {
	DECEIT_TEXT_MAX = 8 << 10,   /* bytes of visible text that are looked at */
	DECEIT_HIDDEN_MAX = 4 << 10, /* of hidden text, the same */
	DECEIT_SCRIPT_MAX = 8 << 10, /* of a script, the same */
	DECEIT_TARGET_MAX = 2048,    /* of a redirect */
	DECEIT_TITLE_MAX = 1024,
	DECEIT_LINE_SIZE = 512 + DECEIT_TARGET_MAX, /* of deceit_write */
};

/* A page is flagged from this score on. */
#define DECEIT_FLAGGED 0.5

/* Name in reports, member. All are 0 where there is too little text to tell. */
#define DECEIT_FEATURES(X)            \
	X("repetition", repetition)   \
	X("stuffing", stuffing)       \
	X("entropy", entropy)         \
	X("compression", compression) \
	X("hidden", hidden)           \
	X("title_words", title_words) \
	X("keywords", keywords)       \
	X("parked", parked)           \
	X("error", error)             \
	X("farm", farm)

enum deceit_redirect { DECEIT_NO_REDIRECT, DECEIT_META, DECEIT_SCRIPT, DECEIT_FRAME };

/* "meta", "script", "frame"; constant. */
const char *deceit_redirect_name(enum deceit_redirect kind);

struct deceit_signs {
	double score;       /* 0 to 1 */
	double repetition;  /* share of its sequences of three words that were there before */
	double stuffing;    /* share of its most frequent word, of those that mean something */
	double entropy;     /* of its words, from 0 (one word) to 1 (each word once) */
	double compression; /* how many times smaller it gets; 0: not computed */
	double hidden;      /* share of the text that styles hide */
	double title_words;
	double keywords; /* of the meta element */
	double parked;   /* 1: it says that its domain is for sale */
	double error; /* 1: the page of a server that nobody has set up, or of a host suspended */
	double farm;  /* share of its links' hosts that are a clique; from the link graph */
	enum deceit_redirect redirect;
	char target[DECEIT_TARGET_MAX + 1]; /* as written in the page */
};

/* Fields are the reader's own. */
struct deceit {
	struct buf text, hidden, script, title;
	enum html_tag inside;     /* script, style, title …: no visible text */
	enum html_tag hidden_tag; /* the element that hides */
	unsigned hidden_depth;    /* of elements of that name in each other */
	bool is_sly;              /* hidden in a way that no script undoes */
	bool has_sly;
	uint64_t text_bytes, hidden_bytes;
	unsigned keywords;
	unsigned frames, full_frames;
	char background[16]; /* of the body */
	enum deceit_redirect redirect;
	char target[DECEIT_TARGET_MAX + 1];
	char frame[DECEIT_TARGET_MAX + 1];
};

void deceit_init(struct deceit *d);
void deceit_release(struct deceit *d);

/* Begins another page; memory is kept. */
void deceit_start(struct deceit *d);

void deceit_token(struct deceit *d, const struct html_token *token);

/* What the whole page shows. */
void deceit_judge(const struct deceit *d, struct deceit_signs *ret);

/* The score that follows from the features. */
double deceit_score(const struct deceit_signs *s);

/*
 * The signs as a line "score=0.83 repetition=0.9 … redirect=script http://…", empty when there is
 * nothing to tell; and read again: false for what is no such line.
 */
void deceit_write(const struct deceit_signs *s, char ret[DECEIT_LINE_SIZE]);
bool deceit_read(slice line, struct deceit_signs *ret);

/* What a text says of itself by its words alone: how much they repeat themselves. Pure. */

enum { DECEIT_WORDS_MAX = 1024 }; /* that are counted */

struct deceit_text {
	uint32_t words;
	uint32_t distinct;
	uint32_t most;    /* of the most frequent word of four letters or more */
	uint32_t repeats; /* sequences of three words that were there before */
	double entropy;   /* 0 to 1 */
};

void deceit_text_read(slice text, struct deceit_text *ret);

/* The same of its first and last words alone, if these are ordinary: most texts are. */
void deceit_text_look(slice text, struct deceit_text *ret);

/* How many times smaller zlib makes it; 0 without memory. */
double deceit_text_compression(slice text);

/*
 * Whether a script leaves its page at once: location is assigned a literal, or replace or assign is
 * called with one, outside of functions, or in one that runs by itself (a timer, onload). Strings
 * that are put together from literals, and unescape, are read; nothing is run. Pure.
 */

/* False, or the target, cut at size - 1 bytes. */
bool deceit_script_target(slice script, char *ret_target, size_t size);

#endif
