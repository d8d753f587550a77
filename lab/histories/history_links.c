#include "histories/history_links.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/vec.h"
#include "histories/gz_lines.h"
#include "histories/history_file.h"

enum { LINKS_MAX = 50000000 };

struct link {
	uint32_t from, to;
};

VEC_DECLARE(link_list, struct link);

struct builder {
	struct strmap pages; /* keys are the history's */
	struct link_list links;
};

static int add_link(void *context, slice text, struct err *err)
{
	struct builder *b = context;
	char room[2 * HISTORY_PATH_MAX];
	struct history_link link;
	struct link l;
	int rc = history_file_parse_link(text, room, &link, err);

	if (rc)
		return rc;
	if (!strmap_get(&b->pages, link.from, &l.from) || !strmap_get(&b->pages, link.to, &l.to))
		return 0;
	if (b->links.len >= LINKS_MAX)
		return err_set(err, ERR_LIMIT, "more than %d links", LINKS_MAX);
	return link_list_push(&b->links, l);
}

/* By page; links of each stay in the order of the file. */
static int build(const struct link_list *list, size_t n, struct history_links *ret)
{
	struct history_links l = {
		.from = calloc(n + 2, sizeof *l.from),
		.to = calloc(list->len + 1, sizeof *l.to),
	};

	if (!l.from || !l.to) {
		history_links_release(&l);
		return ERR_NOMEM;
	}
	/* Counted two places ahead: filling moves each start to where it belongs. */
	for (size_t i = 0; i < list->len; i++)
		l.from[list->ptr[i].from + 2]++;
	for (size_t i = 2; i < n + 2; i++)
		l.from[i] += l.from[i - 1];
	for (size_t i = 0; i < list->len; i++)
		l.to[l.from[list->ptr[i].from + 1]++] = list->ptr[i].to;
	*ret = l;
	return 0;
}

static int load(struct builder *b, const char *file, const struct history *history,
	struct history_links *ret_links, struct err *err)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < history->n; i++)
		rc = strmap_put(&b->pages, history->paths[i], i);
	if (rc == 0) {
		rc = gz_lines_read(file, add_link, b, err);
		if (rc)
			return rc;
		if (b->links.len == 0)
			return err_set(err, ERR_NOTFOUND,
				"%.200s: no link is between pages of the history", file);
		rc = build(&b->links, history->n, ret_links);
	}
	return rc ? err_set(err, rc, "%.200s: %s", file, err_name(rc)) : 0;
}

int history_links_load(const char *file, const struct history *history,
	struct history_links *ret_links, struct err *err)
{
	struct builder b = {0};
	int rc;

	strmap_init(&b.pages, hash_key_random(), NULL);
	rc = load(&b, file, history, ret_links, err);
	strmap_release(&b.pages);
	link_list_release(&b.links);
	return rc;
}

void history_links_release(struct history_links *l)
{
	free(l->from);
	free(l->to);
	*l = (struct history_links){0};
}

/* The links between pages of the draw, by their numbers there. */
static int copy_links(const struct history_links *links, const uint32_t *number_of, struct draw *d)
{
	struct site *site = &d->site;
	size_t total = 0, used = 0;

	for (size_t i = 0; i < site->n; i++)
		total += links->from[d->pages[i] + 1] - links->from[d->pages[i]];
	site->links = calloc(total + 1, sizeof *site->links);
	if (!site->links)
		return ERR_NOMEM;
	for (size_t i = 0; i < site->n; i++) {
		site->link_from[i] = used;
		for (size_t k = links->from[d->pages[i]]; k < links->from[d->pages[i] + 1]; k++)
			if (number_of[links->to[k]] != UINT32_MAX)
				site->links[used++] = number_of[links->to[k]];
	}
	site->link_from[site->n] = used;
	return 0;
}

static uint32_t find_root(const struct draw *d)
{
	for (uint32_t i = 0; i < d->site.n; i++)
		if (slice_eq(draw_path(d, i), SLICE(HISTORY_ROOT)))
			return i;
	return 0; /* pages are in the order of their first lines */
}

/* The root, and then what it does not lead to. */
static int find_seeds(struct draw *d)
{
	uint32_t root = find_root(d);
	struct u32_vec reached = {0};
	int rc = u32_vec_push(&d->seeds, root);

	if (rc == 0)
		rc = site_reach(&d->site, &root, 1, &reached, &d->seeds);
	u32_vec_release(&reached);
	return rc;
}

int history_links_connect(const struct history_links *links, struct draw *draw)
{
	size_t n = draw->history->n;
	uint32_t *number_of = malloc((n + 1) * sizeof *number_of);
	int rc;

	if (!number_of)
		return ERR_NOMEM;
	for (size_t i = 0; i < n; i++)
		number_of[i] = UINT32_MAX;
	for (uint32_t i = 0; i < draw->site.n; i++)
		number_of[draw->pages[i]] = i;
	rc = copy_links(links, number_of, draw);
	free(number_of);
	return rc ? rc : find_seeds(draw);
}

static uint32_t root_of(const struct history *h)
{
	for (uint32_t i = 0; i < h->n; i++)
		if (slice_eq(h->paths[i], SLICE(HISTORY_ROOT)))
			return i;
	return 0;
}

int history_links_reachable(const struct history_links *links, const struct history *history,
	struct rank_edges *edges, size_t *ret_n)
{
	uint32_t *number = calloc(history->n + 1, sizeof *number); /* from 1 */
	struct u32_vec queue = {0};
	int rc = number ? u32_vec_push(&queue, root_of(history)) : ERR_NOMEM;

	if (rc == 0)
		number[queue.ptr[0]] = 1;
	for (uint32_t at = 0; rc == 0 && at < queue.len; at++) {
		uint32_t page = queue.ptr[at];

		for (size_t k = links->from[page]; rc == 0 && k < links->from[page + 1]; k++) {
			uint32_t to = links->to[k];

			if (!number[to]) {
				rc = u32_vec_push(&queue, to);
				number[to] = (uint32_t)queue.len;
			}
			if (rc == 0)
				rc = rank_edges_push(edges, (struct rank_edge){at, number[to] - 1});
		}
	}
	*ret_n = queue.len;
	u32_vec_release(&queue);
	free(number);
	return rc;
}
