/*
 * Whether a text is about a topic (docs/topic.md). Either the topic is given by words, or it is
 * learned from example pages: naive Bayes on tf-idf features (Rennie et al., 2003), with the pages
 * off the topic that a crawl has read so far as the other class. What the examples do not say is
 * filled up from that class (Jelinek and Mercer), so that no word weighs against a text by more
 * than ln 2.
 *
 * Words are runs of letters and digits, 3 to 30 bytes, in lower case, without a plural s; bytes
 * above 127 are letters. Memory is bounded: beyond TOPIC_WORDS_MAX, new words are not counted.
 */
#ifndef TEXT_TOPIC_H
#define TEXT_TOPIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/lists.h"
#include "base/nummap.h"
#include "base/slice.h"
#include "base/vec.h"

enum {
	TOPIC_WORDS_MAX = 1 << 18, /* different ones, in memory */
	TOPIC_MODEL_MAX = 2000,    /* words of a topic as text */
	TOPIC_WORD_MIN = 3,
	TOPIC_WORD_MAX = 30,
};

struct topic_word {
	float wanted; /* in examples, or how much it is one of the given words */
	float seen;   /* in pages that were read */
	uint32_t pages;
	uint32_t count; /* in the text that is looked at */
};

VEC_DECLARE(topic_words, struct topic_word);

/* Fields are its own. Zero-initialise. */
struct topic {
	struct topic_words words;
	struct nummap places; /* numbers of words, by hash */
	struct u32_vec found; /* words of the text that is looked at */
	double wanted, seen;  /* sums */
	uint32_t pages;
	bool is_given; /* by words */
	bool is_set;   /* there is a topic */
};

/* A text that is looked at: how much it is about the topic, from 0 to 1; from 0.5 on, it is. */
#define TOPIC_RELEVANT 0.5

void topic_release(struct topic *t);

/* The topic is that of these words: 0, ERR_SYNTAX when there is no word in it. */
int topic_set_words(struct topic *t, slice words) SP_MUST_CHECK;

/* A page that is about the topic. */
void topic_add_example(struct topic *t, slice text);

/* A page was read. Those that are not about the topic are the other class. */
void topic_add_page(struct topic *t, slice text, bool relevant);

/* How much a text is about the topic; 0 for a text without words. */
double topic_score(struct topic *t, slice text);

/* The same for the few words of a link: one of many given words is enough. */
double topic_promise(struct topic *t, slice text);

/*
 * A topic as one line of text: "words …" as given, or "examples word:count word:count …". Reading
 * sets a zeroed topic: 0 or ERR_SYNTAX.
 */
int topic_read(struct topic *t, slice line, struct err *err) SP_MUST_CHECK;

/* The next word of a text, in lower case, in out; false behind the last. */
bool topic_next_word(slice *text, char out[TOPIC_WORD_MAX + 1], size_t *ret_len);

#endif
