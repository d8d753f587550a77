/*
 * What is drawn anew for each response is told from content that changes fast: by series of values
 * as pages would show them that change at any rate up to 50 times a second, whatever they show.
 */
#include "proof/learned_values.h"

#include <math.h>
#include <stdio.h>

#include "base/rng.h"
#include "tap.h"

enum { PAGES = 8, LOOKS = 3, TEXT = 32, TRIALS = 400 };

struct series {
	struct learned_value list[PAGES * LOOKS];
	char text[PAGES * LOOKS][TEXT];
	size_t len;
};

/* What a page shows in its nth version. */
typedef void version(struct rng *rng, uint64_t page, uint64_t n, char out[TEXT]);

/* A value that depends on page and version alone, as if it were drawn. */
static uint64_t drawn(uint64_t page, uint64_t n)
{
	struct rng rng;

	rng_init(&rng, page * 1000003 + n * 7919 + 17);
	(void)rng_u64(&rng);
	return rng_u64(&rng);
}

static void show_number(struct rng *rng, uint64_t page, uint64_t n, char out[TEXT])
{
	(void)rng;
	(void)snprintf(out, TEXT, "%u", (unsigned)(drawn(page, n) % 100000));
}

static void show_hex(struct rng *rng, uint64_t page, uint64_t n, char out[TEXT])
{
	(void)rng;
	(void)snprintf(out, TEXT, "k%07x", (unsigned)(drawn(page, n) & 0xfffffff));
}

static void show_pair(struct rng *rng, uint64_t page, uint64_t n, char out[TEXT])
{
	(void)rng;
	(void)snprintf(out, TEXT, "%u:%08x", (unsigned)(drawn(page, n) % 90000),
		(unsigned)drawn(page, n + 1000000));
}

static void show_token(struct rng *rng, uint64_t page, uint64_t n, char out[TEXT])
{
	(void)rng;
	(void)snprintf(out, TEXT, "aB+%08xQ/%08xZ=", (unsigned)drawn(page, n),
		(unsigned)(drawn(page, n) >> 32));
}

/* --- content that is new in every response, too --- */

static void count_requests(struct rng *rng, uint64_t page, uint64_t n, char out[TEXT])
{
	(void)rng;
	(void)snprintf(out, TEXT, "%u", (unsigned)(14822 + page * 977 + n));
}

static void count_in_jumps(struct rng *rng, uint64_t page, uint64_t n, char out[TEXT])
{
	(void)snprintf(out, TEXT, "%u", (unsigned)(1000 + 4000 * n + page + rng_u64(rng) % 3000));
}

static void show_price(struct rng *rng, uint64_t page, uint64_t n, char out[TEXT])
{
	(void)n;
	(void)snprintf(out, TEXT, "%u", (unsigned)(20000 + page * 100 + rng_u64(rng) % 800));
}

static void show_users(struct rng *rng, uint64_t page, uint64_t n, char out[TEXT])
{
	(void)page;
	(void)n;
	(void)snprintf(out, TEXT, "%u", (unsigned)(rng_u64(rng) % 900));
}

static void show_row(struct rng *rng, uint64_t page, uint64_t n, char out[TEXT])
{
	(void)rng;
	(void)snprintf(out, TEXT, "row-%04u", (unsigned)(117 + 24 * page + n));
}

static void show_words(struct rng *rng, uint64_t page, uint64_t n, char out[TEXT])
{
	static const char *const WORDS[] = {"tea", "coffee", "milk", "bread", "honey", "salt"};

	(void)page;
	(void)n;
	(void)snprintf(out, TEXT, "%s-%s", WORDS[rng_u64(rng) % 6], WORDS[rng_u64(rng) % 6]);
}

static void show_clock(struct rng *rng, uint64_t page, uint64_t n, char out[TEXT])
{
	(void)rng;
	(void)snprintf(out, TEXT, "%llu", 1700000000123ULL + page * 1000 + n * 7);
}

static void show_stock(struct rng *rng, uint64_t page, uint64_t n, char out[TEXT])
{
	(void)page;
	(void)n;
	(void)snprintf(out, TEXT, "%s", rng_u64(rng) % 2 ? "in-stock-1" : "sold-out-0");
}

