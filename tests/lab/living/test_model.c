#include "living/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tap.h"

static const struct living_rates CONSTANT = {
	.kind = LIVING_CONSTANT,
	.a = 0.5,
};

static struct living_model make(const struct living_params *params)
{
	struct living_model m = {0};
	struct err err = {0};

	if (!CHECK_INT(living_model_init(&m, params, "127.0.0.1", &err), 0))
		tap_note("%s", err.text);
	return m;
}

static double mean(const double *rates, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += rates[i];
	return sum / (double)n;
}

/* Rates in proportion to 1/i^s, as in the papers, in an order that the seed decides. */
static void test_zipf(void)
{
	struct living_rates zipf = {.kind = LIVING_ZIPF, .a = 1.2, .mean = 0.02, .scaled = true};
	struct living_params p = {.seed = 1,
		.pages = 500,
		.outdegree = 10,
		.rates = zipf,
		.rate_order = LIVING_RATES_HOT_FIRST};
	struct living_model sorted = make(&p), shuffled;

	CHECK_NEAR(mean(sorted.rates, 500), 0.02, 1e-12);
	for (int i = 1; i < 500; i++)
		CHECK_NEAR(sorted.rates[i] * pow(i + 1, 1.2), sorted.rates[0], 1e-12);
	p.rate_order = LIVING_RATES_HOT_LAST;
	shuffled = make(&p);
	CHECK_NEAR(shuffled.rates[499], sorted.rates[0], 1e-12);
	living_model_release(&shuffled);
	p.rate_order = LIVING_RATES_SHUFFLED;
	shuffled = make(&p);
	CHECK_NEAR(mean(shuffled.rates, 500), 0.02, 1e-12);
	CHECK(fabs(shuffled.rates[0] - sorted.rates[0]) > 1e-9);
	living_model_release(&shuffled);
	living_model_release(&sorted);
}

/* The logarithms have mean MU and deviation SIGMA: five standard errors. */
static void test_lognormal(void)
{
	enum { N = 20000 };
	struct living_rates lognormal = {
		.kind = LIVING_LOGNORMAL,
		.a = -4,
		.b = 1.5,
	};
	struct living_params p = {.seed = 4, .pages = N, .outdegree = 10, .rates = lognormal};
	struct living_model m = make(&p);
	double sum = 0, squares = 0;

	for (size_t i = 0; i < N; i++) {
		double x = log(m.rates[i]);

		sum += x;
		squares += (x + 4) * (x + 4);
	}
	CHECK_NEAR(sum / N, -4, 5 * 1.5 / sqrt(N));
	CHECK_NEAR(squares / N, 2.25, 5 * 2.25 * sqrt(2.0 / N));
	living_model_release(&m);
	p.rates.mean = 0.125;
	p.rates.scaled = true;
	m = make(&p);
	CHECK_NEAR(mean(m.rates, N), 0.125, 1e-12);
	living_model_release(&m);
}

static void test_rates_from_a_file(void)
{
	static const struct {
		const char *label, *text;
		int rc;
	} ROWS[] = {
		{"pages", "page,rate\n/s1/,0.25\n/,1\n", 0},
		{"urls", "rate,url\n0.25,http://127.0.0.1:80/s1/\n1,http://127.0.0.1\n", 0},
		{"unknown page", "page,rate\n/x,1\n", ERR_NOTFOUND},
		{"no number", "page,rate\n/,much\n", ERR_SYNTAX},
		{"negative", "page,rate\n/,-1\n", ERR_SYNTAX},
		{"no such column", "page,speed\n/,1\n", ERR_SYNTAX},
		{"too fast", "page,rate\n/,1001\n", ERR_RANGE},
	};
	char name[4096];

	(void)snprintf(name, sizeof name, "%s/rates.csv", tap_tempdir());
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct living_rates file = {
			.kind = LIVING_RATE_FILE,
			.file = name,
		};
		struct living_params p = {.pages = 100, .outdegree = 10, .rates = file};
		struct living_model m = {0};
		struct err err = {0};
		FILE *f = fopen(name, "we");

		tap_case("rates from a file: %s", ROWS[i].label);
		if (!CHECK(f != NULL))
			continue;
		(void)fputs(ROWS[i].text, f);
		(void)fclose(f);
		CHECK_INT(living_model_init(&m, &p, "h", &err), ROWS[i].rc);
		if (ROWS[i].rc == 0) {
			CHECK_NEAR(m.rates[0], 1, 0);
			CHECK_NEAR(m.rates[1], 0.25, 0);
			CHECK_NEAR(m.rates[2], 0, 0);
		}
		living_model_release(&m);
	}
}

