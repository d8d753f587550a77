#include "crawl/looking.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/word.h"
#include "crawl/capture.h"
#include "crawl/response.h"
#include "crawl/scheduler.h"
#include "formats/links.h"
#include "formats/url.h"
#include "proof/legs.h"

/* ---- what pages are worth ---- */

enum { FILE_MAX = 1000000000 };

void look_weights_init(struct look_weights *w, struct arena *arena)
{
	*w = (struct look_weights){0};
	strmap_init(&w->urls, hash_key_random(), arena);
}

void look_weights_release(struct look_weights *w)
{
	look_patterns_release(&w->patterns);
	strmap_release(&w->urls);
}

bool look_pattern_matches(slice pattern, slice text)
{
	size_t p = 0, t = 0, star = SIZE_MAX, resume = 0;

	assert((pattern.ptr || pattern.len == 0) && (text.ptr || text.len == 0));
	while (t < text.len) {
		if (p < pattern.len && pattern.ptr[p] == '*') {
			star = p++;
			resume = t;
		} else if (p < pattern.len &&
			   (pattern.ptr[p] == text.ptr[t] || pattern.ptr[p] == '?')) {
			p++;
			t++;
		} else if (star != SIZE_MAX) {
			p = star + 1;
			t = ++resume;
		} else {
			return false;
		}
	}
	while (p < pattern.len && pattern.ptr[p] == '*')
		p++;
	return p == pattern.len;
}

bool look_weights_find(const struct look_weights *w, slice url, double *ret)
{
	uint32_t bits;
	float weight;

	if (w->urls.len > 0 && strmap_get(&w->urls, url, &bits)) {
		memcpy(&weight, &bits, sizeof weight);
		*ret = (double)weight;
		return true;
	}
	for (size_t i = 0; i < w->patterns.len; i++)
		if (look_pattern_matches(w->patterns.ptr[i].pattern, url)) {
			*ret = w->patterns.ptr[i].weight;
			return true;
		}
	return false;
}

/* ---- files ---- */

/* The URL as the catalog has it; of two lines about one the first counts. */
static int add_url(struct look_weights *w, slice text, double weight)
{
	float rounded = (float)weight;
	uint32_t bits;
	URL_SCOPED(url);
	int rc;

	memcpy(&bits, &rounded, sizeof bits);
	TRY(url_parse(&url, text, NULL, NULL));
	if (!url_is_http(&url))
		return ERR_SYNTAX;
	rc = strmap_put(&w->urls, url_page(&url), bits);
	return rc == ERR_EXISTS ? 0 : rc;
}

static int read_line(struct look_weights *w, slice line, struct arena *arena)
{
	double weight;
	size_t end;

	line = word_trim(line);
	if (line.len == 0 || line.ptr[0] == '#')
		return 0;
	for (end = line.len; end > 0 && !word_is_space(line.ptr[end - 1]);)
		end--;
	if (end == 0 || parse_double(slice_sub(line, end, line.len), &weight) ||
		!(weight >= 0 && weight <= LOOK_WEIGHT_MAX))
		return ERR_SYNTAX;
	line = word_trim(slice_sub(line, 0, end));
	if (!memchr(line.ptr, '*', line.len))
		return add_url(w, line, weight);
	return look_patterns_push(
		&w->patterns, (struct look_pattern){arena_keep(arena, line), weight});
}

int look_weights_parse(
	struct look_weights *w, const char *name, slice text, struct arena *arena, struct err *err)
{
	for (size_t number = 1; text.len > 0; number++)
		if (read_line(w, slice_take(&text, '\n'), arena))
			return err_set(err, ERR_SYNTAX,
				"%.200s:%zu: a line is a URL or a pattern, a blank and a weight "
				"from 0 to %.0f",
				name, number, LOOK_WEIGHT_MAX);
	return 0;
}

