#include "crawl/rules.h"

#include <math.h>

#include "tap.h"

struct lab {
	struct spill_pool pool;
	struct robots_cache cache;
	struct rules rules;
};

static void open_lab(struct lab *l, size_t hosts)
{
	spill_pool_init(&l->pool, tap_tempdir());
	robots_cache_init(&l->cache, &l->pool, SLICE("bot"), 1 << 20);
	rules_init(&l->rules);
	l->rules.cache = &l->cache;
	CHECK_INT(rules_reserve(&l->rules, hosts), 0);
	CHECK_INT(l->rules.list.len, hosts);
}

static void close_lab(struct lab *l)
{
	rules_release(&l->rules);
	robots_cache_release(&l->cache);
	spill_pool_release(&l->pool);
}

#define FORBIDS "user-agent: *\ndisallow: /x\ncrawl-delay: 3\n"

static void test_decisions(void)
{
	static const struct {
		const char *label;
		struct rules_text text;
		bool x, y; /* whether /x and /y are allowed */
		double delay;
	} ROWS[] = {
		{"rules", {ROBOTS_PARSE, {FORBIDS, sizeof FORBIDS - 1}, ""}, false, true, 3},
		{"an empty file", {ROBOTS_PARSE, {"", 0}, ""}, true, true, -1},
		{"there is none", {.policy = ROBOTS_ALLOW_ALL, .why = "HTTP 404"}, true, true, 0},
		{"cannot be fetched", {.policy = ROBOTS_DISALLOW_ALL, .why = "HTTP 503"}, false,
			false, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct robots_decision x = {0}, y = {0};
		struct err err = {0};
		double delay = 99;
		struct lab l;

		tap_case("decisions: %s", ROWS[i].label);
		open_lab(&l, 2);
		CHECK_INT(rules_decide(&l.rules, 1, SLICE("/x"), &x, &err), 0);
		CHECK(x.allowed); /* as long as nothing is known */
		CHECK_INT(rules_set(&l.rules, 1, &ROWS[i].text, 7, &delay, &err), 0);
		CHECK(delay == ROWS[i].delay);
		CHECK(l.rules.list.ptr[1].checked == 7);
		CHECK_INT(l.rules.list.ptr[1].why != NULL, ROWS[i].text.policy != ROBOTS_PARSE);
		CHECK_INT(rules_decide(&l.rules, 1, SLICE("/x"), &x, &err), 0);
		CHECK_INT(rules_decide(&l.rules, 1, SLICE("/y"), &y, &err), 0);
		CHECK_INT(x.allowed, ROWS[i].x);
		CHECK_INT(y.allowed, ROWS[i].y);
		for (size_t k = 0; k < ARRAY_LEN(ROWS); k++)
			CHECK_INT(rules_are(&l.rules, 1, &ROWS[k].text), i == k);
		close_lab(&l);
	}
}

/* The last rules count, and what they replace is freed: ASan would tell. */
static void test_replacing(void)
{
	struct rules_text rules = {ROBOTS_PARSE, SLICE(FORBIDS), ""};
	struct rules_text none = {.policy = ROBOTS_ALLOW_ALL, .why = "HTTP 404"};
	struct robots_decision d = {0};
	struct err err = {0};
	double delay;
	struct lab l;

	open_lab(&l, 1);
	CHECK_INT(rules_set(&l.rules, 0, &none, 1, &delay, &err), 0);
	CHECK_INT(rules_set(&l.rules, 0, &rules, 2, &delay, &err), 0);
	CHECK_INT(rules_set(&l.rules, 0, &none, 3, &delay, &err), 0);
	CHECK_INT(rules_decide(&l.rules, 0, SLICE("/x"), &d, &err), 0);
	CHECK(d.allowed);
	CHECK_INT(l.cache.count, 0);
	close_lab(&l);
}

static void test_later(void)
{
	uint32_t host = 99;
	struct lab l;

	open_lab(&l, 3);
	CHECK(isinf(rules_next_due(&l.rules)));
	CHECK(!rules_take_due(&l.rules, 1e9, &host));
	CHECK_INT(rules_fetch_at(&l.rules, 2, 20, true), 0);
	CHECK_INT(rules_fetch_at(&l.rules, 1, 10, false), 0);
	CHECK_INT(rules_fetch_at(&l.rules, 2, 5, true), 0); /* it has a time already */
	l.rules.list.ptr[0].asking = true;
	CHECK_INT(rules_fetch_at(&l.rules, 0, 1, true), 0); /* it is being fetched */
	CHECK_INT(l.rules.waiting, 1);
	CHECK(rules_next_due(&l.rules) == 10);
	CHECK(!rules_take_due(&l.rules, 9, &host));
	CHECK(rules_take_due(&l.rules, 10, &host));
	CHECK_INT(host, 1);
	CHECK_INT(l.rules.waiting, 1);
	CHECK(!rules_take_due(&l.rules, 10, &host));
	CHECK(rules_take_due(&l.rules, 30, &host));
	CHECK_INT(host, 2);
	CHECK_INT(l.rules.waiting, 0);
	close_lab(&l);
}

/* docs/robots.md: from a second to a quarter of an hour, and up to a half more. */
static void test_pause(void)
{
	CHECK(rules_pause(1, 0) == 1);
	CHECK(rules_pause(2, 0) == 2);
	CHECK(rules_pause(4, 0) == 8);
	CHECK(rules_pause(4, 1) == 12);
	CHECK(rules_pause(30, 0) == 900);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_decisions();
	TAP_RUN(test_replacing);
	TAP_RUN(test_later);
	TAP_RUN(test_pause);
	return tap_done();
}
