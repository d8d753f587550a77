#include "store/batch.h"

#include <stdalign.h>
#include <stddef.h>
#include <string.h>

#include "store/judging.h"

/* Lanes hand their batches over long before that (store.h). */
#define BATCH_MAX ((size_t)1 << 30)

enum batch_kind {
	BATCH_ADD_PAGE,
	BATCH_TAKE_PAGE,
	BATCH_REFUSE_PAGE,
	BATCH_ADMIT_PAGE,
	BATCH_MARK_PAGE,
	BATCH_SET_UNKEPT,
	BATCH_SET_PLAN,
	BATCH_ADD_OBSERVATION,
	BATCH_ADD_EVENT,
	BATCH_SET_WARC,
	BATCH_ADD_ROBOTS,
	BATCH_CONFIRM_ROBOTS,
	BATCH_ADD_CLOCK,
	BATCH_UPDATE_CAPTURE,
	BATCH_FINISH_CAPTURE,
};

/* A page that is refused, or no longer. */
struct refusal {
	uint32_t number;
	enum left_out reason;
	slice rule;
};

/* What a page turned out to be. */
struct mark {
	uint32_t number;
	enum catalog_content content;
};

/* Links without a page. */
struct unkept {
	enum left_out reason;
	uint64_t links;
};

/* What it is of stands behind it in memory. */
struct batch_row {
	struct batch_row *next;
	uint32_t capture;
	enum batch_kind kind;
	alignas(max_align_t) char body[];
};

void batch_init(struct batch *b)
{
	*b = (struct batch){0};
	arena_init(&b->lane.arena, BATCH_MAX);
	arena_init_small(&b->press.arena, BATCH_MAX);
}

static void empty(struct batch *b)
{
	b->lane.first = b->lane.last = NULL;
	b->press.first = b->press.last = NULL;
	b->file = (slice){0};
}

void batch_release(struct batch *b)
{
	arena_release(&b->lane.arena);
	arena_release(&b->press.arena);
	empty(b);
}

void batch_reset(struct batch *b)
{
	arena_reset(&b->lane.arena);
	arena_reset(&b->press.arena);
	empty(b);
}

/* ---- collecting ---- */

/* Which of a row's fields are strings: offsets, ended by SIZE_MAX. */
static const size_t NONE[] = {SIZE_MAX};
static const size_t PAGE[] = {offsetof(struct catalog_page, url),
	offsetof(struct catalog_page, kind), offsetof(struct catalog_page, found),
	offsetof(struct catalog_page, rule), SIZE_MAX};
static const size_t REFUSAL[] = {offsetof(struct refusal, rule), SIZE_MAX};
static const size_t OBSERVATION[] = {offsetof(struct catalog_observation, attempt.url),
	offsetof(struct catalog_observation, attempt.failure),
	offsetof(struct catalog_observation, media_type),
	offsetof(struct catalog_observation, record_id),
	/* Of no use to the catalog, but to the press. */
	offsetof(struct catalog_observation, attempt.capture),
	offsetof(struct catalog_observation, attempt.kind),
	offsetof(struct catalog_observation, attempt.via), SIZE_MAX};
static const size_t WARC[] = {offsetof(struct catalog_warc, name), SIZE_MAX};
static const size_t ROBOTS[] = {offsetof(struct catalog_robots, origin),
	offsetof(struct catalog_robots, why), offsetof(struct catalog_robots, body), SIZE_MAX};
static const size_t CLOCK[] = {
	offsetof(struct catalog_clock, moment), offsetof(struct catalog_clock, boot), SIZE_MAX};

static bool copy_strings(struct batch_part *p, char *body, const size_t *strings)
{
	for (; *strings != SIZE_MAX; strings++) {
		slice *s = (slice *)(void *)(body + *strings);

		if (!s->ptr)
			continue;
		s->ptr = arena_strdup(&p->arena, *s);
		if (!s->ptr)
			return false;
	}
	return true;
}

/* A row to be: what it says, and which of that are strings. */
struct draft {
	enum batch_kind kind;
	uint32_t capture;
	const void *body;
	size_t size;
	const size_t *strings;
};

