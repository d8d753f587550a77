/* A capture: makes its parts from its settings, begins or resumes it, frees it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "crawl/capture.h"
#include "crawl/names.h"
#include "extract/link_kind.h"
#include "quality/stillpoint.h"

double capture_seconds(const struct capture *c, int64_t monotonic)
{
	return clock_seconds(monotonic - c->epoch);
}

double capture_now(const struct capture *c)
{
	return capture_seconds(c, clock_monotonic(c->clock));
}

/* Special advice for this reason, or the given one. */
static const char *choose_advice(const char *reason, const char *advice)
{
	static const struct {
		const char *reason, *advice;
	} KNOWN[] = {
		{"HTTP 401", "it needs a login; add --auth USER:PASSWORD"},
		{"HTTP 407", "the proxy needs a login; use --proxy http://USER:PASSWORD@HOST:PORT"},
		{NET_NO_TLS, "try the URL with http:// instead of https://"},
		{NET_TLS_REFUSED, "perhaps it speaks plain HTTP: try http:// instead of https://"},
	};

	for (size_t i = 0; i < sizeof KNOWN / sizeof KNOWN[0]; i++)
		if (strstr(reason, KNOWN[i].reason))
			return KNOWN[i].advice;
	return advice;
}

int capture_find_host(struct capture *c, const struct url *url, uint32_t *ret)
{
	size_t known = hosts_count(&c->hosts);
	int rc = hosts_find(&c->hosts, url, ret);

	if (rc == 0 && c->looking && hosts_count(&c->hosts) > known)
		looking_met(c, *ret);
	return rc ? rc : rules_reserve(&c->rules, hosts_count(&c->hosts));
}

int capture_add_seed(struct capture *c, const struct url *seed, struct err *err)
{
	int rc = scope_add_seed(&c->scope, seed, c->settings->scope, err);

	if (rc == 0 && c->looking)
		rc = look_site_add_seed(c->looking->site, seed, c->settings->scope, err);
	return rc;
}

int capture_store(struct capture *c, const struct catalog_row *row, struct err *err)
{
	struct catalog_row ours = *row;

	ours.capture = c->row.id;
	return store_row(&c->lane->store, c->row.uuid, &ours, err);
}

int capture_store_row(struct capture *c, struct err *err)
{
	return capture_store(c, &(struct catalog_row){CATALOG_ROW_CAPTURE, .state = &c->row}, err);
}

void capture_problem(struct capture *c, slice url, const char *reason, const char *advice)
{
	log_info("crawl", "%.*s: %s", (int)url.len, url.ptr, reason);
	if (!c->problem &&
		asprintf(&c->problem, "%.*s: %s; %s", (int)(url.len < 200 ? url.len : 200), url.ptr,
			reason, choose_advice(reason, advice)) < 0)
		c->problem = NULL;
}

/* What a strategy that knows all pages beforehand may count with; 0: not known. */
static size_t known_downloads(const struct crawl_settings *s)
{
	double count = s->automatic_delay || s->delay <= 0 ? 0 : s->time_limit / s->delay * s->jobs;

	return count > UINT32_MAX ? 0 : (size_t)count;
}

static int make_plan(struct capture *c, struct err *err)
{
	const struct crawl_settings *s = c->settings;
	bool all_known = s->scope == SCOPE_PAGE && s->no_requisites && s->surts.len == 0 &&
			 s->includes.len == 0;

	c->strategy = plan_strategy_find(s->strategy, all_known);
	if (!c->strategy)
		return err_set(err, ERR_USAGE,
			"unknown strategy '%.60s' (try 'stillpoint plan --list-strategies')",
			s->strategy);
	c->plan = plan_run_new(
		&(struct plan_params){
			.strategy = c->strategy,
			.delay = s->automatic_delay ? 0 : s->delay / s->jobs,
			.tau = s->tau,
			.size = s->size,
			.attempts = s->attempts,
			.single = s->single,
			.aim = (enum plan_aim)s->aim,
			.orders = 2 * s->jobs,
			.eager = s->plan_apart,
			.apart = s->plan_apart,
			.downloads = known_downloads(s),
		},
		err);
	return c->plan ? 0 : err->code;
}

