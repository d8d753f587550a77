/* A capture: makes its parts from its settings, begins or resumes it, frees it. */
#include "crawl/capture.h"
#include "crawl/journal.h"
#include "crawl/restore.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "crawl/crawl_options.h"
#include "crawl/lane.h"
#include "formats/links.h"
#include "proof/stillpoint.h"

bool changes_are_in(const struct crawl_command *x)
{
	for (size_t i = 0; x && CRAWL_SPECS[i].name; i++)
		if (x->given[i] && CRAWL_SPECS[i].tags & CRAWL_CHANGES)
			return true;
	return false;
}

/* Whether the changes may want a page that was left out for this reason. */
static bool may_want(const struct crawl_command *x, enum left_out reason)
{
	switch (reason) {
	case LEFT_OUT_MAX_PAGES:
		return crawl_command_has(x, &x->settings.max_pages);
	case LEFT_OUT_SCOPE:
		return crawl_command_has(x, &x->settings.includes) ||
		       crawl_command_has(x, &x->settings.surts);
	case LEFT_OUT_MAX_DEPTH:
		return crawl_command_has(x, &x->settings.max_depth);
	default:
		return false;
	}
}

static bool are_visits_over(const struct capture *c)
{
	return c->stage.visits_ended || c->stage.cancelled ||
	       plan_progress(c->plan).leg != PLAN_VISIT;
}

static void warn(const struct capture *c, const char *text)
{
	log_warn("crawl", "capture %u of %.*s: %s", (unsigned)c->row.id,
		slice_shown(c->row.site, 200), c->row.site.ptr, text);
}

static int retry_failed(struct capture *c, struct err *err)
{
	if (are_visits_over(c)) {
		warn(c, "its visits are over, so pages that failed cannot be tried again; capture "
			"the site again for them");
		return 0;
	}
	for (uint32_t i = 0; i < c->pages.list.len; i++)
		if (c->pages.list.ptr[i].taken && c->pages.list.ptr[i].planned)
			TRY(journal_retry(c, i, err));
	return 0;
}

static int revisit_now(struct capture *c, struct err *err)
{
	if (c->row.single || are_visits_over(c)) {
		warn(c, c->row.single ? "it has no revisits, so --revisit-now changes nothing"
				      : "its visits are over already");
		return 0;
	}
	if (plan_progress(c->plan).visited == 0)
		return err_set(err, ERR_STATE,
			"no page has been visited yet, so there is nothing to revisit: leave out "
			"--revisit-now");
	return journal_end_visits(c, CATALOG_END_OPERATOR);
}

double capture_seconds(const struct capture *c, int64_t monotonic)
{
	return clock_seconds(monotonic - c->epoch);
}

double capture_now(const struct capture *c)
{
	return capture_seconds(c, clock_monotonic(c->clock));
}

/* Special advice for this reason, or the given one. */
static const char *choose_advice(const struct capture *c, const char *reason, const char *advice)
{
	static const struct {
		const char *reason, *advice;
	} KNOWN[] = {
		{", not supported", "capture it through a proxy that speaks it (--proxy)"},
		{"(--header)", "add --header 'Authorization: Bearer TOKEN'"},
		{"HTTP 401", "it needs a login; add --auth USER:PASSWORD"},
		{"HTTP 407", "the proxy needs a login; use --proxy http://USER:PASSWORD@HOST:PORT"},
		{NET_NO_CERTIFICATE, "give one with --cert and --key, if it is of a seed's host"},
		{NET_NO_TLS, "try the URL with http:// instead of https://"},
		{NET_TLS_REFUSED, "perhaps it speaks plain HTTP: try http:// instead of https://"},
	};

	if (strstr(reason, "authentication required") &&
		text_list_has(&c->settings->withheld, "auth"))
		return "the user name or password of --auth is wrong";
	for (size_t i = 0; i < sizeof KNOWN / sizeof KNOWN[0]; i++)
		if (strstr(reason, KNOWN[i].reason))
			return KNOWN[i].advice;
	return advice;
}

int capture_find_host(struct capture *c, const struct url *url, uint32_t *ret)
{
	size_t known = hosts_count(&c->hosts);

	TRY(hosts_find(&c->hosts, url, ret));
	if (c->scheduler->host_met && hosts_count(&c->hosts) > known)
		c->scheduler->host_met(c, *ret);
	return rules_reserve(&c->rules, hosts_count(&c->hosts));
}

int capture_add_seed(struct capture *c, const struct url *seed, struct err *err)
{
	TRY(scope_add_seed(&c->scope, seed, c->settings->scope, err));
	return c->scheduler->seed_added ? c->scheduler->seed_added(c, seed, err) : 0;
}

void capture_store(struct capture *c, const struct catalog_row *row)
{
	struct catalog_row ours = *row;

	ours.capture = c->row.id;
	store_row(&c->lane->store, c->row.uuid, &ours);
}

void capture_store_row(struct capture *c)
{
	capture_store(c, &(struct catalog_row){CATALOG_ROW_CAPTURE, .state = &c->row});
}

void capture_problem(struct capture *c, slice url, const char *reason, const char *advice)
{
	log_info("crawl", "%.*s: %s", (int)url.len, url.ptr, reason);
	if (!c->problem &&
		asprintf(&c->problem, "%.*s: %s; %s", (int)(url.len < 200 ? url.len : 200), url.ptr,
			reason, choose_advice(c, reason, advice)) < 0)
		c->problem = NULL;
}

