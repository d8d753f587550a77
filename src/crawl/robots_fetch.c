/*
 * Fetches robots.txt (RFC 9309 §2.3.1, §2.4): before the first page of a host, and again after a
 * day. One that cannot be fetched is tried again with a growing pause: a few times before the pages
 * of its host are given up, then for as long as the capture has other work. Meanwhile an older copy
 * counts, if there is one. A changed one counts from then on, also for pages that were visited.
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
};

static const struct hash_key URL_KEY = {0x726f626f74732e74, 0x7874207265646972};

/* Makes these the rules of the host. */
static int adopt(struct capture *c, uint32_t host, const struct rules_text *t, double checked,
	struct err *err)
{
	double delay;
	int rc = rules_set(&c->rules, host, t, checked, &delay, err);

	if (rc)
		return rc;
	hosts_at(&c->hosts, host)->robots = HOST_ROBOTS_KNOWN;
	hosts_set_crawl_delay(&c->hosts, host, delay);
	return 0;
}

int robots_fetch_restore(
	struct capture *c, uint32_t host, const struct catalog_robots *row, struct err *err)
{
	char why[RULES_WHY_SIZE];
	struct rules_text o = {
		.policy = (enum robots_policy)row->policy, .body = row->body, .why = why};

	(void)snprintf(
		why, sizeof why, "%.*s", (int)row->why.len, row->why.ptr ? row->why.ptr : "");
	return adopt(c, host, &o, clock_seconds(row->checked - c->row.started), err);
}

/* ---- asking ---- */

static int request(struct capture *c, slice url, const struct request *r, struct err *err)
{
	bool held;
	int rc = fetch_url(c, url, r, &held, err);

	if (rc == 0)
		c->rules.list.ptr[r->robots_host].asking = held;
	return rc;
}

int robots_fetch(struct capture *c, uint32_t host, bool first, struct err *err)
{
	struct host *h = hosts_at(&c->hosts, host);
	struct buf url;
	int rc;

	if (h->robots == HOST_ROBOTS_UNKNOWN)
		h->robots = HOST_ROBOTS_FETCHING;
	buf_init(&url, URL_MAX);
	rc = buf_printf(&url, "%.*s/robots.txt", (int)h->origin.len, h->origin.ptr);
	if (rc == 0)
		rc = request(c, buf_slice(&url),
			&(struct request){.kind = REQUEST_ROBOTS,
				.robots_host = host,
				.tries = c->rules.list.ptr[host].failures,
				.first = first},
			err);
	buf_release(&url);
	return err_code(err, rc);
}

static bool are_known(const struct capture *c, uint32_t host)
{
	return c->hosts.list.ptr[host].robots == HOST_ROBOTS_KNOWN;
}

static double trusted_for(const struct capture *c)
{
	return c->settings->robots_age > 0 ? c->settings->robots_age : ROBOTS_FRESH_SECONDS;
}

bool robots_fetch_is_stale(const struct capture *c, uint32_t host)
{
	const struct host_rules *rules = &c->rules.list.ptr[host];

	return !rules->asking && !heap_contains(&c->rules.later, host) && are_known(c, host) &&
	       !c->stage.cancelled && capture_now(c) - rules->checked >= trusted_for(c);
}

/* ---- asking later ---- */

static int ask_later(
	struct capture *c, uint32_t host, double seconds, bool pages_wait, struct err *err)
{
	double ready = pace_ready(hosts_pace(&c->hosts, host));
	double due = lane_now(c->lane) + seconds;

	/* In the queue of its server it would hold up the barrier. */
	if (isfinite(ready))
		due = fmax(due, ready);
	return err_code(err, rules_fetch_at(&c->rules, host, due, pages_wait));
}

static int ask_after_failure(struct capture *c, uint32_t host, bool pages_wait, struct err *err)
{
	double pause = rules_pause(c->rules.list.ptr[host].failures, rng_double(&c->rng));

	return ask_later(c, host, pause, pages_wait, err);
}

int robots_fetch_if_failing(struct capture *c, uint32_t host, struct err *err)
{
	if (!are_known(c, host) || !pace_wants_probe(hosts_pace(&c->hosts, host)))
		return 0;
	return ask_later(c, host, 0, false, err);
}

int robots_fetch_due(struct capture *c, struct err *err)
{
	double now = lane_now(c->lane);
	uint32_t host;
	int rc = 0;

	while (rc == 0 && rules_take_due(&c->rules, now, &host))
		rc = robots_fetch(c, host, true, err);
	return rc;
}

double robots_fetch_wait(const struct capture *c)
{
	return fmax(rules_next_due(&c->rules) - lane_now(c->lane), 0);
}

/* ---- answers ---- */

static int store(struct capture *c, uint32_t host, const struct rules_text *o, struct err *err)
{
	const char *why = c->rules.list.ptr[host].why;
	struct catalog_robots row = {.origin = hosts_at(&c->hosts, host)->origin,
		.policy = (uint8_t)o->policy,
		.fetched = clock_realtime(c->clock),
		.why = why ? slice_str(why) : SLICE(""),
		.body = o->policy == ROBOTS_PARSE ? o->body : SLICE("")};

	return capture_store(c, &(struct catalog_row){CATALOG_ROW_ADD_ROBOTS, .robots = &row}, err);
}

static int confirm(struct capture *c, uint32_t host, struct err *err)
{
	struct catalog_robots row = {
		.origin = hosts_at(&c->hosts, host)->origin, .checked = clock_realtime(c->clock)};

	c->rules.list.ptr[host].checked = capture_now(c);
	return capture_store(
		c, &(struct catalog_row){CATALOG_ROW_CONFIRM_ROBOTS, .robots = &row}, err);
}