/* Every resource is found under its host and path, and nothing else is. */
static void check_names(const struct living_model *m)
{
	struct buf path;

	buf_init(&path, 1000);
	for (size_t i = 0; i < m->count; i++) {
		const char *host = living_host_of(m, (uint32_t)i);
		uint32_t found = UINT32_MAX;

		buf_reset(&path);
		CHECK_INT(living_path_of(m, (uint32_t)i, &path), 0);
		CHECK(living_find(m, slice_str(host), buf_slice(&path), &found));
		CHECK_INT(found, i);
	}
	buf_release(&path);
}

static void test_names(void)
{
	static const char *const HOSTS[] = {"a.test", "b.test"};
	struct living_params p = {.pages = 30, .outdegree = 3, .requisites = 3};
	static const char *const WRONG[] = {"/a/30-1.css", "/a/0-4.css", "/a/0-0.css", "/a/0-1.gif",
		"/a/00-1.css", "/a/0-1.css/", "/a/-1.css", "/a/18446744073709551616-1.css"};
	struct living_model m = make(&p);
	uint32_t found;

	check_names(&m);
	CHECK(living_find(&m, SLICE("any.name"), SLICE("/"), &found));
	for (size_t i = 0; i < ARRAY_LEN(WRONG); i++)
		CHECK(!living_find(&m, SLICE("127.0.0.1"), slice_str(WRONG[i]), &found));
	living_model_release(&m);
	p.hosts = HOSTS;
	p.host_count = 2;
	m = make(&p);
	check_names(&m);
	CHECK(living_find(&m, SLICE("B.TEST"), SLICE("/"), &found));
	CHECK_INT(found, m.per_host);
	CHECK(!living_find(&m, SLICE("c.test"), SLICE("/"), &found));
	living_model_release(&m);
	p.cdn_host = "localhost";
	m = make(&p);
	check_names(&m);
	CHECK(!living_find(&m, SLICE("a.test"), SLICE("/1/a/0-1.css"), &found));
	CHECK(!living_find(&m, SLICE("localhost"), SLICE("/3/a/0-1.css"), &found));
	living_model_release(&m);
}

static void test_requisites_on_other_hosts(void)
{
	static const char *const HOSTS[] = {"127.0.0.2", "img.test"};
	static const struct {
		size_t requisite;
		enum living_kind kind;
		const char *host, *path;
	} ROWS[] = {
		{1, LIVING_STYLE, "127.0.0.2", "/1/a/4-1.css"},
		{2, LIVING_FONT, "img.test", "/1/a/4-2.woff2"},
		{3, LIVING_FRAME, "127.0.0.2", "/1/a/4-3.html"},
		{4, LIVING_STYLE, "img.test", "/1/a/4-4.css"},
	};
	struct living_params p = {
		.pages = 9,
		.outdegree = 3,
		.requisites = 4,
		.requisite_kinds = {LIVING_STYLE, LIVING_FONT, LIVING_FRAME},
		.requisite_kind_count = 3,
		.requisite_hosts = HOSTS,
		.requisite_host_count = 2,
	};
	struct living_model m = make(&p);

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		uint32_t resource = living_requisite_resource(&m, 0, 4, ROWS[i].requisite);
		uint32_t found = 0;

		CHECK_INT(living_place_of(&m, resource).kind, ROWS[i].kind);
		CHECK_STR(living_host_of(&m, resource), ROWS[i].host);
		CHECK(living_find(&m, slice_str(ROWS[i].host), slice_str(ROWS[i].path), &found));
		CHECK_INT(found, resource);
		CHECK(!living_find(&m, SLICE("127.0.0.1"), slice_str(ROWS[i].path), &found));
		CHECK(!living_find(&m, slice_str(HOSTS[ROWS[i].requisite % 2]),
			slice_str(ROWS[i].path), &found));
	}
	living_model_release(&m);
}

static void test_pair_changes_together(void)
{
	struct living_params p = {
		.seed = 9, .pages = 20, .outdegree = 4, .theme = LIVING_SHOP, .pair_rate = 2};
	struct living_model m = make(&p);
	struct change_source prices = living_source(&m, 18), terms = living_source(&m, 19),
			     other = living_source(&m, 17);
	struct change_cursor a = change_begin(&prices), b = change_begin(&terms);

	CHECK_NEAR(prices.rate, 2, 0);
	for (int i = 0; i < 50; i++) {
		change_step(&prices, &a);
		change_step(&terms, &b);
		CHECK_INT(a.at_ns, b.at_ns);
		CHECK_INT(a.version, b.version);
	}
	CHECK(other.stream != prices.stream);
	living_model_release(&m);
}

