/* stillpoint-lab simulate --evaluate: how well change rates are estimated from a recorded history.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/calendar.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/parse.h"
#include "base/progress.h"
#include "commands/simulate.h"
#include "histories/choices.h"
#include "histories/estimators.h"
#include "histories/history.h"
#include "histories/predictor.h"
#include "histories/visits.h"

struct evaluation {
	const struct simulate_options *options;
	struct visits visits;
	struct progress progress;
	struct choices choices;
	struct estimators estimators;
	struct predictor predictor;
};

int simulate_date(const char *text, int64_t *ret_seconds, struct err *err)
{
	uint64_t year, month, day;
	struct calendar_time time = {0};

	if (strlen(text) == 10 && text[4] == '-' && text[7] == '-' &&
		parse_u64((slice){text, 4}, &year) == 0 &&
		parse_u64((slice){text + 5, 2}, &month) == 0 &&
		parse_u64((slice){text + 8, 2}, &day) == 0) {
		time.year = (unsigned)year;
		time.month = (unsigned)month;
		time.day = (unsigned)day;
		if (calendar_seconds(&time, ret_seconds) == 0)
			return 0;
	}
	return err_set(err, ERR_USAGE, "--start: '%.99s' is not a date such as 2015-06-01", text);
}

static void json_begin(struct json *j, const struct evaluation *e, FILE *out)
{
	json_init_file(j, out, JSON_LINES);
	json_document_begin(j);
	json_put_string(j, "evaluation", e->options->evaluate);
	json_put_string(j, "history", e->options->history);
	json_key(j, "rows");
	json_array_begin(j);
}

static int json_end(struct json *j)
{
	json_array_end(j);
	json_object_end(j);
	return json_finish(j);
}

static int hacs_json(const void *context, FILE *out)
{
	const struct evaluation *e = context;
	struct json j;

	json_begin(&j, e, out);
	for (size_t i = 0; i < CHOICE_ROWS; i++) {
		const struct choice_row *r = &e->choices.rows[i];

		json_object_begin(&j);
		json_put_string(&j, "policy", r->policy);
		json_put_uint(&j, "weeks", r->weeks);
		json_put_double(&j, "threshold", r->threshold);
		json_put_double(&j, "precision", r->precision);
		json_put_double(&j, "recall", r->recall);
		json_put_double(&j, "f1", r->f1);
		json_put_double(&j, "macro_precision", r->macro_precision);
		json_put_double(&j, "macro_recall", r->macro_recall);
		json_put_double(&j, "macro_f1", r->macro_f1);
		json_put_double(&j, "weighted_p_at_k", r->weighted_p_at_k);
		json_put_double(&j, "log_loss", r->log_loss);
		json_put_double(&j, "average_precision", r->average_precision);
		json_object_end(&j);
	}
	return json_end(&j);
}

static int estimators_json(const void *context, FILE *out)
{
	const struct evaluation *e = context;
	struct json j;

	json_begin(&j, e, out);
	for (size_t i = 0; i < ESTIMATOR_ROWS; i++) {
		const struct estimator_row *r = &e->estimators.rows[i];

		json_object_begin(&j);
		json_put_string(&j, "estimator", r->estimator);
		json_put_uint(&j, "observations", r->observations);
		json_put_double(&j, "log_likelihood", r->log_likelihood);
		json_put_double(&j, "rate_error", r->rate_error);
		json_object_end(&j);
	}
	return json_end(&j);
}

static int predictor_json(const void *context, FILE *out)
{
	const struct evaluation *e = context;
	struct json j;

	json_begin(&j, e, out);
	for (size_t i = 0; i < PREDICTOR_ROWS; i++) {
		const struct predictor_row *r = &e->predictor.rows[i];

		json_object_begin(&j);
		json_put_string(&j, "classifier", r->classifier);
		json_put_string(&j, "features", r->features);
		json_put_double(&j, "precision", r->precision);
		json_key(&j, "histogram");
		json_array_begin(&j);
		for (size_t k = 0; k < RATE_BINS_MAX; k++)
			json_uint(&j, r->histogram[k]);
		json_array_end(&j);
		json_object_end(&j);
	}
	return json_end(&j);
}

/* In a column; a dash for what has no meaning. */
static void print_number(FILE *out, int width, double value)
{
	if (isnan(value))
		(void)fprintf(out, " %*s", width, "-");
	else
		(void)fprintf(out, " %*.3f", width, value);
}

static void print_head(const struct evaluation *e, FILE *out)
{
	const struct visits *v = &e->visits;
	char date[CLOCK_TEXT_SIZE];
	int64_t start_s = v->history->began_s + (int64_t)(v->start * 86400);

	clock_format(start_s * 1000000000, CLOCK_ROUND_DOWN, date);
	(void)fprintf(out, "history     %s\n", e->options->history);
	(void)fprintf(out, "period      %d weeks from %.10s on, %zu pages, %zu visits\n\n",
		VISITS_WEEKS, date, v->pages, v->from[v->pages]);
}

