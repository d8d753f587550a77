/*
 * The experiments of update detection by sampling (Tan et al., figures 5 to 9), on a history of the
 * user's choice; and the comparison of refresh policies (survey, section 5). The papers print
 * curves, not numbers, so there are only figures of ours.
 */
#include "commands/simulate_lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/vec.h"
#include "histories/sampling.h"
#include "histories/watched.h"
#include "plan/rank_graph.h"
#include "sim/order_study.h"
#include "sim/power_web.h"
#include "sim/watch_synthetic.h"

#define DAY_S 86400.0

enum { SAMPLING_RUNS = 8, WATCH_RUNS = 4, CYCLES = 24, NAME_SIZE = 96, POLICIES_MAX = 16 };

enum lab_kind {
	LAB_SAMPLING,
	LAB_FRESH_SYNTHETIC,
	LAB_FRESH_HISTORY,
	LAB_ORDER_WEB,
	LAB_ORDER_HISTORY,
};

/* Lists end with 0 or NULL. */
struct lab {
	struct lab_table table;
	enum lab_kind kind;
	const char *policies; /* separated by blanks */
	double weeks[4];      /* lengths of cycles */
	double budgets[4];
};

static const char REFRESH_POLICIES[] =
	"uniform proportional fresh age harmonic longevity capture hacs sample hybrid sharp";

static const struct lab LABS[] = {
	{{"sampling-policies", "change ratio of all policies of the sampling paper, and ours"},
		LAB_SAMPLING, "rns rr gsb db:1 lb:3 cb:0 hybrid clairvoyant", {8}, {0.1}},
	{{"sampling-depth", "change ratio by neighbourhood and depth"}, LAB_SAMPLING,
		"db:-3 db:-2 db:-1 db:0 db:1 db:2 db:3 db:4 lb:-3 lb:-2 lb:-1 lb:0 lb:1 lb:2 lb:3 "
		"lb:4 cb:0 cb:1 cb:2 cb:3 cb:4",
		{8}, {0.1}},
	{{"sampling-phi", "change ratio by what makes neighbours be downloaded"}, LAB_SAMPLING,
		"db:1 db:1:ha db:1:wha db:1:pra", {2}, {0.1}},
	{{"sampling-cycles", "change ratio by length of cycle and budget"}, LAB_SAMPLING,
		"rns gsb db:0 db:1 db:2 hybrid", {2, 4, 8}, {0.09, 0.18, 0.35}},
	{{"fresh-synthetic", "refresh policies on 1000 pages with log-normal rates"},
		LAB_FRESH_SYNTHETIC, REFRESH_POLICIES, {0}, {0.1}},
	{{"fresh-history", "refresh policies on a recorded history"}, LAB_FRESH_HISTORY,
		REFRESH_POLICIES, {0}, {0.1, 0.5}},
	{{"order-web", "PageRank of the first pages, by order, on webs with a power law"},
		LAB_ORDER_WEB, NULL, {0}, {0}},
	{{"order-history", "the same on the links of a recorded history"}, LAB_ORDER_HISTORY, NULL,
		{0}, {0}},
};

/* A cell of a table; error is NAN where nothing is drawn. */
struct figure {
	char row[NAME_SIZE], strategy[NAME_SIZE];
	const char *metric;
	double ours, error;
};

VEC_DECLARE(figure_vec, struct figure);

struct session {
	const struct simulate_options *options;
	const struct lab *lab;
	struct history history;
	struct history_links links;
	int64_t start_s;
	struct figure_vec figures;
};

const struct lab_table *lab_table_at(size_t i)
{
	return i < sizeof LABS / sizeof LABS[0] ? &LABS[i].table : NULL;
}

const struct lab_table *lab_table_find(const char *name)
{
	for (size_t i = 0; i < sizeof LABS / sizeof LABS[0]; i++)
		if (strcmp(LABS[i].table.name, name) == 0)
			return &LABS[i].table;
	return NULL;
}

static int print_json(const void *context, FILE *out)
{
	const struct session *s = context;
	struct json j;

	json_init_file(&j, out, JSON_LINES);
	json_array_begin(&j);
	for (size_t i = 0; i < s->figures.len; i++) {
		const struct figure *f = &s->figures.ptr[i];

		json_object_begin(&j);
		json_put_string(&j, "table", s->lab->table.name);
		json_put_string(&j, "row", f->row);
		json_put_string(&j, "strategy", f->strategy);
		json_put_string(&j, "metric", f->metric);
		json_put_double(&j, "paper", NAN);
		json_put_double(&j, "ours", f->ours);
		json_put_double(&j, "stderr", f->error);
		json_put_string(&j, "note", NULL);
		json_object_end(&j);
	}
	json_array_end(&j);
	return json_finish(&j);
}

