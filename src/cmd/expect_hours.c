#include "cmd/expect_hours.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/format.h"
#include "base/json.h"
#include "base/text.h"
#include "crawl/gate.h"
#include "plan/expect_exposure.h"

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

static int compute(const struct expect_params *p, double delay, struct row *row)
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

static void json_begin(struct json *j, const struct expect_params *p, const struct plan_hours *h)
{
	json_init_file(j, stdout, JSON_LINES);
	json_document_begin(j);
	json_put_uint(j, "pages", p->site->n);
	json_put_double(j, "open_seconds", h->open);
	json_put_double(j, "closed_seconds", h->closed);
	json_key(j, "rows");
	json_array_begin(j);
}

static int json_end(struct json *j)
{
	json_array_end(j);
	json_object_end(j);
	return json_finish(j);
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

static void print_head(const struct expect_params *p, const struct plan_hours *h)
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

int expect_hours(
	const struct expect_params *params, const double *delays, size_t count, struct err *err)
{
	struct row row = {0};
	struct json j;
	int rc = find_hours(params->hours, &row.hours, err);

	if (rc)
		return rc;
	if (params->format == CMD_FORMAT_JSON)
		json_begin(&j, params, &row.hours);
	else
		print_head(params, &row.hours);
	for (size_t i = 0; rc == 0 && i < count; i++) {
		rc = compute(params, delays[i], &row);
		if (rc)
			break;
		if (params->format == CMD_FORMAT_JSON)
			json_row(&j, params, &row);
		else
			(params->format == CMD_FORMAT_CSV ? print_csv_row : print_text_row)(
				params, &row);
	}
	if (params->format == CMD_FORMAT_JSON && rc == 0)
		return json_end(&j);
	if (params->format == CMD_FORMAT_TEXT && rc == 0)
		puts("\nWith --aim complete the visits always go on. Pages that are put off are "
		     "downloaded once, later.");
	return err_code(err, rc);
}
