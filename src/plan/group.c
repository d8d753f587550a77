#include "plan/group.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "plan/assign.h"
#include "plan/heat.h"

/* Whole groups are moved, and other starts tried, up to so many pages: the barrier must not wait.
 */
enum { ROUNDS_MAX = 12, SWEEPS_MAX = 8, MOVES_MAX = 500 };

/* Survival functions that all exchanges together may look at: some tenths of a second, and some
 * hundredths at the barrier. */
static const double EFFORT_MAX = 5e7, EFFORT_QUICK = 1e6;

/* At the barrier. */
enum { ROUNDS_QUICK = 4, SWEEPS_QUICK = 2 };

/* Below this a quotient is not the product of the others. */
static const double TINY = 1e-100;

/* What is gained must be more than rounding. */
static const double GAIN = 1e-12;

/* No member's share is smaller: its survival function must stay one. */
static const double SHARE_MIN = 1e-3;

/* ---- making them ---- */

static int compare_edges(const void *a, const void *b)
{
	const struct group_edge *x = a, *y = b;

	if (x->page != y->page)
		return x->page < y->page ? -1 : 1;
	return x->requisite < y->requisite ? -1 : x->requisite > y->requisite;
}

/* Edges between indices, each once, without those of requisites of too many pages. */
static size_t tidy(struct group_edge *e, size_t count, uint32_t *users)
{
	size_t n = 0, kept = 0;

	qsort(e, count, sizeof *e, compare_edges);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || compare_edges(&e[i], &e[n - 1]) != 0)
			e[n++] = e[i];
	for (size_t i = 0; i < n; i++)
		users[e[i].requisite]++;
	for (size_t i = 0; i < n; i++)
		if (users[e[i].requisite] <= GROUP_SHARED_MAX)
			e[kept++] = e[i];
	return kept;
}

static size_t translate(const struct groups_params *p, struct group_edge *to)
{
	size_t n = 0;

	for (size_t i = 0; i < p->edge_count; i++) {
		const struct group_edge *e = &p->edges[i];
		uint32_t page = e->page < p->pages ? p->index_of[e->page] : UINT32_MAX;
		uint32_t part = e->requisite < p->pages ? p->index_of[e->requisite] : UINT32_MAX;

		if (page != UINT32_MAX && part != UINT32_MAX && page != part)
			to[n++] = (struct group_edge){page, part};
	}
	return n;
}

static int allocate(struct groups *g, size_t edges, size_t n)
{
	*g = (struct groups){
		.from = calloc(edges + 2, sizeof *g->from),
		.member = malloc((2 * edges + 1) * sizeof *g->member),
		.weight = malloc((edges + 1) * sizeof *g->weight),
		.grouped = calloc(n + 1, sizeof *g->grouped),
		.in_from = calloc(n + 2, sizeof *g->in_from),
		.in = malloc((2 * edges + 1) * sizeof *g->in),
	};
	return g->from && g->member && g->weight && g->grouped && g->in_from && g->in ? 0
										      : ERR_NOMEM;
}

static void add_member(struct groups *g, size_t *to, uint32_t index, double factor)
{
	g->member[(*to)++] = index;
	g->grouped[index] = true;
	g->weight[g->count - 1] *= factor;
	g->from[g->count] = *to;
}

/* Which groups an index is in. */
static void invert(struct groups *g, size_t n)
{
	for (size_t k = 0; k < g->from[g->count]; k++)
		g->in_from[g->member[k] + 2]++;
	for (size_t i = 2; i < n + 2; i++)
		g->in_from[i] += g->in_from[i - 1];
	for (size_t a = 0; a < g->count; a++)
		for (size_t k = g->from[a]; k < g->from[a + 1]; k++)
			g->in[g->in_from[g->member[k] + 1]++] = (uint32_t)a;
}

static double factor_of(const struct groups_params *p, uint32_t index)
{
	return p->factor ? p->factor[index] : 1;
}

