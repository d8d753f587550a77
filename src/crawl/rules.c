#include "crawl/rules.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "crawl/capture.h"
#include "formats/robots.h"
#include "net/pace.h"

/* ---- parsed robots.txt of a lane ---- */

enum {
	BUCKETS_MIN = 64,
	/* Rules in packed form take more than their text: 16 bytes besides for each. */
	PACKED_MAX = 2 * ROBOTS_MEMORY_MAX,
};

struct robots_version {
	uint64_t hashes[2];
	size_t users;
	struct robots_version *chain; /* the next of its bucket */
	struct robots_version *before, *behind;
	struct robots *robots; /* NULL: it is only in the file */
	size_t bytes;          /* of robots */
	struct spill packed;
};

void robots_cache_init(struct robots_cache *c, struct spill_pool *pool, slice agent, size_t max)
{
	*c = (struct robots_cache){.pool = pool, .agent = agent, .max = max};
	c->keys[0] = hash_key_random();
	c->keys[1] = hash_key_random();
}

void robots_cache_release(struct robots_cache *c)
{
	assert(c->count == 0);
	robots_buckets_release(&c->buckets);
	*c = (struct robots_cache){0};
}

/* ---- those in memory ---- */

static void unlink_version(struct robots_cache *c, struct robots_version *v)
{
	if (v->before)
		v->before->behind = v->behind;
	else
		c->first = v->behind;
	if (v->behind)
		v->behind->before = v->before;
	else
		c->last = v->before;
	v->before = v->behind = NULL;
}

static void link_first(struct robots_cache *c, struct robots_version *v)
{
	v->behind = c->first;
	if (c->first)
		c->first->before = v;
	else
		c->last = v;
	c->first = v;
}

static void unload(struct robots_cache *c, struct robots_version *v)
{
	if (!v->robots)
		return;
	unlink_version(c, v);
	c->bytes -= v->bytes;
	robots_release(v->robots);
	free(v->robots);
	v->robots = NULL;
}

static int unpack(struct robots_version *v, struct robots *ret, struct err *err)
{
	size_t len = v->packed.size;
	char *bytes = mem_new(len, 1);
	int rc = spill_read(&v->packed, 0, bytes, len, err);

	if (rc == 0)
		robots_unpack(ret, (slice){bytes, len});
	free(bytes);
	return err_code(err, rc);
}

static int load(struct robots_cache *c, struct robots_version *v, struct err *err)
{
	struct robots *robots = malloc(sizeof *robots);
	int rc = robots ? unpack(v, robots, err) : ERR_NOMEM;

	if (rc) {
		free(robots);
		return err->code ? rc : err_set(err, rc, "robots.txt: %s", err_name(rc));
	}
	v->robots = robots;
	v->bytes = robots_size(robots);
	c->bytes += v->bytes;
	link_first(c, v);
	while (c->bytes > c->max && c->last != v)
		unload(c, c->last);
	return 0;
}

int robots_cache_get(struct robots_cache *c, struct robots_version *v, const struct robots **ret,
	struct err *err)
{
	if (!v->robots) {
		TRY(load(c, v, err));
	} else if (c->first != v) {
		unlink_version(c, v);
		link_first(c, v);
	}
	*ret = v->robots;
	return 0;
}

/* ---- all of them ---- */

static struct robots_version **bucket(const struct robots_cache *c, uint64_t hash)
{
	return &c->buckets.ptr[hash & (c->buckets.len - 1)];
}

static struct robots_version *find(const struct robots_cache *c, const uint64_t hashes[2])
{
	struct robots_version *v = c->buckets.len ? *bucket(c, hashes[0]) : NULL;

	while (v && (v->hashes[0] != hashes[0] || v->hashes[1] != hashes[1]))
		v = v->chain;
	return v;
}

static int grow(struct robots_cache *c)
{
	size_t len = c->buckets.len ? 2 * c->buckets.len : BUCKETS_MIN;
	struct robots_buckets old = c->buckets, new = {0};

	if (c->count < c->buckets.len)
		return 0;
	robots_buckets_reserve(&new, len);
	while (new.len < len)
		new.ptr[new.len++] = NULL;
	c->buckets = new;
	for (size_t i = 0; i < old.len; i++)
		for (struct robots_version *v = old.ptr[i], *next; v; v = next) {
			next = v->chain;
			v->chain = *bucket(c, v->hashes[0]);
			*bucket(c, v->hashes[0]) = v;
		}
	robots_buckets_release(&old);
	return 0;
}

