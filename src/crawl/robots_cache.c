#include "crawl/robots_cache.h"

#include <assert.h>
#include <stdlib.h>

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
	char *bytes = malloc(len);
	int rc = bytes ? 0 : ERR_NOMEM;

	if (rc == 0)
		rc = spill_read(&v->packed, 0, bytes, len, err);
	if (rc == 0)
		rc = robots_unpack(ret, (slice){bytes, len});
	free(bytes);
	return rc && !err->code ? err_set(err, rc, "robots.txt: %s", err_name(rc)) : rc;
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
	int rc = 0;

	if (!v->robots) {
		rc = load(c, v, err);
	} else if (c->first != v) {
		unlink_version(c, v);
		link_first(c, v);
	}
	if (rc == 0)
		*ret = v->robots;
	return rc;
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
	int rc;

	if (c->count < c->buckets.len)
		return 0;
	rc = robots_buckets_reserve(&new, len);
	if (rc)
		return rc;
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
	struct buf packed;
	int rc = robots_parse(&robots, body, c->agent, err);

	if (rc)
		return rc;
	buf_init(&packed, PACKED_MAX);
	rc = robots_pack(&robots, &packed);
	robots_release(&robots);
	if (rc)
		(void)err_set(err, rc, "robots.txt: %s", err_name(rc));
	else
		rc = spill_write(&v->packed, 0, packed.ptr, packed.len, err);
	buf_release(&packed);
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
	int rc = 0;

	if (!v)
		rc = make(c, hashes, body, &v, err);
	if (rc == 0 && v) {
		v->users++;
		*ret = v;
	}
	return rc;
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
