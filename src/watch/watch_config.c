#include "watch/watch_config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/parse.h"
#include "config/config.h"
#include "crawl/contact.h"
#include "rank/order.h"
#include "url/url.h"
#include "watch/ping.h"

enum {
	SITES_MAX = 1 << 20,
	MINUTES_PER_DAY = 24 * 60,
};

#define ARENA_MAX       ((size_t)1 << 30)
#define SECONDS_PER_DAY 86400.0

static const char *const SCOPES[] = {"page", "prefix", "host", "domain", NULL};
static const char *const EVIDENCE[] = {"compact", "records", NULL};
static const char *const ROBOTS[] = {"obey", "ignore", NULL};

/* What may be said of all sites, or of one. */
struct site_keys {
	const char *policy, *delay, *windows;
	double grid, theta, use;
	int scope, evidence;
	int64_t max_pages, max_depth;
	struct option_list urls, includes, excludes;
	bool no_requisites, no_sitemaps;
	const struct yaml_node *weights, *budget;
};

struct top_keys {
	const char *archive, *user_agent, *contact, *ping;
	struct site_keys all;
	int robots;
	int64_t lanes;
	uint64_t min_free, warc_size;
	bool allow_private;
	const struct yaml_node *sites, *retention;
};

/* Kind without OPTION_, struct, member, name; then other members of the row by name. */
#define KEY(kind_, type, member, ...)                                                         \
	{                                                                                     \
		.kind = OPTION_##kind_, .offset = offsetof(type, member), .name = __VA_ARGS__ \
	}

#define SITE_KEYS(type, at)                                                                       \
	KEY(STRING, type, at policy, "policy"), KEY(STRING, type, at delay, "delay"),             \
		KEY(STRING, type, at windows, "windows"),                                         \
		KEY(DURATION, type, at grid, "grid", .min = WATCH_GRID_MIN, .max = 1e9),          \
		KEY(DOUBLE, type, at theta, "theta", .max = 1, .bounds = OPTION_BELOW_MAX),       \
		KEY(DURATION, type, at use, "use", .max = 1e9),                                   \
		KEY(CHOICE, type, at scope, "scope", .choices = SCOPES),                          \
		KEY(CHOICE, type, at evidence, "evidence", .choices = EVIDENCE),                  \
		KEY(INT, type, at max_pages, "max-pages", .min = 1, .max = UINT32_MAX - 1),       \
		KEY(INT, type, at max_depth, "max-depth", .max = INT32_MAX),                      \
		KEY(LIST, type, at includes, "include"), KEY(LIST, type, at excludes, "exclude"), \
		KEY(FLAG, type, at no_requisites, "no-requisites"),                               \
		KEY(FLAG, type, at no_sitemaps, "no-sitemaps")

static const struct option_spec TOP_SPECS[] = {
	SITE_KEYS(struct top_keys, all.),
	KEY(STRING, struct top_keys, archive, "archive"),
	KEY(STRING, struct top_keys, user_agent, "user-agent"),
	KEY(STRING, struct top_keys, contact, "contact"),
	KEY(STRING, struct top_keys, ping, "ping"),
	KEY(CHOICE, struct top_keys, robots, "robots", .choices = ROBOTS),
	KEY(INT, struct top_keys, lanes, "lanes", .min = 1, .max = 256),
	KEY(SIZE, struct top_keys, min_free, "min-free", .max = 1e18),
	KEY(SIZE, struct top_keys, warc_size, "warc-size", .min = 1, .max = 1e15),
	KEY(FLAG, struct top_keys, allow_private, "allow-private"),
	{.name = NULL},
};

static const struct config_part TOP_PARTS[] = {
	{"budget", YAML_MAP, offsetof(struct top_keys, all.budget)},
	{"weights", YAML_SCALAR, offsetof(struct top_keys, all.weights)},
	{"sites", YAML_LIST, offsetof(struct top_keys, sites)},
	{"retention", YAML_SCALAR, offsetof(struct top_keys, retention)},
	{.name = NULL},
};

static const char *const TOP_REQUIRED[] = {"archive", "budget", "sites", NULL};

/* Settings of a crawl without which a watch would be another client than is wanted. */
static const char *const UNSAFE[] = {"auth", "auth-file", "cacert", "cookies", "dns", "header",
	"header-file", "insecure", "login", "proxy", "proxy-file", "seeds", "surt", NULL};

