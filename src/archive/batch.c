#include "archive/batch.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "archive/judging.h"

/* Lanes hand their batches over long before that (store.h). */
#define BATCH_MAX ((size_t)1 << 30)

struct batch_row {
	struct batch_row *next;
	struct catalog_row row; /* of a copy */
};

struct batch *batch_new(void)
{
	struct batch *b = calloc(1, sizeof *b);

	if (b) {
		arena_init(&b->lane.arena, BATCH_MAX);
		arena_init_small(&b->press.arena, BATCH_MAX);
	}
	return b;
}

void batch_free(struct batch *b)
{
	while (b) {
		struct batch *next = b->next;

		arena_release(&b->lane.arena);
		arena_release(&b->press.arena);
		free(b);
		b = next;
	}
}

void batch_reset(struct batch *b)
{
	arena_reset(&b->lane.arena);
	arena_reset(&b->press.arena);
	b->lane.first = b->lane.last = NULL;
	b->press.first = b->press.last = NULL;
	b->file = (slice){0};
}

/* ---- collecting ---- */

/* Which of a row's fields are strings: offsets, ended by SIZE_MAX. */
static const size_t NONE[] = {SIZE_MAX};
static const size_t PAGE[] = {offsetof(struct catalog_page, url),
	offsetof(struct catalog_page, kind), offsetof(struct catalog_page, found),
	offsetof(struct catalog_page, rule), SIZE_MAX};
static const size_t WARC[] = {offsetof(struct catalog_warc, name), SIZE_MAX};
static const size_t ROBOTS[] = {offsetof(struct catalog_robots, origin),
	offsetof(struct catalog_robots, why), offsetof(struct catalog_robots, body), SIZE_MAX};
static const size_t CLOCK[] = {
	offsetof(struct catalog_clock, moment), offsetof(struct catalog_clock, boot), SIZE_MAX};
static const size_t LOOK[] = {offsetof(struct catalog_look, rows), SIZE_MAX};
static const size_t LOOKS[] = {offsetof(struct catalog_looks, warc), SIZE_MAX};
static const size_t DUST[] = {offsetof(struct catalog_dust, rule),
	offsetof(struct catalog_dust, site), offsetof(struct catalog_dust, detail), SIZE_MAX};
static const size_t LINKS[] = {offsetof(struct catalog_links, targets), SIZE_MAX};
static const size_t POLL[] = {offsetof(struct catalog_poll, url), SIZE_MAX};
static const size_t LEARNED[] = {offsetof(struct catalog_learned, rule), SIZE_MAX};

/* Of the body of a row, by its kind. */
static const struct {
	size_t size;
	const size_t *strings;
} SHAPES[CATALOG_ROW_KINDS] = {
	[CATALOG_ROW_ADD_PAGE] = {sizeof(struct catalog_page), PAGE},
	[CATALOG_ROW_TAKE_PAGE] = {sizeof(struct catalog_page), PAGE},
	[CATALOG_ROW_REFUSE_PAGE] = {sizeof(struct catalog_page), PAGE},
	[CATALOG_ROW_ADMIT_PAGE] = {sizeof(struct catalog_page), PAGE},
	[CATALOG_ROW_MARK_PAGE] = {sizeof(struct catalog_page), PAGE},
	[CATALOG_ROW_WEIGH_PAGE] = {sizeof(struct catalog_page), PAGE},
	[CATALOG_ROW_LIST_PAGE] = {sizeof(struct catalog_page), PAGE},
	[CATALOG_ROW_UNKEPT] = {sizeof(struct catalog_unkept), NONE},
	[CATALOG_ROW_PLAN] = {sizeof(struct catalog_plan), NONE},
	[CATALOG_ROW_OBSERVATION] = {sizeof(struct attempt), NONE}, /* attempt_keep */
	[CATALOG_ROW_EVENT] = {sizeof(struct catalog_event), NONE},
	[CATALOG_ROW_WARC] = {sizeof(struct catalog_warc), WARC},
	[CATALOG_ROW_ADD_ROBOTS] = {sizeof(struct catalog_robots), ROBOTS},
	[CATALOG_ROW_CONFIRM_ROBOTS] = {sizeof(struct catalog_robots), ROBOTS},
	[CATALOG_ROW_CLOCK] = {sizeof(struct catalog_clock), CLOCK},
	[CATALOG_ROW_REQUISITE] = {sizeof(struct catalog_requisite), NONE},
	[CATALOG_ROW_DUST] = {sizeof(struct catalog_dust), DUST},
	[CATALOG_ROW_LINKS] = {sizeof(struct catalog_links), LINKS},
	[CATALOG_ROW_LEARNED] = {sizeof(struct catalog_learned), LEARNED},
	[CATALOG_ROW_POLL] = {sizeof(struct catalog_poll), POLL},
	[CATALOG_ROW_LOOK] = {sizeof(struct catalog_look), LOOK},
	[CATALOG_ROW_LOOKS] = {sizeof(struct catalog_looks), LOOKS},
	/* An update does not look at its strings. */
	[CATALOG_ROW_CAPTURE] = {sizeof(struct catalog_capture), NONE},
};