int groups_init(struct groups *g, const struct groups_params *p)
{
	struct group_edge *e = malloc((p->edge_count + 1) * sizeof *e);
	uint32_t *users = calloc(p->n + 1, sizeof *users);
	int rc = allocate(g, p->edge_count, p->n);
	size_t n = 0, to = 0;

	if (!e || !users)
		rc = ERR_NOMEM;
	if (rc == 0)
		n = tidy(e, translate(p, e), users);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		if (i == 0 || e[i].page != e[i - 1].page) {
			g->weight[g->count++] = p->weight ? (double)p->weight[e[i].page] : 1;
			add_member(g, &to, e[i].page, factor_of(p, e[i].page));
		}
		add_member(g, &to, e[i].requisite, factor_of(p, e[i].requisite));
	}
	if (rc == 0)
		invert(g, p->n);
	free(e);
	free(users);
	return rc;
}

void groups_release(struct groups *g)
{
	free(g->from);
	free(g->member);
	free(g->weight);
	free(g->grouped);
	free(g->in_from);
	free(g->in);
	*g = (struct groups){0};
}

/* ---- values ---- */

static double product(const struct groups *g, size_t group, const double *alive)
{
	double p = 1;

	for (size_t k = g->from[group]; k < g->from[group + 1]; k++)
		p *= alive[g->member[k]];
	return p;
}

static double total_alive(
	const struct groups *g, const struct assign_problem *p, const double *alive)
{
	double sum = 0;

	for (size_t a = 0; a < g->count; a++)
		sum += g->weight[a] * product(g, a, alive);
	for (uint32_t i = 0; i < p->n; i++)
		sum += g->grouped[i] ? 0 : assign_weight(p, i) * alive[i];
	return sum;
}

static void find_alive(const struct assign_problem *p, const uint32_t *page_of, double *alive)
{
	for (size_t j = 0; j < p->n; j++)
		alive[page_of[j]] = survival_at(p->survival[page_of[j]], assign_length(p, j));
}

double groups_value(const struct groups *g, const struct assign_problem *p, const uint32_t *page_of)
{
	double *alive = malloc((p->n + 1) * sizeof *alive), sum = NAN;

	if (alive) {
		find_alive(p, page_of, alive);
		sum = total_alive(g, p, alive);
	}
	free(alive);
	return sum;
}

/* ---- the linear problem for given lengths of the others ---- */

/* The product of a group without one of its members. */
static double product_of_others(
	const struct groups *g, size_t group, const double *alive, uint32_t index, double whole)
{
	double others = 1;

	if (alive[index] > TINY)
		return whole / alive[index];
	for (size_t k = g->from[group]; k < g->from[group + 1]; k++)
		others *= g->member[k] == index ? 1 : alive[g->member[k]];
	return others;
}

void groups_marginals(const struct groups *g, size_t n, const float *weight, const double *alive,
	double *marginal)
{
	for (size_t i = 0; i < n; i++)
		marginal[i] = g->grouped[i] ? 0 : weight ? (double)weight[i] : 1;
	for (size_t a = 0; a < g->count; a++) {
		double whole = product(g, a, alive);

		for (size_t k = g->from[a]; k < g->from[a + 1]; k++)
			marginal[g->member[k]] +=
				g->weight[a] * product_of_others(g, a, alive, g->member[k], whole);
	}
}

/* What a solution needs besides. */
struct search {
	const struct groups *g;
	const struct assign_problem *p;
	size_t open;   /* intervals that may get another page: the first of them */
	double *alive; /* by index, in page_of */
	double *marginal;
	float *weight;  /* of the linear problem */
	double value;   /* of page_of */
	uint32_t *next; /* another assignment */
};

static void search_release(struct search *s)
{
	free(s->alive);
	free(s->marginal);
	free(s->weight);
	free(s->next);
}

static int search_init(
	struct search *s, const struct groups *g, const struct assign_problem *p, uint32_t *page_of)
{
	*s = (struct search){
		.g = g,
		.p = p,
		.open = p->n,
		.alive = malloc((p->n + 1) * sizeof *s->alive),
		.marginal = malloc((p->n + 1) * sizeof *s->marginal),
		.weight = calloc(p->n + 1, sizeof *s->weight),
		.next = malloc((p->n + 1) * sizeof *s->next),
	};
	if (!s->alive || !s->marginal || !s->weight || !s->next)
		return ERR_NOMEM;
	find_alive(p, page_of, s->alive);
	s->value = total_alive(g, p, s->alive);
	return 0;
}

