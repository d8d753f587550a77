/*
 * The loop of a capture: take what has come back, ask for what is next, make it lasting, wait. And
 * how a capture begins, ends, and is put together.
 */
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "crawl/capture.h"
#include "crawl/judging.h"

/* Of a sitemap, or what else is read whole; decoded. */
static const size_t BODY_MAX = 64 << 20;
static const size_t STRINGS_MAX = 64 << 20;

/* Revisits may take a little longer than visits did. */
static const double LIMIT_MARGIN = 1.05;

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

/* ---- the time limit ---- */

/*
 * The visits end while there is still time to revisit every page, at the pace so far. Servers that
 * were visited side by side may be revisited one after the other, so the time that is counted is at
 * least what the downloads and the pauses behind them come to.
 */
static bool visits_must_end(const struct capture *c, double elapsed)
{
	struct plan_progress p = plan_progress(c->plan);
	double pace;

	if (p.leg != PLAN_VISIT || c->visits_ended || c->downloads == 0 || !c->strategy->revisits ||
		c->settings->single)
		return false;
	pace = LIMIT_MARGIN * fmax(capture_now(c) - c->first_request, c->serial) /
	       (double)c->downloads;
	return elapsed + pace * (double)(p.visited + p.in_flight + 1) >= c->settings->time_limit;
}

static int keep_time_limit(struct capture *c, struct err *err)
{
	double elapsed = capture_now(c) - c->idle;

	if (c->settings->time_limit <= 0 || c->cancelled)
		return 0;
	if (elapsed >= c->settings->time_limit) {
		int rc = journal_cancel(c, err);

		return rc ? rc : orders_give_back(c, err);
	}
	return visits_must_end(c, elapsed) ? journal_end_visits(c, err) : 0;
}

/* ---- telling how far it is ---- */

/* How many pages would be sharp if the revisits began now: the last visited comes first then. */
static double expect(const struct capture *c)
{
	double now = capture_now(c), sum = 0;

	for (size_t i = 0; i < c->pages.list.len; i++) {
		const struct crawl_page *p = &c->pages.list.ptr[i];

		if (p->visit)
			sum += survival_at(p->survival, 2 * fmax(0, now - p->visit->end));
	}
	return sum;
}

/* Cheap enough to be asked for at every turn: at most a hundredth of the time goes into it. */
static double expect_soon(struct capture *c)
{
	double now = capture_now(c);
	double pause = fmax(1, 1e-6 * (double)c->pages.list.len);

	if (now >= c->expected_at) {
		c->expected_soon = expect(c);
		c->expected_at = now + pause;
	}
	return c->expected_soon;
}

static void tell(struct capture *c)
{
	struct plan_progress p = plan_progress(c->plan);
	struct crawl_progress report = {
		.preparing = !c->begun,
		.leg = p.leg,
		.known = p.known,
		.done = p.visited + p.failed,
		.total = p.known,
		.failed = p.failed,
		.sharp = c->sharp,
		.revisited = c->revisited,
		.expected = c->expected,
	};

	if (!c->options->on_progress)
		return;
	if (p.leg == PLAN_VISIT)
		report.expected = expect_soon(c);
	if (p.leg == PLAN_REVISIT) {
		report.done = c->revisited;
		report.total = p.visited;
	}
	c->options->on_progress(c->options->context, &report);
}

/* ---- the loop ---- */

static int collect(struct capture *c, struct err *err)
{
	struct net_fetch *f;
	int rc = 0;

	while (rc == 0 && (f = net_next(c->net))) {
		rc = orders_finished(c, f, err);
		net_fetch_free(f);
	}
	return rc;
}

static bool is_stopped(const struct capture *c)
{
	struct pollfd p = {.fd = c->options->stop_fd, .events = POLLIN};

	return p.fd >= 0 && poll(&p, 1, 0) == 1;
}

