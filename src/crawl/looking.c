#include "crawl/looking.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "crawl/capture.h"

enum { DIRECTORIES_DEPTH_MAX = 32 };

#define NAMES_MAX        ((size_t)1 << 30)
#define SIGNAL_NAMES_MAX ((size_t)4 << 20)

/* Requests per second that every site has at least: some a month. */
#define BUDGET_MIN 1e-6

/* Seconds between two reports, for each page: all of them are counted. */
static const double REPORT_PER_PAGE = 1e-5;

/* ---- the part ---- */

static double now_of(const struct capture *c)
{
	return clock_seconds(clock_realtime(c->clock));
}

static int make_run(struct capture *c, struct looking *l, struct refresh_run **ret, struct err *err)
{
	*ret = refresh_run_new(
		&(struct refresh_params){
			.policy = l->terms.policy,
			.budget = fmax(l->terms.budget, BUDGET_MIN),
			.start = now_of(c),
			.minute = 60,
			.aim = l->terms.aim,
			.seed = rng_u64(&c->rng),
		},
		err);
	return *ret ? 0 : err->code;
}

int looking_new(struct capture *c, struct look_site *site, bool once, struct err *err)
{
	struct looking *l = calloc(1, sizeof *l);
	int rc;

	if (!l)
		return err_code(err, ERR_NOMEM);
	l->site = site;
	l->once = once;
	arena_init(&l->names, NAMES_MAX);
	strmap_init(&l->groups, hash_key_random(), &l->names);
	rc = polling_init(&l->polling);
	(void)pthread_mutex_lock(&site->lock);
	l->terms = site->terms;
	l->version = site->version;
	(void)pthread_mutex_unlock(&site->lock);
	rc = rc ? err_code(err, rc) : make_run(c, l, &l->run, err);
	if (rc)
		looking_free(l);
	else
		c->looking = l;
	return rc;
}

void looking_free(struct looking *l)
{
	if (!l)
		return;
	refresh_run_free(l->run);
	looked_vec_release(&l->pages);
	polling_release(&l->polling);
	strmap_release(&l->groups);
	arena_release(&l->names);
	free(l);
}

/* ---- pages ---- */

int looking_reserve(struct capture *c, uint32_t page)
{
	struct looking *l = c->looking;
	int rc = 0;

	while (rc == 0 && l->pages.len <= page)
		rc = looked_vec_push(&l->pages, (struct looked){.last = 0});
	return rc;
}

int looking_start_rates(struct capture *c, uint32_t page, struct err *err)
{
	struct page_prior prior;
	int rc;

	if (c->looking->rates.fit_at > 0)
		return 0;
	rc = pages_prior(&c->pages, page, &prior, err);
	if (rc == 0)
		site_rates_init(&c->looking->rates,
			(struct rate_gamma){1, 1 / fmax(prior.survival.rate, 1e-12)});
	return rc;
}

/* A typical time between two looks at a page. */
static double usual_interval(const struct capture *c)
{
	double pages = (double)(c->pages.taken > 0 ? c->pages.taken : 1);

	return pages / fmax(c->looking->terms.budget, 1e-9);
}

double looking_rate(const struct capture *c, uint32_t page)
{
	const struct looking *l = c->looking;

	return site_rates_rate(&l->rates, &l->pages.ptr[page].memory, usual_interval(c) / 2);
}

/* The prior of the site follows the evidence. Without memory it stays as it was. */
void looking_fit(struct capture *c)
{
	struct looking *l = c->looking;
	size_t count = l->pages.len;
	struct rate_memory *list;

	if (!site_rates_is_due(&l->rates))
		return;
	list = calloc(count + 1, sizeof *list);
	for (size_t i = 0; list && i < count; i++)
		list[i] = l->pages.ptr[i].memory;
	if (list)
		(void)site_rates_fit(&l->rates, list, count);
	free(list);
}

