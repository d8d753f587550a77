#include "cmd/expect_limit.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/table.h"
#include "base/text.h"
#include "plan/expect_exposure.h"

/* The order of the table: from most visits to most revisits. */
static const enum plan_aim AIMS[] = {PLAN_COMPLETE, PLAN_BALANCED, PLAN_SHARP};

enum { AIM_COUNT = sizeof AIMS / sizeof AIMS[0] };

/* One line of the table: an aim at a delay. */
struct row {
	double delay;
	size_t downloads;
	uint8_t aim;
	struct plan_share share;
};

static const char *aim_word(uint64_t aim)
{
	return PLAN_AIMS[aim];
}

#define ROW(member) MEMBER(struct row, member)
#define TEXT        (TABLE_TEXT | TABLE_CSV)
#define ALL         (TEXT | TABLE_JSON)

static const struct column COLUMNS[] = {
	{"delay", TEXT, ROW(delay), .suffix = " s", .width = 8},
	{"downloads", TEXT, ROW(downloads), .gap = 2, .width = 9},
	{"aim", TEXT, ROW(aim), .word = aim_word, .gap = 2, .width = -8},
	{"visits", ALL, ROW(share.visits), .heading = "captured", .gap = 2, .width = 9},
	{"revisits", ALL, ROW(share.revisits), .heading = "revisited", .gap = 2, .width = 9},
	{"captured", TABLE_CSV | TABLE_JSON, ROW(share.captured)},
	{"expected_sharp", ALL, ROW(share.sharp), .heading = "sharp", .decimals = 1, .gap = 2,
		.width = 9},
	{"upper_bound", ALL, ROW(share.bound), .heading = "upper bound", .decimals = 1, .gap = 2,
		.width = 11},
};

/* Those of a delay stand together. 0 or ERR_NOMEM; free the rows in any case. */
static int compute(const struct expect_params *p, const double *delays, size_t count,
	struct row **ret_rows, size_t *ret_len)
{
	struct exposure_params params = {.site = p->site, .fast = p->fast};
	struct row *rows = calloc(count, AIM_COUNT * sizeof *rows);
	size_t len = 0;
	int rc = rows ? 0 : ERR_NOMEM;

	for (size_t i = 0; i < count * AIM_COUNT && rc == 0; i++) {
		enum plan_aim aim = AIMS[i % AIM_COUNT];
		double delay = delays[i / AIM_COUNT];
		struct row row = {.delay = delay,
			.downloads = exposure_downloads(delay, p->time_limit),
			.aim = (uint8_t)aim};

		if (p->aim >= 0 && aim != (enum plan_aim)p->aim)
			continue;
		rc = exposure_share(&params, delay, row.downloads, aim, &row.share);
		rows[len++] = row;
	}
	*ret_rows = rows;
	*ret_len = len;
	return rc;
}

static int print_json(const struct expect_params *p, const struct table *t, size_t delays)
{
	const struct row *rows = t->first;
	size_t aims = t->rows / delays;
	struct json j;

	json_init_file(&j, stdout, JSON_LINES);
	json_document_begin(&j);
	json_put_uint(&j, "pages", p->site->n);
	json_put_double(&j, "time_limit", p->time_limit);
	json_key(&j, "rows");
	json_array_begin(&j);
	for (size_t i = 0; i < t->rows; i += aims) {
		json_object_begin(&j);
		json_put_double(&j, "delay", rows[i].delay);
		json_put_double(&j, "seconds_needed", exposure_duration(p->site->n, rows[i].delay));
		json_put_uint(&j, "downloads", rows[i].downloads);
		json_key(&j, "aims");
		json_object_begin(&j);
		for (size_t k = i; k < i + aims; k++) {
			json_key(&j, PLAN_AIMS[rows[k].aim]);
			json_object_begin(&j);
			table_json_members(t, k, &j);
			json_object_end(&j);
		}
		json_object_end(&j);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
	return json_finish(&j);
}

static void print_text(const struct expect_params *p, const struct table *t)
{
	char limit[TEXT_DURATION_SIZE];

	text_duration(p->time_limit, limit);
	printf("%zu pages in %s: how many are captured and how many may be expected sharp%s\n\n",
		p->site->n, limit, p->site->weights ? " (weighted)" : "");
	table_text(t, stdout);
	puts("\nupper bound: what no choice of so many revisits can exceed in expectation");
}

int expect_limit(
	const struct expect_params *params, const double *delays, size_t count, struct err *err)
{
	struct table t = {.columns = COLUMNS,
		.count = sizeof COLUMNS / sizeof *COLUMNS,
		.stride = sizeof(struct row)};
	struct row *rows = NULL;
	int rc = err_code(err, compute(params, delays, count, &rows, &t.rows));

	t.first = rows;
	if (rc == 0 && params->format == CMD_FORMAT_JSON)
		rc = print_json(params, &t, count);
	else if (rc == 0 && params->format == CMD_FORMAT_CSV)
		table_csv(&t, stdout);
	else if (rc == 0)
		print_text(params, &t);
	free(rows);
	return rc;
}