static int store(struct robots_cache *c, struct robots_version *v, slice body, struct err *err)
{
	struct robots robots;
	BUF_SCOPED(packed, PACKED_MAX);
	int rc = robots_parse(&robots, body, c->agent, err);

	if (rc)
		return rc;
	rc = robots_pack(&robots, &packed);
	robots_release(&robots);
	if (rc)
		(void)err_set(err, rc, "robots.txt: %s", err_name(rc));
	else
		rc = spill_write(&v->packed, 0, packed.ptr, packed.len, err);
	return rc;
}

static int make(struct robots_cache *c, const uint64_t hashes[2], slice body,
	struct robots_version **ret, struct err *err)
{
	struct robots_version *v = calloc(1, sizeof *v);
	int rc = v ? grow(c) : ERR_NOMEM;

	if (rc) {
		free(v);
		return err_code(err, rc);
	}
	v->hashes[0] = hashes[0];
	v->hashes[1] = hashes[1];
	spill_init(&v->packed, c->pool);
	rc = store(c, v, body, err);
	if (rc) {
		spill_release(&v->packed);
		free(v);
		return rc;
	}
	v->chain = *bucket(c, hashes[0]);
	*bucket(c, hashes[0]) = v;
	c->count++;
	*ret = v;
	return 0;
}

int robots_cache_add(
	struct robots_cache *c, slice body, struct robots_version **ret, struct err *err)
{
	uint64_t hashes[2] = {hash_bytes(c->keys[0], body), hash_bytes(c->keys[1], body)};
	struct robots_version *v = find(c, hashes);

	if (!v)
		TRY(make(c, hashes, body, &v, err));
	if (v) {
		v->users++;
		*ret = v;
	}
	return 0;
}

void robots_cache_drop(struct robots_cache *c, struct robots_version *v)
{
	struct robots_version **at;

	if (!v || --v->users > 0)
		return;
	unload(c, v);
	for (at = bucket(c, v->hashes[0]); *at != v; at = &(*at)->chain)
		;
	*at = v->chain;
	c->count--;
	spill_release(&v->packed);
	free(v);
}

/* ---- what earlier captures knew ---- */

struct loading {
	struct robots_history *memory;
	struct err *err;
};

static int find_or_add(struct robots_history *m, slice origin, struct earlier_robots **ret)
{
	uint32_t at;

	if (!strmap_get(&m->by_origin, origin, &at)) {
		at = (uint32_t)m->list.len;
		earlier_robots_vec_reserve(&m->list, 1);
		TRY(strmap_put(&m->by_origin, origin, at));
		m->list.ptr[m->list.len++] = (struct earlier_robots){0};
	}
	*ret = &m->list.ptr[at];
	return 0;
}

static int keep_copy(struct robots_history *m, struct earlier_robots *r, slice body)
{
	if (body.len > ROBOTS_HISTORY_MAX - m->bytes)
		return 0;
	r->body = malloc(body.len + 1);
	if (!r->body)
		return ERR_NOMEM;
	if (body.len > 0)
		memcpy(r->body, body.ptr, body.len);
	r->len = body.len;
	m->bytes += body.len;
	return 0;
}

/* Rows come in their order; the last one counts. */
static int on_robots(void *context, const struct catalog_robots *row)
{
	struct loading *l = context;
	struct earlier_robots *r = NULL;

	TRY(err_code(l->err, find_or_add(l->memory, row->origin, &r)));
	if (row->policy == ROBOTS_DISALLOW_ALL) {
		if (!r->unreachable)
			r->unreachable = row->fetched;
	} else {
		r->unreachable = 0;
		r->checked = row->checked;
		l->memory->bytes -= r->len;
		free(r->body);
		r->body = NULL;
		r->len = 0;
		if (row->policy == ROBOTS_PARSE)
			TRY(err_code(l->err, keep_copy(l->memory, r, row->body)));
	}
	return 0;
}

int robots_history_load(
	struct robots_history *m, struct catalog *catalog, uint32_t capture, struct err *err)
{
	struct loading l = {.memory = m, .err = err};

	arena_init(&m->names, ROBOTS_HISTORY_MAX);
	strmap_init(&m->by_origin, hash_key_random(), &m->names);
	return catalog_earlier_robots(catalog, capture, on_robots, &l, err);
}

void robots_history_release(struct robots_history *m)
{
	for (size_t i = 0; i < m->list.len; i++)
		free(m->list.ptr[i].body);
	earlier_robots_vec_release(&m->list);
	strmap_release(&m->by_origin);
	arena_release(&m->names);
	*m = (struct robots_history){0};
}