bool looking_crossed(const struct looking *l, double from, double to)
{
	double grid = l->terms.aim.grid;

	return grid > 0 && floor(to / grid) > floor(from / grid);
}

/* The site's own words first, then those for all sites, then its rank among the pages. */
static double weight_of(const struct capture *c, uint32_t page, slice url, double usual)
{
	const struct look_terms *t = &c->looking->terms;
	double weight;

	if ((t->weights && look_weights_find(t->weights, url, &weight)) ||
		(t->common && look_weights_find(t->common, url, &weight)))
		return weight;
	return usual * importance_weight(c, page);
}

/* The length of a URL's directory, with its last slash; 0 where there is none above. */
static size_t directory_length(slice url, size_t len)
{
	const char *end;
	size_t root = 0;

	for (int slashes = 0; root < url.len && slashes < 3; root++)
		slashes += url.ptr[root] == '/';
	if (len <= root)
		return 0;
	end = memrchr(url.ptr, '/', len);
	return end && (size_t)(end - url.ptr) + 1 >= root ? (size_t)(end - url.ptr) + 1 : 0;
}

/* The number of a directory, which is added, with those above it, if it is new. */
static int find_group(struct looking *l, slice directory, int depth, uint32_t *ret)
{
	size_t above = directory_length(directory, directory.len - 1);
	uint32_t parent = REFRESH_NO_GROUP;
	int rc = 0;

	if (strmap_get(&l->groups, directory, ret))
		return 0;
	if (above > 0 && depth < DIRECTORIES_DEPTH_MAX)
		rc = find_group(l, slice_sub(directory, 0, above), depth + 1, &parent);
	*ret = (uint32_t)l->groups.len + 1;
	if (rc == 0)
		rc = strmap_put(&l->groups, directory, *ret);
	return rc ? rc : refresh_group(l->run, *ret, parent);
}

static int find_facts(struct capture *c, uint32_t page, struct refresh_facts *ret, struct err *err)
{
	struct looking *l = c->looking;
	struct page_prior prior;
	struct buf url;
	size_t directory = 0;
	int rc;

	buf_init(&url, URL_MAX);
	rc = pages_url(&c->pages, page, &url, err);
	if (rc == 0)
		rc = pages_prior(&c->pages, page, &prior, err);
	if (rc == 0)
		directory = directory_length(buf_slice(&url), strcspn(buf_str(&url), "?"));
	if (rc == 0 && directory > 0)
		rc = err_code(err, find_group(l, slice_sub(buf_slice(&url), 0, directory), 0,
					   &l->pages.ptr[page].group));
	if (rc == 0)
		*ret = (struct refresh_facts){
			.rate = looking_rate(c, page),
			.weight = weight_of(c, page, buf_slice(&url), (double)prior.weight),
			.group = l->pages.ptr[page].group,
			.source = l->pages.ptr[page].source,
		};
	buf_release(&url);
	return rc;
}

/* The run learns of the looks that were made before it began. */
static void tell_looks(struct capture *c, uint32_t page, double rate)
{
	struct looking *l = c->looking;
	struct looked *k = &l->pages.ptr[page];
	struct refresh_look look = {
		.outcome = k->gone ? REFRESH_GONE : REFRESH_CHANGED,
		/* A clock that was ahead then must not put the page off until then. */
		.time = fmin(clock_seconds(k->last), now_of(c)),
		.rate = rate,
	};

	for (int i = 0; i < k->audits; i++)
		refresh_audited(l->run, page, i < k->fresh);
	k->audits = k->fresh = 0;
	if (!k->last)
		return;
	for (int i = 0; i < (k->gone ? k->gone : 1); i++)
		refresh_seen(l->run, page, &look);
}

/* Tells the run what is known of a page now; *ret_rate: its rate. */
static int tell_facts(struct capture *c, uint32_t page, double *ret_rate, struct err *err)
{
	struct refresh_facts facts;
	int rc = find_facts(c, page, &facts, err);

	if (rc)
		return rc;
	rc = refresh_discovered(c->looking->run, page, &facts);
	if (rc)
		return err_set(err, rc, "page %u: %s", (unsigned)page, err_name(rc));
	*ret_rate = facts.rate;
	c->stage.asleep = false;
	c->looking->next = 0;
	return 0;
}

