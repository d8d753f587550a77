#include "crawl/worst_sites.h"

#include <string.h>

/* More fails than not: the site is in trouble, not merely a page. */
static bool is_failing(const struct site_progress *s)
{
	return 2 * s->failed > s->done;
}

static bool is_worse(const struct site_progress *a, const struct site_progress *b)
{
	if (is_failing(a) != is_failing(b))
		return is_failing(a);
	if (a->left != b->left)
		return a->left > b->left;
	return strcmp(a->site, b->site) < 0;
}

void worst_sites_add(struct worst_sites *w, const struct site_progress *site)
{
	size_t at = w->len;

	while (at > 0 && is_worse(site, &w->list[at - 1]))
		at--;
	if (at == WORST_SITES_MAX)
		return;
	if (w->len < WORST_SITES_MAX)
		w->len++;
	memmove(&w->list[at + 1], &w->list[at], (w->len - at - 1) * sizeof w->list[0]);
	w->list[at] = *site;
}
