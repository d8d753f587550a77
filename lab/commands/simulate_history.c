/* stillpoint-lab simulate --history: captures of a real site at random moments of its past. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/progress.h"
#include "commands/simulate_history.h"
#include "crawl/settings.h"
#include "histories/gains.h"
#include "histories/history_links.h"

enum { DRAWS = 200, SWEEP_DRAWS = 20 };

static const double CRAWL_DAYS = 7;

const struct history_value HISTORY_VALUES[HISTORY_VALUES_N] = {
	[HISTORY_SHARP] = {"sharp", offsetof(struct proof, sharp), true},
	[HISTORY_BLUR] = {"blur", offsetof(struct proof, blur), true},
	[HISTORY_REQUESTS] = {"requests", offsetof(struct proof, requests), true},
	[HISTORY_JOINT] = {"joint", offsetof(struct proof, joint), true},
	[HISTORY_ABSENT] = {"absent", offsetof(struct proof, absent), false},
	[HISTORY_LOST_BULK] = {"lost_bulk", offsetof(struct proof, lost_bulk), false},
	[HISTORY_LOST_LARGE] = {"lost_large", offsetof(struct proof, lost_large), false},
};

static int add_arm(struct history_experiment *e, const struct plan_strategy *strategy,
	unsigned gains, struct err *err)
{
	if (e->params.arm_count == HISTORY_ARMS_MAX)
		return err_set(
			err, ERR_USAGE, "more than %d strategies and gains", HISTORY_ARMS_MAX);
	if (gains && !strategy->revisits)
		return err_set(err, ERR_USAGE,
			"--gain needs a strategy with revisits, and %s has none", strategy->name);
	if (gains & GAINS_OF_PLAN && e->options->links)
		return err_set(err, ERR_USAGE,
			"subsites and canaries know all pages at the start: not with "
			"--links");
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

static int add_all_strategies(struct history_experiment *e, struct err *err)
{
	bool links = e->options->links;
	const struct plan_strategy *first = plan_strategy_find("stillpoint", !links), *s;
	int rc = add_arm(e, first, 0, err);

	/* Without links what is planned while discovering has nothing to discover. */
	for (size_t i = 0; rc == 0 && (s = plan_strategy_at(i)); i++)
		if (s != first && (links || !strstr(s->name, "-online")))
			rc = add_arm(e, s, 0, err);
	return rc;
}

static int add_strategies(struct history_experiment *e, struct err *err)
{
	const char *rest = cmd_planning_name(&e->options->planning);
	char name[GAINS_TEXT_SIZE];
	int rc = 0;

	if (strcmp(rest, "all") == 0)
		return add_all_strategies(e, err);
	while (rc == 0 && next_name(&rest, name, sizeof name)) {
		const struct plan_strategy *s = strategy_named(name, !e->options->links, err);

		rc = s ? add_arm(e, s, 0, err) : ERR_USAGE;
	}
	return rc;
}

static int add_gains(struct history_experiment *e, struct err *err)
{
	char name[GAINS_TEXT_SIZE];
	int rc = 0;

	e->strategies = e->params.arm_count;
	for (size_t i = 0; rc == 0 && i < e->options->gains.len; i++) {
		const char *rest = e->options->gains.ptr[i];

		while (rc == 0 && next_name(&rest, name, sizeof name)) {
			unsigned gains;

			rc = gains_parse(slice_str(name), &gains, err);
			if (rc == 0)
				rc = add_arm(e, e->arms[0].strategy, gains, err);
		}
	}
	return rc;
}

static int summarise(struct history_experiment *e)
{
	int rc = 0;

	e->summaries = mem_new(e->params.arm_count, sizeof *e->summaries);
	for (size_t a = 0; a < e->params.arm_count; a++)
		for (size_t v = 0; rc == 0 && v < HISTORY_VALUES_N; v++) {
			struct history_summary *s = &e->summaries[a];

			s->difference[v] = (struct bootstrap_mean){NAN, NAN, NAN};
			rc = replay_mean(&e->result, a, REPLAY_NO_BASE, HISTORY_VALUES[v].offset,
				&s->mean[v]);
			if (rc == 0 && a > 0 && HISTORY_VALUES[v].difference)
				rc = replay_mean(&e->result, a, 0, HISTORY_VALUES[v].offset,
					&s->difference[v]);
		}
	return rc;
}

