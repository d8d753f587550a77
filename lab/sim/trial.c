#include "sim/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/expect.h"
#include "plan/heat.h"
#include "plan/measure.h"
#include "sim/changes.h"
#include "sim/discovery.h"

/* A requisite is one of the pool as often as one of the page's own; so eight pages share one. */
enum { POOL_USERS = 8 };

static const double REQUISITE_RATE = 0.25;

/* Edges to new pages, numbered from site->n on; the pool's come first. */
static int draw_requisites(
	struct site *site, unsigned per_page, struct rng *rng, uint32_t *ret_pages)
{
	uint32_t n = (uint32_t)site->n, style = n, pool = 1 + n * per_page / (2 * POOL_USERS);
	uint32_t next = style + 1 + pool, used = 0;
	int rc = 0;

	for (uint32_t page = 0; page < n; page++) {
		if (rc == 0)
			rc = group_edges_push(&site->requisites, (struct group_edge){page, style});
		for (unsigned k = 0; rc == 0 && k < per_page; k++) {
			bool shared = rng_below(rng, 2);
			uint32_t part = !shared       ? next++
					: used < pool ? style + 1 + used++ /* each at least once */
						      : style + 1 + (uint32_t)rng_below(rng, pool);

			rc = group_edges_push(&site->requisites, (struct group_edge){page, part});
		}
	}
	*ret_pages = next;
	return rc;
}

/* The requisites stand behind the links of their page. Edges are in the order of their pages. */
static int lay_links(struct site *site, size_t pages)
{
	const struct group_edges *e = &site->requisites;
	size_t count = site->link_from[site->n], to = 0, edge = 0;
	size_t *from = calloc(pages + 2, sizeof *from);
	uint32_t *links = malloc((count + e->len + 1) * sizeof *links);

	if (!from || !links) {
		free(from);
		free(links);
		return ERR_NOMEM;
	}
	for (size_t i = 0; i < pages; i++) {
		from[i] = to;
		for (size_t k = i < site->n ? site->link_from[i] : count;
			i < site->n && k < site->link_from[i + 1]; k++)
			links[to++] = site->links[k];
		for (; edge < e->len && e->ptr[edge].page == i; edge++)
			links[to++] = e->ptr[edge].requisite;
	}
	from[pages] = to;
	free(site->link_from);
	free(site->links);
	site->link_from = from;
	site->links = links;
	return 0;
}

static int draw_rates(struct site *site, size_t pages, struct rng *rng)
{
	struct survival *survival = realloc(site->survival, pages * sizeof *survival);
	double scale = (double)site->n / (double)pages;

	if (!survival)
		return ERR_NOMEM;
	site->survival = survival;
	for (size_t i = site->n; i < pages; i++)
		survival[i] =
			survival_poisson(REQUISITE_RATE * survival[rng_below(rng, site->n)].rate);
	for (size_t i = 0; i < pages; i++)
		survival[i].rate *= scale;
	return 0;
}

int composites_add(struct site *site, unsigned per_page, struct rng *rng)
{
	uint32_t pages = 0;
	int rc = draw_requisites(site, per_page, rng, &pages);

	if (rc == 0)
		rc = lay_links(site, pages);
	if (rc == 0)
		rc = draw_rates(site, pages, rng);
	if (rc == 0)
		site->n = pages;
	return rc;
}

/* Descending utility; of equals the earlier page first. */
static int sort_pages(const struct site *site, const struct change_history *histories, double end,
	uint32_t *pages)
{
	double *utility = malloc((site->n + 1) * sizeof *utility);
	int rc = utility ? 0 : ERR_NOMEM;

	for (uint32_t i = 0; rc == 0 && i < site->n; i++) {
		pages[i] = i;
		utility[i] = blur_actual_page(histories[i], end, (struct blur_interval){0, end});
	}
	if (rc == 0)
		rc = heat_sort_by(utility, pages, site->n);
	free(utility);
	return rc;
}

int op_capture(const struct site *site, const struct change_history *histories, double delay,
	struct drive_result *ret_result)
{
	struct drive_result r;
	int rc = drive_result_init(&r, site->n, true, delay);