/*
 * Downloads of each page, so many seconds apart, of content that changes at that rate (0: with each
 * response).
 */
static void look(struct series *s, struct rng *rng, version *show, double rate, double apart)
{
	s->len = 0;
	for (uint32_t page = 0; page < PAGES; page++) {
		uint64_t n = rng_u64(rng) % 1000;

		for (unsigned i = 0; i < LOOKS; i++) {
			char *text = s->text[s->len];

			if (i && (rate == 0 || rng_double(rng) < -expm1(-rate * apart)))
				n++;
			show(rng, page, n, text);
			s->list[s->len++] = (struct learned_value){
				.text = slice_str(text), .page = page, .apart = i ? apart : 0};
		}
	}
}

static size_t count_learned(version *show, double rate, double apart)
{
	struct rng rng;
	struct series s;
	size_t count = 0;

	rng_init(&rng, 4711);
	for (size_t i = 0; i < TRIALS; i++) {
		look(&s, &rng, show, rate, apart);
		count += learned_values_are_drawn(s.list, s.len);
	}
	return count;
}

static void test_draws(void)
{
	static const struct {
		const char *label;
		version *show;
	} ROWS[] = {{"numbers", show_number}, {"hex", show_hex}, {"pairs", show_pair},
		{"tokens", show_token}};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		tap_case("drawn with each response: %s", ROWS[i].label);
		CHECK(count_learned(ROWS[i].show, 0, 0.004) >= TRIALS * 9 / 10);
		tap_case("drawn with each response, but a second apart: %s", ROWS[i].label);
		CHECK_INT(count_learned(ROWS[i].show, 0, 1), 0);
		tap_case("drawn once and for all: %s", ROWS[i].label);
		CHECK_INT(count_learned(ROWS[i].show, 1e-9, 0.004), 0);
	}
}

static void test_fast(void)
{
	static const double RATES[] = {0.1, 0.3, 1, 3, 7, 15, 30, 50};
	static const double APART[] = {0.001, 0.004, 0.010, 0.018, 0.05, 0.2, 1, 10};
	static version *const SHOW[] = {show_number, show_hex, show_pair, show_token};

	for (size_t r = 0; r < ARRAY_LEN(RATES); r++) {
		tap_case("content that changes %g times a second", RATES[r]);
		for (size_t a = 0; a < ARRAY_LEN(APART); a++)
			for (size_t i = 0; i < ARRAY_LEN(SHOW); i++)
				CHECK_INT(count_learned(SHOW[i], RATES[r], APART[a]), 0);
	}
}

static void test_content(void)
{
	static const struct {
		const char *label;
		version *show;
	} ROWS[] = {{"a counter of requests", count_requests},
		{"a counter that jumps", count_in_jumps}, {"prices", show_price},
		{"numbers of users", show_users}, {"numbered rows", show_row},
		{"words", show_words}, {"clocks", show_clock}, {"availability", show_stock}};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		tap_case("never learned, though new each time: %s", ROWS[i].label);
		CHECK_INT(count_learned(ROWS[i].show, 0, 0.001), 0);
	}
}

/* Values that come again, and too few of them. */
static void test_support(void)
{
	struct rng rng;
	struct series s;

	rng_init(&rng, 1);
	look(&s, &rng, show_hex, 0, 0.001);
	tap_case("eight pages");
	CHECK(learned_values_are_drawn(s.list, s.len));
	tap_case("two pages");
	CHECK(!learned_values_are_drawn(s.list, 2 * (size_t)LOOKS));
	tap_case("nothing");
	CHECK(!learned_values_are_drawn(s.list, 0));
	tap_case("a value of another page");
	s.list[7].text = s.list[1].text;
	CHECK(!learned_values_are_drawn(s.list, s.len));
	tap_case("a sentence");
	s.list[7].text = SLICE("the 4 seasons");
	CHECK(!learned_values_are_drawn(s.list, s.len));
	tap_case("times that cannot be");
	look(&s, &rng, show_hex, 0, INFINITY);
	CHECK(!learned_values_are_drawn(s.list, s.len));
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_draws();
	test_fast();
	test_content();
	test_support();
	return tap_done();
}
