/*
 * CSS selectors, as far as the stack of open elements decides them (Selectors Level 4): type, *,
 * #id, .class, [attr] with =, ~=, |=, ^=, $=, *= and the flags i and s, descendant, child, and
 * lists with commas. All else is an error with its place.
 *
 *	struct selector_set set;
 *	struct selector_stack stack;
 *
 *	selector_set_init(&set);
 *	rc = selector_set_add(&set, SLICE("div#ads > p, .clock"), &k, &place, &err);
 *	selector_stack_init(&stack, &set, 0);
 *	for each token:
 *		selector_stack_token(&stack, token);
 *		if (selector_stack_is_inside(&stack, k))
 *			the token is in an element that selector k matches
 *
 * How it works: each simple selector of the set is a number, its *feature*. A start tag is turned
 * into the set of its features once, whatever the number of selectors. Each compound of a selector
 * is a *step*. Of every open element the stack knows which steps it matched, and which an element
 * around it did: that decides both combinators. So time is linear in the bytes of the page, with
 * the size of the set as its factor, and memory is bounded by the limits below.
 *
 * Names of elements and attributes match in any case, ids and classes only in theirs; values as
 * written, but for the attributes that HTML lists as exceptions (type, rel, lang, …).
 */
#ifndef FORMATS_SELECTOR_H
#define FORMATS_SELECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/slice.h"
#include "base/vec.h"
#include "formats/html_token.h"

enum {
	SELECTOR_TEXT_MAX = 16 << 10, /* bytes of a list of selectors */
	SELECTOR_SET_MAX = 1 << 20,   /* bytes of all names and values of a set */
	SELECTOR_STEPS_MAX = 4096,    /* compounds of a set */
	SELECTOR_FEATURES_MAX = 8192, /* simple selectors of a set */
	SELECTOR_DEPTH_MAX = 1024,    /* open elements; deeper ones match nothing */
	SELECTOR_REACH = 256,         /* open elements among which a tag looks for those it ends */
};

/* Where an error is, both from 1; columns count characters. */
struct selector_place {
	size_t line;
	size_t column;
};

struct selector_step {
	uint32_t from, count; /* its features, in selector_set.wanted */
	uint32_t selector;    /* the list that it is part of */
	bool first;           /* of its selector */
	bool last;
	bool child; /* the step before it must match the parent, else any ancestor */
};

struct selector_test {
	uint32_t feature;
	uint32_t next; /* the next test of the same attribute, plus one; 0 for none */
	char op;       /* of "=~|^$*", or 0 for presence */
	char flag;     /* 'i', 's' or 0 */
	slice value;
};

VEC_DECLARE(selector_step_vec, struct selector_step);
VEC_DECLARE(selector_test_vec, struct selector_test);
VEC_DECLARE(selector_u32_vec, uint32_t);

/* Fields are its own. Once complete it is only read: several stacks may use it at once. */
struct selector_set {
	struct arena arena;
	struct strmap types, ids, classes; /* name → feature */
	struct strmap attrs;               /* name → index of its first test in tests */
	struct selector_test_vec tests;
	struct selector_step_vec steps;
	struct selector_u32_vec wanted; /* features of steps */
	struct selector_u32_vec starts; /* by selector: its first step */
	uint32_t features;
};

/* An empty set; allocates nothing. */
void selector_set_init(struct selector_set *s);
void selector_set_release(struct selector_set *s);

/*
 * Adds a list of selectors, and gives its number: 0, 1, … . The text is copied as needed. 0,
 * ERR_SYNTAX or ERR_LIMIT with the place in *ret_place (else untouched; NULL: not wanted),
 * ERR_NOMEM. After an error the set is fit for release only.
 */
int selector_set_add(struct selector_set *s, slice text, uint32_t *ret_number,
	struct selector_place *ret_place, struct err *err) SP_MUST_CHECK;

/* How many lists were added. */
static inline size_t selector_set_count(const struct selector_set *s)
{
	return s->starts.len;
}

/* An open element. */
struct selector_level {
	uint64_t name; /* hash of its name */
	enum html_tag tag;
	bool foreign;
	bool inside; /* it or an element around it matches a selector of the set */
};

VEC_DECLARE(selector_level_vec, struct selector_level);
VEC_DECLARE(selector_bits, uint64_t);

/* Fields are its own, but for cut, which may be read. */
struct selector_stack {
	const struct selector_set *set;
	unsigned flags;
	bool cut; /* elements were nested too deeply: what was said of them may be wrong */
	bool pending_close; /* the innermost element is void: the next token is behind it */
	bool has_body;
	size_t beyond; /* open elements below the deepest that is kept */
	size_t words;  /* of a set of steps */
	struct selector_level_vec levels;
	struct selector_bits bits; /* by level: steps matched here, steps matched here or above */
	struct selector_bits features; /* of the element that is being opened */
	struct selector_bits seen;     /* steps that any element matched */
	uint32_t open[HTML_TAG_COUNT]; /* number of open elements by tag */
};

/* Starts a document; flags are of enum html_flags. The set is borrowed. Allocates nothing. */
void selector_stack_init(struct selector_stack *m, const struct selector_set *set, unsigned flags);

/* Starts another document and keeps the memory. */
void selector_stack_reset(struct selector_stack *m, unsigned flags);
void selector_stack_release(struct selector_stack *m);

/*
 * For callers that know the open elements themselves: the element of a start tag is the innermost
 * now; the innermost is closed. Closing what is not open changes nothing.
 */
void selector_stack_open(struct selector_stack *m, const struct html_token *start);
void selector_stack_close(struct selector_stack *m);

/*
 * For all others: takes in the next token of a page. Tags that HTML lets authors leave out are
 * inferred (html, head, body, ends of p, li, dt, dd, tr, td, th, option …). An element without
 * content (img) is the innermost until the next token.
 */
void selector_stack_token(struct selector_stack *m, const struct html_token *token);

/* Whether the innermost element, or one around it, matches selector number k. */
bool selector_stack_is_inside(const struct selector_stack *m, uint32_t k);

/* The same for any selector of the set; fast. */
bool selector_stack_is_inside_any(const struct selector_stack *m);

/* Whether any element of the document so far matched selector number k. */
bool selector_stack_has_seen(const struct selector_stack *m, uint32_t k);

#endif