/* Until a server may be asked again, a commit is due, or the time is up. */
static double until_next(const struct capture *c)
{
	double next = fmin(hosts_next_ready(&c->hosts) - capture_now(c), store_due(&c->store));

	if (c->settings->time_limit > 0 && !c->cancelled)
		next = fmin(next, c->settings->time_limit + c->idle - capture_now(c));
	return fmin(fmax(next, 0), 1);
}

/* The instant of which everything is said. */
static int mark_still_point(struct capture *c, struct err *err)
{
	if (c->marked || plan_progress(c->plan).leg == PLAN_VISIT)
		return 0;
	c->marked = true;
	return store_moment(&c->store, "stillpoint", err);
}

static int turn(struct capture *c, struct err *err)
{
	int rc = collect(c, err);

	if (rc == 0)
		rc = keep_time_limit(c, err);
	if (rc == 0)
		rc = orders_dispatch(c, err);
	if (rc == 0)
		rc = mark_still_point(c, err);
	if (rc == 0 && store_due(&c->store) <= 0)
		rc = store_commit(&c->store, err);
	tell(c);
	return rc;
}

static int loop(struct capture *c, struct err *err)
{
	int rc = turn(c, err);

	while (rc == 0 && !c->ended && !c->stopped) {
		rc = net_wait(c->net, until_next(c), err);
		c->stopped = is_stopped(c);
		if (rc == 0 && !c->stopped)
			rc = turn(c, err);
	}
	return rc;
}

/* ---- parts ---- */

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
		},
		&c->net, err);

	if (rc == 0 && c->options->stop_fd >= 0)
		rc = net_watch(c->net, c->options->stop_fd, err);
	return rc;
}

/* All that can be wrong with the settings is found here, before anything is written. */
static int prepare(struct capture *c, const struct crawl_settings *settings,
	const struct crawl_options *options, struct err *err)
{
	const struct crawl_settings *s = settings;
	int rc;

	c->settings = settings;
	c->options = options;
	c->clock = options->clock ? options->clock : clock_system();
	pages_init(&c->pages);
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

static void capture_free(struct capture *c)
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

static struct capture *capture_new(struct err *err)
{
	struct capture *c = calloc(1, sizeof *c);

	if (!c) {
		(void)err_set(err, ERR_NOMEM, "%s", err_name(ERR_NOMEM));
		return NULL;
	}
	c->directory.lock = -1;
	arena_init(&c->arena, STRINGS_MAX);
	return c;
}

/* Takes the catalog over. */
static int open_store(struct capture *c, struct catalog *catalog, const struct catalog_capture *row,
	struct err *err)
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

/* ---- beginning ---- */

static int discover_seeds(struct capture *c, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < c->settings->seeds.len; i++) {
		struct url url;

		url_init(&url);
		rc = url_parse(&url, slice_str(c->settings->seeds.ptr[i]), NULL, err);
		if (rc == 0)
			rc = discover(c,
				&(struct found){.url = &url,
					.how = "seed",
					.via = CATALOG_NO_PAGE,
					.kind = PAGE_KIND_SEED},
				err);
		url_release(&url);
	}
	return rc;
}

/* Copies the rates into the archive, so that resume has them, whatever becomes of the file. */
static int adopt_rates(
	struct capture *c, uint32_t capture, struct crawl_settings *kept, struct err *err)
{
	char name[32];
	int rc;

	if (!kept->rates)
		return 0;
	(void)snprintf(name, sizeof name, "rates-%u.csv", capture);
	rc = directory_copy_in(&c->directory, kept->rates, name, err);
	if (rc)
		return rc;
	kept->rates = arena_strdup(&c->arena, slice_str(name));
	return kept->rates ? 0 : err_set(err, ERR_NOMEM, "%s", err_name(ERR_NOMEM));
}

static int next_number(struct capture *c, struct catalog *catalog, uint32_t *ret, struct err *err)
{
	struct catalog_capture last;
	struct err none = {0};
	int rc = catalog_get_capture(catalog, 0, &c->arena, &last, &none);

	*ret = rc == 0 ? last.id + 1 : 1;
	if (rc && rc != ERR_NOTFOUND)
		*err = none;
	return rc == ERR_NOTFOUND ? 0 : rc;
}