const struct earlier_robots *robots_history_find(const struct robots_history *m, slice origin)
{
	uint32_t at;

	return m->list.len > 0 && strmap_get(&m->by_origin, origin, &at) ? &m->list.ptr[at] : NULL;
}

/* ---- rules of the hosts of a capture ---- */

/* Constant: versions are only compared with each other, and a site that forges a collision gains
 * nothing but an older version of its own. */
static const struct hash_key VERSION_KEY = {0x726f626f74732e74, 0x7874207665727369};

void rules_init(struct rules *r)
{
	*r = (struct rules){0};
	heap_init(&r->later);
}

static void release_host(struct rules *r, struct host_rules *h)
{
	if (h->robots)
		robots_cache_drop(r->cache, h->robots);
	free(h->why);
	h->robots = NULL;
	h->why = NULL;
}

void rules_release(struct rules *r)
{
	for (size_t i = 0; i < r->list.len; i++)
		release_host(r, &r->list.ptr[i]);
	host_rules_vec_release(&r->list);
	heap_release(&r->later);
}

int rules_reserve(struct rules *r, size_t hosts)
{
	while (r->list.len < hosts)
		host_rules_vec_push(&r->list, (struct host_rules){.policy = ROBOTS_ALLOW_ALL});
	return 0;
}

static uint64_t version_of(const struct rules_text *t)
{
	return t->policy == ROBOTS_PARSE ? hash_bytes(VERSION_KEY, t->body) : 0;
}

static int parse(struct rules *r, slice body, struct robots_version **ret, double *ret_delay,
	struct err *err)
{
	struct robots_version *version = NULL;
	const struct robots *robots;
	int rc = robots_cache_add(r->cache, body, &version, err);

	if (rc || !version)
		return rc;
	rc = robots_cache_get(r->cache, version, &robots, err);
	if (rc) {
		robots_cache_drop(r->cache, version);
		return rc;
	}
	*ret = version;
	*ret_delay = robots->crawl_delay;
	return 0;
}

int rules_set(struct rules *r, uint32_t host, const struct rules_text *text, double checked,
	double *ret_delay, struct err *err)
{
	struct host_rules *h = &r->list.ptr[host];
	struct robots_version *robots = NULL;
	bool has_why = text->why && text->why[0];
	char *why = has_why ? strdup(text->why) : NULL;
	double delay = 0;
	int rc = 0;

	if (has_why && !why)
		return err_code(err, ERR_NOMEM);
	if (text->policy == ROBOTS_PARSE)
		rc = parse(r, text->body, &robots, &delay, err);
	if (rc) {
		free(why);
		return rc;
	}
	release_host(r, h);
	h->robots = robots;
	h->why = why;
	h->policy = (uint8_t)text->policy;
	h->version = version_of(text);
	h->checked = checked;
	*ret_delay = delay;
	return 0;
}

bool rules_are(const struct rules *r, uint32_t host, const struct rules_text *text)
{
	const struct host_rules *h = &r->list.ptr[host];

	return h->policy == (uint8_t)text->policy && h->version == version_of(text);
}

int rules_decide(
	struct rules *r, uint32_t host, slice path, struct robots_decision *ret, struct err *err)
{
	const struct host_rules *h = &r->list.ptr[host];
	struct robots_decision d = {.allowed = h->policy == ROBOTS_ALLOW_ALL};
	const struct robots *robots;
	int rc = 0;

