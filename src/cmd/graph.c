/* stillpoint graph: the link graph of a capture, with indegree and PageRank. */
#include <inttypes.h>
#include <stdio.h>

#include "base/csv.h"
#include "base/format.h"
#include "base/json.h"
#include "cmd/archive.h"
#include "cmd/cmd.h"
#include "cmd/option_row.h"
#include "quality/link_graph.h"

struct graph_options {
	int64_t capture; /* 0: the last */
	bool csv, json;
};

#define ROW_OF struct graph_options

static const struct option_spec SPECS[] = {
	ROW(INT, capture, "capture", 'c',
		"which capture of the archive, from 1 (default: the last)", .metavar = "N",
		.min = 1, .max = UINT32_MAX - 1.0),
	ROW(FLAG, csv, "csv", 0, "print CSV: url,indegree,outdegree,pagerank (the default)"),
	ROW(FLAG, json, "json", 'j', "print one JSON document"),
	{.name = NULL},
};

static const struct options OPTIONS = {
	.program = "stillpoint",
	.command = "graph",
	.usage = "ARCHIVE [OPTION…]",
	.description = "Prints the link graph of a capture, page by page: how many captured pages "
		       "link to it, to how many it links, and its PageRank (damping factor 0.85; "
		       "pages without links give their rank to all). Only links between captured "
		       "pages count, several to one page once, and those to itself not at all.",
	.specs = SPECS,
	.min_args = 1,
	.max_args = 1,
};

static void print_csv(const struct report *r, const struct link_graph *g)
{
	char number[FORMAT_DOUBLE_SIZE];

	puts("url,indegree,outdegree,pagerank");
	for (size_t i = 0; i < g->pages.len; i++) {
		csv_write_field(stdout, r->pages.ptr[g->pages.ptr[i]].url);
		printf(",%zu,%zu,%.*s\n", rank_links_count(&g->graph.in, i),
			rank_links_count(&g->graph.out, i), (int)format_double(g->rank[i], number),
			number);
	}
}

static int print_json(const struct report *r, const struct link_graph *g)
{
	struct json j;

	json_init_file(&j, stdout, JSON_LINES);
	json_object_begin(&j);
	json_key(&j, "schema");
	json_int(&j, 1);
	json_key(&j, "capture");
	json_slice(&j, r->capture.uuid);
	json_key(&j, "site");
	json_slice(&j, r->capture.site);
	json_key(&j, "pages");
	json_uint(&j, g->pages.len);
	json_key(&j, "links");
	json_uint(&j, g->graph.out.from[g->graph.n]);
	json_key(&j, "rows");
	json_array_begin(&j);
	for (size_t i = 0; i < g->pages.len; i++) {
		json_object_begin(&j);
		json_key(&j, "url");
		json_slice(&j, r->pages.ptr[g->pages.ptr[i]].url);
		json_key(&j, "indegree");
		json_uint(&j, rank_links_count(&g->graph.in, i));
		json_key(&j, "outdegree");
		json_uint(&j, rank_links_count(&g->graph.out, i));
		json_key(&j, "pagerank");
		json_double(&j, g->rank[i]);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
	return json_finish(&j);
}

static enum cmd_status run(const char *archive, const struct graph_options *o)
{
	struct link_graph graph = {0};
	struct report report = {0};
	struct catalog *catalog;
	struct err err = {0};
	enum cmd_status status = CMD_OK;
	int rc = archive_open_catalog(archive, &catalog, &err);

	if (rc)
		return cmd_fail_archive("graph", &err);
	rc = report_load(&report, catalog, (uint32_t)o->capture, &err);
	if (rc == 0)
		rc = link_graph_load(&graph, &report, catalog, &err);
	if (rc)
		status = cmd_fail_archive("graph", &err);
	else if (o->json)
		status = cmd_finish(print_json(&report, &graph));
	else
		status = cmd_finish((print_csv(&report, &graph), 0));
	link_graph_release(&graph);
	report_release(&report);
	catalog_close(catalog);
	return status;
}

enum cmd_status cmd_graph(int argc, char **argv)
{
	struct graph_options o = {0};
	struct option_args args;
	enum cmd_status status;

	if (!cmd_options(&OPTIONS, argc, argv, &o, &args, &status))
		return status;
	if (o.csv && o.json)
		return cmd_fail(
			"graph", &(struct err){ERR_USAGE, "--csv and --json cannot be combined"});
	return run(args.ptr[0], &o);
}