static int add(struct batch_part *p, const struct draft *d, struct err *err)
{
	struct batch_row *row =
		arena_alloc(&p->arena, sizeof *row + d->size, alignof(struct batch_row));

	if (row)
		memcpy(row->body, d->body, d->size);
	if (!row || !copy_strings(p, row->body, d->strings))
		return err_code(err, ERR_NOMEM);
	row->next = NULL;
	row->capture = d->capture;
	row->kind = d->kind;
	if (p->last)
		p->last->next = row;
	else
		p->first = row;
	p->last = row;
	return 0;
}

#define ADD(b, kind, capture, row, strings, err) \
	add(&(b)->lane, &(struct draft){(kind), (capture), (row), sizeof *(row), (strings)}, (err))

int batch_add_page(
	struct batch *b, uint32_t capture, const struct catalog_page *page, struct err *err)
{
	return ADD(b, BATCH_ADD_PAGE, capture, page, PAGE, err);
}

int batch_take_page(
	struct batch *b, uint32_t capture, const struct catalog_page *page, struct err *err)
{
	return ADD(b, BATCH_TAKE_PAGE, capture, page, PAGE, err);
}

int batch_refuse_page(struct batch *b, uint32_t capture, uint32_t number, enum left_out reason,
	slice rule, struct err *err)
{
	struct refusal r = {number, reason, rule};

	return ADD(b, BATCH_REFUSE_PAGE, capture, &r, REFUSAL, err);
}

int batch_admit_page(
	struct batch *b, uint32_t capture, uint32_t number, slice rule, struct err *err)
{
	struct refusal r = {number, LEFT_OUT_NOT, rule};

	return ADD(b, BATCH_ADMIT_PAGE, capture, &r, REFUSAL, err);
}

int batch_mark_page(struct batch *b, uint32_t capture, uint32_t number,
	enum catalog_content content, struct err *err)
{
	struct mark m = {number, content};

	return ADD(b, BATCH_MARK_PAGE, capture, &m, NONE, err);
}

int batch_set_unkept(
	struct batch *b, uint32_t capture, enum left_out reason, uint64_t links, struct err *err)
{
	struct unkept u = {reason, links};

	return ADD(b, BATCH_SET_UNKEPT, capture, &u, NONE, err);
}

int batch_set_plan(struct batch *b, uint32_t capture, uint32_t number, int64_t visit,
	int64_t revisit, bool hopeless, struct err *err)
{
	struct catalog_plan p = {number, visit, revisit, hopeless};

	return ADD(b, BATCH_SET_PLAN, capture, &p, NONE, err);
}

int batch_add_observation(struct batch *b, uint32_t capture, const struct catalog_observation *o,
	struct catalog_observation **ret_row, struct err *err)
{
	int rc = ADD(b, BATCH_ADD_OBSERVATION, capture, o, OBSERVATION, err);

	if (rc == 0)
		*ret_row = (struct catalog_observation *)(void *)b->lane.last->body;
	return rc;
}

int batch_place(struct batch *b, struct catalog_observation *row, slice file, uint64_t offset,
	uint64_t length, struct err *err)
{
	if (!slice_eq(b->file, file))
		b->file = (slice){arena_strdup(&b->press.arena, file), file.len};
	if (!b->file.ptr)
		return err_code(err, ERR_NOMEM);
	row->warc = b->file;
	row->offset = offset;
	row->length = length;
	return 0;
}

int batch_add_event(
	struct batch *b, uint32_t capture, const struct catalog_event *e, struct err *err)
{
	return ADD(b, BATCH_ADD_EVENT, capture, e, NONE, err);
}

int batch_set_warc(struct batch *b, const struct catalog_warc *warc, struct err *err)
{
	return add(&b->press, &(struct draft){BATCH_SET_WARC, 0, warc, sizeof *warc, WARC}, err);
}

int batch_add_robots(
	struct batch *b, uint32_t capture, const struct catalog_robots *r, struct err *err)
{
	return ADD(b, BATCH_ADD_ROBOTS, capture, r, ROBOTS, err);
}

