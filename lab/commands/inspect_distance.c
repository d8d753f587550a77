/* stillpoint-lab inspect distance: how far pages are from a seed, by links or by directories. */
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/json_read.h"
#include "cmd/cmd.h"
#include "cmd/option_row.h"
#include "commands/commands.h"
#include "commands/inspect_lines.h"
#include "inspect/directory.h"
#include "inspect/distance.h"
#include "inspect/graph_line.h"

enum { URL_SIZE_MAX = 1 << 20 };

struct distance_options {
	const char *links;
	bool directory;
};

#define ROW_OF struct distance_options

static const struct option_spec SPECS[] = {
	ROW(STRING, links, "links", 'l', "read link graphs from this file (- is standard input)",
		.metavar = "FILE"),
	ROW(FLAG, directory, "directory", 'd',
		"read pairs of URLs from FILE, or from standard input"),
	{0},
};

static const struct options COMMAND = {
	.program = LAB_PROGRAM,
	.command = "inspect distance",
	.usage = "--links FILE\n--directory [FILE]",
	.description =
		"Reads lines of JSON. With --links each is {\"n\":3,\"edges\":[[0,1],[1,2]],"
		"\"seed\":0}\n"
		"and gives {\"dist\":[…]}: 0 for pages that share a parent with the seed, else "
		"the\n"
		"length of the shortest path, negative against links. With --directory each is\n"
		"{\"seed\":URL,\"page\":URL} and gives {\"dist\":…}: steps between their "
		"directories,\n"
		"negative where the page is deeper. null is infinite.",
	.specs = SPECS,
	.max_args = 1,
};

struct inspector {
	struct json json;
	struct rank_graph_line line;
	struct buf seed, page;
};

static void put_distance(struct json *j, int32_t distance)
{
	if (distance == RANK_UNREACHABLE)
		json_null(j);
	else
		json_int(j, distance);
}

static void print_all(struct json *j, const int32_t *dist, size_t n)
{
	json_object_begin(j);
	json_key(j, "dist");
	json_array_begin(j);
	for (size_t i = 0; i < n; i++)
		put_distance(j, dist[i]);
	json_array_end(j);
	json_object_end(j);
}

static int read_graph(void *context, slice text, struct err *err)
{
	struct inspector *in = context;
	struct rank_graph graph = {0};
	int32_t *dist = NULL;
	int rc = rank_graph_line(text, &in->line, err);

	if (rc)
		return rc;
	if (!in->line.seeded)
		return err_set(err, ERR_SYNTAX, "\"seed\" is missing");
	dist = calloc(in->line.n, sizeof *dist);
	rc = dist ? rank_graph_init(&graph, in->line.n, &in->line.edges) : ERR_NOMEM;
	if (rc == 0)
		rc = rank_distance(&graph, in->line.seed, dist);
	if (rc == 0)
		print_all(&in->json, dist, in->line.n);
	rank_graph_release(&graph);
	free(dist);
	return err_code(err, rc);
}

/* Fills seed and page; both must be there. */
static int read_pair(struct inspector *in, slice text, struct err *err)
{
	struct json_member member;
	struct json_reader reader;
	bool seeded = false, paged = false;
	int rc;

	json_reader_init(&reader, text, URL_SIZE_MAX);
	while ((rc = json_reader_next(&reader, &member)) == 0) {
		bool is_seed = slice_eq(member.key, SLICE("seed"));
		struct buf *target = is_seed ? &in->seed : &in->page;

		if (member.kind != JSON_READ_STRING ||
			(!is_seed && !slice_eq(member.key, SLICE("page"))))
			continue;
		buf_reset(target);
		rc = buf_add(target, member.text);
		if (rc)
			break;
		*(is_seed ? &seeded : &paged) = true;
	}
	if (rc == ERR_SYNTAX)
		rc = err_set(
			err, rc, "byte %zu: not a flat JSON object", json_reader_column(&reader));
	json_reader_release(&reader);
	if (rc == ERR_END && !(seeded && paged))
		return err_set(err, ERR_SYNTAX, "\"%s\" is missing, or no string",
			seeded ? "page" : "seed");
	return rc == ERR_END ? 0 : err_code(err, rc);
}

static int read_directories(void *context, slice text, struct err *err)
{
	struct inspector *in = context;
	int rc = read_pair(in, text, err);

	if (rc)
		return rc;
	json_object_begin(&in->json);
	json_key(&in->json, "dist");
	put_distance(
		&in->json, rank_directory_distance(buf_slice(&in->seed), buf_slice(&in->page)));
	json_object_end(&in->json);
	return 0;
}

static enum cmd_status run(const char *file, inspect_line *read)
{
	struct inspector in = {0};
	struct err err = {0};
	int rc, written;

	buf_init(&in.seed, URL_SIZE_MAX);
	buf_init(&in.page, URL_SIZE_MAX);
	json_init_file(&in.json, stdout, JSON_LINES);
	rc = inspect_lines(file, read, &in, &err);
	written = json_finish(&in.json);
	rank_edges_release(&in.line.edges);
	buf_release(&in.seed);
	buf_release(&in.page);
	return rc ? cmd_fail_input("inspect distance", &err) : cmd_finish(written);
}

enum cmd_status inspect_distance(int argc, char **argv)
{
	struct distance_options options = {0};
	struct option_args args;
	enum cmd_status status;

	if (!cmd_options(&COMMAND, argc, argv, &options, &args, &status))
		return status;
	if (!options.links == !options.directory || (options.links && args.count > 0))
		return cmd_fail("inspect distance",
			&(struct err){ERR_USAGE, "give either --links FILE or --directory [FILE]"});
	if (options.links)
		return run(options.links, read_graph);
	return run(args.count > 0 ? args.ptr[0] : "-", read_directories);
}
