#include "proof/tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/http_fields.h"
#include "proof/legs.h"

/* Names of hosts and media types. */
#define ARENA_MAX ((size_t)1 << 30)

static const slice NONE = SLICE_INIT("-");

struct loading {
	struct tally *tally;
	struct err *err;
};

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

void tally_init(struct tally *t, const struct report *report, enum tally_by by)
{
	*t = (struct tally){.report = report, .by = by};
	arena_init(&t->arena, ARENA_MAX);
	words_init(&t->names, &t->arena);
}

int tally_add(struct tally *t, const struct attempt *a)
{
	char status[16];
	uint32_t number;
	int rc;

	if (!a->wall.sent)
		return 0;
	rc = words_number(&t->names, name_of(t, a, status), &number);
	if (rc == 0 && number == t->rows.len)
		rc = tally_rows_push(&t->rows, (struct tally_row){
						       .name = words_text(&t->names, number),
						       .number = number,
						       .page = CATALOG_NO_PAGE,
					       });
	if (rc == 0)
		count(&t->rows.ptr[number], a);
	return rc;
}

static int on_observation(void *context, const struct attempt *a)
{
	struct loading *l = context;

	return err_code(l->err, tally_add(l->tally, a));
}

static int by_requests(const void *a, const void *b)
{
	const struct tally_row *x = a, *y = b;

	if (x->requests != y->requests)
		return x->requests < y->requests ? 1 : -1;
	return x->number < y->number ? -1 : x->number > y->number;
}

void tally_sort(struct tally *t)
{
	if (t->rows.len > 0)
		qsort(t->rows.ptr, t->rows.len, sizeof *t->rows.ptr, by_requests);
}

int tally_load(struct tally *t, struct catalog *catalog, const struct report *report,
	enum tally_by by, struct err *err)
{
	struct loading l = {.tally = t, .err = err};
	int rc;

	tally_init(t, report, by);
	rc = catalog_each_observation(catalog, report->capture.id, on_observation, &l, err);
	tally_sort(t);
	return rc;
}

void tally_release(struct tally *t)
{
	tally_rows_release(&t->rows);
	words_release(&t->names);
	arena_release(&t->arena);
}
