/*
 * From a recorded history to pages and their changes. Invariants:
 *
 *  (1) Node 0 is "/", which is always there; every other node has its directory as parent, which
 *      has a smaller number.
 *  (2) A directory is there as long as something in it is.
 *  (3) No node changes twice at the same instant: of several changes the last one counts.
 */
#include "living/history.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "histories/gz_lines.h"
#include "histories/history_file.h"

enum { EVENTS_MAX = 50000000 };

#define TEXT_MAX ((size_t)2 << 30)

/* Before every start. */
#define LONG_AGO (INT64_MIN / 2)

static const double LONGEST_SECONDS = 3e9; /* a change after a century is no change */

struct recording {
	size_t *from; /* changes of page i: changes[from[i]] up to from[i + 1] */
	struct recorded_change *changes;
};

/* A file or a directory. */
struct node {
	slice path; /* without the slash in front; of a directory with one at its end */
	uint32_t parent;
	uint32_t children; /* of all times */
	uint32_t present;  /* of them, while events are replayed; of a file 1 when it is there */
	bool directory;
};

struct event {
	int64_t at_s;
	uint32_t node;
	uint32_t order; /* of its line */
	bool gone;
};

struct node_change {
	uint32_t node;
	struct recorded_change change;
};

VEC_DECLARE(nodes, struct node);
VEC_DECLARE(events, struct event);
VEC_DECLARE(node_changes, struct node_change);

struct builder {
	struct nodes nodes;
	struct strmap by_path;
	struct arena text;
	struct events events;
	struct node_changes changes;
	size_t *last; /* by node: one more than the index of its last change */
};

static int add_node(struct builder *b, slice path, uint32_t parent, uint32_t *ret_node)
{
	struct node n = {.parent = parent};
	char *copy;
	int rc;

	if (strmap_get(&b->by_path, path, ret_node))
		return 0;
	if (b->nodes.len >= LIVING_PAGES_MAX)
		return ERR_LIMIT;
	copy = arena_strdup(&b->text, path);
	if (!copy)
		return ERR_NOMEM;
	n.path = (slice){copy, path.len};
	n.directory = path.len == 0 || path.ptr[path.len - 1] == '/';
	*ret_node = (uint32_t)b->nodes.len;
	rc = strmap_put(&b->by_path, n.path, *ret_node);
	if (rc == 0)
		rc = nodes_push(&b->nodes, n);
	if (rc == 0 && *ret_node > 0)
		b->nodes.ptr[parent].children++;
	return rc;
}

/* The file, and before it the directories on the way to it. */
static int add_path(struct builder *b, slice path, uint32_t *ret_node)
{
	uint32_t parent = 0;
	int rc = 0;

	if (strmap_get(&b->by_path, path, ret_node))
		return 0;
	for (size_t i = 0; rc == 0 && i < path.len; i++)
		if (path.ptr[i] == '/')
			rc = add_node(b, slice_sub(path, 0, i + 1), parent, &parent);
	return rc ? rc : add_node(b, path, parent, ret_node);
}

static int add_event(void *context, slice text, struct err *err)
{
	struct builder *b = context;
	char room[HISTORY_PATH_MAX];
	struct history_line line;
	struct event event;
	int rc = history_file_parse(text, room, &line, err);

	if (rc)
		return rc;
	/* These we make ourselves. */
	if (slice_eq(line.path, SLICE("robots.txt")) || slice_eq(line.path, SLICE("sitemap.xml")))
		return 0;
	if (b->events.len >= EVENTS_MAX)
		return ERR_LIMIT;
	event = (struct event){
		.at_s = line.at_s, .order = (uint32_t)b->events.len, .gone = line.gone};
	rc = add_path(b, line.path, &event.node);
	return rc ? rc : events_push(&b->events, event);
}