const char *history_rates_name(const struct history_experiment *e)
{
	static const char *const NAMES[] = {
		[DRAW_PAST] = "the past",
		[DRAW_ORACLE] = "the oracle",
		[DRAW_PREDICTED] = "the predictor",
	};

	return NAMES[e->params.rates];
}

double history_mean_pages(const struct replay *r)
{
	double sum = 0;

	for (size_t i = 0; i < r->draws; i++)
		sum += r->drawn[i].pages;
	return sum / (double)r->draws;
}

double history_linked_share(const struct replay *r)
{
	double pages = 0, linked = 0;

	for (size_t i = 0; i < r->draws; i++) {
		pages += r->drawn[i].pages;
		linked += r->drawn[i].linked;
	}
	return linked / pages;
}

static void json_mean(struct json *j, const char *key, const struct bootstrap_mean *m)
{
	json_key(j, key);
	json_object_begin(j);
	json_put_double(j, "mean", m->mean);
	json_put_double(j, "low", m->low);
	json_put_double(j, "high", m->high);
	json_object_end(j);
}

static void json_gains(struct json *j, unsigned gains)
{
	char text[GAINS_TEXT_SIZE];

	gains_text(gains, text);
	json_put_string(j, "gain", gains ? text : NULL);
}

static void json_arm(struct json *j, const struct history_experiment *e, size_t a)
{
	const struct history_summary *s = &e->summaries[a];

	json_object_begin(j);
	json_put_string(j, "strategy", e->arms[a].strategy->name);
	json_gains(j, e->arms[a].gains);
	for (size_t v = 0; v < HISTORY_VALUES_N; v++)
		json_mean(j, HISTORY_VALUES[v].name, &s->mean[v]);
	json_key(j, "difference");
	if (a == 0) {
		json_null(j);
	} else {
		json_object_begin(j);
		for (size_t v = 0; v < HISTORY_VALUES_N; v++)
			if (HISTORY_VALUES[v].difference)
				json_mean(j, HISTORY_VALUES[v].name, &s->difference[v]);
		json_object_end(j);
	}
	json_object_end(j);
}

static void json_head(struct json *j, const struct history_experiment *e)
{
	json_put_string(j, "history", e->options->history);
	json_put_double(j, "crawl_days", e->params.days);
	json_put_uint(j, "draws", e->params.draws);
	json_put_uint(j, "blocks", e->result.block_count);
	json_put_string(j, "rates", SIMULATE_RATES[e->options->rates]);
	json_put_string(j, "links", e->options->links);
	json_put_double(j, "linked", e->options->links ? history_linked_share(&e->result) : NAN);
	json_put_string(j, "half", SIMULATE_HALVES[e->options->half]);
	json_put_uint(j, "seed", e->params.seed);
	json_put_double(j, "pages", history_mean_pages(&e->result));
}

