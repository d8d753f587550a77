/*
 * The open elements of a page, as far as tags alone tell: for the places of a view's items.
 */
#ifndef EXTRACT_VIEW_TREE_H
#define EXTRACT_VIEW_TREE_H

#include "extract/view.h"

/* Opens the element of a start tag; it is view.open then, until closed. 0 or ERR_NOMEM. */
int view_tree_open(struct view *v, const struct html_token *token) SP_MUST_CHECK;

/* An element without an end tag: closed as soon as its attributes are read. */
bool view_tree_is_void(const struct html_token *token);

/* Closes the innermost element, or the one of an end tag with all that is open in it. */
void view_tree_leave(struct view *v);
void view_tree_close(struct view *v, const struct html_token *token);

#endif
