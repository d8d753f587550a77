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
#ifndef FRONTIER_DUST_FORM_H
#define FRONTIER_DUST_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/lists.h"
#include "url/url.h"

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

/* Constant. */
const char *dust_kind_name(enum dust_kind kind);

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

/* Whether they differ in that parameter, of which the form knows nothing more. */
bool dust_form_differs_in(const struct dust_form *a, const struct dust_form *b, slice name);

#endif
