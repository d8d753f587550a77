/* A capture as an object: made of its parts by its settings, and taken apart again. */
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "crawl/capture.h"
#include "net/address.h"

/* Of a sitemap, or what else is read whole; decoded. */
static const size_t BODY_MAX = 64 << 20;

double capture_seconds(const struct capture *c, int64_t monotonic)
{
	return clock_seconds(monotonic - c->epoch);
}

double capture_now(const struct capture *c)
{
	return capture_seconds(c, clock_monotonic(c->clock));
}

void capture_problem(struct capture *c, slice url, const char *reason, const char *advice)
{
	log_info("crawl", "%.*s: %s", (int)url.len, url.ptr, reason);
	if (!c->problem[0])
		(void)snprintf(c->problem, sizeof c->problem, "%.*s: %s; %s",
			(int)(url.len < 200 ? url.len : 200), url.ptr, reason, advice);
}

typedef int add_to_scope(struct scope *scope, slice text, struct err *err);

static int add_pattern(
	struct capture *c, const char *text, const char *option, add_to_scope *add, struct err *err)
{
	int rc = add(&c->scope, slice_str(text), err);

	if (rc)
		err_prefix(err, "--%s '%.60s'", option, text);
	return rc;
}

static int make_scope(struct capture *c, struct err *err)
{
	const struct crawl_settings *s = c->settings;
	int rc = 0;

	scope_init(&c->scope, s->no_requisites ? 0 : SCOPE_REQUISITE_HOPS_DEFAULT);
	for (size_t i = 0; rc == 0 && i < s->seeds.len; i++) {
		struct url url;

		url_init(&url);
		rc = url_parse(&url, slice_str(s->seeds.ptr[i]), NULL, err);
		if (rc == 0)
			rc = scope_add_seed(&c->scope, &url, s->scope, err);
		url_release(&url);
		if (rc)
			err_prefix(err, "%.200s", s->seeds.ptr[i]);
	}
	for (size_t i = 0; rc == 0 && i < s->surts.len; i++)
		rc = scope_add_surt(&c->scope, slice_str(s->surts.ptr[i]), err);
	for (size_t i = 0; rc == 0 && i < s->includes.len; i++)
		rc = add_pattern(c, s->includes.ptr[i], "include", scope_add_include, err);
	for (size_t i = 0; rc == 0 && i < s->excludes.len; i++)
		rc = add_pattern(c, s->excludes.ptr[i], "exclude", scope_add_exclude, err);
	return rc;
}

static int find_strategy(struct capture *c, struct err *err)
{
	const struct crawl_settings *s = c->settings;

	c->strategy =
		plan_strategy_find(s->strategy, s->scope == SCOPE_PAGE && s->no_requisites &&
							s->surts.len == 0 && s->includes.len == 0);
	if (c->strategy)
		return 0;
	return err_set(err, ERR_USAGE,
		"unknown strategy '%.60s' (try 'stillpoint plan --list-strategies')", s->strategy);
}

static int make_plan(struct capture *c, struct err *err)
{
	const struct crawl_settings *s = c->settings;

	c->plan = plan_run_new(
		&(struct plan_params){
			.strategy = c->strategy,
			.delay = s->automatic_delay ? 0 : s->delay / s->jobs,
			.tau = s->tau,
			.size = s->size,
			.attempts = s->attempts,
			.single = s->single,
		},
		err);
	return c->plan ? 0 : err->code;
}

static int make_net(struct capture *c, const char *user_agent, struct err *err)
{
	const struct crawl_settings *s = c->settings;
	int rc = net_new(
		&(struct net_params){
			.clock = c->clock,
			.user_agent = user_agent,
			.spool_dir = c->directory.spool,
			.connect_timeout = s->connect_timeout,
			.stall_timeout = s->stall_timeout,
			.timeout = s->timeout,
			.max_body = s->max_body,
			.allowed = ADDRESS_ALL,
		},
		&c->net, err);

	if (rc == 0 && c->options->stop_fd >= 0)
		rc = net_watch(c->net, c->options->stop_fd, err);
	return rc;
}

int capture_prepare(struct capture *c, const struct crawl_settings *settings,
	const struct crawl_options *options, struct err *err)
{
	const struct crawl_settings *s = settings;
	int rc;

	c->settings = settings;
	c->options = options;
	c->clock = options->clock ? options->clock : clock_system();
	pages_init(&c->pages, c->directory.spool);
	seen_init(&c->sitemaps, hash_key_random(), hash_key_random());
	hosts_init(&c->hosts,
		(struct pace_rule){
			.delay = s->delay, .automatic = s->automatic_delay, .jobs = s->jobs},
		hash_key_random());
	rc = find_strategy(c, err);
	if (rc == 0)
		rc = make_scope(c, err);
	if (rc == 0)
		rc = make_plan(c, err);
	if (rc == 0 && s->rates)
		rc = rates_load(s->rates, &c->rates, err);
	/* A file that the user named and nobody can read is bad input like any other. */
	if (rc == ERR_IO)
		rc = err->code = ERR_USAGE;
	if (rc == 0 && (rc = reading_init(&c->reading, BODY_MAX)))
		rc = err_set(err, rc, "%s", err_name(rc));
	return rc;
}

void capture_free(struct capture *c)
{
	if (!c)
		return;
	if (c->store_is_open)
		store_abandon(&c->store);
	net_free(c->net);
	plan_run_free(c->plan);
	side_release(c);
	order_vec_release(&c->orders);
	reading_release(&c->reading);
	rates_release(&c->rates);
	hosts_release(&c->hosts);
	pages_release(&c->pages);
	scope_release(&c->scope);
	directory_close(&c->directory);
	arena_release(&c->arena);
	free(c);
}

struct capture *capture_new(struct err *err)
{
	struct capture *c = calloc(1, sizeof *c);

	if (!c) {
		(void)err_set(err, ERR_NOMEM, "%s", err_name(ERR_NOMEM));
		return NULL;
	}
	c->directory.lock = -1;
	arena_init(&c->arena, CAPTURE_STRINGS_MAX);
	return c;
}

int capture_open_store(struct capture *c, struct catalog *catalog,
	const struct catalog_capture *row, struct err *err)
{
	const char *agent = c->settings->user_agent ? c->settings->user_agent : CRAWL_USER_AGENT;
	int rc = store_open(&c->store,
		&(struct store_params){
			.directory = &c->directory,
			.settings = c->settings,
			.catalog = catalog,
			.capture = *row,
			.user_agent = agent,
			.clock = c->clock,
		},
		err);

	c->store_is_open = rc == 0;
	return rc ? rc : make_net(c, agent, err);
}