	r.end = ((double)site->n - 1) * delay;
	if (rc == 0)
		rc = u32_vec_reserve(&r.visits, site->n);
	if (rc == 0)
		rc = sort_pages(site, histories, r.end, r.visits.ptr);
	if (rc) {
		drive_release(&r);
		return rc;
	}
	r.visits.len = site->n;
	for (size_t i = 0; i < site->n; i++)
		r.visited_at[r.visits.ptr[i]] = (double)i * delay;
	*ret_result = r;
	return 0;
}

bool contender_find(const char *name, struct contender *ret_contender)
{
	const char *suffix = strrchr(name, ':');
	struct contender c = {
		.name = name,
		.eager = suffix && strcmp(suffix, CONTENDER_EAGER) == 0,
		.apart = suffix && strcmp(suffix, CONTENDER_APART) == 0,
	};
	bool is_varied = c.eager || c.apart;
	size_t len = is_varied ? (size_t)(suffix - name) : strlen(name);
	char strategy[64];

	(void)snprintf(strategy, sizeof strategy, "%.*s", (int)len, name);
	c.discovers = strcmp(name, CONTENDER_BOUND_ONLINE) == 0;
	c.is_bound = c.discovers || strcmp(name, CONTENDER_BOUND) == 0;
	c.plan = plan_strategy_find(c.is_bound ? "stillpoint-offline" : strategy, false);
	if (c.plan && !is_varied && !c.is_bound)
		c.name = c.plan->name;
	else if (!c.plan && strcmp(name, CONTENDER_OP) != 0)
		return false;
	*ret_contender = c;
	return true;
}

/* What all contenders of a run share. */
struct trial {
	const struct trial_params *params;
	struct site site;
	struct fleet fleet;
	struct survival *told; /* NULL: the truth */
	struct changes changes;
};

/* Log-uniform between 1/factor and factor. */
static double random_factor(struct rng *rng, double factor)
{
	return pow(factor, 2 * rng_double(rng) - 1);
}

static int tell_rates(struct trial *t, struct rng *rng)
{
	double factor = t->params->rate_error;

	if (!(factor > 1))
		return 0;
	t->told = malloc(t->site.n * sizeof *t->told);
	if (!t->told)
		return ERR_NOMEM;
	for (size_t i = 0; i < t->site.n; i++)
		t->told[i] =
			survival_poisson(t->site.survival[i].rate * random_factor(rng, factor));
	return 0;
}

/* The end of the longest capture that there can be. */
static double horizon(const struct trial_params *p, size_t n)
{
	double legs = 1;

	for (size_t i = 0; i < p->contender_count; i++)
		if (p->contenders[i].plan && p->contenders[i].plan->revisits)
			legs = 2;
	if (p->failure > 0)
		legs *= PLAN_ATTEMPTS;
	if (p->fleet.servers > 0)
		return legs * (double)n * p->fleet.delays[p->fleet.servers - 1];
	return legs * (double)n * p->delay;
}

static int prepare(struct trial *t, struct rng *rng)
{
	const struct trial_params *p = t->params;
	int rc = p->kind ? kind_site(p->kind, rng, &t->site)
			 : synthetic_site(&p->site, p->in_order ? NULL : rng, &t->site);

	if (rc == 0 && p->requisites > 0)
		rc = composites_add(&t->site, p->requisites, rng);
	if (rc == 0)
		rc = fleet_init(&t->fleet, &p->fleet, &t->site, rng);
	if (rc == 0)
		rc = tell_rates(t, rng);
	if (rc == 0)
		rc = changes_draw(&t->site, horizon(p, t->site.n), rng, &t->changes);
	return rc;
}

static uint32_t told_size(const struct trial_params *p, size_t n)
{
	double size = round((double)n * (1 + p->size_error));

	return size < 1 ? 1 : size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
}

