#include "crawl/watch_daemon.h"

#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/retire.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "crawl/crawl.h"
#include "crawl/watch_config.h"
#include "crawl/watch_status.h"
#include "formats/url.h"
#include "plan/refresh_run.h"

/* ---- pings ---- */

/* URLs per second that are taken from all sides together, and how many at once. */
static const double PER_SECOND = 50, AT_ONCE = 500;

struct ping {
	struct httpd *httpd;
	struct look_site *sites;
	size_t count;
	const struct clock *clock;
	pthread_mutex_t lock;
	struct ping_room room;
};

/* ---- reading ---- */

static int take_url(slice value, struct buf *out)
{
	size_t start = out->len;
	int rc = parameter_decode(out, value);

	if (rc)
		return rc == ERR_LIMIT ? ERR_SYNTAX : rc;
	if (out->len == start || memchr(out->ptr + start, '\n', out->len - start))
		return ERR_SYNTAX;
	return buf_add_char(out, '\n');
}

int ping_parse(slice form, struct buf *ret)
{
	bool is_hub = false, is_publish = false;
	size_t count = 0;

	buf_reset(ret);
	while (form.len) {
		slice pair = slice_take(&form, '&'), name = slice_take(&pair, '=');
		bool is_topic = slice_eq(name, SLICE("hub.url")) ||
				slice_eq(name, SLICE("hub.url[]")) ||
				slice_eq(name, SLICE("hub.topic"));

		is_hub |= is_topic;
		if (slice_eq(name, SLICE("hub.mode"))) {
			is_publish = slice_eq(pair, SLICE("publish"));
			is_hub = true;
		} else if (is_topic || slice_eq(name, SLICE("url"))) {
			TRY(++count > PING_URLS_MAX ? ERR_LIMIT : take_url(pair, ret));
		}
	}
	return (count == 0 || is_hub != is_publish) ? ERR_SYNTAX : 0;
}

int ping_address(
	const char *text, char ret_address[HTTPD_ADDRESS_SIZE], uint16_t *ret_port, struct err *err)
{
	char whole[32];

	if (strspn(text, "0123456789") != strlen(text) || strlen(text) > 5)
		return httpd_address_parse(text, ret_address, ret_port, err);
	(void)snprintf(whole, sizeof whole, "127.0.0.1:%s", text);
	return httpd_address_parse(whole, ret_address, ret_port, err);
}

/* ---- answering ---- */

bool ping_room_take(struct ping_room *r, double now, size_t urls)
{
	r->room = r->has_begun ? fmin(AT_ONCE, r->room + (now - r->at) * PER_SECOND) : AT_ONCE;
	r->at = now;
	r->has_begun = true;
	if (r->room < (double)urls)
		return false;
	r->room -= (double)urls;
	return true;
}

/* Tells all sites whose page it is: the status that this deserves. */
static unsigned tell(struct ping *p, slice text)
{
	unsigned status = 404;
	URL_SCOPED(url);

	if (url_parse(&url, text, NULL, NULL) || !url_is_http(&url))
		return 400;
	for (size_t i = 0; i < p->count; i++) {
		int rc = look_site_ping(&p->sites[i], &url);

		if (rc == 0)
			status = 204;
		else if (rc == ERR_LIMIT && status == 404)
			status = 429;
	}
	return status;
}

/* What a form deserves. One URL that is good is enough; a wrong one spoils all. */
static unsigned answer(struct ping *p, slice form)
{
	BUF_SCOPED(urls, PING_BODY_MAX + PING_URLS_MAX + 1);
	int rc = ping_parse(form, &urls);
	slice lines = buf_slice(&urls);
	unsigned status = 404;
	size_t count = 0;
	bool may;

	if (rc)
		return rc == ERR_LIMIT ? 413 : 400;
	for (size_t i = 0; i < urls.len; i++)
		count += urls.ptr[i] == '\n';
	(void)pthread_mutex_lock(&p->lock);
	may = ping_room_take(&p->room, clock_seconds(clock_monotonic(p->clock)), count);
	(void)pthread_mutex_unlock(&p->lock);
	if (!may)
		return 429;
	while (lines.len) {
		unsigned one = tell(p, slice_take(&lines, '\n'));

		if (one == 400)
			return one;
		if (status == 404 || one == 204)
			status = one;
	}
	return status;
}

