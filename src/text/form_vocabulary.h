/* What search forms are asked for: words of pages, and queries whose answers teach something. */
#ifndef TEXT_FORM_VOCABULARY_H
#define TEXT_FORM_VOCABULARY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/lists.h"
#include "base/nummap.h"
#include "base/slice.h"
#include "base/vec.h"

/* ---- words ---- */

/*
 * The words of a site, and which of them to ask its search form for next. After Ntoulas, Zerfos and
 * Cho, "Downloading textual hidden web content through keyword queries" (JCDL 2005), and Barbosa
 * and Freire (SBBD 2004): the best query is the one that returns most documents that were not seen
 * before. All candidates share the number of unseen documents as a factor, so what counts is how
 * likely an unseen document has the word; that is estimated by its share of those that were seen.
 * docs/forms.md compares this with other estimates.
 *
 * A document is a line of a page, or of a page that results lead to all lines that were not seen
 * before. So what stands on every page counts once. Pure: no I/O, no clock.
 */

enum {
	VOCABULARY_WORD_MAX = 40,       /* bytes; longer ones are no words */
	VOCABULARY_TERMS_MAX = 1 << 20, /* different words */
	VOCABULARY_SLOTS = 32,          /* fields that are asked apart from each other */
	VOCABULARY_LINES_MAX = 1 << 22, /* different lines */
};

/* Which words a field takes. */
enum vocabulary_class {
	VOCABULARY_WORDS, /* letters and digits, at least a letter */
	VOCABULARY_CODES, /* with a digit */
	VOCABULARY_YEARS, /* four digits, 1000 to 2999 */
	VOCABULARY_CLASSES,
};

/* Where a text comes from. */
enum vocabulary_source {
	VOCABULARY_SITE,    /* a page that links lead to, line by line: counts little */
	VOCABULARY_RECORD,  /* a page that results lead to: one document */
	VOCABULARY_RESULTS, /* a page of results: a document for each line */
};

struct vocabulary_term {
	slice word;     /* lower case */
	uint32_t count; /* documents that have it */
	uint32_t last;  /* document that had it last, plus one */
	double promise; /* the same, weighted by where they come from */
	uint32_t asked; /* set of 1 << slot */
	bool is_stop;   /* a word that search engines may leave out */
};

VEC_DECLARE(vocabulary_terms, struct vocabulary_term);

/* Fields are the vocabulary's own, but for documents, which may be read. */
struct vocabulary {
	struct hash_key key;
	struct arena arena;
	struct strmap numbers; /* of words */
	struct vocabulary_terms terms;
	uint32_t documents;
	struct nummap lines;  /* known ones, by hash */
	double label_share;   /* words of a larger share of the documents are labels */
	bool skips_stop;      /* words that search engines leave out are not asked for */
	struct u32_vec fresh; /* terms of the document that is being read */
};

void vocabulary_init(struct vocabulary *v, struct hash_key key);

/* Frees all. Safe on a zeroed struct. */
void vocabulary_release(struct vocabulary *v);

/*
 * Takes in the visible text of a page, lines separated by LF; asked: the word that led to it, or
 * nothing. Beyond the limits above, text is left out. Returns how many lines were not known.
 */
size_t vocabulary_read(
	struct vocabulary *v, slice text, enum vocabulary_source source, slice asked);

/*
 * The most promising word of that class that was not asked for yet in that slot, as a term number;
 * false when there is none. Equal ones: the first that was read.
 */
bool vocabulary_next(
	const struct vocabulary *v, enum vocabulary_class of, unsigned slot, uint32_t *ret_term);

static inline slice vocabulary_word(const struct vocabulary *v, uint32_t term)
{
	return v->terms.ptr[term].word;
}

/* It is asked for. */
void vocabulary_ask(struct vocabulary *v, uint32_t term, unsigned slot);

/*
 * It gave nothing new. If it is a word that search engines leave out, all of these are left out
 * from now on; if most documents have it, it is a label of the page, not of the records.
 */
void vocabulary_failed(struct vocabulary *v, uint32_t term);

/* ---- queries ---- */

/*
 * Query templates: which fields of a form are filled in at once (Madhavan et al., "Google's
 * deep-web crawl", VLDB 2008). A template is informative if its queries show different results; one
 * that is not, since its field only changes how results look, is given up after a few queries.
 * Templates of one field come first; two fields are combined only if each of them is informative.
 *
 * The next query is of the template that gives most new records for a query, as the last ones
 * showed. Pure: no I/O, no clock.
 */

enum {
	TEMPLATES_MAX = 1024,
	TEMPLATE_TESTS = 4, /* queries after which an uninformative one is given up */
	TEMPLATE_IDLE = 8,  /* queries in a row that gave nothing new, the same */
	TEMPLATE_IDLE_WORDS = 24,
	TEMPLATE_NO_FIELD = -1,
};

/* The caller's: what is filled in. */
struct template_fields {
	uint32_t form;
	int64_t first, second; /* fields; second or TEMPLATE_NO_FIELD */
	uint32_t values;       /* that it has; 0: words, whose number is not known */
	uint32_t values_second;
};

/* Fields are the templates' own, but for what is there to be read. */
struct query_template {
	struct template_fields of; /* read */
	uint32_t next;             /* value; read */
	uint32_t queries;
	uint32_t informative; /* of those */
	uint32_t idle;        /* the last ones in a row that gave nothing new */
	double gain;          /* of the last ones, decaying */
	bool has_ended;
	bool is_combined; /* with the other fields of its form */
};

VEC_DECLARE(query_template_vec, struct query_template);

struct templates {
	struct query_template_vec list;
};

/* Adds one; those beyond TEMPLATES_MAX, and those without values, are left out. */
void templates_add(struct templates *t, const struct template_fields *of, bool has_values);
void templates_release(struct templates *t);

/* The one to be asked next, which may combine fields; false when all have ended. */
bool templates_next(struct templates *t, uint32_t *ret);

/* Its next value is used now, whether it is sent or known already. */
void templates_advance(struct templates *t, uint32_t number);

/* A query of it was answered: new records, and whether it showed what no other query had shown. */
void templates_answered(struct templates *t, uint32_t number, double gain, bool is_informative);

/* It has no more values, or must not be sent: it, or all of its form. */
void templates_end(struct templates *t, uint32_t number);
void templates_end_form(struct templates *t, uint32_t form);

#endif
