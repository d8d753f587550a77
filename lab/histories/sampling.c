#include "histories/sampling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/rng.h"
#include "histories/clusters.h"
#include "inspect/directory.h"
#include "plan/rank_graph.h"

enum { BATCHES = 20 };

/* Of the hybrid policy: looks that the directory's past is worth, and changes that are assumed. */
#define PRIOR_LOOKS   1.0
#define PRIOR_CHANGES 0.5
#define EXPLORED      0.05

struct page {
	uint32_t id;      /* in the history */
	uint32_t dir;     /* index page folded into its parent */
	uint32_t top;     /* first page of the same top directory */
	bool alive, done; /* still there; downloaded in this cycle */
	double last;      /* last download */
	double looks, changes, weighted_looks, weighted_changes;
};

/* Activity of a directory within the cycle: changes seen, and expected of the pages looked at. */
struct activity {
	double seen, expected;
};

struct trial {
	const struct sampling_setup *setup;
	const struct sampling_policy *policy;
	struct page *pages;
	slice *names; /* by directory: a path in it */
	size_t n, dirs, used, changed, budget;
	size_t cycle;
	double from, to;
	uint32_t *order; /* of pages */
	uint32_t *spare; /* room for another */
	double *score;
	double *past_looks, *past_changes; /* by directory */
	struct activity *dir_activity;     /* by directory */
	struct activity *top_activity;     /* by first page of a top directory */
	double *tally;                     /* room for two numbers by page */
	uint32_t *walked;                  /* by directory or cluster: the last cycle, plus one */
	int32_t *near;                     /* by page: steps from the seed */
	struct rank_graph graph;           /* of the pages, where links are known */
	double *rank;                      /* by page; mean 1 */
	double rank_least, rank_most;
	struct clusters clusters; /* of SAMPLING_CB */
	double weighted;          /* of the changed pages of this cycle */
	struct rng rng;
};

/* db:D, lb:D or cb:D, each also with :ha, :wha or :pra. */
static bool parse_neighbours(slice text, struct sampling_policy *ret)
{
	static const slice KINDS[] = {SLICE_INIT("db"), SLICE_INIT("lb"), SLICE_INIT("cb")};
	static const slice PHIS[] = {
		SLICE_INIT(""), SLICE_INIT("ha"), SLICE_INIT("wha"), SLICE_INIT("pra")};
	slice rest = text, name = slice_take(&rest, ':'), depth = slice_take(&rest, ':');
	int64_t d = 0;

	if (parse_i64(depth, &d) || d < -99 || d > 99)
		return false;
	for (int kind = 0; kind < 3; kind++)
		for (int phi = 0; phi < 4; phi++)
			if (slice_eq(name, KINDS[kind]) && slice_eq(rest, PHIS[phi])) {
				*ret = (struct sampling_policy){
					.kind = (enum sampling_kind)(SAMPLING_DB + kind),
					.depth = (int)d,
					.phi = (enum sampling_phi)phi};
				return true;
			}
	return false;
}

int sampling_policy_parse(slice text, struct sampling_policy *ret, struct err *err)
{
	static const struct {
		slice name;
		enum sampling_kind kind;
	} ROWS[] = {{SLICE_INIT("rns"), SAMPLING_RNS}, {SLICE_INIT("rr"), SAMPLING_RR},
		{SLICE_INIT("gsb"), SAMPLING_GSB}, {SLICE_INIT("hybrid"), SAMPLING_HYBRID},
		{SLICE_INIT("clairvoyant"), SAMPLING_CLAIRVOYANT}};

	for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++)
		if (slice_eq(text, ROWS[i].name)) {
			*ret = (struct sampling_policy){.kind = ROWS[i].kind};
			return 0;
		}
	if (parse_neighbours(text, ret))
		return 0;
	return err_set(err, ERR_USAGE,
		"--sampling: unknown policy '%.*s', it is one of rns, rr, gsb, db:D, cb:D, lb:D, "
		"these also with :ha, :wha or :pra, hybrid, clairvoyant",
		slice_shown(text, 99), text.ptr);
}

