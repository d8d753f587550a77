/* stillpoint-lab simulate --watch: policies that keep an archive up to date, on a budget. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/parse.h"
#include "base/progress.h"
#include "commands/simulate.h"
#include "histories/watched.h"
#include "sim/watch_synthetic.h"

#define DAY_S 86400.0

enum { RUNS = 4, CONTENDERS_MAX = 32, NAME_SIZE = 64 };

#define DAYS        365.0
#define BUDGET      0.1
#define PAST_DAYS   365.0
#define PAST_PERIOD 7.0

static const struct {
	enum watch_measure measure;
	const char *key, *title;
} MEASURES[] = {
	{WATCH_FRESHNESS, "freshness", "freshness"},
	{WATCH_AGE, "age", "age, days"},
	{WATCH_VERSIONS, "versions", "versions"},
	{WATCH_SHARPNESS, "sharpness", "sharpness"},
};

enum { MEASURES_N = sizeof MEASURES / sizeof MEASURES[0] };

struct session {
	const struct simulate_options *options;
	struct watch_study_params params;
	struct watch_study study;
	struct progress progress;
	struct watch_contender contenders[CONTENDERS_MAX];
	char names[CONTENDERS_MAX][NAME_SIZE];
};

static void put_estimate(struct json *j, const char *key, struct estimate e)
{
	char error[NAME_SIZE];

	(void)snprintf(error, sizeof error, "%s_se", key);
	json_put_double(j, key, e.mean);
	json_put_double(j, error, e.error);
}

static void json_row(struct json *j, const struct session *s, size_t i)
{
	const struct watch_study_row *r = &s->study.rows[i];

	json_object_begin(j);
	json_put_string(j, "policy", s->contenders[i].name);
	for (size_t m = 0; m < MEASURES_N; m++)
		put_estimate(j, MEASURES[m].key, r->of[MEASURES[m].measure]);
	put_estimate(j, "expected_freshness", r->of[WATCH_EXPECTED]);
	put_estimate(j, "claimed_freshness", r->claimed);
	json_put_double(j, "looks", r->of[WATCH_LOOKS].mean);
	json_key(j, "difference");
	if (i == 0) {
		json_null(j);
	} else {
		json_object_begin(j);
		for (size_t m = 0; m < MEASURES_N; m++)
			put_estimate(j, MEASURES[m].key, r->ahead[MEASURES[m].measure]);
		json_object_end(j);
	}
	json_object_end(j);
}

static int print_json(const void *context, FILE *out)
{
	const struct session *s = context;
	struct json j;

	json_init_file(&j, out, JSON_LINES);
	json_document_begin(&j);
	json_put_string(&j, "history", s->options->history);
	json_put_string(&j, "site", s->options->site);
	json_put_double(&j, "pages", s->study.pages);
	json_put_double(&j, "budget", s->params.budget);
	json_put_double(&j, "days", s->params.days);
	json_put_double(&j, "grid", s->params.grid);
	json_put_string(&j, "rates", s->params.learned ? "learned" : "known");
	json_put_uint(&j, "runs", s->params.runs);
	json_key(&j, "rows");
	json_array_begin(&j);
	for (size_t i = 0; i < s->params.contender_count; i++)
		json_row(&j, s, i);
	json_array_end(&j);
	json_key(&j, "bound");
	json_object_begin(&j);
	for (size_t m = 0; m < MEASURES_N; m++)
		json_put_double(&j, MEASURES[m].key, s->study.bound[MEASURES[m].measure].mean);
	json_object_end(&j);
	json_put_double(&j, "optimum", s->study.optimum.mean);
	json_object_end(&j);
	return json_finish(&j);
}

static void print_estimate(FILE *out, struct estimate e)
{
	if (isnan(e.mean))
		(void)fprintf(out, " %9s   %-8s", "-", "");
	else if (isnan(e.error))
		(void)fprintf(out, " %9.4f   %-8s", e.mean, "");
	else
		(void)fprintf(out, " %9.4f ± %-8.4f", e.mean, e.error);
}

static void print_row(FILE *out, const char *name, const struct estimate *of, double looks)
{
	(void)fprintf(out, "%-14s", name);
	for (size_t m = 0; m < MEASURES_N; m++)
		print_estimate(out, of[MEASURES[m].measure]);
	if (isnan(looks))
		(void)fprintf(out, " %9s\n", "");
	else
		(void)fprintf(out, " %9.1f\n", looks);
}

static void print_text(const void *context, FILE *out)
{
	const struct session *s = context;

	(void)fprintf(out, "%s, %.0f pages, %g looks per page and day, rates %s, %zu runs\n\n",
		s->options->history ? s->options->history : s->options->site, s->study.pages,
		s->params.budget, s->params.learned ? "learned" : "known", s->params.runs);
	(void)fprintf(out, "%-14s", "policy");
	for (size_t m = 0; m < MEASURES_N; m++)
		(void)fprintf(out, " %9s   %-8s", MEASURES[m].title, "s.e.");
	(void)fprintf(out, " %9s\n", "looks/day");
	for (size_t i = 0; i < s->params.contender_count; i++)
		print_row(out, s->contenders[i].name, s->study.rows[i].of,
			s->study.rows[i].of[WATCH_LOOKS].mean);
	print_row(out, "nobody beats", s->study.bound, NAN);
	if (!isnan(s->study.optimum.mean))
		(void)fprintf(out, "\nbest periodic looks at these rates: freshness %.4f\n",
			s->study.optimum.mean);
	if (s->params.contender_count > 1)
		(void)fprintf(out, "\nahead of %s, run by run\n", s->contenders[0].name);
	for (size_t i = 1; i < s->params.contender_count; i++)
		print_row(out, s->contenders[i].name, s->study.rows[i].ahead, NAN);
}

/* The number behind a policy's name: hacs:THETA, longevity:DAYS. */
static int set_number(struct watch_contender *c, const char *text, struct err *err)
{
	double number = 0;
	bool ok = parse_double(slice_str(text), &number) == 0 && number >= 0;

	if (ok && c->policy == &REFRESH_HACS && number < 1)
		c->more.aim.theta = number;
	else if (ok && strcmp(c->policy->name, "longevity") == 0)
		c->more.aim.use = number;
	else
		return err_set(err, ERR_USAGE,
			"--watch: '%s' takes no '%s'; numbers are for hacs:THETA (below 1) "
			"and longevity:DAYS",
			c->policy->name, text);
	return 0;
}

