/* simulate --graph: an online run on a given site. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "base/json.h"
#include "base/text.h"
#include "commands/simulate_graph.h"
#include "crawl/settings.h"
#include "plan/expect.h"

enum {
	NAMES_MAX = 16, /* of each list, in the text for people */
	NAME_SHOWN_MAX = 80,
};

static int add_seed(const struct site *site, slice name, struct u32_vec *seeds, struct err *err)
{
	uint32_t page;

	if (!site_find(site, name, &page))
		return err_set(err, ERR_USAGE, "seed '%.*s' is not a page of the file",
			slice_shown(name, NAME_SHOWN_MAX), name.ptr);
	return err_code(err, u32_vec_push(seeds, page));
}

/* One value of --seeds. A page may have commas in its name: then it is given alone. */
static int add_seeds(
	const struct site *site, const char *value, struct u32_vec *seeds, struct err *err)
{
	uint32_t page;

	if (site_find(site, slice_str(value), &page))
		return add_seed(site, slice_str(value), seeds, err);
	for (;;) {
		slice name = {value, strcspn(value, ",")};
		int rc = add_seed(site, name, seeds, err);

		if (rc || !value[name.len])
			return rc;
		value += name.len + 1;
	}
}

/* A file of rates has no links: all of its pages are known. */
static int add_default_seeds(const struct site *site, struct u32_vec *seeds)
{
	size_t count = site->link_from[site->n] == 0 ? site->n : 1;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < count; i++)
		rc = u32_vec_push(seeds, i);
	return rc;
}

static int read_seeds(const struct simulate_options *o, const struct site *site,
	struct u32_vec *seeds, struct err *err)
{
	int rc = 0;

	if (o->seeds.len == 0)
		return err_code(err, add_default_seeds(site, seeds));
	for (size_t i = 0; rc == 0 && i < o->seeds.len; i++)
		rc = add_seeds(site, o->seeds.ptr[i], seeds, err);
	return rc;
}

static void json_pages(
	struct json *j, const char *key, const struct site *site, const struct u32_vec *pages)
{
	json_key(j, key);
	json_array_begin(j);
	for (size_t i = 0; i < pages->len; i++)
		json_slice(j, site->names[pages->ptr[i]]);
	json_array_end(j);
}

static int print_json(const void *context, FILE *out)
{
	const struct graph_view *v = context;
	struct json j;

	json_init_file(&j, out, JSON_LINES);
	json_document_begin(&j);
	json_put_string(&j, "strategy", v->strategy->name);
	json_pages(&j, "visits", v->site, &v->capture->visits);
	json_pages(&j, "revisits", v->site, &v->capture->revisits);
	json_pages(&j, "hopeless", v->site, &v->hopeless);
	json_pages(&j, "unreached", v->site, &v->capture->unreached);
	json_put_double(&j, "expected_coherence", v->expected.coherence);
	json_put_double(&j, "expected_blur", v->expected.blur);
	json_object_end(&j);
	return json_finish(&j);
}

static void print_pages(
	FILE *out, const char *title, const struct site *site, const struct u32_vec *pages)
{
	if (pages->len == 0)
		return;
	(void)fprintf(out, "\n%s (%zu)\n ", title, pages->len);
	for (size_t i = 0; i < pages->len && i < NAMES_MAX; i++) {
		(void)putc(' ', out);
		text_name(out, site->names[pages->ptr[i]], 0);
	}
	if (pages->len > NAMES_MAX)
		(void)fprintf(out, " … %zu more (--json has them all)", pages->len - NAMES_MAX);
	(void)putc('\n', out);
}

static void print_text(const void *context, FILE *out)
{
	const struct graph_view *v = context;
	const struct drive_result *c = v->capture;
	char delay[FORMAT_DOUBLE_SIZE];

	(void)format_double(c->delay, delay);
	(void)fprintf(out, "strategy        %s\n", v->strategy->name);
	(void)fprintf(out, "pages           %zu, one download every %s\n", c->visits.len, delay);
	if (!c->single)
		(void)fprintf(out, "expected sharp  %.3f%s\n", v->expected.coherence,
			v->site->weights ? " (weighted)" : "");
	(void)fprintf(out, "expected blur   %.3f, %.3f per page\n", v->expected.blur,
		v->expected.blur / (double)c->visits.len);
	print_pages(out, "visits", v->site, &c->visits);
	print_pages(out, "revisits", v->site, &c->revisits);
	print_pages(out, "hopeless", v->site, &v->hopeless);
	print_pages(out, "unreached", v->site, &c->unreached);
}

static int list_hopeless(struct graph_view *v, struct err *err)
{
	const struct u32_vec *visits = &v->capture->visits;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < visits->len; i++)
		if (v->capture->hopeless[visits->ptr[i]])
			rc = u32_vec_push(&v->hopeless, visits->ptr[i]);
	return err_code(err, rc);
}

/* What may be expected at other delays, and what no schedule can exceed. */
static int run_sweep(const struct drive_params *like, struct graph_view *v, struct err *err)
{
	bool fast = v->site->n > EXPOSURE_EXACT_MAX;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < SWEEP_POINTS; i++) {
		struct drive_params params = *like;
		struct graph_point *point = &v->sweep[i];
		struct drive_result capture;

		params.plan.delay *= SWEEP_FACTORS[i];
		rc = drive(&params, &capture, err);
		if (rc)
			break;
		*point = (struct graph_point){evaluate(v->site, &capture, NULL), NAN};
		if (!capture.single && capture.unreached.len == 0)
			rc = evaluate_bound(v->site, params.plan.delay, fast,
				point->expected.coherence, &point->bound);
		drive_release(&capture);
		(void)err_code(err, rc);
	}
	return rc;
}

static enum cmd_status simulate(const struct simulate_options *o,
	const struct plan_strategy *strategy, const struct site *site, const struct u32_vec *seeds)
{
	struct drive_params params = {
		.site = site,
		.plan = cmd_planning_params(&o->planning, strategy),
		.seeds = seeds->ptr,
		.seed_count = seeds->len,
	};
	struct drive_result capture;
	struct graph_view view = {
		.options = o, .strategy = strategy, .site = site, .capture = &capture};
	struct simulate_output output = {print_json, print_text, simulate_graph_html, &view};
	struct err err = {0};
	enum cmd_status status;

	params.plan.size = (uint32_t)o->size;
	if (drive(&params, &capture, &err))
		return cmd_fail("simulate", &err);
	view.expected = evaluate(site, &capture, NULL);
	if (list_hopeless(&view, &err) || (o->html && run_sweep(&params, &view, &err)))
		status = cmd_fail("simulate", &err);
	else
		status = simulate_print(o, &output);
	u32_vec_release(&view.hopeless);
	drive_release(&capture);
	return status;
}

enum cmd_status simulate_graph(const struct simulate_options *o)
{
	const struct plan_strategy *strategy;
	struct u32_vec seeds = {0};
	struct err err = {0};
	struct site site;
	enum cmd_status status;

	strategy = strategy_named(cmd_planning_name(&o->planning), false, &err);
	if (!strategy)
		return cmd_fail("simulate", &err);
	if (site_load(o->graph, &site, &err))
		return cmd_fail_input("simulate", &err);
	if (read_seeds(o, &site, &seeds, &err))
		status = cmd_fail("simulate", &err);
	else
		status = simulate(o, strategy, &site, &seeds);
	u32_vec_release(&seeds);
	site_release(&site);
	return status;
}
