#include "sim/site.h"

#include <stdlib.h>

void site_release(struct site *s)
{
	free(s->names);
	free(s->survival);
	free(s->weights);
	free(s->link_from);
	free(s->links);
	group_edges_release(&s->requisites);
	strmap_release(&s->ids);
	free(s->page_of_id);
	arena_release(&s->text);
	*s = (struct site){0};
}

bool site_find(const struct site *s, slice name, uint32_t *ret_page)
{
	uint32_t id;

	if (!strmap_get(&s->ids, name, &id))
		return false;
	*ret_page = s->page_of_id[id];
	return true;
}

static int reach(struct u32_vec *list, bool *seen, uint32_t page)
{
	if (seen[page])
		return 0;
	seen[page] = true;
	return u32_vec_push(list, page);
}

int site_reach(const struct site *s, const uint32_t *seeds, size_t seed_count, struct u32_vec *list,
	struct u32_vec *rest)
{
	bool *seen = calloc(s->n + 1, sizeof *seen);
	size_t next = list->len;
	int rc = seen ? 0 : ERR_NOMEM;

	for (size_t i = 0; rc == 0 && i < seed_count; i++)
		rc = reach(list, seen, seeds[i]);
	for (; rc == 0 && next < list->len; next++) {
		uint32_t page = list->ptr[next];

		for (size_t i = s->link_from[page]; rc == 0 && i < s->link_from[page + 1]; i++)
			rc = reach(list, seen, s->links[i]);
	}
	for (uint32_t i = 0; rc == 0 && i < s->n; i++)
		if (!seen[i])
			rc = u32_vec_push(rest, i);
	free(seen);
	return rc;
}
