#include "inspect/graph_line.h"

#include "base/json_read.h"

/* A whole number from 0 to max. */
static int take_count(struct json_cursor *c, uint32_t max, uint32_t *ret)
{
	double number = 0;
	int rc = json_cursor_number(c, &number);

	if (rc)
		return rc;
	if (number < 0 || number > max || number != (double)(uint32_t)number)
		return err_set(c->err, ERR_RANGE, "byte %zu: %g is not a whole number from 0 to %u",
			c->at, number, max);
	*ret = (uint32_t)number;
	return 0;
}

static int take_edge(void *context, struct json_cursor *c)
{
	struct rank_edge e = {0};
	int rc;

	if (!json_cursor_take(c, '['))
		return json_cursor_fail(c, "[from, to]");
	rc = take_count(c, RANK_PAGES_MAX, &e.from);
	if (rc == 0 && !json_cursor_take(c, ','))
		rc = json_cursor_fail(c, "a comma");
	if (rc == 0)
		rc = take_count(c, RANK_PAGES_MAX, &e.to);
	if (rc == 0 && !json_cursor_take(c, ']'))
		rc = json_cursor_fail(c, "]");
	return rc ? rc : rank_edges_push(context, e);
}

/* The line, and which keys there were. */
struct found {
	struct rank_graph_line *line;
	bool n, edges;
};

static int take_member(void *context, struct json_cursor *c, slice key)
{
	struct found *found = context;
	struct rank_graph_line *ret = found->line;
	uint32_t n = 0;
	int rc;

	if (slice_eq(key, SLICE("n"))) {
		rc = take_count(c, RANK_PAGES_MAX, &n);
		ret->n = n;
		found->n = true;
	} else if (slice_eq(key, SLICE("edges"))) {
		ret->edges.len = 0;
		rc = json_cursor_list(c, "a list of edges", take_edge, &ret->edges);
		found->edges = true;
	} else if (slice_eq(key, SLICE("seed"))) {
		rc = take_count(c, RANK_PAGES_MAX, &ret->seed);
		ret->seeded = true;
	} else {
		rc = json_cursor_skip(c);
	}
	return rc;
}

static int check(const struct rank_graph_line *l, const struct found *found, struct err *err)
{
	if (!found->n || !found->edges)
		return err_set(err, ERR_SYNTAX, "\"%s\" is missing", found->n ? "edges" : "n");
	for (size_t i = 0; i < l->edges.len; i++) {
		struct rank_edge e = l->edges.ptr[i];

		if (e.from >= l->n || e.to >= l->n)
			return err_set(err, ERR_RANGE,
				"edge [%u,%u] leaves the %zu pages; pages count from 0", e.from,
				e.to, l->n);
	}
	if (l->seeded && l->seed >= l->n)
		return err_set(err, ERR_RANGE, "seed %u is none of the %zu pages", l->seed, l->n);
	return 0;
}

int rank_graph_line(slice line, struct rank_graph_line *ret, struct err *err)
{
	struct json_cursor c = {.text = line, .err = err};
	struct found found = {.line = ret};
	int rc;

	ret->n = 0;
	ret->edges.len = 0;
	ret->seeded = false;
	rc = json_cursor_object(&c, take_member, &found);
	if (rc == 0)
		rc = check(ret, &found, err);
	return err_code(err, rc);
}