/* The path of a page, dir/index.* as dir. */
static slice folded(slice path)
{
	size_t slash = path.len;

	while (slash > 0 && path.ptr[slash - 1] != '/')
		slash--;
	if (!slice_starts_with(slice_sub(path, slash, path.len), SLICE("index.")))
		return path;
	return slice_sub(path, 0, slash > 0 ? slash - 1 : 0);
}

static slice directory_of(slice path)
{
	while (path.len > 0 && path.ptr[path.len - 1] != '/')
		path.len--;
	return path;
}

static bool changed(const struct trial *t, const struct page *p)
{
	double from = t->setup->local ? p->last : t->from;
	struct change_history events = history_events(t->setup->history, p->id);

	return change_history_until(events, t->to) > change_history_until(events, from);
}

static bool open_to(const struct trial *t, uint32_t page)
{
	return t->pages[page].alive && !t->pages[page].done && t->used < t->budget;
}

/* Whether it had changed; the page must be open. */
static bool download(struct trial *t, uint32_t page)
{
	struct page *p = &t->pages[page];
	bool hit = changed(t, p);
	double spans = t->setup->local ? (t->to - p->last) / t->setup->cycle : 1;

	p->done = true;
	p->last = t->to;
	p->looks += spans;
	p->changes += hit;
	p->weighted_looks += (double)(t->cycle + 1);
	p->weighted_changes += hit ? (double)(t->cycle + 1) : 0;
	t->dir_activity[p->dir].seen += hit;
	t->top_activity[p->top].seen += hit;
	t->weighted += hit && t->rank ? t->rank[page] : 0;
	t->past_looks[p->dir] += spans;
	t->past_changes[p->dir] += hit;
	t->used++;
	t->changed += hit;
	return hit;
}

static void shuffle(struct trial *t)
{
	rng_shuffle(&t->rng, t->order, t->n, sizeof *t->order);
}

static void download_in_order(struct trial *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (open_to(t, t->order[i]))
			(void)download(t, t->order[i]);
}

static void run_rns(struct trial *t)
{
	shuffle(t);
	download_in_order(t);
}

/* Who was downloaded goes to the end of the queue. */
static void run_rr(struct trial *t)
{
	size_t kept = 0, late = t->n;

	download_in_order(t);
	for (size_t i = 0; i < t->n; i++)
		late -= t->pages[t->order[i]].done;
	for (size_t i = 0; i < t->n; i++)
		t->spare[t->pages[t->order[i]].done ? late++ : kept++] = t->order[i];
	memcpy(t->order, t->spare, t->n * sizeof *t->spare);
}

static void run_clairvoyant(struct trial *t)
{
	shuffle(t);
	for (size_t i = 0; i < t->n; i++)
		if (open_to(t, t->order[i]) && changed(t, &t->pages[t->order[i]]))
			(void)download(t, t->order[i]);
	download_in_order(t);
}

static int by_score(const void *a, const void *b, void *context)
{
	const double *score = ((struct trial *)context)->score;
	double x = score[*(const uint32_t *)a], y = score[*(const uint32_t *)b];

	return (x < y) - (x > y);
}

/* Highest score first, at random where equal. */
static void sort_by_score(struct trial *t)
{
	for (size_t i = 0; i < t->n; i++)
		t->score[i] += 1e-9 * rng_double(&t->rng);
	qsort_r(t->order, t->n, sizeof *t->order, by_score, t);
}

/* A sample of every top directory, then the directories with most changed samples. */
static void run_gsb(struct trial *t)
{
	size_t tops = 0;
	double sample;

	memset(t->tally, 0, 2 * t->n * sizeof *t->tally);
	for (size_t i = 0; i < t->n; i++)
		if (t->pages[i].alive && t->tally[t->pages[i].top]++ == 0)
			tops++;
	sample = tops ? ceil(sqrt((double)t->budget / (double)tops)) : 0;
	for (size_t i = 0; i < t->n; i++)
		t->tally[i] = 0;
	shuffle(t);
	for (size_t i = 0; i < t->n; i++) {
		uint32_t top = t->pages[t->order[i]].top;

		if (!open_to(t, t->order[i]) || t->tally[top] >= sample)
			continue;
		if (t->tally[top]++ == 0) /* one tie-break for a directory */
			t->tally[top + t->n] = rng_double(&t->rng) / 2;
		t->tally[top + t->n] += download(t, t->order[i]);
	}
	for (size_t i = 0; i < t->n; i++)
		t->score[i] = t->tally[t->pages[i].top + t->n];
	sort_by_score(t);
	download_in_order(t);
}