/* A damaged catalog may name rules that are not known. */
static int make_book(struct capture *c, struct err *err)
{
	const struct crawl_settings *s = c->settings;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < s->without_rules.len; i++)
		rc = rulebook_add(
			&c->book, SLICE("without_rules"), slice_str(s->without_rules.ptr[i]));
	for (size_t i = 0; rc == 0 && i < s->ignore.len; i++)
		rc = rulebook_add(&c->book, SLICE("ignore"), slice_str(s->ignore.ptr[i]));
	return rc ? err_code(err, rc) : rulebook_finish(&c->book, "--ignore", err);
}

static int prepare(struct capture *c, struct err *err)
{
	int rc = make_plan(c, err);

	if (rc == 0)
		rc = make_book(c, err);
	if (rc == 0)
		rc = steering_init(&c->steering, c->settings, err);

	if (rc == 0 && c->settings->hours)
		rc = gate_parse_hours(&c->hours.windows, c->settings->hours, err);
	return rc ? rc : crawl_settings_scope(c->settings, &c->scope, err);
}

int capture_new(const struct crawl_settings *settings, const struct rates *rates,
	const struct clock *clock, struct capture **ret, struct err *err)
{
	struct capture *c = calloc(1, sizeof *c);
	int rc;

	if (!c)
		return err_code(err, ERR_NOMEM);
	c->settings = settings;
	c->rates = rates;
	c->clock = clock;
	c->epoch = clock_monotonic(clock);
	counters_init(&c->counters, settings->max_bytes);
	requests_init(&c->requests);
	login_init(&c->login);
	sessions_init(&c->sessions);
	capture_traps_init(&c->traps, settings);
	capture_dust_init(&c->dust, settings);
	rules_init(&c->rules);
	rulebook_init(&c->book);
	sitemap_list_init(&c->sitemaps);
	importance_init(&c->importance, settings);
	rng_init(&c->rng, hash_key_random().k0);
	rc = prepare(c, err);
	if (rc)
		capture_free(c);
	else
		*ret = c;
	return rc;
}

void capture_attach(struct capture *c, struct lane *lane, uint32_t slot)
{
	c->lane = lane;
	c->slot = slot;
	c->rules.cache = &lane->robots;
	pages_init(&c->pages, &lane->spill);
	spill_init(&c->dust.looks, &lane->spill);
	hosts_init(&c->hosts, &lane->servers, slot, hash_key_random());
}

void capture_free(struct capture *c)
{
	if (!c)
		return;
	plan_run_free(c->plan);
	looking_free(c->looking);
	requests_release(&c->requests);
	probing_release(&c->probing);
	canaries_release(&c->canaries);
	cookie_gate_release(&c->gate);
	importance_release(&c->importance);
	steering_release(&c->steering);
	form_queries_release(&c->forms);
	cloaking_release(&c->cloaking);
	rules_release(&c->rules);
	rulebook_release(&c->book);
	sitemap_list_release(&c->sitemaps);
	hosts_release(&c->hosts);
	pages_release(&c->pages);
	capture_traps_release(&c->traps);
	capture_dust_release(&c->dust);
	earlier_release(&c->earlier);
	scope_release(&c->scope);
	request_headers_release(&c->headers);
	sessions_release(&c->sessions);
	login_release(&c->login);
	free(c->problem);
	free(c);
}

/* ---- beginning and resuming ---- */

static int discover_seeds(struct capture *c, struct err *err)
{
	struct url url;
	int rc = 0;

	url_init(&url);
	for (size_t i = 0; rc == 0 && i < c->settings->seeds.len; i++) {
		rc = url_parse(&url, slice_str(c->settings->seeds.ptr[i]), NULL, err);
		if (rc == 0)
			rc = discover(c,
				&(struct found){.url = &url,
					.how = "seed",
					.via = CATALOG_NO_PAGE,
					.kind = LINK_PAGE,
					.is_seed = true},
				err);
	}
	url_release(&url);
	return rc;
}