static void handle(void *context, const struct httpd_request *q, struct httpd_response *r)
{
	slice query = slice_sub(q->target, q->path.len + 1, q->target.len);
	bool is_post = slice_eq(q->method, SLICE("POST")),
	     is_ping = slice_eq(q->path, SLICE("/ping"));

	if (!is_ping && !slice_eq(q->path, SLICE("/")))
		r->status = 404;
	else if (!is_post && !(is_ping && slice_eq(q->method, SLICE("GET"))))
		r->status = 405;
	else if (q->body_cut || query.len > PING_BODY_MAX)
		r->status = 413;
	else
		r->status = answer(context, is_post && q->body.len > 0 ? q->body : query);
	if (r->status == 405)
		httpd_header(r, "Allow", is_ping ? "GET, POST" : "POST");
	if (r->status == 429)
		httpd_header(r, "Retry-After", "10");
}

/* ---- the endpoint ---- */

/* NULL is fine. */
static void ping_stop(struct ping *p)
{
	if (!p)
		return;
	(void)httpd_stop(p->httpd);
	(void)pthread_mutex_destroy(&p->lock);
	free(p);
}

/*
 * Listens where the configuration says, for its sites, side by side with those of the lanes; both
 * are borrowed. 0, ERR_IO when it cannot listen there, ERR_NOMEM.
 */
static SP_MUST_CHECK int ping_start(const struct watch_config *c, struct look_site *sites,
	const struct daemon_params *daemon, struct ping **ret, struct err *err)
{
	char address[HTTPD_ADDRESS_SIZE];
	struct httpd_params params = {.address = address,
		.body_max = PING_BODY_MAX,
		.handler = handle,
		.names = daemon->names};
	struct ping *p = mem_new(1, sizeof *p);
	int rc = ping_address(c->ping, address, &params.port, err);

	(void)pthread_mutex_init(&p->lock, NULL);
	p->sites = sites;
	p->count = c->site_count;
	p->clock = daemon->clock;
	params.context = p;
	if (rc == 0)
		rc = httpd_start(&params, &p->httpd, err);
	if (rc) {
		ping_stop(p);
		return rc;
	}
	if (params.port == 0)
		log_warn("watch", "pings: listening on %s, port %u", address,
			(unsigned)httpd_port(p->httpd));
	*ret = p;
	return 0;
}

/* ---- how sites share the budget ---- */

enum { ROUNDS = 50 };

#define MARGIN_MIN  1e-60
#define MARGIN_MAX  1e60
#define FLOOR_SHARE 0.05 /* of an equal share: what every site gets */

static bool has_curve(const struct balance_site *s)
{
	return s->policy->demand && !s->policy->threshold && s->curve.middle > 0;
}

static double pages_of(const struct balance_site *s)
{
	return fmax(s->pages, 1);
}

/* What a site can have for further looks. */
static double most(const struct balance_site *s)
{
	return fmax(0, fmin(s->limit, s->use) - s->first);
}

/* Sites that share by a common margin. Those without curves: by one that is looks per page. */
struct group {
	const struct refresh_policy *policy;
	bool curves;
};

static bool is_in(const struct balance_site *s, struct group g)
{
	return s->policy == g.policy && has_curve(s) == g.curves;
}

/* First copies are a part of what is wanted. */
static double given(const struct balance_site *s, double margin, double floor)
{
	double wants = has_curve(s) ? market_curve_at(&s->curve, margin) : pages_of(s) / margin;

	return fmin(fmax(wants - s->first, floor), most(s));
}

