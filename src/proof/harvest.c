#include "proof/harvest.h"

#include <stdlib.h>

#include "base/mem.h"

struct visit {
	int64_t start;
	uint32_t page;
	bool on_topic;
};

static int by_start(const void *a, const void *b)
{
	const struct visit *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->page < y->page ? -1 : x->page > y->page;
}

static size_t collect(const struct report *r, struct visit *all)
{
	size_t n = 0;

	for (uint32_t i = 0; i < r->pages.len; i++) {
		const struct report_page *p = &r->pages.ptr[i];

		if (p->content == CATALOG_CONTENT_ON_TOPIC ||
			p->content == CATALOG_CONTENT_OFF_TOPIC)
			all[n++] = (struct visit){
				p->visit.start, i, p->content == CATALOG_CONTENT_ON_TOPIC};
	}
	return n;
}

int harvest_count(const struct report *r, struct harvest *ret)
{
	struct visit *all = mem_new(r->pages.len + 1, sizeof *all);
	struct harvest h = {0};

	h.judged = collect(r, all);
	qsort(all, h.judged, sizeof *all, by_start);
	for (size_t step = 0, at = 0; h.judged > 0 && step < HARVEST_STEPS; step++) {
		for (; at < (step + 1) * h.judged / HARVEST_STEPS; at++)
			h.on_topic += all[at].on_topic;
		h.visited[step] = at;
		h.found[step] = h.on_topic;
	}
	free(all);
	*ret = h;
	return 0;
}