static const struct config_table TOP = {.specs = TOP_SPECS,
	.parts = TOP_PARTS,
	.required = TOP_REQUIRED,
	.excluded = UNSAFE,
	.excluded_why = "is for crawl alone: a watch cannot do that"};

static const struct option_spec SITE_SPECS[] = {
	SITE_KEYS(struct site_keys, ),
	KEY(LIST, struct site_keys, urls, "url"),
	{.name = NULL},
};

static const struct config_part SITE_PARTS[] = {
	{"budget", YAML_SCALAR, offsetof(struct site_keys, budget)},
	{"weights", YAML_SCALAR, offsetof(struct site_keys, weights)},
	{.name = NULL},
};

static const char *const SITE_REQUIRED[] = {"url", NULL};
static const struct config_table SITE = {.specs = SITE_SPECS,
	.parts = SITE_PARTS,
	.required = SITE_REQUIRED,
	.excluded = UNSAFE,
	.excluded_why = "is for crawl alone: a watch cannot do that"};

/* ---- budgets ---- */

struct budget_keys {
	struct option_rate requests, bytes;
};

#define RATE_BOUNDS .max = 1e15, .bounds = OPTION_ABOVE_MIN

static const struct option_spec BUDGET_SPECS[] = {
	KEY(COUNT_RATE, struct budget_keys, requests, "requests", RATE_BOUNDS),
	KEY(SIZE_RATE, struct budget_keys, bytes, "bytes", RATE_BOUNDS),
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

/* ---- one site ---- */

struct reading {
	struct watch_config *config;
	const struct top_keys *top;
	const struct yaml_node *node; /* of the site */
	struct strmap urls;
	struct err *err;
};

/* Where a key stands: at the site, or above. */
static const struct yaml_node *place_of(const struct reading *r, const char *key)
{
	const struct yaml_node *own = yaml_get(r->node, key);

	return own ? own : yaml_get(r->config->yaml.root, key);
}

static int set_policy(struct reading *r, const char *name, struct look_terms *terms)
{
	const struct yaml_node *at = place_of(r, "policy");

	terms->policy = refresh_policy_find(name ? name : "fresh");
	if (!terms->policy)
		return yaml_refuse(&r->config->yaml, at, r->err,
			"unknown policy '%.60s' (try 'stillpoint simulate --help')", name);
	if (terms->policy == &REFRESH_SHARP && terms->aim.grid == 0)
		terms->aim.grid = SECONDS_PER_DAY;
	return 0;
}

static int set_delay(struct reading *r, const char *text, struct watch_site *site)
{
	double seconds = 0;
	bool automatic = !text || strcmp(text, "auto") == 0;
	int rc = automatic ? 0 : parse_duration(slice_str(text), &seconds);

	if (rc || seconds > 1e6)
		return yaml_refuse(&r->config->yaml, place_of(r, "delay"), r->err,
			"a delay is auto or a time, as in 2s, not '%.60s'", text);
	site->terms.delay = seconds;
	site->terms.automatic_delay = automatic;
	return 0;
}

static int set_windows(struct reading *r, const char *text, struct windows *w)
{
	struct err why = {0};

	*w = (struct windows){0};
	if (!text || windows_parse(w, slice_str(text), &why) == 0)
		return 0;
	return yaml_refuse(
		&r->config->yaml, place_of(r, "windows"), r->err, "windows: %.200s", why.text);
}

static int set_retention(struct watch_config *c, const struct yaml_node *node, struct err *err)
{
	struct err why = {0};

	c->has_retention = node != NULL;
	if (!node || retention_parse(node->text, &c->retention, &why) == 0)
		return 0;
	return yaml_refuse(&c->yaml, node, err, "%.300s", why.text);
}

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
		return yaml_refuse(&c->yaml, file, err, "file: this must be the name of a file");
	rc = look_weights_load(to, file->text.ptr, &c->arena, &why);
	return rc ? yaml_refuse(&c->yaml, file, err, "%.300s", why.text) : 0;
}

/* A mapping of patterns, with "file" for a file of more of them; or pagerank. */
static int set_weights(struct watch_config *c, const struct yaml_node *node,
	struct look_weights *to, struct err *err)
{
	static const struct option_spec SPEC = {
		.name = "weight", .kind = OPTION_DOUBLE, .offset = 0, .max = LOOK_WEIGHT_MAX};
	int rc = 0;

