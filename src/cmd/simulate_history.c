/* stillpoint simulate --history: captures of a real site at random moments of its past. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/progress.h"
#include "cmd/simulate.h"
#include "sim/gains.h"
#include "sim/history.h"
#include "sim/replay.h"

enum { ARMS_MAX = 64, DRAWS = 200 };

static const double CRAWL_DAYS = 7;

/* What is known of each arm, in the order of the output. */
static const struct value {
	const char *name;
	size_t offset;
	bool difference; /* worth comparing */
} VALUES[] = {
	{"sharp", offsetof(struct evidence, sharp), true},
	{"blur", offsetof(struct evidence, blur), true},
	{"requests", offsetof(struct evidence, requests), true},
	{"joint", offsetof(struct evidence, joint), true},
	{"absent", offsetof(struct evidence, absent), false},
	{"lost_bulk", offsetof(struct evidence, lost_bulk), false},
	{"lost_large", offsetof(struct evidence, lost_large), false},
};

enum {
	VALUES_N = sizeof VALUES / sizeof VALUES[0],
	SHARP = 0,
	BLUR = 1,
	REQUESTS = 2,
	JOINT = 3,
	LOST_BULK = 5,
	LOST_LARGE = 6,
};

struct arm_summary {
	struct bootstrap_mean mean[VALUES_N];
	struct bootstrap_mean difference[VALUES_N]; /* to the first arm; NAN where not compared */
};

struct experiment {
	const struct simulate_options *options;
	struct replay_params params;
	struct replay_arm arms[ARMS_MAX];
	size_t strategies; /* of the arms: those without gains */
	struct progress progress;
	struct replay result;
	struct arm_summary *summaries;
};

static int add_arm(
	struct experiment *e, const struct plan_strategy *strategy, unsigned gains, struct err *err)
{
	if (e->params.arm_count == ARMS_MAX)
		return err_set(
			err, ERR_USAGE, "simulate: more than %d strategies and gains", ARMS_MAX);
	if (gains && !strategy->revisits)
		return err_set(err, ERR_USAGE,
			"simulate: --gain needs a strategy with revisits, and %s has none",
			strategy->name);
	e->arms[e->params.arm_count++] = (struct replay_arm){strategy, gains};
	return 0;
}

/* Takes the next of the names that commas separate; false after the last. */
static bool next_name(const char **rest, char *out, size_t size)
{
	size_t len;

	if (!*rest)
		return false;
	len = strcspn(*rest, ",");
	(void)snprintf(out, size, "%.*s", (int)len, *rest);
	*rest = (*rest)[len] ? *rest + len + 1 : NULL;
	return true;
}

static int add_all_strategies(struct experiment *e, struct err *err)
{
	const struct plan_strategy *first = plan_strategy_find("stillpoint", true), *s;
	int rc = add_arm(e, first, 0, err);

	/* What is planned while discovering has nothing to discover here. */
	for (size_t i = 0; rc == 0 && (s = plan_strategy_at(i)); i++)
		if (s != first && !strstr(s->name, "-online"))
			rc = add_arm(e, s, 0, err);
	return rc;
}

static int add_strategies(struct experiment *e, struct err *err)
{
	const char *rest = cmd_planning_name(&e->options->planning);
	char name[GAINS_TEXT_SIZE];
	int rc = 0;

	if (strcmp(rest, "all") == 0)
		return add_all_strategies(e, err);
	while (rc == 0 && next_name(&rest, name, sizeof name)) {
		const struct plan_strategy *s = cmd_strategy("simulate", name, true, err);

		rc = s ? add_arm(e, s, 0, err) : ERR_USAGE;
	}
	return rc;
}

static int add_gains(struct experiment *e, struct err *err)
{
	char name[GAINS_TEXT_SIZE];
	int rc = 0;

	e->strategies = e->params.arm_count;
	for (size_t i = 0; rc == 0 && i < e->options->gains.len; i++) {
		const char *rest = e->options->gains.ptr[i];

		while (rc == 0 && next_name(&rest, name, sizeof name)) {
			unsigned gains;

			rc = gains_parse(slice_str(name), &gains, err);
			if (rc)
				err_prefix(err, "simulate");
			else
				rc = add_arm(e, e->arms[0].strategy, gains, err);
		}
	}
	return rc;
}

