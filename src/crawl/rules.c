/*
 * The life of a robots.txt (RFC 9309 §2.3.1, §2.4): asked for before the first page of a host,
 * trusted for a day, then asked for again. One that cannot be had is asked for again with a growing
 * pause: a few times before its host's pages are given up, then for as long as the capture has
 * other things to do; meanwhile an older copy counts, if there is one. One that changes counts from
 * there on, for the pages that were visited, too.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "crawl/capture.h"

enum {
	TRIES_MAX = 4, /* before the pages that wait for it are given up for now */
	FAILURES_MAX = 30,
	/* Of robots.txt: what is read, its byte order mark, and a byte that shows it was cut. */
	ROBOTS_KEPT = ROBOTS_PARSE_MAX + 4,
	WHY_SIZE = 320,
};

/* Constant: versions are only compared with each other, and a site that forges a collision gains
 * nothing but an older version of its own. */
static const struct hash_key VERSION_KEY = {0x726f626f74732e74, 0x7874207665727369};

/* ---- memory ---- */

int rules_reserve(struct capture *c)
{
	int rc = 0;

	while (rc == 0 && c->rules.len < hosts_count(&c->hosts))
		rc = host_rules_vec_push(
			&c->rules, (struct host_rules){.policy = ROBOTS_ALLOW_ALL});
	return rc;
}

static void release(struct capture *c, struct host_rules *rules)
{
	if (rules->robots)
		robots_cache_drop(&c->lane->robots, rules->robots);
	free(rules->why);
	rules->robots = NULL;
	rules->why = NULL;
}

void rules_release(struct capture *c)
{
	for (size_t i = 0; i < c->rules.len; i++)
		release(c, &c->rules.ptr[i]);
	host_rules_vec_release(&c->rules);
	heap_release(&c->later);
}

/* What a robots.txt came to. */
struct outcome {
	enum robots_policy policy;
	slice body;      /* of ROBOTS_PARSE */
	const char *why; /* of the others, and of a copy */
};

static uint64_t version_of(const struct outcome *o)
{
	return o->policy == ROBOTS_PARSE ? hash_bytes(VERSION_KEY, o->body) : 0;
}

static int parse(struct capture *c, slice body, struct robots_version **ret, double *ret_delay,
	struct err *err)
{
	struct robots_version *version;
	const struct robots *robots;
	int rc = robots_cache_add(&c->lane->robots, body, &version, err);

	if (rc)
		return rc;
	rc = robots_cache_get(&c->lane->robots, version, &robots, err);
	if (rc) {
		robots_cache_drop(&c->lane->robots, version);
		return rc;
	}
	*ret = version;
	*ret_delay = robots->crawl_delay;
	return 0;
}

/* From here on these are the rules of the host. */
static int adopt(
	struct capture *c, uint32_t host, const struct outcome *o, double checked, struct err *err)
{
	struct host_rules *rules = &c->rules.ptr[host];
	struct robots_version *robots = NULL;
	double delay = 0;
	char *why = o->why && o->why[0] ? strdup(o->why) : NULL;
	int rc = 0;

	if (o->why && o->why[0] && !why)
		return err_code(err, ERR_NOMEM);
	if (o->policy == ROBOTS_PARSE)
		rc = parse(c, o->body, &robots, &delay, err);
	if (rc) {
		free(why);
		return rc;
	}
	release(c, rules);
	rules->robots = robots;
	rules->why = why;
	rules->policy = (uint8_t)o->policy;
	rules->version = version_of(o);
	rules->checked = checked;
	hosts_at(&c->hosts, host)->robots = HOST_ROBOTS_KNOWN;
	hosts_set_crawl_delay(&c->hosts, host, delay);
	return 0;
}

int rules_restore(
	struct capture *c, uint32_t host, const struct catalog_robots *row, struct err *err)
{
	char why[WHY_SIZE];
	struct outcome o = {
		.policy = (enum robots_policy)row->policy, .body = row->body, .why = why};

	(void)snprintf(
		why, sizeof why, "%.*s", (int)row->why.len, row->why.ptr ? row->why.ptr : "");
	return adopt(c, host, &o, clock_seconds(row->checked - c->row.started), err);
}

