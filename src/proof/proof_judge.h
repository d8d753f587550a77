/*
 * What the parts of the comparison share: the state of one comparison, places and how they are
 * named, and the parts themselves, one file each.
 *
 * Every part gets two values that differ and returns whether rules explain that. It then has told
 * so by explain(), for each differing place, or by unexplained().
 */
#ifndef PROOF_PROOF_JUDGE_H
#define PROOF_PROOF_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/hash.h"
#include "base/lists.h"
#include "base/vec.h"
#include "formats/url.h"
#include "proof/noise_rules.h"
#include "proof/proof.h"
#include "proof/tokens.h"
#include "proof/values.h"

enum {
	JUDGE_WORK_MAX = 24 << 20, /* cells and tokens that all alignments of a pair may look at */
	JUDGE_DEPTH_MAX = 6,       /* documents in documents */
	JUDGE_MEMORY_MAX = 256 << 20,
};

/* One name that stands for another in the second document. */
struct rename {
	slice a, b;
	slice where;
	bool is_told; /* it stands where others refer to it, or style sheets may: a class, a heading
		       */
	bool is_weak; /* its number alone says nothing … */
	bool is_referred; /* … but the page refers to it */
	bool is_bound;    /* the page itself says what it is for: a label, a style, a script */
};

VEC_DECLARE(rename_vec, struct rename);

struct judge {
	const struct proof_params *params; /* the sides swapped where `swapped` says so */
	struct proof *out;
	struct arena arena; /* texts of the comparison */
	bool swapped;       /* so that the order of the two looks decides nothing */
	bool is_done;       /* nothing more needs to be found */
	int rc;             /* the first error */
	struct value_looks looks;
	uint64_t work; /* that is left */
	unsigned depth;
	uint64_t counts[RULE_COUNT];
	struct u64_counts {
		uint64_t *ptr;
		size_t len;
	} ignored; /* by rule of the user */
	uint64_t learned;
	struct strmap differing; /* places that no rule explains → index of … */
	struct u32_vec differed; /* … how often they differed so far */
	struct rename_vec renames;
	struct strmap renamed; /* "a\0b" → index */
	slice text[2];         /* the documents in UTF-8 */
	const struct proof_tokens *top[2];
	struct strmap names[2]; /* ids, classes and names of elements */
	bool has_names;
	bool is_wicket; /* known with the names: both pages are of Apache Wicket */
	slice nonce[2]; /* of the pages' scripts, the first; empty: none */
	size_t visible[2];
	size_t masked[2];
	size_t unexplained;
	struct ignore_page ignoring[2];
	bool ignores;
	struct url base; /* of the page */
	bool has_base;
	bool is_challenge;  /* the script being read is Cloudflare's */
	bool is_debug_bar;  /* … or PHP Debug Bar's */
	bool is_import_map; /* the script being read is one */
};

/* Where a difference is, from the inside out. Lives on the stack of the part that looks at it. */
struct place {
	const struct place *outer;
	const struct proof_tokens *tokens; /* markup that element is one of; NULL: none */
	uint32_t element;
	slice attr;
	slice address;                     /* of a parameter: all of it */
	const struct proof_tokens *script; /* of a value in a script: all of it … */
	size_t at;                         /* … and which token it is */
	slice key;                         /* of a value in a script, JSON, query or cookie */
	const char *step; /* "json", "html", "text" …: into a document in a value; NULL: none */
	enum proof_in in;
	bool is_visible;
	bool is_address; /* of a link or resource */
	bool is_loaded;  /* of a resource */
	bool is_prose;   /* for people to read */
};

/* --- judge.c --- */

/* Whether a rule may act. */
static inline bool may(const struct judge *j, enum proof_rule_id rule)
{
	return !(j->params->off >> rule & 1);
}

/* Tells that a rule explains a place; false when that rule is off. */
bool explain(struct judge *j, enum proof_rule_id rule, const struct place *p, slice a, slice b);

