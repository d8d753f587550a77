#include "proof/report_records.h"

/* Names of files. */
#define ARENA_MAX ((size_t)64 << 20)

struct loading {
	struct records *records;
	struct tally *hosts;
	const struct report *report;
	struct err *err;
};

/* The place that an attempt fills, or NULL where another attempt counts. */
static struct record_place *place_of(struct loading *l, const struct attempt *a)
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

static int on_observation(void *context, const struct attempt *a)
{
	struct loading *l = context;
	struct record_place *place;
	int rc = tally_add(l->hosts, a);

	if (rc || a->page >= l->report->pages.len)
		return err_code(l->err, rc);
	place = place_of(l, a);
	if (!place)
		return 0;
	place->has_payload = a->has_payload;
	place->payload = a->payload;
	if (!a->warc.ptr) /* a compact look has no record of its own */
		return 0;
	rc = words_number(&l->records->files, a->warc, &place->file);
	place->known = rc == 0;
	place->offset = a->offset;
	return err_code(l->err, rc);
}

int records_load(struct records *r, struct tally *hosts, struct catalog *catalog,
	const struct report *report, struct err *err)
{
	struct loading l = {.records = r, .hosts = hosts, .report = report, .err = err};
	int rc = 0;

	*r = (struct records){0};
	arena_init(&r->arena, ARENA_MAX);
	words_init(&r->files, &r->arena);
	tally_init(hosts, report, TALLY_HOSTS);
	while (rc == 0 && r->pages.len < report->pages.len)
		rc = page_records_vec_push(&r->pages, (struct page_records){0});
	if (rc)
		return err_code(err, rc);
	rc = catalog_each_observation(catalog, report->capture.id, on_observation, &l, err);
	tally_sort(hosts);
	return rc;
}

void records_release(struct records *r)
{
	page_records_vec_release(&r->pages);
	words_release(&r->files);
	arena_release(&r->arena);
}