static bool copy_strings(struct arena *arena, char *body, const size_t *strings)
{
	for (; *strings != SIZE_MAX; strings++) {
		slice *s = (slice *)(void *)(body + *strings);

		if (!s->ptr)
			continue;
		s->ptr = arena_strdup(arena, *s);
		if (!s->ptr)
			return false;
	}
	return true;
}

/* Adds a copy of the row; *ret_body is that of its body. */
static int add(
	struct batch_part *p, const struct catalog_row *from, void **ret_body, struct err *err)
{
	size_t size = SHAPES[from->kind].size;
	struct batch_row *row = arena_alloc(&p->arena, sizeof *row, _Alignof(struct batch_row));
	char *body = arena_alloc(&p->arena, size, _Alignof(max_align_t));

	if (body)
		memcpy(body, from->body, size);
	if (!row || !body || !copy_strings(&p->arena, body, SHAPES[from->kind].strings))
		return err_code(err, ERR_NOMEM);
	if (from->kind == CATALOG_ROW_OBSERVATION &&
		attempt_keep((struct attempt *)(void *)body, &p->arena))
		return err_code(err, ERR_NOMEM);
	*row = (struct batch_row){.row = *from};
	row->row.body = body;
	if (p->last)
		p->last->next = row;
	else
		p->first = row;
	p->last = row;
	*ret_body = body;
	return 0;
}

int batch_add(struct batch *b, const struct catalog_row *row, struct err *err)
{
	void *body;

	return add(&b->lane, row, &body, err);
}

int batch_add_attempt(struct batch *b, uint32_t capture, const struct attempt *a,
	struct attempt **ret_copy, struct err *err)
{
	void *body = NULL;
	int rc = add(&b->lane,
		&(struct catalog_row){CATALOG_ROW_OBSERVATION, capture, .observation = a}, &body,
		err);

	if (rc == 0)
		*ret_copy = body;
	return rc;
}

int batch_place(struct batch *b, struct attempt *a, const struct warc_place *place, struct err *err)
{
	slice file = slice_str(place->file);

	if (!slice_eq(b->file, file))
		b->file = (slice){arena_strdup(&b->press.arena, file), file.len};
	if (!b->file.ptr)
		return err_code(err, ERR_NOMEM);
	a->warc = b->file;
	a->offset = place->offset;
	a->length = place->length;
	return 0;
}

int batch_add_written(struct batch *b, const struct catalog_row *row, struct err *err)
{
	void *body;

	return add(&b->press, row, &body, err);
}

int batch_in_looks(struct batch *b, struct attempt *a, const struct warc_id *id, uint64_t looks,
	uint64_t length, struct err *err)
{
	slice text = slice_str(id->text);

	a->record_id = (slice){arena_strdup(&b->press.arena, text), text.len};
	a->warc = (slice){0};
	a->offset = looks;
	a->length = length;
	return a->record_id.ptr ? 0 : err_code(err, ERR_NOMEM);
}

/* ---- writing ---- */

/* A capture that has ended is judged, by all that came before. */
bool batch_row_ends_capture(const struct catalog_row *row)
{
	return row->kind == CATALOG_ROW_CAPTURE && row->state->state != CATALOG_RUNNING;
}

static int write_part(const struct batch_part *p, struct catalog *catalog, struct err *err)
{
	int rc = 0;

	for (const struct batch_row *r = p->first; rc == 0 && r; r = r->next) {
		rc = catalog_write(catalog, &r->row, err);
		if (rc == 0 && batch_row_ends_capture(&r->row))
			rc = judging_store(catalog, r->row.state->id, NULL, err);
	}
	return rc;
}

int batch_write(const struct batch *b, struct catalog *catalog, struct err *err)
{
	/* Files first, so that they are in the catalog in their order. */
	int rc = write_part(&b->press, catalog, err);

	return rc ? rc : write_part(&b->lane, catalog, err);
}

int batch_each(const struct batch *b, int (*call)(void *context, const struct catalog_row *row),
	void *context)
{
	int rc = 0;

	for (const struct batch_row *r = b->lane.first; rc == 0 && r; r = r->next)
		rc = call(context, &r->row);
	return rc;
}