/* Finds the margin at which a group wants its share; no site gets less than the floor. */
static void clear(
	struct balance_site *sites, size_t count, struct group g, double share, double floor)
{
	double low = MARGIN_MIN, high = MARGIN_MAX;

	for (int round = 0; round < 2 * ROUNDS; round++) {
		double margin = sqrt(low) * sqrt(high), sum = 0;

		for (size_t i = 0; i < count; i++)
			sum += is_in(&sites[i], g) ? given(&sites[i], margin, floor) : 0;
		if (sum > share)
			low = margin;
		else
			high = margin;
	}
	for (size_t i = 0; i < count; i++)
		if (is_in(&sites[i], g))
			sites[i].budget = given(&sites[i], high, floor);
}

/* A site's share by its pages, no less than the floor and no more than it can use. */
static double fair_part(const struct balance_site *s, double per_page, double floor)
{
	return fmin(fmax(per_page * pages_of(s), floor), most(s));
}

/* A site's part of first copies, if each may have so much. */
static double first_of(const struct balance_site *s, double each, double period)
{
	return fmin(fmin(s->unseen / period, each), fmin(s->limit, s->use));
}

/* Divides the share of first copies; returns what is left of the total. */
static double give_first(struct balance_site *sites, size_t count, double total, double period)
{
	double share = REFRESH_FIRST_SHARE * total, low = 0, high = share, sum = 0;

	for (int round = 0; round < ROUNDS; round++) {
		double each = round == 0 ? high : (low + high) / 2;

		sum = 0;
		for (size_t i = 0; i < count; i++)
			sum += first_of(&sites[i], each, period);
		if (sum <= share)
			low = each;
		else
			high = each;
	}
	sum = 0;
	for (size_t i = 0; i < count; i++) {
		sites[i].first = first_of(&sites[i], low, period);
		sum += sites[i].first;
	}
	return total - sum;
}

void balance(struct balance_site *sites, size_t count, double total, double period)
{
	double left = give_first(sites, count, total, period);
	double floor = fmin(FLOOR_SHARE * total, left) / fmax((double)count, 1);
	double low = 0, high = left; /* a site has a page at least */

	for (int round = 0; round < ROUNDS; round++) {
		double per_page = (low + high) / 2, sum = 0;

		for (size_t i = 0; i < count; i++)
			sum += fair_part(&sites[i], per_page, floor);
		if (sum < left)
			low = per_page;
		else
			high = per_page;
	}
	for (size_t p = 0; refresh_policy_at(p / 2); p++) {
		struct group g = {refresh_policy_at(p / 2), p % 2 > 0};
		double share = 0;

		for (size_t i = 0; i < count; i++)
			if (is_in(&sites[i], g))
				share += fair_part(&sites[i], high, floor);
		clear(sites, count, g, share, floor);
	}
}

/* ---- the daemon ---- */

#define SECONDS_PER_DAY 86400.0

/* Seconds between two writings of the status; and between two balances, from first to usual. */
static const double STATUS_INTERVAL = 1, BALANCE_FIRST = 0.25, BALANCE_USUAL = 15;

/* Each time between two balances is so much longer than the one before. */
#define BALANCE_GROWTH 1.2

/* Of the budget: what sites get whose servers do not answer, if none does. */
#define FAILING_SHARE 0.01

/* What a site makes use of, measured over a while. */
struct use {
	uint64_t requests; /* sent when the measure began; 0: not yet */
	double since;
	double granted; /* its budget since then, in requests */
	double at;      /* time up to which that is counted; 0: nothing is */
	double use;     /* by the last measure: requests per second; infinite: any number */
};