static int by_time(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->at_s != y->at_s)
		return x->at_s < y->at_s ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static int emit(struct builder *b, uint32_t node, int64_t at_ns, bool gone)
{
	struct node_change c = {node, {at_ns, gone}};
	size_t last = b->last[node];
	int rc;

	if (last > 0 && b->changes.ptr[last - 1].change.at_ns == at_ns) {
		b->changes.ptr[last - 1].change.gone = gone; /* (3) */
		return 0;
	}
	rc = node_changes_push(&b->changes, c);
	b->last[node] = b->changes.len;
	return rc;
}

/* Something in the directory has come (by is 1) or gone (-1). */
static int stir(struct builder *b, uint32_t node, int64_t at_ns, int by)
{
	for (;;) {
		struct node *n = &b->nodes.ptr[node];
		bool was = n->present > 0, is;
		int rc;

		n->present += (uint32_t)by;
		is = n->present > 0;
		rc = emit(b, node, at_ns, !is && node != 0);
		if (rc || was == is || node == 0)
			return rc;
		node = n->parent;
	}
}

static int replay_event(struct builder *b, const struct event *e, int64_t at_ns)
{
	struct node *n = &b->nodes.ptr[e->node];
	bool was = n->present > 0;
	int rc;

	if (e->gone && !was)
		return 0;
	n->present = !e->gone;
	rc = emit(b, e->node, at_ns, e->gone);
	if (rc || was == !e->gone)
		return rc;
	return stir(b, n->parent, at_ns, e->gone ? -1 : 1);
}

static int replay(struct builder *b, int64_t from_s, double scale)
{
	int rc = emit(b, 0, LONG_AGO, false);

	for (size_t i = 0; rc == 0 && i < b->events.len; i++) {
		const struct event *e = &b->events.ptr[i];
		double seconds = (double)(e->at_s - from_s) / scale;
		int64_t at_ns = 0;

		if (seconds > LONGEST_SECONDS)
			break;
		if (seconds > 0)
			at_ns = (int64_t)(seconds * (double)CLOCK_NS_PER_SECOND);
		rc = replay_event(b, e, at_ns);
	}
	return rc;
}

/* Changes in the order of pages; those of each stay in the order of time. */
static struct recording *sort_changes(const struct builder *b)
{
	struct recording *r = calloc(1, sizeof *r);
	size_t n = b->nodes.len;

	if (!r)
		return NULL;
	r->from = calloc(n + 2, sizeof *r->from);
	r->changes = calloc(b->changes.len + 1, sizeof *r->changes);
	if (!r->from || !r->changes) {
		recording_free(r);
		return NULL;
	}
	/* Counted two places ahead: filling moves each start to where it belongs. */
	for (size_t i = 0; i < b->changes.len; i++)
		r->from[b->changes.ptr[i].node + 2]++;
	for (size_t i = 2; i < n + 2; i++)
		r->from[i] += r->from[i - 1];
	for (size_t i = 0; i < b->changes.len; i++) {
		const struct node_change *c = &b->changes.ptr[i];

		r->changes[r->from[c->node + 1]++] = c->change;
	}
	return r;
}

static int name_pages(const struct builder *b, struct layout *l)
{
	struct buf path;
	int rc = 0;

	buf_init(&path, 4 * (size_t)HISTORY_PATH_MAX);
	for (size_t i = 0; rc == 0 && i < b->nodes.len; i++) {
		buf_reset(&path);
		rc = layout_escape_file(&path, b->nodes.ptr[i].path);
		if (rc == 0)
			rc = layout_name(l, (uint32_t)i, buf_slice(&path));
	}
	buf_release(&path);
	return rc;
}