/* Of a PageRank between the least and the largest, in eleven steps of its logarithm. */
static double rank_share(const struct trial *t, uint32_t page)
{
	double range = log(t->rank_most / t->rank_least);

	if (!(range > 0))
		return 1;
	return (floor(10 * log(t->rank[page] / t->rank_least) / range) + 1) / 11;
}

static bool triggers(struct trial *t, uint32_t page, bool hit)
{
	const struct page *p = &t->pages[page];

	switch (t->policy->phi) {
	case SAMPLING_HA:
		return rng_double(&t->rng) < -expm1(-p->changes / p->looks);
	case SAMPLING_WHA:
		return rng_double(&t->rng) < -expm1(-p->weighted_changes / p->weighted_looks);
	case SAMPLING_PRA:
		return rng_double(&t->rng) < rank_share(t, page);
	default:
		return hit;
	}
}

/* How far all pages are from a seed. */
static int find_distances(struct trial *t, uint32_t seed)
{
	const struct page *pages = t->pages;

	if (t->policy->kind == SAMPLING_LB)
		return rank_distance(&t->graph, seed, t->near);
	if (t->policy->kind == SAMPLING_CB) {
		const uint32_t *from = t->clusters.distance + t->clusters.of[seed] * t->clusters.k;

		for (size_t i = 0; i < t->n; i++)
			t->near[i] = (int32_t)from[t->clusters.of[i]];
		return 0;
	}
	for (size_t d = 0; d < t->dirs; d++)
		t->tally[d] = rank_directory_distance(t->names[pages[seed].dir], t->names[d]);
	for (size_t i = 0; i < t->n; i++)
		t->near[i] = (int32_t)t->tally[pages[i].dir];
	return 0;
}

/* Whether another seed with the same neighbours came before in this cycle; now one has. */
static bool is_walked(struct trial *t, uint32_t seed)
{
	uint32_t *walked = &t->walked[t->policy->kind == SAMPLING_CB   ? t->clusters.of[seed]
				      : t->policy->kind == SAMPLING_DB ? t->pages[seed].dir
								       : seed];
	bool before = *walked == t->cycle + 1;

	*walked = (uint32_t)t->cycle + 1;
	return before;
}

/* Algorithm 2: nearest first, at random where equal. spare is in random order. */
static int download_neighbours(struct trial *t, uint32_t seed)
{
	int depth = t->policy->depth, sign = depth < 0 ? -1 : 1;
	int rc;

	if (is_walked(t, seed))
		return 0;
	rc = find_distances(t, seed);
	for (int level = 0; rc == 0 && level <= depth * sign; level++)
		for (size_t i = 0; i < t->n; i++)
			if (t->near[t->spare[i]] == level * sign && open_to(t, t->spare[i]))
				(void)download(t, t->spare[i]);
	return rc;
}

/* Algorithm 1. */
static int run_neighbours(struct trial *t)
{
	int rc = 0;

	shuffle(t);
	memcpy(t->spare, t->order, t->n * sizeof *t->spare);
	shuffle(t);
	for (size_t i = 0; rc == 0 && i < t->n && t->used < t->budget; i++) {
		uint32_t page = t->order[i];

		if (open_to(t, page) && triggers(t, page, download(t, page)))
			rc = download_neighbours(t, page);
	}
	return rc;
}

/* How much more than expected changed; a directory of which little was seen is as those above. */
static double excess(const struct activity *a, double above)
{
	return (a->seen + PRIOR_CHANGES * above) / (a->expected + PRIOR_CHANGES);
}