int looking_discovered(struct capture *c, uint32_t page, struct err *err)
{
	double rate = 0;
	int rc = looking_reserve(c, page);

	if (rc)
		return err_code(err, rc);
	rc = looking_start_rates(c, page, err);
	looking_fit(c); /* looks may have been restored */
	if (rc == 0)
		rc = tell_facts(c, page, &rate, err);
	if (rc)
		return rc;
	tell_looks(c, page, rate);
	c->pages.list.ptr[page].planned = true;
	return 0;
}

static bool is_under_watch(const struct capture *c, uint32_t page)
{
	return c->pages.list.ptr[page].planned && c->pages.list.ptr[page].taken;
}

int looking_weigh(struct capture *c, struct err *err)
{
	enum { FEW = 64 };
	struct looking *l = c->looking;
	struct rank_order *o = &c->importance.order;
	double rate;
	int rc;

	if (o->kind != RANK_PAGERANK || l->once ||
		o->link_count < l->weighed + l->weighed / 4 + FEW)
		return 0;
	l->weighed = o->link_count;
	rc = err_code(err, rank_order_settle(o));
	for (uint32_t page = 0; rc == 0 && page < l->pages.len; page++)
		if (is_under_watch(c, page))
			rc = tell_facts(c, page, &rate, err);
	return rc;
}

bool looking_knows(const struct capture *c, uint32_t page, int64_t lastmod)
{
	return page < c->looking->pages.len && c->looking->pages.ptr[page].listed >= lastmod;
}

/*
 * Dates of one page may come from several sitemaps and feeds, which need not agree: only one that
 * is later than all before is news. Not if the page was looked at since; nor one of the future.
 */
static bool is_news(const struct capture *c, const struct looked *k, const struct found *f)
{
	static const int64_t AHEAD_MAX = 86400 * CLOCK_NS_PER_SECOND;

	return f->lastmod > k->listed && k->last && f->latest > k->last &&
	       f->lastmod < clock_realtime(c->clock) + AHEAD_MAX;
}

int looking_listed(struct capture *c, uint32_t page, const struct found *f, struct err *err)
{
	struct looking *l = c->looking;
	bool has_source, news;
	struct looked *k;
	double rate;
	int rc = err_code(err, looking_reserve(c, page));

	if (rc || f->lastmod == 0)
		return rc;
	k = &l->pages.ptr[page];
	has_source = k->source != 0;
	news = is_news(c, k, f);
	if (!has_source)
		k->source = (uint8_t)f->source;
	if (f->lastmod > k->listed)
		k->listed = f->lastmod;
	if (!is_under_watch(c, page))
		return 0;
	if (!has_source && !l->once) /* then it may be done with */
		rc = tell_facts(c, page, &rate, err);
	if (rc == 0 && news)
		(void)refresh_signal(l->run, page, f->source, now_of(c));
	l->next = 0;
	return rc;
}

void looking_withdraw(struct capture *c, uint32_t page)
{
	refresh_withdraw(c->looking->run, page);
	c->pages.list.ptr[page].planned = false; /* it may be allowed again */
}

void looking_met(struct capture *c, uint32_t host)
{
	hosts_set_delay(
		&c->hosts, host, c->looking->terms.delay, c->looking->terms.automatic_delay);
}

/* ---- what to expect ---- */

/*
 * Seconds between the looks around an instant, as they were around the last one. This counts all
 * that looks were late by, also while there was no process. If the second of them has not come, it
 * is later than now.
 */
static double enclosing(const struct capture *c, const struct looked *k, double now)
{
	double usual = k->enclosing > 0 ? (double)k->enclosing : usual_interval(c);

	if (looking_crossed(c->looking, clock_seconds(k->last), now))
		return fmax(usual, now - clock_seconds(k->last));
	return usual;
}

