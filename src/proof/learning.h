/*
 * What is settled when a capture ends, before its verdicts: pages that differ between visit and
 * revisit, but perhaps by noise alone that one comparison cannot tell:
 *
 *	learned places	A page that differs at its revisit is fetched at least two more times at
 *			once. A place whose value was new in every one of these downloads varies by
 *			itself, if it is no text and no address (proof_place.can_learn), and
 *			nothing else that no rule explains differs between them. It is learned for
 *			the kind of page, if its values cannot be content that changes fast
 *			(learned_values.h), and came again on no page of that kind.
 *	duties		Another hash in the name of a script hides another script. The page is the
 *			same if both were captured, and are the same themselves.
 *
 * The crawl does this from the catalog and the WARC files, and verify again from the WARC files
 * alone, by the same code. What comes of it is kept as lines, in a metadata record of the capture
 * and in the catalog:
 *
 *	rule 3 http://example.org/news/ html>body>form>input[name=zq7]@value
 *	same 1 1 sha256:… 0 learned=1,nonce=4 http://example.org/news/a
 *
 * A `same` line says which attempts (the number of the visit and of the revisit) show the same, and
 * all canaries between them, their class (warc/attempt.h), the masked share of the visible text in
 * millionths, and the rules that were needed.
 */
#ifndef PROOF_LEARNING_H
#define PROOF_LEARNING_H

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "formats/http_digest.h"
#include "proof/learned_lines.h"
#include "proof/learned_values.h"
#include "proof/pair.h"

enum {
	LEARNING_LOOKS_MIN = 3, /* downloads of the same moment */
	LEARNING_LOOKS_MAX = 4, /* that are looked at */
	LEARNING_LINE_MAX = 80 << 10,
};

/* Whether an attempt can be compared: whole, and with a page. */
bool learning_can_read(const struct attempt *a);

/* ---- learned places ---- */

VEC_DECLARE(learned_values, struct learned_value);

/* A place that differed between downloads of a page. */
struct learner_place {
	slice kind, where;
	uint32_t pages;  /* of that kind, where it varied */
	bool came_again; /* a value of it, on a page of that kind */
	struct learned_values values;
};

VEC_DECLARE(learner_places, struct learner_place);

/* Fields are its own. */
struct learner {
	struct learner_places places;
	struct strmap index; /* by "KIND WHERE" */
	struct arena arena;
};

void learner_init(struct learner *l);
void learner_release(struct learner *l);

/* Downloads of a page within one moment, at most LEARNING_LOOKS_MAX; all is borrowed. */
struct learning_looks {
	slice url;
	const struct rulebook *book;
	struct attempt list[LEARNING_LOOKS_MAX];
	size_t len;
};

/* Adds a probe, if it was made within the moment of the first look, and there is room; by time. */
void learning_add_probe(struct learning_looks *looks, const struct attempt *probe);

/* Learns from a page; looks that cannot be read teach nothing. 0 or ERR_NOMEM. */
int learner_add(struct learner *l, const struct look_source *from,
	const struct learning_looks *looks) SP_MUST_CHECK;

/* The rules that follow, into an empty set. 0 or ERR_NOMEM. */
int learner_finish(const struct learner *l, struct learned *ret) SP_MUST_CHECK;

/* ---- comparing ---- */

/*
 * Finds a usable look at a URL in the capture: the first of its visits, or of late looks. false in
 * *ret_found when there is none. Strings are borrowed until the next call but one. 0, ERR_NOMEM, or
 * as the catalog's functions.
 */
typedef int learning_find(
	void *context, slice url, struct attempt *ret, bool *ret_found, struct err *err);

struct learning_terms {
	const struct look_source *from;
	const struct rulebook *book;
	const struct learned *rules;
	learning_find *find;
	void *context;
};

/* Two looks at a page, which are borrowed. */
struct learning_pair {
	slice url;
	const struct attempt *a, *b;
};

/* What a second comparison showed. */
struct learning_same {
	bool same;
	unsigned masked;
	char rules[PAIR_RULES_SIZE]; /* that were needed, or why not: as of pair_describe */
};

/*
 * Compares a pair under what was learned, its duties too. 0, ERR_NOMEM, or as find. Looks that
 * cannot be read are not the same.
 */
int learning_compare(const struct learning_terms *terms, const struct learning_pair *pair,
	struct learning_same *ret, struct err *err) SP_MUST_CHECK;

/* ---- lines ---- */

/* A `same` line. Strings are those of the line. */
struct learning_line {
	unsigned visit, revisit; /* numbers of the attempts */
	struct digest class;
	unsigned masked;
	slice rules; /* with commas */
	slice url;
};

/* Appends a line without an end. 0, ERR_NOMEM, ERR_LIMIT. */
int learning_rule_line(const struct learned_rule *rule, struct buf *out) SP_MUST_CHECK;
int learning_same_line(const struct learning_pair *pair, const struct digest *class,
	const struct learning_same *same, struct buf *out) SP_MUST_CHECK;

/*
 * Reads a line: a rule is added to the set, a `same` line goes to *ret. *ret_is_same says which it
 * was. 0, ERR_SYNTAX, ERR_EXISTS, ERR_LIMIT, ERR_NOMEM.
 */
int learning_parse(slice line, struct learned *rules, struct learning_line *ret,
	bool *ret_is_same) SP_MUST_CHECK;

#endif