static int summarise(struct experiment *e)
{
	int rc = 0;

	e->summaries = calloc(e->params.arm_count, sizeof *e->summaries);
	if (!e->summaries)
		return ERR_NOMEM;
	for (size_t a = 0; a < e->params.arm_count; a++)
		for (size_t v = 0; rc == 0 && v < VALUES_N; v++) {
			struct arm_summary *s = &e->summaries[a];

			s->difference[v] = (struct bootstrap_mean){NAN, NAN, NAN};
			rc = replay_mean(&e->result, a, VALUES[v].offset, &s->mean[v]);
			if (rc == 0 && a > 0 && VALUES[v].difference)
				rc = replay_difference(
					&e->result, a, 0, VALUES[v].offset, &s->difference[v]);
		}
	return rc;
}

static double mean_pages(const struct replay *r)
{
	double sum = 0;

	for (size_t i = 0; i < r->draws; i++)
		sum += r->drawn[i].pages;
	return sum / (double)r->draws;
}

static void json_mean(struct json *j, const char *key, const struct bootstrap_mean *m)
{
	json_key(j, key);
	json_object_begin(j);
	json_key(j, "mean");
	json_double(j, m->mean);
	json_key(j, "low");
	json_double(j, m->low);
	json_key(j, "high");
	json_double(j, m->high);
	json_object_end(j);
}

static void json_gains(struct json *j, unsigned gains)
{
	char text[GAINS_TEXT_SIZE];

	gains_text(gains, text);
	json_key(j, "gain");
	json_string(j, gains ? text : NULL);
}

static void json_arm(struct json *j, const struct experiment *e, size_t a)
{
	const struct arm_summary *s = &e->summaries[a];

	json_object_begin(j);
	json_key(j, "strategy");
	json_string(j, e->arms[a].strategy->name);
	json_gains(j, e->arms[a].gains);
	for (size_t v = 0; v < VALUES_N; v++)
		json_mean(j, VALUES[v].name, &s->mean[v]);
	json_key(j, "difference");
	if (a == 0) {
		json_null(j);
	} else {
		json_object_begin(j);
		for (size_t v = 0; v < VALUES_N; v++)
			if (VALUES[v].difference)
				json_mean(j, VALUES[v].name, &s->difference[v]);
		json_object_end(j);
	}
	json_object_end(j);
}

static void json_head(struct json *j, const struct experiment *e)
{
	json_key(j, "history");
	json_string(j, e->options->history);
	json_key(j, "crawl_days");
	json_double(j, e->params.days);
	json_key(j, "draws");
	json_uint(j, e->params.draws);
	json_key(j, "blocks");
	json_uint(j, e->result.block_count);
	json_key(j, "rates");
	json_string(j, SIMULATE_RATES[e->options->rates]);
	json_key(j, "half");
	json_string(j, SIMULATE_HALVES[e->options->half]);
	json_key(j, "seed");
	json_uint(j, e->params.seed);
	json_key(j, "pages");
	json_double(j, mean_pages(&e->result));
}

static int print_json(const void *context, FILE *out)
{
	const struct experiment *e = context;
	struct json j;

	json_init_file(&j, out, JSON_LINES);
	json_object_begin(&j);
	json_head(&j, e);
	json_key(&j, "arms");
	json_array_begin(&j);
	for (size_t a = 0; a < e->params.arm_count; a++)
		json_arm(&j, e, a);
	json_array_end(&j);
	json_object_end(&j);
	return json_finish(&j);
}

/* "81.20 [79.91, 82.54]" in a column; blank when there is nothing. */
static void print_mean(
	FILE *out, const struct bootstrap_mean *m, double scale, int digits, bool sign)
{
	char text[64] = "";

	if (!isnan(m->mean) && sign)
		(void)snprintf(text, sizeof text, "%+.*f [%+.*f, %+.*f]", digits, scale * m->mean,
			digits, scale * m->low, digits, scale * m->high);
	else if (!isnan(m->mean))
		(void)snprintf(text, sizeof text, "%.*f [%.*f, %.*f]", digits, scale * m->mean,
			digits, scale * m->low, digits, scale * m->high);
	(void)fprintf(out, "  %-23s", text);
}