static void print_text(const void *context, FILE *out)
{
	const struct session *s = context;
	const char *row = "";

	(void)fprintf(out, "%s  %s\n", s->lab->table.name, s->lab->table.title);
	for (size_t i = 0; i < s->figures.len; i++) {
		const struct figure *f = &s->figures.ptr[i];

		if (strcmp(row, f->row) != 0)
			(void)fprintf(out, "\n%s\n", f->row);
		row = f->row;
		(void)fprintf(out, "  %-14s %-14s %9.4f", f->strategy, f->metric, f->ours);
		if (isnan(f->error))
			(void)putc('\n', out);
		else
			(void)fprintf(out, " ± %.4f\n", f->error);
	}
}

static int add(
	struct session *s, const char *row, slice strategy, const char *metric, struct estimate e)
{
	struct figure f = {.metric = metric, .ours = e.mean, .error = e.error};

	if (isnan(e.mean))
		return 0;
	(void)snprintf(f.row, sizeof f.row, "%s", row);
	(void)snprintf(f.strategy, sizeof f.strategy, "%.*s", slice_shown(strategy, NAME_SIZE - 1),
		strategy.ptr);
	return figure_vec_push(&s->figures, f);
}

/* Takes the next name of a list; false: there is none. */
static bool next_name(slice *list, slice *ret)
{
	*ret = slice_take(list, ' ');
	return ret->len > 0;
}

static int run_policy(struct session *s, const struct sampling_setup *setup, const char *row,
	slice name, struct err *err)
{
	struct sampling_policy policy;
	struct sampling_result r = {0};
	int rc = sampling_policy_parse(name, &policy, err);

	if (rc || (!setup->links && (policy.kind == SAMPLING_LB || policy.phi == SAMPLING_PRA)))
		return rc; /* without links there is nothing to tell of these */
	rc = sampling_run(setup, &policy, &r, err);
	if (rc == 0)
		rc = add(s, row, name, "change_ratio", (struct estimate){r.change_ratio, r.se});
	if (rc == 0)
		rc = add(s, row, name, "first", (struct estimate){r.first, NAN});
	if (rc == 0)
		rc = add(s, row, name, "last", (struct estimate){r.last, NAN});
	if (rc == 0)
		rc = add(s, row, name, "weighted", (struct estimate){r.weighted, NAN});
	return err_code(err, rc);
}

static int run_row(struct session *s, double weeks, double budget, bool local, struct err *err)
{
	const struct simulate_options *o = s->options;
	struct sampling_setup setup = {.history = &s->history,
		.links = o->links ? &s->links : NULL,
		.start = (double)(s->start_s - s->history.began_s) / DAY_S,
		.cycle = 7 * weeks,
		.cycles = CYCLES,
		.budget = budget,
		.local = local,
		.runs = o->runs ? (size_t)o->runs : SAMPLING_RUNS,
		.seed = (uint64_t)o->seed};
	slice rest = slice_str(s->lab->policies), name;
	char row[NAME_SIZE];
	int rc = 0;

	(void)snprintf(row, sizeof row, "changed=%s cycle=%gw budget=%g", local ? "local" : "cycle",
		weeks, budget);
	while (rc == 0 && next_name(&rest, &name))
		rc = run_policy(s, &setup, row, name, err);
	return rc;
}

static int run_sampling(struct session *s, struct err *err)
{
	int rc = 0;

	for (int local = 0; local < 2; local++)
		for (size_t w = 0; s->lab->weeks[w] > 0; w++)
			for (size_t b = 0; rc == 0 && s->lab->budgets[b] > 0; b++)
				rc = run_row(s, s->lab->weeks[w], s->lab->budgets[b], local, err);
	return rc;
}

static int add_study(struct session *s, const char *row, const struct watch_study_params *p,
	const struct watch_study *study)
{
	static const struct {
		enum watch_measure measure;
		const char *metric;
	} METRICS[] = {{WATCH_FRESHNESS, "freshness"}, {WATCH_AGE, "age"},
		{WATCH_VERSIONS, "versions"}, {WATCH_SHARPNESS, "sharpness"}};
	int rc = 0;

	for (size_t i = 0; i < p->contender_count; i++)
		for (size_t m = 0; rc == 0 && m < sizeof METRICS / sizeof METRICS[0]; m++)
			rc = add(s, row, slice_str(p->contenders[i].name), METRICS[m].metric,
				study->rows[i].of[METRICS[m].measure]);
	for (size_t m = 0; rc == 0 && m < sizeof METRICS / sizeof METRICS[0]; m++)
		rc = add(s, row, SLICE("bound"), METRICS[m].metric,
			study->bound[METRICS[m].measure]);
	return rc;
}