struct watch {
	const struct daemon_params *params;
	struct watch_config *opened;  /* whose settings the lanes have */
	struct watch_config *config;  /* that counts: the same, or a later one */
	struct watch_config *retired; /* another, by which some sites may still go; or NULL */
	struct watch_config *next;    /* has other sites: counts when all lanes have ended */
	struct look_site *sites;
	struct balance_site *balance;
	struct use *uses; /* by site */
	struct budget budget;
	struct crawl_watch crawl;
	double status_at, balance_at, balance_every, divided_at;
	double retire_at;
	uint64_t retired_at; /* wall, s: the last retirement, or try; 0: never */
	bool again;          /* the lanes are opened anew, with the same configuration */
	bool complained;     /* of a status that cannot be written */
};

static double monotonic_now(const struct watch *w)
{
	return clock_seconds(clock_monotonic(w->params->clock));
}

/* Seconds. */
static uint64_t wall(const struct watch *w)
{
	return (uint64_t)(clock_realtime(w->params->clock) / CLOCK_NS_PER_SECOND);
}

static void free_config(struct watch_config *c)
{
	if (c)
		watch_config_release(c);
	free(c);
}

static int read_config(
	const struct daemon_params *params, struct watch_config **ret, struct err *err)
{
	struct watch_config *c = mem_new(1, sizeof *c);
	int rc = watch_config_read(c, params->config, err);

	if (rc)
		free_config(c);
	else
		*ret = c;
	return rc;
}

/* ---- the budget ---- */

/* Requests per second while windows are open: the day's budget is spent within them. */
static double pace_of(double per_second, const struct windows *w)
{
	return per_second / watch_open_share(w);
}

static void set_budget(struct watch *w)
{
	const struct watch_config *c = w->config;

	budget_change(&w->budget, pace_of(c->requests, &c->windows), pace_of(c->bytes, &c->windows),
		monotonic_now(w));
}

static double site_limit(const struct watch_site *site)
{
	return pace_of(site->terms.budget, &site->terms.windows);
}

/*
 * What a site can make use of, in requests per second. One that has left half of its budget (it is
 * slow, or asks for long pauses) gets twice what it used, and more again when it uses that. Of few
 * requests chance decides, and nothing follows. One whose server does not answer is tried now and
 * then.
 */
static double site_use(
	struct use *u, double time, double budget, double when_failing, const struct look_report *r)
{
	enum { TELLING = 20, TELLING_TIME = 10 }; /* requests; seconds */
	double passed, used;

	if (u->at > 0)
		u->granted += budget * (time - u->at);
	else
		*u = (struct use){.requests = r->requests, .since = time, .use = INFINITY};
	u->at = time;
	passed = time - u->since;
	if (passed >= TELLING_TIME && u->granted >= TELLING) {
		used = (double)(r->requests - u->requests);
		u->use = used > u->granted / 2 ? INFINITY : fmax(2 * used, u->granted / 4) / passed;
		*u = (struct use){
			.requests = r->requests, .since = time, .at = time, .use = u->use};
	}
	return r->failing ? fmin(when_failing, u->use) : u->use;
}

static double budget_of(const struct balance_site *s)
{
	return s->first + s->budget;
}

static void divide(struct watch *w)
{
	const struct watch_config *c = w->config;
	double total = pace_of(c->requests, &c->windows);
	double when_failing = FAILING_SHARE * total / (double)c->site_count;

	for (size_t i = 0; i < c->site_count; i++) {
		struct look_report report;

		look_site_read(&w->sites[i], &report);
		w->balance[i] = (struct balance_site){
			.policy = c->sites[i].terms.policy,
			.pages = (double)report.status.pages,
			.unseen = (double)report.status.queued,
			.curve = report.status.curve,
			.limit = site_limit(&c->sites[i]),
			.use = site_use(&w->uses[i], monotonic_now(w), budget_of(&w->balance[i]),
				when_failing, &report),
		};
	}
	balance(w->balance, c->site_count, total, BALANCE_FIRST);
	for (size_t i = 0; i < c->site_count; i++)
		look_site_set_budget(&w->sites[i], budget_of(&w->balance[i]));
}

