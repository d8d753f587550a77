/* By how much a strategy leads: over given runs, and over the rows of a table. */
#include "papers/table_lead.h"

#include <math.h>

#include "papers/tables.h"
#include "tap.h"

static const char *const COLUMNS[] = {"bfs-lifo", "solar-online", "sharc-selective-offline",
	"stillpoint-online", "stillpoint-offline", CONTENDER_BOUND_ONLINE, NULL};

enum { CONTENDERS = ARRAY_LEN(COLUMNS) - 1, RUNS = 3 };

/* Sharp pages by run; the optimum is another each time, so shares are not shares of means. */
static const double SHARP[RUNS][CONTENDERS] = {
	{60, 70, 99, 90, 100, 98},
	{120, 160, 199, 160, 200, 200},
	{40, 25, 50, 45, 50, 49},
};

static void find_contenders(struct contender *contenders)
{
	for (size_t i = 0; i < CONTENDERS; i++)
		CHECK(contender_find(COLUMNS[i], &contenders[i]));
}

static void fill_values(struct trial_values *values)
{
	for (size_t run = 0; run < RUNS; run++)
		for (size_t i = 0; i < CONTENDERS; i++)
			values[run * CONTENDERS + i].of[TRIAL_EXPECTED_COHERENCE] = SHARP[run][i];
}

static void test_runs(void)
{
	struct contender contenders[CONTENDERS];
	struct trial_values values[RUNS * CONTENDERS] = {{{0}}};
	struct table_lead_runs runs = {.contenders = contenders,
		.contender_count = CONTENDERS,
		.leader = "stillpoint-online",
		.runs = RUNS,
		.values = values};
	struct table_lead lead;

	find_contenders(contenders);
	fill_values(values);
	tap_case("three runs: an offline strategy is no rival, nor a bound");
	table_lead_of(&runs, &lead);
	/* bfs-lifo 60, 60, 80; solar-online 70, 80, 50; ours 90, 80, 90; bound 98, 100, 98. */
	CHECK_STR(lead.rival, "bfs-lifo");
	CHECK_NEAR(lead.best, 200.0 / 3, 1e-9);
	CHECK_NEAR(lead.ours, 260.0 / 3, 1e-9);
	CHECK_NEAR(lead.lead, 20, 1e-9);
	CHECK_NEAR(lead.bound, 296.0 / 3, 1e-9);
	tap_case("three runs: error of the differences 30, 20, 10");
	CHECK_NEAR(lead.error, 10 / sqrt(3), 1e-9);

	tap_case("one run has no error, and another rival");
	runs.runs = 1;
	table_lead_of(&runs, &lead);
	CHECK_STR(lead.rival, "solar-online");
	CHECK_NEAR(lead.lead, 20, 1e-9);
	CHECK(isnan(lead.error));
}

/* One cell for each contender and row; cells of another table are left alone. */
static void add_cells(
	struct table_cells *cells, const struct table *table, const char *row, const double *sharp)
{
	for (size_t i = 0; i < CONTENDERS; i++) {
		struct table_cell cell = {.table = table,
			.row = row,
			.strategy = COLUMNS[i],
			.figures = {{.ours = sharp[i]}}};

		CHECK_INT(table_cells_push(cells, cell), 0);
	}
}

static void test_mean(void)
{
	static const char *const ROWS[RUNS] = {"one", "two", "three"};
	const struct table table = {.columns = COLUMNS, .leader = "stillpoint-online"};
	const struct table other = {.columns = COLUMNS, .leader = "stillpoint-online"};
	static const double OTHER[CONTENDERS] = {1, 1, 1, 1, 100, 100};
	struct table_cells cells = {0};
	struct table_lead mean;

	add_cells(&cells, &other, "other", OTHER);
	for (size_t run = 0; run < RUNS; run++)
		add_cells(&cells, &table, ROWS[run], SHARP[run]);
	tap_case("mean of the rows");
	mean = table_lead_mean(&cells, &table);
	CHECK(mean.table == &table);
	CHECK_STR(mean.row, "mean");
	CHECK_STR(mean.rival, "bfs-lifo");
	CHECK_NEAR(mean.best, 200.0 / 3, 1e-9);
	CHECK_NEAR(mean.ours, 260.0 / 3, 1e-9);
	CHECK_NEAR(mean.lead, 20, 1e-9);
	CHECK_NEAR(mean.bound, 296.0 / 3, 1e-9);
	CHECK(isnan(mean.error));
	table_cells_release(&cells);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_runs);
	TAP_RUN(test_mean);
	return tap_done();
}
