/*
 * Over which intervals of time a page is known to have been in one state: the one place where
 * report, verify, replay and watch compute this. Pure.
 *
 *	struct intervals x;
 *
 *	intervals_init(&x, &terms);
 *	for each look at the page, in the order in which they were made:
 *		intervals_add(&x, &look);
 *	intervals_finish(&x);
 *	x.proven, x.bytes, x.asserted, x.retired: sorted by time
 *	x.trust: whether the page's validators were caught lying
 *
 * *Proven* (DESIGN, "What sharp means, exactly"): a server samples a page somewhere between our
 * request and its last byte. So two looks in a row that show the same state prove it from the end
 * of the first to the beginning of the second; a run of such looks proves it from the end of its
 * first to the beginning of its last. In a row means: without another usable look between them.
 * Looks that are not usable (failed, cut short, blocked, 304, status 5xx …) show nothing and are
 * passed over. A change that is undone between two looks is not seen.
 *
 * Same state means: equal digests of states (`bytes`), or of one class (`normalised`,
 * warc/attempt.h). A page that is missing (404, 410) is missing whatever the error page says
 * (`status`).
 *
 * *Asserted*: what the server says goes further. A look with Last-Modified at L asserts its state
 * from L to the beginning of the look. Last-Modified counts whole seconds, so the interval begins
 * at L + 1 s (+ slack for the server's clock). A 304 asserts the state of the look whose validator
 * it answers, from that look to its own beginning. An asserted interval includes what is proven
 * of the same state next to it; without any assertion it is not listed.
 *
 * Trust: nothing is asserted on a host one of whose validators was caught lying, once:
 *
 *	(1) Last-Modified says that the page has not changed since before an earlier look, which
 *	    showed, or was told by a 304, another state;
 *	(2) Last-Modified goes back from one look to a later one;
 *	(3) an ETag comes again with other content.
 *
 * Content is other when neither bytes nor classes are equal: noise is no lie. The
 * lists of a page do not know its host's other pages: whoever shows x.asserted joins the trust of
 * all pages of the host first (validator_trust_join).
 *
 * *Retired*: looks whose responses were retired (archive/retire.h) prove nothing any longer. What
 * they showed is known by its digest: one that showed something else ends what looks before it
 * prove, and one that showed the same as the look before it is passed over. What a run of them
 * proved once is in x.retired.
 *
 * A state that comes again after another (A-B-A) is noted in x.returned: replicas that are not in
 * step show this, and so do edits that are undone.
 *
 * Invariants:
 *	(1) intervals of one list do not overlap, and begin no later than they end;
 *	(2) every interval of `bytes` lies within one of `proven`;
 *	(3) when a look begins before the one before it has ended (the clock was set back), no
 *	    interval reaches over both.
 */
#ifndef PROOF_INTERVALS_H
#define PROOF_INTERVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/slice.h"
#include "base/vec.h"
#include "proof/verdict.h"
#include "warc/attempt.h"

enum {
	INTERVALS_STATES_MAX = 1024,   /* ETags and states of a page that are remembered, of each */
	INTERVALS_ETAG_SIZE_MAX = 512, /* bytes of one; longer ones are not looked at */
};

/* Both ends belong to it. */
struct interval {
	int64_t from, to; /* wall, ns */
	enum same_by evidence;
	uint32_t first, last; /* looks that prove it: their numbers in the order of adding */
	unsigned status;      /* of the looks; of missing pages that of the first */
};

VEC_DECLARE(interval_vec, struct interval);

/* How validators lied. */
enum validator_lie {
	VALIDATOR_MODIFIED_UNCHANGED = 1, /* (1) */
	VALIDATOR_MODIFIED_BACK = 2,      /* (2): a sign of replicas, too */
	VALIDATOR_ETAG_REUSED = 4,        /* (3) */
};

/* Zero-initialise: honest so far. */
struct validator_trust {
	unsigned lies; /* of enum validator_lie */
};

/* Adds what one page showed to what is known of its host. */
void validator_trust_join(struct validator_trust *host, const struct validator_trust *page);

static inline bool validator_trust_holds(const struct validator_trust *t)
{
	return t->lies == 0;
}

struct intervals_terms {
	int64_t slack;       /* ns, at least 0: how far the server's clock may be ahead of ours */
	struct hash_key key; /* of its tables: random, since ETags come from servers */
};

/* A run of looks at one state; its own. */
struct interval_run {
	bool open;
	bool asserted;
	struct interval interval;
};

VEC_DECLARE(interval_looks, struct observation);

/* The four lists and trust may be read, the rest is its own. */
struct intervals {
	struct interval_vec bytes; /* by bytes alone */
	struct interval_vec
		proven; /* by bytes or normalised; evidence is the weaker of its looks */
	struct interval_vec asserted; /* if the host's trust holds */
	struct interval_vec retired;  /* proven once, by looks that were retired */
	struct validator_trust trust; /* of this page */
	bool returned; /* a state came again after another, A-B-A: a sign of replicas */
	struct intervals_terms terms;
	uint32_t count; /* looks */
	bool has_last;
	struct observation last; /* usable; its etag is not kept */
	struct interval_run run_bytes, run_proven, run_asserted, run_retired;
	struct observation last_retired; /* that run_retired ends with */
	bool has_modified;
	int64_t modified; /* Last-Modified, the last one seen */
	int64_t told;     /* begin of the last look that showed, or was told, the state of `last` */
	bool has_other;
	int64_t other_begin; /* the same of the state before */
	struct arena arena;
	struct strmap etags; /* → index in etag_looks */
	struct interval_looks etag_looks;
	struct strmap states; /* digests that were seen */
};

/* terms are copied. Allocates nothing. */
void intervals_init(struct intervals *x, const struct intervals_terms *terms);
void intervals_release(struct intervals *x);

/* The next look. */
void intervals_add(struct intervals *x, const struct observation *look);

/* All looks are there: ends and sorts the lists. */
void intervals_finish(struct intervals *x);

/* Whether it says that there is no page. */
bool interval_is_absent(const struct interval *interval);

/* The interval of a sorted list that contains the instant, or NULL; valid as long as the list. */
const struct interval *intervals_at(const struct interval_vec *list, int64_t instant);
const struct interval *intervals_find(const struct interval *list, size_t count, int64_t instant);

#endif