static slice make_uuid(struct capture *c)
{
	struct warc_id id;
	struct rng rng;

	rng_init(&rng, hash_key_random().k0);
	warc_id_make(&rng, &id);
	/* Without the angle brackets. */
	return (slice){arena_strdup(&c->arena, (slice){id.text + 1, strlen(id.text) - 2}),
		strlen(id.text) - 2};
}

static int describe(
	struct capture *c, struct catalog *catalog, struct catalog_capture *row, struct err *err)
{
	struct crawl_settings kept = *c->settings;
	struct buf text;
	uint32_t number;
	int rc = next_number(c, catalog, &number, err);

	if (rc == 0)
		rc = adopt_rates(c, number, &kept, err);
	if (rc)
		return rc;
	buf_init(&text, STRINGS_MAX / 2);
	rc = crawl_settings_write(&kept, &text);
	*row = (struct catalog_capture){
		.uuid = make_uuid(c),
		.site = slice_str(c->settings->seeds.ptr[0]),
		.strategy = slice_str(c->strategy->name),
		.settings = {arena_strdup(&c->arena, buf_slice(&text)), text.len},
		.single = !c->strategy->revisits || c->settings->single,
		.state = CATALOG_RUNNING,
		.started = clock_realtime(c->clock),
	};
	buf_release(&text);
	if (rc == ERR_SYNTAX)
		return err_set(err, ERR_USAGE, "no expression may have a line break in it");
	if (rc || !row->uuid.ptr || !row->settings.ptr)
		return err_set(err, ERR_NOMEM, "%s", err_name(ERR_NOMEM));
	return catalog_add_capture(catalog, row, &row->id, err);
}

static int begin(struct capture *c, const char *archive, struct err *err)
{
	struct catalog *catalog;
	struct catalog_capture row;
	int rc = directory_open(&c->directory, archive, true, err);

	if (rc == 0)
		rc = catalog_open(c->directory.catalog, CATALOG_CREATE, &catalog, err);
	if (rc)
		return rc;
	c->epoch = clock_monotonic(c->clock);
	/* An earlier capture may have ended badly, and not been resumed. */
	rc = replay_repair(catalog, &c->directory, err);
	if (rc == 0)
		rc = describe(c, catalog, &row, err);
	if (rc) {
		catalog_close(catalog);
		return rc;
	}
	rc = open_store(c, catalog, &row, err);
	if (rc == 0)
		rc = store_moment(&c->store, "start", err);
	if (rc == 0)
		rc = discover_seeds(c, err);
	return rc ? rc : store_commit(&c->store, err);
}

/* ---- ending ---- */

/*
 * The commit that makes the capture a finished one is the last thing that happens to the archive:
 * whatever fails before, resume does it again.
 */
static int finish(struct capture *c, struct err *err)
{
	struct store *s = &c->store;
	int rc = store_moment(s, "end", err);

	if (rc == 0)
		rc = store_seal(s, err);
	if (rc == 0)
		rc = index_write(s->catalog, &c->directory, err);
	s->capture.state = c->cut ? CATALOG_CUT : CATALOG_FINISHED;
	s->capture.finished = clock_realtime(c->clock);
	if (rc == 0)
		rc = catalog_update_capture(s->catalog, &s->capture, err);
	if (rc == 0)
		rc = judging_store(s->catalog, s->capture.id, err);
	if (rc == 0)
		rc = catalog_commit(s->catalog, err);
	c->store_is_open = false;
	store_abandon(s);
	return rc;
}

static void fill_result(const struct capture *c, struct crawl_result *ret)
{
	struct plan_progress p = plan_progress(c->plan);

	*ret = (struct crawl_result){
		.capture = c->store.capture.id,
		.end = c->stopped ? CRAWL_STOPPED
		       : c->cut   ? CRAWL_CUT
				  : CRAWL_FINISHED,
		.known = c->pages.taken,
		.visited = p.visited + p.late,
	};
	memcpy(ret->problem, c->problem, sizeof ret->problem);
}

