#include "plan/rate_grid.h"

#include <math.h>

#include "base/rng.h"
#include "tap.h"

enum { MANY = 60 };

static struct rate_grid grid;
static struct rate_row prior;

static void set_up(void)
{
	rate_grid_init(&grid, 1e-6, 20);
	rate_gamma_cells(&grid, (struct rate_gamma){0.5, 15}, &prior);
}

/* Intervals of length 7 as digits: '1' changed, '0' not. */
static size_t shift_of(const char *text)
{
	struct rate_interval seen[MANY];
	size_t n = strlen(text);

	for (size_t i = 0; i < n; i++)
		seen[i] = (struct rate_interval){.length = 7, .changed = text[i] == '1'};
	return rate_shift(&grid, &prior, seen, n);
}

static void test_rows(void)
{
	static const struct {
		const char *label, *seen;
		size_t low, high; /* what may be forgotten */
	} ROWS[] = {
		{"nothing", "", 0, 0},
		{"too little", "11100", 0, 0},
		{"always", "111111111111", 0, 0},
		{"never", "000000000000", 0, 0},
		{"now and then", "010010001010010010100010", 0, 0},
		{"one change among many looks", "0000000001000000000000", 0, 0},
		{"it became calm", "1111111111110000000000000000", 12, 12},
		{"it became busy", "00000000000000001111111111", 16, 16},
		{"nearly so", "1110111101110000000100000000000000", 11, 13},
	};

	set_up();
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		size_t shift = shift_of(ROWS[i].seen);

		tap_case("shift: %s", ROWS[i].label);
		CHECK(shift >= ROWS[i].low && shift <= ROWS[i].high);
	}
}

/* Pages that do not change their behaviour are rarely taken for such that do. */
static void test_false_alarms(void)
{
	struct rate_interval seen[MANY];
	size_t alarms = 0, rounds = tap_rounds(2000);
	struct rng r;

	set_up();
	rng_init(&r, 7);
	for (size_t round = 0; round < rounds; round++) {
		double rate = exp(rng_normal(&r) * 1.5 - 3);

		for (size_t i = 0; i < MANY; i++) {
			double length = exp(1 + rng_normal(&r));

			seen[i] = (struct rate_interval){
				.length = length, .changed = rng_exponential(&r, rate) <= length};
		}
		alarms += rate_shift(&grid, &prior, seen, MANY) > 0;
	}
	CHECK(alarms * 100 <= rounds);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_rows();
	TAP_RUN(test_false_alarms);
	return tap_done();
}
