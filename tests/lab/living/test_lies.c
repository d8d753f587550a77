/* Each lie with requests and instants that we make up; no server. */
#include "living/lies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "living/served.h"
#include "tap.h"

enum { PAGES = 200, PAGE = 7 };

#define START_NS (INT64_C(1800000000) * CLOCK_NS_PER_SECOND)

static const struct living_rates RATES = {
	.kind = LIVING_CONSTANT,
	.a = 1,
};

struct fixture {
	struct living_model model;
	struct lies lies;
	struct httpd_request request;
	struct httpd_response response;
};

static void setup(struct fixture *f, const struct living_deceit *deceit)
{
	struct living_params p = {
		.seed = 4, .pages = PAGES, .outdegree = 9, .rates = RATES, .deceit = *deceit};
	struct err err = {0};

	*f = (struct fixture){.request = {.path = SLICE("/s1/"), .target = SLICE("/s1/")}};
	buf_init(&f->response.headers, HTTPD_HEADERS_MAX);
	buf_init(&f->response.body, HTTPD_BODY_MAX);
	CHECK_INT(living_model_init(&f->model, &p, "h", &err), 0);
	CHECK_INT(lies_init(&f->lies, &f->model, START_NS), 0);
}

static void teardown(struct fixture *f)
{
	lies_release(&f->lies);
	living_model_release(&f->model);
	buf_release(&f->response.headers);
	buf_release(&f->response.body);
}

/* One request, so many seconds after the start. */
static struct telling ask(struct fixture *f, uint32_t resource, double seconds, uint64_t noise)
{
	struct telling t = {
		.request = &f->request,
		.response = &f->response,
		.resource = resource,
		.now_ns = START_NS + (int64_t)(seconds * (double)CLOCK_NS_PER_SECOND),
		.noise = noise,
	};

	f->response.status = 0;
	buf_reset(&f->response.headers);
	buf_reset(&f->response.body);
	if (!lies_refuse(&f->lies, &t))
		lies_bend(&f->lies, &t);
	return t;
}

/* Fields are kept as name, NUL, value, NUL. */
static const char *header(const struct fixture *f, const char *name)
{
	const char *at = f->response.headers.ptr, *end;

	if (!at)
		return "";
	end = at + f->response.headers.len;
	while (at < end) {
		const char *value = at + strlen(at) + 1;

		if (strcmp(at, name) == 0)
			return value;
		at = value + strlen(value) + 1;
	}
	return "";
}

static void test_honest(void)
{
	struct fixture f;
	struct telling t;

	setup(&f, &(struct living_deceit){0});
	t = ask(&f, PAGE, 5, 1);
	CHECK_INT(t.acted, 0);
	CHECK_INT(t.shown_ns, t.now_ns);
	CHECK_INT(f.response.headers.len, 0);
	CHECK(!t.content && !t.variant[0] && !t.shell);
	teardown(&f);
}

static void test_block(void)
{
	static const struct {
		const char *label;
		struct living_deceit deceit;
		const char *blocked; /* of each request in turn */
		unsigned status;
	} ROWS[] = {
		{"for ever", {.block_after = 3}, "...bbbbbb", 403},
		{"for two", {.block_after = 3, .block_for = 2, .block_kind = LIVING_BLOCK_TOO_MANY},
			"...bb...bb", 429},
		{"challenge", {.block_after = 1, .block_kind = LIVING_BLOCK_CHALLENGE}, ".b", 503},
		{"soft", {.block_after = 1, .block_kind = LIVING_BLOCK_SOFT}, ".b", 200},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct fixture f;

		tap_case("block: %s", ROWS[i].label);
		setup(&f, &ROWS[i].deceit);
		for (const char *b = ROWS[i].blocked; *b; b++) {
			struct telling t = ask(&f, PAGE, 1, 1);

			CHECK_INT(t.acted, *b == 'b' ? 1U << LIVING_LIE_BLOCK : 0);
			CHECK_STR(t.content ? t.content : "", *b == 'b' ? "blocked" : "");
			CHECK_INT(f.response.status, *b == 'b' ? ROWS[i].status : 0);
		}
		teardown(&f);
	}
}

