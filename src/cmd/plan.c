/* stillpoint plan: a schedule for pages that are all known. */
#include <math.h>
#include <stdio.h>

#include "base/format.h"
#include "base/vec.h"
#include "cmd/cmd.h"
#include "cmd/expect.h"
#include "cmd/option_row.h"
#include "cmd/planning.h"
#include "crawl/settings.h"
#include "plan/expect.h"
#include "report/plan_print.h"

/* 0 and NULL: not given. */
struct plan_options {
	struct cmd_planning planning;
	int format;
	bool json;
	bool fast;
	bool expect;
	const char *delays;
	const char *strategies;
	double time_limit;
	const char *hours;
	int aim;
	bool list;
};

static const char *const FORMATS[] = {"text", "csv", "json", NULL};

#define ROW_OF struct plan_options

static const struct option_spec SPECS[] = {
	CMD_PLANNING_SPECS,
	ROW(CHOICE, format, "format", 'f', "what to print (default: text)", .choices = FORMATS),
	ROW(FLAG, json, "json", 'j', "short for --format=json"),
	ROW(FLAG, fast, "fast", 0,
		"no exact optimum, whatever the size; the upper bound says what it costs"),
	ROW(FLAG, expect, "expect", 'e',
		"instead of a schedule print for several delays how long a capture lasts and how "
		"many pages may be expected sharp; rates are per second"),
	ROW(STRING, delays, "delays", 0,
		"delays for --expect, separated by commas (default: 0.1 to 60 s)",
		.metavar = "LIST"),
	ROW(STRING, strategies, "strategies", 0,
		"strategies for --expect, separated by commas (default: the main ones)",
		.metavar = "LIST"),
	ROW(DURATION, time_limit, "time-limit", 0,
		"plan a capture that lasts no longer, in the unit of the rates; with --expect: "
		"what each aim makes of it",
		.max = 1e15, .bounds = OPTION_ABOVE_MIN),
	ROW(STRING, hours, "hours", 0,
		"with --expect: what a capture gives that starts requests only at these hours, as "
		"crawl --hours has them",
		.metavar = "FROM-TO"),
	ROW(CHOICE, aim, "aim", 0,
		"what a time limit that is too short is spent on: most sharp pages, most pages, or "
		"both (default: balanced; with --expect: all of them)",
		.choices = PLAN_AIMS),
	ROW(FLAG, list, "list-strategies", 'l', "print the names of all strategies"),
	{.name = NULL},
};

static const struct options OPTIONS = {
	.program = "stillpoint",
	.command = "plan",
	.usage = "PAGES.csv [OPTION…]\n"
		 "PAGES.csv --expect [OPTION…]\n"
		 "--list-strategies",
	.description = "Computes in which order the pages of a site are to be visited and "
		       "revisited, given "
		       "how often each changes. The file has one line for each page and a header "
		       "that names the columns. weight, shape (how well the rate is known), links "
		       "and requisites may be left out, and links play no part here. A page with "
		       "requisites counts only together with them. '-' is standard "
		       "input.\n\n"
		       "  page,rate,weight\n"
		       "  /,0.01,2\n"
		       "  /imprint,0.000001,1\n\n"
		       "Positions are in units of the delay; the still point is at 0.",
	.specs = SPECS,
	.max_args = 1,
};

/* One default where all pages are known before, another where they are discovered. */
static const char *mark(const struct plan_strategy *s)
{
	if (s == plan_strategy_find(CMD_STRATEGY, true))
		return " (default of plan)";
	if (s == plan_strategy_find(CMD_STRATEGY, false))
		return " (default of crawl and simulate)";
	return "";
}

static int print(const struct plan_view *v, int format)
{
	static int (*const PRINT[])(const struct plan_view *) = {
		[CMD_FORMAT_TEXT] = plan_print_text,
		[CMD_FORMAT_CSV] = plan_print_csv,
		[CMD_FORMAT_JSON] = plan_print_json,
	};

	return PRINT[format](v);
}

static enum cmd_status fail_short(const struct plan_options *o)
{
	struct err err = {0};
	char limit[FORMAT_DOUBLE_SIZE];

	(void)format_double(o->time_limit, limit);
	(void)err_set(&err, ERR_USAGE,
		"--time-limit %s is shorter than one delay; give more time or a shorter --delay",
		limit);
	return cmd_fail("plan", &err);
}

