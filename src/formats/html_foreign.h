/*
 * Whether a tag belongs to SVG or MathML, after HTML 13.2.6 ("adjusted current node") and 13.2.6.5
 * (foreign content), without a tree: a stack of the svg and math elements that are open and of
 * the elements inside them in which HTML starts anew (integration points). What differs from a real
 * tree: an end tag that closes an element around an unclosed <svg> is known by its name alone, and
 * beyond HTML_FOREIGN_MAX nothing more is pushed.
 */
#ifndef FORMATS_HTML_FOREIGN_H
#define FORMATS_HTML_FOREIGN_H

#include "formats/html_token.h"

/* Sets `foreign` of the tag just read, and follows it in or out. */
void html_foreign_tag(struct html_tokenizer *t);

/* Whether what comes next is foreign content, where CDATA sections are. */
bool html_in_foreign(const struct html_tokenizer *t);

#endif