/* Each page links to its directory, a directory to what is in it. */
static int link_pages(const struct builder *b, struct layout *l)
{
	size_t n = b->nodes.len, *fill = calloc(n + 1, sizeof *fill), at = 0;

	l->listing = calloc(n + 1, sizeof *l->listing);
	l->links = calloc(2 * n + 1, sizeof *l->links);
	if (!fill || !l->listing || !l->links) {
		free(fill);
		return ERR_NOMEM;
	}
	for (size_t i = 0; i < n; i++) {
		l->listing[i] = b->nodes.ptr[i].directory;
		l->link_from[i] = at;
		if (i > 0)
			l->links[at] = b->nodes.ptr[i].parent;
		fill[i] = at + (i > 0);
		at += b->nodes.ptr[i].children + (i > 0);
	}
	l->link_from[n] = at;
	for (size_t i = 1; i < n; i++)
		l->links[fill[b->nodes.ptr[i].parent]++] = (uint32_t)i;
	free(fill);
	return 0;
}

/* The mean rates from the start to the last event. */
static double *mean_rates(const struct builder *b, const struct recording *r)
{
	double *rates = calloc(b->nodes.len, sizeof *rates), seconds = 0;

	if (!rates)
		return NULL;
	if (b->changes.len > 0)
		seconds = clock_seconds(b->changes.ptr[b->changes.len - 1].change.at_ns);
	for (size_t i = 0; seconds > 0 && i < b->nodes.len; i++)
		for (size_t k = r->from[i]; k < r->from[i + 1]; k++)
			rates[i] += (r->changes[k].at_ns > 0) / seconds;
	return rates;
}

static int read_events(struct builder *b, const char *file, struct err *err)
{
	uint32_t root;
	int rc = add_node(b, (slice){"", 0}, 0, &root);

	if (rc)
		return err_code(err, rc);
	rc = gz_lines_read(file, add_event, b, err);
	if (rc == 0 && b->events.len == 0)
		rc = err_set(err, ERR_SYNTAX, "%.200s: the history is empty", file);
	return rc;
}

static int build(struct builder *b, const struct living_params *p, struct layout *l,
	struct recording **ret_recording, double **ret_rates)
{
	int rc;

	qsort(b->events.ptr, b->events.len, sizeof *b->events.ptr, by_time);
	b->last = calloc(b->nodes.len, sizeof *b->last);
	if (!b->last || layout_alloc(l, b->nodes.len))
		return ERR_NOMEM;
	rc = replay(b, p->history_from ? p->history_from : b->events.ptr[0].at_s, p->time_scale);
	if (rc == 0)
		rc = name_pages(b, l);
	if (rc == 0)
		rc = link_pages(b, l);
	if (rc)
		return rc;
	*ret_recording = sort_changes(b);
	if (!*ret_recording)
		return ERR_NOMEM;
	*ret_rates = mean_rates(b, *ret_recording);
	return *ret_rates ? 0 : ERR_NOMEM;
}

int recording_load(const struct living_params *params, struct layout *ret_layout,
	struct recording **ret_recording, double **ret_rates, struct err *err)
{
	struct recording *recording = NULL;
	struct layout layout = {0};
	struct builder b = {0};
	int rc;

	arena_init(&b.text, TEXT_MAX);
	strmap_init(&b.by_path, hash_key_random(), NULL);
	rc = read_events(&b, params->history, err);
	if (rc == 0) {
		rc = build(&b, params, &layout, &recording, ret_rates);
		if (rc)
			err_set(err, rc, "%.200s: %s", params->history, err_name(rc));
	}
	if (rc) {
		layout_release(&layout);
		recording_free(recording);
	} else {
		*ret_layout = layout;
		*ret_recording = recording;
	}
	nodes_release(&b.nodes);
	events_release(&b.events);
	node_changes_release(&b.changes);
	strmap_release(&b.by_path);
	arena_release(&b.text);
	free(b.last);
	return rc;
}

void recording_free(struct recording *r)
{
	if (!r)
		return;
	free(r->from);
	free(r->changes);
	free(r);
}

const struct recorded_change *recording_of(
	const struct recording *r, uint32_t page, size_t *ret_len)
{
	*ret_len = r->from[page + 1] - r->from[page];
	return r->changes + r->from[page];
}
