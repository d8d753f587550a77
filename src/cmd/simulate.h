/* The modes of `stillpoint simulate`: each has a file of its own, all share one table of options.
 */
#ifndef CMD_SIMULATE_H
#define CMD_SIMULATE_H

#include "base/options.h"
#include "cmd/cmd.h"
#include "cmd/planning.h"

/* 0 and NULL: not given. */
struct simulate_options {
	/* which mode: exactly one of these is given */
	const char *graph;

	struct cmd_planning planning;
	int64_t size;
	struct option_list seeds;
	bool json;
};

/* The site of a file: simulate_graph.c. */
enum cmd_status simulate_graph(const struct simulate_options *o);

#endif
