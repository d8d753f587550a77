#include "cmd/expect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/csv.h"
#include "base/format.h"
#include "base/json.h"
#include "base/lists.h"
#include "base/parse.h"
#include "base/progress.h"
#include "base/text.h"
#include "cmd/expect_hours.h"
#include "cmd/expect_limit.h"
#include "crawl/settings.h"
#include "plan/expect_exposure.h"

#define DELAYS     "0.1,0.2,0.5,1,2,5,10,30,60"
#define STRATEGIES "bfs-fifo,bfs-lifo,hottest-middle,sharc-selective,solar,stillpoint"

enum {
	DELAY_WIDTH = 8,
	DURATION_WIDTH = 13,
	HEAD_LINES = 2, /* of the table; long names are broken at their last dash */
	NAME_SIZE = 64,
};

VEC_DECLARE(numbers, double);
VEC_DECLARE(strategies, const struct plan_strategy *);

struct table {
	const struct expect_params *params;
	struct slice_vec labels; /* of the strategies, as they were asked for */
	struct strategies strategies;
	struct numbers delays;
	struct numbers sharp;  /* row by row */
	struct numbers bounds; /* by row */
};

static void release(struct table *t)
{
	slice_vec_release(&t->labels);
	strategies_release(&t->strategies);
	numbers_release(&t->delays);
	numbers_release(&t->sharp);
	numbers_release(&t->bounds);
}

/* The part up to the next comma; false when there is none left. */
static bool take_item(const char **rest, slice *ret_item)
{
	if (!*rest)
		return false;
	*ret_item = (slice){*rest, strcspn(*rest, ",")};
	*rest = (*rest)[ret_item->len] ? *rest + ret_item->len + 1 : NULL;
	return true;
}

static int read_delays(struct table *t, struct err *err)
{
	const char *rest = t->params->delays ? t->params->delays : DELAYS;
	slice item;

	if (!t->params->delays && t->params->delay > 0)
		return err_code(err, numbers_push(&t->delays, t->params->delay));
	while (take_item(&rest, &item)) {
		double delay = 0;

		if (parse_duration(item, &delay) || !(delay > 0))
			return err_set(err, ERR_USAGE,
				"--delays needs times above 0, separated by commas, not "
				"'%.*s'",
				(int)(item.len < NAME_SIZE ? item.len : NAME_SIZE), item.ptr);
		if (numbers_push(&t->delays, delay))
			return err_code(err, ERR_NOMEM);
	}
	return 0;
}

static int read_strategies(struct table *t, struct err *err)
{
	const char *rest = t->params->strategies ? t->params->strategies : STRATEGIES;
	slice item;

	while (take_item(&rest, &item)) {
		const struct plan_strategy *s;
		char name[NAME_SIZE];

		(void)snprintf(name, sizeof name, "%.*s", (int)item.len, item.ptr);
		s = strategy_named(name, true, err);
		if (!s)
			return ERR_USAGE;
		if (slice_vec_push(&t->labels, item) || strategies_push(&t->strategies, s))
			return err_code(err, ERR_NOMEM);
	}
	return 0;
}

static int compute(struct table *t, struct err *err)
{
	struct exposure_params params = {
		.site = t->params->site,
		.strategies = t->strategies.ptr,
		.strategy_count = t->strategies.len,
		.tau = t->params->tau,
		.fast = t->params->fast,
	};
	struct progress progress;
	int rc = 0;

	if (numbers_reserve(&t->sharp, t->delays.len * t->strategies.len) ||
		numbers_reserve(&t->bounds, t->delays.len))
		return err_code(err, ERR_NOMEM);
	progress_init(&progress, &(struct progress_config){.fd = STDERR_FILENO,
					 .clock = clock_system(),
					 .title = "plan",
					 .unit = "delays",
					 .total = t->delays.len});
	for (size_t i = 0; rc == 0 && i < t->delays.len; i++) {
		progress_update(&progress, i, NULL);
		rc = exposure_row(&params, t->delays.ptr[i], t->sharp.ptr + i * t->strategies.len,
			t->bounds.ptr + i, err);
	}
	progress_clear(&progress);
	return rc;
}

static double seconds_of(const struct table *t, size_t row)
{
	return exposure_duration(t->params->site->n, t->delays.ptr[row]);
}

static const double *row_of(const struct table *t, size_t row)
{
	return t->sharp.ptr + row * t->strategies.len;
}