static void test_session(void)
{
	struct fixture f;

	setup(&f, &(struct living_deceit){.session = 2});
	for (int i = 0; i < 4; i++) {
		struct telling t = ask(&f, PAGE, 1, 1);

		CHECK_STR(t.content ? t.content : "", i < 2 ? "" : "login");
	}
	CHECK_INT(f.response.status, 302);
	CHECK_STR(header(&f, "Location"), "/login?next=/s1/");
	teardown(&f);
}

/* The first replica shows the present, the others a past that never lies before the start. */
static void test_replicas(void)
{
	static const double SHOWN[] = {100, 97, 94, 100, 97, 94};
	struct fixture f;

	setup(&f, &(struct living_deceit){.replicas = 3, .replica_lag = 3});
	for (size_t i = 0; i < ARRAY_LEN(SHOWN); i++) {
		struct telling t = ask(&f, PAGE, 100, 1);
		struct change_source source = living_source(&f.model, PAGE);

		CHECK_NEAR(clock_seconds(t.shown_ns - START_NS), SHOWN[i], 1e-9);
		CHECK_INT(t.acted, i % 3 ? 1U << LIVING_LIE_REPLICA : 0);
		CHECK_INT(lies_past(&f.lies, PAGE, t.shown_ns).version,
			change_at(&source, t.shown_ns - START_NS).version);
	}
	(void)ask(&f, PAGE, 1, 1);
	CHECK_INT(ask(&f, PAGE, 1, 1).shown_ns, START_NS);
	f.model.params.deceit.replicas_by = LIVING_BY_CONNECTION;
	f.request.connection_number = 5;
	CHECK_STR((ask(&f, PAGE, 100, 1), header(&f, "X-Served-By")), "web3");
	CHECK_STR((ask(&f, PAGE, 100, 1), header(&f, "X-Served-By")), "web3");
	f.model.params.deceit.replicas_by = LIVING_BY_ADDRESS;
	CHECK_STR((ask(&f, PAGE, 100, 1), header(&f, "X-Served-By")), "web1");
	teardown(&f);
}

/* A hit shows the state, and the noise, of the response that filled the cache. */
static void test_cache(void)
{
	static const struct {
		double seconds;
		const char *x_cache, *age;
		double shown;
		uint64_t noise;
	} ROWS[] = {
		{10, "MISS", "0", 10, 1},
		{12.5, "HIT", "2", 10, 1},
		{14.9, "HIT", "4", 10, 1},
		{15, "MISS", "0", 15, 4},
		{16, "HIT", "1", 15, 4},
	};
	struct fixture f;

	setup(&f, &(struct living_deceit){.cache = 5});
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct telling t;

		tap_case("cache: after %g s", ROWS[i].seconds);
		t = ask(&f, PAGE, ROWS[i].seconds, i + 1);
		CHECK_STR(header(&f, "X-Cache"), ROWS[i].x_cache);
		CHECK_STR(header(&f, "Age"), ROWS[i].age);
		CHECK(*header(&f, "Via"));
		CHECK_NEAR(clock_seconds(t.shown_ns - START_NS), ROWS[i].shown, 1e-9);
		CHECK_INT(t.noise, ROWS[i].noise);
		CHECK_INT(t.acted, *ROWS[i].x_cache == 'H' ? 1U << LIVING_LIE_CACHE : 0);
	}
	tap_case("cache: each resource for itself");
	CHECK_STR((ask(&f, PAGE + 1, 16, 9), header(&f, "X-Cache")), "MISS");
	teardown(&f);
}