/* One round; *ret_better: page_of has changed. */
static int linearise(struct search *s, bool fast, double damp, uint32_t *page_of, bool *ret_better)
{
	struct assign_problem linear = *s->p;
	struct assign_solution solution = {0};
	double value;

	groups_marginals(s->g, s->p->n, s->p->weight, s->alive, s->marginal);
	for (uint32_t i = 0; i < s->p->n; i++)
		s->weight[i] = (float)(damp * (double)s->weight[i] + (1 - damp) * s->marginal[i]);
	linear.weight = s->weight;
	TRY(assign_solve(&linear, fast, ASSIGN_PAGES, &solution));
	find_alive(s->p, solution.page_of, s->alive);
	value = total_alive(s->g, s->p, s->alive);
	*ret_better = value > s->value * (1 + GAIN);
	if (*ret_better) {
		s->value = value;
		memcpy(page_of, solution.page_of, s->p->n * sizeof *page_of);
	} else {
		find_alive(s->p, page_of, s->alive);
	}
	assign_solution_release(&solution);
	return 0;
}

/* ---- exchanges ---- */

/* The part of the value that depends on one of two pages. */
static double value_around(const struct search *s, uint32_t a, uint32_t b)
{
	const struct groups *g = s->g;
	const uint32_t pair[] = {a, b};
	double sum = 0;

	for (size_t i = 0; i < 2; i++) {
		uint32_t page = pair[i];

		if (!g->grouped[page])
			sum += assign_weight(s->p, page) * s->alive[page];
		for (size_t k = g->in_from[page]; k < g->in_from[page + 1]; k++) {
			bool counted = false;

			for (size_t m = g->from[g->in[k]]; i > 0 && m < g->from[g->in[k] + 1]; m++)
				counted |= g->member[m] == a;
			if (!counted)
				sum += g->weight[g->in[k]] * product(g, g->in[k], s->alive);
		}
	}
	return sum;
}

static bool exchange(struct search *s, uint32_t *page_of, size_t j, size_t k)
{
	uint32_t a = page_of[j], b = page_of[k];
	double before = value_around(s, a, b), was_a = s->alive[a], was_b = s->alive[b], gain;

	s->alive[a] = survival_at(s->p->survival[a], assign_length(s->p, k));
	s->alive[b] = survival_at(s->p->survival[b], assign_length(s->p, j));
	gain = value_around(s, a, b) - before;
	if (gain > GAIN * s->value) {
		page_of[j] = b;
		page_of[k] = a;
		s->value += gain;
		return true;
	}
	s->alive[a] = was_a;
	s->alive[b] = was_b;
	return false;
}

/* Survival functions that an exchange of two pages looks at, on average. */
static double effort(const struct groups *g, size_t n)
{
	double sum = 0;

	for (size_t a = 0; a < g->count; a++) {
		double size = (double)(g->from[a + 1] - g->from[a]);

		sum += size * size;
	}
	return 4 * (1 + sum / ((double)n + 1));
}

/* All pairs of a few pages; of many those at distances 1, 2, 3, …, as far as the effort goes. */
static void exchange_all(struct search *s, uint32_t *page_of)
{
	size_t n = s->open;
	double far = EFFORT_MAX / SWEEPS_MAX / effort(s->g, n) / ((double)n + 1);
	bool changed = true;

	for (int sweep = 0; changed && sweep < SWEEPS_MAX; sweep++) {
		changed = false;
		for (size_t d = 1; (double)d <= far && d < n; d++)
			for (size_t j = 0; j + d < n; j++)
				changed |= exchange(s, page_of, j, j + d);
	}
}

/* ---- whole groups ---- */

static bool is_member(const struct groups *g, size_t group, uint32_t index)
{
	for (size_t k = g->from[group]; k < g->from[group + 1]; k++)
		if (g->member[k] == index)
			return true;
	return false;
}

