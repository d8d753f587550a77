#include "proof/link_graph.h"

#include <stdlib.h>

#include "base/mem.h"
#include "plan/rank_graph.h"
#include "proof/composite.h"

#define NO_PLACE UINT32_MAX

struct loading {
	const uint32_t *place; /* by page of the report: its number in the graph, or NO_PLACE */
	size_t pages;          /* of the report */
	struct rank_edges edges;
	struct u32_vec targets;
	struct err *err;
};

static void find_pages(struct link_graph *g, const struct report *r, uint32_t *place)
{
	for (uint32_t i = 0; i < r->pages.len; i++) {
		const struct report_page *p = report_page_at(r, i);

		place[i] = NO_PLACE;
		if (!verdict_is_captured((enum verdict)p->verdict) || composite_is_part(p))
			continue;
		place[i] = (uint32_t)g->pages.len;
		u32_vec_push(&g->pages, i);
	}
}

static int on_links(void *context, const struct catalog_links *l)
{
	struct loading *in = context;
	int rc = 0;

	if (l->page >= in->pages || in->place[l->page] == NO_PLACE)
		return 0;
	rc = rank_unpack(l->page, l->targets, &in->targets);
	if (rc == ERR_SYNTAX)
		return err_set(in->err, ERR_IO,
			"the catalog is damaged: the links of page %u cannot be read", l->page);
	for (size_t i = 0; i < in->targets.len; i++) {
		uint32_t to = in->targets.ptr[i];

		if (to < in->pages && to != l->page && in->place[to] != NO_PLACE)
			rank_edges_push(
				&in->edges, (struct rank_edge){in->place[l->page], in->place[to]});
	}
	return err_code(in->err, rc);
}

int link_graph_load(
	struct link_graph *g, const struct report *report, struct catalog *catalog, struct err *err)
{
	uint32_t *place = mem_new(report->pages.len + 1, sizeof *place);
	struct loading in = {.place = place, .pages = report->pages.len, .err = err};
	int rc;

	find_pages(g, report, place);
	rc = catalog_each_links(catalog, report->capture.id, on_links, &in, err);
	g->rank = mem_new(g->pages.len + 1, sizeof *g->rank);
	if (rc == 0)
		rc = rank_graph_init(&g->graph, g->pages.len, &in.edges);
	if (rc == 0)
		rc = rank_pagerank(&g->graph, g->rank);
	rank_edges_release(&in.edges);
	u32_vec_release(&in.targets);
	free(place);
	return err_code(err, rc);
}

void link_graph_release(struct link_graph *g)
{
	u32_vec_release(&g->pages);
	rank_graph_release(&g->graph);
	free(g->rank);
	*g = (struct link_graph){0};
}
