/* Rules by which URLs show what another one shows. */
#ifndef CRAWL_DUST_H
#define CRAWL_DUST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/lists.h"
#include "base/nummap.h"
#include "formats/url.h"

/* ---- forms of URLs ---- */

/*
 * DUST: different URLs with similar text (Bar-Yossef, Keidar, Schonfeld, "Do not crawl in the
 * DUST", 2007). The form of a URL is what is left of it when all is taken off that often changes
 * nothing. URLs of the same form may show the same page; nothing is decided here.
 *
 *	http://www.example.org/A/index.html?b=1&a=2&utm_source=x    example.org/a?a=2&b=1
 *
 * The traits say what was taken off: where two URLs of a form differ, there are the rules that
 * would have to hold. Pure; reads foreign URLs in linear time (but for sorting at most
 * DUST_FIELDS_MAX fields).
 */

/* Numbers are stored in catalogs: new ones go before DUST_PARAMETER's successor, the end. */
/* clang-format off */
#define DUST_KIND_LIST(X) \
	X(DUST_SCHEME, "scheme")            /* http and https */ \
	X(DUST_WWW, "www") \
	X(DUST_SPELLING, "spelling")        /* escapes that need not be, "//", "?" with nothing */ \
	X(DUST_CASE, "case")                /* of the path */ \
	X(DUST_SLASH, "trailing-slash") \
	X(DUST_INDEX, "index.html") \
	X(DUST_DEFAULT, "default-document") /* index.php, default.asp, home.html, … */ \
	X(DUST_PRINT, "print-version") \
	X(DUST_SESSION, "session-id") \
	X(DUST_TRACKING, "tracking-parameter") \
	X(DUST_ORDER, "parameter-order") \
	X(DUST_PARAMETER, "parameter")      /* one that turned out to change nothing */ \
	X(DUST_MIRROR, "mirror")            /* another host */
/* clang-format on */

enum dust_kind {
#define X(id, name) id,
	DUST_KIND_LIST(X)
#undef X
		DUST_KIND_COUNT,
};

enum { DUST_FIELDS_MAX = 32 }; /* of a query; URLs with more have no form */

/* What holds on a site. */
struct dust_terms {
	unsigned off;                       /* set of kinds that do not hold there: bits */
	const struct slice_vec *parameters; /* names that change nothing; NULL: none */
	bool any_host;                      /* forms are those of all hosts: DUST_MIRROR */
};

/* A field of the query that is no session id and no tracking. */
struct dust_field {
	slice name, value;
	slice text; /* as it stands */
	bool dropped;
};

/* Slices are of the URL, but for the key. */
struct dust_form {
	slice key;                        /* in the buffer */
	size_t head;                      /* its first bytes: up to the query */
	uint64_t traits[DUST_KIND_COUNT]; /* 0: nothing was taken off */
	struct dust_field fields[DUST_FIELDS_MAX];
	size_t field_count;
};

/*
 * Whose terms hold for a URL, in place of what out holds: its host without "www.", its port, and
 * the directory that its form has when all kinds hold. So it is the same for all URLs of a class.
 */
int dust_directory(struct buf *out, const struct url *u) SP_MUST_CHECK;

/*
 * Makes the form of an http or https URL, in place of what out holds. *ret_has is false for one
 * that has none. 0, ERR_LIMIT, ERR_NOMEM.
 */
int dust_form(struct buf *out, const struct url *u, const struct dust_terms *terms,
	struct dust_form *ret, bool *ret_has) SP_MUST_CHECK;

/* The key without one of the fields (or with all: field_count), in place of what out holds. */
int dust_form_without(struct buf *out, const struct dust_form *form, size_t field) SP_MUST_CHECK;

/* Kinds in which two URLs of the same form differ, as bits; parameters are one of them. */
unsigned dust_form_differences(const struct dust_form *a, const struct dust_form *b);

/* Whether both have the same host, but for "www.", and port. */
bool dust_is_same_site(const struct url *a, const struct url *b);

/* Letters and digits that nobody would write by hand: a session id, a digest. */
bool dust_is_token(slice value);

/* The field of a parameter that was dropped, as it stands; {0} without one. */
slice dust_form_value(const struct dust_form *form, slice name);

/* ---- rules ---- */

/*
 * Rules about URLs that show the same page (DUST), and what speaks for them. A rule is a kind of
 * difference (see above) in a directory of a site: "index.html at example.org/a/". Servers decide
 * by directory what shows the same: one directory says nothing against a rule in another one. The
 * rules of a kind in all directories share a tally.
 *
 * URLs of the same form are a class. The first page of a class that was visited stands for it. When
 * a second one is visited, the two agree or disagree, and so do the rules by which they differ:
 *
 *	learning    nothing is known yet
 *	tried       URLs are left out for now, and some of them are checked by requests
 *	holds       the checks agreed; from time to time another one is made
 *	withdrawn   something disagreed: for good
 *
 * Invariants:
 *	(1) A withdrawn rule never comes back, and no form uses it.
 *	(2) A URL is left out only if all rules by which it differs from the page that stands for
 *	    its class are tried or hold.
 *
 * Memory is 16 bytes for each URL that has a form, and as many for each page with a query; at most
 * DUST_RULES_MAX rules. Directories beyond DUST_SITES_MAX count as one. No I/O.
 */

