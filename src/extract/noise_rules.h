/*
 * The built-in rules that tell noise from content, as one table. A rule names one kind of
 * difference that no reader would call a change: what it covers is left out of the view of a page
 * (extract/view.h), or replaced by "*" or by what it stands for. Switched off, the same material is
 * part of the view as it was written.
 *
 * Every rule decides from one page alone, so that a page has a normalised digest of its own.
 * NOISE_VERSION goes up with every change of what any rule does: digests of two versions are not
 * comparable.
 */
#ifndef EXTRACT_NOISE_RULES_H
#define EXTRACT_NOISE_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

enum { NOISE_VERSION = 1 };

/* clang-format off */
#define NOISE_RULES(X) \
	X(HTML_COMMENTS, "html-comments", \
		"comments, among them those of generators and caches") \
	X(MARKUP, "markup", \
		"elements, styles, event handlers, data- and other attributes that hold no content") \
	X(ATTRIBUTE_ORDER, "attribute-order", \
		"the order of a tag's attributes") \
	X(WHITESPACE, "whitespace", \
		"the amount and kind of white space between words and elements") \
	X(HASHED_CLASSES, "hashed-classes", \
		"class names, hashed by a build or not") \
	X(RANDOM_IDS, "random-ids", \
		"ids of elements, and what refers to them: for, aria-…, href=\"#…\" when random") \
	X(NONCES, "nonces", \
		"nonce and integrity attributes of scripts and styles") \
	X(ASSET_HASHES, "asset-hashes", \
		"addresses of styles, scripts, fonts and icons, which are judged on their own") \
	X(CACHE_BUSTERS, "cache-busters", \
		"query values that only defeat caches, and signatures that expire") \
	X(SESSION_IDS, "session-ids", \
		"session ids and one-time tokens in addresses") \
	X(ONE_TIME_FIELDS, "one-time-fields", \
		"values of hidden CSRF, viewstate, nonce and time fields") \
	X(SCRIPT_CODE, "script-code", \
		"code of scripts and style sheets in the page, without literals that carry content") \
	X(SCRIPT_TOKENS, "script-tokens", \
		"tokens, random ids and clock readings among the literals of scripts and JSON") \
	X(BUILD_IDS, "build-ids", \
		"ids and versions of the software that built the page") \
	X(PERFORMANCE, "performance", \
		"durations and counters of monitoring scripts") \
	X(TRACKING_PIXELS, "tracking-pixels", \
		"images and frames of at most one pixel, which count visits") \
	X(CHALLENGES, "challenges", \
		"scripts by which a content delivery network checks the browser") \
	X(EMAIL, "email-obfuscation", \
		"e-mail addresses that are encoded anew for each download: decoded") \
	X(GENERATED_LINES, "generated-lines", \
		"visible lines such as \"page generated in 0.03 s\", counted as masked text")
/* clang-format on */

enum noise_rule {
#define X(id, name, summary) NOISE_##id,
	NOISE_RULES(X)
#undef X
		NOISE_RULE_COUNT,
};

/* A set of rules: bit 1 << rule. */
typedef uint32_t noise_set;

#define NOISE_DEFAULT ((noise_set)((1U << NOISE_RULE_COUNT) - 1))

static inline bool noise_set_has(noise_set set, enum noise_rule rule)
{
	return set >> rule & 1;
}

/* Both live for ever. */
const char *noise_rule_name(enum noise_rule rule);
const char *noise_rule_summary(enum noise_rule rule);

/* Finds a rule by its name; false when there is none. */
bool noise_rule_find(slice name, enum noise_rule *ret_rule);

/* What the rules did to one page. */
struct noise_tally {
	struct {
		uint64_t count; /* times that it acted */
		uint64_t mark;  /* hash of what it acted on, in order */
	} rules[NOISE_RULE_COUNT];
	uint64_t masked; /* visible characters */
};

/* The rules as they are applied to one page. */
struct noise {
	noise_set set;
	struct noise_tally tally;
};

/* Whether the rule is on; notes then that it acted on these bytes. */
bool noise_applies(struct noise *n, enum noise_rule rule, slice bytes);

/* The same for what happens so often that a number must do: a length, a sum. */
bool noise_applies_number(struct noise *n, enum noise_rule rule, uint64_t number);

#endif
