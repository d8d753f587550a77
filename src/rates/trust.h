/*
 * Whether the word of a host counts: Last-Modified of its responses, lastmod of its sitemaps. It
 * does until captures contradict it (page_entry_lies), once, on any of its pages; then it counts
 * nowhere on that host. The two are trusted separately.
 */
#ifndef RATES_TRUST_H
#define RATES_TRUST_H

#include "base/api.h"
#include "base/arena.h"
#include "base/hash.h"
#include "import/page_table.h"

/* "https://example.org" of a page: scheme, host and port. */
slice rates_origin(slice url);

/* Fields are its own. */
struct rates_trust {
	struct arena names;
	struct strmap liars; /* origins with a byte of enum page_word behind */
};

/* Does not move afterwards. */
void rates_trust_init(struct rates_trust *t);
void rates_trust_release(struct rates_trust *t);

/* Finds the liars among the hosts of a table. 0 or ERR_NOMEM. */
int rates_trust_learn(struct rates_trust *t, const struct page_table *table) SP_MUST_CHECK;

/* Whose word counts for a page: a set of enum page_word. */
unsigned rates_trust_of(const struct rates_trust *t, slice url);

#endif