/*
 * The probability that a page changed by its own looks and those at its directory, times how much
 * more than expected changed in its directory within this cycle.
 */
static double hybrid_score(const struct trial *t, const struct page *p, double *ret_chance)
{
	double site = 0.1, dir, own, spans;

	dir = (t->past_changes[p->dir] + site * 2) / (t->past_looks[p->dir] + 2);
	own = fmin((p->changes + PRIOR_LOOKS * dir) / (p->looks + PRIOR_LOOKS), 0.999);
	spans = t->setup->local ? (t->to - p->last) / t->setup->cycle : 1;
	*ret_chance = 1 - pow(1 - own, spans);
	return *ret_chance * excess(&t->dir_activity[p->dir], excess(&t->top_activity[p->top], 1));
}

static void take_one(struct trial *t, uint32_t page)
{
	double chance;

	(void)hybrid_score(t, &t->pages[page], &chance);
	t->dir_activity[t->pages[page].dir].expected += chance;
	t->top_activity[t->pages[page].top].expected += chance;
	(void)download(t, page);
}

/* Random downloads of the batch that ends there: EXPLORED of all downloads of the run. */
static size_t explored_until(const struct trial *t, size_t end)
{
	double before = (double)(t->cycle * t->budget);

	return (size_t)(floor(EXPLORED * (before + (double)end)) -
			floor(EXPLORED * (before + (double)t->used)));
}

static void run_hybrid(struct trial *t)
{
	size_t batch = t->budget / BATCHES + 1;

	for (size_t begun = SIZE_MAX; t->used < t->budget && t->used != begun;) {
		size_t end = t->used + batch, explored = explored_until(t, end);
		double chance;

		begun = t->used;
		shuffle(t);
		for (size_t i = 0; i < t->n && t->used < begun + explored; i++)
			if (open_to(t, t->order[i]))
				take_one(t, t->order[i]);
			else if (t->used >= t->budget)
				break;
		for (size_t i = 0; i < t->n; i++)
			t->score[i] = hybrid_score(t, &t->pages[i], &chance);
		sort_by_score(t);
		for (size_t i = 0; i < t->n && t->used < end; i++)
			if (open_to(t, t->order[i]))
				take_one(t, t->order[i]);
	}
}

/* 0 or ERR_NOMEM; *ret is the share of downloads that found a change, NAN without downloads. */
static int run_cycle(struct trial *t, size_t cycle, double *ret)
{
	static void (*const RUN[])(struct trial *) = {[SAMPLING_RNS] = run_rns,
		[SAMPLING_RR] = run_rr,
		[SAMPLING_GSB] = run_gsb,
		[SAMPLING_HYBRID] = run_hybrid,
		[SAMPLING_CLAIRVOYANT] = run_clairvoyant};
	int rc = 0;

	t->cycle = cycle;
	t->from = t->setup->start + t->setup->cycle * (double)cycle;
	t->to = t->from + t->setup->cycle;
	t->used = t->changed = 0;
	t->weighted = 0;
	for (size_t i = 0; i < t->n; i++)
		t->pages[i].done = false;
	memset(t->dir_activity, 0, t->n * sizeof *t->dir_activity);
	memset(t->top_activity, 0, t->n * sizeof *t->top_activity);
	if (RUN[t->policy->kind])
		RUN[t->policy->kind](t);
	else
		rc = run_neighbours(t);
	for (size_t i = 0; i < t->n; i++) /* a removal counts in its cycle, then the page leaves */
		t->pages[i].alive = t->pages[i].alive &&
				    history_alive(t->setup->history, t->pages[i].id, t->to);
	*ret = t->used ? (double)t->changed / (double)t->used : NAN;
	return rc;
}

static void begin_run(struct trial *t)
{
	for (size_t i = 0; i < t->n; i++) {
		struct page *p = &t->pages[i];

		*p = (struct page){.id = p->id,
			.dir = p->dir,
			.top = p->top,
			.alive = true,
			.last = t->setup->start};
		t->order[i] = (uint32_t)i;
	}
	memset(t->past_looks, 0, t->n * sizeof *t->past_looks);
	memset(t->walked, 0, t->n * sizeof *t->walked);
	memset(t->past_changes, 0, t->n * sizeof *t->past_changes);
	shuffle(t);
}