static int print_json(const void *context, FILE *out)
{
	const struct history_experiment *e = context;
	struct json j;

	json_init_file(&j, out, JSON_LINES);
	json_document_begin(&j);
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

static void print_arm(FILE *out, const struct history_experiment *e, size_t a)
{
	const struct history_summary *s = &e->summaries[a];
	char name[GAINS_TEXT_SIZE];

	history_arm_name(e, a, name);
	(void)fprintf(out, "%-36s", name);
	print_mean(out, &s->mean[HISTORY_SHARP], 100, 2, false);
	print_mean(out, &s->difference[HISTORY_SHARP], 100, 2, true);
	print_mean(out, &s->mean[HISTORY_BLUR], 1, 4, false);
	(void)fprintf(out, "  %8.3f  %6.2f", s->mean[HISTORY_REQUESTS].mean,
		100 * s->mean[HISTORY_JOINT].mean);
	if (!isnan(s->mean[HISTORY_LOST_BULK].mean))
		(void)fprintf(out, "  %8.2f  %8.2f", 100 * s->mean[HISTORY_LOST_BULK].mean,
			100 * s->mean[HISTORY_LOST_LARGE].mean);
	(void)putc('\n', out);
}

static void print_text(const void *context, FILE *out)
{
	const struct history_experiment *e = context;

	(void)fprintf(out, "history     %s, %s\n", e->options->history,
		e->params.half == REPLAY_ALL     ? "all of it"
		: e->params.half == REPLAY_FIRST ? "first half"
						 : "second half");
	(void)fprintf(out, "crawls      %zu of %g days, %.0f pages on average, rates from %s\n",
		e->params.draws, e->params.days, history_mean_pages(&e->result),
		history_rates_name(e));
	if (e->options->links)
		(void)fprintf(out, "links       %s, %.1f %% of the pages are found by them\n",
			e->options->links, 100 * history_linked_share(&e->result));
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
	struct history_experiment *e = context;

	progress_update(&e->progress, e->done + done, NULL);
}

void history_arm_name(const struct history_experiment *e, size_t arm, char out[GAINS_TEXT_SIZE])
{
	gains_text(e->arms[arm].gains, out);
	if (!e->arms[arm].gains)
		(void)snprintf(out, GAINS_TEXT_SIZE, "%s", e->arms[arm].strategy->name);
}

static void take_picture(
	void *context, size_t arm, const struct draw *draw, const struct past_capture *capture)
{
	struct history_experiment *e = context;
	struct pyramid pyramid;
	char name[GAINS_TEXT_SIZE];

	history_arm_name(e, arm, name);
	if (pyramid_of_capture(draw, capture, &pyramid))
		e->album.failed = true;
	else
		album_add(&e->album, NULL, name, &pyramid);
}

/* Sharp and blur of every arm at one length of the crawl, from fewer draws. */
static int run_point(struct history_experiment *e, double factor, struct err *err)
{
	struct replay_params params = e->params;
	struct history_point *point = &e->sweep[e->sweep_count];
	struct replay result;
	int rc;

	params.days *= factor;
	params.watch = NULL;
	if (params.draws > SWEEP_DRAWS)
		params.draws = SWEEP_DRAWS;
	rc = replay_run(&params, &result, err);
	e->done += params.draws;
	if (rc == ERR_RANGE) /* the history is too short for that: so is the plot */
		return 0;
	if (rc)
		return rc;
	point->days = params.days;
	for (size_t a = 0; rc == 0 && a < params.arm_count; a++) {
		rc = replay_mean(&result, a, REPLAY_NO_BASE, offsetof(struct proof, sharp),
			&point->sharp[a]);
		if (rc == 0)
			rc = replay_mean(&result, a, REPLAY_NO_BASE, offsetof(struct proof, blur),
				&point->blur[a]);
	}
	e->sweep_count += rc == 0;
	replay_release(&result);
	return err_code(err, rc);
}

static int run_all(struct history_experiment *e, struct err *err)
{
	int rc = replay_run(&e->params, &e->result, err);

	e->done = e->params.draws;
	for (size_t i = 0; rc == 0 && e->options->html && i < SWEEP_POINTS; i++)
		rc = run_point(e, SWEEP_FACTORS[i], err);
	return rc ? rc : err_code(err, e->album.failed ? ERR_NOMEM : summarise(e));
}

static enum cmd_status run(struct history_experiment *e, const struct history *history)
{
	size_t more = e->params.draws < SWEEP_DRAWS ? e->params.draws : SWEEP_DRAWS;
	struct err err = {0};
	int rc;

	e->params.history = history;
	e->params.report = report;
	e->params.context = e;
	e->params.watch = e->options->html ? take_picture : NULL;
	e->params.watch_context = e;
	progress_init(&e->progress,
		&(struct progress_config){.fd = STDERR_FILENO,
			.clock = clock_system(),
			.title = "simulate",
			.unit = "draws",
			.total = e->params.draws + (e->options->html ? SWEEP_POINTS * more : 0)});
	rc = run_all(e, &err);
	progress_clear(&e->progress);
	if (rc == ERR_RANGE) {
		err_prefix(&err, "%s", e->options->history);
		return cmd_fail_input("simulate", &err);
	}
	if (rc)
		return cmd_fail("simulate", &err);
	return simulate_print(e->options,
		&(struct simulate_output){print_json, print_text, simulate_history_html, e});
}

enum cmd_status simulate_history(const struct simulate_options *o)
{
	struct history_experiment e = {
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
	struct history_links links = {0};
	struct err err = {0};
	enum cmd_status status;

	e.params.arms = e.arms;
	if (add_strategies(&e, &err) || add_gains(&e, &err))
		return cmd_fail("simulate", &err);
	if (history_load(o->history, &history, &err))
		return cmd_fail_input("simulate", &err);
	if (o->links && history_links_load(o->links, &history, &links, &err)) {
		history_release(&history);
		return cmd_fail_input("simulate", &err);
	}
	e.params.links = o->links ? &links : NULL;
	status = run(&e, &history);
	history_links_release(&links);
	picture_list_release(&e.album.pictures);
	free(e.summaries);
	replay_release(&e.result);
	history_release(&history);
	return status;
}
