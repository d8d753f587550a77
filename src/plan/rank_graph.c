#include "plan/rank_graph.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define ERROR_MAX 1e-13

/*
 * A step shrinks the distance to the limit by RANK_DAMPING at least, so that 200 reach ERROR_MAX.
 * More than that is rounding.
 */
enum { STEPS_MAX = 250 };

struct power {
	const struct rank_graph *g;
	double *rank;
	double *share; /* what a page gives to each that it links to */
};

/* Sets the share of page i, and returns what the page gives to nobody in particular. */
static double give(const struct power *p, size_t i)
{
	size_t links = rank_links_count(&p->g->out, i);

	p->share[i] = links ? p->rank[i] / (double)links : 0;
	return links ? 0 : p->rank[i];
}

static double everywhere(const struct power *p, double lost)
{
	return (1 - RANK_DAMPING + RANK_DAMPING * lost) / (double)p->g->n;
}

static double come_in(const struct power *p, size_t i)
{
	double sum = 0;

	for (size_t k = p->g->in.from[i]; k < p->g->in.from[i + 1]; k++)
		sum += p->share[p->g->in.to[k]];
	return sum;
}

/*
 * One pass. Pages see the new ranks of those before them (Gauss and Seidel), which takes about half
 * as many passes as the power method. Returns how far it went, the sum over pages.
 */
static double pass(const struct power *p, double *lost)
{
	double moved = 0;

	for (size_t i = 0; i < p->g->n; i++) {
		double before = p->rank[i];

		p->rank[i] = everywhere(p, *lost) + RANK_DAMPING * come_in(p, i);
		moved += fabs(p->rank[i] - before);
		if (give(p, i) > 0)
			*lost += p->rank[i] - before;
	}
	return moved;
}

/* Makes the ranks sum to 1, and sets all shares; returns what is lost. */
static double normalise(const struct power *p)
{
	double sum = 0, lost = 0;

	for (size_t i = 0; i < p->g->n; i++)
		sum += p->rank[i];
	for (size_t i = 0; i < p->g->n; i++) {
		p->rank[i] = sum > 0 && isfinite(sum) ? p->rank[i] / sum : 1 / (double)p->g->n;
		lost += give(p, i);
	}
	return lost;
}

/*
 * How far one step of the power method would go, the sum over pages. The distance to the limit is
 * no more than this divided by 1 - RANK_DAMPING: a bound, however the ranks were found.
 */
static double residual(const struct power *p, double lost)
{
	double base = everywhere(p, lost), sum = 0;

	for (size_t i = 0; i < p->g->n; i++)
		sum += fabs(base + RANK_DAMPING * come_in(p, i) - p->rank[i]);
	return sum;
}

int rank_pagerank_improve(
	const struct rank_graph *g, double error, double *rank, unsigned *ret_steps)
{
	struct power p = {g, rank, calloc(g->n + 1, sizeof *p.share)};
	double goal = error * (1 - RANK_DAMPING), moved = INFINITY, lost;
	unsigned steps = 0;

	if (!p.share)
		return ERR_NOMEM;
	lost = normalise(&p);
	while (g->n > 0 && steps < STEPS_MAX) {
		if (moved <= goal) {
			lost = normalise(&p);
			steps++;
			if (residual(&p, lost) <= goal)
				break;
		}
		moved = pass(&p, &lost);
		steps++;
	}
	(void)normalise(&p);
	free(p.share);
	if (ret_steps)
		*ret_steps = steps;
	return 0;
}

int rank_pagerank(const struct rank_graph *g, double *rank)
{
	for (size_t i = 0; i < g->n; i++)
		rank[i] = 0;
	return rank_pagerank_improve(g, ERROR_MAX, rank, NULL);
}

/*
 * Counting twice sorts: the pages that are reached are gone through in their order, so the list of
 * each page that links to them is ascending. All steps are linear, whatever the graph.
 */
static int links_init(struct rank_links *l, size_t n, size_t count)
{
	l->from = calloc(n + 2, sizeof *l->from);
	l->to = calloc(count + 1, sizeof *l->to);
	return l->from && l->to ? 0 : ERR_NOMEM;
}

static void links_release(struct rank_links *l)
{
	free(l->from);
	free(l->to);
	*l = (struct rank_links){0};
}

/* Counts were made two places late, so that filling moves each to where its page begins. */
static void sum_counts(struct rank_links *l, size_t n)
{
	for (size_t i = 2; i < n + 2; i++)
		l->from[i] += l->from[i - 1];
}

static int links_of_edges(struct rank_links *l, size_t n, const struct rank_edges *edges)
{
	TRY(links_init(l, n, edges->len));
	for (size_t i = 0; i < edges->len; i++)
		l->from[edges->ptr[i].to + 2]++;
	sum_counts(l, n);
	for (size_t i = 0; i < edges->len; i++)
		l->to[l->from[edges->ptr[i].to + 1]++] = edges->ptr[i].from;
	return 0;
}

