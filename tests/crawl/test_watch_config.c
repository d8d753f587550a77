#include "crawl/watch_config.h"

#include <math.h>
#include <string.h>

#include "plan/rank_order.h"
#include "tap.h"

static const char WHOLE[] = "archive: towns.stillpoint\n"
			    "budget: {requests: 20000/day, bytes: 5G/day}\n"
			    "policy: fresh\n"
			    "weights: {\"*\": 2}\n"
			    "retention: all:30d, 7d:1y, 30d\n"
			    "sites:\n"
			    "  - url: https://example.org/\n"
			    "  - url: https://EXAMPLE.net/news/\n"
			    "    scope: prefix\n"
			    "    policy: sharp\n"
			    "    grid: 1d\n"
			    "    delay: 2\n"
			    "    budget: 100/hour\n"
			    "    windows: 22-06\n"
			    "    weights: {\"*/archive/*\": 0.1, \"*/today*\": 5}\n";

static void test_whole(void)
{
	struct watch_config c;
	struct err err = {0};

	CHECK_INT(watch_config_parse(&c, "w.yaml", slice_str(WHOLE), &err), 0);
	CHECK_STR(err.text, "");
	CHECK_STR(c.archive, "towns.stillpoint");
	CHECK_NEAR(c.requests, 20000 / 86400.0, 1e-12);
	CHECK_NEAR(c.written, 20000, 0);
	CHECK_NEAR(c.bytes, 5 * 1073741824.0 / 86400, 1e-6);
	CHECK(c.has_retention);
	CHECK_INT((int)c.retention.count, 3);
	CHECK_INT((int)c.site_count, 2);
	CHECK_STR(c.sites[0].terms.policy->name, "fresh");
	CHECK(c.sites[0].settings.watch && c.sites[0].terms.automatic_delay);
	CHECK(isinf(c.sites[0].terms.budget));
	CHECK_INT((int)c.sites[0].settings.scope, SCOPE_HOST);
	CHECK_STR(c.sites[1].settings.seeds.ptr[0], "https://example.net/news/");
	CHECK_INT((int)c.sites[1].settings.scope, SCOPE_PREFIX);
	CHECK_STR(c.sites[1].terms.policy->name, "sharp");
	CHECK_NEAR(c.sites[1].terms.aim.grid, 86400, 0);
	CHECK_NEAR(c.sites[1].terms.delay, 2, 0);
	CHECK_NEAR(c.sites[1].terms.budget, 100 / 3600.0, 1e-12);
	CHECK_NEAR(watch_open_share(&c.sites[1].terms.windows), 8 / 24.0, 1e-12);
	CHECK_INT((int)c.sites[1].terms.weights->patterns.len, 2);
	CHECK_SLICE(c.sites[1].terms.weights->patterns.ptr[0].pattern, SLICE("*/archive/*"));
	CHECK_NEAR(c.sites[1].terms.common->patterns.ptr[0].weight, 2, 0);
	watch_config_release(&c);
}

#define HEAD "archive: a\nbudget: {requests: 1/day}\n"