int rules_decide(
	struct capture *c, uint32_t host, slice path, struct robots_decision *ret, struct err *err)
{
	const struct host_rules *rules = &c->rules.ptr[host];
	struct robots_decision d = {.allowed = rules->policy == ROBOTS_ALLOW_ALL};
	const struct robots *robots;
	int rc = 0;

	if (rules->policy == ROBOTS_PARSE) {
		rc = robots_cache_get(&c->lane->robots, rules->robots, &robots, err);
		if (rc)
			return rc;
		rc = robots_decide(robots, path, &d);
	}
	if (rc == ERR_LIMIT)
		d = (struct robots_decision){.exhausted = true};
	else if (rc)
		return err_code(err, rc);
	*ret = d;
	return 0;
}

/* ---- asking ---- */

static int request(struct capture *c, slice url, const struct request *r, struct err *err)
{
	bool held;
	int rc = fetch_url(c, url, r, &held, err);

	if (rc == 0)
		c->rules.ptr[r->robots_host].asking = held;
	return rc;
}

static int ask(struct capture *c, uint32_t host, bool first, struct err *err)
{
	slice origin = hosts_at(&c->hosts, host)->origin;
	struct buf url;
	int rc;

	buf_init(&url, URL_MAX);
	rc = buf_printf(&url, "%.*s/robots.txt", (int)origin.len, origin.ptr);
	if (rc == 0)
		rc = request(c, buf_slice(&url),
			&(struct request){.kind = REQUEST_ROBOTS,
				.robots_host = host,
				.tries = c->rules.ptr[host].failures,
				.first = first},
			err);
	buf_release(&url);
	return err_code(err, rc);
}

int rules_request(struct capture *c, uint32_t host, struct err *err)
{
	hosts_at(&c->hosts, host)->robots = HOST_ROBOTS_FETCHING;
	return ask(c, host, false, err);
}

static bool are_known(const struct capture *c, uint32_t host)
{
	return c->hosts.list.ptr[host].robots == HOST_ROBOTS_KNOWN;
}

static double trusted_for(const struct capture *c)
{
	return c->settings->robots_age > 0 ? c->settings->robots_age : ROBOTS_FRESH_SECONDS;
}

bool rules_are_stale(const struct capture *c, uint32_t host)
{
	const struct host_rules *rules = &c->rules.ptr[host];

	return !rules->asking && !heap_contains(&c->later, host) && are_known(c, host) &&
	       !c->cancelled && capture_now(c) - rules->checked >= trusted_for(c);
}

int rules_refresh(struct capture *c, uint32_t host, struct err *err)
{
	return ask(c, host, true, err);
}

/* ---- asking later ---- */

static int ask_later(struct capture *c, uint32_t host, double seconds, struct err *err)
{
	double ready = pace_ready(hosts_pace(&c->hosts, host));
	double due = lane_now(c->lane) + seconds;

	/* Once in line it would hold up the barrier. */
	if (isfinite(ready))
		due = fmax(due, ready);
	if (heap_contains(&c->later, host) || c->rules.ptr[host].asking)
		return 0;
	return err_code(err, heap_push(&c->later, host, (struct heap_key){due, host}));
}

/* 1 s, 2 s, 4 s, …, a quarter of an hour; and up to a half more by chance. */
static double pause_after(struct capture *c, unsigned failures)
{
	double seconds = fmin(
		ldexp(PACE_BACKOFF_FIRST, (int)failures - 1), ROBOTS_UNREACHABLE_RETRY_SECONDS);

	return seconds * (1 + PACE_JITTER * rng_double(&c->rng));
}

int rules_probe(struct capture *c, uint32_t host, struct err *err)
{
	if (!are_known(c, host) || !pace_wants_probe(hosts_pace(&c->hosts, host)))
		return 0;
	return ask_later(c, host, 0, err);
}

int rules_due(struct capture *c, struct err *err)
{
	double now = lane_now(c->lane);
	struct heap_key key;
	uint32_t host;
	int rc = 0;

	while (rc == 0 && heap_peek(&c->later, &host, &key) && key.key <= now) {
		(void)heap_pop(&c->later, &host, &key);
		if (!are_known(c, host))
			c->robots_waiting--;
		rc = ask(c, host, true, err);
	}
	return rc;
}

