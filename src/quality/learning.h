/*
 * Learned rules at work on an archive: what the probes of a capture teach (learner.h), and the
 * second look at pages that differ, by the bodies that the WARC files hold. The crawl does this
 * when a capture ends, and verify again, by the same code.
 *
 * What comes of it is kept as lines, in a metadata record of the capture and in the catalog:
 *
 *	rule http://example.org/news/ 5f3a9c11 field zq7 html>body>form>input 3
 *	same 1 1 sha256:… 0 learned:field:zq7=1,nonces=4 http://example.org/news/a
 *
 * A `same` line says which attempts (the number of the visit and of the revisit) show the same
 * under the rules above, and all canaries between them, their common digest, the masked share of
 * the text in millionths, and the rules that were needed.
 */
#ifndef QUALITY_LEARNING_H
#define QUALITY_LEARNING_H

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "http/digest.h"
#include "quality/learner.h"
#include "quality/look.h"

enum { LEARNING_RULES_MAX = 4096, LEARNING_LINE_MAX = 80 << 10 }; /* bytes */

/* Two looks at a page, which are borrowed. */
struct learning_pair {
	slice url;
	const struct attempt *a, *b;
	const struct rulebook *book; /* the capture's rules */
};

/* What a second look showed. */
struct learning_same {
	bool same;
	struct digest digest;           /* of both */
	unsigned masked;                /* millionths of the visible text, the larger one */
	char rules[LEARNING_RULES_MAX]; /* that were needed: "NAME=COUNT NAME=COUNT …" */
};

/*
 * Adds the pair to what is learned from. 0, ERR_NOMEM. A look that cannot be read teaches nothing.
 */
int learning_add(struct learner *l, const struct look_source *from,
	const struct learning_pair *pair) SP_MUST_CHECK;

/* Whether an attempt can be looked at again: HTML, and whole. */
bool learning_can_read(const struct attempt *a);

/* Whether pages of the URL's directory have rules. */
bool learning_applies(const struct learned *rules, slice url);

/* Looks at a pair again. 0, ERR_NOMEM. Looks that cannot be read are not the same. */
int learning_compare(const struct learned *rules, const struct look_source *from,
	const struct learning_pair *pair, struct learning_same *ret) SP_MUST_CHECK;

/* ---- lines ---- */

/* A `same` line. Strings are those of the line. */
struct learning_line {
	unsigned visit, revisit; /* numbers of the attempts */
	struct digest digest;
	unsigned masked;
	slice rules; /* with commas */
	slice url;
};

/* Appends a line without an end. 0, ERR_NOMEM, ERR_LIMIT. */
int learning_rule_line(const struct learned_rule *rule, struct buf *out) SP_MUST_CHECK;
int learning_same_line(const struct learning_pair *pair, const struct learning_same *same,
	struct buf *out) SP_MUST_CHECK;

/*
 * Reads a line: a rule is added to the set, a `same` line goes to *ret. *ret_is_same says which it
 * was. 0, ERR_SYNTAX, ERR_EXISTS, ERR_LIMIT, ERR_NOMEM.
 */
int learning_parse(slice line, struct learned *rules, struct learning_line *ret,
	bool *ret_is_same) SP_MUST_CHECK;

#endif
