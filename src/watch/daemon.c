#include "watch/daemon.h"

#include <math.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "crawl/crawl.h"
#include "watch/balance.h"
#include "watch/ping.h"
#include "watch/retirement.h"
#include "watch/watch_config.h"
#include "watch/watch_status.h"

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

static double now(void)
{
	return clock_seconds(clock_monotonic(clock_system()));
}

/* Seconds. */
static uint64_t wall(void)
{
	return (uint64_t)(clock_realtime(clock_system()) / CLOCK_NS_PER_SECOND);
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
	struct watch_config *c = calloc(1, sizeof *c);
	int rc = c ? watch_config_read(c, params->config, params->others, err)
		   : err_code(err, ERR_NOMEM);

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
		now());
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
	struct use *u, double budget, double when_failing, const struct look_report *r)
{
	enum { TELLING = 20, TELLING_TIME = 10 }; /* requests; seconds */
	double time = now(), passed, used;

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
			.margin = report.status.margin,
			.budget = w->balance[i].budget,
			.limit = site_limit(&c->sites[i]),
			.use = site_use(
				&w->uses[i], budget_of(&w->balance[i]), when_failing, &report),
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
	struct look_report r;

	look_site_read(&w->sites[i], &r);
	*ret = (struct watch_site_status){
		.url = slice_str(site->settings.seeds.ptr[0]),
		.policy = slice_str(site->terms.policy->name),
		.pages = r.status.pages,
		.due = r.due,
		.fresh_expected = r.version ? r.status.fresh_expected : NAN,
		.fresh_measured = r.status.audits > 0 ? r.status.fresh_measured : NAN,
		.fresh_error = r.status.audits > 0 ? r.status.fresh_error : NAN,
		.sharp_expected = r.version ? r.status.sharp_expected : NAN,
	};
	s->pages += r.status.pages;
	s->looks += r.looks;
	s->changes += r.changes;
}

static int fill_status(struct watch *w, struct watch_status *s)
{
	int rc = watch_site_list_reserve(&s->sites, w->config->site_count);

	if (rc)
		return rc;
	s->requests = w->config->written;
	s->per_day = w->config->requests * SECONDS_PER_DAY;
	s->spent = budget_spent(&w->budget, (int64_t)wall());
	s->retired = w->retired_at;
	for (size_t i = 0; rc == 0 && i < w->config->site_count; i++) {
		size_t before = s->signals.len;

		fill_site(w, i, s, &s->sites.ptr[s->sites.len++]);
		rc = look_site_signals(&w->sites[i], &s->arena, &s->signals);
		s->sites.ptr[i].signals = s->signals.len - before;
	}
	return rc;
}