int look_weights_load(
	struct look_weights *w, const char *path, struct arena *arena, struct err *err)
{
	int fd = file_open_given(path);
	BUF_SCOPED(text, FILE_MAX + 1);
	ssize_t got = -1;
	struct stat st;
	int why;

	if (fd < 0)
		return err_set(err, ERR_IO, "%.200s: %s", path, file_problem(errno));
	/* A file of the usual kind: others may have no end. */
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > FILE_MAX) {
		(void)close(fd);
		return err_set(err, ERR_LIMIT, "%.200s: not a file, or larger than 1 GB", path);
	}
	if (buf_reserve(&text, (size_t)st.st_size + 1) == 0)
		got = io_read_at(fd, text.ptr, (size_t)st.st_size, 0);
	why = errno;
	(void)close(fd);
	if (got < 0)
		return err_set(err, ERR_IO, "%.200s: %s", path, strerror(why));
	text.len = (size_t)got;
	return look_weights_parse(w, path, buf_slice(&text), arena, err);
}

/* ---- looking ---- */

#define NAMES_MAX        ((size_t)1 << 30)
#define SIGNAL_NAMES_MAX ((size_t)4 << 20)

/* Requests per second that every site has at least: some a month. */
#define BUDGET_MIN 1e-6

/* Seconds between two reports, for each page: all of them are counted. */
static const double REPORT_PER_PAGE = 1e-5;

enum {
	OUT_MORE = 4, /* orders that wait for their servers, besides two for each job */
	GONE_MAX = 2, /* what the refresh_run tells apart */
};

/* Seconds until the run is asked again although nothing happens: its server may answer then. */
static const double DOWN_INTERVAL = 5, LONGEST_WAIT = 3600;

/* Seconds that requests under way have when the lanes are to end. */
static const double DRAIN_PATIENCE = 0.5;

/* Seconds after which a site looks whether there is a ping, another budget, or an end; and for each
 * site of its lane. */
static const double PULSE = 0.25, PULSE_PER_SITE = 0.01;

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
	struct looking *l = mem_new(1, sizeof *l);
	int rc;

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
	if (rc) {
		looking_free(l);
		return rc;
	}
	c->looking = l;
	c->scheduler = &SCHEDULER_WATCH;
	return 0;
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

static void reserve_page(struct capture *c, uint32_t page)
{
	while (c->looking->pages.len <= page)
		looked_vec_push(&c->looking->pages, (struct looked){.last = 0});
}

static int start_rates(struct capture *c, uint32_t page, struct err *err)
{
	struct page_prior prior;

	if (c->looking->rates.fit_at > 0)
		return 0;
	TRY(pages_prior(&c->pages, page, &prior, err));
	site_rates_init(
		&c->looking->rates, (struct rate_gamma){1, 1 / fmax(prior.survival.rate, 1e-12)});
	return 0;
}

/* A typical time between two looks at a page. */
static double usual_interval(const struct capture *c)
{
	double pages = (double)(c->pages.taken > 0 ? c->pages.taken : 1);

	return pages / fmax(c->looking->terms.budget, 1e-9);
}

static double rate_of(const struct capture *c, uint32_t page)
{
	const struct looking *l = c->looking;

	return site_rates_rate(&l->rates, &l->pages.ptr[page].memory, usual_interval(c) / 2);
}

/* The prior of the site follows the evidence. Without memory it stays as it was. */
static void fit_rates(struct capture *c)
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

static bool has_crossed(const struct looking *l, double from, double to)
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