/* Puts a group on the shortest intervals, or the longest, if that gains something. */
static bool move_group(struct search *s, uint32_t *page_of, size_t group, bool inside)
{
	size_t n = s->p->n, to = 0;
	double value;

	for (int pass = 0; pass < 2; pass++)
		for (size_t j = 0; j < s->open; j++)
			if (is_member(s->g, group, page_of[j]) == ((pass == 0) == inside))
				s->next[to++] = page_of[j];
	memcpy(s->next + to, page_of + to, (n - to) * sizeof *page_of);
	find_alive(s->p, s->next, s->alive);
	value = total_alive(s->g, s->p, s->alive);
	if (value > s->value * (1 + GAIN)) {
		s->value = value;
		memcpy(page_of, s->next, n * sizeof *page_of);
		return true;
	}
	find_alive(s->p, page_of, s->alive);
	return false;
}

static bool move_groups(struct search *s, uint32_t *page_of)
{
	bool moved = false;

	for (size_t a = 0; a < s->g->count; a++)
		moved |= move_group(s, page_of, a, true) || move_group(s, page_of, a, false);
	return moved;
}

/* ---- all of it ---- */

/* From the given assignment to one that no step improves. */
static int improve(const struct groups *g, const struct assign_problem *p, size_t open, bool fast,
	uint32_t *page_of, double *ret_value)
{
	int rounds = open < p->n ? 0 : p->n <= MOVES_MAX ? ROUNDS_MAX : 1;
	struct search s;
	bool better = true;
	double damp = 0;
	int rc = search_init(&s, g, p, page_of);

	s.open = open;
	for (int i = 0; rc == 0 && i < rounds; i++) {
		rc = linearise(&s, fast, damp, page_of, &better);
		damp = better ? 0 : 0.5;
	}
	if (rc == 0)
		exchange_all(&s, page_of);
	for (int i = 0; rc == 0 && p->n <= MOVES_MAX && i < SWEEPS_MAX; i++) {
		if (!move_groups(&s, page_of))
			break;
		exchange_all(&s, page_of);
	}
	*ret_value = s.value;
	search_release(&s);
	return rc;
}

/* Another start: group by group, the coldest or the hottest inside; pages in none behind them. */
static int line_up(const struct groups *g, const struct assign_problem *p, bool cold, uint32_t *to)
{
	double *key = malloc((p->n + 1) * sizeof *key);
	size_t n = 0;
	int rc = key ? 0 : ERR_NOMEM;

	for (uint32_t i = 0; rc == 0 && i < p->n; i++) {
		double rate = p->survival[i].rate;

		for (size_t k = g->in_from[i]; k < g->in_from[i + 1]; k++) {
			double sum = 0;

			for (size_t m = g->from[g->in[k]]; m < g->from[g->in[k] + 1]; m++)
				sum += p->survival[g->member[m]].rate;
			rate = k == g->in_from[i] || (cold ? sum < rate : sum > rate) ? sum : rate;
		}
		key[i] = cold ? -rate : rate;
		to[n++] = i;
	}
	if (rc == 0)
		rc = heat_sort_by(key, to, p->n);
	free(key);
	return rc;
}

int groups_improve(const struct groups *g, const struct assign_problem *p, uint32_t *page_of)
{
	double left = EFFORT_QUICK / SWEEPS_QUICK / effort(g, p->n);
	bool better = true;
	struct search s;
	int rc = search_init(&s, g, p, page_of);

	for (int i = 0; rc == 0 && better && i < ROUNDS_QUICK; i++)
		rc = linearise(&s, true, 0, page_of, &better);
	for (int i = 0; rc == 0 && i < SWEEPS_QUICK; i++)
		for (size_t d = 1; d < p->n && (double)p->n * log2((double)(2 * d)) < left; d *= 2)
			for (size_t j = 0; j + d < p->n; j++)
				(void)exchange(&s, page_of, j, j + d);
	search_release(&s);
	return rc;
}