double rules_next(const struct capture *c)
{
	struct heap_key key;
	uint32_t host;

	return heap_peek(&c->later, &host, &key) ? key.key - lane_now(c->lane) : INFINITY;
}

/* ---- answers ---- */

static int store(struct capture *c, uint32_t host, const struct outcome *o, struct err *err)
{
	const char *why = c->rules.ptr[host].why;
	struct catalog_robots row = {.origin = hosts_at(&c->hosts, host)->origin,
		.policy = (uint8_t)o->policy,
		.fetched = clock_realtime(c->clock),
		.why = why ? slice_str(why) : SLICE(""),
		.body = o->policy == ROBOTS_PARSE ? o->body : SLICE("")};

	return capture_store(c, &(struct catalog_row){CATALOG_ROW_ADD_ROBOTS, .robots = &row}, err);
}

static bool is_same(const struct host_rules *rules, const struct outcome *o)
{
	return rules->policy == (uint8_t)o->policy && rules->version == version_of(o);
}

static int confirm(struct capture *c, uint32_t host, struct err *err)
{
	struct catalog_robots row = {
		.origin = hosts_at(&c->hosts, host)->origin, .checked = clock_realtime(c->clock)};

	c->rules.ptr[host].checked = capture_now(c);
	return capture_store(
		c, &(struct catalog_row){CATALOG_ROW_CONFIRM_ROBOTS, .robots = &row}, err);
}

/* What counts from here on. */
static int settle(struct capture *c, uint32_t host, const struct outcome *o, struct err *err)
{
	bool was_known = are_known(c, host);
	int rc;

	if (was_known && is_same(&c->rules.ptr[host], o))
		return confirm(c, host, err);
	rc = adopt(c, host, o, capture_now(c), err);
	if (rc == 0)
		rc = store(c, host, o, err);
	if (rc == 0)
		rc = sitemaps_request(c, host, err);
	if (rc == 0)
		rc = was_known ? discover_review(c, host, err) : discover_pending(c, host, err);
	return rc;
}

/*
 * It cannot be had, and its host's pages have waited long enough: an earlier capture's copy, or
 * nothing; after a month everything (§2.3.1.4).
 */
static int settle_unreachable(struct capture *c, uint32_t host, const char *why, struct err *err)
{
	const struct remembered *r =
		robots_memory_find(c->lane->crowd->memory, hosts_at(&c->hosts, host)->origin);
	struct robots_answer answer = {.copy = r && r->body};
	struct outcome o = {.why = why};
	char text[WHY_SIZE], date[CLOCK_TEXT_SIZE];

	if (r && r->unreachable)
		answer.unreachable_seconds =
			clock_seconds(clock_realtime(c->clock) - r->unreachable);
	o.policy = robots_policy(&answer);
	if (r && o.policy == ROBOTS_KEEP) {
		o.policy = ROBOTS_PARSE;
		o.body = (slice){r->body, r->len};
		clock_format(r->checked, CLOCK_ROUND_DOWN, date);
		(void)snprintf(text, sizeof text, "%.200s; the copy of %s counts", why, date);
		o.why = text;
	}
	return settle(c, host, &o, err);
}

/*
 * A failure that another try may mend soon is worth waiting for; not one of a server that wants to
 * be left alone for longer than anything else could hold up the barrier.
 */
static bool is_passing(const struct capture *c, uint32_t host, const struct net_fetch *f)
{
	double ready = pace_ready(hosts_pace(&c->hosts, host));

	bool may_pass = f->status >= 500 || net_failure_is_transient(f->failure) ||
			(f->status >= 200 && f->status < 300 && !f->failure);

	return may_pass && !f->no_name &&
	       (isinf(ready) || ready - lane_now(c->lane) <= PACE_BACKOFF_MAX);
}

static int unreachable(struct capture *c, uint32_t host, const struct net_fetch *f, const char *why,
	struct err *err)
{
	struct host_rules *rules = &c->rules.ptr[host];
	int rc = 0;

