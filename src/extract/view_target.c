/*
 * Links within the page. Their targets are named by ids, which many sites draw anew for each
 * download. What counts is the place: the first, second, … of the places that links lead to, and
 * what stands there.
 */
#include "base/err.h"
#include "base/hash.h"
#include "extract/noise_word.h"
#include "extract/view_build.h"

enum {
	TARGET_REACH = 64, /* items among which the text at a place is looked for */
	TARGET_TEXT = 64,  /* bytes of it that are compared */
	TARGET_HEAD = 32,  /* bytes of its number and the marks around it, at most */
};

static bool is_reference(const struct view *v, const struct view_item *item)
{
	return item->kind == VIEW_LINK && item->len > 1 && v->text.ptr[item->from] == '#';
}

static slice fragment_of(const struct view *v, const struct view_item *item)
{
	return slice_sub(view_item_text(v, item), 1, item->len);
}

/* The fragments that links lead to; their numbers are 0, for "nowhere", so far. */
static int gather(const struct view *v, struct strmap *fragments)
{
	int rc = 0;

	for (size_t i = 0; i < v->items.len && rc == 0; i++) {
		if (!is_reference(v, &v->items.ptr[i]))
			continue;
		rc = strmap_put(
			fragments, fragment_of(v, &v->items.ptr[i]), (uint32_t)fragments->len);
		rc = rc == ERR_EXISTS ? 0 : rc;
	}
	return rc;
}

/* The id of an element, as far as it is kept. */
static slice id_of(const struct view *v, const struct view_node *node)
{
	const char *hash = node->name ? strchr(v->names.ptr + node->name, '#') : NULL;

	return hash ? slice_str(hash + 1) : (slice){0};
}

struct place {
	uint32_t number; /* from 1; 0 when the page has no such id */
	uint32_t item;   /* what stands there */
};

static void number(const struct view *v, const struct strmap *fragments, struct place *places)
{
	uint32_t count = 0, at;

	for (size_t i = 1; i < v->nodes.len; i++) {
		slice id = id_of(v, &v->nodes.ptr[i]);

		if (id.len && strmap_get(fragments, id, &at) && !places[at].number)
			places[at] = (struct place){++count, v->nodes.ptr[i].item};
	}
}

/* The beginning of the text that stands at a place. */
static slice text_at(const struct view *v, struct place place)
{
	size_t end = (size_t)place.item + TARGET_REACH;

	for (size_t i = place.item; i < v->items.len && i < end; i++)
		if (v->items.ptr[i].kind == VIEW_TEXT)
			return slice_sub(view_item_text(v, &v->items.ptr[i]), 0, TARGET_TEXT);
	return (slice){"", 0};
}

/* "#:3 Heading" for the third place, "#*" for a random name of none. */
static int replace(struct view *v, struct view_item *item, struct place place)
{
	slice old = view_item_text(v, item), text;
	size_t from = v->text.len;
	int rc;

	if (place.number == 0 && !noise_has_random(slice_sub(old, 1, old.len)))
		return 0;
	if (!noise_applies(&v->noise, NOISE_RANDOM_IDS, old))
		return 0;
	rc = buf_reserve(&v->text, TARGET_TEXT + TARGET_HEAD);
	text = text_at(v, place);
	if (rc == 0 && place.number)
		rc = buf_printf(&v->text, "#:%u %.*s", place.number, (int)text.len, text.ptr);
	else if (rc == 0)
		rc = buf_add_str(&v->text, "#*");
	if (rc)
		return view_limited(v, rc);
	item->from = from;
	item->len = v->text.len - from;
	return 0;
}

int view_targets(struct view *v)
{
	struct strmap fragments;
	struct arena arena; /* keys are copied: the texts of the view move as it grows */
	struct place *places = NULL;
	uint32_t at;
	int rc;

	arena_init(&arena, VIEW_TEXT_MAX);
	strmap_init(&fragments, hash_key_random(), &arena);
	rc = view_limited(v, gather(v, &fragments));
	if (rc == 0 && fragments.len) {
		places = calloc(fragments.len, sizeof *places);
		rc = places ? 0 : ERR_NOMEM;
	}
	if (places)
		number(v, &fragments, places);
	for (size_t i = 0; places && i < v->items.len && rc == 0; i++) {
		struct view_item *item = &v->items.ptr[i];

		if (is_reference(v, item) && strmap_get(&fragments, fragment_of(v, item), &at))
			rc = replace(v, item, places[at]);
	}
	free(places);
	strmap_release(&fragments);
	arena_release(&arena);
	return rc;
}
