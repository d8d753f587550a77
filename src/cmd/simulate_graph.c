/* simulate --graph: an online run on a given site. */
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "base/json.h"
#include "cmd/simulate.h"
#include "cmd/text.h"
#include "sim/drive.h"
#include "sim/evaluate.h"
#include "sim/site.h"

enum {
	NAMES_MAX = 16, /* of each list, in the text for people */
	NAME_SHOWN_MAX = 80,
};

/* What there is to print; borrows everything. */
struct view {
	const struct plan_strategy *strategy;
	const struct site *site;
	const struct drive_result *capture;
	struct page_list hopeless; /* in the order of their visits; owned */
	struct evaluation expected;
};

static int add_seed(const struct site *site, slice name, struct page_list *seeds, struct err *err)
{
	uint32_t page;

	if (!site_find(site, name, &page))
		return err_set(err, ERR_USAGE, "simulate: seed '%.*s' is not a page of the file",
			(int)(name.len < NAME_SHOWN_MAX ? name.len : NAME_SHOWN_MAX), name.ptr);
	if (page_list_push(seeds, page))
		return err_set(err, ERR_NOMEM, "%s", err_name(ERR_NOMEM));
	return 0;
}

/* One value of --seeds. A page may have commas in its name: then it is given alone. */
static int add_seeds(
	const struct site *site, const char *value, struct page_list *seeds, struct err *err)
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

static int read_seeds(const struct simulate_options *o, const struct site *site,
	struct page_list *seeds, struct err *err)
{
	int rc = 0;

	if (o->seeds.len == 0)
		return add_seed(site, site->names[0], seeds, err);
	for (size_t i = 0; rc == 0 && i < o->seeds.len; i++)
		rc = add_seeds(site, o->seeds.ptr[i], seeds, err);
	return rc;
}

static void json_pages(
	struct json *j, const char *key, const struct site *site, const struct page_list *pages)
{
	json_key(j, key);
	json_array_begin(j);
	for (size_t i = 0; i < pages->len; i++)
		json_slice(j, site->names[pages->ptr[i]]);
	json_array_end(j);
}

static int print_json(const struct view *v)
{
	struct json j;

	json_init_file(&j, stdout, JSON_LINES);
	json_object_begin(&j);
	json_key(&j, "strategy");
	json_string(&j, v->strategy->name);
	json_pages(&j, "visits", v->site, &v->capture->visits);
	json_pages(&j, "revisits", v->site, &v->capture->revisits);
	json_pages(&j, "hopeless", v->site, &v->hopeless);
	json_pages(&j, "unreached", v->site, &v->capture->unreached);
	json_key(&j, "expected_coherence");
	json_double(&j, v->expected.coherence);
	json_key(&j, "expected_blur");
	json_double(&j, v->expected.blur);
	json_object_end(&j);
	return json_finish(&j);
}

static void print_pages(const char *title, const struct site *site, const struct page_list *pages)
{
	if (pages->len == 0)
		return;
	printf("\n%s (%zu)\n ", title, pages->len);
	for (size_t i = 0; i < pages->len && i < NAMES_MAX; i++) {
		(void)putchar(' ');
		text_name(stdout, site->names[pages->ptr[i]], 0);
	}
	if (pages->len > NAMES_MAX)
		printf(" … %zu more (--json has them all)", pages->len - NAMES_MAX);
	(void)putchar('\n');
}

static int print_text(const struct view *v)
{
	const struct drive_result *c = v->capture;
	char delay[FORMAT_DOUBLE_SIZE];

	(void)format_double(c->delay, delay);
	printf("strategy        %s\n", v->strategy->name);
	printf("pages           %zu, one download every %s\n", c->visits.len, delay);
	if (!c->single)
		printf("expected sharp  %.3f%s\n", v->expected.coherence,
			v->site->weights ? " (weighted)" : "");
	printf("expected blur   %.3f, %.3f per page\n", v->expected.blur,
		v->expected.blur / (double)c->visits.len);
	print_pages("visits", v->site, &c->visits);
	print_pages("revisits", v->site, &c->revisits);
	print_pages("hopeless", v->site, &v->hopeless);
	print_pages("unreached", v->site, &c->unreached);
	return 0;
}

static enum cmd_status print(struct view *v, bool json)
{
	const struct page_list *visits = &v->capture->visits;
	enum cmd_status status;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < visits->len; i++)
		if (v->capture->hopeless[visits->ptr[i]])
			rc = page_list_push(&v->hopeless, visits->ptr[i]);
	if (rc)
		status = cmd_fail(&(struct err){ERR_NOMEM, "out of memory"});
	else
		status = cmd_finish(json ? print_json(v) : print_text(v));
	page_list_release(&v->hopeless);
	return status;
}

static enum cmd_status simulate(const struct simulate_options *o,
	const struct plan_strategy *strategy, const struct site *site,
	const struct page_list *seeds)
{
	struct drive_params params = {
		.site = site,
		.plan = cmd_planning_params(&o->planning, strategy),
		.seeds = seeds->ptr,
		.seed_count = seeds->len,
	};
	struct drive_result capture;
	struct view view = {.strategy = strategy, .site = site, .capture = &capture};
	struct err err = {0};
	enum cmd_status status;

	params.plan.size = (uint32_t)o->size;
	if (drive(&params, &capture, &err))
		return cmd_fail(&err);
	view.expected = evaluate(site, &capture);
	status = print(&view, o->json);
	drive_release(&capture);
	return status;
}

enum cmd_status simulate_graph(const struct simulate_options *o)
{
	const struct plan_strategy *strategy;
	struct page_list seeds = {0};
	struct err err = {0};
	struct site site;
	enum cmd_status status;

	strategy = cmd_strategy("simulate", cmd_planning_name(&o->planning), false, &err);
	if (!strategy)
		return cmd_fail(&err);
	if (site_load(o->graph, &site, &err))
		return cmd_fail_input(&err);
	if (read_seeds(o, &site, &seeds, &err))
		status = cmd_fail(&err);
	else
		status = simulate(o, strategy, &site, &seeds);
	page_list_release(&seeds);
	site_release(&site);
	return status;
}
