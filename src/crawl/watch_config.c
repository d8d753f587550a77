#include "crawl/watch_config.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "crawl/seeds.h"
#include "crawl/watch_daemon.h"
#include "plan/rank_order.h"

enum {
	SITES_MAX = 1 << 20,
	MINUTES_PER_DAY = 24 * 60,
};

#define ARENA_MAX       ((size_t)1 << 30)
#define SECONDS_PER_DAY 86400.0

/* Requests of a day, if the file has no budget. */
#define USUAL_REQUESTS 10000.0

/* ---- budgets ---- */

struct budget_keys {
	struct option_rate requests, bytes;
};

#define RATE_BOUNDS .max = 1e15, .bounds = OPTION_ABOVE_MIN

static const struct option_spec BUDGET_SPECS[] = {
	{.name = "requests",
		.kind = OPTION_COUNT_RATE,
		.offset = offsetof(struct budget_keys, requests),
		RATE_BOUNDS},
	{.name = "bytes",
		.kind = OPTION_SIZE_RATE,
		.offset = offsetof(struct budget_keys, bytes),
		RATE_BOUNDS},
	{.name = NULL},
};

static double per_second(struct option_rate rate)
{
	return rate.seconds > 0 ? rate.amount / rate.seconds : 0;
}

/* Of a site a plain value is its requests. */
static int read_budget(const struct yaml *y, const struct yaml_node *node, struct budget_keys *ret,
	struct err *err)
{
	static const char *const REQUIRED[] = {"requests", NULL};
	static const struct config_table TABLE = {.specs = BUDGET_SPECS, .required = REQUIRED};

	*ret = (struct budget_keys){0};
	if (node->kind == YAML_SCALAR)
		return config_value(y, node, &BUDGET_SPECS[0], ret, err);
	return config_read(y, node, &TABLE, ret, err);
}

double watch_open_share(const struct windows *w)
{
	int open = 0;

	if (w->count == 0)
		return 1;
	for (int minute = 0; minute < MINUTES_PER_DAY; minute++)
		for (size_t i = 0; i < w->count; i++) {
			int from = w->list[i].from, to = w->list[i].to;

			if (from < to ? minute >= from && minute < to
				      : minute >= from || minute < to) {
				open++;
				break;
			}
		}
	return (double)(open > 0 ? open : 1) / MINUTES_PER_DAY;
}

/* ---- weights ---- */

static bool is_pagerank(const struct yaml_node *node)
{
	return node && node->kind == YAML_SCALAR && slice_eq(node->text, SLICE("pagerank"));
}

static int load_weights(struct watch_config *c, const struct yaml_node *file,
	struct look_weights *to, struct err *err)
{
	struct err why = {0};
	int rc;

	if (file->kind != YAML_SCALAR)
		return yaml_refuse(
			&c->crawl.file, file, err, "file: this must be the name of a file");
	rc = look_weights_load(to, file->text.ptr, &c->arena, &why);
	return rc ? yaml_refuse(&c->crawl.file, file, err, "%.300s", why.text) : 0;
}

/* A mapping of patterns, with "file" for a file of more of them; or pagerank. */
static int set_weights(struct watch_config *c, const struct yaml_node *node,
	struct look_weights *to, struct err *err)
{
	static const struct option_spec SPEC = {
		.name = "weight", .kind = OPTION_DOUBLE, .offset = 0, .max = LOOK_WEIGHT_MAX};
	int rc = 0;

	if (node && node->kind != YAML_MAP && !is_pagerank(node))
		return yaml_refuse(&c->crawl.file, node, err,
			"weights are a mapping of patterns to numbers, {file: FILE}, or pagerank");
	if (!node || node->kind != YAML_MAP)
		return 0;
	for (const struct yaml_entry *e = node->entries; rc == 0 && e; e = e->next) {
		struct look_pattern p = {.pattern = e->key->text};

		if (slice_eq(p.pattern, SLICE("file"))) {
			rc = load_weights(c, e->value, to, err);
			continue;
		}
		rc = config_value(&c->crawl.file, e->value, &SPEC, &p.weight, err);
		if (rc == 0)
			look_patterns_push(&to->patterns, p);
	}
	return rc;
}

/* ---- sites ---- */

/* The hours of a watch, or those of captures and watch alike. */
static int set_windows(const struct crawl_command *o, struct windows *ret, struct err *err)
{
	const char *text = o->windows ? o->windows : o->settings.hours;

	return text ? windows_parse(ret, slice_str(text), err) : 0;
}