static void print_arm(FILE *out, const struct experiment *e, size_t a)
{
	const struct arm_summary *s = &e->summaries[a];
	char gains[GAINS_TEXT_SIZE];

	gains_text(e->arms[a].gains, gains);
	(void)fprintf(out, "%-36s", e->arms[a].gains ? gains : e->arms[a].strategy->name);
	print_mean(out, &s->mean[SHARP], 100, 2, false);
	print_mean(out, &s->difference[SHARP], 100, 2, true);
	print_mean(out, &s->mean[BLUR], 1, 4, false);
	(void)fprintf(out, "  %8.3f  %6.2f", s->mean[REQUESTS].mean, 100 * s->mean[JOINT].mean);
	if (!isnan(s->mean[LOST_BULK].mean))
		(void)fprintf(out, "  %8.2f  %8.2f", 100 * s->mean[LOST_BULK].mean,
			100 * s->mean[LOST_LARGE].mean);
	(void)putc('\n', out);
}

static void print_text(const void *context, FILE *out)
{
	const struct experiment *e = context;

	(void)fprintf(out, "history     %s, %s\n", e->options->history,
		e->params.half == REPLAY_ALL     ? "all of it"
		: e->params.half == REPLAY_FIRST ? "first half"
						 : "second half");
	(void)fprintf(out, "crawls      %zu of %g days, %.0f pages on average, rates from %s\n",
		e->params.draws, e->params.days, mean_pages(&e->result),
		e->params.rates == DRAW_PAST ? "the past" : "the oracle");
	(void)fprintf(
		out, "intervals   95 %%, bootstrap over stretches of %g days\n\n", e->params.days);
	(void)fprintf(out, "%-36s  %-23s  %-23s  %-23s  %8s  %6s  %8s  %8s\n", "", "sharp %",
		"difference", "blur per page", "requests", "joint%", "lost 10+", "lost 100+");
	for (size_t a = 0; a < e->params.arm_count; a++) {
		if (a == e->strategies)
			(void)fprintf(out, "\nwith %s:\n", e->arms[0].strategy->name);
		print_arm(out, e, a);
	}
}

static void report(void *context, size_t done)
{
	progress_update(context, done, NULL);
}

static enum cmd_status run(struct experiment *e, const struct history *history)
{
	struct err err = {0};
	int rc;

	e->params.history = history;
	e->params.report = report;
	e->params.context = &e->progress;
	progress_init(&e->progress, &(struct progress_config){.fd = STDERR_FILENO,
					    .clock = clock_system(),
					    .title = "simulate",
					    .unit = "draws",
					    .total = e->params.draws});
	rc = replay_run(&e->params, &e->result, &err);
	progress_clear(&e->progress);
	if (rc == ERR_RANGE) {
		err_prefix(&err, "%s", e->options->history);
		return cmd_fail_input(&err);
	}
	if (rc == 0)
		rc = summarise(e);
	if (rc)
		return cmd_fail(&(struct err){rc, "out of memory"});
	return simulate_print(e->options, &(struct simulate_output){print_json, print_text, e});
}

enum cmd_status simulate_history(const struct simulate_options *o)
{
	struct experiment e = {
		.options = o,
		.params = {.draws = o->draws > 0 ? (size_t)o->draws : DRAWS,
			.days = o->crawl_days > 0 ? o->crawl_days : CRAWL_DAYS,
			.rates = (enum draw_rates)o->rates,
			.memory = o->memory_days,
			.tau = o->planning.tau,
			.canary_period = (unsigned)o->canary_period,
			.half = (enum replay_half)o->half,
			.seed = (uint64_t)o->seed,
			.threads = (unsigned)o->threads},
	};
	struct history history;
	struct err err = {0};
	enum cmd_status status;

	e.params.arms = e.arms;
	if (add_strategies(&e, &err) || add_gains(&e, &err))
		return cmd_fail(&err);
	if (history_load(o->history, &history, &err))
		return cmd_fail_input(&err);
	status = run(&e, &history);
	free(e.summaries);
	replay_release(&e.result);
	history_release(&history);
	return status;
}
