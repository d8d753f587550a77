/*
 * The normalised digest of a look at a page: status, Location and media type, and all of the body
 * that can be read, followed, seen or sent (extract/view.h). The crawler stores it with the
 * attempt, and verify computes it again from the WARC record, by the same code:
 *
 *	if (normal_applies(fields))
 *		let the body pass through a page (extract/page.h) with a view;
 *	rc = normal_take(&view, result, &n);
 *	if (rc == 0 && n.has_digest)
 *		rc = state_shown(state, &n.view, &n.digest);
 *
 * A WARC revisit record has a head of its own and the body of another record. Equal bodies that
 * were read in the same manner have equal views, so its digest follows from that record's view.
 *
 * Invariants: there is no digest
 *	(1) of anything but HTML and XHTML, named by exactly one Content-Type;
 *	(2) of a body that is not whole, not decoded, or close-delimited;
 *	(3) of a page beyond the limits of a view, without visible text, or of whose visible text
 *	    the rules masked more than NORMAL_MASKED_MAX.
 */
#ifndef QUALITY_NORMAL_H
#define QUALITY_NORMAL_H

#include "base/buf.h"
#include "extract/view.h"
#include "http/state.h"

enum {
	NORMAL_MILLION = 1000000,
	NORMAL_MASKED_MAX = 50000, /* millionths */
	NORMAL_RULES_SIZE = 4096,  /* bytes of their text; what does not fit is left out */
	NORMAL_RULES_MAX = 128,    /* rules that are told apart */
};

struct normal {
	bool is_read;         /* the view is that of the whole body: the rest counts */
	bool has_view;        /* invariants (1) and (3) hold */
	bool has_digest;      /* and (2) */
	struct digest view;   /* of the view */
	struct digest digest; /* the normalised one, which state_shown makes of it */
	unsigned masked;      /* millionths of the visible text, rounded up */
	/* Rules that acted, "NAME=COUNT:MARK …"; MARK is a short hash of what they acted on. */
	char rules[NORMAL_RULES_SIZE];
	/* Name of the user's rule whose required element is missing, that of the book; or empty. */
	slice missing;
};

/* Whether responses with this head have normalised digests. */
bool normal_applies(const struct fields *head);

/*
 * How the body of a response with this head is read: equal numbers, and equal bodies have equal
 * views. What decides is the Content-Type with its charset, and the rules that hold for the page
 * (view.manner; 0 if there is no view).
 */
uint64_t normal_manner(const struct fields *head, uint64_t rules);

/*
 * How a body is read, its content coding included (attempt.coding). A revisit record refers only to
 * a body that is read in the same way, so that what the rules make of it can be computed again from
 * the two records.
 */
uint64_t normal_coding(slice coding, uint64_t manner);

/* Millionths of the visible text that rules masked, rounded up. */
unsigned normal_masked_share(const struct view *v);

/* Whether all of the body passed by, so that what was read of it counts. */
static inline bool normal_is_read(const struct state_result *result)
{
	return result->whole && result->decoded && result->readable;
}

/* Describes the view of a response that came out as result. 0 or ERR_NOMEM. */
int normal_take(const struct view *view, const struct state_result *result,
	struct normal *ret) SP_MUST_CHECK;

struct normal_rule {
	slice name;
	uint64_t count;
};

/*
 * The rules that made two looks equal, by their texts: they acted, and not on the same bytes. The
 * count is the larger one, and names are those of the texts. Returns their number. Names that are
 * not known are left out.
 */
size_t normal_rules_needed(slice a, slice b, struct normal_rule ret[NORMAL_RULES_MAX]);

/* Appends "NAME=COUNT", behind a blank if is_next; returns the length. Out has room for it. */
size_t normal_rule_format(const struct normal_rule *r, bool is_next, char *out, size_t size);

#endif