/* What a strategy that knows all pages beforehand may count with; 0: not known. */
static size_t known_downloads(const struct crawl_settings *s)
{
	double count = s->delay <= 0 ? 0 : s->time_limit / s->delay * s->jobs;

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
			.delay = fmax(s->delay, 0) / s->jobs,
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

static int prepare(struct capture *c, struct err *err)
{
	const struct crawl_settings *s;

	TRY(make_plan(c, err));
	/* A damaged catalog may name rules that are not known. */
	s = c->settings;
	for (size_t i = 0; i < s->without_rules.len; i++)
		TRY(err_code(err, rulebook_add(&c->book, SLICE("without_rules"),
					  slice_str(s->without_rules.ptr[i]))));
	for (size_t i = 0; i < s->ignore.len; i++)
		TRY(err_code(
			err, rulebook_add(&c->book, SLICE("ignore"), slice_str(s->ignore.ptr[i]))));
	TRY(rulebook_finish(&c->book, "--ignore", err));
	TRY(steering_init(&c->steering, c->settings, err));

	if (c->settings->hours)
		TRY(gate_parse_hours(&c->hours.windows, c->settings->hours, err));
	return crawl_settings_scope(c->settings, &c->scope, err);
}

int capture_new(const struct crawl_settings *settings, const struct rates *rates,
	const struct clock *clock, struct capture **ret, struct err *err)
{
	struct capture *c = mem_new(1, sizeof *c);
	int rc;

	c->settings = settings;
	c->scheduler = &SCHEDULER_PLAN;
	c->rates = rates;
	c->clock = clock;
	c->epoch = clock_monotonic(clock);
	counters_init(&c->counters, settings->max_bytes);
	requests_init(&c->requests);
	login_init(&c->login);
	sessions_init(&c->sessions);
	capture_traps_init(&c->traps, settings);
	views_init(&c->views);
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
	pages_init(&c->pages, &lane->spill, &lane->known);
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
	views_release(&c->views);
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
	URL_SCOPED(url);

	for (size_t i = 0; i < c->settings->seeds.len; i++) {
		TRY(url_parse(&url, slice_str(c->settings->seeds.ptr[i]), NULL, err));
		TRY(discover(c,
			&(struct found){.url = &url,
				.how = "seed",
				.via = CATALOG_NO_PAGE,
				.kind = LINK_PAGE,
				.is_seed = true},
			err));
	}
	return 0;
}

int capture_begin(struct capture *c, struct catalog *catalog, struct err *err)
{
	TRY(names_begin(c, err));
	TRY(capture_moment(c, "start", err));
	TRY(earlier_choose(c, c->lane->shared->earlier, catalog, err));
	TRY(login_begin(c, err));
	TRY(discover_seeds(c, err));
	return earlier_discover(c, catalog, err);
}

/*
 * The planner's clock continues by the wall clock; journal_replay makes sure that it never goes
 * back.
 */
int capture_resume(struct capture *c, struct catalog *catalog, struct err *err)
{
	int64_t since = clock_realtime(c->clock) - c->row.started;

	c->epoch = clock_monotonic(c->clock) - (since > 0 ? since : 0);
	TRY(names_begin(c, err));
	TRY(earlier_choose(c, c->lane->shared->earlier, catalog, err));
	TRY(restore(c, catalog, err));
	TRY(capture_moment(c, "resume", err));
	if (c->went_back && !c->scheduler->endless)
		TRY(capture_moment(c, "clock-set", err));
	TRY(login_begin(c, err));
	if (!c->stage.begun)
		TRY(discover_seeds(c, err));
	if (!c->stage.begun)
		TRY(earlier_discover(c, catalog, err));
	if (!c->stage.begun)
		TRY(sitemaps_request_all(c, err));
	/*
	 * Does what is asked of a capture that was just restored. What cannot be done any more is
	 * said as a warning. 0, ERR_STATE when there is nothing to revisit, or as the store's
	 * functions.
	 */
	if (c->lane->shared->changes) {
		uint32_t limit = c->settings->max_pages;

		/*
		 * Pages that the old scope and limits refused, as far as the new ones have room for
		 * them. Before the barrier they are visited and revisited, behind it once, as all
		 * late pages.
		 */
		for (uint32_t i = 0; i < c->pages.list.len; i++)
			if (may_want(c->lane->shared->changes,
				    (enum left_out)c->pages.list.ptr[i].left_out) &&
				pages_have_room(&c->pages, c->pages.list.ptr[i].kind, 0, limit))
				TRY(discover_again(c, i, err));
	}
	if (c->lane->shared->changes && c->lane->shared->changes->retry_failed)
		TRY(retry_failed(c, err));
	if (c->lane->shared->changes && c->lane->shared->changes->revisit_now)
		TRY(revisit_now(c, err));
	return 0;
}

/* ---- while it runs ---- */

void stage_set(const struct capture *c, bool *flag, bool value, const char *name)
{
	if (*flag == value)
		return;
	*flag = value;
	log_debug("stage", "%.*s: %s%s", (int)c->row.site.len, c->row.site.ptr, value ? "" : "not ",
		name);
}

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

	TRY(store_moment(&c->lane->store, &c->row, moment, &k, err));
	c->last_moment = k.capture_time;
	clock_watch_add(&c->watch, &k);
	caveat = c->watch.set ? CATALOG_CAVEAT_CLOCK : CATALOG_CAVEAT_DATE;
	/* Of a watch only what this process has looked at is in doubt (proof/clock_watch.h). */
	if (!(c->watch.set || c->watch.adjusted) || c->scheduler->endless ||
		c->row.caveats & caveat)
		return 0;
	c->row.caveats |= caveat;
	log_warn("crawl", "%.*s: the wall clock was set during the capture, so %s",
		(int)c->row.site.len, c->row.site.ptr,
		c->watch.set ? "it has no still point; capture the site again"
			     : "its date is in doubt; its proofs stand by the monotonic clock");
	capture_store_row(c);
	return 0;
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