static void hacs_text(const void *context, FILE *out)
{
	const struct evaluation *e = context;

	print_head(e, out);
	(void)fprintf(out, "%-14s %5s %9s %9s %7s %7s %7s %7s %7s %8s %8s %7s\n", "policy", "weeks",
		"threshold", "precision", "recall", "F1", "macro P", "macro R", "macro F1",
		"weighted", "log-loss", "AP");
	for (size_t i = 0; i < CHOICE_ROWS; i++) {
		const struct choice_row *r = &e->choices.rows[i];

		(void)fprintf(out, "%-14s %5u", r->policy, r->weeks);
		print_number(out, 9, r->threshold);
		print_number(out, 9, r->precision);
		print_number(out, 7, r->recall);
		print_number(out, 7, r->f1);
		print_number(out, 7, r->macro_precision);
		print_number(out, 7, r->macro_recall);
		print_number(out, 8, r->macro_f1);
		print_number(out, 8, r->weighted_p_at_k);
		print_number(out, 8, r->log_loss);
		print_number(out, 7, r->average_precision);
		(void)putc('\n', out);
		if (i % CHOICE_POLICIES == CHOICE_POLICIES - 1 && i + 1 < CHOICE_ROWS)
			(void)putc('\n', out);
	}
}

static void estimators_text(const void *context, FILE *out)
{
	const struct evaluation *e = context;

	print_head(e, out);
	(void)fprintf(out, "%-14s %12s %14s %10s\n", "estimator", "observations", "log-likelihood",
		"rate error");
	for (size_t i = 0; i < ESTIMATOR_ROWS; i++) {
		const struct estimator_row *r = &e->estimators.rows[i];

		(void)fprintf(out, "%-14s %12u", r->estimator, r->observations);
		print_number(out, 14, r->log_likelihood);
		print_number(out, 10, r->rate_error);
		(void)putc('\n', out);
		if (i % ESTIMATORS == ESTIMATORS - 1 && i + 1 < ESTIMATOR_ROWS)
			(void)putc('\n', out);
	}
}

static void predictor_text(const void *context, FILE *out)
{
	const struct evaluation *e = context;

	print_head(e, out);
	(void)fprintf(out, "bins        %zu; the fullest has %.3f of the pages\n\n",
		e->predictor.bins, e->predictor.most);
	(void)fprintf(out, "%-10s %-8s %9s  %s\n", "classifier", "features", "precision",
		"pages by the distance to the right bin");
	for (size_t i = 0; i < PREDICTOR_ROWS; i++) {
		const struct predictor_row *r = &e->predictor.rows[i];

		(void)fprintf(out, "%-10s %-8s", r->classifier, r->features);
		print_number(out, 9, r->precision);
		(void)putc(' ', out);
		for (size_t k = 0; k < RATE_BINS_MAX; k++)
			(void)fprintf(out, " %zu", r->histogram[k]);
		(void)putc('\n', out);
	}
}

static void report(void *context, size_t weeks)
{
	struct evaluation *e = context;

	progress_update(&e->progress, weeks, NULL);
}

static int run_hacs(struct evaluation *e)
{
	int rc;

	progress_init(&e->progress, &(struct progress_config){.fd = STDERR_FILENO,
					    .clock = clock_system(),
					    .title = "simulate",
					    .unit = "weeks",
					    .total = VISITS_WEEKS});
	rc = choices_evaluate(&e->visits, (uint64_t)e->options->seed, report, e, &e->choices);
	progress_clear(&e->progress);
	return rc;
}

static int run_estimators(struct evaluation *e)
{
	return estimators_evaluate(&e->visits, &e->estimators);
}

static int run_predictor(struct evaluation *e)
{
	return predictor_evaluate(&e->visits, (uint64_t)e->options->seed, &e->predictor);
}

static const struct kind {
	const char *name;
	int (*run)(struct evaluation *e);
	int (*json)(const void *context, FILE *file);
	void (*text)(const void *context, FILE *file);
} KINDS[] = {
	{"hacs", run_hacs, hacs_json, hacs_text},
	{"predictor", run_predictor, predictor_json, predictor_text},
	{"estimators", run_estimators, estimators_json, estimators_text},
};

static const struct kind *find_kind(const char *name, struct err *err)
{
	for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++)
		if (strcmp(KINDS[i].name, name) == 0)
			return &KINDS[i];
	(void)err_set(
		err, ERR_USAGE, "--evaluate: '%.99s' is not hacs, predictor or estimators", name);
	return NULL;
}

static enum cmd_status run(
	const struct simulate_options *o, const struct kind *kind, struct evaluation *e)
{
	struct err err = {0};
	int rc = kind->run(e);

	if (rc) {
		(void)err_code(&err, rc);
		return cmd_fail("simulate", &err);
	}
	return simulate_print(
		o, &(struct simulate_output){.json = kind->json, .text = kind->text, .context = e});
}

static enum cmd_status load_and_run(
	const struct simulate_options *o, const struct kind *kind, int64_t start_s)
{
	struct evaluation *e = calloc(1, sizeof *e);
	struct history history = {0};
	struct err err = {0};
	enum cmd_status status;
	int rc = e ? history_load(o->history, &history, &err) : err_code(&err, ERR_NOMEM);

	if (rc == 0) {
		e->options = o;
		rc = visits_draw(&history, start_s, (uint64_t)o->seed, &e->visits, &err);
		if (rc)
			err_prefix(&err, "%.200s", o->history);
	}
	status = rc ? cmd_fail_input("simulate", &err) : run(o, kind, e);
	if (e)
		visits_release(&e->visits);
	free(e);
	history_release(&history);
	return status;
}

enum cmd_status simulate_evaluate(const struct simulate_options *o)
{
	struct err err = {0};
	int64_t start_s = 0;
	const struct kind *kind = find_kind(o->evaluate, &err);

	if (kind && !o->history)
		(void)err_set(&err, ERR_USAGE, "--evaluate needs --history FILE");
	else if (kind && o->start)
		(void)simulate_date(o->start, &start_s, &err);
	if (err.code)
		return cmd_fail("simulate", &err);
	return load_and_run(o, kind, start_s);
}