/* Mean ratio of cycles from up to to; those without downloads do not count. */
static double mean_of(const double *ratio, size_t from, size_t to)
{
	double sum = 0, count = 0;

	for (size_t i = from; i < to; i++)
		if (!isnan(ratio[i])) {
			sum += ratio[i];
			count++;
		}
	return count > 0 ? sum / count : NAN;
}

static int run_all(struct trial *t, double *ratio, double *weighted, struct sampling_result *ret)
{
	size_t cycles = t->setup->cycles, quarter = (cycles + 3) / 4;
	double runs = (double)t->setup->runs, squares = 0;
	struct sampling_result r = {0};
	int rc = 0;

	for (size_t run = 0; rc == 0 && run < t->setup->runs; run++) {
		double mean;

		begin_run(t);
		for (size_t c = 0; rc == 0 && c < cycles; c++) {
			rc = run_cycle(t, c, &ratio[c]);
			weighted[c] = t->used && t->rank ? t->weighted / (double)t->used : NAN;
			r.found += (double)t->changed / runs;
		}
		r.weighted += mean_of(weighted, 0, cycles) / runs;
		mean = mean_of(ratio, 0, cycles);
		r.change_ratio += mean / runs;
		squares += mean * mean;
		r.first += mean_of(ratio, 0, quarter) / runs;
		r.last += mean_of(ratio, cycles - quarter, cycles) / runs;
	}
	r.se = runs > 1 ? sqrt(fmax(squares / runs - r.change_ratio * r.change_ratio, 0) /
				  (runs - 1))
			: NAN;
	*ret = r;
	return rc;
}

/* Pages of the start with their directories, found by comparing with all before: once per policy.
 */
static void find_pages(struct trial *t)
{
	const struct history *h = t->setup->history;

	for (uint32_t id = 0; id < h->n; id++) {
		slice dir, top, rest;
		struct page p = {.id = id, .top = (uint32_t)t->n};

		if (!history_alive(h, id, t->setup->start))
			continue;
		rest = dir = directory_of(folded(h->paths[id]));
		top = slice_take(&rest, '/');
		while (p.dir < t->dirs && !slice_eq(t->names[p.dir], dir))
			p.dir++;
		if (p.dir == t->dirs)
			t->names[t->dirs++] = dir;
		for (uint32_t i = 0; i < t->n; i++) {
			slice other = t->names[t->pages[i].dir];

			if (t->pages[i].top == i && slice_eq(slice_take(&other, '/'), top)) {
				p.top = i;
				break;
			}
		}
		t->pages[t->n++] = p;
	}
}

static int trial_init(struct trial *t)
{
	size_t n = t->setup->history->n + 1;

	t->pages = calloc(n, sizeof *t->pages);
	t->names = calloc(n, sizeof *t->names);
	t->order = calloc(n, sizeof *t->order);
	t->spare = calloc(n, sizeof *t->spare);
	t->score = calloc(n, sizeof *t->score);
	t->dir_activity = calloc(n, sizeof *t->dir_activity);
	t->top_activity = calloc(n, sizeof *t->top_activity);
	t->tally = calloc(2 * n, sizeof *t->tally);
	t->near = calloc(n, sizeof *t->near);
	t->walked = calloc(n, sizeof *t->walked);
	t->past_looks = calloc(n, sizeof *t->past_looks);
	t->past_changes = calloc(n, sizeof *t->past_changes);
	rng_init(&t->rng, t->setup->seed);
	return t->pages && t->names && t->order && t->spare && t->score && t->dir_activity &&
			       t->top_activity && t->tally && t->near && t->walked &&
			       t->past_looks && t->past_changes
		       ? 0
		       : ERR_NOMEM;
}