/* Whether a site has all first copies that it got budget for, or pages that it got none for. */
static bool is_unbalanced(const struct watch *w)
{
	for (size_t i = 0; i < w->config->site_count; i++) {
		struct look_report r;

		look_site_read(&w->sites[i], &r);
		if ((w->balance[i].first > 0) != (r.status.queued > 0) && !r.failing)
			return true;
	}
	return false;
}

/* From time to time, ever more rarely; sooner where first copies begin or end. */
static void divide_in_time(struct watch *w, double time)
{
	if (time >= w->balance_at)
		w->balance_every = fmin(BALANCE_GROWTH * w->balance_every, BALANCE_USUAL);
	else if (time < w->divided_at + BALANCE_FIRST || !is_unbalanced(w))
		return;
	divide(w);
	w->divided_at = time;
	w->balance_at = time + w->balance_every;
}

/* ---- the status ---- */

static void fill_site(
	const struct watch *w, size_t i, struct watch_status *s, struct watch_site_status *ret)
{
	const struct watch_site *site = &w->config->sites[i];
	size_t before = s->signals.len;
	struct look_report r;

	look_site_read(&w->sites[i], &r);
	look_site_signals(&w->sites[i], &s->arena, &s->signals);
	*ret = (struct watch_site_status){
		.url = slice_str(site->settings.seeds.ptr[0]),
		.policy = slice_str(site->terms.policy->name),
		.pages = r.status.pages,
		.due = r.due,
		.fresh_expected = r.version ? r.fresh_expected : NAN,
		.fresh_measured = r.status.audits > 0 ? r.status.fresh_measured : NAN,
		.fresh_error = r.status.audits > 0 ? r.status.fresh_error : NAN,
		.sharp_expected = r.version ? r.sharp_expected : NAN,
		.signals = s->signals.len - before,
	};
	s->pages += r.status.pages;
	s->looks += r.looks;
	s->changes += r.changes;
}

/* That it cannot be written is no reason to end: it is said once. */
static void write_status(struct watch *w)
{
	SCOPED(watch_status_release) struct watch_status s;
	struct err err = {0};
	int rc;

	watch_status_init(&s);
	watch_site_list_reserve(&s.sites, w->config->site_count);
	s.requests = w->config->written;
	s.per_day = w->config->requests * SECONDS_PER_DAY;
	s.spent = budget_spent(&w->budget, (int64_t)wall(w));
	s.retired = w->retired_at;
	for (size_t i = 0; i < w->config->site_count; i++)
		fill_site(w, i, &s, &s.sites.ptr[s.sites.len++]);
	rc = watch_status_write(&s, w->config->archive, &err);
	if (rc && !w->complained)
		log_warn("watch", "%s", err.text);
	w->complained = rc != 0;
}

/* ---- another configuration ---- */

/* Sites go by the newer terms when they have reported so. */
static void release_retired(struct watch *w)
{
	for (size_t i = 0; w->retired && i < w->config->site_count; i++) {
		struct look_report r;

		look_site_read(&w->sites[i], &r);
		if (r.version != w->sites[i].version)
			return;
	}
	free_config(w->retired);
	w->retired = NULL;
}

static void set_terms(struct watch *w)
{
	const struct watch_config *c = w->config;

	set_budget(w);
	for (size_t i = 0; i < c->site_count; i++) {
		struct look_terms terms = c->sites[i].terms;

		terms.budget = fmin(budget_of(&w->balance[i]), site_limit(&c->sites[i]));
		look_site_set(&w->sites[i], &terms);
	}
	w->balance_at = 0; /* at once */
}

static void reload(struct watch *w)
{
	struct watch_config *c;
	struct err err = {0};

	if (read_config(w->params, &c, &err)) {
		log_error("watch", "%s; the configuration before goes on counting", err.text);
		return;
	}
	if (w->retired || w->next || !watch_config_is_like(w->config, c)) {
		free_config(w->next);
		w->next = c;
		atomic_store(&w->crawl.drain, true);
		log_warn("watch", "%s: read again; sites are opened anew", w->params->config);
		return;
	}
	w->retired = w->config == w->opened ? NULL : w->config;
	w->config = c;
	set_terms(w);
	log_warn("watch", "%s: read again", w->params->config);
}