/* The same for text that readers see: so many of its bytes are masked. */
bool explain_text(struct judge *j, enum proof_rule_id rule, const struct place *p, slice a, slice b,
	size_t masked_a, size_t masked_b);

/* The same for a rule of the user. */
bool explain_ignored(struct judge *j, uint32_t rule, const struct place *p, slice a, slice b);

/*
 * Tells that nothing built in explains a place: true when a learned place does. A side without a
 * value has a NULL ptr.
 */
bool unexplained(struct judge *j, const struct place *p, slice a, slice b);

/*
 * Values that differ have been compared, with so many places known before. Where no rule was named
 * although all was well, nobody has seen the difference: it is unexplained.
 */
bool must_tell(struct judge *j, size_t places, bool good, const struct place *p, slice a, slice b);

void met_limit(struct judge *j, const char *limit);
void failed(struct judge *j, int rc);

/* The two resources of a place must be the same, too. */
void add_duty(struct judge *j, slice a, slice b);

/* The place as text, in the arena of the result. */
slice place_text(struct judge *j, const struct place *p);

/* --- the parts --- */

/* Two documents in UTF-8. */
bool compare_documents(
	struct judge *j, enum proof_format format, slice a, slice b, const struct place *p);

/* Two differing tokens of two documents that were aligned. */
struct pairing {
	const struct proof_tokens *a, *b;
	const struct place *place;
};
bool compare_markup_tokens(struct judge *j, const struct pairing *p, uint32_t i, uint32_t k);
bool compare_script_tokens(struct judge *j, const struct pairing *p, uint32_t i, uint32_t k);
bool compare_css_tokens(struct judge *j, const struct pairing *p, uint32_t i, uint32_t k);

/* A value with a name: of a hidden field, a key, a parameter, a data attribute. */
bool explain_named(struct judge *j, slice name, slice a, slice b, const struct place *p);
bool compare_named(struct judge *j, slice name, slice a, slice b, const struct place *p);

/* --- known_draws.c: by their names and forms --- */
bool are_known_draws(slice name, slice a, slice b, const struct place *p);
bool is_known_name(slice a, slice b);

/* Values that are documents themselves: JSON, HTML, base64 and percent-encoding of such, URLs. */
bool compare_nested(struct judge *j, slice name, slice a, slice b, const struct place *p);

enum url_use {
	URL_ASSET, /* style sheet, script, font, icon: leaves a duty */
	URL_IMAGE,
	URL_LINK,
	URL_DATA, /* in a script: decided by its name */
};
bool compare_urls(struct judge *j, enum url_use use, slice a, slice b, const struct place *p);

bool compare_attr(struct judge *j, const struct proof_element *x, const struct proof_element *y,
	slice name, slice a, slice b, const struct place *p);

/* Text that readers see; plain text, line by line. */
bool compare_text(
	struct judge *j, const struct pairing *pair, uint32_t i, uint32_t k, const struct place *p);
bool compare_plain(struct judge *j, slice a, slice b, const struct place *p);

/* Ids and classes: whether both are made by a program; remembers that one stands for the other. */
bool is_generated_name(struct judge *j, slice a, slice b, bool is_class);
bool compare_names(struct judge *j, slice a, slice b, const struct place *p);

/* Whether the page is one of Apache Wicket, which counts its components and pages. */
bool is_wicket_page(struct judge *j);

/* What refers to an id of the page. */
bool compare_reference(struct judge *j, slice a, slice b, const struct place *p);

/* Whether a is an id, class or name in the first page, and b in the second. */
bool are_page_names(struct judge *j, slice a, slice b);

/* Whether two texts are the same but for the nonce that each page gives its scripts. */
bool have_page_nonces(struct judge *j, slice a, slice b);

/* At the end: all renamings are one-to-one and leave no trace of the old names. */
void check_renames(struct judge *j);

/* Matches tokens: ret_match[i] is the token of b for token i of a, or NO_TOKEN. */
int proof_align(struct judge *j, const struct proof_tokens *a, const struct proof_tokens *b,
	uint32_t *ret_match) SP_MUST_CHECK;

#endif