static void weigh(struct capture *c, uint32_t page)
{
	struct looking *l = c->looking;
	const struct looked *k = &l->pages.ptr[page];
	double now = now_of(c), weight, exposure;

	if (!refresh_copy(l->run, page, now, &weight, &exposure) || !isfinite(exposure))
		return;
	l->outlook.weights += weight;
	l->outlook.fresh += weight * site_rates_survival(&l->rates, &k->memory, exposure);
	if (l->terms.policy == &REFRESH_SHARP)
		l->outlook.sharp +=
			weight * site_rates_survival(&l->rates, &k->memory, enclosing(c, k, now));
}

/* Some pages: all of a small site, a random share of a large one. */
static void weigh_some(struct capture *c)
{
	enum { AT_ONCE = 64, LARGE = 1024 }; /* pages */
	struct looking *l = c->looking;
	uint32_t count = (uint32_t)l->pages.len;
	double some = fmin(count, AT_ONCE), kept = 1 - some / fmin(fmax(count, 1), LARGE);

	l->outlook.weights *= kept;
	l->outlook.fresh *= kept;
	l->outlook.sharp *= kept;
	for (int i = 0; i < (int)some; i++) {
		if (l->outlook.page >= count)
			l->outlook.page = 0;
		weigh(c, count > LARGE ? (uint32_t)rng_below(&c->rng, count) : l->outlook.page++);
	}
}

/* A page without a copy is neither current nor proven. */
static void expect(const struct looking *l, struct refresh_status *s)
{
	double copied = refresh_copied(l->run), weights = l->outlook.weights;

	s->fresh_expected = copied > 0 ? copied * l->outlook.fresh / weights : copied;
	s->sharp_expected = (double)NAN;
	if (l->terms.policy == &REFRESH_SHARP)
		s->sharp_expected = copied > 0 ? copied * l->outlook.sharp / weights : copied;
}

/* ---- terms ---- */

/* All pages anew: another policy needs another run, other weights tell all pages. */
static int tell_all(struct capture *c, struct err *err)
{
	int rc = 0;

	for (uint32_t page = 0; rc == 0 && page < c->looking->pages.len; page++)
		if (is_under_watch(c, page))
			rc = looking_discovered(c, page, err);
	for (uint32_t host = 0; rc == 0 && host < hosts_count(&c->hosts); host++)
		looking_met(c, host);
	return rc;
}

int looking_renew(struct capture *c, struct err *err)
{
	struct looking *l = c->looking;
	struct refresh_run *run = NULL;
	int rc = make_run(c, l, &run, err);

	if (rc)
		return rc;
	refresh_inherit(run, l->run);
	refresh_run_free(l->run);
	l->run = run;
	strmap_reset(&l->groups);
	arena_reset(&l->names);
	l->next = 0;
	return tell_all(c, err);
}

/* Other terms have come. Those that a run cannot take wait until no order is out. */
int looking_adopt(struct capture *c, struct err *err)
{
	struct looking *l = c->looking;
	struct look_terms terms;
	unsigned version;

	(void)pthread_mutex_lock(&l->site->lock);
	terms = l->site->terms;
	version = l->site->version;
	(void)pthread_mutex_unlock(&l->site->lock);
	if (terms.budget != l->terms.budget) {
		l->terms.budget = terms.budget;
		refresh_set_budget(l->run, fmax(terms.budget, BUDGET_MIN), now_of(c));
		l->next = 0;
	}
	if (version == l->version || l->out > 0)
		return 0;
	l->terms = terms;
	l->version = version;
	return looking_renew(c, err);
}

int look_site_init(struct look_site *site, const struct look_terms *terms,
	const struct crawl_settings *settings, struct err *err)
{
	*site = (struct look_site){.terms = *terms, .version = 1};
	arena_init_small(&site->names, SIGNAL_NAMES_MAX);
	(void)pthread_mutex_init(&site->lock, NULL);
	return crawl_settings_scope(settings, &site->scope, err);
}

