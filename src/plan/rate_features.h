/*
 * What a page's address, and the page itself, say about how often it may change (SHARC section
 * 8.2). Online features come from the URL alone; offline ones need the page and its history.
 *
 * A feature is a number, NAN where it is missing. Words (domain, type, the first words of the path)
 * become numbers 0, 1, 2, … in the order in which they are learned.
 */
#ifndef PLAN_RATE_FEATURES_H
#define PLAN_RATE_FEATURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/lists.h"
#include "base/slice.h"

enum feature {
	/* words */
	FEATURE_DOMAIN, /* missing in a path without a host */
	FEATURE_TYPE,   /* the extension, in lower case; htm is html, jpeg jpg */
	FEATURE_WORD_1, /* of the path; "" where there is none */
	FEATURE_WORD_2,
	FEATURE_WORD_3,
	/* 0 or 1: whether ~ _ ? ; : , % occurs behind the host */
	FEATURE_TILDE,
	FEATURE_UNDERLINE,
	FEATURE_QUESTION,
	FEATURE_SEMICOLON,
	FEATURE_COLON,
	FEATURE_COMMA,
	FEATURE_PERCENT,
	/* numbers */
	FEATURE_DEPTH, /* slashes in the path */
	FEATURE_URL_LENGTH,
	/* offline, numbers; the caller sets them */
	FEATURE_DAYS, /* since the last change */
	FEATURE_IMAGES,
	FEATURE_TABLES,
	FEATURE_OUT_LINKS,
	FEATURE_IN_LINKS,
	FEATURES,
	FEATURES_WORDS = FEATURE_TILDE,      /* those before are words */
	FEATURES_CATEGORIES = FEATURE_DEPTH, /* those before have no order */
	FEATURES_ONLINE = FEATURE_DAYS,      /* those before are online */
};

enum {
	FEATURE_VALUES_MAX = 1 << 16, /* different words of a feature; more are missing */
	FEATURE_WORD_MAX = 64,        /* bytes of a word that count */
};

struct features {
	float at[FEATURES];
};

/* Words and their numbers. */
struct feature_words {
	struct arena text;
	struct strmap numbers;
	struct slice_vec words[FEATURES_WORDS]; /* by number */
	uint32_t counts[FEATURES_CATEGORIES];   /* different values of each */
};

/* The name of a feature in models and in columns of CSV files. */
const char *feature_name(size_t feature);

void feature_words_init(struct feature_words *w);
void feature_words_release(struct feature_words *w);

/*
 * Learns a word, which gets the next number. 0, ERR_EXISTS, ERR_LIMIT when the feature has
 * FEATURE_VALUES_MAX words or the word is longer than FEATURE_WORD_MAX, ERR_NOMEM.
 */
int feature_words_add(struct feature_words *w, size_t feature, slice word) SP_MUST_CHECK;

/* The number of a word; false: it is not known. */
bool feature_words_find(
	const struct feature_words *w, size_t feature, slice word, uint32_t *ret_number);

/*
 * The online features of a URL or path; the others are missing. A new word is learned, or missing
 * when learn is false. 0 or ERR_NOMEM.
 */
int features_of_url(
	struct feature_words *w, slice url, bool learn, struct features *ret) SP_MUST_CHECK;

/* What classifiers learn from: pages with features and a class each. Borrows everything. */

enum { SAMPLE_CLASSES_MAX = 16 };

struct sample {
	size_t count;
	const struct features *rows;
	const uint8_t *labels;  /* below classes */
	size_t classes;         /* 1 … SAMPLE_CLASSES_MAX */
	size_t features;        /* only those before count: FEATURES_ONLINE or FEATURES */
	const uint32_t *values; /* by feature below FEATURES_CATEGORIES: feature_words.counts */
};

#endif
