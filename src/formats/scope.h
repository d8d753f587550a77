/*
 * What belongs to a capture. A scope is made of areas (what its seeds stand for, SURT prefixes, a
 * list), of expressions that take in more, and of expressions that keep out. The order of deciding:
 *
 *  1. what is not http or https is out;
 *  2. what an exclude expression matches is out, whatever else takes it in; so is what an exclude
 *     expression gave up on, for it may well have been meant;
 *  3. what lies in an area is in;
 *  4. what an include expression matches is in;
 *  5. a requisite of something that is in is in, and so are its own requisites, whatever their
 *     hosts, up to requisite_hops outside in a row: a frame, its style sheet, what that imports, …;
 *  6. everything else is out.
 *
 * A decision names the rule that made it. Expressions see the URL without its fragment.
 */
#ifndef FORMATS_SCOPE_H
#define FORMATS_SCOPE_H

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/vec.h"
#include "formats/url.h"
#include "formats/url_pattern.h"

enum {
	SCOPE_AREAS_MAX = 10000,    /* seeds and SURT prefixes, lists not counted */
	SCOPE_PATTERNS_MAX = 1000,  /* include and exclude expressions, each */
	SCOPE_TEXT_MAX = 512 << 20, /* bytes of all lists and areas */
	SCOPE_REQUISITE_HOPS_DEFAULT = 5,
};

/* What a seed stands for. */
enum scope_kind {
	SCOPE_PAGE,   /* itself alone */
	SCOPE_PREFIX, /* its directory: same host and port, path up to the last slash */
	SCOPE_HOST,   /* same host and port */
	SCOPE_DOMAIN, /* the registrable domain of its host, on any port; of an address, SCOPE_HOST
		       */
};

enum scope_rule {
	SCOPE_RULE_SCHEME,  /* neither http nor https */
	SCOPE_RULE_EXCLUDE, /* an exclude expression */
	SCOPE_RULE_GAVE_UP, /* an exclude expression that gave up */
	SCOPE_RULE_PAGE,    /* a seed of SCOPE_PAGE */
	SCOPE_RULE_PREFIX,  /* the area of a seed, by its kind */
	SCOPE_RULE_HOST,
	SCOPE_RULE_DOMAIN,
	SCOPE_RULE_SURT,      /* a SURT prefix */
	SCOPE_RULE_INCLUDE,   /* an include expression */
	SCOPE_RULE_REQUISITE, /* needed by something that is in */
	SCOPE_RULE_OUTSIDE,   /* nothing took it in */
};

/* How a URL was found. */
struct scope_link {
	bool requisite;    /* embedded, not merely linked */
	unsigned hops_out; /* of the referrer's own decision */
	bool redirect;     /* the referrer redirects to it: stands in its place */
};

/* Requisites in a row outside, if the link leads outside: that of a redirect is its target. */
static inline unsigned scope_link_hops(struct scope_link link)
{
	return link.redirect && link.hops_out > 0 ? link.hops_out : link.hops_out + 1;
}

struct scope_decision {
	bool in;
	enum scope_rule rule;
	unsigned hops_out; /* requisites in a row that were outside, this one too, also when they
			      are too many; 0 inside, and for what is out by another rule */
	slice text; /* of the rule (expression, host, …), borrowed from the scope; or empty */
};

struct scope_area {
	enum scope_rule rule; /* PREFIX, HOST, DOMAIN or SURT */
	int32_t port;
	slice host;
	slice text; /* what the rule is called: prefix, host, domain, SURT prefix */
	slice path; /* of a prefix; begins and ends with a slash */
};

VEC_DECLARE(scope_area_vec, struct scope_area);
VEC_DECLARE(scope_pattern_vec, struct pattern *);

/* Fields are the scope's own. */
struct scope {
	unsigned requisite_hops;
	bool has_surt;
	struct arena arena;
	struct strmap pages;
	struct scope_area_vec areas;
	struct scope_pattern_vec includes, excludes;
};

/* A scope that nothing is in; allocates nothing. */
void scope_init(struct scope *s, unsigned requisite_hops);
void scope_release(struct scope *s);

/*
 * Add to the scope; what is given is copied. 0, ERR_LIMIT at one of the maxima above, ERR_NOMEM, or
 * as said; then err has a sentence and the scope is as before.
 */

/* ERR_SYNTAX for a seed that is neither http nor https. */
int scope_add_seed(struct scope *s, const struct url *seed, enum scope_kind kind,
	struct err *err) SP_MUST_CHECK;

/*
 * A SURT prefix, in our spelling (org,example)/a), or in Heritrix's (http://(org,example,www,)/a):
 * the scheme is dropped, case does not matter. A prefix that ends in a comma, org,example, takes in
 * the host and all below it; one that ends in the middle of a name takes in all that begin so.
 * ERR_SYNTAX when nothing is left of it.
 */
int scope_add_surt(struct scope *s, slice prefix, struct err *err) SP_MUST_CHECK;

/* ERR_SYNTAX for an expression that is none. */
int scope_add_include(struct scope *s, slice expression, struct err *err) SP_MUST_CHECK;
int scope_add_exclude(struct scope *s, slice expression, struct err *err) SP_MUST_CHECK;

/* Decides about a URL. Cannot fail; different threads may ask at once. */
struct scope_decision scope_decide(
	const struct scope *s, const struct url *u, struct scope_link link);

/* Whether an include expression names it, be it in for another reason or not. */
bool scope_names(const struct scope *s, const struct url *u);

/* Appends a phrase for people: `in: host example.org`. 0, ERR_LIMIT or ERR_NOMEM. */
int scope_explain(struct buf *out, const struct scope_decision *d);

#endif