/* Confirms the rules of the host, or replaces them. */
static int settle(struct capture *c, uint32_t host, const struct rules_text *o, struct err *err)
{
	bool was_known = are_known(c, host);
	int rc;

	c->rules.list.ptr[host].no_name = false;
	if (was_known && rules_are(&c->rules, host, o))
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
 * It cannot be fetched, and the pages of its host have waited long enough: the copy of an earlier
 * capture counts; without one nothing is allowed, after a month everything (§2.3.1.4).
 */
static int settle_unreachable(struct capture *c, uint32_t host, const char *why, struct err *err)
{
	const struct earlier_robots *r =
		robots_history_find(c->lane->shared->history, hosts_at(&c->hosts, host)->origin);
	struct robots_answer answer = {.copy = r && r->body};
	struct rules_text o = {.why = why};
	char text[RULES_WHY_SIZE], date[CLOCK_TEXT_SIZE];

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
 * Whether pages should wait because another try may soon succeed. Not if the server asks for a
 * longer pause than anything else could hold up the barrier.
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
	struct host_rules *rules = &c->rules.list.ptr[host];
	int rc = 0;

	if (rules->failures < FAILURES_MAX)
		rules->failures++;
	if (!are_known(c, host) && rules->failures < TRIES_MAX && is_passing(c, host, f) &&
		!c->settings->ignore_robots)
		return ask_after_failure(c, host, true, err);
	/* A host that is not there forbids nothing. Under watch its pages must not be asked for. */
	if (!are_known(c, host) && f->no_name && !c->looking) {
		rc = settle(
			c, host, &(struct rules_text){.policy = ROBOTS_ALLOW_ALL, .why = why}, err);
		c->rules.list.ptr[host].no_name = true;
	} else if (!are_known(c, host)) {
		rc = settle_unreachable(c, host, why, err);
	}
	/* With --ignore-robots it is not needed, and each failed try delays other requests. */
	if (rc || c->settings->ignore_robots)
		return rc;
	return ask_after_failure(c, host, false, err);
}

int robots_fetch_dropped(
	struct capture *c, const struct request *r, enum drop_reason reason, struct err *err)
{
	uint32_t host = r->robots_host;
	int rc = 0;

	c->rules.list.ptr[host].asking = false;
	if (reason != DROP_SERVER_DOWN)
		return 0;
	if (!are_known(c, host))
		rc = settle_unreachable(c, host, "its server has stopped answering", err);
	return rc ? rc : ask_after_failure(c, host, false, err);
}

/*
 * Whether the text of a robots.txt could be decoded. If its content coding is cut, rules may be
 * missing; only the text up to the limit is needed. One that is still compressed, by its signature,
 * has no label of its coding or another one.
 */
static bool is_readable(const struct capture *c, const struct state_result *result)
{
	slice text = buf_slice(&c->lane->reading.body);

	if (result->payload_size == 0)
		return result->whole;
	if (slice_starts_with(text, SLICE("\x1f\x8b\x08")) ||
		slice_starts_with(text, SLICE("\x28\xb5\x2f\xfd")))
		return false;
	return result->readable ||
	       (result->coding_end == CODING_UNSEEN && c->lane->reading.body.len >= ROBOTS_KEPT);
}

static void explain(const struct net_fetch *f, bool loop, bool unreadable, char *out, size_t size)
{
	if (loop)
		(void)snprintf(out, size, "its redirects go round in a circle");
	else if (unreadable)
		(void)snprintf(out, size, "its content coding cannot be undone");
	else if (f->status && !f->truncated)
		(void)snprintf(out, size, "HTTP %u", f->status);
	else
		(void)snprintf(out, size, "%s: %s", net_failure_name(f->failure), f->detail);
}

static uint32_t hash_url(slice url)
{
	return (uint32_t)hash_bytes(URL_KEY, url);
}

/* Whether a redirect leads back to an earlier URL of the chain. */
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

int robots_fetch_answered(struct capture *c, const struct request *r, const struct net_fetch *f,
	const struct state_result *result, struct err *err)
{
	bool is_found = f->status >= 200 && f->status < 300 && !f->truncated;
	bool is_unreadable = is_found && !is_readable(c, result);
	struct robots_answer answer = {.status = f->truncated || is_unreadable ? 0 : (int)f->status,
		.redirects = r->redirects};
	uint32_t host = r->robots_host;
	struct rules_text o = {
		.body = slice_sub(buf_slice(&c->lane->reading.body), 0, ROBOTS_KEPT)};
	char why[RULES_WHY_SIZE];
	struct url target;
	int rc;

	c->rules.list.ptr[host].asking = false;
	url_init(&target);
	answer.location = f->status >= 300 && f->status < 400 && fetch_location(c, r, &target);
	answer.loop = answer.location && is_loop(r, url_page(&target));
	o.policy = robots_policy(&answer);
	explain(f, answer.loop, is_unreadable, why, sizeof why);
	o.why = o.policy == ROBOTS_PARSE ? "" : why;
	if (o.policy != ROBOTS_FOLLOW && o.policy != ROBOTS_DISALLOW_ALL)
		c->rules.list.ptr[host].failures = 0;
	if (o.policy == ROBOTS_FOLLOW)
		rc = follow(c, r, url_page(&target), err);
	else if (o.policy == ROBOTS_DISALLOW_ALL)
		rc = unreachable(c, host, f, why, err);
	else
		rc = settle(c, host, &o, err);
	url_release(&target);
	return rc;
}
