/*
 * Regular expressions on URLs: PCRE2, with limits that hold whatever the expression and the URL
 * are. An expression that the user wrote in haste must not stop a crawl.
 */
#ifndef FORMATS_URL_PATTERN_H
#define FORMATS_URL_PATTERN_H

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"

enum {
	PATTERN_MAX = 4096,          /* bytes of an expression */
	PATTERN_MATCH_LIMIT = 20000, /* steps of backtracking from one place of the URL */
	PATTERN_DEPTH_LIMIT = 1000,  /* nested backtracking points */
	PATTERN_HEAP_LIMIT = 1024,   /* KiB of a match */
};

struct pattern;

enum pattern_result {
	PATTERN_NO,
	PATTERN_YES,
	PATTERN_GAVE_UP, /* at one of the limits: nobody knows */
};

/*
 * Compiles an expression (Perl's syntax, bytes, case matters unless it says (?i)); unanchored. 0,
 * ERR_SYNTAX with PCRE2's reason and where, ERR_LIMIT over PATTERN_MAX, ERR_NOMEM. The caller frees
 * it with pattern_free.
 */
int pattern_compile(slice text, struct pattern **ret, struct err *err) SP_MUST_CHECK;

/* Frees it; NULL is fine. */
void pattern_free(struct pattern *p);

/* Whether it matches anywhere in s. Different threads may ask at once. */
enum pattern_result pattern_match(const struct pattern *p, slice s);

/* The expression as given; valid as long as p. */
slice pattern_text(const struct pattern *p);

#endif
