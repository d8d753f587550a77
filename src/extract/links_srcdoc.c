#include "extract/links_srcdoc.h"

#include <stdlib.h>

#include "base/err.h"
#include "extract/html_attr.h"

/* Gives each token to take, until that returns something: 0, or that. */
static int each_token(
	slice html, int (*take)(struct links *, const struct html_token *), struct links *l)
{
	struct html_tokenizer *t = malloc(sizeof *t);
	const struct html_token *token;
	int rc;

	if (!t)
		return ERR_NOMEM;
	html_init(t, 0);
	html_feed(t, html);
	html_finish(t);
	while ((rc = html_next(t, &token)) == 0)
		if ((rc = take(l, token)))
			break;
	html_release(t);
	free(t);
	return rc == ERR_END ? 0 : rc;
}

/* The first base element that has an href becomes the base of what follows: ERR_EXISTS then. */
static int take_base(struct links *l, const struct html_token *token)
{
	struct link_base base = {.parent = l->base_number};
	slice href = {0};
	char *copy;
	int rc;

	if (token->kind == HTML_START_TAG && token->tag == HTML_TAG_BASE)
		href = html_attr_value(token, SLICE("href"));
	if (!href.ptr)
		return 0;
	copy = l->bases.len < LINKS_BASES_MAX && href.len <= LINK_URL_MAX
		       ? arena_strdup(&l->arena, href)
		       : NULL;
	if (!copy)
		return ERR_LIMIT;
	base.href = (slice){copy, href.len};
	rc = link_base_vec_push(&l->bases, base);
	if (rc)
		return rc;
	l->base_number = (uint32_t)l->bases.len;
	return ERR_EXISTS;
}

/* It may stand behind the links it counts for, so it is looked for first. */
static int read_document(struct links *l, slice html)
{
	int rc = each_token(html, take_base, l);

	if (rc == 0 || rc == ERR_EXISTS)
		rc = each_token(html, links_token, l);
	if (rc == 0)
		rc = links_finish(l);
	if (rc != ERR_LIMIT)
		return rc;
	l->cut = true;
	return 0;
}

int links_srcdoc(struct links *l, slice html)
{
	bool in_picture = l->in_picture, form_is_get = l->form_is_get;
	uint32_t base_number = l->base_number;
	int rc = links_finish(l); /* a style element cannot go on inside */

	if (rc || html.len == 0)
		return rc;
	if (l->depth == LINKS_SRCDOC_MAX) {
		l->cut = true;
		return 0;
	}
	l->depth++;
	l->in_picture = l->form_is_get = false;
	rc = read_document(l, html);
	l->depth--;
	l->in_picture = in_picture;
	l->form_is_get = form_is_get;
	l->base_number = base_number;
	return rc;
}
