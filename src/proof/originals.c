#include "proof/originals.h"

#include "base/lists.h"

enum { CAPTURES_MAX = 1 << 20, MEMORY_MAX = 256 << 20 };

void originals_init(struct originals *o, struct catalog *catalog, uint32_t first)
{
	*o = (struct originals){.catalog = catalog, .first = first};
	arena_init(&o->arena, MEMORY_MAX);
	strmap_init(&o->index, hash_key_random(), &o->arena);
}

void originals_release(struct originals *o)
{
	strmap_release(&o->index);
	original_places_release(&o->places);
	arena_release(&o->arena);
}

int originals_want(struct originals *o, slice id)
{
	int rc = strmap_put(&o->index, id, (uint32_t)o->places.len);

	if (rc)
		return rc == ERR_EXISTS ? 0 : rc;
	o->missing++;
	return original_places_push(&o->places, (struct attempt){0});
}

static int fill(struct originals *o, uint32_t at, const struct attempt *place)
{
	o->places.ptr[at] = *place;
	o->missing--;
	return attempt_keep(&o->places.ptr[at], &o->arena);
}

int originals_know(struct originals *o, slice id, slice file, uint64_t offset)
{
	struct attempt place = {.record_id = id, .warc = file, .offset = offset};
	uint32_t at;
	int rc = originals_want(o, id);

	if (rc || !strmap_get(&o->index, id, &at) || o->places.ptr[at].warc.ptr)
		return rc;
	return fill(o, at, &place);
}

static int on_capture(void *context, const struct catalog_capture *c)
{
	struct u32_vec *captures = context;

	return captures->len < CAPTURES_MAX ? u32_vec_push(captures, c->id) : 0;
}

static int on_observation(void *context, const struct attempt *a)
{
	struct originals *o = context;
	struct attempt place = {
		.record_id = a->record_id, .warc = a->warc, .offset = a->offset, .leg = a->leg};
	uint32_t at;

	if (o->missing == 0 || a->is_revisit || !a->record_id.ptr || !a->warc.ptr ||
		!strmap_get(&o->index, a->record_id, &at))
		return 0;
	return o->places.ptr[at].warc.ptr ? 0 : fill(o, at, &place);
}

/* What a capture has again is mostly its own, or else of the last ones. */
static int search(struct originals *o, struct err *err)
{
	struct u32_vec captures = {0};
	int rc = 0;

	if (o->first)
		rc = catalog_each_observation(o->catalog, o->first, on_observation, o, err);
	if (rc == 0 && o->missing)
		rc = catalog_each_capture(o->catalog, on_capture, &captures, err);
	for (size_t i = captures.len; rc == 0 && o->missing && i > 0; i--)
		if (captures.ptr[i - 1] != o->first)
			rc = catalog_each_observation(
				o->catalog, captures.ptr[i - 1], on_observation, o, err);
	u32_vec_release(&captures);
	o->missing = 0;
	return err_code(err, rc);
}

int originals_find(void *originals, slice id, struct attempt *ret, struct err *err)
{
	struct originals *o = originals;
	uint32_t at;
	int rc = err_code(err, originals_want(o, id));

	if (rc == 0 && o->missing)
		rc = search(o, err);
	if (rc)
		return rc;
	if (!strmap_get(&o->index, id, &at) || !o->places.ptr[at].warc.ptr)
		return err_set(err, ERR_NOTFOUND,
			"the record with its body (%.*s) is not in this archive",
			slice_shown(id, 80), id.ptr);
	*ret = o->places.ptr[at];
	return 0;
}