	if (h->policy == ROBOTS_PARSE) {
		rc = robots_cache_get(r->cache, h->robots, &robots, err);
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

/* ---- fetching them later ---- */

int rules_fetch_at(struct rules *r, uint32_t host, double time, bool pages_wait)
{
	struct host_rules *h = &r->list.ptr[host];

	if (heap_contains(&r->later, host) || h->asking)
		return 0;
	TRY(heap_push(&r->later, host, (struct heap_key){time, host}));
	h->pages_wait = pages_wait;
	r->waiting += pages_wait;
	return 0;
}

bool rules_take_due(struct rules *r, double now, uint32_t *ret_host)
{
	struct host_rules *h;
	struct heap_key key;

	if (rules_next_due(r) > now || !heap_pop(&r->later, ret_host, &key))
		return false;
	h = &r->list.ptr[*ret_host];
	r->waiting -= h->pages_wait;
	h->pages_wait = false;
	return true;
}

double rules_next_due(const struct rules *r)
{
	struct heap_key key;
	uint32_t host;

	return heap_peek(&r->later, &host, &key) ? key.key : INFINITY;
}

/* 1 s, 2 s, 4 s, …, a quarter of an hour; and up to a half more by chance. */
double rules_pause(unsigned failures, double chance)
{
	double seconds = fmin(
		ldexp(PACE_BACKOFF_FIRST, (int)failures - 1), ROBOTS_UNREACHABLE_RETRY_SECONDS);

	return seconds * (1 + PACE_JITTER * chance);
}

/* ---- fetching them ---- */

/*
 * Fetches robots.txt (RFC 9309 §2.3.1, §2.4): before the first page of a host, and again after a
 * day. One that cannot be fetched is tried again with a growing pause: a few times before the pages
 * of its host are given up, then for as long as the capture has other work. Meanwhile an older copy
 * counts, if there is one. A changed one counts from then on, also for pages that were visited.
 */

enum {
	TRIES_MAX = 4, /* before the pages that wait for it are given up for now */
	FAILURES_MAX = 30,
	WATCH_PATIENCE = 4, /* times as long as the pauses of a capture */
	/* Of robots.txt: what is read, its byte order mark, and a byte that shows it was cut. */
	ROBOTS_KEPT = ROBOTS_PARSE_MAX + 4,
};

static const struct hash_key URL_KEY = {0x726f626f74732e74, 0x7874207265646972};

/* Makes these the rules of the host. */
static int adopt(struct capture *c, uint32_t host, const struct rules_text *t, double checked,
	struct err *err)
{
	double delay = 0;

	TRY(rules_set(&c->rules, host, t, checked, &delay, err));
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

	TRY(fetch_url(c, url, r, &held, err));
	c->rules.list.ptr[r->robots_host].asking = held;
	return 0;
}

int robots_fetch(struct capture *c, uint32_t host, bool first, struct err *err)
{
	struct host *h = hosts_at(&c->hosts, host);
	BUF_SCOPED(url, URL_MAX);

	if (h->robots == HOST_ROBOTS_UNKNOWN)
		h->robots = HOST_ROBOTS_FETCHING;
	TRY(err_code(err, buf_printf(&url, "%.*s/robots.txt", (int)h->origin.len, h->origin.ptr)));
	return err_code(err, request(c, buf_slice(&url),
				     &(struct request){.kind = REQUEST_ROBOTS,
					     .robots_host = host,
					     .tries = c->rules.list.ptr[host].failures,
					     .first = first},
				     err));
}

static bool are_known(const struct capture *c, uint32_t host)
{
	return c->hosts.list.ptr[host].robots == HOST_ROBOTS_KNOWN;
}

bool robots_fetch_is_stale(const struct capture *c, uint32_t host)
{
	const struct host_rules *rules = &c->rules.list.ptr[host];

	return !rules->asking && !heap_contains(&c->rules.later, host) && are_known(c, host) &&
	       !c->stage.cancelled &&
	       capture_now(c) - rules->checked >= (c->settings->robots_age > 0
								  ? c->settings->robots_age
								  : ROBOTS_FRESH_SECONDS);
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

	/* Of a watch dead servers must take little of the budget, and no barrier waits for them. */
	if (c->scheduler->endless)
		pause = fmin(WATCH_PATIENCE * pause, ROBOTS_UNREACHABLE_RETRY_SECONDS);
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

	while (rules_take_due(&c->rules, now, &host))
		TRY(robots_fetch(c, host, true, err));
	return 0;
}

double robots_fetch_wait(const struct capture *c)
{
	return fmax(rules_next_due(&c->rules) - lane_now(c->lane), 0);
}

/* ---- answers ---- */

static void store_answer(struct capture *c, uint32_t host, const struct rules_text *o)
{
	const char *why = c->rules.list.ptr[host].why;
	struct catalog_robots row = {.origin = hosts_at(&c->hosts, host)->origin,
		.policy = (uint8_t)o->policy,
		.fetched = clock_realtime(c->clock),
		.why = why ? slice_str(why) : SLICE(""),
		.body = o->policy == ROBOTS_PARSE ? o->body : SLICE("")};

	capture_store(c, &(struct catalog_row){CATALOG_ROW_ADD_ROBOTS, .robots = &row});
}

/* Confirms the rules of the host, or replaces them. */
static int settle(struct capture *c, uint32_t host, const struct rules_text *o, struct err *err)
{
	bool was_known = are_known(c, host);

	c->rules.list.ptr[host].no_name = false;
	if (was_known && rules_are(&c->rules, host, o)) {
		struct catalog_robots row = {.origin = hosts_at(&c->hosts, host)->origin,
			.checked = clock_realtime(c->clock)};

		c->rules.list.ptr[host].checked = capture_now(c);
		capture_store(c, &(struct catalog_row){CATALOG_ROW_CONFIRM_ROBOTS, .robots = &row});
		return 0;
	}
	TRY(adopt(c, host, o, capture_now(c), err));
	store_answer(c, host, o);
	TRY(sitemaps_request(c, host, err));
	return was_known ? discover_review(c, host, err) : discover_pending(c, host, err);
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

	if (rules->failures < FAILURES_MAX)
		rules->failures++;
	if (!are_known(c, host) && rules->failures < TRIES_MAX && is_passing(c, host, f) &&
		!c->settings->ignore_robots)
		return ask_after_failure(c, host, true, err);
	/* A host that is not there forbids nothing. Under watch its pages must not be asked for. */
	if (!are_known(c, host) && f->no_name && !c->scheduler->endless) {
		TRY(settle(c, host, &(struct rules_text){.policy = ROBOTS_ALLOW_ALL, .why = why},
			err));
		c->rules.list.ptr[host].no_name = true;
	} else if (!are_known(c, host)) {
		TRY(settle_unreachable(c, host, why, err));
	}
	/* With --ignore-robots it is not needed, and each failed try delays other requests. */
	if (c->settings->ignore_robots)
		return 0;
	return ask_after_failure(c, host, false, err);
}

int robots_fetch_dropped(
	struct capture *c, const struct request *r, enum drop_reason reason, struct err *err)
{
	uint32_t host = r->robots_host;

	c->rules.list.ptr[host].asking = false;
	if (reason != DROP_SERVER_DOWN)
		return 0;
	if (!are_known(c, host))
		TRY(settle_unreachable(c, host, "its server has stopped answering", err));
	return ask_after_failure(c, host, false, err);
}

/*
 * Whether the text of a robots.txt could be decoded. If its content coding is cut, rules may be
 * missing; only the text up to the limit is needed. One that is still compressed, by its signature,
 * has no label of its coding or another one.
 */
static bool is_readable(slice text, const struct state_result *result)
{
	if (result->payload_size == 0)
		return result->whole;
	if (slice_starts_with(text, SLICE("\x1f\x8b\x08")) ||
		slice_starts_with(text, SLICE("\x28\xb5\x2f\xfd")))
		return false;
	return result->readable || (result->coding_end == CODING_UNSEEN && text.len >= ROBOTS_KEPT);
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

int robots_fetch_answered(struct capture *c, const struct answer *a, struct err *err)
{
	const struct request *r = a->request;
	const struct net_fetch *f = a->fetch;
	slice body = buf_slice(&a->reading->body);
	bool is_found = f->status >= 200 && f->status < 300 && !f->truncated;
	bool is_unreadable = is_found && !is_readable(body, a->result);
	struct robots_answer answer = {.status = f->truncated || is_unreadable ? 0 : (int)f->status,
		.redirects = r->redirects};
	uint32_t host = r->robots_host;
	struct rules_text o = {.body = slice_sub(body, 0, ROBOTS_KEPT)};
	char why[RULES_WHY_SIZE];
	URL_SCOPED(target);

	c->rules.list.ptr[host].asking = false;
	answer.location = f->status >= 300 && f->status < 400 && fetch_location(a, &target);
	answer.loop = answer.location && is_loop(r, url_page(&target));
	o.policy = robots_policy(&answer);
	size_t size = sizeof why;

	if (answer.loop)
		(void)snprintf(why, size, "its redirects go round in a circle");
	else if (is_unreadable)
		(void)snprintf(why, size, "its content coding cannot be undone");
	else if (f->status && !f->truncated)
		(void)snprintf(why, size, "HTTP %u", f->status);
	else
		(void)snprintf(why, size, "%s: %s", net_failure_name(f->failure), f->detail);
	o.why = o.policy == ROBOTS_PARSE ? "" : why;
	if (o.policy != ROBOTS_FOLLOW && o.policy != ROBOTS_DISALLOW_ALL)
		c->rules.list.ptr[host].failures = 0;
	if (o.policy == ROBOTS_FOLLOW) {
		struct request next = *r;

		next.chain[next.redirects++] = hash_url(slice_str(r->url));
		next.url = NULL;
		next.first = true;
		TRY(request(c, (url_page(&target)), &next, err));
	} else if (o.policy == ROBOTS_DISALLOW_ALL)
		TRY(unreachable(c, host, f, why, err));
	else
		TRY(settle(c, host, &o, err));
	return 0;
}
