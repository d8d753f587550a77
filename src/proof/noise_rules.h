/*
 * The built-in rules that recognise noise, as one table (rule set version 2). A rule names one kind
 * of difference that is no change of the page: a place where such values live, and a test that the
 * values of both sides pass.
 *
 * NOISE_RULES_VERSION goes up when a version was released whose captures other rules have judged.
 */
#ifndef PROOF_NOISE_RULES_H
#define PROOF_NOISE_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"

enum { NOISE_RULES_VERSION = 2 };

/* clang-format off */
#define PROOF_RULES(X) \
	X(ATTRIBUTE_ORDER, "attribute-order", "the order of the attributes of a tag") \
	X(CLASS_ORDER, "class-order", "the order of the words of a class attribute") \
	X(SPELLING, "spelling", "the same tag, text or value written in another way") \
	X(EMAIL, "email-encoding", "an e-mail address that a server encodes anew") \
	X(WHITE_SPACE, "white-space", "white space that is not shown or means nothing") \
	X(COMMENT, "comment", "comments, but for those that browsers, servers or scripts read") \
	X(SCRIPT_COMMENT, "script-comment", "comments in scripts") \
	X(CSS_COMMENT, "css-comment", "comments in style sheets") \
	X(TOKEN, "token", "secrets of forms and sessions in fields, keys and parameters named so") \
	X(PAGE_STATE, "page-state", "the encoded state of a page of ASP.NET") \
	X(REQUEST_ID, "request-id", "random ids of requests, sessions, visitors in places named so") \
	X(GENERATED_TIME, "generated-time", "times in places named so that fit both looks") \
	X(TIMING, "timing", "how long the server took, in places named so") \
	X(BUILD_ID, "build-id", "random ids of a build in places named so") \
	X(NONCE, "nonce", "the attribute nonce") \
	X(INTEGRITY, "integrity", "the attribute integrity; the resource must be the same") \
	X(ASSET_QUERY, "asset-query", "version of a script or style in its query; must be the same") \
	X(ASSET_HASH, "asset-hash", "hash in the path of a script or style; must be the same") \
	X(ASSET_REGION, "asset-region", "a script or style of another region; must be the same") \
	X(MOVED_DATA, "moved-data", "a block of inert data that stands elsewhere") \
	X(IMAGE_QUERY, "image-query", "random part or date in a picture's query; must be the same") \
	X(SESSION_URL, "session-url", "ids of sessions and of their pages in addresses") \
	X(SAME_ADDRESS, "same-address", "an address of the same host with and without the host") \
	X(RENAME, "rename", "generated ids and classes, one for one and all over the page") \
	X(RELATIVE_TIME, "relative-time", "ages that grow with the time between the looks") \
	X(GENERATED_IN, "generated-in", "how long a page took, in known footers") \
	X(GENERATED_AT, "generated-at", "when a page was made, in known footers; fits both looks") \
	X(VISIBLE_ID, "visible-id", "ids of requests that are shown: Ray ID, request ID") \
	X(CDN_CHALLENGE, "cdn-challenge", "parameters of Cloudflare's challenge script") \
	X(CDN_LOADER, "cdn-loader", "types that Cloudflare's loader gives scripts") \
	X(CDN_BEACON, "cdn-beacon", "data of Cloudflare's analytics beacon") \
	X(AMP_VERSION, "amp-version", "version of the AMP runtime") \
	X(TRACKING_PIXEL, "tracking-pixel", "times in the address of an invisible picture")
/* clang-format on */

enum proof_rule_id {
#define X(id, name, summary) RULE_##id,
	PROOF_RULES(X)
#undef X
		RULE_COUNT,
};

/* A set of rules: bit 1 << rule. */
typedef uint64_t proof_rule_set;

/* Both live for ever. */
const char *proof_rule_name(enum proof_rule_id rule);
const char *proof_rule_summary(enum proof_rule_id rule);

/* Finds a rule by its name; false when there is none. */
bool proof_rule_find(slice name, enum proof_rule_id *ret_rule);

/* The same for a name that a user wrote: 0, or ERR_USAGE with a sentence that proposes one. */
int proof_rule_read(const char *name, enum proof_rule_id *ret_rule, struct err *err) SP_MUST_CHECK;

#endif