/* Stopped from outside: all that was done is kept, what is out is given back by resume. */
static int pause_capture(struct capture *c, struct err *err)
{
	c->store_is_open = false;
	return store_close(&c->store, err);
}

static int conclude(struct capture *c, int rc, struct crawl_result *ret, struct err *err)
{
	struct err first = *err;

	if (rc == 0) {
		fill_result(c, ret);
		return c->stopped ? pause_capture(c, err) : finish(c, err);
	}
	/* What was committed stays; what was not is asked for again. */
	if (c->store_is_open)
		(void)err_set(err, first.code, "%.300s; when that is mended: stillpoint resume %s",
			first.text, c->directory.path);
	return rc;
}

int crawl_start(const char *archive, const struct crawl_settings *settings,
	const struct crawl_options *options, struct crawl_result *ret, struct err *err)
{
	struct capture *c = capture_new(err);
	int rc;

	if (!c)
		return ERR_NOMEM;
	rc = prepare(c, settings, options, err);
	if (rc == 0) {
		rc = begin(c, archive, err);
		if (rc == 0)
			rc = loop(c, err);
		rc = conclude(c, rc, ret, err);
	}
	capture_free(c);
	return rc;
}

/* ---- going on ---- */

/* The planner's clock goes on where the wall clock says; journal_replay sees that it never goes
 * back. */
static int restore(struct capture *c, struct catalog *catalog, const struct catalog_capture *row,
	struct err *err)
{
	int64_t since = clock_realtime(c->clock) - row->started;
	int rc;

	c->epoch = clock_monotonic(c->clock) - (since > 0 ? since : 0);
	rc = open_store(c, catalog, row, err);
	if (rc == 0)
		rc = store_moment(&c->store, "resume", err);
	if (rc == 0)
		rc = replay(c, err);
	if (rc == 0 && !c->begun)
		rc = discover_seeds(c, err);
	if (rc == 0 && !c->begun)
		rc = side_sitemaps(c, err);
	return rc ? rc : store_commit(&c->store, err);
}

static int go_on(struct capture *c, struct catalog *catalog, const struct catalog_capture *row,
	const struct crawl_options *options, struct crawl_result *ret, struct err *err)
{
	struct crawl_settings settings;
	int rc = crawl_settings_read(&settings, row->settings, &c->arena, err);

	if (rc == 0 && settings.rates)
		rc = directory_path(&c->directory, &settings.rates, &c->arena, err);
	if (rc == 0)
		rc = replay_repair(catalog, &c->directory, err);
	if (rc == 0)
		rc = prepare(c, &settings, options, err);
	if (rc) {
		catalog_close(catalog);
	} else {
		rc = restore(c, catalog, row, err);
		if (rc == 0)
			rc = loop(c, err);
		rc = conclude(c, rc, ret, err);
	}
	crawl_settings_release(&settings);
	return rc;
}

int crawl_resume(const char *archive, const struct crawl_options *options, struct crawl_result *ret,
	struct err *err)
{
	struct capture *c = capture_new(err);
	struct catalog_capture row;
	struct catalog *catalog = NULL;
	int rc;

	if (!c)
		return ERR_NOMEM;
	rc = directory_open(&c->directory, archive, false, err);
	if (rc == 0)
		rc = catalog_open(c->directory.catalog, CATALOG_WRITE, &catalog, err);
	if (rc == 0)
		rc = catalog_get_capture(catalog, 0, &c->arena, &row, err);
	if (rc == 0 && row.state != CATALOG_RUNNING) {
		*ret = (struct crawl_result){.capture = row.id, .end = CRAWL_WAS_FINISHED};
		catalog_close(catalog);
	} else if (rc == 0) {
		rc = go_on(c, catalog, &row, options, ret, err);
	} else {
		catalog_close(catalog);
	}
	capture_free(c);
	return rc;
}
