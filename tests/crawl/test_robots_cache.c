#include "crawl/rules.h"

#include <stdio.h>

#include "tap.h"

enum { HOSTS = 60, LINES = 3000, BUDGET = 1 << 20 };

/* A robots.txt that no other number has: it forbids only "/forbidden-NUMBER". */
static void make_text(struct buf *out, int number)
{
	buf_reset(out);
	CHECK_INT(buf_add_str(out, "user-agent: bot\n"), 0);
	for (int i = 0; i < LINES; i++)
		CHECK_INT(buf_printf(out, "disallow: /x/%d/%d\n", number, i), 0);
	CHECK_INT(buf_printf(out, "disallow: /forbidden-%d\n", number), 0);
}

static bool is_allowed(struct robots_cache *c, struct robots_version *v, int number)
{
	const struct robots *robots = NULL;
	struct robots_decision d = {.allowed = true};
	struct err err = {0};
	char path[40];

	(void)snprintf(path, sizeof path, "/forbidden-%d", number);
	if (CHECK_INT(robots_cache_get(c, v, &robots, &err), 0))
		CHECK_INT(robots_decide(robots, slice_str(path), &d), 0);
	return d.allowed;
}

/* Far more than the budget: memory stays within it, and no rule is forgotten. */
static void test_budget(void)
{
	struct robots_version *versions[HOSTS] = {0};
	struct spill_pool pool;
	struct robots_cache c;
	struct err err = {0};
	struct buf text;
	size_t most = 0;

	buf_init(&text, ROBOTS_PARSE_MAX);
	spill_pool_init(&pool, tap_tempdir());
	robots_cache_init(&c, &pool, SLICE("bot"), BUDGET);
	for (int i = 0; i < HOSTS; i++) {
		make_text(&text, i);
		CHECK_INT(robots_cache_add(&c, buf_slice(&text), &versions[i], &err), 0);
	}
	CHECK_INT((int64_t)c.count, HOSTS);
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < HOSTS; i++) {
			CHECK(!is_allowed(&c, versions[i], i));
			CHECK(is_allowed(&c, versions[i], i + 1));
			most = c.bytes > most ? c.bytes : most;
		}
	CHECK(most <= BUDGET);
	CHECK(most > BUDGET / 2);
	for (int i = 0; i < HOSTS; i++)
		robots_cache_drop(&c, versions[i]);
	CHECK_INT((int64_t)c.count, 0);
	CHECK_INT((int64_t)c.bytes, 0);
	robots_cache_release(&c);
	spill_pool_release(&pool);
	buf_release(&text);
}

/* Hosts with the same file share one, until the last of them has dropped it. */
static void test_shared(void)
{
	struct robots_version *a = NULL, *b = NULL, *other = NULL;
	struct spill_pool pool;
	struct robots_cache c;
	struct err err = {0};
	struct buf text;

	buf_init(&text, ROBOTS_PARSE_MAX);
	spill_pool_init(&pool, tap_tempdir());
	robots_cache_init(&c, &pool, SLICE("bot"), 0);
	make_text(&text, 1);
	CHECK_INT(robots_cache_add(&c, buf_slice(&text), &a, &err), 0);
	CHECK_INT(robots_cache_add(&c, buf_slice(&text), &b, &err), 0);
	CHECK(a == b);
	make_text(&text, 2);
	CHECK_INT(robots_cache_add(&c, buf_slice(&text), &other, &err), 0);
	CHECK(a != other);
	CHECK_INT((int64_t)c.count, 2);
	robots_cache_drop(&c, a);
	CHECK(!is_allowed(&c, b, 1));
	CHECK(!is_allowed(&c, other, 2));
	CHECK(is_allowed(&c, b, 2));
	robots_cache_drop(&c, b);
	robots_cache_drop(&c, other);
	robots_cache_drop(&c, NULL);
	robots_cache_release(&c);
	spill_pool_release(&pool);
	buf_release(&text);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_budget);
	TAP_RUN(test_shared);
	return tap_done();
}