static int run_watch(
	struct session *s, struct watch_study_params p, double budget, bool known, struct err *err)
{
	struct watch_contender contenders[POLICIES_MAX] = {0};
	struct watch_study study = {0};
	slice rest = slice_str(s->lab->policies), name;
	char row[NAME_SIZE], word[NAME_SIZE];
	int rc;

	while (next_name(&rest, &name) && p.contender_count < POLICIES_MAX) {
		struct watch_contender *c = &contenders[p.contender_count++];

		(void)snprintf(word, sizeof word, "%.*s", slice_shown(name, 64), name.ptr);
		c->policy = refresh_policy_find(word);
		c->name = c->policy->name;
		c->more.aim.use = 1;
	}
	p.contenders = contenders;
	p.budget = budget;
	p.learned = !known;
	if (known)
		p.past = 0;
	(void)snprintf(row, sizeof row, "rates=%s budget=%g", known ? "known" : "learned", budget);
	rc = watch_study_run(&p, &study, err);
	if (rc == 0)
		rc = err_code(err, add_study(s, row, &p, &study));
	watch_study_release(&study);
	return rc;
}

static int run_fresh(struct session *s, struct err *err)
{
	const struct simulate_options *o = s->options;
	struct watch_synthetic synthetic = {.site = {SYNTHETIC_DEFAULTS}, .until = 400};
	struct watched_history recorded = {.history = &s->history,
		.start = (double)(s->start_s - s->history.began_s) / DAY_S,
		.days = 365};
	struct watch_study_params p = {.runs = o->runs ? (size_t)o->runs : WATCH_RUNS,
		.threads = (unsigned)o->threads,
		.seed = (uint64_t)o->seed,
		.days = 400,
		.grid = 1,
		.make = watch_synthetic_make,
		.release = watch_synthetic_release,
		.context = &synthetic};
	int rc = 0;

	synthetic.site.n = 1000;
	synthetic.site.rates = SYNTHETIC_LOGNORMAL;
	synthetic.site.skew = 1.5;
	synthetic.seed = p.seed;
	if (s->lab->kind == LAB_FRESH_HISTORY) {
		p.days = p.past = recorded.days;
		p.past_period = 7;
		p.make = watched_make;
		p.release = watched_release;
		p.context = &recorded;
	}
	for (int known = 1; known >= 0; known--)
		for (size_t b = 0; rc == 0 && s->lab->budgets[b] > 0; b++)
			rc = run_watch(s, p, s->lab->budgets[b], known, err);
	return rc;
}

/* ---- orders ---- */

static int run_order(struct session *s, const struct order_web *web, unsigned kind, const char *row,
	struct rng *rng, uint32_t *order)
{
	static const struct {
		double share;
		const char *metric;
	} SHARES[] = {{0.01, "mass@1%"}, {0.05, "mass@5%"}, {0.1, "mass@10%"}, {0.25, "mass@25%"},
		{0.5, "mass@50%"}};
	size_t count;
	int rc = order_study_crawl(web, kind, rng, order, &count);

	for (size_t i = 0; rc == 0 && i < sizeof SHARES / sizeof SHARES[0]; i++)
		rc = add(s, row, slice_str(order_study_name(kind)), SHARES[i].metric,
			(struct estimate){
				order_study_mass(web, order, count, SHARES[i].share), NAN});
	return rc;
}

/* All orders on one web whose seeds are set. */
static int run_orders(struct session *s, const struct rank_graph *graph, struct order_web *web,
	const char *row, struct rng *rng)
{
	double *rank = calloc(graph->n + 1, sizeof *rank);
	uint32_t *order = calloc(graph->n + 1, sizeof *order);
	int rc = rank && order ? rank_pagerank(graph, rank) : ERR_NOMEM;

	web->graph = graph;
	web->rank = rank;
	for (unsigned kind = RANK_BREADTH; rc == 0 && kind < ORDER_RIVALS; kind++)
		if (kind != RANK_WEIGHTS && (kind != RANK_SITE_BACKLOG || web->host))
			rc = run_order(s, web, kind, row, rng, order);
	free(rank);
	free(order);
	return rc;
}