static int set_terms(struct watch_config *c, const struct crawl_entry *entry,
	struct look_terms *terms, struct err *err)
{
	const struct crawl_command *o = &entry->o;
	struct budget_keys budget = {0};

	*terms = (struct look_terms){
		.policy = refresh_policy_find(o->policy), /* the table has checked it */
		.aim = {.theta = o->theta, .use = o->use, .grid = o->grid},
		.budget = INFINITY,
		.delay = fmax(o->settings.delay, 0),
		.automatic_delay = o->settings.delay < 0,
		.common = &c->weights,
	};
	if (terms->policy == &REFRESH_SHARP && terms->aim.grid == 0)
		terms->aim.grid = SECONDS_PER_DAY;
	TRY(set_windows(o, &terms->windows, err));
	if (entry->budget)
		TRY(read_budget(&c->crawl.file, entry->budget, &budget, err));
	if (entry->budget)
		terms->budget = per_second(budget.requests);
	if (budget.bytes.amount > 0)
		return yaml_refuse(&c->crawl.file, entry->budget, err,
			"bytes are limited for all sites together, not for one");
	return 0;
}

/* Twice the same site is a mistake. */
static int check_twice(const struct watch_config *c, const struct crawl_entry *entry,
	const struct watch_site *site, struct strmap *urls, struct err *err)
{
	const struct yaml_node *at = entry->url ? entry->url : entry->at;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < site->settings.seeds.len; i++) {
		const char *url = site->settings.seeds.ptr[i];

		rc = strmap_put(urls, slice_str(url), 0);
		if (rc == ERR_EXISTS)
			return at ? yaml_refuse(&c->crawl.file, at, err,
					    "the site %.200s is here twice", url)
				  : err_set(err, ERR_USAGE, "the site %.200s is here twice", url);
	}
	return err_code(err, rc);
}

static int make_entry(struct watch_config *c, const struct crawl_entry *entry,
	struct look_weights *weights, struct strmap *urls, struct err *err)
{
	look_weights_init(weights, &c->arena);
	TRY(set_weights(c, entry->weights, weights, err));
	for (size_t i = 0; i < entry->site_count; i++) {
		struct watch_site *site = &c->sites[c->site_count];

		/* What the terms have is no setting: it may change while the site is open. */
		TRY(set_terms(c, entry, &site->terms, err));
		site->terms.weights = weights;
		site->settings = c->seeds.list.ptr[c->site_count];
		site->settings.delay = CRAWL_DELAY_AUTO;
		site->settings.hours = NULL;
		crawl_settings_for_watch(&site->settings);
		if (is_pagerank(entry->weights) || is_pagerank(c->crawl.top.weights))
			site->settings.order = RANK_PAGERANK;
		struct scope scope;
		int rc = crawl_settings_scope(&site->settings, &scope, err);

		/* Expressions that cannot be read. */
		scope_release(&scope);
		TRY(entry->at ? yaml_locate(&c->crawl.file, entry->at, rc, err) : rc);
		c->site_count++;
		TRY(check_twice(c, entry, site, urls, err));
	}
	return 0;
}

static int make_sites(struct watch_config *c, struct err *err)
{
	const struct crawl_entries *entries = &c->crawl.entries;
	struct strmap urls;
	int rc = 0;

	if (c->seeds.list.len > SITES_MAX)
		return err_set(err, ERR_USAGE, "a watch has at most %d sites", SITES_MAX);
	c->sites = calloc(c->seeds.list.len, sizeof *c->sites);
	c->own = calloc(entries->len, sizeof *c->own);
	if (!c->sites || !c->own)
		return err_code(err, ERR_NOMEM);
	strmap_init(&urls, hash_key_random(), NULL);
	for (size_t i = 0; rc == 0 && i < entries->len; i++)
		rc = make_entry(c, entries->ptr[i], &c->own[c->own_count++], &urls, err);
	strmap_release(&urls);
	return rc;
}

/* ---- all of it ---- */

