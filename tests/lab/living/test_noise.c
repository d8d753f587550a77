/* What pages look like: the content follows from the version, the noise from the response. */
#include "living/noise.h"

#include <string.h>

#include "living/detail.h"
#include "living/page.h"
#include "tap.h"

enum { PAGES = 30, VERSIONS = 60, RESPONSES = 12 };

static const struct u32_vec NO_LINKS = {0};

static struct living_model make(const struct living_params *params)
{
	struct living_model m = {0};
	struct err err = {0};

	if (!CHECK_INT(living_model_init(&m, params, "127.0.0.1", &err), 0))
		tap_note("%s", err.text);
	return m;
}

static void write_page(const struct living_model *m, uint32_t resource, uint32_t version,
	uint64_t noise, struct buf *body)
{
	struct page_view v = {
		.model = m,
		.resource = resource,
		.version = version,
		.port = 80,
		.links = &NO_LINKS,
		.now_ns = (int64_t)noise * 1000000,
		.noise = noise,
	};

	buf_reset(body);
	CHECK_INT(page_write(&v, body), 0);
}

/* Whether some response differs from the first, and whether the same one comes out the same. */
static void check_noise(const struct living_model *m, const char *name)
{
	struct buf first, other;
	bool differs = false;

	buf_init(&first, 1 << 20);
	buf_init(&other, 1 << 20);
	write_page(m, 1, 1, 1, &first);
	write_page(m, 1, 1, 1, &other);
	CHECK(slice_eq(buf_slice(&first), buf_slice(&other)));
	for (uint64_t r = 2; r < RESPONSES; r++) {
		write_page(m, 1, 1, r, &other);
		differs |= !slice_eq(buf_slice(&first), buf_slice(&other));
	}
	CHECK(differs);
	CHECK_STR(name, noise_name((unsigned)__builtin_ctz(noise_of(m, 1))));
	buf_release(&first);
	buf_release(&other);
}

static void test_each_noise(void)
{
	for (unsigned i = 0; i < NOISE_KINDS; i++) {
		struct living_params p = {.seed = 2, .pages = 3, .outdegree = 2, .noise = 1U << i};
		struct living_model m;

		tap_case("noise %s", noise_name(i));
		m = make(&p);
		check_noise(&m, noise_name(i));
		living_model_release(&m);
	}
}

/* Each kind of change: every version has its own bytes, and a version always the same. */
static void check_detail(const struct living_model *m)
{
	struct buf before, after, again;
	bool distinct = true, same = true;

	buf_init(&before, 1 << 20);
	buf_init(&after, 1 << 20);
	buf_init(&again, 1 << 20);
	for (uint32_t version = 1; version < VERSIONS; version++) {
		write_page(m, 1, version, version, &before);
		write_page(m, 1, version, version + 1, &again);
		same &= slice_eq(buf_slice(&before), buf_slice(&again));
		for (uint32_t other = version + 1; other <= VERSIONS; other++) {
			write_page(m, 1, other, 0, &after);
			distinct &= !slice_eq(buf_slice(&before), buf_slice(&after));
		}
	}
	CHECK(distinct);
	CHECK(same);
	buf_release(&before);
	buf_release(&after);
	buf_release(&again);
}

static void test_each_detail(void)
{
	for (unsigned i = 0; i < LIVING_DETAILS; i++) {
		struct living_params p = {
			.seed = 2, .pages = 3, .outdegree = 2, .details = 1U << i};
		struct living_model m;

		tap_case("changes of %s", detail_name(i));
		m = make(&p);
		CHECK_INT(detail_of(&m, 1), i);
		check_detail(&m);
		living_model_release(&m);
	}
}

/* A detail leaves the rest of the page alone. */
static void test_detail_is_small(void)
{
	struct living_params p = {
		.seed = 2, .pages = 3, .outdegree = 2, .details = 1U << LIVING_DETAIL_COUNTER};
	struct living_model m = make(&p);
	struct buf a, b;
	size_t differ = 0;

	buf_init(&a, 1 << 20);
	buf_init(&b, 1 << 20);
	write_page(&m, 1, 1, 0, &a);
	write_page(&m, 1, 2, 0, &b);
	if (CHECK_INT(a.len, b.len))
		for (size_t i = 0; i < a.len; i++)
			differ += a.ptr[i] != b.ptr[i];
	CHECK(differ >= 1 && differ <= 3);
	CHECK(!strstr(buf_str(&a), "id=\"version\""));
	buf_release(&a);
	buf_release(&b);
	living_model_release(&m);
}

/* Some kinds for each page, all of them somewhere, and the same with the same seed. */
static void test_noise_per_page(void)
{
	struct living_params p = {.seed = 5,
		.pages = 10 * PAGES,
		.outdegree = 5,
		.noise = (1U << NOISE_KINDS) - 1,
		.noise_per_page = 2,
		.requisites = 1};
	struct living_model a = make(&p), b = make(&p);
	unsigned all = 0;

	for (uint32_t i = 0; i < 10 * PAGES; i++) {
		CHECK_INT(__builtin_popcount(noise_of(&a, i)), 2);
		CHECK_INT(noise_of(&a, i), noise_of(&b, i));
		all |= noise_of(&a, i);
	}
	CHECK_INT(all, (1U << NOISE_KINDS) - 1);
	CHECK_INT(noise_of(&a, 10 * PAGES), 0); /* a style sheet */
	living_model_release(&a);
	living_model_release(&b);
}

/* Bits that the rest of the program knows. */
static void test_names(void)
{
	static const struct {
		unsigned bit;
		const char *name;
	} ROWS[] = {{0, "nonce"}, {1, "csrf"}, {2, "clock"}, {3, "ad"}, {9, "buster"}, {10, "hash"},
		{17, "build"}, {22, "x-ad"}};
	unsigned set = 0;

	for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
		CHECK_STR(noise_name(ROWS[i].bit), ROWS[i].name);
		set |= 1U << ROWS[i].bit;
	}
	CHECK_INT(set, LIVING_NOISE_NONCE | LIVING_NOISE_CSRF | LIVING_NOISE_CLOCK |
			       LIVING_NOISE_AD | LIVING_NOISE_ASSETS);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_each_noise();
	test_each_detail();
	TAP_RUN(test_detail_is_small);
	TAP_RUN(test_noise_per_page);
	TAP_RUN(test_names);
	return tap_done();
}