static void trial_release(struct trial *t)
{
	free(t->pages);
	free(t->names);
	free(t->order);
	free(t->spare);
	free(t->score);
	free(t->dir_activity);
	free(t->top_activity);
	free(t->tally);
	free(t->near);
	free(t->walked);
	free(t->past_looks);
	free(t->past_changes);
	free(t->rank);
	rank_graph_release(&t->graph);
	clusters_release(&t->clusters);
}

/* Links between the pages of the start. */
static int add_links(const struct trial *t, struct rank_edges *edges)
{
	const struct history_links *links = t->setup->links;
	uint32_t *place = calloc(t->setup->history->n + 1, sizeof *place);
	int rc = place ? 0 : ERR_NOMEM;

	for (uint32_t i = 0; rc == 0 && i < t->n; i++)
		place[t->pages[i].id] = i + 1;
	for (uint32_t i = 0; rc == 0 && i < t->n; i++)
		for (size_t k = links->from[t->pages[i].id];
			rc == 0 && k < links->from[t->pages[i].id + 1]; k++)
			if (place[links->to[k]])
				rc = rank_edges_push(
					edges, (struct rank_edge){i, place[links->to[k]] - 1});
	free(place);
	return rc;
}

/* The link graph and PageRank. */
static int connect(struct trial *t)
{
	struct rank_edges edges = {0};
	int rc = add_links(t, &edges);

	if (rc == 0)
		rc = rank_graph_init(&t->graph, t->n, &edges);
	rank_edges_release(&edges);
	if (rc)
		return rc;
	t->rank = calloc(t->n, sizeof *t->rank);
	rc = t->rank ? rank_pagerank(&t->graph, t->rank) : ERR_NOMEM;
	t->rank_least = INFINITY;
	for (size_t i = 0; rc == 0 && i < t->n; i++) {
		t->rank[i] *= (double)t->n;
		t->rank_least = fmin(t->rank_least, t->rank[i]);
		t->rank_most = fmax(t->rank_most, t->rank[i]);
	}
	return rc;
}

static int gather(struct trial *t)
{
	slice *paths = calloc(t->n, sizeof *paths);
	int rc = paths ? 0 : ERR_NOMEM;

	for (size_t i = 0; rc == 0 && i < t->n; i++)
		paths[i] = t->setup->history->paths[t->pages[i].id];
	if (rc == 0)
		rc = clusters_make(&t->clusters, paths, t->n, t->rank ? &t->graph : NULL,
			t->setup->clusters, t->setup->seed);
	free(paths);
	return rc;
}

static int check_setup(
	const struct sampling_setup *s, const struct sampling_policy *p, struct err *err)
{
	if (!s->links && (p->kind == SAMPLING_LB || p->phi == SAMPLING_PRA))
		return err_set(
			err, ERR_USAGE, "--sampling: policies with lb and pra need --links FILE");
	if (s->start + s->cycle * (double)s->cycles > s->history->days)
		return err_set(err, ERR_RANGE,
			"the history ends before the last cycle; begin earlier or take fewer or "
			"shorter cycles");
	return 0;
}

static int prepare(struct trial *t, struct err *err)
{
	int rc = 0;

	find_pages(t);
	if (t->n == 0)
		return err_set(err, ERR_RANGE, "the history has no pages at the start");
	t->budget = (size_t)fmax(1, round(t->setup->budget * (double)t->n));
	if (t->setup->links)
		rc = connect(t);
	if (rc == 0 && t->policy->kind == SAMPLING_CB)
		rc = gather(t);
	return rc;
}

int sampling_run(const struct sampling_setup *setup, const struct sampling_policy *policy,
	struct sampling_result *ret, struct err *err)
{
	struct trial t = {.setup = setup, .policy = policy};
	double *ratio = calloc(2 * setup->cycles, sizeof *ratio);
	int rc = ratio ? check_setup(setup, policy, err) : ERR_NOMEM;

	if (rc == 0)
		rc = trial_init(&t);
	if (rc == 0)
		rc = prepare(&t, err);
	if (rc == 0)
		rc = run_all(&t, ratio, ratio + setup->cycles, ret);
	trial_release(&t);
	free(ratio);
	return err_code(err, rc);
}
