/*
 * How a requisite stands to the page that shows it, as Ainsworth, Nelson and Van de Sompel put it
 * ("A Framework for Evaluation of Composite Memento Temporal Coherence", arXiv:1402.0928; "Only One
 * Out of Five Archived Web Pages Existed as Presented", HT 2015). It asks for capture times and
 * Last-Modified only, so crawls by any tool can be compared by it. Pure.
 *
 * With r the time the page was captured, m the time the requisite was, and l its Last-Modified:
 *
 *	l ≤ r ≤ m, or m = r	prima facie coherent	it existed as archived when the page was
 *							captured
 *	m < r			possibly coherent	captured before; it may have changed since
 *	r < m, l unknown	probably violative	captured after; it may be newer
 *	r < l ≤ m		prima facie violative	it did not exist as archived then
 *
 * An l later than m is no evidence and counts as unknown. When the same content was seen both at or
 * before r and at or after r (their rule on equal entity bodies), it is prima facie coherent
 * whatever l is. Their fifth state, undefined, is for requisites without a capture time: they have
 * no state here.
 *
 * Times are compared as they are given. Other tools know whole seconds (Memento-Datetime,
 * WARC-Date): to compare with these, truncate r and m first.
 */
#ifndef PROOF_COHERENCE_H
#define PROOF_COHERENCE_H

#include <stdbool.h>
#include <stdint.h>

#define COHERENCE_STATES(X)                                       \
	X(COHERENCE_PRIMA_FACIE_COHERENT, "prima-facie-coherent") \
	X(COHERENCE_POSSIBLY_COHERENT, "possibly-coherent")       \
	X(COHERENCE_PROBABLY_VIOLATIVE, "probably-violative")     \
	X(COHERENCE_PRIMA_FACIE_VIOLATIVE, "prima-facie-violative")

enum coherence {
#define X(name, word) name,
	COHERENCE_STATES(X)
#undef X
		COHERENCE_COUNT
};

/* The word; constant. */
const char *coherence_name(enum coherence state);

/* Times in ns. */
struct coherence_facts {
	int64_t page;      /* r */
	int64_t requisite; /* m, of the capture that is shown with the page */
	bool has_last_modified;
	int64_t last_modified; /* l */
	/* Another capture of the requisite with the same content: */
	bool has_other;
	int64_t other;
};

enum coherence coherence_state(const struct coherence_facts *facts);

#endif
