#include "cmd/expect.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
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
#include "base/table.h"
#include "base/text.h"
#include "crawl/gate.h"
#include "crawl/settings.h"
#include "plan/expect.h"

/* plan --expect --time-limit: what each aim makes of a limit. */

/* The order of the table: from most visits to most revisits. */
static const enum plan_aim AIMS[] = {PLAN_COMPLETE, PLAN_BALANCED, PLAN_SHARP};

enum { AIM_COUNT = sizeof AIMS / sizeof AIMS[0] };

/* One line of the table: an aim at a delay. */
struct limit_row {
	double delay;
	size_t downloads;
	uint8_t aim;
	struct plan_share share;
};

static const char *aim_word(uint64_t aim)
{
	return PLAN_AIMS[aim];
}

#define ROW(member) MEMBER(struct limit_row, member)
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
static int limit_compute(const struct expect_params *p, const double *delays, size_t count,
	struct limit_row **ret_rows, size_t *ret_len)
{
	struct exposure_params params = {.site = p->site, .fast = p->fast};
	struct limit_row *rows = calloc(count, AIM_COUNT * sizeof *rows);
	size_t len = 0;
	int rc = rows ? 0 : ERR_NOMEM;

	for (size_t i = 0; i < count * AIM_COUNT && rc == 0; i++) {
		enum plan_aim aim = AIMS[i % AIM_COUNT];
		double delay = delays[i / AIM_COUNT];
		struct limit_row row = {.delay = delay,
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

static int limit_print_json(const struct expect_params *p, const struct table *t, size_t delays)
{
	const struct limit_row *rows = t->first;
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

/* A row for each delay; there is one at least. 0 or as json_finish; or an error of the planner in
 * err. */
static int expect_limit(
	const struct expect_params *params, const double *delays, size_t count, struct err *err)
{
	struct table t = {.columns = COLUMNS,
		.count = sizeof COLUMNS / sizeof *COLUMNS,
		.stride = sizeof(struct limit_row)};
	struct limit_row *rows = NULL;
	int rc;

	assert(count > 0);
	rc = err_code(err, limit_compute(params, delays, count, &rows, &t.rows));
	t.first = rows;
	if (rc == 0 && params->format == CMD_FORMAT_JSON)
		rc = limit_print_json(params, &t, count);
	else if (rc == 0 && params->format == CMD_FORMAT_CSV)
		table_csv(&t, stdout);
	else if (rc == 0) {
		char limit[TEXT_DURATION_SIZE];

		text_duration(params->time_limit, limit);
		printf("%zu pages in %s: how many are captured and how many may be expected "
		       "sharp%s\n\n",
			params->site->n, limit, params->site->weights ? " (weighted)" : "");
		table_text(&t, stdout);
		puts("\nupper bound: what no choice of so many revisits can exceed in expectation");
	}
	free(rows);
	return rc;
}

/* plan --expect --hours: what a capture that does not fit into the hours gives, either way. */

/* One line of the table. */
struct row {
	struct plan_hours hours;
	struct exposure_hours of;
};

/* The next hours that begin, and how long it is from their end to those after them. */
static int find_hours(const char *text, struct plan_hours *ret, struct err *err)
{
	struct windows w = {0};
	int64_t now = clock_realtime(clock_system()) / CLOCK_NS_PER_SECOND, open, close, again;
	int rc = windows_parse(&w, slice_str(text), err);

	if (rc) {
		err_prefix(err, "--hours");
		return rc;
	}
	open = windows_opening(&w, windows_closing(&w, windows_opening(&w, now)));
	close = open == INT64_MAX ? open : windows_closing(&w, open);
	again = close == INT64_MAX ? close : windows_opening(&w, close);
	if (again == INT64_MAX)
		return err_set(err, ERR_USAGE, "--hours %s never end, or never begin", text);
	ret->left = ret->open = (double)(close - open);
	ret->closed = (double)(again - close);
	return 0;
}

static int hours_compute(const struct expect_params *p, double delay, struct row *row)
{
	struct exposure_params params = {.site = p->site, .fast = p->fast};

	row->hours.pace = delay;
	return exposure_hours(&params, &row->hours, &row->of);
}

/* Whether aims other than most pages end the visits in time for the revisits. */
static bool ends_in_time(const struct expect_params *p, const struct row *row)
{
	return row->of.visits < p->site->n && row->of.in_time.reached > row->of.go_on.reached;
}

/* ---- JSON ---- */

static void json_limit(struct json *j, const struct plan_limit *limit)
{
	json_put_double(j, "expected_sharp", limit->reached);
	json_put_double(j, "upper_bound", limit->bound);
}

static void json_row(struct json *j, const struct expect_params *p, const struct row *row)
{
	json_object_begin(j);
	json_put_double(j, "delay", row->hours.pace);
	json_put_double(j, "seconds_needed", exposure_duration(p->site->n, row->hours.pace));
	json_key(j, "in_time");
	json_object_begin(j);
	json_put_uint(j, "visits", row->of.visits);
	json_put_uint(j, "put_off", p->site->n - row->of.visits);
	json_limit(j, &row->of.in_time);
	json_object_end(j);
	json_key(j, "go_on");
	json_object_begin(j);
	json_limit(j, &row->of.go_on);
	json_object_end(j);
	json_put_bool(j, "ends_in_time", ends_in_time(p, row));
	json_object_end(j);
}

/* ---- text and CSV ---- */

static void print_csv_row(const struct expect_params *p, const struct row *row)
{
	const struct exposure_hours *of = &row->of;
	const double values[] = {
		of->in_time.reached, of->in_time.bound, of->go_on.reached, of->go_on.bound};
	char text[FORMAT_DOUBLE_SIZE];

	(void)format_double(row->hours.pace, text);
	printf("%s,%zu,%zu", text, of->visits, p->site->n - of->visits);
	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
		(void)format_double(values[i], text);
		printf(",%s", text);
	}
	puts(ends_in_time(p, row) ? ",true" : ",false");
}

static void print_text_row(const struct expect_params *p, const struct row *row)
{
	const struct exposure_hours *of = &row->of;
	char delay[FORMAT_DOUBLE_SIZE], needed[TEXT_DURATION_SIZE];

	(void)format_double(row->hours.pace, delay);
	text_duration(exposure_duration(p->site->n, row->hours.pace), needed);
	printf("%6s s%13s  %9zu  %8zu  %9.1f  %9.1f  %s\n", delay, needed, of->visits,
		p->site->n - of->visits, of->in_time.reached, of->go_on.reached,
		of->visits == p->site->n ? "both legs fit"
		: ends_in_time(p, row)   ? "end in time"
					 : "go on");
}

static void hours_print_head(const struct expect_params *p, const struct plan_hours *h)
{
	char open[TEXT_DURATION_SIZE], closed[TEXT_DURATION_SIZE];

	if (p->format == CMD_FORMAT_CSV) {
		puts("delay,visits,put_off,in_time_sharp,in_time_upper_bound,go_on_sharp,"
		     "go_on_upper_bound,ends_in_time");
		return;
	}
	text_duration(h->open, open);
	text_duration(h->closed, closed);
	printf("%zu pages in hours of %s, with %s between them: how many may be expected "
	       "sharp%s\n\n",
		p->site->n, open, closed, p->site->weights ? " (weighted)" : "");
	printf("%8s%13s  %9s  %8s  %9s  %9s  %s\n", "", "", "in time:", "", "", "go on:", "");
	printf("%8s%13s  %9s  %8s  %9s  %9s  %s\n", "delay", "needed", "both legs", "put off",
		"sharp", "sharp", "so the visits");
}

/* A row for each delay; there is one at least. 0 or as json_finish; or an error in err: of the
 * hours or the planner. */
static int expect_hours(
	const struct expect_params *params, const double *delays, size_t count, struct err *err)
{
	struct row row = {0};
	struct json j;
	int rc = find_hours(params->hours, &row.hours, err);

	if (rc)
		return rc;
	if (params->format == CMD_FORMAT_JSON) {
		json_init_file(&j, stdout, JSON_LINES);
		json_document_begin(&j);
		json_put_uint(&j, "pages", params->site->n);
		json_put_double(&j, "open_seconds", row.hours.open);
		json_put_double(&j, "closed_seconds", row.hours.closed);
		json_key(&j, "rows");
		json_array_begin(&j);
	} else
		hours_print_head(params, &row.hours);
	for (size_t i = 0; rc == 0 && i < count; i++) {
		rc = hours_compute(params, delays[i], &row);
		if (rc)
			break;
		if (params->format == CMD_FORMAT_JSON)
			json_row(&j, params, &row);
		else
			(params->format == CMD_FORMAT_CSV ? print_csv_row : print_text_row)(
				params, &row);
	}
	if (params->format == CMD_FORMAT_JSON && rc == 0) {
		json_array_end(&j);
		json_object_end(&j);
		return json_finish(&j);
	}
	if (params->format == CMD_FORMAT_TEXT && rc == 0)
		puts("\nWith --aim complete the visits always go on. Pages that are put off are "
		     "downloaded once, later.");
	return err_code(err, rc);
}

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

struct grid {
	const struct expect_params *params;
	struct slice_vec labels; /* of the strategies, as they were asked for */
	struct strategies strategies;
	struct numbers delays;
	struct numbers sharp;  /* row by row */
	struct numbers bounds; /* by row */
};

static void release(struct grid *t)
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

static int read_delays(struct grid *t, struct err *err)
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

static int read_strategies(struct grid *t, struct err *err)
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

static int compute(struct grid *t, struct err *err)
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

static double seconds_of(const struct grid *t, size_t row)
{
	return exposure_duration(t->params->site->n, t->delays.ptr[row]);
}

static const double *row_of(const struct grid *t, size_t row)
{
	return t->sharp.ptr + row * t->strategies.len;
}

static int print_json(const struct grid *t)
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

static int print_csv(const struct grid *t)
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

static int column_width(const struct grid *t, slice label)
{
	int width = snprintf(NULL, 0, "%.1f", t->bounds.ptr[0]);

	for (unsigned line = 0; line < HEAD_LINES; line++) {
		int len = (int)head_line(label, line).len;

		width = len > width ? len : width;
	}
	return width + 2;
}

static void print_cell(double value, int width)
{
	if (isnan(value))
		printf("%*s", width, "-");
	else
		printf("%*.1f", width, value);
}

static int print_text(const struct grid *t)
{
	static const slice BOUND = SLICE_INIT("upper-bound");

	printf("%zu pages: how many may be expected sharp%s\n\n", t->params->site->n,
		t->params->site->weights ? " (weighted)" : "");
	static const char *const FIRST[HEAD_LINES][2] = {{"", "capture"}, {"delay", "lasts"}};

	for (unsigned line = 0; line < HEAD_LINES; line++) {
		printf("%*s%*s", DELAY_WIDTH, FIRST[line][0], DURATION_WIDTH, FIRST[line][1]);
		for (size_t k = 0; k <= t->labels.len; k++) {
			slice label = k < t->labels.len ? t->labels.ptr[k] : BOUND;
			slice part = head_line(label, line);

			printf("%*s%.*s", column_width(t, label) - (int)part.len, "", (int)part.len,
				part.ptr);
		}
		(void)putchar('\n');
	}
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
	static int (*const PRINT[])(const struct grid *) = {
		[CMD_FORMAT_TEXT] = print_text,
		[CMD_FORMAT_CSV] = print_csv,
		[CMD_FORMAT_JSON] = print_json,
	};
	struct grid t = {.params = params};
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
