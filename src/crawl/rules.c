#include "crawl/rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "frontier/pace.h"

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
	int rc = 0;

	while (rc == 0 && r->list.len < hosts)
		rc = host_rules_vec_push(&r->list, (struct host_rules){.policy = ROBOTS_ALLOW_ALL});
	return rc;
}

static uint64_t version_of(const struct rules_text *t)
{
	return t->policy == ROBOTS_PARSE ? hash_bytes(VERSION_KEY, t->body) : 0;
}

static int parse(struct rules *r, slice body, struct robots_version **ret, double *ret_delay,
	struct err *err)
{
	struct robots_version *version;
	const struct robots *robots;
	int rc = robots_cache_add(r->cache, body, &version, err);

	if (rc)
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
	int rc;

	if (heap_contains(&r->later, host) || h->asking)
		return 0;
	rc = heap_push(&r->later, host, (struct heap_key){time, host});
	if (rc)
		return rc;
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
