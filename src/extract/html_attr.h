/*
 * Attributes of a tag by name, and the numbers of those that may hold links.
 */
#ifndef EXTRACT_HTML_ATTR_H
#define EXTRACT_HTML_ATTR_H

#include "extract/html_token.h"

/* The value of the attribute; .ptr is NULL when it is not there. */
static inline slice html_attr_value(const struct html_token *token, slice name)
{
	for (size_t i = 0; i < token->attr_count; i++)
		if (slice_eq(token->attrs[i].name, name))
			return token->attrs[i].value;
	return (slice){0};
}

#endif
