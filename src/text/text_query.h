/*
 * What a reader types to search: words, which must all occur; "several words" in quotes stand next
 * to each other; word* is the beginning of a word. Everything else is text: no input is an error
 * but one without words.
 */
#ifndef TEXT_TEXT_QUERY_H
#define TEXT_TEXT_QUERY_H

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"

enum {
	TEXT_QUERY_MAX = 2000,      /* bytes that are typed */
	TEXT_QUERY_WORDS_MAX = 100, /* words and phrases */
	TEXT_EXPRESSION_MAX = 16384,
};

/* Appends it as an expression of FTS5. 0, ERR_USAGE with a sentence, ERR_NOMEM. */
int text_query_parse(slice typed, struct buf *ret_expression, struct err *err) SP_MUST_CHECK;

#endif