/* Of the pages in `order` those on open intervals, which come first; the others as they are. */
static int keep_closed(size_t n, size_t open, const uint32_t *page_of, uint32_t *order)
{
	bool *is_open = calloc(n + 1, sizeof *is_open);
	size_t to = 0;

	if (!is_open)
		return ERR_NOMEM;
	for (size_t j = 0; j < open; j++)
		is_open[page_of[j]] = true;
	for (size_t j = 0; j < n; j++)
		if (is_open[order[j]])
			order[to++] = order[j];
	memcpy(order + open, page_of + open, (n - open) * sizeof *order);
	free(is_open);
	return 0;
}

int groups_solve(const struct groups *g, const struct assign_problem *p, size_t open, bool fast,
	uint32_t *page_of)
{
	bool few = p->n <= MOVES_MAX;
	uint32_t *other = malloc((p->n + 1) * sizeof *other);
	double best, value;
	int rc = other ? improve(g, p, open, fast || !few, page_of, &best) : ERR_NOMEM;

	for (int cold = 0; rc == 0 && few && g->count > 0 && cold < 2; cold++) {
		rc = line_up(g, p, cold, other);
		if (rc == 0)
			rc = keep_closed(p->n, open, page_of, other);
		if (rc == 0)
			rc = improve(g, p, open, fast, other, &value);
		if (rc == 0 && value > best * (1 + GAIN)) {
			best = value;
			memcpy(page_of, other, p->n * sizeof *page_of);
		}
	}
	free(other);
	return rc;
}

/* ---- the bound ---- */

/* Shares of a group's members: in proportion to how much each loses, none too small. */
static void find_shares(const struct groups *g, size_t group, const double *alive, double *share)
{
	size_t from = g->from[group], size = g->from[group + 1] - from;
	double sum = 0, most = 0;

	for (size_t k = 0; k < size; k++) {
		share[k] = -log(fmax(alive[g->member[from + k]], 1e-300));
		most = fmax(most, share[k]);
	}
	for (size_t k = 0; k < size; k++) {
		share[k] = most > 0 ? fmax(share[k] / most, SHARE_MIN) : 1;
		sum += share[k];
	}
	for (size_t k = 0; k < size; k++)
		share[k] /= sum;
}

/* The survival function to the power of 1/share. */
static struct survival sharpen(struct survival s, double share)
{
	return (struct survival){.rate = s.rate / share, .shape = s.shape / share};
}

/* Of a page in several groups: all their weight, at its largest share. */
static void add_shares(
	const struct groups *g, const double *alive, double *share, double *weight, double *largest)
{
	for (size_t a = 0; a < g->count; a++) {
		find_shares(g, a, alive, share);
		for (size_t k = g->from[a]; k < g->from[a + 1]; k++) {
			uint32_t i = g->member[k];

			weight[i] += g->weight[a] * share[k - g->from[a]];
			largest[i] = fmax(largest[i], share[k - g->from[a]]);
		}
	}
}

int groups_bound(const struct groups *g, const struct assign_problem *p, bool fast,
	const uint32_t *page_of, double *ret_bound)
{
	size_t n = p->n;
	double *alive = calloc(4 * (n + 1), sizeof *alive);
	double *share = alive + (n + 1), *weight = share + (n + 1), *largest = weight + (n + 1);
	struct survival *survival = malloc((n + 1) * sizeof *survival);
	float *rounded = malloc((n + 1) * sizeof *rounded);
	struct assign_problem linear = *p;
	struct assign_solution s = {0};
	int rc = alive && survival && rounded ? 0 : ERR_NOMEM;

	if (rc == 0) {
		find_alive(p, page_of, alive);
		add_shares(g, alive, share, weight, largest);
	}
	for (uint32_t i = 0; rc == 0 && i < n; i++) {
		survival[i] = g->grouped[i] ? sharpen(p->survival[i], largest[i]) : p->survival[i];
		/* Never less than the exact weight. */
		rounded[i] = g->grouped[i] ? nextafterf((float)weight[i], INFINITY)
					   : (float)assign_weight(p, i);
	}
	linear.survival = survival;
	linear.weight = rounded;
	if (rc == 0)
		rc = assign_solve(&linear, fast, ASSIGN_BOUND, &s);
	if (rc == 0)
		*ret_bound = s.bound * (1 + ASSIGN_ROUNDING);
	assign_solution_release(&s);
	free(alive);
	free(survival);
	free(rounded);
	return rc;
}