void look_site_release(struct look_site *site)
{
	(void)pthread_mutex_destroy(&site->lock);
	scope_release(&site->scope);
	for (size_t i = 0; i < site->pings.len; i++)
		free(site->pings.ptr[i]);
	look_pings_release(&site->pings);
	look_signals_release(&site->signals);
	arena_release(&site->names);
}

void look_site_set(struct look_site *site, const struct look_terms *terms)
{
	(void)pthread_mutex_lock(&site->lock);
	site->terms = *terms;
	site->version++;
	(void)pthread_mutex_unlock(&site->lock);
}

void look_site_set_budget(struct look_site *site, double budget)
{
	(void)pthread_mutex_lock(&site->lock);
	site->terms.budget = budget;
	(void)pthread_mutex_unlock(&site->lock);
}

void look_site_read(struct look_site *site, struct look_report *ret)
{
	(void)pthread_mutex_lock(&site->lock);
	*ret = site->report;
	(void)pthread_mutex_unlock(&site->lock);
}

static int add_signal(struct look_signals *to, struct arena *names, struct look_signal signal)
{
	signal.name.ptr = arena_strdup(names, signal.name);
	return signal.name.ptr ? look_signals_push(to, signal) : ERR_NOMEM;
}

int look_site_signals(struct look_site *site, struct arena *arena, struct look_signals *ret)
{
	int rc = 0;

	(void)pthread_mutex_lock(&site->lock);
	for (size_t i = 0; rc == 0 && i < site->signals.len; i++)
		rc = add_signal(ret, arena, site->signals.ptr[i]);
	(void)pthread_mutex_unlock(&site->lock);
	return rc;
}

static void count_answers(const struct polled *p, struct look_signal *to)
{
	to->polls += p->polls;
	to->not_modified += p->asserted.answers;
	to->checked += p->asserted.checked;
	to->lies += p->asserted.lies;
}

/* One row for each source, by its first name. The lock is held; without memory some are missing. */
static void report_signals(struct looking *l)
{
	size_t place[REFRESH_SOURCES] = {0}; /* in the rows, plus one */
	struct look_signals *rows = &l->site->signals;

	rows->len = 0;
	arena_reset(&l->site->names);
	for (size_t i = 0; i < l->polling.list.len; i++) {
		const struct polled *p = &l->polling.list.ptr[i];
		struct refresh_source worth = refresh_source(l->run, p->source);
		struct look_signal signal = {
			.name = i == POLL_PINGS ? SLICE(LOOKING_PING) : slice_str(p->url),
			.precision = refresh_precision(&worth),
			.recall = refresh_recall(&worth),
		};

		if (i == POLL_PINGS && worth.announced_changed + worth.announced_same == 0)
			continue;
		if (!place[p->source] && add_signal(rows, &l->site->names, signal) == 0)
			place[p->source] = rows->len;
		if (place[p->source])
			count_answers(p, &rows->ptr[place[p->source] - 1]);
	}
}

void looking_report(struct capture *c, bool now)
{
	struct looking *l = c->looking;
	double time = now_of(c);
	double interval = fmax(looking_pulse(c), REPORT_PER_PAGE * (double)c->pages.list.len);
	struct look_report report;

	if (!now && time - l->reported < interval)
		return;
	l->reported = time;
	weigh_some(c);
	report = (struct look_report){
		.version = l->version,
		.requests = l->requests,
		.looks = l->looks,
		.changes = l->changes,
		.due = refresh_due(l->run, time),
		.failing = looking_is_failing(c),
		.budget = l->terms.budget,
		.status = refresh_status(l->run),
	};
	expect(l, &report.status);
	(void)pthread_mutex_lock(&l->site->lock);
	l->site->report = report;
	report_signals(l);
	(void)pthread_mutex_unlock(&l->site->lock);
}