/* The same links the other way, each list ascending. */
static int links_reverse(struct rank_links *l, size_t n, const struct rank_links *of)
{
	TRY(links_init(l, n, of->from[n]));
	for (size_t i = 0; i < of->from[n]; i++)
		l->from[of->to[i] + 2]++;
	sum_counts(l, n);
	for (size_t i = 0; i < n; i++)
		for (size_t k = of->from[i]; k < of->from[i + 1]; k++)
			l->to[l->from[of->to[k] + 1]++] = (uint32_t)i;
	return 0;
}

/* Lists are ascending: what is there twice stands side by side. */
static void drop_repeats(struct rank_links *l, size_t n)
{
	size_t begin = 0, kept = 0;

	for (size_t i = 0; i < n; i++) {
		size_t end = l->from[i + 1], mine = kept;

		for (size_t k = begin; k < end; k++)
			if (kept == mine || l->to[kept - 1] != l->to[k])
				l->to[kept++] = l->to[k];
		begin = end;
		l->from[i + 1] = kept;
	}
}

int rank_graph_init(struct rank_graph *ret_graph, size_t n, const struct rank_edges *edges)
{
	struct rank_graph g = {.n = n};
	struct rank_links unsorted = {0};
	int rc = links_of_edges(&unsorted, n, edges);

	if (rc == 0)
		rc = links_reverse(&g.out, n, &unsorted);
	links_release(&unsorted);
	if (rc == 0) {
		drop_repeats(&g.out, n);
		rc = links_reverse(&g.in, n, &g.out);
	}
	if (rc) {
		rank_graph_release(&g);
		return rc;
	}
	*ret_graph = g;
	return 0;
}

void rank_graph_release(struct rank_graph *g)
{
	links_release(&g->out);
	links_release(&g->in);
	*g = (struct rank_graph){0};
}

enum {
	VARINT_BITS = 7,
	VARINT_MORE = 1 << VARINT_BITS,
	VARINT_SIZE = 5, /* at most, of a gap with its sign */
};

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

void rank_links_tidy(uint32_t page, struct u32_vec *targets)
{
	size_t kept = 0;

	if (targets->len > 1)
		qsort(targets->ptr, targets->len, sizeof *targets->ptr, by_number);
	for (size_t i = 0; i < targets->len; i++) {
		uint32_t to = targets->ptr[i];

		if (to != page && (kept == 0 || to != targets->ptr[kept - 1]))
			targets->ptr[kept++] = to;
	}
	targets->len = kept;
}

static int put(struct buf *out, uint64_t gap)
{
	char bytes[VARINT_SIZE];
	size_t len = 0;

	do {
		uint64_t rest = gap >> VARINT_BITS;

		assert(len < sizeof bytes);
		bytes[len++] =
			(char)(unsigned char)((gap & (VARINT_MORE - 1)) | (rest ? VARINT_MORE : 0));
		gap = rest;
	} while (gap);
	return buf_add(out, (slice){bytes, len});
}

int rank_pack(uint32_t page, const struct u32_vec *targets, struct buf *out)
{
	for (size_t i = 0; i < targets->len; i++) {
		uint32_t to = targets->ptr[i];

		if (i > 0)
			TRY(put(out, to - targets->ptr[i - 1] - 1));
		else
			TRY(put(out, to > page ? 2 * (uint64_t)(to - page) - 1
					       : 2 * (uint64_t)(page - to)));
	}
	return 0;
}

/* The next gap of what is left: 0 or ERR_SYNTAX. */
static int take(slice *left, uint64_t *ret)
{
	uint64_t gap = 0;

	for (size_t i = 0; i < left->len && i < VARINT_SIZE; i++) {
		uint64_t byte = (unsigned char)left->ptr[i];

		gap |= (byte & (VARINT_MORE - 1)) << (VARINT_BITS * i);
		if (byte & VARINT_MORE)
			continue;
		*left = slice_sub(*left, i + 1, left->len);
		*ret = gap;
		return 0;
	}
	return ERR_SYNTAX;
}

int rank_unpack(uint32_t page, slice packed, struct u32_vec *ret)
{
	int64_t at = page;
	uint64_t gap;

	ret->len = 0;
	for (bool first = true; packed.len > 0; first = false) {
		TRY(take(&packed, &gap));
		if (!first)
			at += (int64_t)gap + 1;
		else
			at += gap % 2 ? (int64_t)(gap / 2) + 1 : -(int64_t)(gap / 2);
		TRY(at < 0 || at > UINT32_MAX ? ERR_SYNTAX : u32_vec_try_push(ret, (uint32_t)at));
	}
	return 0;
}
