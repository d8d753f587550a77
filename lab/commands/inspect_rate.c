/* stillpoint-lab inspect rate: how often a page changes, by every estimator, from what visits saw.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/parse.h"
#include "cmd/cmd.h"
#include "cmd/option_row.h"
#include "commands/commands.h"
#include "commands/inspect_lines.h"
#include "inspect/interval_line.h"
#include "plan/gamma_poisson.h"
#include "plan/posterior.h"
#include "plan/rate_estimate.h"

struct rate_options {
	const char *prior;
};

/* What `crawl` assumes of a page it knows nothing about, where intervals are in days. */
static const struct rate_gamma PRIOR = {.shape = 0.5, .time = 15};

#define ROW_OF struct rate_options

static const struct option_spec SPECS[] = {
	ROW(STRING, prior, "prior", 'p',
		"the Gamma prior of the change rate, whose mean is SHAPE/RATE (default "
		"0.5,15)",
		.metavar = "SHAPE,RATE"),
	{0},
};

static const struct options COMMAND = {
	.program = LAB_PROGRAM,
	.command = "inspect rate",
	.usage = "FILE [--prior SHAPE,RATE]",
	.description =
		"Reads lines of JSON (- is standard input), {\"intervals\":[[length,changed],…]},\n"
		"each what visits to a page saw, and prints for each an object with the keys n,\n"
		"m (intervals, and those with a change), naive, bias_reduced, mle, hacs,\n"
		"posterior_mean, low, high (rates; null where there is none) and p_within (the\n"
		"probability of a change within 1, 7 and 30). The unit of time is that of the\n"
		"intervals.",
	.specs = SPECS,
	.min_args = 1,
	.max_args = 1,
};

static int parse_prior(const char *text, struct rate_gamma *ret, struct err *err)
{
	const char *comma = strchr(text, ',');
	struct rate_gamma g = {0}, clean;

	if (!comma || parse_double((slice){text, (size_t)(comma - text)}, &g.shape) ||
		parse_double(slice_str(comma + 1), &g.time))
		return err_set(err, ERR_USAGE,
			"--prior: '%.99s' is not SHAPE,RATE, two numbers such as 0.5,15", text);
	clean = rate_gamma_clean(g);
	if (clean.shape != g.shape || clean.time != g.time)
		return err_set(err, ERR_USAGE,
			"--prior: SHAPE must be between %g and %g, RATE between %g and %g",
			RATE_SHAPE_MIN, RATE_SHAPE_MAX, RATE_TIME_MIN, RATE_TIME_MAX);
	*ret = g;
	return 0;
}

struct inspector {
	struct json json;
	struct rate_gamma prior;
	struct rate_intervals seen;
	struct rate_posterior posterior;
};

/* All of them; what is unknown becomes null. */
static void put_estimates(struct json *j, const struct rate_intervals *seen)
{
	struct rate_tally t = rate_tally_of(seen->ptr, seen->len);
	double naive = NAN, bias_reduced = NAN, mle = NAN, hacs = NAN;

	(void)rate_naive(&t, &naive);
	(void)rate_bias_reduced(&t, &bias_reduced);
	(void)rate_mle(seen->ptr, seen->len, &mle);
	(void)rate_hacs(seen->ptr, seen->len, &hacs);
	json_put_uint(j, "n", t.n);
	json_put_uint(j, "m", t.m);
	json_put_double(j, "naive", naive);
	json_put_double(j, "bias_reduced", bias_reduced);
	json_put_double(j, "mle", mle);
	json_put_double(j, "hacs", hacs);
}

static void put_within(struct inspector *in)
{
	static const struct {
		const char *key;
		double horizon;
	} ROWS[] = {{"1", 1}, {"7", 7}, {"30", 30}};

	json_key(&in->json, "p_within");
	json_object_begin(&in->json);
	for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++)
		json_put_double(&in->json, ROWS[i].key,
			rate_posterior_within(&in->posterior, ROWS[i].horizon));
	json_object_end(&in->json);
}

static void print(struct inspector *in)
{
	struct json *j = &in->json;

	rate_posterior_init(&in->posterior, in->prior, in->seen.ptr, in->seen.len);
	json_object_begin(j);
	put_estimates(j, &in->seen);
	json_put_double(j, "posterior_mean", rate_posterior_mean(&in->posterior));
	json_put_double(j, "low", rate_posterior_quantile(&in->posterior, 0.025));
	json_put_double(j, "high", rate_posterior_quantile(&in->posterior, 0.975));
	put_within(in);
	json_object_end(j);
}

static int read_line(void *context, slice line, struct err *err)
{
	struct inspector *in = context;
	int rc = rate_interval_line(line, &in->seen, err);

	if (rc == 0)
		print(in);
	return rc;
}

static enum cmd_status run(struct inspector *in, const char *name)
{
	struct err err = {0};
	int rc, written;

	json_init_file(&in->json, stdout, JSON_LINES);
	rc = inspect_lines(name, read_line, in, &err);
	written = json_finish(&in->json);
	return rc ? cmd_fail_input("inspect rate", &err) : cmd_finish(written);
}

enum cmd_status inspect_rate(int argc, char **argv)
{
	struct rate_options options = {0};
	struct option_args args;
	struct inspector *in;
	struct err err = {0};
	enum cmd_status status;

	if (!cmd_options(&COMMAND, argc, argv, &options, &args, &status))
		return status;
	in = mem_new(1, sizeof *in);
	in->prior = PRIOR;
	if (options.prior && parse_prior(options.prior, &in->prior, &err))
		status = cmd_fail("inspect rate", &err);
	else
		status = run(in, args.ptr[0]);
	rate_intervals_release(&in->seen);
	free(in);
	return status;
}
