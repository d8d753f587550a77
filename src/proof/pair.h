/*
 * Two looks at a page, compared by their bodies: the one way in which crawl, watch, judge, verify
 * and diff find out that what differs is noise (proof/proof.h). The looks are the same when
 *
 *	(1) both bodies are whole and could be decoded, and if one ends where its connection did,
 *	    both end as documents of their format do (pair_may_be_cut);
 *	(2) both have one Content-Type, and the same; the same status, Location, Refresh and
 *	    Content-Disposition;
 *	(3) every place where the bodies differ is explained by a rule, and
 *	(4) so is what their duties lead to (learning.h): a page alone is the same when it has none.
 *
 * What an attempt records of it (attempt.rules) is one of
 *
 *	nonce=5 comment=1	the rules that explain what differs
 *	changed-in=text,code	in what the two differ that no rule explains
 *	duties=2		all is explained, if so many resources are the same
 *	limit=1			a limit of the comparison was met
 */
#ifndef PROOF_PAIR_H
#define PROOF_PAIR_H

#include "proof/look.h"
#include "proof/proof.h"
#include "proof/rulebook.h"

enum {
	PAIR_RULES_SIZE = 4096, /* bytes of their text; what does not fit is left out */
	PAIR_MILLION = 1000000,
};

/* How they are compared; all is borrowed. */
struct pair_terms {
	slice url;
	const struct rulebook *book;
	const struct proof_learned *learned; /* NULL: none */
};

/* Fields may be read. */
struct pair {
	const char *doubt;  /* why the rules do not count, for people; NULL: they do */
	struct proof proof; /* of the bodies, if both could be read */
	bool same_heads;    /* (2) */
	bool explained;     /* (1) to (3) hold: they are the same if the duties are */
};

/*
 * Whether one of two bodies that differ may have been cut off: only the end of its connection ended
 * it, and what it holds does not show that it is all.
 */
static inline bool pair_may_be_cut(bool is_close_delimited, const struct proof *p)
{
	return is_close_delimited && !p->is_ended;
}

/* 0 or ERR_NOMEM; to be released in both cases. */
int pair_compare(const struct look *a, const struct look *b, const struct pair_terms *terms,
	struct pair *ret) SP_MUST_CHECK;
void pair_release(struct pair *p);

/* What attempts record of it: the text above, and the masked share in millionths. */
void pair_describe(const struct pair *p, char rules[PAIR_RULES_SIZE], unsigned *ret_masked);

/* ---- the text ---- */

/* The list behind "changed-in="; ptr NULL when there is none. */
slice pair_changed_in(slice rules);

/* Whether it says that only duties are left. */
bool pair_has_duties(slice rules);

#endif
