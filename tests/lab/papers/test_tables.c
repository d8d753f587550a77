/* The papers' tables: that they are sound data, and what a run of one yields. */
#include "papers/tables.h"

#include <math.h>
#include <string.h>

#include "papers/table_run.h"
#include "sim/trial.h"
#include "tap.h"

static bool has_row(const struct table *t, const char *label)
{
	for (const struct table_row *r = t->rows; r && r->label; r++)
		if (strcmp(r->label, label) == 0)
			return true;
	for (const struct table_worst_row *r = t->worst; r && r->label; r++)
		if (strcmp(r->label, label) == 0)
			return true;
	return false;
}

static bool has_column(const struct table *t, const char *strategy)
{
	for (size_t i = 0; t->columns && t->columns[i]; i++)
		if (strcmp(t->columns[i], strategy) == 0)
			return true;
	return false;
}

/* A misspelt name in the data would otherwise show only when somebody runs that table. */
static void test_data(void)
{
	const struct table *t;

	for (size_t i = 0; (t = table_at(i)); i++) {
		struct contender c;

		tap_case("data: %s", t->name);
		CHECK(table_find(t->name) == t);
		CHECK(!t->rows != !t->worst);
		for (size_t k = 0; t->columns && t->columns[k]; k++) {
			CHECK(k < TABLE_COLUMNS_MAX);
			CHECK(contender_find(t->columns[k], &c));
			CHECK((c.plan && c.plan->revisits) || t->metric == TABLE_BLUR);
		}
		CHECK(t->worst || strstr(t->columns[3], "stillpoint") ||
			has_column(t, "stillpoint-offline") || has_column(t, "stillpoint-online"));
		for (const struct table_note *n = t->notes; n && n->text; n++) {
			CHECK(!n->row || has_row(t, n->row));
			CHECK(!n->strategy || has_column(t, n->strategy));
		}
		for (const struct table_row *r = t->rows; r && r->label; r++)
			CHECK(r->delay > 0 && r->site.n > 0 &&
				(r->kind.n ? r->kind.n == r->site.n : r->site.outdegree > 0));
	}
	CHECK(!table_find("sharc-10"));
}

static const struct table_cell *cell_of(
	const struct table_cells *cells, const char *row, const char *strategy)
{
	for (size_t i = 0; i < cells->len; i++)
		if (strcmp(cells->ptr[i].row, row) == 0 &&
			strcmp(cells->ptr[i].strategy, strategy) == 0)
			return &cells->ptr[i];
	tap_note("no cell %s, %s", row, strategy);
	return NULL;
}

static void count_report(void *context, size_t done)
{
	*(size_t *)context = done;
}

/* What SOLAR prints and what an independent computation gives, to the third digit. */
static void test_solar(void)
{
	static const struct {
		const char *table, *row, *strategy;
		double want;
	} rows[] = {
		{"solar-1", "skewed", "hottest-middle-offline", 649.577},
		{"solar-1", "skewed", "solar-offline", 725.665},
		{"solar-1", "skewed,tau=0.2", "sharc-threshold", 684.145},
		{"solar-1", "skewed", "sharc-selective-offline", 731.559},
		{"solar-1", "skewed", "stillpoint-offline", 731.559},
		{"solar-1", "smooth", "sharc-threshold", 492.864},
		{"solar-1", "smooth", "hottest-middle-offline", 492.864},
		{"solar-1", "smooth", "solar-offline", 515.207},
		{"solar-1", "smooth", "sharc-selective-offline", 536.199},
		{"solar-1", "smooth", "stillpoint-offline", 536.209},
		{"solar-1", "zipf", "stillpoint-offline", 592.169},
		{"solar-1", "zipf,slow-down=5", "sharc-selective-offline", 242.716},
		{"solar-1", "zipf,slow-down=5", "stillpoint-offline", 243.676},
		{"solar-2", "skewed", "hottest-middle-online", 672.271},
		{"solar-2", "smooth", "hottest-middle-online", 455.512},
		{"solar-2", "skewed", "solar-online", 673.568},
		{"solar-2", "smooth", "solar-online", 482.542},
		{"solar-2", "skewed", "sharc-selective-online", 731.559},
		{"solar-2", "smooth", "sharc-selective-online", 536.198},
	};
	size_t done = 0;
	struct table_params params = {.runs = 1, .report = count_report, .context = &done};
	struct table_cells cells = {0};
	struct err err = {0};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct table_cell *c;

		tap_case("%s: %s, %s", rows[i].table, rows[i].row, rows[i].strategy);
		if (i == 0 || strcmp(rows[i].table, rows[i - 1].table) != 0) {
			const struct table *t = table_find(rows[i].table);

			cells.len = 0;
			CHECK_INT(table_run(t, &params, &cells, &err), 0);
			CHECK_INT(done, table_runs(t, &params));
		}
		c = cell_of(&cells, rows[i].row, rows[i].strategy);
		if (CHECK(c)) {
			CHECK_STR(c->figures[0].metric, "expected_coherence");
			CHECK_NEAR(c->figures[0].ours, rows[i].want, 0.0005);
			CHECK(isnan(c->figures[0].error));
		}
	}
	table_cells_release(&cells);
}

/* Incoherence is what coherence leaves, and notes come to the cells they are about. */
static void test_incoherence(void)
{
	struct table_params params = {.runs = 2};
	struct table_cells cells = {0};
	const struct table_cell *c;
	struct err err = {0};

	CHECK_INT(table_run(table_find("sharc-21"), &params, &cells, &err), 0);
	CHECK_INT(cells.len, 3 * 13);
	c = cell_of(&cells, "skew=2", "sharc-selective-offline");
	if (CHECK(c)) {
		CHECK_STR(c->figures[1].metric, "incoherence");
		CHECK_NEAR(c->figures[1].paper, 20, 0);
		CHECK_NEAR(c->figures[1].ours, 20, 10);
		CHECK_STR(c->note, "");
		CHECK_INT(c->runs, 2);
	}
	c = cell_of(&cells, "skew=1", "dfs-lifo");
	CHECK(c && strstr(c->note, "one draw"));
	c = cell_of(&cells, "skew=1", "stillpoint-online");
	CHECK(c && isnan(c->figures[1].paper));
	table_cells_release(&cells);
}

/* SHARC Example 6: the printed expression is 176, not 145; 755 is the optimum. */
static void test_worst_case(void)
{
	struct table_params params = {.runs = 1};
	struct table_cells cells = {0};
	const struct table_cell *c;
	struct err err = {0};

	CHECK_INT(table_run(table_find("sharc-fig6"), &params, &cells, &err), 0);
	CHECK_INT(table_runs(table_find("sharc-fig6"), &params), 0);
	c = cell_of(&cells, "example-6", "worst-case");
	if (CHECK(c)) {
		CHECK_NEAR(c->figures[0].paper, 145, 0);
		CHECK_NEAR(c->figures[0].ours, 176, 1e-9);
		CHECK_NEAR(c->figures[1].ours, 176.0 / 755, 1e-12);
		CHECK(strstr(c->note, "23.3 %"));
	}
	table_cells_release(&cells);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_data();
	if (!TAP_SANITIZED) /* exact optima, for seconds at full speed */
		test_solar();
	TAP_RUN(test_incoherence);
	TAP_RUN(test_worst_case);
	return tap_done();
}