/* Without a cookie half of the responses show the other variant, on a share of the pages. */
static void test_variants(void)
{
	struct fixture f;
	int with = 0;

	setup(&f, &(struct living_deceit){.variants = {0.5, LIVING_VARIANT_COOKIE}});
	for (uint32_t i = 0; i < PAGES; i++) {
		struct telling a = ask(&f, i, 1, 2), b = ask(&f, i, 1, 3);
		bool varies = *header(&f, "Set-Cookie");

		CHECK_STR(a.variant, "");
		CHECK_STR(b.variant, varies ? "b" : "");
		with += varies;
	}
	CHECK(with > PAGES * 3 / 10 && with < PAGES * 7 / 10);
	teardown(&f);
}

static void test_shells(void)
{
	struct fixture f;
	unsigned seen[4] = {0};
	uint32_t page = 0;

	setup(&f, &(struct living_deceit){.shells = {0.6, LIVING_SHELLS}});
	for (uint32_t i = 0; i < PAGES; i++)
		seen[ask(&f, i, 1, 1).shell]++;
	CHECK(seen[0] > 0 && seen[LIVING_SHELL_FETCH] > 0 && seen[LIVING_SHELL_INLINE] > 0);
	CHECK_INT(ask(&f, 0, 1, 1).shell, 0); /* the start page has its links */
	CHECK(lies_find_data(&f.model, SLICE("h"), SLICE("/data/17.json"), &page));
	CHECK_INT(page, 17);
	CHECK(!lies_find_data(&f.model, SLICE("h"), SLICE("/data/200.json"), &page));
	CHECK(!lies_find_data(&f.model, SLICE("h"), SLICE("/data/.json"), &page));
	teardown(&f);
}

static void test_served_log(void)
{
	static const char WANT[] =
		"1800000000001\t3\th\t/a\t200\t2+b\t4\t1800000000000\treplica,variant\tcsrf,ad\n"
		"1800000000001\t4\th\t/b\t404\tgone\tgone\t1800000000001\t-\t-\n"
		"1800000000001\t5\th\t/c\t403\tblocked\t-\t1800000000001\tblock\t-\n";
	struct served s;
	struct err err = {0};
	char name[4096], text[1024] = "";
	FILE *file;

	(void)snprintf(name, sizeof name, "%s/served", tap_tempdir());
	CHECK_INT(served_open(&s, name, &err), 0);
	CHECK_INT(served_write(
			  &s, &(struct served_line){.at_ns = START_NS + 1999999,
				      .number = 3,
				      .host = "h",
				      .path = SLICE("/a"),
				      .status = 200,
				      .shown = 2,
				      .variant = "b",
				      .version = 4,
				      .shown_ns = START_NS,
				      .lies = 1U << LIVING_LIE_REPLICA | 1U << LIVING_LIE_VARIANT,
				      .noise = LIVING_NOISE_CSRF | LIVING_NOISE_AD}),
		0);
	CHECK_INT(served_write(&s, &(struct served_line){.at_ns = START_NS + 1000000,
					   .number = 4,
					   .host = "h",
					   .path = SLICE("/b"),
					   .status = 404,
					   .variant = "",
					   .shown_ns = START_NS + 1000000}),
		0);
	CHECK_INT(served_write(&s, &(struct served_line){.at_ns = START_NS + 1000000,
					   .number = 5,
					   .host = "h",
					   .path = SLICE("/c"),
					   .status = 403,
					   .content = "blocked",
					   .variant = "",
					   .no_resource = true,
					   .shown_ns = START_NS + 1000000,
					   .lies = 1U << LIVING_LIE_BLOCK}),
		0);
	CHECK_INT(served_close(&s, &err), 0);
	file = fopen(name, "re");
	if (CHECK(file != NULL)) {
		(void)fread(text, 1, sizeof text - 1, file);
		(void)fclose(file);
	}
	CHECK_STR(text, WANT);
	CHECK_INT(served_open(&s, "/nowhere/served", &err), ERR_IO);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_honest);
	test_block();
	TAP_RUN(test_session);
	TAP_RUN(test_replicas);
	test_cache();
	TAP_RUN(test_variants);
	TAP_RUN(test_shells);
	TAP_RUN(test_served_log);
	return tap_done();
}