static int unknown(const char *name, struct err *err)
{
	struct closest c;

	closest_init(&c, name);
	for (size_t i = 0; refresh_policy_at(i); i++)
		closest_offer(&c, refresh_policy_at(i)->name);
	return cmd_unknown("--watch: unknown policy", &c,
		"uniform, proportional, fresh, age, harmonic, longevity, capture, hacs, sample, "
		"hybrid, sharp, captures",
		err);
}

static int add_contender(struct session *s, const char *text, size_t len, struct err *err)
{
	size_t i = s->params.contender_count, name_len;
	struct watch_contender *c = &s->contenders[i];
	char name[NAME_SIZE];

	if (i == CONTENDERS_MAX || len >= NAME_SIZE)
		return err_set(err, ERR_USAGE, "--watch: more than %d policies, or a long name",
			CONTENDERS_MAX);
	memcpy(s->names[i], text, len);
	s->names[i][len] = '\0';
	name_len = strcspn(s->names[i], ":");
	memcpy(name, s->names[i], name_len);
	name[name_len] = '\0';
	c->name = s->names[i];
	s->params.contender_count++;
	if (strcmp(s->names[i], "captures") == 0)
		return 0;
	c->policy = refresh_policy_find(name);
	if (!c->policy)
		return unknown(name, err);
	if (strcmp(name, "longevity") == 0)
		c->more.aim.use = 1;
	return s->names[i][name_len] ? set_number(c, s->names[i] + name_len + 1, err) : 0;
}

/* Policies separated by blanks or commas. */
static int read_policies(struct session *s, struct err *err)
{
	const struct text_list *list = &s->options->watch;
	int rc = 0;

	for (size_t i = 0; i < list->len; i++)
		for (const char *t = list->ptr[i] + strspn(list->ptr[i], " ,"); *t && rc == 0;
			t += strspn(t, " ,")) {
			size_t len = strcspn(t, " ,");

			rc = add_contender(s, t, len, err);
			t += len;
		}
	if (rc == 0 && s->params.contender_count == 0)
		rc = err_set(err, ERR_USAGE, "--watch: no policy is given");
	return rc;
}

