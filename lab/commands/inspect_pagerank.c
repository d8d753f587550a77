/* stillpoint-lab inspect pagerank: the PageRank of link graphs. */
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "cmd/cmd.h"
#include "commands/commands.h"
#include "commands/inspect_lines.h"
#include "inspect/graph_line.h"
#include "plan/rank_graph.h"

static const struct option_spec SPECS[] = {{0}};

static const struct options COMMAND = {
	.program = LAB_PROGRAM,
	.command = "inspect pagerank",
	.usage = "FILE",
	.description =
		"Reads lines of JSON (- is standard input), {\"n\":3,\"edges\":[[0,1],[1,2]]}, "
		"each a\n"
		"link graph whose pages count from 0, and prints for each {\"rank\":[…]}. The\n"
		"damping factor is 0.85; pages without links give their rank to all pages.",
	.specs = SPECS,
	.min_args = 1,
	.max_args = 1,
};

struct inspector {
	struct json json;
	struct rank_graph_line line;
};

static void print(struct json *j, const double *rank, size_t n)
{
	json_object_begin(j);
	json_key(j, "rank");
	json_array_begin(j);
	for (size_t i = 0; i < n; i++)
		json_double(j, rank[i]);
	json_array_end(j);
	json_object_end(j);
}

static int read_line(void *context, slice text, struct err *err)
{
	struct inspector *in = context;
	struct rank_graph graph = {0};
	double *rank = NULL;
	int rc = rank_graph_line(text, &in->line, err);

	if (rc)
		return rc;
	rank = calloc(in->line.n + 1, sizeof *rank);
	rc = rank ? rank_graph_init(&graph, in->line.n, &in->line.edges) : ERR_NOMEM;
	if (rc == 0)
		rc = rank_pagerank(&graph, rank);
	if (rc == 0)
		print(&in->json, rank, in->line.n);
	rank_graph_release(&graph);
	free(rank);
	return err_code(err, rc);
}

enum cmd_status inspect_pagerank(int argc, char **argv)
{
	struct inspector in = {0};
	struct option_args args;
	struct err err = {0};
	enum cmd_status status;
	int rc, written;

	if (!cmd_options(&COMMAND, argc, argv, NULL, &args, &status))
		return status;
	json_init_file(&in.json, stdout, JSON_LINES);
	rc = inspect_lines(args.ptr[0], read_line, &in, &err);
	written = json_finish(&in.json);
	rank_edges_release(&in.line.edges);
	status = rc ? cmd_fail_input("inspect pagerank", &err) : cmd_finish(written);
	return status;
}