static bool is_told_to_reload(const struct watch *w)
{
	struct pollfd p = {.fd = w->params->reload_fd, .events = POLLIN};
	uint64_t count;

	return p.fd >= 0 && poll(&p, 1, 0) == 1 && read(p.fd, &count, sizeof count) == sizeof count;
}

/* ---- retirement ---- */

static bool is_stopped(const struct watch *w)
{
	struct pollfd p = {.fd = w->params->stop_fd, .events = POLLIN};

	return p.fd >= 0 && poll(&p, 1, 0) == 1;
}

/* All captures of its sites, and only these. What was retired is logged; so is a failure: then all
 * is as before. */
static void retire_old(const struct watch_config *c)
{
	struct retire_rule *rules = mem_new(c->site_count, sizeof *rules);
	struct retire_counts n = {0};
	struct err err = {0};
	int rc;

	for (size_t i = 0; i < c->site_count; i++)
		rules[i] = (struct retire_rule){
			slice_str(c->sites[i].settings.seeds.ptr[0]), c->retention};
	rc = retire_archive(c->archive,
		&(struct retire_params){.rules = rules, .rule_count = c->site_count}, &n, &err);
	free(rules);
	if (rc)
		log_error("watch", "retention: %s; it is tried again in a day", err.text);
	else if (n.looks > 0)
		log_warn("watch",
			"retention: retired %" PRIu64 " of %" PRIu64 " versions: %" PRIu64
			" looks in %" PRIu64 " WARC files",
			n.retired, n.versions, n.looks, n.files);
}

static bool must_retire(const struct watch *w)
{
	return w->config->has_retention && monotonic_now(w) >= w->retire_at;
}

/* ---- running ---- */

static void on_tick(void *context, const struct crawl_progress *progress)
{
	struct watch *w = context;
	double time = monotonic_now(w);

	(void)progress;
	if (is_told_to_reload(w))
		reload(w);
	if (atomic_load(&w->crawl.clock_set) && !atomic_load(&w->crawl.drain)) {
		/* Looks get their times from the clock as it is now; nobody knows what it was worth
		 * before. */
		log_warn("watch",
			"the wall clock was set: what was looked at since the start, or since it "
			"was set before, proves nothing; going on with the new time");
		w->again = true;
		atomic_store(&w->crawl.drain, true);
	}
	/* Files are replaced while nobody writes: the lanes end first. With --once they end anyway.
	 */
	if (!w->params->once && !atomic_load(&w->crawl.drain) && must_retire(w)) {
		w->again = true;
		atomic_store(&w->crawl.drain, true);
	}
	divide_in_time(w, time);
	if (time >= w->status_at) {
		write_status(w);
		release_retired(w);
		w->status_at = time + STATUS_INTERVAL;
	}
}

static int make_sites(struct watch *w, struct err *err)
{
	const struct watch_config *c = w->config;
	double share = pace_of(c->requests, &c->windows) / (double)c->site_count;

	w->sites = mem_new(c->site_count, sizeof *w->sites);
	w->balance = mem_new(c->site_count, sizeof *w->balance);
	w->uses = mem_new(c->site_count, sizeof *w->uses);
	for (size_t i = 0; i < c->site_count; i++) {
		struct look_terms terms = c->sites[i].terms;

		terms.budget = fmin(share, site_limit(&c->sites[i]));
		w->balance[i].budget = terms.budget;
		TRY(look_site_init(&w->sites[i], &terms, &c->sites[i].settings, err));
	}
	return 0;
}

