/* stillpoint graph: the link graph of a capture, with indegree and PageRank. */
#include <inttypes.h>
#include <stdio.h>

#include "base/table.h"
#include "cmd/archive.h"
#include "cmd/cmd.h"
#include "cmd/option_row.h"
#include "proof/link_graph.h"

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

struct rows {
	const struct report *report;
	const struct link_graph *graph;
};

static struct cell get_url(const struct table *t, size_t row)
{
	const struct rows *r = t->context;

	return cell_text(r->report->pages.ptr[r->graph->pages.ptr[row]].url);
}

static struct cell get_in(const struct table *t, size_t row)
{
	return cell_uint(
		rank_links_count(&((const struct rows *)t->context)->graph->graph.in, row));
}

static struct cell get_out(const struct table *t, size_t row)
{
	return cell_uint(
		rank_links_count(&((const struct rows *)t->context)->graph->graph.out, row));
}

static struct cell get_rank(const struct table *t, size_t row)
{
	return cell_double(((const struct rows *)t->context)->graph->rank[row]);
}

#define BOTH (TABLE_JSON | TABLE_CSV)

static const struct column COLUMNS[] = {
	{"url", BOTH, .get = get_url},
	{"indegree", BOTH, .get = get_in},
	{"outdegree", BOTH, .get = get_out},
	{"pagerank", BOTH, .get = get_rank},
};

static int print(const struct report *r, const struct link_graph *g, bool json)
{
	struct table t = {.columns = COLUMNS,
		.count = sizeof COLUMNS / sizeof *COLUMNS,
		.context = &(struct rows){r, g},
		.rows = g->pages.len};
	struct json j;

	if (!json) {
		table_csv(&t, stdout);
		return 0;
	}
	json_init_file(&j, stdout, JSON_LINES);
	json_document_begin(&j);
	json_text(&j, "capture", r->capture.uuid);
	json_text(&j, "site", r->capture.site);
	json_put_uint(&j, "pages", g->pages.len);
	json_put_uint(&j, "links", g->graph.out.from[g->graph.n]);
	json_key(&j, "rows");
	table_json(&t, &j);
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
	else
		status = cmd_finish(print(&report, &graph, o->json));
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
