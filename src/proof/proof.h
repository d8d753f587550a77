/*
 * Whether two looks at a page show the same (rule set version 2, docs/judgement.md). Their bodies
 * are read as tokens, the two streams are aligned, and every place where they differ must be
 * explained by a named rule that knows this noise: a place where such values live, and a test that
 * both values pass. What no rule explains is a change. An alignment in which every place is
 * explained proves that only noise differs; a poor alignment can lose that proof, never forge one.
 *
 *	rc = proof_compare(&(struct proof_params){.a = …, .b = …}, &c);
 *	if (rc == 0 && c.same != PROOF_DIFFERENT && c.duties.len == 0)
 *		the two show the same;
 *	proof_release(&c);
 *
 * Invariants:
 *	(1) equal bodies are PROOF_BYTES, unless both looks name a type or character set and these
 *	    differ;
 *	(2) PROOF_NORMALISED: at least one rule acted, and every differing place names its rule;
 *	(3) beyond any limit (size, places, depth, work): PROOF_DIFFERENT, and limit says which;
 *	(4) comparing b with a gives the same answer as a with b;
 *	(5) the answer depends on the two bodies and the parameters alone.
 *
 * Status, Location and the state of the framing are not compared here (proof/verdict.h).
 */
#ifndef PROOF_PROOF_H
#define PROOF_PROOF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/slice.h"
#include "base/vec.h"
#include "formats/ignore.h"

enum {
	PROOF_BODY_MAX = 4 << 20, /* bytes of a body; larger ones are compared by bytes only */
	PROOF_PLACES_MAX = 20000, /* differing places of a pair */
	PROOF_SHOWN_MAX = 400,    /* bytes of a value that a place keeps */
};

enum proof_same {
	PROOF_DIFFERENT,
	PROOF_BYTES,
	PROOF_NORMALISED,
};

/* In what two looks differ: bits of proof.changed_in, in the order in which they are printed. */
enum proof_in {
	PROOF_IN_TEXT = 1 << 0,
	PROOF_IN_LINKS = 1 << 1,
	PROOF_IN_STRUCTURE = 1 << 2,
	PROOF_IN_ATTRIBUTES = 1 << 3,
	PROOF_IN_CODE = 1 << 4,
	PROOF_IN_STYLE = 1 << 5,
	PROOF_IN_DATA = 1 << 6,
};
enum { PROOF_IN_COUNT = 7 };

/* "text", "links", "structure", "attributes", "code", "style", "data" for 0 to 6; constant. */
const char *proof_in_name(unsigned bit);

struct proof_look {
	slice body;       /* content coding undone; borrowed */
	slice media_type; /* value of Content-Type; empty means HTML */
	int64_t time;     /* when it was asked for, ns since 1970; 0: not known */
};

/* Places that were learned from probes, by their keys (proof/learned.h). */
struct proof_learned;

struct proof_params {
	struct proof_look a, b;
	slice url;                           /* of the page, absolute; empty: not known */
	uint64_t off;                        /* proof_rule_set of rules that are not to act */
	const struct ignore *ignore;         /* rules of the user; NULL: none */
	const struct proof_learned *learned; /* NULL: none */
	bool all; /* find all places; else stop at the first that nothing explains */
};

/* One place where the two differ. A value has a NULL ptr where there is nothing at that side. */
struct proof_place {
	slice where; /* "html>body>form>input[name=zq7]@value" */
	slice rule;  /* that explains it; ptr NULL: nothing does */
	slice a, b;  /* cut at PROOF_SHOWN_MAX, around the first difference */
	slice key;   /* for the learner: where, and how often it differed before; ptr NULL: a rule
		      * explains it */
	enum proof_in in;
	bool is_visible; /* readers see it */
	bool can_learn;  /* no text, link or resource: probes may show that it varies by itself */
};

VEC_DECLARE(proof_places, struct proof_place);

/*
 * Two URLs of one resource, as the two looks name it. The page is the same only if what they
 * lead to is, under these rules: another hash in the name of a script hides another script.
 */
struct proof_duty {
	slice a, b; /* absolute, as far as proof_params.url allows */
};

VEC_DECLARE(proof_duties, struct proof_duty);

struct proof_rule {
	slice name;
	uint64_t count; /* places that it explains */
};

VEC_DECLARE(proof_rules, struct proof_rule);

struct proof {
	enum proof_same same;
	struct proof_places places;
	struct proof_rules rules; /* that were needed, built-in ones in the order of their table */
	struct proof_duties duties;
	unsigned changed_in; /* bits of enum proof_in, of places that nothing explains */
	double masked;       /* share of the visible text in places that built-in or learned rules
			      * explain; the larger of the two */
	const char *limit;   /* that was met, for people; NULL: none */
	bool is_ended;       /* both bodies end in what ends a document of their format, and alike:
			      * neither was cut off before that */
	struct arena arena;  /* owns the texts */
};

/* Compares. 0 or ERR_NOMEM; ret is to be released in both cases. */
int proof_compare(const struct proof_params *params, struct proof *ret) SP_MUST_CHECK;

void proof_release(struct proof *c);

/* "bytes", "normalised", or NULL when different. */
const char *proof_same_name(enum proof_same same);

#endif
