/*
 * A line of JSON that holds a link graph:
 *
 *	{"n": 3, "edges": [[0, 1], [1, 2]], "seed": 0}
 *
 * Other keys are skipped; of two equal keys the last one counts.
 */
#ifndef INSPECT_GRAPH_LINE_H
#define INSPECT_GRAPH_LINE_H

#include <stdbool.h>

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"
#include "plan/rank_graph.h"

enum { RANK_PAGES_MAX = 10000000 };

struct rank_graph_line {
	size_t n;
	struct rank_edges edges; /* all within n */
	bool seeded;
	uint32_t seed; /* below n, where there is one */
};

/*
 * Reads a line in place of what is in ret. ERR_SYNTAX, ERR_RANGE for pages that do not exist,
 * ERR_LIMIT for more than RANK_PAGES_MAX pages, ERR_NOMEM; err says what. The edges are the
 * caller's to release in every case.
 */
int rank_graph_line(slice line, struct rank_graph_line *ret, struct err *err) SP_MUST_CHECK;

#endif
