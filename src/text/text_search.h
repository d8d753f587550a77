/* Searching in the full text index. */
#ifndef TEXT_TEXT_SEARCH_H
#define TEXT_TEXT_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include "text/text_index.h"

/* ---- queries ---- */

/*
 * What a reader types to search: words, which must all occur; "several words" in quotes stand next
 * to each other; word* is the beginning of a word. Everything else is text: no input is an error
 * but one without words.
 */

enum {
	TEXT_QUERY_MAX = 2000,      /* bytes that are typed */
	TEXT_QUERY_WORDS_MAX = 100, /* words and phrases */
	TEXT_EXPRESSION_MAX = 16384,
};

/* Appends it as an expression of FTS5. 0, ERR_USAGE with a sentence, ERR_NOMEM. */
int text_query_parse(slice typed, struct buf *ret_expression, struct err *err) SP_MUST_CHECK;

/* ---- search ---- */

/*
 * Searching a full text index: docs that have all words, the best first (BM25; a word in the title
 * counts ten times), and what to show of a page. One thread at a time.
 */

enum {
	TEXT_SNIPPET_TEXT_MAX = 4 << 20, /* bytes of a page in which a snippet is looked for */
	TEXT_SNIPPET_MAX = 64 << 10,
};

/* Words that were searched for stand between these in a snippet. */
#define TEXT_MARK_BEGIN '\x02'
#define TEXT_MARK_END   '\x03'

struct text_search; /* opaque */

/* Asked again and again while a search runs. */
struct text_patience {
	bool (*goes_on)(void *context); /* false: the search ends with ERR_STOPPED */
	void *context;
};

/*
 * patience is copied; NULL: there is no end of it. 0, ERR_NOTFOUND without such a file, ERR_USAGE
 * for what cannot be searched for, ERR_IO, …
 */
int text_search_open(const char *path, slice typed, const struct text_patience *patience,
	struct text_search **ret, struct err *err) SP_MUST_CHECK;
void text_search_close(struct text_search *s); /* NULL is fine */

/* The next one, its URL valid until the next call: 0, ERR_END, ERR_STOPPED, ERR_IO, ERR_NOMEM.
 */
int text_search_next(
	struct text_search *s, int64_t *ret_doc, slice *ret_url, struct err *err) SP_MUST_CHECK;

/* Which doc a version of a page is: 0, ERR_NOTFOUND when it is not in the index, ERR_IO, … */
int text_search_doc(struct text_search *s, const struct text_version *version, int64_t *ret_doc,
	struct err *err) SP_MUST_CHECK;

/* Replaces out by some words of the text around those searched for: 0, ERR_IO, ERR_NOMEM. */
int text_search_snippet(struct text_search *s, slice title, slice text, struct buf *out,
	struct err *err) SP_MUST_CHECK;

#endif