enum {
	DUST_RULES_MAX = 8192,
	DUST_SITES_MAX = 16384,   /* directories with rules of their own */
	DUST_PARAMETERS_MAX = 32, /* rules about parameters in one directory */
	DUST_VALUES_MAX = 8,      /* of a parameter: if that many change nothing, others do not */
};

#define DUST_NONE UINT32_MAX

enum dust_state { DUST_LEARNING, DUST_TRIED, DUST_HOLDS, DUST_WITHDRAWN, DUST_STATE_COUNT };

/* A value of a parameter. */
struct dust_value {
	uint64_t hash;
	uint32_t page; /* that has it, and was left out */
	uint32_t rule; /* that left it out */
	bool is_sent;  /* a check */
	bool is_confirmed;
};

/* What all directories say about a kind of difference. Fields may be changed. */
struct dust_tally {
	uint32_t rules;             /* directories */
	uint32_t refuted;           /* of them: pages said that the rule does not hold there */
	uint32_t passed, under_way; /* checks */
	bool is_mixed;              /* no page speaks for its directory: each URL is checked */
	struct dust_value values[DUST_VALUES_MAX]; /* of a parameter */
	uint32_t value_count;
};

/* Fields are to be read. */
struct dust_rule {
	uint32_t site;
	uint8_t kind;               /* enum dust_kind */
	uint8_t state;              /* enum dust_state */
	bool changed;               /* since the caller cleared it */
	bool applied;               /* URLs were left out */
	slice detail;               /* name of the parameter, or empty */
	uint32_t agreed, disagreed; /* pairs of pages */
	uint32_t sent, passed;      /* checks */
	uint32_t under_way;         /* of the sent ones */
	uint64_t urls;              /* that it would save, as the caller counted */
	struct u32_vec saved;       /* pages that were left out by it */
	size_t next;                /* of these: to be looked at for the next check */
	uint32_t tally;
};

/* A directory of a site. */
struct dust_site {
	slice name;
	unsigned off;                    /* withdrawn kinds */
	struct slice_vec parameters;     /* that are tried or hold */
	uint32_t rules[DUST_KIND_COUNT]; /* number plus one; of parameters: the first one */
	uint32_t parameter_rules;        /* how many there are */
};

VEC_DECLARE(dust_rules, struct dust_rule);
VEC_DECLARE(dust_sites, struct dust_site);
VEC_DECLARE(dust_tallies, struct dust_tally);

/* Fields may be read. */
struct dust {
	struct hash_key key;
	struct arena arena;
	struct strmap site_numbers;
	struct dust_sites sites;
	struct dust_rules rules;
	struct strmap tally_numbers; /* by kind and detail */
	struct dust_tallies tallies;
	/* A page that stands for others of the same hash, and another one of them. */
	struct nummap classes;  /* by form */
	struct nummap siblings; /* visited pages, by form without one of their fields */
	struct buf name;        /* scratch */
	uint32_t terms;         /* changes whenever a URL may have another form */
	bool is_eager;          /* rules are tried at once, but for those about parameters */
};

/* is_eager: rules begin as tried, but for those about parameters, which need a reason. */
void dust_init(struct dust *d, struct hash_key key, bool is_eager);
void dust_release(struct dust *d);

/* The directory of a URL, which is added if it is new: 0, ERR_NOMEM, ERR_LIMIT. */
int dust_site(struct dust *d, const struct url *url, uint32_t *ret) SP_MUST_CHECK;

/* The same by its name. */
int dust_site_of_name(struct dust *d, slice name, uint32_t *ret) SP_MUST_CHECK;

/* The form of a URL by the rules of its directory; as dust_form. */
int dust_form_of(struct dust *d, struct buf *out, const struct url *url, struct dust_form *ret,
	bool *ret_has) SP_MUST_CHECK;

/* The rule of a kind in a directory, which is added if it is new; DUST_NONE when there are too
 * many. */
int dust_rule_of(struct dust *d, uint32_t site, enum dust_kind kind, slice detail,
	uint32_t *ret) SP_MUST_CHECK;

/* Whether there is such a rule. */
bool dust_knows(const struct dust *d, uint32_t site, enum dust_kind kind, slice detail);

/* Appends "KIND DETAIL at SITE". */
int dust_rule_name(const struct dust *d, uint32_t rule, struct buf *out) SP_MUST_CHECK;

/*
 * The rules by which two URLs of the same form on one site differ; at most max. *ret_count is
 * max + 1 when there are more, or one of them cannot have a rule.
 */
int dust_rules_between(struct dust *d, uint32_t site, const struct dust_form *a,
	const struct dust_form *b, uint32_t *out, size_t max, size_t *ret_count) SP_MUST_CHECK;

/* Withdraws a rule for good: forms no longer use it. */
void dust_withdraw(struct dust *d, uint32_t rule);

/* A parameter is tried from now on: forms leave it out. 0 or ERR_NOMEM. */
int dust_try(struct dust *d, uint32_t rule) SP_MUST_CHECK;

/* A URL with this value of its parameter was left out by a rule, or turned out to change nothing.
 */
void dust_note_value(struct dust_tally *t, uint64_t hash, uint32_t page, uint32_t rule);
void dust_confirm_value(struct dust_tally *t, uint64_t hash);

/* Whether the value changes nothing: it was checked, or DUST_VALUES_MAX others were. */
bool dust_value_is_confirmed(const struct dust_tally *t, uint64_t hash);

uint64_t dust_hash(const struct dust *d, slice text);

#endif