int batch_confirm_robots(
	struct batch *b, uint32_t capture, slice origin, int64_t checked, struct err *err)
{
	struct catalog_robots r = {.origin = origin, .checked = checked};

	return ADD(b, BATCH_CONFIRM_ROBOTS, capture, &r, ROBOTS, err);
}

int batch_add_clock(
	struct batch *b, uint32_t capture, const struct catalog_clock *k, struct err *err)
{
	return ADD(b, BATCH_ADD_CLOCK, capture, k, CLOCK, err);
}

/* Without its strings, which an update does not look at. */
static struct catalog_capture bare(const struct catalog_capture *capture)
{
	struct catalog_capture kept = *capture;

	kept.uuid = kept.site = kept.strategy = kept.settings = (slice){0};
	return kept;
}

int batch_update_capture(struct batch *b, const struct catalog_capture *capture, struct err *err)
{
	struct catalog_capture kept = bare(capture);

	return ADD(b, BATCH_UPDATE_CAPTURE, capture->id, &kept, NONE, err);
}

int batch_finish_capture(struct batch *b, const struct catalog_capture *capture, struct err *err)
{
	struct catalog_capture kept = bare(capture);

	return ADD(b, BATCH_FINISH_CAPTURE, capture->id, &kept, NONE, err);
}

/* ---- writing ---- */

static int finish(struct catalog *c, const struct catalog_capture *capture, struct err *err)
{
	int rc = catalog_update_capture(c, capture, err);

	return rc ? rc : judging_store(c, capture->id, err);
}

static int write_row(struct catalog *c, const struct batch_row *row, struct err *err)
{
	const void *body = row->body;
	const struct refusal *refusal = body;
	const struct mark *mark = body;
	const struct unkept *unkept = body;
	const struct catalog_plan *plan = body;
	const struct catalog_robots *robots = body;

	switch (row->kind) {
	case BATCH_ADD_PAGE:
		return catalog_add_page(c, row->capture, body, err);
	case BATCH_TAKE_PAGE:
		return catalog_take_page(c, row->capture, body, err);
	case BATCH_REFUSE_PAGE:
		return catalog_refuse_page(
			c, row->capture, refusal->number, refusal->reason, refusal->rule, err);
	case BATCH_ADMIT_PAGE:
		return catalog_admit_page(c, row->capture, refusal->number, refusal->rule, err);
	case BATCH_MARK_PAGE:
		return catalog_mark_page(c, row->capture, mark->number, mark->content, err);
	case BATCH_SET_UNKEPT:
		return catalog_set_unkept(c, row->capture, unkept->reason, unkept->links, err);
	case BATCH_SET_PLAN:
		return catalog_set_plan(c, row->capture, plan->page, plan->visit, plan->revisit,
			plan->hopeless, err);
	case BATCH_ADD_OBSERVATION:
		return catalog_add_observation(c, row->capture, body, err);
	case BATCH_ADD_EVENT:
		return catalog_add_event(c, row->capture, body, err);
	case BATCH_SET_WARC:
		return catalog_set_warc(c, body, err);
	case BATCH_ADD_ROBOTS:
		return catalog_add_robots(c, row->capture, body, err);
	case BATCH_CONFIRM_ROBOTS:
		return catalog_confirm_robots(
			c, row->capture, robots->origin, robots->checked, err);
	case BATCH_ADD_CLOCK:
		return catalog_add_clock(c, row->capture, body, err);
	case BATCH_UPDATE_CAPTURE:
		return catalog_update_capture(c, body, err);
	case BATCH_FINISH_CAPTURE:
		return finish(c, body, err);
	}
	return 0;
}

static int write_part(const struct batch_part *p, struct catalog *catalog, struct err *err)
{
	int rc = 0;

	for (const struct batch_row *row = p->first; rc == 0 && row; row = row->next)
		rc = write_row(catalog, row, err);
	return rc;
}

int batch_write(const struct batch *b, struct catalog *catalog, struct err *err)
{
	/* Files first, so that they are in the catalog in their order. */
	int rc = write_part(&b->press, catalog, err);

	return rc ? rc : write_part(&b->lane, catalog, err);
}
