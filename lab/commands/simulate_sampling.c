/* stillpoint-lab simulate --sampling: update detection by sampling on a recorded history. */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/parse.h"
#include "base/vec.h"
#include "commands/simulate.h"
#include "histories/sampling.h"

#define DAY_S 86400.0

enum { RUNS = 8, CYCLES = 24 };

struct row {
	slice name; /* borrowed from the command line */
	struct sampling_policy policy;
	struct sampling_result result;
};

VEC_DECLARE(row_vec, struct row);

struct report {
	const struct simulate_options *options;
	struct row_vec rows;
};

static int print_json(const void *context, FILE *out)
{
	const struct report *r = context;
	struct json j;

	json_init_file(&j, out, JSON_LINES);
	json_document_begin(&j);
	json_put_string(&j, "history", r->options->history);
	json_put_string(&j, "changed", SIMULATE_CHANGED[r->options->changed]);
	json_key(&j, "rows");
	json_array_begin(&j);
	for (size_t i = 0; i < r->rows.len; i++) {
		const struct sampling_result *s = &r->rows.ptr[i].result;

		json_object_begin(&j);
		json_text(&j, "policy", r->rows.ptr[i].name);
		json_put_double(&j, "change_ratio", s->change_ratio);
		json_put_double(&j, "se", s->se);
		json_put_double(&j, "first", s->first);
		json_put_double(&j, "last", s->last);
		json_put_double(&j, "weighted", s->weighted);
		json_put_double(&j, "found", s->found);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
	return json_finish(&j);
}

static void print_text(const void *context, FILE *out)
{
	const struct report *r = context;

	(void)fprintf(out, "%-14s %12s %8s %8s %8s %8s %10s\n", "policy", "change ratio", "se",
		"first", "last", "weighted", "found");
	for (size_t i = 0; i < r->rows.len; i++) {
		const struct row *row = &r->rows.ptr[i];

		(void)fprintf(out, "%-14.*s %12.4f %8.4f %8.4f %8.4f", slice_shown(row->name, 99),
			row->name.ptr, row->result.change_ratio, row->result.se, row->result.first,
			row->result.last);
		if (isnan(row->result.weighted))
			(void)fprintf(out, " %8s", "-");
		else
			(void)fprintf(out, " %8.4f", row->result.weighted);
		(void)fprintf(out, " %10.1f\n", row->result.found);
	}
}

/* Days: a duration as everywhere, or weeks. */
static int parse_cycle(const char *text, double *ret, struct err *err)
{
	slice s = slice_str(text);
	double number = 0;
	bool weeks = slice_ends_with(s, SLICE("w"));
	int rc = weeks ? parse_double(slice_sub(s, 0, s.len - 1), &number)
		       : parse_duration(s, &number);

	number *= weeks ? 7 : 1 / DAY_S;
	if (rc || !(number > 0))
		return err_set(
			err, ERR_USAGE, "--cycle: '%.99s' is not a time such as 8w or 10d", text);
	*ret = number;
	return 0;
}

/* Policies separated by blanks or commas. */
static int parse_policies(struct report *r, const char *text, struct err *err)
{
	int rc = 0;

	for (text += strspn(text, " ,"); *text && rc == 0; text += strspn(text, " ,")) {
		struct row row = {.name = {text, strcspn(text, " ,")}};

		rc = sampling_policy_parse(row.name, &row.policy, err);
		if (rc == 0)
			rc = err_code(err, row_vec_push(&r->rows, row));
		text += row.name.len;
	}
	return rc;
}

static int run_rows(struct report *r, struct sampling_setup setup, int64_t start_s, struct err *err)
{
	struct history history = {0};
	struct history_links links = {0};
	int rc = history_load(r->options->history, &history, err);

	if (rc == 0 && r->options->links)
		rc = history_links_load(r->options->links, &history, &links, err);
	setup.history = &history;
	setup.links = r->options->links ? &links : NULL;
	setup.start = (double)(start_s - history.began_s) / DAY_S;
	for (size_t i = 0; i < r->rows.len && rc == 0; i++)
		rc = sampling_run(&setup, &r->rows.ptr[i].policy, &r->rows.ptr[i].result, err);
	history_links_release(&links);
	history_release(&history);
	return rc;
}

enum cmd_status simulate_sampling(const struct simulate_options *o)
{
	struct report r = {.options = o};
	struct sampling_setup setup = {.cycle = 56,
		.cycles = o->cycles ? (size_t)o->cycles : CYCLES,
		.budget = o->budget > 0 ? o->budget : 0.1,
		.local = o->changed == 1,
		.clusters = (size_t)o->clusters,
		.runs = o->runs ? (size_t)o->runs : RUNS,
		.seed = (uint64_t)o->seed};
	struct err err = {0};
	int64_t start_s = 0;
	enum cmd_status status;
	int rc = 0;

	if (!o->history || !o->start)
		rc = err_set(&err, ERR_USAGE, "--sampling needs --history FILE and --start DATE");
	if (rc == 0 && setup.budget > 1)
		rc = err_set(
			&err, ERR_USAGE, "--sampling: --budget is at most 1, not %g", setup.budget);
	if (rc == 0)
		rc = simulate_date(o->start, &start_s, &err);
	if (rc == 0 && o->cycle)
		rc = parse_cycle(o->cycle, &setup.cycle, &err);
	for (size_t i = 0; i < o->sampling.len && rc == 0; i++)
		rc = parse_policies(&r, o->sampling.ptr[i], &err);
	if (rc == 0)
		rc = run_rows(&r, setup, start_s, &err);
	status = rc ? cmd_fail("simulate", &err)
		    : simulate_print(
			      o, &(struct simulate_output){
					 .json = print_json, .text = print_text, .context = &r});
	row_vec_release(&r.rows);
	return status;
}
