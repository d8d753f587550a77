/* simulate --site: strategies compared on a synthetic site, with what may go wrong. */
#include "commands/simulate_site.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/format.h"
#include "base/json.h"
#include "base/progress.h"
#include "cmd/cmd.h"
#include "crawl/settings.h"
#include "plan/expect.h"

enum { NAME_SIZE = 64 };

static int add(struct contender_list *out, const struct contender *c, struct err *err)
{
	for (size_t i = 0; i < out->len; i++)
		if (strcmp(out->ptr[i].name, c->name) == 0)
			return 0;
	return err_code(err, contender_list_push(out, *c));
}

static int add_all(struct contender_list *out, struct err *err)
{
	const struct contender op = {.name = CONTENDER_OP};
	const struct plan_strategy *s;
	int rc = 0;

	for (size_t i = 0; rc == 0 && (s = plan_strategy_at(i)); i++)
		rc = add(out, &(struct contender){.name = s->name, .plan = s}, err);
	return rc ? rc : add(out, &op, err);
}

static int add_name(const char *name, struct contender_list *out, struct err *err)
{
	struct contender c = {.name = CONTENDER_OP};

	if (strcmp(name, "all") == 0)
		return add_all(out, err);
	if (strcmp(name, CONTENDER_OP) != 0) {
		c.plan = strategy_named(name, false, err);
		if (!c.plan)
			return ERR_USAGE;
		c.name = c.plan->name;
	}
	return add(out, &c, err);
}

/*
 * Appends the strategies of the list, each once, also "op". "all" is every one there is. Free with
 * contender_list_release also after a failure. 0, ERR_NOMEM, or ERR_USAGE with an error that
 * proposes a name.
 */
static int contenders_read(const char *list, struct contender_list *out, struct err *err)
{
	for (;;) {
		size_t len = strcspn(list, ",");
		char name[NAME_SIZE];
		int rc;

		(void)snprintf(
			name, sizeof name, "%.*s", (int)(len < NAME_SIZE ? len : NAME_SIZE), list);
		rc = add_name(name, out, err);
		if (rc || !list[len])
			return rc;
		list += len + 1;
	}
}

enum { DEFAULT_RUNS = 20, SWEEP_RUNS = 2 };

/* Of the measures that scatter; the number of pages is printed apart. */
static const struct {
	enum trial_measure measure;
	const char *key;
} KEYS[] = {
	{TRIAL_EXPECTED_COHERENCE, "expected_coherence"},
	{TRIAL_COHERENCE, "coherence"},
	{TRIAL_EXPECTED_BLUR, "expected_blur"},
	{TRIAL_BLUR, "blur"},
};

enum { KEYS_N = sizeof KEYS / sizeof KEYS[0] };

static void json_strategy(struct json *j, const char *name, const struct study_result *r)
{
	char error[64];

	json_object_begin(j);
	json_put_string(j, "strategy", name);
	json_put_double(j, "pages", r->of[TRIAL_PAGES].mean);
	for (size_t i = 0; i < KEYS_N; i++) {
		const struct estimate *e = &r->of[KEYS[i].measure];

		(void)snprintf(error, sizeof error, "%s_stderr", KEYS[i].key);
		json_put_double(j, KEYS[i].key, e->mean);
		json_put_double(j, error, e->error);
	}
	json_object_end(j);
}

static int print_json(const void *context, FILE *out)
{
	const struct site_study *s = context;
	const struct trial_params *t = &s->params.trial;
	struct json j;

	json_init_file(&j, out, JSON_LINES);
	json_document_begin(&j);
	json_put_string(&j, "site", s->options->site);
	json_put_double(&j, "pages", t->site.n);
	json_put_double(&j, "delay", t->delay);
	json_put_double(&j, "runs", s->params.runs);
	json_put_uint(&j, "seed", s->params.seed);
	json_put_double(&j, "estimate_error", t->size_error);
	json_put_double(&j, "rate_error", t->rate_error > 0 ? t->rate_error : 1);
	json_put_double(&j, "failures", t->failure);
	json_put_double(&j, "late", t->late);
	json_key(&j, "strategies");
	json_array_begin(&j);
	for (size_t i = 0; i < s->contenders.len; i++)
		json_strategy(&j, s->contenders.ptr[i].name, &s->results[i]);
	json_array_end(&j);
	json_object_end(&j);
	return json_finish(&j);
}

/* A mean with its error, in a fixed number of columns ("±" is one, though two bytes). */
static void print_estimate(FILE *out, int width, int digits, struct estimate e)
{
	enum { ERROR_WIDTH = 8 };

	if (isnan(e.mean))
		(void)fprintf(out, " %*s   %-*s", width, "-", ERROR_WIDTH, "");
	else if (isnan(e.error))
		(void)fprintf(out, " %*.*f   %-*s", width, digits, e.mean, ERROR_WIDTH, "");
	else
		(void)fprintf(out, " %*.*f ± %-*.*f", width, digits, e.mean, ERROR_WIDTH, digits,
			e.error);
}

static void print_mean(FILE *out, int width, int digits, double mean)
{
	if (isnan(mean))
		(void)fprintf(out, " %*s", width, "-");
	else
		(void)fprintf(out, " %*.*f", width, digits, mean);
}

static void print_faults(FILE *out, const struct trial_params *t)
{
	if (t->size_error != 0)
		(void)fprintf(out, "told size    %+.0f %%\n", 100 * t->size_error);
	if (t->rate_error > 1)
		(void)fprintf(out, "told rates   wrong by a factor of up to %g\n", t->rate_error);
	if (t->failure > 0)
		(void)fprintf(out, "failures     %g %% of the downloads\n", 100 * t->failure);
	if (t->late > 0)
		(void)fprintf(out, "late links   %g %%\n", 100 * t->late);
}

