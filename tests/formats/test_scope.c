#include "formats/scope.h"

#include <stdio.h>
#include <stdlib.h>

#include "formats/url_pattern.h"
#include "tap.h"

static const struct scope_link LINK = {0};

static void add_seed(struct scope *s, const char *url, enum scope_kind kind)
{
	struct url u;

	url_init(&u);
	CHECK_INT(url_parse(&u, slice_str(url), NULL, NULL), 0);
	CHECK_INT(scope_add_seed(s, &u, kind, NULL), 0);
	url_release(&u);
}

static struct scope_decision ask(const struct scope *s, const char *url, struct scope_link link)
{
	struct scope_decision d = {0};
	struct url u;

	url_init(&u);
	if (CHECK_INT(url_parse(&u, slice_str(url), NULL, NULL), 0))
		d = scope_decide(s, &u, link);
	url_release(&u);
	return d;
}

/* What people are told: "in: host example.org". */
static void check_says(
	const struct scope *s, const char *url, struct scope_link link, const char *want)
{
	struct scope_decision d = ask(s, url, link);
	struct buf out;

	buf_init(&out, 1024);
	CHECK_INT(scope_explain(&out, &d), 0);
	CHECK_STR(buf_str(&out), want);
	buf_release(&out);
}

static void test_seeds(void)
{
	static const struct {
		const char *label;
		const char *seed;
		enum scope_kind kind;
		const char *url;
		const char *want;
	} rows[] = {
		{"page", "http://x.org/a#f", SCOPE_PAGE, "http://x.org/a#g", "in: page"},
		{"other page", "http://x.org/a", SCOPE_PAGE, "http://x.org/b", "out: outside"},
		{"page, other scheme", "http://x.org/a", SCOPE_PAGE, "https://x.org/a",
			"out: outside"},
		{"page, other query", "http://x.org/a", SCOPE_PAGE, "http://x.org/a?",
			"out: outside"},
		{"prefix", "http://x.org/a/b?c", SCOPE_PREFIX, "http://x.org/a/d/e",
			"in: prefix x.org/a/"},
		{"prefix itself", "http://x.org/a/", SCOPE_PREFIX, "http://x.org/a/",
			"in: prefix x.org/a/"},
		{"prefix, https", "http://x.org/a/", SCOPE_PREFIX, "https://x.org/a/b",
			"in: prefix x.org/a/"},
		{"prefix is no page", "http://x.org/a", SCOPE_PREFIX, "http://x.org/ab",
			"in: prefix x.org/"},
		{"outside of prefix", "http://x.org/a/b", SCOPE_PREFIX, "http://x.org/ab",
			"out: outside"},
		{"prefix, other case", "http://x.org/a/", SCOPE_PREFIX, "http://x.org/A/",
			"out: outside"},
		{"prefix, other port", "http://x.org/a/", SCOPE_PREFIX, "http://x.org:81/a/",
			"out: outside"},
		{"prefix, up and away", "http://x.org/a/", SCOPE_PREFIX, "http://x.org/a/../b",
			"out: outside"},
		{"host", "http://x.org/a", SCOPE_HOST, "https://x.org/b", "in: host x.org"},
		{"host with port", "http://x.org:81/", SCOPE_HOST, "http://x.org:81/b",
			"in: host x.org:81"},
		{"host, other port", "http://x.org:81/", SCOPE_HOST, "http://x.org/",
			"out: outside"},
		{"host below", "http://x.org/", SCOPE_HOST, "http://www.x.org/", "out: outside"},
		{"host with credentials", "http://x.org/", SCOPE_HOST, "http://x.org@y.org/",
			"out: outside"},
		{"domain", "http://www.x.co.uk/", SCOPE_DOMAIN, "http://a.b.x.co.uk:81/",
			"in: domain x.co.uk"},
		{"domain itself", "http://www.x.co.uk/", SCOPE_DOMAIN, "https://x.co.uk/",
			"in: domain x.co.uk"},
		{"other domain", "http://www.x.co.uk/", SCOPE_DOMAIN, "http://y.co.uk/",
			"out: outside"},
		{"domain that ends alike", "http://x.org/", SCOPE_DOMAIN, "http://ax.org/",
			"out: outside"},
		{"domain of an address", "http://192.0.2.1/", SCOPE_DOMAIN, "http://192.0.2.1/a",
			"in: host 192.0.2.1"},
		{"domain of one label", "http://localhost/", SCOPE_DOMAIN, "http://localhost/a",
			"in: host localhost"},
		{"domain of a suffix", "http://github.io/", SCOPE_DOMAIN, "http://a.github.io/",
			"out: outside"},
		{"no http", "http://x.org/", SCOPE_HOST, "ftp://x.org/", "out: scheme"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct scope s;

		tap_case("seeds: %s", rows[i].label);
		scope_init(&s, SCOPE_REQUISITE_HOPS_DEFAULT);
		add_seed(&s, rows[i].seed, rows[i].kind);
		check_says(&s, rows[i].url, LINK, rows[i].want);
		scope_release(&s);
	}
}

static void test_surt(void)
{
	static const struct {
		const char *label;
		const char *prefix;
		const char *url;
		const char *want;
	} rows[] = {
		{"host", "org,x)/", "http://www.x.org/a", "in: surt org,x)/"},
		{"path", "org,x)/a", "http://x.org/A/b", "in: surt org,x)/a"},
		{"outside", "org,x)/a", "http://x.org/b", "out: outside"},
		{"Heritrix", "http://(org,x,)/a", "https://x.org/a", "in: surt org,x)/a"},
		{"Heritrix, domain", "http://(org,x,", "http://x.org/a", "in: surt org,x,"},
		{"domain", "org,x,", "http://x.org/a", "in: surt org,x,"},
		{"domain with port", "org,x,", "http://x.org:81/a", "in: surt org,x,"},
		{"below a domain", "org,x,", "http://b.a.x.org/a", "in: surt org,x,"},
		{"not below", "org,x,", "http://xy.org/a", "out: outside"},
		{"begins alike", "org,x", "http://xy.org/a", "in: surt org,x"},
		{"bracket", "(org,x)/", "http://x.org/", "in: surt org,x)/"},
		{"bracket in a path", "org,x)/a/(b", "http://x.org/a/(b)", "in: surt org,x)/a/(b"},
		{"capitals", "ORG,X)/A", "http://x.org/a", "in: surt org,x)/a"},
		{"address", "192.0.2.", "http://192.0.2.1/", "in: surt 192.0.2."},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct scope s;

		tap_case("surt: %s", rows[i].label);
		scope_init(&s, SCOPE_REQUISITE_HOPS_DEFAULT);
		CHECK_INT(scope_add_surt(&s, slice_str(rows[i].prefix), NULL), 0);
		check_says(&s, rows[i].url, LINK, rows[i].want);
		scope_release(&s);
	}
}

/* Excludes before everything, includes behind the areas. */
static void test_expressions(void)
{
	struct scope s;

	scope_init(&s, SCOPE_REQUISITE_HOPS_DEFAULT);
	add_seed(&s, "http://x.org/", SCOPE_HOST);
	CHECK_INT(scope_add_include(&s, SLICE("^https?://y\\.org/docs/"), NULL), 0);
	CHECK_INT(scope_add_include(&s, SLICE("(?i)\\.PDF$"), NULL), 0);
	CHECK_INT(scope_add_exclude(&s, SLICE("[?&]print=1"), NULL), 0);
	CHECK_INT(scope_add_exclude(&s, SLICE("/calendar/"), NULL), 0);
	check_says(&s, "http://x.org/a", LINK, "in: host x.org");
	check_says(&s, "http://x.org/calendar/1", LINK, "out: exclude /calendar/");
	check_says(&s, "http://y.org/docs/?a&print=1", LINK, "out: exclude [?&]print=1");
	check_says(&s, "http://y.org/docs/a", LINK, "in: include ^https?://y\\.org/docs/");
	check_says(&s, "http://z.org/a.pdf", LINK, "in: include (?i)\\.PDF$");
	check_says(&s, "http://z.org/a#.pdf", LINK, "out: outside");
	check_says(&s, "http://z.org/a", LINK, "out: outside");
	scope_release(&s);
}

static void test_requisites(void)
{
	static const struct scope_link embedded = {.requisite = true};
	struct scope_decision d;
	struct scope s;

	scope_init(&s, 2);
	add_seed(&s, "http://x.org/", SCOPE_HOST);
	CHECK_INT(scope_add_exclude(&s, SLICE("tracker"), NULL), 0);
	d = ask(&s, "http://cdn.org/a.css", embedded);
	CHECK(d.in && d.rule == SCOPE_RULE_REQUISITE);
	CHECK_INT(d.hops_out, 1);
	d = ask(&s, "http://fonts.org/a",
		(struct scope_link){.requisite = true, .hops_out = d.hops_out});
	CHECK(d.in);
	CHECK_INT(d.hops_out, 2);
	d = ask(&s, "http://third.org/a",
		(struct scope_link){.requisite = true, .hops_out = d.hops_out});
	CHECK(!d.in && d.rule == SCOPE_RULE_OUTSIDE);
	CHECK_INT(d.hops_out, 3);
	/* A link out of a requisite is no requisite; back inside the count begins anew. */
	CHECK(!ask(&s, "http://cdn.org/", (struct scope_link){.hops_out = 1}).in);
	d = ask(&s, "http://x.org/a.png", (struct scope_link){.requisite = true, .hops_out = 2});
	CHECK(d.in && d.hops_out == 0);
	CHECK(!ask(&s, "http://tracker.org/", embedded).in);
	CHECK(!ask(&s, "data:,x", embedded).in);
	scope_release(&s);
	scope_init(&s, 0);
	CHECK(!ask(&s, "http://cdn.org/a.css", embedded).in);
	scope_release(&s);
	scope_init(&s, SCOPE_REQUISITE_HOPS_DEFAULT);
	CHECK(ask(&s, "http://cdn.org/a.css", embedded).in);
	d = ask(&s, "http://cdn.org/a.css", (struct scope_link){.requisite = true, .hops_out = 4});
	CHECK(d.in && d.hops_out == 5);
	CHECK(!ask(
		&s, "http://cdn.org/a.css", (struct scope_link){.requisite = true, .hops_out = 5})
			.in);
	scope_release(&s);
}

/* What a requisite redirects to stands in its place: it is as far outside as the requisite. */
static void test_redirected_requisites(void)
{
	static const struct {
		const char *label;
		unsigned max;
		struct scope_link link;
		bool in;
		unsigned hops;
	} rows[] = {
		{"of one inside", 2, {true, 0, true}, true, 1},
		{"of one outside", 2, {true, 1, true}, true, 1},
		{"of the last that may be outside", 2, {true, 2, true}, true, 2},
		{"of a page", 2, {false, 0, true}, false, 0},
		{"without requisites", 0, {true, 0, true}, false, 1},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct scope_decision d;
		struct scope s;

		tap_case("redirected requisites: %s", rows[i].label);
		scope_init(&s, rows[i].max);
		add_seed(&s, "http://x.org/", SCOPE_HOST);
		d = ask(&s, "http://third.org/a", rows[i].link);
		CHECK_INT(d.in, rows[i].in);
		CHECK_INT(d.hops_out, rows[i].hops);
		d = ask(&s, "http://x.org/a", rows[i].link);
		CHECK(d.in && d.hops_out == 0);
		scope_release(&s);
	}
}

static void test_refused(void)
{
	struct scope s;
	struct url u;
	struct err err = {0};

	scope_init(&s, SCOPE_REQUISITE_HOPS_DEFAULT);
	url_init(&u);
	CHECK_INT(scope_add_include(&s, SLICE("a(b"), &err), ERR_SYNTAX);
	CHECK_STR(err.text, "regular expression: missing closing parenthesis at character 4");
	CHECK_INT(scope_add_surt(&s, SLICE("http://("), &err), ERR_SYNTAX);
	CHECK_STR(err.text, "empty SURT prefix");
	CHECK_INT(url_parse(&u, SLICE("mailto:x"), NULL, NULL), 0);
	CHECK_INT(scope_add_seed(&s, &u, SCOPE_HOST, &err), ERR_SYNTAX);
	CHECK_STR(err.text, "neither http nor https: mailto:x");
	check_says(&s, "http://x.org/", LINK, "out: outside");
	url_release(&u);
	scope_release(&s);
}

static void test_limits(void)
{
	static char long_text[URL_MAX + 1];
	char area[16];
	struct scope s;
	int rc = 0;

	scope_init(&s, SCOPE_REQUISITE_HOPS_DEFAULT);
	for (int i = 0; i < SCOPE_PATTERNS_MAX && rc == 0; i++)
		rc = scope_add_exclude(&s, SLICE("a"), NULL);
	CHECK_INT(rc, 0);
	CHECK_INT(scope_add_exclude(&s, SLICE("a"), NULL), ERR_LIMIT);
	for (int i = 0; i < SCOPE_AREAS_MAX && rc == 0; i++) {
		(void)snprintf(area, sizeof area, "org,x%d", i);
		rc = scope_add_surt(&s, slice_str(area), NULL);
	}
	CHECK_INT(rc, 0);
	CHECK_INT(scope_add_surt(&s, SLICE("org,x"), NULL), ERR_LIMIT);
	CHECK_INT(scope_add_surt(&s, SLICE("org,x7"), NULL), 0); /* it is there already */
	scope_release(&s);

	memset(long_text, 'a', sizeof long_text);
	scope_init(&s, SCOPE_REQUISITE_HOPS_DEFAULT);
	CHECK_INT(scope_add_surt(&s, (slice){long_text, URL_MAX}, NULL), 0);
	CHECK_INT(scope_add_surt(&s, (slice){long_text, URL_MAX + 1}, NULL), ERR_LIMIT);
	CHECK_INT(scope_add_include(&s, (slice){long_text, PATTERN_MAX}, NULL), 0);
	CHECK_INT(scope_add_include(&s, (slice){long_text, PATTERN_MAX + 1}, NULL), ERR_LIMIT);
	scope_release(&s);
}

/*
 * An expression that tries 2ⁿ ways gives up at PATTERN_MATCH_LIMIT steps: with few letters it says
 * no, with more it does not know. (With the JIT, steps are all that is limited: it needs no heap.)
 */
static void test_pattern_limit(void)
{
	struct pattern *p = NULL;
	bool gave_up = false;

	CHECK_INT(pattern_compile(SLICE("^(a|a)*$"), &p, NULL), 0);
	for (size_t n = 1; n <= 64; n++) {
		char text[64];
		enum pattern_result result;

		memset(text, 'a', n);
		text[n - 1] = '!';
		result = pattern_match(p, (slice){text, n});
		CHECK(result == PATTERN_NO || result == PATTERN_GAVE_UP);
		CHECK(!gave_up || result == PATTERN_GAVE_UP);
		if (n == 8)
			CHECK_INT(result, PATTERN_NO);
		gave_up = result == PATTERN_GAVE_UP;
	}
	CHECK(gave_up);
	pattern_free(p);
}

/* Exponential backtracking ends at the limit; what may have been excluded stays out. */
static void test_match_limit(void)
{
	static const char url[] = "http://x.org/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!";
	struct scope s;

	scope_init(&s, SCOPE_REQUISITE_HOPS_DEFAULT);
	add_seed(&s, "http://x.org/", SCOPE_HOST);
	CHECK_INT(scope_add_include(&s, SLICE("(a|aa)+$"), NULL), 0);
	check_says(&s, url, LINK, "in: host x.org");
	CHECK_INT(scope_add_exclude(&s, SLICE("(a|aa)+$"), NULL), 0);
	check_says(&s, url, LINK, "out: exclude, gave up (a|aa)+$");
	scope_release(&s);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_seeds();
	test_surt();
	TAP_RUN(test_expressions);
	TAP_RUN(test_requisites);
	test_redirected_requisites();
	TAP_RUN(test_refused);
	TAP_RUN(test_limits);
	TAP_RUN(test_pattern_limit);
	TAP_RUN(test_match_limit);
	return tap_done();
}