/* 11 links a page, of which 7 in 10 are copied; a host has a hundred pages on average. */
static int run_power_web(struct session *s, size_t pages, struct rng *rng)
{
	struct power_web power = {0};
	struct rank_graph graph = {0};
	struct order_web web = {0};
	char row[NAME_SIZE];
	int rc = power_web_init(
		&power, &(struct power_web_params){pages, 11, 0.7, (uint32_t)(pages / 100), rng});

	if (rc == 0)
		rc = rank_graph_init(&graph, pages, &power.edges);
	rank_edges_release(&power.edges);
	if (rc == 0)
		rc = u32_vec_push(&web.seeds, 0);
	web.host = power.host.ptr;
	(void)snprintf(row, sizeof row, "pages=%zu", pages);
	if (rc == 0)
		rc = run_orders(s, &graph, &web, row, rng);
	u32_vec_release(&web.seeds);
	rank_graph_release(&graph);
	power_web_release(&power);
	return rc;
}

static int run_order_web(struct session *s, struct err *err)
{
	static const size_t PAGES[] = {10000, 100000, 1000000};
	struct rng rng;
	int rc = 0;

	rng_init(&rng, (uint64_t)s->options->seed);
	for (size_t i = 0; rc == 0 && i < sizeof PAGES / sizeof PAGES[0]; i++)
		rc = run_power_web(s, PAGES[i], &rng);
	return err_code(err, rc);
}

/* The pages that can be reached from the root. */
static int run_order_history(struct session *s, struct err *err)
{
	struct rank_edges edges = {0};
	struct rank_graph graph = {0};
	struct order_web web = {0};
	struct rng rng;
	char row[NAME_SIZE];
	size_t n = 0;
	int rc = history_links_reachable(&s->links, &s->history, &edges, &n);

	rng_init(&rng, (uint64_t)s->options->seed);
	(void)snprintf(row, sizeof row, "pages=%zu", n);
	if (rc == 0)
		rc = rank_graph_init(&graph, n, &edges);
	if (rc == 0)
		rc = u32_vec_push(&web.seeds, 0);
	if (rc == 0)
		rc = run_orders(s, &graph, &web, row, &rng);
	u32_vec_release(&web.seeds);
	rank_edges_release(&edges);
	rank_graph_release(&graph);
	return err_code(err, rc);
}

static int load_links(struct session *s, struct err *err)
{
	const struct simulate_options *o = s->options;
	int rc;

	if (!o->history || !o->links)
		return err_set(err, ERR_USAGE, "--table %s needs --history FILE and --links FILE",
			s->lab->table.name);
	rc = history_load(o->history, &s->history, err);
	return rc ? rc : history_links_load(o->links, &s->history, &s->links, err);
}

static int load(struct session *s, struct err *err)
{
	const struct simulate_options *o = s->options;
	int rc;

	if (s->lab->kind == LAB_FRESH_SYNTHETIC || s->lab->kind == LAB_ORDER_WEB)
		return o->history
			       ? err_set(err, ERR_USAGE, "--history has no meaning with --table %s",
					 s->lab->table.name)
			       : 0;
	if (s->lab->kind == LAB_ORDER_HISTORY)
		return load_links(s, err);
	if (!o->history || !o->start)
		return err_set(err, ERR_USAGE, "--table %s needs --history FILE and --start DATE",
			s->lab->table.name);
	rc = simulate_date(o->start, &s->start_s, err);
	if (rc == 0)
		rc = history_load(o->history, &s->history, err);
	if (rc == 0 && o->links)
		rc = history_links_load(o->links, &s->history, &s->links, err);
	return rc;
}

static int run(struct session *s, struct err *err)
{
	switch (s->lab->kind) {
	case LAB_SAMPLING:
		return run_sampling(s, err);
	case LAB_ORDER_WEB:
		return run_order_web(s, err);
	case LAB_ORDER_HISTORY:
		return run_order_history(s, err);
	default:
		return run_fresh(s, err);
	}
}

enum cmd_status simulate_lab(const struct simulate_options *o, const struct lab_table *table)
{
	struct session s = {.options = o};
	struct err err = {0};
	enum cmd_status status;
	int rc;

	for (size_t i = 0; !s.lab; i++)
		s.lab = &LABS[i].table == table ? &LABS[i] : NULL;
	rc = o->html ? err_set(&err, ERR_USAGE, "--table %s has no page; give --text or --json",
			       table->name)
		     : load(&s, &err);
	if (rc == 0)
		rc = run(&s, &err);
	status = rc ? cmd_fail("simulate", &err)
		    : simulate_print(
			      o, &(struct simulate_output){
					 .json = print_json, .text = print_text, .context = &s});
	figure_vec_release(&s.figures);
	history_links_release(&s.links);
	history_release(&s.history);
	return status;
}