/* That it cannot be written is no reason to end: it is said once. */
static void write_status(struct watch *w)
{
	struct watch_status s;
	struct err err = {0};
	int rc;

	watch_status_init(&s);
	rc = err_code(&err, fill_status(w, &s));
	if (rc == 0)
		rc = watch_status_write(&s, w->config->archive, &err);
	if (rc && !w->complained)
		log_warn("watch", "%s", err.text);
	w->complained = rc != 0;
	watch_status_release(&s);
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

/* Looks get their times from the clock as it is now; nobody knows what it was worth before. */
static void start_anew(struct watch *w)
{
	log_warn("watch", "the wall clock was set: what was looked at since the start, or since it "
			  "was set before, proves nothing; going on with the new time");
	w->again = true;
	atomic_store(&w->crawl.drain, true);
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

static bool must_retire(const struct watch *w)
{
	return w->config->has_retention && now() >= w->retire_at;
}

/* Files are replaced while nobody writes: the lanes end first. With --once they end anyway. */
static void make_way(struct watch *w)
{
	if (w->params->once || atomic_load(&w->crawl.drain) || !must_retire(w))
		return;
	w->again = true;
	atomic_store(&w->crawl.drain, true);
}

/*
 * To be called while no lane is open. Another configuration that waits may have other rules: then
 * these no longer count. By a clock that was just set nothing is given up: it may be wrong, and has
 * a day to be set right. A failure is tried again a day later, too.
 */
static void retire(struct watch *w)
{
	if (is_stopped(w) || w->next || !must_retire(w))
		return;
	if (!atomic_load(&w->crawl.clock_set))
		retirement_run(w->config);
	w->retired_at = wall();
	w->retire_at = now() + SECONDS_PER_DAY;
}

/*
 * The status of an archive remembers it across restarts; without one it was never. From then on the
 * day is measured by the monotonic clock: that the wall clock is set makes nothing due.
 */
static void recall_retirement(struct watch *w)
{
	struct watch_status s;
	struct err ignored = {0};
	uint64_t time = wall();

	watch_status_init(&s);
	if (watch_status_read(&s, w->next->archive, &ignored) == 0)
		w->retired_at = s.retired;
	if (time >= w->retired_at)
		w->retire_at = now() + SECONDS_PER_DAY - (double)(time - w->retired_at);
	watch_status_release(&s);
}

/* ---- running ---- */

static void on_tick(void *context, const struct crawl_progress *progress)
{
	struct watch *w = context;
	double time = now();

	(void)progress;
	if (is_told_to_reload(w))
		reload(w);
	if (atomic_load(&w->crawl.clock_set) && !atomic_load(&w->crawl.drain))
		start_anew(w);
	make_way(w);
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
	int rc = 0;

	w->sites = calloc(c->site_count, sizeof *w->sites);
	w->balance = calloc(c->site_count, sizeof *w->balance);
	w->uses = calloc(c->site_count, sizeof *w->uses);
	if (!w->sites || !w->balance || !w->uses)
		return err_code(err, ERR_NOMEM);
	for (size_t i = 0; rc == 0 && i < c->site_count; i++) {
		struct look_terms terms = c->sites[i].terms;

		terms.budget = fmin(share, site_limit(&c->sites[i]));
		w->balance[i].budget = terms.budget;
		rc = look_site_init(&w->sites[i], &terms, &c->sites[i].settings, err);
	}
	return rc;
}

static void free_sites(struct watch *w)
{
	for (size_t i = 0; w->sites && i < w->config->site_count; i++)
		look_site_release(&w->sites[i]);
	free(w->sites);
	free(w->balance);
	free(w->uses);
	w->sites = NULL;
	w->balance = NULL;
	w->uses = NULL;
}

/* Settings of all sites, side by side; their lists stay the configuration's. */
static struct crawl_settings *collect_settings(const struct watch_config *c)
{
	struct crawl_settings *list = calloc(c->site_count, sizeof *list);

	for (size_t i = 0; list && i < c->site_count; i++)
		list[i] = c->sites[i].settings;
	return list;
}

/* Until it is stopped, or the sites are others. */
static int run_config(struct watch *w, struct err *err)
{
	const struct watch_config *c = w->opened;
	struct crawl_settings *settings = collect_settings(c);
	struct crawl_options options = {
		.stop_fd = w->params->stop_fd,
		.lanes = c->lanes,
		.on_progress = on_tick,
		.context = w,
	};
	struct ping *ping = NULL;
	int rc = settings ? make_sites(w, err) : err_code(err, ERR_NOMEM);

	w->crawl.hears_pings = c->ping && !w->params->once;
	if (rc == 0 && w->crawl.hears_pings)
		rc = ping_start(c, w->sites, &w->params->names, &ping, err);
	w->crawl.budget = &w->budget;
	w->crawl.sites = w->sites;
	w->crawl.once = w->params->once;
	atomic_store(&w->crawl.drain, false);
	atomic_store(&w->crawl.clock_set, false);
	w->again = false;
	w->balance_every = BALANCE_FIRST;
	w->balance_at = now() + BALANCE_FIRST;
	if (rc == 0)
		rc = crawl_watch(c->archive, settings, c->site_count, &w->crawl, &options, err);
	ping_stop(ping);
	if (rc == 0) {
		retire(w);
		write_status(w);
	}
	free_sites(w);
	free(settings);
	return rc;
}

/* The configuration that the lanes are opened with next: the later one, or the same again. */
static void turn_over(struct watch *w)
{
	struct watch_config *next = w->next ? w->next : w->config;

	free_config(w->retired);
	if (w->opened != next)
		free_config(w->opened);
	if (w->config != next && w->config != w->opened)
		free_config(w->config);
	w->opened = w->config = next;
	w->next = w->retired = NULL;
	set_budget(w);
}

int daemon_run(const struct daemon_params *params, struct err *err)
{
	struct watch w = {.params = params};
	int rc = read_config(params, &w.next, err);

	if (rc)
		return rc;
	recall_retirement(&w);
	budget_init(&w.budget, 0, 0, now());
	do {
		turn_over(&w);
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
