#include "cmd/expect_limit.h"

#include <stdio.h>

#include "base/api.h"
#include "base/format.h"
#include "base/json.h"
#include "cmd/text.h"
#include "sim/exposure.h"

/* The order of the table: from most visits to most revisits. */
static const enum plan_aim AIMS[] = {PLAN_COMPLETE, PLAN_BALANCED, PLAN_SHARP};

enum { AIM_COUNT = sizeof AIMS / sizeof AIMS[0] };

/* One line of the table: an aim at a delay. */
struct cell {
	double delay;
	size_t downloads;
	enum plan_aim aim;
	struct plan_share share;
};

static bool is_wanted(const struct expect_params *p, enum plan_aim aim)
{
	return p->aim < 0 || aim == (enum plan_aim)p->aim;
}

static int compute(const struct expect_params *p, double delay, enum plan_aim aim, struct cell *ret)
{
	struct exposure_params params = {.site = p->site, .fast = p->fast};

	*ret = (struct cell){
		.delay = delay, .downloads = exposure_downloads(delay, p->time_limit), .aim = aim};
	return exposure_share(&params, delay, ret->downloads, aim, &ret->share);
}

/* ---- JSON ---- */

static void json_cell(struct json *j, const struct cell *c)
{
	json_key(j, PLAN_AIMS[c->aim]);
	json_object_begin(j);
	json_put_uint(j, "visits", c->share.visits);
	json_put_uint(j, "revisits", c->share.revisits);
	json_put_double(j, "captured", c->share.captured);
	json_put_double(j, "expected_sharp", c->share.sharp);
	json_put_double(j, "upper_bound", c->share.bound);
	json_object_end(j);
}

static int json_row(struct json *j, const struct expect_params *p, double delay)
{
	int rc = 0;

	json_object_begin(j);
	json_put_double(j, "delay", delay);
	json_put_double(j, "seconds_needed", exposure_duration(p->site->n, delay));
	json_put_uint(j, "downloads", exposure_downloads(delay, p->time_limit));
	json_key(j, "aims");
	json_object_begin(j);
	for (size_t k = 0; rc == 0 && k < AIM_COUNT; k++) {
		struct cell c;

		if (!is_wanted(p, AIMS[k]))
			continue;
		rc = compute(p, delay, AIMS[k], &c);
		if (rc == 0)
			json_cell(j, &c);
	}
	json_object_end(j);
	json_object_end(j);
	return rc;
}

static int print_json(
	const struct expect_params *p, const double *delays, size_t count, struct err *err)
{
	struct json j;
	int rc = 0;

	json_init_file(&j, stdout, JSON_LINES);
	json_document_begin(&j);
	json_put_uint(&j, "pages", p->site->n);
	json_put_double(&j, "time_limit", p->time_limit);
	json_key(&j, "rows");
	json_array_begin(&j);
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = json_row(&j, p, delays[i]);
	json_array_end(&j);
	json_object_end(&j);
	return rc ? err_code(err, rc) : json_finish(&j);
}

/* ---- text and CSV ---- */

static void print_csv_cell(const struct cell *c)
{
	char delay[FORMAT_DOUBLE_SIZE], captured[FORMAT_DOUBLE_SIZE], sharp[FORMAT_DOUBLE_SIZE],
		bound[FORMAT_DOUBLE_SIZE];

	(void)format_double(c->delay, delay);
	(void)format_double(c->share.captured, captured);
	(void)format_double(c->share.sharp, sharp);
	(void)format_double(c->share.bound, bound);
	printf("%s,%zu,%s,%zu,%zu,%s,%s,%s\n", delay, c->downloads, PLAN_AIMS[c->aim],
		c->share.visits, c->share.revisits, captured, sharp, bound);
}

static void print_text_cell(const struct cell *c)
{
	char delay[FORMAT_DOUBLE_SIZE];

	(void)format_double(c->delay, delay);
	printf("%6s s  %9zu  %-8s  %9zu  %9zu  %9.1f  %11.1f\n", delay, c->downloads,
		PLAN_AIMS[c->aim], c->share.visits, c->share.revisits, c->share.sharp,
		c->share.bound);
}

static void print_head(const struct expect_params *p)
{
	char limit[TEXT_DURATION_SIZE];

	if (p->format == CMD_FORMAT_CSV) {
		puts("delay,downloads,aim,visits,revisits,captured,expected_sharp,upper_bound");
		return;
	}
	text_duration(p->time_limit, limit);
	printf("%zu pages in %s: how many are captured and how many may be expected sharp%s\n\n",
		p->site->n, limit, p->site->weights ? " (weighted)" : "");
	printf("%8s  %9s  %-8s  %9s  %9s  %9s  %11s\n", "delay", "downloads", "aim", "captured",
		"revisited", "sharp", "upper bound");
}

static int print_lines(
	const struct expect_params *p, const double *delays, size_t count, struct err *err)
{
	int rc = 0;

	print_head(p);
	for (size_t i = 0; rc == 0 && i < count; i++)
		for (size_t k = 0; rc == 0 && k < AIM_COUNT; k++) {
			struct cell c;

			if (!is_wanted(p, AIMS[k]))
				continue;
			rc = compute(p, delays[i], AIMS[k], &c);
			if (rc == 0)
				(p->format == CMD_FORMAT_CSV ? print_csv_cell : print_text_cell)(
					&c);
		}
	if (rc == 0 && p->format == CMD_FORMAT_TEXT)
		puts("\nupper bound: what no choice of so many revisits can exceed in expectation");
	return rc ? err_code(err, rc) : 0;
}

int expect_limit(
	const struct expect_params *params, const double *delays, size_t count, struct err *err)
{
	return (params->format == CMD_FORMAT_JSON ? print_json : print_lines)(
		params, delays, count, err);
}