	if (rules->failures < FAILURES_MAX)
		rules->failures++;
	if (!are_known(c, host) && rules->failures < TRIES_MAX && is_passing(c, host, f) &&
		!c->settings->ignore_robots) {
		c->robots_waiting++;
		return ask_later(c, host, pause_after(c, rules->failures), err);
	}
	if (!are_known(c, host))
		rc = settle_unreachable(c, host, why, err);
	/* Whoever does not keep to it need not know it: each try that fails slows down the rest. */
	if (rc || c->settings->ignore_robots)
		return rc;
	return ask_later(c, host, pause_after(c, c->rules.ptr[host].failures), err);
}

int rules_dropped(
	struct capture *c, const struct request *r, enum drop_reason reason, struct err *err)
{
	uint32_t host = r->robots_host;
	int rc = 0;

	c->rules.ptr[host].asking = false;
	if (reason != DROP_SERVER_DOWN)
		return 0;
	if (!are_known(c, host))
		rc = settle_unreachable(c, host, "its server has stopped answering", err);
	return rc ? rc : ask_later(c, host, pause_after(c, c->rules.ptr[host].failures), err);
}

/*
 * Whether the text of a robots.txt came through. What a coding that breaks off has given may end
 * within a rule, or before all of them; only the text up to the limit has to be there.
 */
static bool is_readable(const struct capture *c, const struct state_result *result)
{
	if (result->payload_size == 0)
		return result->whole;
	return result->readable ||
	       (result->coding_end == CODING_UNSEEN && c->reading->body.len >= ROBOTS_KEPT);
}

static void explain(const struct net_fetch *f, bool loop, bool unreadable, char *out, size_t size)
{
	if (loop)
		(void)snprintf(out, size, "its redirects go round in a circle");
	else if (unreadable)
		(void)snprintf(out, size, "its content coding cannot be undone");
	else if (f->status)
		(void)snprintf(out, size, "HTTP %u", f->status);
	else
		(void)snprintf(out, size, "%s: %s", net_failure_name(f->failure), f->detail);
}

static uint32_t hash_url(slice url)
{
	return (uint32_t)hash_bytes(VERSION_KEY, url);
}

/* Whether a redirect leads to where we have been. */
static bool is_loop(const struct request *r, slice target)
{
	uint32_t hash = hash_url(target);

	for (unsigned i = 0; i < r->redirects; i++)
		if (r->chain[i] == hash)
			return true;
	return hash == hash_url(slice_str(r->url));
}

static int follow(struct capture *c, const struct request *r, slice target, struct err *err)
{
	struct request next = *r;

	next.chain[next.redirects++] = hash_url(slice_str(r->url));
	next.url = NULL;
	next.first = true;
	return request(c, target, &next, err);
}

int rules_answered(struct capture *c, const struct request *r, const struct net_fetch *f,
	const struct state_result *result, struct err *err)
{
	bool is_found = f->status >= 200 && f->status < 300 && !f->truncated;
	bool is_unreadable = is_found && !is_readable(c, result);
	struct robots_answer answer = {.status = f->truncated || is_unreadable ? 0 : (int)f->status,
		.redirects = r->redirects};
	uint32_t host = r->robots_host;
	struct outcome o = {.body = slice_sub(buf_slice(&c->reading->body), 0, ROBOTS_KEPT)};
	char why[WHY_SIZE];
	struct url target;
	int rc;

	c->rules.ptr[host].asking = false;
	url_init(&target);
	answer.location = f->status >= 300 && f->status < 400 && fetch_location(c, r, &target);
	answer.loop = answer.location && is_loop(r, url_page(&target));
	o.policy = robots_policy(&answer);
	explain(f, answer.loop, is_unreadable, why, sizeof why);
	o.why = o.policy == ROBOTS_PARSE ? "" : why;
	if (o.policy != ROBOTS_FOLLOW && o.policy != ROBOTS_DISALLOW_ALL)
		c->rules.ptr[host].failures = 0;
	if (o.policy == ROBOTS_FOLLOW)
		rc = follow(c, r, url_page(&target), err);
	else if (o.policy == ROBOTS_DISALLOW_ALL)
		rc = unreachable(c, host, f, why, err);
	else
		rc = settle(c, host, &o, err);
	url_release(&target);
	return rc;
}