static void print_text(const void *context, FILE *out)
{
	const struct site_study *s = context;
	const struct trial_params *t = &s->params.trial;
	char delay[FORMAT_DOUBLE_SIZE];

	(void)format_double(t->delay, delay);
	(void)fprintf(out, "site         %s, %u pages\n", s->options->site, t->site.n);
	(void)fprintf(out, "runs         %u, one download every %s\n", s->params.runs, delay);
	print_faults(out, t);
	(void)fprintf(out, "\n%-24s %9s %12s %12s   %-8s %11s %11s   %-8s\n", "", "", "expected",
		"", "standard", "expected", "blur", "standard");
	(void)fprintf(out, "%-24s %9s %12s %12s   %-8s %11s %11s   %-8s\n", "strategy", "pages",
		"sharp", "sharp", "error", "blur", "per page", "error");
	for (size_t i = 0; i < s->contenders.len; i++) {
		const struct estimate *of = s->results[i].of;

		(void)fprintf(out, "%-24s", s->contenders.ptr[i].name);
		print_mean(out, 9, t->failure > 0 || t->late > 0, of[TRIAL_PAGES].mean);
		print_mean(out, 12, 2, of[TRIAL_EXPECTED_COHERENCE].mean);
		print_estimate(out, 12, 2, of[TRIAL_COHERENCE]);
		print_mean(out, 11, 4, of[TRIAL_EXPECTED_BLUR].mean);
		print_estimate(out, 11, 4, of[TRIAL_BLUR]);
		(void)putc('\n', out);
	}
}

/* The bar goes on over several studies. */
struct bar {
	struct progress progress;
	size_t before; /* runs of the studies before */
};

static void show_progress(void *context, size_t done)
{
	struct bar *b = context;

	progress_update(&b->progress, b->before + done, NULL);
}

static void take_picture(void *context, size_t contender, const struct drive_result *capture,
	const struct change_history *histories)
{
	struct site_study *s = context;
	struct pyramid pyramid;

	pyramid_of_drive(capture, histories, &pyramid);
	album_add(&s->album, NULL, s->contenders.ptr[contender].name, &pyramid);
}

/* A few runs at each slow-down; what is expected scatters little. */
static unsigned sweep_runs(const struct site_study *s)
{
	return s->params.runs < SWEEP_RUNS ? s->params.runs : SWEEP_RUNS;
}

static int run_sweep(struct site_study *s, struct bar *bar, struct err *err)
{
	struct study_params params = s->params;
	int rc = 0;

	params.runs = sweep_runs(s);
	params.trial.watch = NULL;
	for (size_t i = 0; rc == 0 && i < SWEEP_POINTS; i++) {
		params.trial.delay = s->params.trial.delay * SWEEP_FACTORS[i];
		rc = study_run(&params, s->sweep + i * s->contenders.len, err);
		bar->before += params.runs;
	}
	return rc;
}

static int run_study(struct site_study *s, struct err *err)
{
	bool html = s->options->html != NULL;
	struct bar bar = {.before = 0};
	int rc;

	s->results = calloc(s->contenders.len, sizeof *s->results);
	s->sweep = calloc(s->contenders.len * SWEEP_POINTS, sizeof *s->sweep);
	if (!s->results || !s->sweep)
		return err_code(err, ERR_NOMEM);
	progress_init(&bar.progress,
		&(struct progress_config){.fd = STDERR_FILENO,
			.clock = clock_system(),
			.title = "simulate",
			.unit = "runs",
			.total = s->params.runs + (html ? SWEEP_POINTS * sweep_runs(s) : 0)});
	s->params.report = show_progress;
	s->params.context = &bar;
	s->params.trial.watch = html ? take_picture : NULL;
	s->params.trial.watch_context = s;
	show_progress(&bar, 0);
	rc = study_run(&s->params, s->results, err);
	bar.before = s->params.runs;
	if (rc == 0 && html)
		rc = run_sweep(s, &bar, err);
	progress_clear(&bar.progress);
	if (rc == 0 && s->album.failed)
		rc = err_code(err, ERR_NOMEM);
	return rc;
}

static int read_options(struct site_study *s, struct err *err)
{
	const struct simulate_options *o = s->options;
	struct plan_params plan = cmd_planning_params(&o->planning, NULL);
	int rc = contenders_read(cmd_planning_name(&o->planning), &s->contenders, err);

	s->params = (struct study_params){
		.trial = {.delay = plan.delay,
			.tau = plan.tau,
			.size_error = o->estimate_error,
			.rate_error = o->rate_error,
			.failure = o->failures,
			.late = o->late,
			.contenders = s->contenders.ptr,
			.contender_count = s->contenders.len},
		.runs = o->runs ? (unsigned)o->runs : DEFAULT_RUNS,
		.threads = (unsigned)o->threads,
		.seed = (uint64_t)o->seed,
	};
	if (rc == 0) {
		rc = synthetic_parse(o->site, &s->params.trial.site, err);
		if (rc)
			err_prefix(err, "--site");
		s->params.trial.fast = s->params.trial.site.n > EXPOSURE_EXACT_MAX;
	}
	return rc;
}

enum cmd_status simulate_site(const struct simulate_options *o)
{
	struct site_study s = {.options = o};
	struct simulate_output output = {print_json, print_text, simulate_site_html, &s};
	struct err err = {0};
	enum cmd_status status;
	int rc = read_options(&s, &err);

	if (rc == 0)
		rc = run_study(&s, &err);
	status = rc ? cmd_fail("simulate", &err) : simulate_print(o, &output);
	contender_list_release(&s.contenders);
	picture_list_release(&s.album.pictures);
	free(s.results);
	free(s.sweep);
	return status;
}
