/*
 * Regular expressions over lines of a page's text: PCRE2 in UTF-8, with limits that hold whatever
 * the expression and the text are. Never compiled to machine code: where a limit is reached, and
 * so what is found, must be the same on every machine.
 */
#ifndef EXTRACT_TEXT_PATTERN_H
#define EXTRACT_TEXT_PATTERN_H

#include <stddef.h>

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"

enum {
	TEXT_PATTERN_MAX = 4096,         /* bytes of an expression */
	TEXT_PATTERN_LINE_MAX = 4096,    /* bytes of a line that are searched */
	TEXT_PATTERN_MATCH_LIMIT = 2000, /* steps of backtracking from one place of the line */
	TEXT_PATTERN_DEPTH_LIMIT = 500,  /* nested backtracking points */
	TEXT_PATTERN_HEAP_LIMIT = 1024,  /* KiB of a match */
};

struct text_pattern;

enum text_pattern_result {
	TEXT_PATTERN_NONE,
	TEXT_PATTERN_FOUND,
	TEXT_PATTERN_GAVE_UP, /* at one of the limits: unknown */
};

/* Bytes [from, to) of a line. */
struct text_span {
	size_t from;
	size_t to;
};

/*
 * Compiles an expression (Perl's syntax, Unicode, case matters unless it says (?i)). 0, ERR_SYNTAX
 * with PCRE2's reason and in *ret_at the offset in bytes, ERR_LIMIT over TEXT_PATTERN_MAX,
 * ERR_NOMEM. The caller frees it with text_pattern_free.
 */
int text_pattern_compile(
	slice text, struct text_pattern **ret, size_t *ret_at, struct err *err) SP_MUST_CHECK;

/* Frees it; NULL is fine. */
void text_pattern_free(struct text_pattern *p);

/*
 * The first match at or behind `from` that is not empty. Beyond TEXT_PATTERN_LINE_MAX nothing is
 * found, nor what reaches up to there. Different threads may ask at once.
 */
enum text_pattern_result text_pattern_find(
	const struct text_pattern *p, slice line, size_t from, struct text_span *ret_span);

#endif