static int capture(
	const struct trial *t, const struct contender *c, struct rng *rng, struct drive_result *ret)
{
	static const uint32_t ROOT[] = {0};
	const struct trial_params *p = t->params;
	struct drive_params params = {
		.site = &t->site,
		.told = t->told,
		.plan = {.strategy = c->plan,
			.delay = p->delay,
			.tau = p->tau,
			.fast = p->fast,
			.size = told_size(p, t->site.n),
			.eager = c->eager,
			.apart = c->apart,
			.aim = p->aim,
			.downloads = (size_t)(2 * p->limit * (double)t->site.n)},
		.size_unknown = p->size_unknown,
		.seeds = ROOT,
		.seed_count = 1,
		.fleet = &t->fleet,
		.faults = {.rng = rng, .failure = p->failure, .late = p->late},
	};
	struct err err = {0};

	return c->plan ? drive(&params, ret, &err)
		       : op_capture(&t->site, t->changes.histories, p->delay, ret);
}

/* From a plan that knows all groups beforehand. */
static int groups_bound_of(const struct trial *t, const struct contender *c, double *ret_bound)
{
	struct group_evaluation groups = {0};
	struct drive_result result;
	int rc = capture(t, c, NULL, &result);

	if (rc)
		return rc;
	rc = evaluate_groups(&t->site, &result, t->params->fast, NULL, &groups);
	*ret_bound = groups.bound;
	drive_release(&result);
	return rc;
}

static int find_bound(const struct trial *t, const struct contender *c, double *ret_bound)
{
	const struct trial_params *p = t->params;

	if (p->requisites > 0)
		return groups_bound_of(t, c, ret_bound);
	if (t->fleet.servers > 0)
		return fleet_bound(&t->fleet, &t->site, ret_bound);
	if (c->discovers)
		return discovery_bound(&t->site, p->delay, ret_bound);
	return evaluate_bound(&t->site, p->delay, p->fast, 0, ret_bound);
}

static int measure_bound(
	const struct trial *t, const struct contender *c, struct trial_values *ret_values)
{
	double bound = NAN;
	int rc = find_bound(t, c, &bound);

	*ret_values = (struct trial_values){.of = {[TRIAL_PAGES] = (double)t->site.n,
						    [TRIAL_EXPECTED_COHERENCE] = bound,
						    [TRIAL_COHERENCE] = NAN,
						    [TRIAL_EXPECTED_BLUR] = NAN,
						    [TRIAL_BLUR] = NAN}};
	return rc;
}

static int measure(
	const struct trial *t, size_t contender, struct rng *rng, struct trial_values *ret_values)
{
	const struct trial_params *p = t->params;
	struct evaluation expected, actual;
	struct group_evaluation groups = {0};
	struct drive_result result;
	size_t pages;
	int rc;

	if (p->contenders[contender].is_bound)
		return measure_bound(t, &p->contenders[contender], ret_values);
	rc = capture(t, &p->contenders[contender], rng, &result);

	if (rc)
		return rc;
	if (p->watch)
		p->watch(p->watch_context, contender, &result, t->changes.histories);
	expected = evaluate(&t->site, &result, NULL);
	actual = evaluate(&t->site, &result, t->changes.histories);
	if (p->requisites > 0) {
		rc = evaluate_groups(&t->site, &result, true, t->changes.histories, &groups);
		expected.coherence = groups.expected;
		actual.coherence = groups.actual;
	}
	pages = result.visits.len + result.late.len;
	*ret_values = (struct trial_values){
		.of = {
			[TRIAL_PAGES] = (double)pages,
			[TRIAL_EXPECTED_COHERENCE] = expected.coherence,
			[TRIAL_COHERENCE] = actual.coherence,
			[TRIAL_EXPECTED_BLUR] = blur_average(expected.blur, pages),
			[TRIAL_BLUR] = blur_average(actual.blur, pages),
		}};
	drive_release(&result);
	return rc;
}

int trial_run(const struct trial_params *params, struct rng *rng, struct trial_values *values)
{
	struct trial t = {.params = params};
	int rc = prepare(&t, rng);

	for (size_t i = 0; rc == 0 && i < params->contender_count; i++) {
		struct rng own;

		/* What goes wrong for one does not depend on who else takes part. */
		rng_split(rng, &own);
		rc = measure(&t, i, &own, &values[i]);
	}
	site_release(&t.site);
	fleet_release(&t.fleet);
	free(t.told);
	changes_release(&t.changes);
	return rc;
}