static int set_top(struct watch_config *c, struct err *err)
{
	const struct crawl_command *o = &c->crawl.top.o;
	const struct yaml_node *node = c->crawl.top.budget;
	struct budget_keys budget = {.requests = {USUAL_REQUESTS, SECONDS_PER_DAY}};
	char address[HTTPD_ADDRESS_SIZE];
	struct err why = {0};
	uint16_t port;

	if (node)
		TRY(read_budget(&c->crawl.file, node, &budget, err));
	c->written = budget.requests.amount;
	c->requests = per_second(budget.requests);
	c->bytes = per_second(budget.bytes);
	c->ping = o->ping;
	c->lanes = (unsigned)o->lanes;
	c->crawl_log = o->crawl_log;
	c->events = o->events;
	c->has_retention = o->retention != NULL;
	if (c->ping && ping_address(c->ping, address, &port, &why) != 0) {
		TRY(yaml_refuse(&c->crawl.file, yaml_get(c->crawl.file.root, "ping"), err,
			"ping: %.200s", why.text));
	}
	if (o->retention)
		TRY(retention_parse(slice_str(o->retention), &c->retention, err));
	TRY(set_windows(o, &c->windows, err));
	return set_weights(c, c->crawl.top.weights, &c->weights, err);
}

static int read_all(struct watch_config *c, struct err *err)
{
	struct seeds seeds = {&c->seeds, &c->secrets};
	char name[PATH_MAX];

	TRY(crawl_config_read_watch(&c->crawl, &c->arena, err));
	sites_init(&c->seeds, &c->crawl.top.o.settings, &c->arena);
	/* The configuration is read again and again; standard input can be read once. */
	for (size_t i = 0; i < c->crawl.entries.len; i++) {
		const struct crawl_entry *entry = c->crawl.entries.ptr[i];

		if (entry->o.seeds && strcmp(entry->o.seeds, "-") == 0)
			return yaml_refuse(&c->crawl.file,
				entry->at ? entry->at : c->crawl.file.root, err,
				"seeds: a watch reads its files again and again; give a file, not "
				"standard input");
	}
	TRY(set_top(c, err));
	TRY(crawl_config_add_sites(&c->crawl, &seeds, err));
	if (c->crawl.top.o.warc_per_site)
		TRY(seeds_name_files(&seeds, err));
	c->archive = c->crawl.top.o.output;
	if (!c->archive) {
		TRY(seeds_archive_name(&seeds, c->crawl.file.name, name, sizeof name, err));
		c->archive = arena_strdup(&c->arena, slice_str(name));
		TRY(c->archive ? 0 : err_code(err, ERR_NOMEM));
	}
	return make_sites(c, err);
}

static void init(struct watch_config *c)
{
	*c = (struct watch_config){0};
	arena_init(&c->arena, ARENA_MAX);
	look_weights_init(&c->weights, &c->arena);
}

int watch_config_read(struct watch_config *c, const char *path, struct err *err)
{
	init(c);
	TRY(yaml_read(&c->crawl.file, path, err));
	return read_all(c, err);
}

int watch_config_parse(struct watch_config *c, const char *name, slice text, struct err *err)
{
	init(c);
	TRY(yaml_parse(&c->crawl.file, name, text, err));
	return read_all(c, err);
}

void watch_config_release(struct watch_config *c)
{
	for (size_t i = 0; i < c->own_count; i++)
		look_weights_release(&c->own[i]);
	look_weights_release(&c->weights);
	free(c->own);
	free(c->sites);
	sites_release(&c->seeds);
	crawl_secrets_release(&c->secrets);
	crawl_config_release(&c->crawl);
	arena_release(&c->arena);
	*c = (struct watch_config){0};
}

static bool is_same_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

/* Passwords and cookies may be others under the same names. */
static bool has_secrets(const struct watch_config *c)
{
	return c->site_count > 0 && c->sites[0].settings.withheld.len > 0;
}

bool watch_config_is_like(const struct watch_config *a, const struct watch_config *b)
{
	enum { SETTINGS_MAX = 8 << 20 };
	BUF_SCOPED(other, SETTINGS_MAX);
	BUF_SCOPED(one, SETTINGS_MAX);
	bool alike = strcmp(a->archive, b->archive) == 0 && a->site_count == b->site_count &&
		     a->lanes == b->lanes && is_same_text(a->ping, b->ping) &&
		     is_same_text(a->crawl_log, b->crawl_log) &&
		     is_same_text(a->events, b->events) && !has_secrets(a) && !has_secrets(b);
	for (size_t i = 0; alike && i < a->site_count; i++) {
		buf_reset(&one);
		buf_reset(&other);
		alike = crawl_settings_write(&a->sites[i].settings, &one) == 0 &&
			crawl_settings_write(&b->sites[i].settings, &other) == 0 &&
			slice_eq(buf_slice(&one), buf_slice(&other));
	}
	return alike;
}