	if (node && node->kind != YAML_MAP && !is_pagerank(node))
		return yaml_refuse(&c->yaml, node, err,
			"weights are a mapping of patterns to numbers, {file: FILE}, or pagerank");
	if (!node || node->kind != YAML_MAP)
		return 0;
	for (const struct yaml_entry *e = node->entries; rc == 0 && e; e = e->next) {
		struct look_pattern p = {.pattern = e->key->text};

		if (slice_eq(p.pattern, SLICE("file"))) {
			rc = load_weights(c, e->value, to, err);
			continue;
		}
		rc = config_value(&c->yaml, e->value, &SPEC, &p.weight, err);
		if (rc == 0)
			rc = err_code(err, look_patterns_push(&to->patterns, p));
	}
	return rc;
}

/* Reads a mapping of the file, and notes what only a crawl reads. */
static int read_map(struct watch_config *c, const struct yaml_node *map,
	const struct config_table *table, void *out, struct err *err)
{
	struct config_table t = *table;
	int rc;

	t.others = c->others;
	rc = config_read(&c->yaml, map, &t, out, err);
	for (const struct yaml_entry *e = map->entries; rc == 0 && e; e = e->next) {
		struct err why = {0};
		const char *text;

		if (!config_is_other(&t, e->key->text))
			continue;
		(void)yaml_refuse(&c->yaml, e->key, &why,
			"'%.60s' is for crawl alone: a watch goes without it", e->key->text.ptr);
		text = arena_strdup(&c->arena, slice_str(why.text));
		rc = err_code(err, text ? text_list_push(&c->ignored, text) : ERR_NOMEM);
	}
	return rc;
}

/* The URL as the catalog has it; twice the same is a mistake. */
static int set_url(struct reading *r, const char *text, struct watch_site *site)
{
	const struct yaml *y = &r->config->yaml;
	const struct yaml_node *at = yaml_get(r->node, "url");
	const char *copy = NULL;
	struct url url;
	int rc;

	url_init(&url);
	rc = url_parse(&url, slice_str(text), NULL, NULL);
	if (rc == 0 && !url_is_http(&url))
		rc = ERR_SYNTAX;
	if (rc == 0)
		copy = arena_strdup(&r->config->arena, url_page(&url));
	url_release(&url);
	if (rc == ERR_SYNTAX || rc == ERR_LIMIT)
		return yaml_refuse(
			y, at, r->err, "a site is an http or https URL, not '%.100s'", text);
	if (rc == 0)
		rc = copy ? strmap_put(&r->urls, slice_str(copy), 0) : ERR_NOMEM;
	if (rc == ERR_EXISTS)
		return yaml_refuse(y, at, r->err, "the site %.200s is here twice", copy);
	if (rc == 0)
		rc = text_list_push(&site->settings.seeds, copy);
	return err_code(r->err, rc);
}

static int copy_list(const struct option_list *from, struct text_list *to)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < from->len; i++)
		rc = text_list_push(to, from->ptr[i]);
	return rc;
}

static int set_settings(
	const struct reading *r, const struct site_keys *k, struct crawl_settings *s)
{
	const struct top_keys *top = r->top;
	int rc = copy_list(&k->includes, &s->includes);

	if (rc == 0)
		rc = copy_list(&k->excludes, &s->excludes);
	s->watch = true;
	s->no_probes = true;
	s->scope = (enum scope_kind)k->scope;
	s->records = k->evidence != 0;
	s->max_pages = (uint32_t)k->max_pages;
	if (k->max_depth >= 0)
		s->max_depth = (uint32_t)k->max_depth;
	s->no_requisites = k->no_requisites;
	s->no_sitemaps = k->no_sitemaps;
	s->user_agent = top->user_agent;
	s->contact = top->contact;
	s->ignore_robots = top->robots != 0;
	s->allow_private = top->allow_private;
	s->min_free = top->min_free;
	s->warc_size = top->warc_size;
	return err_code(r->err, rc);
}

/* Expressions that cannot be read: the message begins with their option. The seed was read before.
 */
