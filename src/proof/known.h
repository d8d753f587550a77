/*
 * What is known of the pages of a capture over time: the intervals over which each is proven, and
 * over which its server asserts it (intervals.h), with the trust of hosts, and the instant that
 * most proven intervals contain. One iterator over looks, for the report and whoever else asks what
 * is known at an instant:
 *
 *	for each page:
 *		for each of its attempts, in any order:
 *			known_look(&k, attempt, &shown);
 *		known_page(&k, page, url);
 *	known_finish(&k, &window);
 *	known_proven(&k, page, &count), known_asserted(&k, page, &count)
 *
 * Probes for variants and languages are no looks: they ask for something else.
 */
#ifndef PROOF_KNOWN_H
#define PROOF_KNOWN_H

#include "proof/intervals.h"
#include "proof/quality_words.h"
#include "proof/stillpoint.h"
#include "proof/verdict.h"
#include "warc/attempt.h"

/* Where the intervals of a page are, and whose it is. */
struct known_page {
	uint32_t proven, asserted, retired; /* first of each list */
	uint32_t proven_count, asserted_count, retired_count;
	uint32_t host;
	bool returned; /* A-B-A */
};

VEC_DECLARE(known_pages, struct known_page);
VEC_DECLARE(known_looks, struct observation);

struct known_host {
	struct validator_trust trust;
	bool divergent; /* its replicas are not in step */
};

VEC_DECLARE(known_hosts, struct known_host);

/* Fields may be read, not written. */
struct known {
	struct interval_vec proven, asserted, retired;
	struct known_pages pages; /* by number; those without a look may be missing at the end */
	struct known_hosts hosts; /* by the number of their name */
	struct best_instant best; /* proven is 0 when there is none */
	/* The rest is its own. */
	struct hash_key key;
	struct words names;
	struct arena arena;
	struct known_looks looks; /* of the page that is coming */
	struct arena etags;       /* theirs */
};

void known_init(struct known *k);
void known_release(struct known *k);

/* What an attempt adds to the looks at its page; false when it is none. Borrows the ETag. */
bool known_look_of(
	const struct attempt *a, const struct observation *shown, struct observation *ret);

void known_look(struct known *k, const struct attempt *a, const struct observation *shown);

/* The looks of the page that is coming show nothing of it after all. */
void known_forget(struct known *k);

/*
 * Of the page that is coming: its looks that began from one instant to the other show the same
 * under learned rules: they are of this class.
 */
void known_share(struct known *k, int64_t from, int64_t to, const struct digest *shown);

void known_page(struct known *k, uint32_t page, slice url);
void known_finish(struct known *k, const struct stillpoint *window);

/* Sorted by time; those that hosts without trust assert are left out. */
const struct interval *known_proven(const struct known *k, uint32_t page, size_t *ret_count);
const struct interval *known_asserted(const struct known *k, uint32_t page, size_t *ret_count);

/* What was proven once, by responses that were retired; sorted by time. */
const struct interval *known_retired(const struct known *k, uint32_t page, size_t *ret_count);

/* "https://example.org:8443" of a page's URL: whose trust it shares. */
slice known_origin(slice url);

/* Whether replicas of the page's host show different states. */
bool known_is_divergent(const struct known *k, uint32_t page);

#endif
