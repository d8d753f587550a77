/* What the catalog has to know of a retirement: tombstones, other places, new files. */
#include <stdlib.h>

#include "store/judging.h"
#include "store/retire_plan.h"

/* An observation, and what becomes of it. */
struct edit {
	uint32_t capture, page;
	enum attempt_leg leg;
	unsigned number;
	const struct retire_change *change; /* NULL: it is retired */
	const struct retire_entry *entry;   /* then that */
};

VEC_DECLARE(edit_vec, struct edit);

struct committing {
	struct retire_plan *plan;
	struct edit_vec edits;
	uint32_t *pages;               /* of a capture, by number of the URL */
	const struct edit *next, *end; /* of the page that is edited */
};

/* ---- pages of changed looks ---- */

static int on_url(void *context, uint32_t number, slice url)
{
	struct committing *c = context;
	uint32_t at;

	if (strmap_get(&c->plan->urls.map, url, &at))
		c->pages[at] = number;
	return 0;
}

static bool is_of(const struct retire_change *change, const struct catalog_capture *capture)
{
	return slice_eq(change->capture, capture->uuid);
}

/* Changes name captures and URLs, as WARC files do; the catalog has numbers. */
static int on_capture(void *context, const struct catalog_capture *capture)
{
	struct committing *c = context;
	const struct retire_changes *changes = &c->plan->changes;
	bool has_any = false;
	int rc = 0;

	for (size_t i = 0; i < changes->len && !has_any; i++)
		has_any = is_of(&changes->ptr[i], capture);
	if (!has_any)
		return 0;
	rc = catalog_urls_from(c->plan->p->catalog, capture->id, 0, on_url, c, c->plan->err);
	for (size_t i = 0; rc == 0 && i < changes->len; i++) {
		const struct retire_change *x = &changes->ptr[i];

		if (is_of(x, capture))
			rc = err_code(
				c->plan->err, edit_vec_push(&c->edits,
						      (struct edit){capture->id, c->pages[x->url],
							      x->leg, x->number, x, NULL}));
	}
	return rc;
}

static int add_changes(struct committing *c)
{
	int rc;

	if (c->plan->changes.len == 0)
		return 0;
	c->pages = calloc(c->plan->urls.list.len, sizeof *c->pages);
	rc = c->pages ? catalog_each_capture(c->plan->p->catalog, on_capture, c, c->plan->err)
		      : err_code(c->plan->err, ERR_NOMEM);
	return rc;
}

static int add_retired(struct committing *c)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < c->plan->entries.len; i++) {
		const struct retire_entry *e = &c->plan->entries.ptr[i];

		if (!e->kept)
			rc = edit_vec_push(&c->edits,
				(struct edit){e->capture, e->page, e->leg, e->number, NULL, e});
	}
	return err_code(c->plan->err, rc);
}

/* ---- editing ---- */

/* What is left is what a tombstone says: the catalog is the same when it is made anew. */
static void bury(struct attempt *a, const struct retire_entry *e, int64_t time)
{
	a->retired = time;
	a->state = e->state;
	a->payload = e->payload;
	a->record_id = a->warc = a->media_type = a->etag = a->caches = a->address = a->links =
		(slice){0};
	a->offset = a->length = a->coding = 0;
	a->modified = 0;
	a->age = (struct attempt_age){0};
	a->is_revisit = a->is_compact = false;
}

static void change(const struct committing *c, struct attempt *a, const struct retire_change *x)
{
	a->length = x->length;
	if (x->file == RETIRE_NONE)
		return;
	a->is_revisit = a->is_compact = false;
	a->warc = slice_str(c->plan->files.ptr[x->file].new_name);
	a->offset = x->offset;
	a->has_state = true;
	a->state = x->state;
	a->payload = x->payload;
}

static int edit(void *context, struct attempt *a)
{
	struct committing *c = context;
	const struct edit *e = c->next;

	if (e == c->end || e->leg != a->leg || e->number != a->number)
		return 0;
	if (e->change)
		change(c, a, e->change);
	else
		bury(a, e->entry, c->plan->p->now);
	c->next++;
	return 0;
}

static int by_key(const void *a, const void *b)
{
	const struct edit *x = a, *y = b;

	if (x->capture != y->capture)
		return x->capture < y->capture ? -1 : 1;
	if (x->page != y->page)
		return x->page < y->page ? -1 : 1;
	if (x->leg != y->leg)
		return x->leg < y->leg ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static int edit_page(struct committing *c, const struct edit *first, const struct edit *end)
{
	struct retire_plan *plan = c->plan;
	int rc;

	c->next = first;
	c->end = end;
	rc = catalog_edit_page(plan->p->catalog, first->capture, first->page, edit, c, plan->err);
	if (rc == 0 && c->next != c->end)
		rc = err_set(plan->err, ERR_STATE,
			"the catalog has not all looks of the WARC files; run 'stillpoint rebuild' "
			"first. Nothing was retired");
	return rc;
}

static int edit_all(struct committing *c)
{
	const struct edit *list;
	size_t count = c->edits.len, next;
	int rc = 0;

	if (count > 1)
		qsort(c->edits.ptr, count, sizeof *list, by_key);
	list = c->edits.ptr;
	for (size_t i = 0; rc == 0 && i < count; i = next) {
		for (next = i; next < count && list[next].capture == list[i].capture &&
			       list[next].page == list[i].page;)
			next++;
		rc = edit_page(c, &list[i], &list[next]);
	}
	return rc;
}

/* ---- all of it ---- */

static int replace(struct retire_plan *plan, const struct retire_file *f)
{
	struct catalog_warc row = {.name = slice_str(f->new_name),
		.size = f->new_size,
		.complete = true,
		.has_digest = true,
		.digest = f->digest};

	return catalog_replace_warc(
		plan->p->catalog, slice_str(f->name), &row, f->moves.ptr, f->moves.len, plan->err);
}

int retire_commit(struct retire_plan *plan, const struct u32_vec *finished)
{
	struct catalog *catalog = plan->p->catalog;
	struct committing c = {.plan = plan};
	int rc = add_retired(&c);

	if (rc == 0)
		rc = add_changes(&c);
	if (rc == 0)
		rc = edit_all(&c);
	for (size_t i = 0; rc == 0 && i < plan->files.len; i++)
		if (plan->files.ptr[i].affected)
			rc = replace(plan, &plan->files.ptr[i]);
	for (size_t i = 0; rc == 0 && i < finished->len; i++)
		rc = judging_store(catalog, finished->ptr[i], plan->err);
	free(c.pages);
	edit_vec_release(&c.edits);
	if (rc == 0)
		return catalog_commit(catalog, plan->err);
	catalog_rollback(catalog);
	return rc;
}