static int check_scope(struct reading *r, const struct crawl_settings *s)
{
	const struct yaml_node *at;
	struct scope scope;
	struct err why = {0};
	int rc = crawl_settings_scope(s, &scope, &why);

	scope_release(&scope);
	if (rc == 0 || rc == ERR_NOMEM)
		return err_code(r->err, rc);
	at = place_of(r, strncmp(why.text, "--include", 9) == 0 ? "include" : "exclude");
	return yaml_refuse(&r->config->yaml, at ? at : r->node, r->err, "%.300s", why.text);
}

static int set_terms(struct reading *r, const struct site_keys *k, struct watch_site *site)
{
	struct budget_keys budget = {0};
	int rc;

	site->terms.aim = (struct refresh_aim){.theta = k->theta, .use = k->use, .grid = k->grid};
	site->terms.budget = INFINITY;
	rc = set_policy(r, k->policy, &site->terms);
	if (rc == 0)
		rc = set_delay(r, k->delay, site);
	if (rc == 0)
		rc = set_windows(r, k->windows, &site->terms.windows);
	if (rc == 0 && k->budget)
		rc = read_budget(&r->config->yaml, k->budget, &budget, r->err);
	if (rc == 0 && k->budget)
		site->terms.budget = per_second(budget.requests);
	if (rc == 0 && budget.bytes.amount > 0)
		return yaml_refuse(&r->config->yaml, k->budget, r->err,
			"bytes are limited for all sites together, not for one");
	look_weights_init(&site->weights, &r->config->arena);
	if (is_pagerank(k->weights) || is_pagerank(r->top->all.weights))
		site->settings.order = RANK_PAGERANK;
	return rc ? rc : set_weights(r->config, k->weights, &site->weights, r->err);
}

static int read_site(struct reading *r, const struct yaml_node *node, struct watch_site *site)
{
	struct site_keys keys = r->top->all;
	int rc;

	r->node = node;
	keys.weights = keys.budget = NULL;
	keys.urls = keys.includes = keys.excludes = (struct option_list){0};
	crawl_settings_init(&site->settings);
	if (node->kind != YAML_MAP)
		return yaml_refuse(&r->config->yaml, node, r->err,
			"a site is a mapping with a url, as in '- url: https://example.org/'");
	rc = read_map(r->config, node, &SITE, &keys, r->err);
	if (rc == 0 && copy_list(&r->top->all.includes, &site->settings.includes))
		rc = err_code(r->err, ERR_NOMEM);
	if (rc == 0 && copy_list(&r->top->all.excludes, &site->settings.excludes))
		rc = err_code(r->err, ERR_NOMEM);
	if (rc == 0 && keys.urls.len == 0)
		rc = yaml_refuse(&r->config->yaml, yaml_get(node, "url"), r->err,
			"a site has one URL at least");
	for (size_t i = 0; rc == 0 && i < keys.urls.len; i++)
		rc = set_url(r, keys.urls.ptr[i], site);
	if (rc == 0)
		rc = set_settings(r, &keys, &site->settings);
	if (rc == 0)
		rc = check_scope(r, &site->settings);
	if (rc == 0)
		rc = set_terms(r, &keys, site);
	options_release(&(struct options){.specs = SITE_SPECS}, &keys);
	return rc;
}

/* ---- all of it ---- */

static int read_sites(struct reading *r, const struct yaml_node *list)
{
	struct watch_config *c = r->config;
	size_t count = 0;
	int rc = 0;

	for (const struct yaml_entry *e = list->entries; e; e = e->next)
		count++;
	if (count == 0 || count > SITES_MAX)
		return yaml_refuse(&c->yaml, list, r->err, "sites: there must be one at least");
	c->sites = calloc(count, sizeof *c->sites);
	if (!c->sites)
		return err_code(r->err, ERR_NOMEM);
	c->site_count = count;
	count = 0;
	for (const struct yaml_entry *e = list->entries; rc == 0 && e; e = e->next)
		rc = read_site(r, e->value, &c->sites[count++]);
	for (size_t i = 0; i < c->site_count; i++) {
		c->sites[i].terms.weights = &c->sites[i].weights;
		c->sites[i].terms.common = &c->weights;
	}
	return rc;
}

