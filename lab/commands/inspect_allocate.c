/* stillpoint-lab inspect allocate: how a bandwidth is divided among pages, and what that is worth.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "cmd/cmd.h"
#include "cmd/option_row.h"
#include "commands/commands.h"
#include "commands/inspect_lines.h"
#include "inspect/page_line.h"

struct allocate_options {
	int policy; /* index into POLICIES */
	double bandwidth;
};

/* The optima first, in the order of enum refresh_objective. */
static const char *const POLICIES[] = {"fresh-periodic", "fresh-poisson", "age-periodic",
	"age-poisson", "harmonic-poisson", "uniform", "proportional", NULL};

enum { POLICY_UNIFORM = REFRESH_OBJECTIVES };

static const char *const VALUES[REFRESH_OBJECTIVES] = {
	"fresh_periodic", "fresh_poisson", "age_periodic", "age_poisson", "harmonic_poisson"};

#define ROW_OF struct allocate_options

static const struct option_spec SPECS[] = {
	ROW(CHOICE, policy, "policy", 'p', "what is best, or a baseline (default: fresh-periodic)",
		.choices = POLICIES),
	ROW(DOUBLE, bandwidth, "bandwidth", 'b', "looks per unit of time at all pages together",
		.metavar = "B", .max = REFRESH_NUMBER_MAX),
	{0},
};

static const struct options COMMAND = {
	.program = LAB_PROGRAM,
	.command = "inspect allocate",
	.usage = "FILE --bandwidth B [--policy P]",
	.description =
		"Reads lines of JSON (- is standard input), each a page, {\"rate\":0.5,"
		"\"weight\":1},\n"
		"and prints how often to look at each (f), what another look would gain\n"
		"(multiplier), and the weighted sums of freshness, age and harmonic cost (values)\n"
		"of that. null is infinite, or unknown.",
	.specs = SPECS,
	.min_args = 1,
	.max_args = 1,
};

static int read_line(void *context, slice line, struct err *err)
{
	struct refresh_pages *pages = context;
	struct refresh_page page = {0};
	int rc = refresh_page_line(line, &page, err);

	return rc ? rc : err_code(err, refresh_pages_push(pages, page));
}

static double allocate(
	const struct allocate_options *o, const struct refresh_pages *pages, double *f)
{
	if (o->policy < REFRESH_OBJECTIVES)
		return refresh_optimum(
			(enum refresh_objective)o->policy, pages->ptr, pages->len, o->bandwidth, f);
	if (o->policy == POLICY_UNIFORM)
		refresh_uniform(pages->len, o->bandwidth, f);
	else
		refresh_proportional(pages->ptr, pages->len, o->bandwidth, f);
	return NAN;
}

static int print(const struct refresh_pages *pages, const double *f, double multiplier)
{
	struct json j;

	json_init_file(&j, stdout, JSON_LINES);
	json_object_begin(&j);
	json_key(&j, "f");
	json_array_begin(&j);
	for (size_t i = 0; i < pages->len; i++)
		json_double(&j, f[i]);
	json_array_end(&j);
	json_put_double(&j, "multiplier", multiplier);
	json_key(&j, "values");
	json_object_begin(&j);
	for (int i = 0; i < REFRESH_OBJECTIVES; i++)
		json_put_double(&j, VALUES[i],
			refresh_total((enum refresh_objective)i, pages->ptr, pages->len, f));
	json_object_end(&j);
	json_object_end(&j);
	return json_finish(&j);
}

enum cmd_status inspect_allocate(int argc, char **argv)
{
	struct allocate_options options = {.bandwidth = NAN};
	struct refresh_pages pages = {0};
	struct option_args args;
	struct err err = {0};
	enum cmd_status status;
	double *f = NULL;
	int rc;

	if (!cmd_options(&COMMAND, argc, argv, &options, &args, &status))
		return status;
	if (!refresh_number_ok(options.bandwidth))
		return cmd_fail("inspect allocate",
			&(struct err){ERR_USAGE,
				"give --bandwidth B, 0 or a number between 1e-30 and 1e30"});
	rc = inspect_lines(args.ptr[0], read_line, &pages, &err);
	if (rc == 0) {
		f = calloc(pages.len + 1, sizeof *f);
		rc = f ? 0 : err_code(&err, ERR_NOMEM);
	}
	status = rc ? cmd_fail_input("inspect allocate", &err)
		    : cmd_finish(print(&pages, f, allocate(&options, &pages, f)));
	free(f);
	refresh_pages_release(&pages);
	return status;
}