static int print_json(const struct table *t)
{
	struct json j;

	json_init_file(&j, stdout, JSON_LINES);
	json_document_begin(&j);
	json_put_uint(&j, "pages", t->params->site->n);
	json_key(&j, "rows");
	json_array_begin(&j);
	for (size_t i = 0; i < t->delays.len; i++) {
		json_object_begin(&j);
		json_put_double(&j, "delay", t->delays.ptr[i]);
		json_put_double(&j, "seconds", seconds_of(t, i));
		json_key(&j, "strategies");
		json_object_begin(&j);
		for (size_t k = 0; k < t->strategies.len; k++) {
			json_key_slice(&j, t->labels.ptr[k]);
			json_double(&j, row_of(t, i)[k]);
		}
		json_object_end(&j);
		json_put_double(&j, "upper_bound", t->bounds.ptr[i]);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
	return json_finish(&j);
}

static void print_number(const char *before, double value)
{
	char text[FORMAT_DOUBLE_SIZE];

	(void)format_double(value, text);
	printf("%s%s", before, isnan(value) ? "" : text);
}

static int print_csv(const struct table *t)
{
	printf("delay,seconds");
	for (size_t k = 0; k < t->labels.len; k++) {
		(void)putchar(',');
		csv_write_field(stdout, t->labels.ptr[k]);
	}
	puts(",upper_bound");
	for (size_t i = 0; i < t->delays.len; i++) {
		print_number("", t->delays.ptr[i]);
		print_number(",", seconds_of(t, i));
		for (size_t k = 0; k < t->strategies.len; k++)
			print_number(",", row_of(t, i)[k]);
		print_number(",", t->bounds.ptr[i]);
		(void)putchar('\n');
	}
	return 0;
}

/* The part of a heading that stands on this line: "hottest-", then "middle". */
static slice head_line(slice label, unsigned line)
{
	const char *dash = memrchr(label.ptr, '-', label.len);
	size_t split = dash ? (size_t)(dash - label.ptr) + 1 : 0;

	return line == 0 ? slice_sub(label, 0, split) : slice_sub(label, split, label.len);
}

static int column_width(const struct table *t, slice label)
{
	int width = snprintf(NULL, 0, "%.1f", t->bounds.ptr[0]);

	for (unsigned line = 0; line < HEAD_LINES; line++) {
		int len = (int)head_line(label, line).len;

		width = len > width ? len : width;
	}
	return width + 2;
}

static void print_head(const struct table *t, slice bound)
{
	static const char *const FIRST[HEAD_LINES][2] = {{"", "capture"}, {"delay", "lasts"}};

	for (unsigned line = 0; line < HEAD_LINES; line++) {
		printf("%*s%*s", DELAY_WIDTH, FIRST[line][0], DURATION_WIDTH, FIRST[line][1]);
		for (size_t k = 0; k <= t->labels.len; k++) {
			slice label = k < t->labels.len ? t->labels.ptr[k] : bound;
			slice part = head_line(label, line);

			printf("%*s%.*s", column_width(t, label) - (int)part.len, "", (int)part.len,
				part.ptr);
		}
		(void)putchar('\n');
	}
}

static void print_cell(double value, int width)
{
	if (isnan(value))
		printf("%*s", width, "-");
	else
		printf("%*.1f", width, value);
}

static int print_text(const struct table *t)
{
	static const slice BOUND = SLICE_INIT("upper-bound");

	printf("%zu pages: how many may be expected sharp%s\n\n", t->params->site->n,
		t->params->site->weights ? " (weighted)" : "");
	print_head(t, BOUND);
	for (size_t i = 0; i < t->delays.len; i++) {
		char delay[FORMAT_DOUBLE_SIZE], duration[TEXT_DURATION_SIZE];

		(void)format_double(t->delays.ptr[i], delay);
		text_duration(seconds_of(t, i), duration);
		printf("%*s s%*s", DELAY_WIDTH - 2, delay, DURATION_WIDTH, duration);
		for (size_t k = 0; k < t->strategies.len; k++)
			print_cell(row_of(t, i)[k], column_width(t, t->labels.ptr[k]));
		print_cell(t->bounds.ptr[i], column_width(t, BOUND));
		(void)putchar('\n');
	}
	puts("\nupper bound: what no order of visits and revisits can exceed in expectation");
	return 0;
}

enum cmd_status cmd_expect(const struct expect_params *params)
{
	static int (*const PRINT[])(const struct table *) = {
		[CMD_FORMAT_TEXT] = print_text,
		[CMD_FORMAT_CSV] = print_csv,
		[CMD_FORMAT_JSON] = print_json,
	};
	struct table t = {.params = params};
	struct err err = {0};
	enum cmd_status status;
	int rc = read_delays(&t, &err);

	if (rc == 0 && (params->time_limit > 0 || params->hours)) {
		rc = (params->hours ? expect_hours : expect_limit)(
			params, t.delays.ptr, t.delays.len, &err);
		release(&t);
		return rc && err.code ? cmd_fail("plan", &err) : cmd_finish(rc);
	}
	if (rc == 0)
		rc = read_strategies(&t, &err);
	if (rc == 0)
		rc = compute(&t, &err);
	status = rc ? cmd_fail("plan", &err) : cmd_finish(PRINT[params->format](&t));
	release(&t);
	return status;
}