/* Until it is stopped, or the sites are others. */
static int run_config(struct watch *w, struct err *err)
{
	const struct watch_config *c = w->opened;
	struct crawl_settings *settings = mem_new(c->site_count, sizeof *settings);
	struct crawl_options options = {
		.stop_fd = w->params->stop_fd,
		.lanes = c->lanes,
		.on_progress = on_tick,
		.context = w,
		.secrets = &c->secrets,
	};
	struct crawl_log log = {0};
	struct ping *ping = NULL;
	int rc = make_sites(w, err);

	/* Side by side; their lists stay the configuration's. */
	for (size_t i = 0; i < c->site_count; i++)
		settings[i] = c->sites[i].settings;
	if (rc == 0)
		rc = crawl_log_open(&log, c->crawl_log, c->events, err);
	if (log.log || log.events)
		options.log = &log;

	w->crawl.hears_pings = c->ping && !w->params->once;
	if (rc == 0 && w->crawl.hears_pings)
		rc = ping_start(c, w->sites, w->params, &ping, err);
	w->crawl.budget = &w->budget;
	w->crawl.sites = w->sites;
	w->crawl.once = w->params->once;
	atomic_store(&w->crawl.drain, false);
	atomic_store(&w->crawl.clock_set, false);
	w->again = false;
	w->balance_every = BALANCE_FIRST;
	w->balance_at = monotonic_now(w) + BALANCE_FIRST;
	if (rc == 0)
		rc = crawl_watch(c->archive, settings, c->site_count, &w->crawl, &options, err);
	ping_stop(ping);
	crawl_log_close(&log);
	if (rc == 0) {
		/*
		 * To be called while no lane is open. Another configuration that waits may have
		 * other rules: then these no longer count. By a clock that was just set nothing is
		 * given up: it may be wrong, and has a day to be set right. A failure is tried
		 * again a day later, too.
		 */
		if (!is_stopped(w) && !w->next && must_retire(w)) {
			if (!atomic_load(&w->crawl.clock_set))
				retire_old(w->config);
			w->retired_at = wall(w);
			w->retire_at = monotonic_now(w) + SECONDS_PER_DAY;
		}
		write_status(w);
	}
	for (size_t i = 0; w->sites && i < w->config->site_count; i++)
		look_site_release(&w->sites[i]);
	free(w->sites);
	free(w->balance);
	free(w->uses);
	w->sites = NULL;
	w->balance = NULL;
	w->uses = NULL;
	free(settings);
	return rc;
}

/*
 * The status of an archive remembers it across restarts; without one it was never. From then on the
 * day is measured by the monotonic clock: that the wall clock is set makes nothing due.
 */
static void recall_retirement(struct watch *w)
{
	SCOPED(watch_status_release) struct watch_status s;
	struct err ignored = {0};
	uint64_t time = wall(w);

	watch_status_init(&s);
	if (watch_status_read(&s, w->next->archive, &ignored) == 0)
		w->retired_at = s.retired;
	if (time >= w->retired_at)
		w->retire_at = monotonic_now(w) + SECONDS_PER_DAY - (double)(time - w->retired_at);
}

int daemon_run(const struct daemon_params *params, struct err *err)
{
	struct watch w = {.params = params};
	int rc;

	TRY(read_config(params, &w.next, err));
	recall_retirement(&w);
	budget_init(&w.budget, 0, 0, monotonic_now(&w));
	do {
		/* What the lanes are opened with next: the later configuration, or the same again.
		 */
		struct watch_config *next = w.next ? w.next : w.config;

		free_config(w.retired);
		if (w.opened != next)
			free_config(w.opened);
		if (w.config != next && w.config != w.opened)
			free_config(w.config);
		w.opened = w.config = next;
		w.next = w.retired = NULL;
		set_budget(&w);
		rc = run_config(&w, err);
	} while (rc == 0 && (w.next || w.again));
	if (w.config != w.opened)
		free_config(w.config);
	free_config(w.opened);
	free_config(w.retired);
	free_config(w.next);
	budget_release(&w.budget);
	return rc;
}