/* Tells the run what is known of a page now; *ret_rate: its rate. */
static int tell_facts(struct capture *c, uint32_t page, double *ret_rate, struct err *err)
{
	struct looking *l = c->looking;
	struct refresh_facts facts = {
		.rate = rate_of(c, page), .source = l->pages.ptr[page].source};
	uint32_t *group = &l->pages.ptr[page].group;
	struct page_prior prior;
	BUF_SCOPED(url, URL_MAX);
	const char *end;
	slice directory;
	int rc;

	TRY(pages_url(&c->pages, page, &url, err));
	TRY(pages_prior(&c->pages, page, &prior, err));
	/* Its directory, with the last slash, is its group. */
	end = memrchr(buf_str(&url), '/', strcspn(buf_str(&url), "?"));
	directory = slice_sub(buf_slice(&url), 0, end ? (size_t)(end - buf_str(&url)) + 1 : 0);
	if (end && !strmap_get(&l->groups, directory, group)) {
		*group = (uint32_t)l->groups.len + 1;
		TRY(err_code(err, strmap_put(&l->groups, directory, *group)));
	}
	facts.group = *group;
	facts.weight = weight_of(c, page, buf_slice(&url), (double)prior.weight);
	rc = refresh_discovered(l->run, page, &facts);
	if (rc)
		return err_set(err, rc, "page %u: %s", (unsigned)page, err_name(rc));
	*ret_rate = facts.rate;
	STAGE_SET(c, asleep, false);
	l->next = 0;
	return 0;
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

static int discovered(struct capture *c, uint32_t page, struct err *err)
{
	double rate = 0;

	reserve_page(c, page);
	TRY(start_rates(c, page, err));
	fit_rates(c); /* looks may have been restored */
	TRY(tell_facts(c, page, &rate, err));
	tell_looks(c, page, rate);
	c->pages.list.ptr[page].planned = true;
	return 0;
}

static bool is_under_watch(const struct capture *c, uint32_t page)
{
	return c->pages.list.ptr[page].planned && c->pages.list.ptr[page].taken;
}

/* The weights of all pages again, when the links have grown by a quarter. */
static int weigh_links(struct capture *c, struct err *err)
{
	enum { FEW = 64 };
	struct looking *l = c->looking;
	struct rank_order *o = &c->importance.order;
	double rate;

	if (o->kind != RANK_PAGERANK || l->once ||
		o->link_count < l->weighed + l->weighed / 4 + FEW)
		return 0;
	l->weighed = o->link_count;
	TRY(err_code(err, rank_order_settle(o)));
	for (uint32_t page = 0; page < l->pages.len; page++)
		if (is_under_watch(c, page))
			TRY(tell_facts(c, page, &rate, err));
	return 0;
}

static bool knows_date(const struct capture *c, uint32_t page, int64_t lastmod)
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

static int listed(struct capture *c, uint32_t page, const struct found *f, struct err *err)
{
	struct looking *l = c->looking;
	bool has_source, news;
	struct looked *k;
	double rate;

	reserve_page(c, page);
	if (f->lastmod == 0)
		return 0;
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
		TRY(tell_facts(c, page, &rate, err));
	if (news)
		(void)refresh_signal(l->run, page, f->source, now_of(c));
	l->next = 0;
	return 0;
}

static void withdraw(struct capture *c, uint32_t page)
{
	refresh_withdraw(c->looking->run, page);
	c->pages.list.ptr[page].planned = false; /* it may be allowed again */
}

static void host_met(struct capture *c, uint32_t host)
{
	hosts_set_delay(
		&c->hosts, host, c->looking->terms.delay, c->looking->terms.automatic_delay);
}

/* The server of the site itself, if it is known: pages elsewhere fail one by one. */
static bool find_server(const struct capture *c, uint32_t *ret)
{
	if (c->pages.list.len == 0 || !crawl_page_has_host(&c->pages.list.ptr[0]))
		return false;
	*ret = c->pages.list.ptr[0].host;
	return true;
}

static bool is_down(const struct capture *c)
{
	uint32_t host;

	return find_server(c, &host) && fetch_is_down(c, host);
}

static bool server_is_failing(const struct capture *c)
{
	uint32_t host;

	return find_server(c, &host) && pace_is_failing(hosts_pace(&c->hosts, host));
}

static double pulse_of(const struct capture *c)
{
	return fmax(PULSE, PULSE_PER_SITE * (double)c->lane->captures.len);
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

	if (has_crossed(c->looking, clock_seconds(k->last), now))
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

/*
 * What is expected of all pages by that of the copies: a page without a copy is neither current nor
 * proven. NAN as long as nothing is known of the site's rates.
 */
static double expected(const struct looking *l, double sum)
{
	double copied = refresh_copied(l->run);

	return copied > 0 && site_rates_is_fitted(&l->rates) ? copied * sum / l->outlook.weights
							     : (double)NAN;
}

/* ---- terms ---- */

static int renew_run(struct capture *c, struct err *err)
{
	struct looking *l = c->looking;
	struct refresh_run *run = NULL;

	TRY(make_run(c, l, &run, err));
	refresh_inherit(run, l->run);
	refresh_run_free(l->run);
	l->run = run;
	strmap_reset(&l->groups);
	arena_reset(&l->names);
	l->next = 0;
	/* All pages anew: another policy needs another run, other weights tell all pages. */
	for (uint32_t page = 0; page < c->looking->pages.len; page++)
		if (is_under_watch(c, page))
			TRY(discovered(c, page, err));
	for (uint32_t host = 0; host < hosts_count(&c->hosts); host++)
		host_met(c, host);
	return 0;
}

/* Other terms have come. Those that a run cannot take wait until no order is out. */
static int adopt_terms(struct capture *c, struct err *err)
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
	return renew_run(c, err);
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

static void add_signal(struct look_signals *to, struct arena *names, struct look_signal signal)
{
	signal.name = arena_keep(names, signal.name);
	look_signals_push(to, signal);
}

void look_site_signals(struct look_site *site, struct arena *arena, struct look_signals *ret)
{
	(void)pthread_mutex_lock(&site->lock);
	for (size_t i = 0; i < site->signals.len; i++)
		add_signal(ret, arena, site->signals.ptr[i]);
	(void)pthread_mutex_unlock(&site->lock);
}

/* One row for each source, by its first name. The lock is held. */
static void report_signals(struct looking *l)
{
	size_t place[REFRESH_SOURCES] = {0}; /* in the rows, plus one */
	struct look_signals *rows = &l->site->signals;

	rows->len = 0;
	arena_reset(&l->site->names);
	for (size_t i = 0; i < l->polling.list.len; i++) {
		const struct polled *p = &l->polling.list.ptr[i];
		struct refresh_source worth = refresh_source(l->run, p->source);
		struct look_signal *to,
			signal = {
				.name = i == POLL_PINGS ? SLICE(LOOKING_PING) : slice_str(p->url),
				.precision = refresh_precision(&worth),
				.recall = refresh_recall(&worth),
			};

		if (i == POLL_PINGS && worth.announced_changed + worth.announced_same == 0)
			continue;
		if (!place[p->source]) {
			add_signal(rows, &l->site->names, signal);
			place[p->source] = rows->len;
		}
		to = &rows->ptr[place[p->source] - 1];
		to->polls += p->polls;
		to->not_modified += p->asserted.answers;
		to->checked += p->asserted.checked;
		to->lies += p->asserted.lies;
	}
}

static void tell_site(struct capture *c, bool now)
{
	struct looking *l = c->looking;
	double time = now_of(c);
	double interval = fmax(pulse_of(c), REPORT_PER_PAGE * (double)c->pages.list.len);
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
		.failing = server_is_failing(c),
		.budget = l->terms.budget,
		.fresh_expected = expected(l, l->outlook.fresh),
		.sharp_expected = l->terms.policy == &REFRESH_SHARP ? expected(l, l->outlook.sharp)
								    : (double)NAN,
		.status = refresh_status(l->run),
	};
	(void)pthread_mutex_lock(&l->site->lock);
	l->site->report = report;
	report_signals(l);
	(void)pthread_mutex_unlock(&l->site->lock);
}

/* ---- pings ---- */

/*
 * Somebody says that a page is new or has changed. It is one source of announcements among
 * others (plan/refresh_run.h), whose worth is learned, and changes nothing but the order of
 * looks. New pages that pings name are taken at a twentieth of the site's budget, since anybody can
 * invent URLs; the others are forgotten.
 */
static const double NEW_SHARE = 0.05;

int look_site_ping(struct look_site *site, const struct url *url)
{
	struct look_pings *pings = &site->pings;
	bool waits = false;
	int rc = 0;

	(void)pthread_mutex_lock(&site->lock);
	for (size_t i = 0; i < pings->len; i++)
		waits = waits || slice_eq(slice_str(pings->ptr[i]), url_page(url));
	if (!scope_decide(&site->scope, url, (struct scope_link){0}).in)
		rc = ERR_NOTFOUND;
	else if (!waits && pings->len >= LOOK_PINGS_MAX)
		rc = ERR_LIMIT;
	else if (!waits)
		look_pings_push(pings, mem_strdup(url_page(url))); /* a copy for the lane */
	(void)pthread_mutex_unlock(&site->lock);
	return rc;
}

static int hear(struct capture *c, const char *text, struct err *err)
{
	struct looking *l = c->looking;
	URL_SCOPED(url);
	uint32_t page;

	l->next = 0;
	if (url_parse(&url, slice_str(text), NULL, NULL) || polling_hurry(c, url_page(&url)))
		return 0;
	if (pages_find(&c->pages, url_page(&url), &page)) {
		if (c->pages.list.ptr[page].planned)
			(void)refresh_signal(l->run, page, POLL_SOURCE_PING, now_of(c));
		return 0;
	}
	if ((now_of(c) - l->pinged) * NEW_SHARE * l->terms.budget < 1)
		return 0;
	l->pinged = now_of(c);
	return discover(c,
		&(struct found){
			.url = &url, .how = "ping", .via = CATALOG_NO_PAGE, .kind = LINK_PAGE},
		err);
}

static int hear_all(struct capture *c, struct err *err)
{
	struct look_site *site = c->looking->site;
	struct look_pings pings;
	int rc = 0;

	(void)pthread_mutex_lock(&site->lock);
	pings = site->pings;
	site->pings = (struct look_pings){0};
	(void)pthread_mutex_unlock(&site->lock);
	for (size_t i = 0; i < pings.len; i++) {
		if (rc == 0)
			rc = hear(c, pings.ptr[i], err);
		free(pings.ptr[i]);
	}
	look_pings_release(&pings);
	return rc;
}

/* ---- asking ---- */

/* Seconds until a window opens; 0 within one. */
static double until_window(const struct capture *c)
{
	const struct windows *w = &c->looking->terms.windows;
	int64_t now = clock_realtime(c->lane->shared->wall) / CLOCK_NS_PER_SECOND, opening;

	if (w->count == 0)
		return 0;
	opening = windows_opening(w, now);
	return opening == INT64_MAX ? LONGEST_WAIT : (double)(opening - now);
}

/* Nothing more is asked for: it ends when nothing is under way. */
static void check_end(struct capture *c)
{
	STAGE_SET(c, ended,
		c->looking->out == 0 && c->requests.unplanned == 0 && c->rules.waiting == 0);
}

static void sleep_until(struct capture *c, double until)
{
	double now = now_of(c);

	c->looking->next = fmin(fmax(until, now), now + LONGEST_WAIT);
	STAGE_SET(c, asleep, true);
}

/* Nothing to do now. A watch that is made once ends here, unless only the pace holds it up. */
static void rest(struct capture *c, double until)
{
	sleep_until(c, until);
	if (c->looking->once && refresh_due(c->looking->run, now_of(c)) == 0)
		check_end(c);
}

static void report_done(struct capture *c, const struct plan_order *order,
	enum refresh_purpose purpose, const struct refresh_look *look)
{
	struct looking *l = c->looking;

	l->out--;
	STAGE_SET(c, asleep, false);
	refresh_done(l->run, &(struct refresh_order){order->page, purpose}, look);
}

/* An order was not carried out: it is given again, or later because its server is down. */
static void returned(struct capture *c, const struct plan_order *order, bool is_down_now)
{
	struct refresh_look look = {
		.outcome = is_down_now ? REFRESH_FAILED : REFRESH_RETURNED, .time = now_of(c)};

	report_done(c, order, REFRESH_LOOK, &look);
	if (is_down_now) /* nothing was sent */
		refresh_spend(c->looking->run, -1);
}

/* Asks the run for the next page, and carries its order out. */
static int ask(struct capture *c, struct err *err)
{
	struct looking *l = c->looking;
	struct refresh_order o;
	struct request r = {.kind = REQUEST_PAGE};
	const struct crawl_page *page;
	double until = INFINITY;
	size_t place;

	if (refresh_next(l->run, now_of(c), &o, &until) == REFRESH_WAIT) {
		rest(c, until);
		return 0;
	}
	page = &c->pages.list.ptr[o.page];
	r.host = page->host;
	r.order = (struct plan_order){.page = o.page,
		.leg = page->visited ? PLAN_REVISIT : PLAN_VISIT,
		.attempt = l->pages.ptr[o.page].number + 1};
	r.refresh = (uint8_t)o.purpose;
	r.first = o.purpose == REFRESH_AUDIT;
	if (!page->taken) { /* given up since: spam, a mirror */
		l->out++;
		withdraw(c, o.page);
		returned(c, &r.order, false);
		return 0;
	}
	if (r.first) {
		budget_hurry(c->lane->shared->watch->budget);
		/* An order that waits for its server goes first, if the page of the audit has one;
		 * one that is under way is the audit as well. */
		if (requests_find(&c->requests, o.page, &place)) {
			c->requests.list.ptr[place].refresh = REFRESH_AUDIT;
			hosts_hurry(&c->hosts, c->requests.list.ptr[place].host, place);
			return 0;
		}
	}
	l->out++;
	if (fetch_is_down(c, page->host)) {
		returned(c, &r.order, true);
		return 0;
	}
	return err_code(err, fetch_hold(c, &r));
}

/* Enough orders wait for their servers; audits do not wait. */
static bool is_full(const struct capture *c)
{
	return c->looking->out >= 2U * c->settings->jobs + OUT_MORE;
}

/* Whether the run may be asked now; else until when not. */
static bool may_ask(struct capture *c)
{
	struct looking *l = c->looking;
	double closed = until_window(c), now = now_of(c);
	bool down = is_down(c);

	if (c->stage.ended || (is_full(c) && refresh_audit_at(l->run) > now))
		return false;
	if (closed > 0 || down) {
		rest(c, now + (closed > 0 ? closed : DOWN_INTERVAL));
		if (l->once)
			check_end(c);
		return false;
	}
	return !c->stage.asleep || fmin(l->next, refresh_audit_at(l->run)) <= now;
}

/* Sitemaps and feeds wait for windows and servers as pages do. */
static bool may_poll(const struct capture *c)
{
	return !c->stage.ended && !atomic_load(&c->lane->shared->watch->drain) &&
	       until_window(c) <= 0 && !is_down(c);
}

/*
 * The lanes are to end, and all sites wait for it: a server that does not answer must not hold up
 * the others. Pages that wait for its robots.txt, and what is given up, are asked for again when
 * the site is opened anew.
 */
static int drain(struct capture *c, struct err *err)
{
	struct looking *l = c->looking;
	int rc = fetch_drop_all(c, err);

	if (l->drained == 0)
		l->drained = now_of(c) + DRAIN_PATIENCE;
	if (rc == 0 && now_of(c) >= l->drained)
		slow_cancel_all(c);
	sleep_until(c, l->drained);
	STAGE_SET(c, ended, l->out == 0 && c->requests.unplanned == 0);
	return rc;
}

static int work(struct capture *c, struct err *err)
{
	const atomic_bool *drains = &c->lane->shared->watch->drain;
	bool is_draining = atomic_load(drains);

	TRY(views_feed(c, err)); /* visits have no end that views could wait for */
	TRY(is_draining ? drain(c, err) : robots_fetch_due(c, err));
	TRY(adopt_terms(c, err));
	TRY(weigh_links(c, err));
	TRY(hear_all(c, err));
	if (!is_draining)
		TRY(importance_feed(c, err));
	/* Search forms are asked when all pages that are known were looked at, one by one. */
	if (!is_draining && form_queries_are_on(c) && refresh_status(c->looking->run).queued == 0)
		TRY(form_queries_next(c, err));
	if (may_poll(c))
		TRY(polling_dispatch(c, err));
	while (!atomic_load(drains) && may_ask(c)) {
		TRY(lane_check_stop(c->lane, err));
		STAGE_SET(c, asleep, false);
		TRY(ask(c, err));
		TRY(lane_start_ready(c->lane, err));
	}
	return c->stage.ended && c->looking->once ? renew_run(c, err) : 0;
}

static int dispatch(struct capture *c, struct err *err)
{
	int rc = work(c, err);

	tell_site(c, c->stage.ended);
	return rc ? rc : polling_store_pings(c);
}

static double wait_for_orders(const struct capture *c)
{
	const struct looking *l = c->looking;
	double next = is_full(c) ? fmax(l->next, refresh_audit_at(l->run)) : l->next;
	double wait = fmax(0, next - now_of(c));

	wait = fmin(wait, pulse_of(c));
	return may_poll(c) ? fmin(wait, polling_wait(c)) : wait;
}

/* ---- what came of them ---- */

static int dropped(
	struct capture *c, const struct plan_order *order, enum drop_reason reason, struct err *err)
{
	(void)err;
	returned(c, order, reason == DROP_SERVER_DOWN);
	return 0;
}

static void saw(struct capture *c, const struct attempt *a, bool is_usable, bool is_same)
{
	struct looking *l = c->looking;

	l->looks++;
	l->pages.ptr[a->page].number = a->number;
	l->outcome = REFRESH_FAILED;
	if (is_usable) {
		struct looked *k = &l->pages.ptr[a->page];
		bool is_gone = same_is_missing(a->status);
		int64_t begin = a->wall.sent ? a->wall.sent : a->wall.last_byte;

		/* The page's rate after a look, and what else is known of it. */
		if (k->last && !is_gone && !k->gone)
			site_rates_observe(&l->rates, &k->memory,
				(struct rate_interval){.length = clock_seconds(begin - k->last),
					.changed = !is_same});
		if (k->last && has_crossed(l, clock_seconds(k->last), clock_seconds(begin)))
			k->enclosing = (float)clock_seconds(begin - k->last);
		l->changes += k->last && !is_same;
		k->gone = !is_gone ? 0 : k->gone < GONE_MAX ? (uint8_t)(k->gone + 1) : GONE_MAX;
		k->last = a->wall.last_byte;
		l->outcome = is_gone ? REFRESH_GONE : is_same ? REFRESH_SAME : REFRESH_CHANGED;
	}
}

static int stored(struct capture *c, const struct arrival *at, struct err *err)
{
	const struct page_visit *visit = at->visit;
	struct observation shown = legs_observe(&at->a);

	(void)err;
	saw(c, &at->a, observation_is_usable(&shown), visit && page_visit_is_same(visit, &at->a));
	return 0;
}

static int finished(
	struct capture *c, const struct request *r, const struct net_fetch *f, struct err *err)
{
	struct looking *l = c->looking;
	size_t known = c->pages.taken;
	struct refresh_look look;
	enum plan_outcome outcome = PLAN_OK;
	BUF_SCOPED(url, URL_MAX);

	l->outcome = REFRESH_FAILED;
	TRY(response_finished(c, r, f, &outcome, err));
	TRY(importance_done(c, r->order.page, err));
	if (outcome == PLAN_RETRY && c->login.with) /* what came may not be the page */
		l->outcome = REFRESH_FAILED;
	fit_rates(c);
	look = (struct refresh_look){
		.outcome = l->outcome,
		.time = now_of(c),
		.rate = rate_of(c, r->order.page),
		.born = (uint32_t)(c->pages.taken > known ? c->pages.taken - known : 0),
	};
	report_done(c, &r->order, (enum refresh_purpose)r->refresh, &look);
	if (l->once) /* and never again, until renew_run */
		refresh_withdraw(l->run, r->order.page);
	/* A feed may be a page, too: when a look found it changed, what it announces is asked for.
	 */
	if (c->looking->outcome != REFRESH_CHANGED || c->sitemaps.feeds == 0)
		return 0;
	TRY(pages_url(&c->pages, r->order.page, &url, err));
	(void)polling_hurry(c, buf_slice(&url));
	return 0;
}

static void sent(struct capture *c, const struct request *r)
{
	c->looking->requests++;
	budget_spend(c->lane->shared->watch->budget, clock_realtime(c->clock));
	if (r->kind != REQUEST_PAGE)
		refresh_spend(c->looking->run, 1);
}

/* ---- after a restart ---- */

void looking_carry_over(struct capture *c, int64_t now, double surplus)
{
	int64_t last = c->counters.last_sent / CLOCK_NS_PER_SECOND;
	struct looking *l = c->looking;

	if (last)
		refresh_accrue(
			l->run, (budget_idle(last, now) + surplus) * l->terms.budget, l->once);
}

/* Compared with the look before as when it was made. */
static int restored(struct capture *c, const struct attempt *a, bool is_usable, struct err *err)
{
	bool is_same = false;
	struct page_visit before;

	if (is_usable && c->pages.list.ptr[a->page].visited) {
		TRY(pages_visit(&c->pages, a->page, &before, err));
		is_same = page_visit_is_same(&before, a);
	}
	if (a->leg == ATTEMPT_LOOK) {
		reserve_page(c, a->page);
		TRY(start_rates(c, a->page, err));
		if (attempt_purpose(a) == PURPOSE_AUDIT) {
			struct looked *k = &c->looking->pages.ptr[a->page];

			/* As refresh_done judges an audit. */
			if ((!k->last || is_usable) && k->audits != UINT8_MAX) {
				k->audits++;
				k->fresh = (uint8_t)(k->fresh + (k->last && is_same));
			}
		}
		saw(c, a, is_usable, is_same);
	}
	return !is_usable || is_same ? 0 : response_restored(c, a, err);
}

static int seed_added(struct capture *c, const struct url *seed, struct err *err)
{
	struct look_site *site = c->looking->site;
	int rc;

	(void)pthread_mutex_lock(&site->lock);
	rc = scope_add_seed(&site->scope, seed, c->settings->scope, err);
	(void)pthread_mutex_unlock(&site->lock);
	return rc;
}

static void lane_left(struct capture *c)
{
	tell_site(c, true);
}

const struct scheduler SCHEDULER_WATCH = {
	.endless = true,
	.given_up = "it was not complete when the watch began anew",
	.legs = {ATTEMPT_LOOK, ATTEMPT_LOOK, ATTEMPT_LOOK},
	.discovered = discovered,
	.dispatch = dispatch,
	.wait = wait_for_orders,
	.dropped = dropped,
	.finished = finished,
	.stored = stored,
	.restored = restored,
	.refused = withdraw,
	.listed = listed,
	.knows_date = knows_date,
	.host_met = host_met,
	.seed_added = seed_added,
	.sent = sent,
	.left = lane_left,
};