static void test_errors(void)
{
	static const struct {
		const char *label, *text, *want;
	} rows[] = {
		{"no requests", "archive: a\nbudget: {bytes: 1/day}\nsites: [{url: http://a/}]\n",
			"w.yaml:2:9: "},
		{"a value that is not allowed", HEAD "scope: hots\nsites: [{url: http://a/}]\n",
			"w.yaml:3:8: unknown scope 'hots', did you mean 'host'? It is one of page, "
			"prefix, host, domain"},
		{"a wide key in a site", HEAD "sites:\n  - url: http://a/\n    login: f\n",
			"w.yaml:5:5: 'login' is for all sites together"},
		{"seeds that can be read once", HEAD "seeds: '-'\n", "w.yaml:1:1: seeds: "},
		{"an option of the command line", HEAD "print-config: true\n",
			"w.yaml:3:1: 'print-config' is for the command line only"},
		{"no sites", HEAD, "w.yaml:1:1: "},
		{"an empty list", HEAD "sites: []\n", "w.yaml:3:8: "},
		{"bad rules", HEAD "retention: 7d:1y,all:30d\nsites: [{url: http://a/}]\n",
			"w.yaml:3:12: retention is wrong: bad retention"},
		{"no url", HEAD "sites:\n  - policy: age\n", "w.yaml:4:5: "},
		{"a site that is text", HEAD "sites:\n  - http://a/\n", "w.yaml:4:5: "},
		{"a bad URL", HEAD "sites:\n  - url: ftp://a/\n", "w.yaml:4:10: "},
		{"a site twice", HEAD "sites:\n  - url: http://a/\n  - url: http://A\n",
			"w.yaml:5:10: "},
		{"an unknown policy", HEAD "policy: best\nsites: [{url: http://a/}]\n",
			"w.yaml:3:9: "},
		{"an unknown policy that no site takes",
			HEAD "policy: best\nsites: [{url: http://a/, policy: age}]\n",
			"w.yaml:3:9: "},
		{"a bad delay that no site takes",
			HEAD "delay: soon\nsites: [{url: http://a/, delay: 1}]\n", "w.yaml:3:8: "},
		{"a bad pattern", HEAD "include: (\nsites: [{url: http://a/}]\n", "w.yaml:3:10: "},
		{"a bad pattern of a site",
			HEAD "sites:\n  - url: http://a/\n    exclude: [a, '(']\n",
			"w.yaml:5:18: "},
		{"no url in a list", HEAD "sites:\n  - url: []\n", "w.yaml:4:10: "},
		{"a site twice in one list", HEAD "sites:\n  - url: [http://a/, http://A]\n",
			"w.yaml:4:10: "},
		{"an unknown key", HEAD "sitez: 1\nsites: [{url: http://a/}]\n", "w.yaml:3:1: "},
		{"a grid that is too fine", HEAD "sites:\n  - url: http://a/\n    grid: 9s\n",
			"w.yaml:5:11: "},
		{"a bad budget",
			"archive: a\nbudget: {requests: many}\nsites: [{url: http://a/}]\n",
			"w.yaml:2:20: "},
		{"a bad delay", HEAD "sites:\n  - url: http://a/\n    delay: soon\n",
			"w.yaml:5:12: "},
		{"bad windows", HEAD "sites:\n  - url: http://a/\n    windows: night\n",
			"w.yaml:5:14: "},
		{"a bad weight", HEAD "sites:\n  - url: http://a/\n    weights: {\"*\": -1}\n",
			"w.yaml:5:20: "},
		{"a list of weights", HEAD "weights: [1]\nsites: [{url: http://a/}]\n",
			"w.yaml:3:10: weights are "},
		{"unknown weights", HEAD "weights: degree\nsites: [{url: http://a/}]\n",
			"w.yaml:3:10: weights are "},
		{"no file of weights",
			HEAD "sites:\n  - url: http://a/\n    weights: {file: /nowhere}\n",
			"w.yaml:5:21: /nowhere: No such file"},
		{"weights of no end",
			HEAD "weights: {file: /dev/zero}\nsites: [{url: http://a/}]\n",
			"w.yaml:3:17: /dev/zero: "},
		{"a bad place for pings", HEAD "ping: example.org:80\nsites: [{url: http://a/}]\n",
			"w.yaml:3:7: ping: "},
		{"bytes of a site",
			HEAD
			"sites:\n  - url: http://a/\n    budget: {requests: 1/day, bytes: 1/day}\n",
			"w.yaml:5:13: "},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct watch_config c;
		struct err err = {0};

		tap_case("errors: %s", rows[i].label);
		CHECK_INT(
			watch_config_parse(&c, "w.yaml", slice_str(rows[i].text), &err), ERR_USAGE);
		if (strncmp(err.text, rows[i].want, strlen(rows[i].want)) != 0)
			CHECK_STR(err.text, rows[i].want);
		watch_config_release(&c);
	}
}

static void test_seeds(void)
{
	struct watch_config c;
	struct err err = {0};

	CHECK_INT(
		watch_config_parse(&c, "w.yaml",
			SLICE(HEAD
				"sites:\n  - url: [http://a/x, http://a/y]\n  - url: http://b/\n"),
			&err),
		0);
	CHECK_STR(err.text, "");
	CHECK_INT((int)c.site_count, 2);
	CHECK_INT((int)c.sites[0].settings.seeds.len, 2);
	CHECK_STR(c.sites[0].settings.seeds.ptr[1], "http://a/y");
	watch_config_release(&c);
}