int capture_begin(struct capture *c, struct catalog *catalog, struct err *err)
{
	int rc = names_begin(c, err);

	if (rc == 0)
		rc = capture_moment(c, "start", err);
	if (rc == 0)
		rc = earlier_choose(c, c->lane->shared->earlier, catalog, err);
	if (rc == 0)
		rc = login_begin(c, err);
	if (rc == 0)
		rc = discover_seeds(c, err);
	return rc ? rc : earlier_discover(c, catalog, err);
}

/*
 * The planner's clock continues by the wall clock; journal_replay makes sure that it never goes
 * back.
 */
int capture_resume(struct capture *c, struct catalog *catalog, struct err *err)
{
	int64_t since = clock_realtime(c->clock) - c->row.started;
	int rc;

	c->epoch = clock_monotonic(c->clock) - (since > 0 ? since : 0);
	rc = names_begin(c, err);
	if (rc == 0)
		rc = earlier_choose(c, c->lane->shared->earlier, catalog, err);
	if (rc == 0)
		rc = replay(c, catalog, err);
	if (rc == 0)
		rc = capture_moment(c, "resume", err);
	if (rc == 0 && c->went_back && !c->looking)
		rc = capture_moment(c, "clock-set", err);
	if (rc == 0)
		rc = login_begin(c, err);
	if (rc == 0 && !c->stage.begun)
		rc = discover_seeds(c, err);
	if (rc == 0 && !c->stage.begun)
		rc = earlier_discover(c, catalog, err);
	if (rc == 0 && !c->stage.begun)
		rc = sitemaps_request_all(c, err);
	return rc ? rc : changes_carry_out(c, c->lane->shared->changes, err);
}

/* ---- while it runs ---- */

bool capture_move_still_point(struct capture *c, const struct attempt *a)
{
	struct catalog_capture *row = &c->row;
	struct stillpoint s = {.from = row->still_from, .to = row->still_to};
	bool moved;

	stillpoint_add(&s, a->leg, &a->wall);
	moved = s.to != row->still_to || (s.to && s.from != row->still_from);
	row->still_from = s.from;
	row->still_to = s.to;
	return moved;
}

int capture_moment(struct capture *c, const char *moment, struct err *err)
{
	struct catalog_clock k;
	unsigned caveat;
	int rc = store_moment(&c->lane->store, &c->row, moment, &k, err);

	if (rc)
		return rc;
	c->last_moment = k.capture_time;
	clock_watch_add(&c->watch, &k);
	caveat = c->watch.set ? CATALOG_CAVEAT_CLOCK : CATALOG_CAVEAT_DATE;
	/* Of a watch only what this process has looked at is in doubt (quality/clock_doubts.h). */
	if (!(c->watch.set || c->watch.adjusted) || c->looking || c->row.caveats & caveat)
		return 0;
	c->row.caveats |= caveat;
	log_warn("crawl", "%.*s: the wall clock was set during the capture, so %s",
		(int)c->row.site.len, c->row.site.ptr,
		c->watch.set ? "it has no still point; capture the site again"
			     : "its date is in doubt; its proofs stand by the monotonic clock");
	return capture_store_row(c, err);
}

static const char *limit_name(enum catalog_end limit)
{
	switch (limit) {
	case CATALOG_END_TIME:
		return "the time limit";
	case CATALOG_END_BYTES:
		return "--max-bytes";
	case CATALOG_END_OPERATOR:
		return "--revisit-now";
	case CATALOG_END_NONE: /* resumed from a version that did not say */
		break;
	}
	return "a limit";
}

void capture_result(const struct capture *c, enum crawl_end end, struct crawl_result *ret)
{
	struct plan_progress p = plan_progress(c->plan);

	ret->capture = c->row.id;
	ret->end = end;
	ret->cut_by = limit_name(c->row.ended_by);
	ret->known = c->pages.taken;
	ret->visited = p.visited + p.late;
	ret->problem = c->problem ? strdup(c->problem) : NULL;
}
