#include "report/plan_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/csv.h"
#include "base/format.h"
#include "base/json.h"
#include "base/text.h"

enum {
	ROWS_MAX = 40,   /* a table of more pages shows only both ends */
	ROWS_INNER = 16, /* nearest to the still point */
	ROWS_OUTER = 8,
	NAME_WIDTH_MAX = 40,
};

/* 0 where there is none. */
static int64_t visit_slot(const struct drive_result *c, uint32_t page)
{
	return isnan(c->visited_at[page]) ? 0 : drive_visit_slot(c, page);
}

static int64_t revisit_slot(const struct drive_result *c, uint32_t page)
{
	return isnan(c->revisited_at[page]) ? 0 : drive_revisit_slot(c, page);
}

static void json_slot(struct json *j, const char *key, double time, int64_t slot)
{
	json_key(j, key);
	if (isnan(time))
		json_null(j);
	else
		json_int(j, slot);
}

static void json_page(struct json *j, const struct plan_view *v, uint32_t page)
{
	const struct drive_result *c = v->capture;

	json_object_begin(j);
	json_key(j, "page");
	json_slice(j, v->site->names[page]);
	json_slot(j, "visit", c->visited_at[page], visit_slot(c, page));
	json_slot(j, "revisit", c->revisited_at[page], revisit_slot(c, page));
	json_put_bool(j, "hopeless", c->hopeless[page]);
	json_object_end(j);
}

int plan_print_json(const struct plan_view *v)
{
	struct json j;

	json_init_file(&j, stdout, JSON_LINES);
	json_document_begin(&j);
	json_put_string(&j, "strategy", v->strategy->name);
	json_put_uint(&j, "pages", v->site->n);
	json_put_double(&j, "delay", v->capture->delay);
	json_put_double(&j, "expected_coherence", v->expected.coherence);
	json_put_double(&j, "upper_bound", v->bound);
	json_put_double(&j, "expected_blur", v->expected.blur);
	if (v->groups.groups > 0) {
		json_put_uint(&j, "groups", v->groups.groups);
		json_put_double(&j, "expected_groups", v->groups.expected);
		json_put_double(&j, "groups_upper_bound", v->groups.bound);
	}
	json_key(&j, "schedule");
	json_array_begin(&j);
	for (uint32_t i = 0; i < v->site->n; i++)
		json_page(&j, v, i);
	json_array_end(&j);
	json_object_end(&j);
	return json_finish(&j);
}

static void csv_slot(double time, int64_t slot)
{
	(void)putchar(',');
	if (!isnan(time))
		printf("%" PRId64, slot);
}

int plan_print_csv(const struct plan_view *v)
{
	const struct drive_result *c = v->capture;

	puts("page,visit,revisit,hopeless");
	for (uint32_t i = 0; i < v->site->n; i++) {
		csv_write_field(stdout, v->site->names[i]);
		csv_slot(c->visited_at[i], visit_slot(c, i));
		csv_slot(c->revisited_at[i], revisit_slot(c, i));
		puts(c->hopeless[i] ? ",true" : ",false");
	}
	return 0;
}

static size_t count_hopeless(const struct plan_view *v)
{
	size_t n = 0;

	for (size_t i = 0; i < v->site->n; i++)
		n += v->capture->hopeless[i];
	return n;
}

static void print_summary(const struct plan_view *v)
{
	char delay[FORMAT_DOUBLE_SIZE];
	size_t n = v->site->n;

	(void)format_double(v->capture->delay, delay);
	printf("strategy        %s\n", v->strategy->name);
	printf("pages           %zu, one download every %s\n", n, delay);
	if (v->capture->visits.len < n)
		printf("visited         %zu\n", v->capture->visits.len);
	if (!v->capture->single && v->capture->revisits.len < n)
		printf("revisited       %zu\n", v->capture->revisits.len);
	if (!v->capture->single) {
		printf("expected sharp  %.3f%s\n", v->expected.coherence,
			v->site->weights ? " (weighted)" : "");
		printf("upper bound     %.3f\n", v->bound);
		printf("hopeless        %zu\n", count_hopeless(v));
	}
	if (v->groups.groups > 0 && !isnan(v->groups.expected))
		printf("whole groups    %.3f expected of %zu and the pages in none, at most %.3f\n",
			v->groups.expected, v->groups.groups, v->groups.bound);
	printf("expected blur   %.3f, %.3f per page\n\n", v->expected.blur,
		v->expected.blur / (double)n);
}

/* The k-th page of the table: with revisits from the still point outwards. */
static uint32_t page_at(const struct plan_view *v, size_t k)
{
	const struct u32_vec *visits = &v->capture->visits;

	return visits->ptr[v->capture->single ? k : visits->len - 1 - k];
}

static void print_row(const struct plan_view *v, uint32_t page, size_t width)
{
	const struct drive_result *c = v->capture;
	struct survival s = v->site->survival[page];

	text_name(stdout, v->site->names[page], width);
	printf("  %10.4g  %8" PRId64, s.rate, drive_visit_slot(c, page));
	if (!c->single && isnan(c->revisited_at[page]))
		printf("  %8s", "-");
	else if (!c->single)
		printf("  %8" PRId64 "  %5.1f %%%s", drive_revisit_slot(c, page),
			100 * survival_at(s, c->revisited_at[page] - c->visited_at[page]),
			c->hopeless[page] ? "  hopeless" : "");
	(void)putchar('\n');
}

static void print_table(const struct plan_view *v)
{
	size_t n = v->capture->visits.len;
	bool cut = n > ROWS_MAX;
	size_t width = sizeof "page" - 1;

	for (size_t i = 0; i < v->site->n && width < NAME_WIDTH_MAX; i++) {
		size_t columns = text_columns(v->site->names[i]);

		width = columns > width ? columns : width;
	}
	width = width < NAME_WIDTH_MAX ? width : NAME_WIDTH_MAX;
	printf("%-*s  %10s  %8s%s\n", (int)width, "page", "rate", "visit",
		v->capture->single ? "" : "   revisit    sharp");
	for (size_t k = 0; k < (cut ? ROWS_INNER : n); k++)
		print_row(v, page_at(v, k), width);
	if (!cut)
		return;
	printf("… %zu more (--format=csv has them all)\n", n - ROWS_INNER - ROWS_OUTER);
	for (size_t k = n - ROWS_OUTER; k < n; k++)
		print_row(v, page_at(v, k), width);
}

int plan_print_text(const struct plan_view *v)
{
	print_summary(v);
	print_table(v);
	return 0;
}