static void test_is_like(void)
{
	static const struct {
		const char *label, *text;
		bool want;
	} rows[] = {
		{"the same", HEAD "sites:\n  - url: http://a/\n", true},
		{"another policy and delay",
			HEAD "policy: age\ndelay: 3\nsites:\n  - url: http://a/\n", true},
		{"another budget",
			"archive: a\nbudget: {requests: 7/day}\nsites: [{url: http://a/}]", true},
		{"another site", HEAD "sites:\n  - url: http://b/\n", false},
		{"another scope", HEAD "sites:\n  - url: http://a/\n    scope: page\n", false},
		{"one more", HEAD "sites:\n  - url: http://a/\n  - url: http://b/\n", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct watch_config a, b;
		struct err err = {0};

		tap_case("is_like: %s", rows[i].label);
		CHECK_INT(watch_config_parse(&a, "a", slice_str(rows[0].text), &err), 0);
		CHECK_INT(watch_config_parse(&b, "b", slice_str(rows[i].text), &err), 0);
		CHECK(watch_config_is_like(&a, &b) == rows[i].want);
		watch_config_release(&a);
		watch_config_release(&b);
	}
}

static void test_patterns(void)
{
	static const struct {
		const char *pattern, *text;
		bool want;
	} rows[] = {
		{"*", "", true},
		{"*/archive/*", "http://a/archive/1", true},
		{"*/archive/*", "http://a/archive", false},
		{"*/today*", "http://a/x/today?b", true},
		{"http://a/?", "http://a/b", true},
		{"http://a/?", "http://a/", false},
		{"*a*b*c", "aXbYbZc", true},
		{"*a*b*c", "aXbYbZcd", false},
		{"", "", true},
		{"", "a", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("patterns: '%s' and '%s'", rows[i].pattern, rows[i].text);
		CHECK(look_pattern_matches(slice_str(rows[i].pattern), slice_str(rows[i].text)) ==
			rows[i].want);
	}
}

static void test_weights(void)
{
	static const struct {
		const char *url;
		double want; /* negative: nothing is said */
	} rows[] = {
		{"http://a/1", 2.5},
		{"http://a/x/archive/1", 0.5},
		{"http://a/archive/special", 9},
		{"http://a/?q=1", 7},
		{"http://a/2", -1},
	};
	static const char *const bad[] = {"http://a/", "http://a/ x", "x 1", "* -1", "* 1e9"};
	struct look_weights w;
	struct arena arena;
	struct err err = {0};

	arena_init(&arena, 1 << 20);
	look_weights_init(&w, &arena);
	CHECK_INT(look_weights_parse(&w, "f",
			  SLICE("# known\n\nHTTP://A/1   2.5\r\n*/archive/* .5\n"
				"http://a/archive/special\t9\nhttp://a/1 3\nhttp://a/?q=1 7"),
			  &arena, &err),
		0);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		double weight = -1;

		tap_case("weights: %s", rows[i].url);
		CHECK(look_weights_find(&w, slice_str(rows[i].url), &weight) ==
			(rows[i].want >= 0));
		CHECK_NEAR(weight, rows[i].want, 0);
	}
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		tap_case("weights: a bad line: %s", bad[i]);
		CHECK_INT(look_weights_parse(&w, "f", slice_str(bad[i]), &arena, &err), ERR_SYNTAX);
		CHECK(strncmp(err.text, "f:1: ", 5) == 0);
	}
	look_weights_release(&w);
	arena_release(&arena);
}

static void test_pagerank(void)
{
	struct watch_config c;
	struct err err = {0};

	tap_case("weights: pagerank for all, or for one site");
	CHECK_INT(
		watch_config_parse(&c, "w.yaml",
			SLICE(HEAD
				"weights: pagerank\nsites: [{url: http://a/, weights: {x: 1}}]\n"),
			&err),
		0);
	CHECK(c.sites[0].settings.order == RANK_PAGERANK);
	watch_config_release(&c);
	CHECK_INT(
		watch_config_parse(&c, "w.yaml",
			SLICE(HEAD
				"sites: [{url: http://a/, weights: pagerank}, {url: http://b/}]\n"),
			&err),
		0);
	CHECK(c.sites[0].settings.order == RANK_PAGERANK);
	CHECK(c.sites[1].settings.order == RANK_NONE);
	watch_config_release(&c);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_whole);
	test_errors();
	test_seeds();
	test_is_like();
	test_patterns();
	test_weights();
	test_pagerank();
	return tap_done();
}