/* Each share is drawn as large as asked for: five standard deviations. */
static void test_behaviours(void)
{
	enum { N = 10000 };
	struct living_params p = {.seed = 2,
		.pages = N,
		.outdegree = 10,
		.rates = CONSTANT,
		.errors = {0.2, LIVING_ERRORS},
		.redirects = {0.1, LIVING_REDIRECTS},
		.slow = {0.3, LIVING_SLOWNESS},
		.lying = {0.25, LIVING_LIES},
		.absent = 0.5};
	struct living_model m = make(&p);
	double behaviours[LIVING_BEHAVIOURS] = {0}, validators[LIVING_VALIDATORS] = {0};

	for (size_t i = 0; i < N; i++) {
		behaviours[m.behaviours[i]] += 1.0 / N;
		validators[m.validators[i]] += 1.0 / N;
		if (m.behaviours[i] == LIVING_NOT_FOUND || m.behaviours[i] == LIVING_MOVED)
			CHECK_NEAR(m.rates[i], 0, 0);
		if (m.behaviours[i] == LIVING_MOVING)
			CHECK_NEAR(m.rates[i], 0.5, 0);
	}
	CHECK_INT(m.behaviours[0], LIVING_OK);
	CHECK_NEAR(behaviours[LIVING_OK], 0.4, 0.025);
	CHECK_NEAR(behaviours[LIVING_SLOW], 0.15, 0.02);
	CHECK_NEAR(behaviours[LIVING_TRUNCATED], 0.2 / 6, 0.01);
	CHECK_NEAR(behaviours[LIVING_MOVING], 0.1 / 3, 0.01);
	CHECK_NEAR(validators[LIVING_HONEST], 0.25, 0.022);
	CHECK_NEAR(validators[LIVING_ABSENT], 0.5, 0.025);
	CHECK_NEAR(validators[LIVING_STALE], 0.125, 0.017);
	living_model_release(&m);
}

static void test_redirects_end(void)
{
	struct living_params p = {
		.seed = 2, .pages = 300, .outdegree = 10, .redirects = {1, LIVING_REDIRECTS}};
	struct living_model m = make(&p);
	int moved = 0;

	for (uint32_t i = 1; i < 300; i++) {
		CHECK_INT(m.behaviours[living_redirect_target(&m, i, 1)], LIVING_OK);
		moved += m.behaviours[i] == LIVING_MOVING;
	}
	CHECK(moved > 0);
	living_model_release(&m);
	p.redirects.share = 0.5;
	m = make(&p);
	for (uint32_t i = 1; i < 300; i++)
		if (m.behaviours[i] == LIVING_MOVED)
			CHECK_INT(
				living_redirect_target(&m, i, 1), living_redirect_target(&m, i, 2));
	living_model_release(&m);
}

static void test_refused(void)
{
	struct living_rates fast = {
		.kind = LIVING_CONSTANT,
		.a = 900,
	};
	static const char *const HOSTS[] = {"a", "b"};
	const struct {
		const char *label;
		struct living_params p;
		int rc;
	} ROWS[] = {
		{"no pages", {.pages = 0}, ERR_USAGE},
		{"a shop without products", {.pages = 2, .theme = LIVING_SHOP}, ERR_USAGE},
		{"too many", {.pages = LIVING_PAGES_MAX, .requisites = 1}, ERR_RANGE},
		{"absurdly many", {.pages = SIZE_MAX}, ERR_RANGE},
		{"too many for one sitemap", {.pages = 50001, .sitemap = LIVING_SITEMAP_FLAT},
			ERR_RANGE},
		{"too fast together", {.pages = 2000, .rates = fast}, ERR_RANGE},
		{"shares above 1", {.pages = 1, .errors = {0.6, 2}, .slow = {0.6, 2}}, ERR_USAGE},
		{"validators above 1", {.pages = 1, .lying = {0.6, 2}, .absent = 0.5}, ERR_USAGE},
		{"graph and history", {.graph = "x", .history = "y"}, ERR_USAGE},
		{"history on two hosts", {.history = "y", .hosts = HOSTS, .host_count = 2},
			ERR_USAGE},
		{"history and commits", {.history = "y", .commits = 1}, ERR_USAGE},
		{"history that vanishes", {.history = "y", .vanishing = 1}, ERR_USAGE},
		{"two places for requisites",
			{.pages = 1,
				.cdn_host = "c",
				.requisite_hosts = HOSTS,
				.requisite_host_count = 2},
			ERR_USAGE},
		{"no such graph", {.graph = "/nonexistent"}, ERR_USAGE},
		{"no such history", {.history = "/nonexistent"}, ERR_USAGE},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct living_model m = {0};
		struct err err = {0};

		tap_case("refused: %s", ROWS[i].label);
		CHECK_INT(living_model_init(&m, &ROWS[i].p, "h", &err), ROWS[i].rc);
		CHECK_INT(err.code, ROWS[i].rc);
		CHECK(err.text[0] != 0 && m.count == 0);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_zipf);
	TAP_RUN(test_lognormal);
	test_rates_from_a_file();
	TAP_RUN(test_names);
	TAP_RUN(test_requisites_on_other_hosts);
	TAP_RUN(test_pair_changes_together);
	TAP_RUN(test_behaviours);
	TAP_RUN(test_redirects_end);
	test_refused();
	return tap_done();
}
