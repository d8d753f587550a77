#include "proof/tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "formats/http_fields.h"
#include "proof/legs.h"

/* Names of files. */
#define RECORDS_ARENA_MAX ((size_t)64 << 20)

struct records_loading {
	struct records *records;
	struct tally *hosts;
	const struct report *report;
};

/* The place that an attempt fills, or NULL where another attempt counts. */
static struct record_place *place_of(struct records_loading *l, const struct attempt *a)
{
	const struct report_page *page = &l->report->pages.ptr[a->page];
	struct page_records *records = &l->records->pages.ptr[a->page];
	enum attempt_leg first = page->late ? ATTEMPT_LATE : ATTEMPT_VISIT;

	if (a->leg == first && a->number == page->visit.number)
		return &records->visit;
	if (a->leg == ATTEMPT_REVISIT && a->number == page->revisit.number)
		return &records->revisit;
	return NULL;
}

static void tally_add(struct tally *t, const struct attempt *a);
static void tally_init(struct tally *t, const struct report *report, enum tally_by by);
static void tally_sort(struct tally *t);

static int records_on_observation(void *context, const struct attempt *a)
{
	struct records_loading *l = context;
	struct record_place *place;

	tally_add(l->hosts, a);
	if (a->page >= l->report->pages.len)
		return 0;
	place = place_of(l, a);
	if (!place)
		return 0;
	place->has_payload = a->has_payload;
	place->payload = a->payload;
	if (!a->warc.ptr) /* a compact look has no record of its own */
		return 0;
	place->known = true;
	place->file = words_put(&l->records->files, a->warc);
	place->offset = a->offset;
	return 0;
}

int records_load(struct records *r, struct tally *hosts, struct catalog *catalog,
	const struct report *report, struct err *err)
{
	struct records_loading l = {.records = r, .hosts = hosts, .report = report};
	int rc;

	*r = (struct records){0};
	arena_init(&r->arena, RECORDS_ARENA_MAX);
	words_init(&r->files, &r->arena);
	tally_init(hosts, report, TALLY_HOSTS);
	while (r->pages.len < report->pages.len)
		page_records_vec_push(&r->pages, (struct page_records){0});
	rc = catalog_each_observation(catalog, report->capture.id, records_on_observation, &l, err);
	tally_sort(hosts);
	return rc;
}

void records_release(struct records *r)
{
	page_records_vec_release(&r->pages);
	words_release(&r->files);
	arena_release(&r->arena);
}

struct visit {
	int64_t start;
	uint32_t page;
	bool on_topic;
};

static int by_start(const void *a, const void *b)
{
	const struct visit *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->page < y->page ? -1 : x->page > y->page;
}

static size_t collect(const struct report *r, struct visit *all)
{
	size_t n = 0;

	for (uint32_t i = 0; i < r->pages.len; i++) {
		const struct report_page *p = report_page_at(r, i);

		if (p->content == CATALOG_CONTENT_ON_TOPIC ||
			p->content == CATALOG_CONTENT_OFF_TOPIC)
			all[n++] = (struct visit){
				p->visit.start, i, p->content == CATALOG_CONTENT_ON_TOPIC};
	}
	return n;
}

struct harvest harvest_count(const struct report *r)
{
	struct visit *all = mem_new(r->pages.len + 1, sizeof *all);
	struct harvest h = {0};

	h.judged = collect(r, all);
	qsort(all, h.judged, sizeof *all, by_start);
	for (size_t step = 0, at = 0; h.judged > 0 && step < HARVEST_STEPS; step++) {
		for (; at < (step + 1) * h.judged / HARVEST_STEPS; at++)
			h.on_topic += all[at].on_topic;
		h.visited[step] = at;
		h.found[step] = h.on_topic;
	}
	free(all);
	return h;
}

/* Names of hosts and media types. */
#define ARENA_MAX ((size_t)1 << 30)

static const slice NONE = SLICE_INIT("-");

static slice host_of(slice url)
{
	slice origin = known_origin(url);
	const char *host = memmem(origin.ptr, origin.len, "://", 3);

	return host ? slice_sub(origin, (size_t)(host - origin.ptr) + 3, origin.len) : origin;
}

static slice type_of(const struct attempt *a)
{
	slice type = a->media_type.ptr ? fields_media_type(a->media_type) : NONE;

	return type.len ? type : NONE;
}

static slice name_of(const struct tally *t, const struct attempt *a, char status[16])
{
	bool has_page = a->page < t->report->pages.len;

	switch (t->by) {
	case TALLY_HOSTS:
		return host_of(has_page ? t->report->pages.ptr[a->page].url : a->url);
	case TALLY_TYPES:
		return type_of(a);
	case TALLY_STATUS:
		break;
	}
	if (a->status == 0)
		return NONE;
	(void)snprintf(status, 16, "%u", a->status);
	return slice_str(status);
}

static void count(struct tally_row *row, const struct attempt *a)
{
	row->requests++;
	row->retries += a->number > 1 && legs_has(a->leg);
	row->errors += a->failure.ptr || a->truncated || a->status >= 400 || a->status == 0;
	row->bytes += a->length;
	if (a->wall.last_byte > a->wall.sent)
		row->busy += a->wall.last_byte - a->wall.sent;
	if (a->page == CATALOG_NO_PAGE || a->page == row->page)
		return;
	row->page = a->page;
	row->pages++;
}

static void tally_init(struct tally *t, const struct report *report, enum tally_by by)
{
	*t = (struct tally){.report = report, .by = by};
	arena_init(&t->arena, ARENA_MAX);
	words_init(&t->names, &t->arena);
}

static void tally_add(struct tally *t, const struct attempt *a)
{
	char status[16];
	uint32_t number;

	if (!a->wall.sent)
		return;
	number = words_put(&t->names, name_of(t, a, status));
	if (number == t->rows.len)
		tally_rows_push(&t->rows, (struct tally_row){
						  .name = words_text(&t->names, number),
						  .number = number,
						  .page = CATALOG_NO_PAGE,
					  });
	count(&t->rows.ptr[number], a);
}

static int on_observation(void *context, const struct attempt *a)
{
	tally_add(context, a);
	return 0;
}

static int by_requests(const void *a, const void *b)
{
	const struct tally_row *x = a, *y = b;

	if (x->requests != y->requests)
		return x->requests < y->requests ? 1 : -1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* For who reads the observations of the report's capture anyway: all of them, then the order. */
static void tally_sort(struct tally *t)
{
	if (t->rows.len > 0)
		qsort(t->rows.ptr, t->rows.len, sizeof *t->rows.ptr, by_requests);
}

int tally_load(struct tally *t, struct catalog *catalog, const struct report *report,
	enum tally_by by, struct err *err)
{
	int rc;

	tally_init(t, report, by);
	rc = catalog_each_observation(catalog, report->capture.id, on_observation, t, err);
	tally_sort(t);
	return rc;
}

void tally_release(struct tally *t)
{
	tally_rows_release(&t->rows);
	words_release(&t->names);
	arena_release(&t->arena);
}