/* What nobody can exceed: with so many revisits where a limit leaves fewer than pages. */
static int find_bound(const struct drive_params *params, struct plan_view *view)
{
	const struct site *site = params->site;
	const struct plan_params *plan = &params->plan;
	struct exposure_params exposure = {.site = site, .fast = plan->fast};
	struct plan_share share;
	int rc;

	if (plan->downloads == 0 || plan->downloads >= 2 * site->n)
		return evaluate_bound(
			site, plan->delay, plan->fast, view->expected.coherence, &view->bound);
	rc = exposure_share(&exposure, plan->delay, plan->downloads, plan->aim, &share);
	if (rc == 0)
		view->bound = fmax(share.bound, view->expected.coherence);
	return rc;
}

static enum cmd_status schedule(
	const struct plan_options *o, const struct plan_strategy *strategy, const struct site *site)
{
	struct drive_params params = {
		.site = site,
		.plan = cmd_planning_params(&o->planning, strategy),
	};
	struct drive_result capture;
	struct plan_view view = {
		.strategy = strategy, .site = site, .capture = &capture, .bound = NAN};
	struct err err = {0};
	enum cmd_status status;
	int rc = 0;

	params.plan.fast = o->fast;
	if (o->time_limit > 0) {
		size_t downloads = exposure_downloads(params.plan.delay, o->time_limit);

		/* With revisits, the innermost page is downloaded once for both legs. */
		params.plan.aim = o->aim < 0 ? PLAN_BALANCED : (enum plan_aim)o->aim;
		params.plan.downloads = params.plan.strategy->shared_slot || downloads == 0
						? downloads
						: downloads - 1;
		if (params.plan.downloads == 0)
			return fail_short(o);
	}
	if (drive(&params, &capture, &err))
		return cmd_fail("plan", &err);
	view.expected = evaluate(site, &capture, NULL);
	/* Costly, and no column of the CSV. */
	if (!capture.single && o->format != CMD_FORMAT_CSV)
		rc = find_bound(&params, &view);
	if (rc == 0 && site->requisites.len > 0)
		rc = evaluate_groups(site, &capture, o->fast, NULL, &view.groups);
	if (rc) {
		(void)err_code(&err, rc);
		status = cmd_fail("plan", &err);
	} else {
		status = cmd_finish(print(&view, o->format));
	}
	drive_release(&capture);
	return status;
}

/* One delay or strategy makes a table of one row or column. */
static enum cmd_status expect(const struct plan_options *o, const struct site *site)
{
	return cmd_expect(&(struct expect_params){
		.site = site,
		.delays = o->delays,
		.delay = o->planning.delay,
		.strategies = o->strategies ? o->strategies : o->planning.strategy,
		.tau = o->planning.tau,
		.fast = o->fast,
		.time_limit = o->time_limit,
		.hours = o->hours,
		.aim = o->aim,
		.format = (enum cmd_format)o->format,
	});
}

static int check_usage(const struct plan_options *o, size_t files, struct err *err)
{
	const char *wrong = NULL;

	if (o->list && files)
		wrong = "--list-strategies needs no file";
	else if (!o->list && !files)
		wrong = "the file of pages is missing";
	else if ((o->delays || o->strategies) && !o->expect)
		wrong = "--delays and --strategies are for --expect";
	else if (o->aim >= 0 && !(o->time_limit > 0))
		wrong = "--aim is for --time-limit";
	else if (o->hours && (!o->expect || o->time_limit > 0 || o->strategies))
		wrong = "--hours is for --expect, without --time-limit and --strategies";
	else if (o->time_limit > 0 && o->strategies)
		wrong = "--expect --time-limit compares aims, not --strategies";
	if (!wrong)
		return 0;
	return err_set(err, ERR_USAGE, "%s (try 'stillpoint plan --help')", wrong);
}

enum cmd_status cmd_plan(int argc, char **argv)
{
	struct plan_options o = {.aim = -1};
	const struct plan_strategy *strategy;
	struct option_args args;
	struct err err = {0};
	struct site site;
	enum cmd_status status;

	if (!cmd_options(&OPTIONS, argc, argv, &o, &args, &status))
		return status;
	if (check_usage(&o, args.count, &err))
		return cmd_fail("plan", &err);
	if (o.list) {
		const struct plan_strategy *s;

		for (size_t i = 0; (s = plan_strategy_at(i)); i++)
			printf("%-24s %s%s\n", s->name, s->summary, mark(s));
		return cmd_finish(0);
	}
	if (o.json)
		o.format = CMD_FORMAT_JSON;
	strategy = strategy_named(cmd_planning_name(&o.planning), true, &err);
	if (!strategy)
		return cmd_fail("plan", &err);
	if (site_load(args.ptr[0], &site, &err))
		return cmd_fail_input("plan", &err);
	status = o.expect ? expect(&o, &site) : schedule(&o, strategy, &site);
	site_release(&site);
	return status;
}
