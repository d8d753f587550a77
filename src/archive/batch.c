#include "archive/batch.h"

#include <stdlib.h>

#include "archive/judging.h"
#include "base/mem.h"

/* Lanes hand their batches over long before that (store.h). */
#define BATCH_MAX ((size_t)1 << 30)

struct batch_row {
	struct batch_row *next;
	struct catalog_row row; /* of a copy */
};

struct batch *batch_new(void)
{
	struct batch *b = mem_new(1, sizeof *b);

	arena_init(&b->lane.arena, BATCH_MAX);
	arena_init_small(&b->press.arena, BATCH_MAX);
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

slice batch_keep(struct batch *b, slice bytes)
{
	return arena_keep(&b->lane.arena, bytes);
}

/* Adds a copy of the row, and returns that of its body. */
static void *add(struct batch_part *p, const struct catalog_row *from)
{
	struct batch_row *row = ARENA_NEED(&p->arena, struct batch_row);
	void *body = catalog_row_copy(from, &p->arena);

	row->row = *from;
	row->row.body = body;
	if (p->last)
		p->last->next = row;
	else
		p->first = row;
	p->last = row;
	return body;
}

void batch_add(struct batch *b, const struct catalog_row *row)
{
	(void)add(&b->lane, row);
}

struct attempt *batch_add_attempt(struct batch *b, uint32_t capture, const struct attempt *a)
{
	return add(&b->lane,
		&(struct catalog_row){CATALOG_ROW_OBSERVATION, capture, .observation = a});
}

void batch_place(struct batch *b, struct attempt *a, const struct warc_place *place)
{
	if (!slice_eq(b->file, slice_str(place->file)))
		b->file = arena_keep(&b->press.arena, slice_str(place->file));
	a->warc = b->file;
	a->offset = place->offset;
	a->length = place->length;
}

void batch_add_written(struct batch *b, const struct catalog_row *row)
{
	(void)add(&b->press, row);
}

void batch_in_looks(struct batch *b, struct attempt *a, const struct warc_id *id, uint64_t looks,
	uint64_t length)
{
	a->record_id = arena_keep(&b->press.arena, slice_str(id->text));
	a->warc = (slice){0};
	a->offset = looks;
	a->length = length;
}

/* ---- writing ---- */

/* A capture that has ended is judged, by all that came before. */
bool batch_row_ends_capture(const struct catalog_row *row)
{
	return row->kind == CATALOG_ROW_CAPTURE && row->state->state != CATALOG_RUNNING;
}

static int write_part(const struct batch_part *p, struct catalog *catalog, struct err *err)
{
	for (const struct batch_row *r = p->first; r; r = r->next) {
		TRY(catalog_write(catalog, &r->row, err));
		if (batch_row_ends_capture(&r->row))
			TRY(judging_store(catalog, r->row.state->id, NULL, err));
	}
	return 0;
}

int batch_write(const struct batch *b, struct catalog *catalog, struct err *err)
{
	/* Files first, so that they are in the catalog in their order. */
	TRY(write_part(&b->press, catalog, err));
	return write_part(&b->lane, catalog, err);
}

int batch_each(const struct batch *b, int (*call)(void *context, const struct catalog_row *row),
	void *context)
{
	for (const struct batch_row *r = b->lane.first; r; r = r->next)
		TRY(call(context, &r->row));
	return 0;
}