static void show_progress(void *context, size_t done)
{
	progress_update(&((struct session *)context)->progress, done, NULL);
}

static int run_study(struct session *s, struct err *err)
{
	int rc;

	progress_init(&s->progress, &(struct progress_config){.fd = STDERR_FILENO,
					    .clock = clock_system(),
					    .title = "simulate",
					    .unit = "runs",
					    .total = s->params.runs});
	s->params.report = show_progress;
	s->params.report_context = s;
	rc = watch_study_run(&s->params, &s->study, err);
	progress_clear(&s->progress);
	return rc;
}

static int run_synthetic(struct session *s, struct err *err)
{
	struct watch_synthetic world = {.start = s->params.past,
		.until = s->params.past + s->params.days,
		.seed = (uint64_t)s->options->seed};
	int rc = synthetic_parse(s->options->site, &world.site, err);

	if (rc) {
		err_prefix(err, "--site");
		return rc;
	}
	s->params.make = watch_synthetic_make;
	s->params.release = watch_synthetic_release;
	s->params.context = &world;
	return run_study(s, err);
}

/* Watches one behind another: from the given day on, or up to the end of the history. */
static int run_history(struct session *s, struct err *err)
{
	struct history history = {0};
	struct watched_history world = {.history = &history, .days = s->params.days};
	double length = s->params.days * (double)s->params.runs;
	int64_t start_s = 0;
	int rc = history_load(s->options->history, &history, err);

	if (rc)
		return rc;
	world.start = history.days - length;
	if (s->options->start) {
		rc = simulate_date(s->options->start, &start_s, err);
		world.start = (double)(start_s - history.began_s) / DAY_S;
	}
	if (rc == 0 && (world.start < 0 || world.start + length > history.days + 1))
		rc = err_set(err, ERR_USAGE,
			"--watch: %zu runs of %g days do not fit into the %.0f days of %s; give "
			"--start, --days or --runs",
			s->params.runs, s->params.days, history.days, s->options->history);
	s->params.make = watched_make;
	s->params.release = watched_release;
	s->params.context = &world;
	if (rc == 0) {
		rc = run_study(s, err);
		if (rc == ERR_NOTFOUND)
			rc = err_set(err, ERR_USAGE, "--watch: %s has no pages when a watch begins",
				s->options->history);
	}
	history_release(&history);
	return rc;
}

static struct watch_study_params params_of(const struct simulate_options *o)
{
	bool learned = o->rates != SIMULATE_RATES_KNOWN;
	double past = o->memory_days > 0 ? o->memory_days : o->history ? PAST_DAYS : 0;

	return (struct watch_study_params){.runs = o->runs ? (size_t)o->runs : RUNS,
		.threads = (unsigned)o->threads,
		.seed = (uint64_t)o->seed,
		.budget = o->budget > 0 ? o->budget : BUDGET,
		.days = o->days > 0 ? o->days : DAYS,
		.grid = o->grid > 0 ? o->grid / DAY_S : 1,
		.learned = learned,
		.past = learned ? past : 0,
		.past_period = PAST_PERIOD};
}

enum cmd_status simulate_watch(const struct simulate_options *o)
{
	struct session *s = calloc(1, sizeof *s);
	struct err err = {0};
	enum cmd_status status;
	int rc = s ? 0 : err_code(&err, ERR_NOMEM);

	if (rc == 0) {
		s->options = o;
		s->params = params_of(o);
		s->params.contenders = s->contenders;
		rc = read_policies(s, &err);
	}
	if (rc == 0 && !o->site == !o->history)
		rc = err_set(&err, ERR_USAGE, "--watch needs either --history FILE or --site SPEC");
	if (rc == 0 && o->rates != 0 && o->rates < SIMULATE_RATES_KNOWN)
		rc = err_set(&err, ERR_USAGE, "--watch: rates are known or learned");
	if (rc == 0)
		rc = o->site ? run_synthetic(s, &err) : run_history(s, &err);
	status = rc ? cmd_fail("simulate", &err)
		    : simulate_print(
			      o, &(struct simulate_output){
					 .json = print_json, .text = print_text, .context = s});
	if (s)
		watch_study_release(&s->study);
	free(s);
	return status;
}