static int check_top(const struct watch_config *c, const struct top_keys *top, struct err *err)
{
	const struct yaml *y = &c->yaml;
	char address[HTTPD_ADDRESS_SIZE];
	struct err why = {0};
	uint16_t port;

	if (!top->archive[0])
		return yaml_refuse(y, yaml_get(y->root, "archive"), err,
			"the archive is empty; give the name of a directory");
	if (top->contact && !contact_is_valid(slice_str(top->contact)))
		return yaml_refuse(y, yaml_get(y->root, "contact"), err,
			"a contact is a URL or a mail address, not '%.100s'", top->contact);
	if (top->ping && ping_address(top->ping, address, &port, &why))
		return yaml_refuse(y, yaml_get(y->root, "ping"), err, "ping: %.200s", why.text);
	return 0;
}

static int read_top(struct watch_config *c, struct err *err)
{
	struct budget_keys budget = {0};
	struct crawl_settings usual;
	struct top_keys top = {.all.max_depth = -1, .all.scope = SCOPE_HOST};
	struct reading r = {.config = c, .top = &top, .node = c->yaml.root, .err = err};
	struct watch_site any = {0}; /* defaults are checked even if every site has its own */
	int rc;

	crawl_settings_init(&usual);
	top.min_free = usual.min_free;
	strmap_init(&r.urls, hash_key_random(), NULL);
	rc = read_map(c, c->yaml.root, &TOP, &top, err);
	if (rc == 0)
		rc = check_top(c, &top, err);
	if (rc == 0)
		rc = read_budget(&c->yaml, top.all.budget, &budget, err);
	c->written = budget.requests.amount;
	c->requests = per_second(budget.requests);
	c->bytes = per_second(budget.bytes);
	if (rc == 0)
		rc = set_policy(&r, top.all.policy, &any.terms);
	if (rc == 0)
		rc = set_delay(&r, top.all.delay, &any);
	if (rc == 0)
		rc = set_windows(&r, top.all.windows, &c->windows);
	if (rc == 0)
		rc = set_retention(c, top.retention, err);
	if (rc == 0)
		rc = set_weights(c, top.all.weights, &c->weights, err);
	if (rc == 0)
		rc = read_sites(&r, top.sites);
	c->archive = top.archive;
	c->lanes = (unsigned)top.lanes;
	c->ping = top.ping;
	strmap_release(&r.urls);
	options_release(&(struct options){.specs = TOP_SPECS}, &top);
	return rc;
}

static void init(struct watch_config *c)
{
	*c = (struct watch_config){0};
	arena_init(&c->arena, ARENA_MAX);
	look_weights_init(&c->weights, &c->arena);
}

int watch_config_read(
	struct watch_config *c, const char *path, const struct option_spec *others, struct err *err)
{
	int rc;

	init(c);
	c->others = others;
	rc = yaml_read(&c->yaml, path, err);
	return rc ? rc : read_top(c, err);
}

int watch_config_parse(struct watch_config *c, const char *name, slice text,
	const struct option_spec *others, struct err *err)
{
	int rc;

	init(c);
	c->others = others;
	rc = yaml_parse(&c->yaml, name, text, err);
	return rc ? rc : read_top(c, err);
}

void watch_config_release(struct watch_config *c)
{
	for (size_t i = 0; i < c->site_count; i++) {
		crawl_settings_release(&c->sites[i].settings);
		look_weights_release(&c->sites[i].weights);
	}
	look_weights_release(&c->weights);
	free(c->sites);
	text_list_release(&c->ignored);
	yaml_release(&c->yaml);
	arena_release(&c->arena);
	*c = (struct watch_config){0};
}

bool watch_config_is_like(const struct watch_config *a, const struct watch_config *b)
{
	enum { SETTINGS_MAX = 8 << 20 };
	struct buf one, other;
	bool alike = strcmp(a->archive, b->archive) == 0 && a->site_count == b->site_count &&
		     a->lanes == b->lanes &&
		     strcmp(a->ping ? a->ping : "", b->ping ? b->ping : "") == 0;

	buf_init(&one, SETTINGS_MAX);
	buf_init(&other, SETTINGS_MAX);
	for (size_t i = 0; alike && i < a->site_count; i++) {
		buf_reset(&one);
		buf_reset(&other);
		alike = crawl_settings_write(&a->sites[i].settings, &one) == 0 &&
			crawl_settings_write(&b->sites[i].settings, &other) == 0 &&
			slice_eq(buf_slice(&one), buf_slice(&other));
	}
	buf_release(&one);
	buf_release(&other);
	return alike;
}
