#include "quality/learner.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/word.h"
#include "quality/learnable.h"
#include "quality/place.h"

enum {
	ARENA_MAX = 64 << 20,
	PAIR_MAX = 64 << 20, /* bytes of the keys of a page */
	START_LETTERS = 3,   /* that a learned line begins with, at least */
};

void learner_init(struct learner *l, bool mask_visible)
{
	*l = (struct learner){.mask_visible = mask_visible};
	arena_init(&l->arena, ARENA_MAX);
	strmap_init(&l->pages, hash_key_random(), &l->arena);
	strmap_init(&l->index, hash_key_random(), NULL);
	strmap_init(&l->steady, hash_key_random(), &l->arena);
}

void learner_release(struct learner *l)
{
	strmap_release(&l->pages);
	strmap_release(&l->index);
	strmap_release(&l->steady);
	learner_places_release(&l->places);
	learner_hosts_release(&l->hosts);
	arena_release(&l->arena);
	*l = (struct learner){0};
}

/* ---- what a view has to learn from ---- */

struct spot {
	slice key;   /* the arena's */
	slice value; /* the view's */
	uint32_t seq, node;
	struct learned_spot item;
};

VEC_DECLARE(spot_vec, struct spot);

/* One pair of views. */
struct pair {
	struct learner *l;
	const struct url *page;
	const struct view *a, *b;
	struct spot_vec spots_a, spots_b;
	struct url scratch;
	struct buf kind, text;
	struct arena arena;
};

static int add_spot(
	struct pair *p, const struct view *v, const struct view_item *item, struct spot_vec *out)
{
	struct learned_spot s = learned_spot_of(v, item, p->page, &p->scratch);
	struct spot spot = {.value = s.value, .seq = item->seq, .node = item->node, .item = s};
	int rc;

	if (s.what == LEARNED_NONE || (s.what == LEARNED_TEXT && !p->l->mask_visible))
		return 0;
	buf_reset(&p->text);
	rc = learned_key(v, item->node, buf_slice(&p->kind), s.what, s.name, &p->text);
	if (rc)
		return rc == ERR_LIMIT ? 0 : rc;
	spot.key = (slice){arena_strdup(&p->arena, buf_slice(&p->text)), p->text.len};
	return spot.key.ptr ? spot_vec_push(out, spot) : ERR_NOMEM;
}

static int compare_keys(slice a, slice b)
{
	int order = memcmp(a.ptr, b.ptr, a.len < b.len ? a.len : b.len);

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

static int by_key(const void *left, const void *right)
{
	const struct spot *a = left, *b = right;
	int order = compare_keys(a->key, b->key);

	return order ? order : (a->seq > b->seq) - (a->seq < b->seq);
}

static int list_spots(struct pair *p, const struct view *v, struct spot_vec *out)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < v->items.len; i++)
		rc = add_spot(p, v, &v->items.ptr[i], out);
	if (rc == 0 && out->len > 1)
		qsort(out->ptr, out->len, sizeof *out->ptr, by_key);
	return rc;
}

/* ---- places ---- */

static int find_place(struct learner *l, slice key, struct learner_place **ret)
{
	struct learner_place place = {0};
	uint32_t at;
	int rc;

	*ret = NULL;
	if (strmap_get(&l->index, key, &at)) {
		*ret = &l->places.ptr[at];
		return 0;
	}
	if (l->places.len >= LEARNER_PLACES_MAX)
		return 0;
	place.key = (slice){arena_strdup(&l->arena, key), key.len};
	if (!place.key.ptr)
		return ERR_NOMEM;
	rc = strmap_put(&l->index, place.key, (uint32_t)l->places.len);
	if (rc == 0)
		rc = learner_places_push(&l->places, place);
	if (rc == 0)
		*ret = &l->places.ptr[l->places.len - 1];
	return rc;
}

/* Puts "KIND HOST" of a spot into p->text. */
static int host_of(struct pair *p, const struct spot *s)
{
	slice host = {0};
	int rc;

	(void)place_is_foreign(p->page, s->value, &p->scratch, &host);
	buf_reset(&p->text);
	rc = buf_add(&p->text, buf_slice(&p->kind));
	if (rc == 0)
		rc = buf_add_char(&p->text, ' ');
	return rc ? rc : buf_add(&p->text, host);
}

static int note_steady(struct pair *p, const struct spot *s)
{
	int rc = host_of(p, s);

	if (rc == 0)
		rc = strmap_put(&p->l->steady, buf_slice(&p->text), 0);
	return rc == ERR_EXISTS ? 0 : rc;
}

static int note_host(struct pair *p, const struct spot *s, const struct learner_place *place)
{
	struct learner_host h = {.place = (uint32_t)(place - p->l->places.ptr)};
	int rc = host_of(p, s);

	if (rc)
		return rc;
	h.host = (slice){arena_strdup(&p->l->arena, buf_slice(&p->text)), p->text.len};
	return h.host.ptr ? learner_hosts_push(&p->l->hosts, h) : ERR_NOMEM;
}

/* ---- comparing ---- */

/* The same place in both views: so many spots each. */
struct group {
	const struct spot *a, *b;
	size_t count_a, count_b;
};

static size_t run_of(const struct spot *s, size_t left)
{
	size_t n = 1;

	while (n < left && slice_eq(s[n].key, s[0].key))
		n++;
	return n;
}

static bool reads_like_content(const struct spot *s)
{
	return !learned_is_embedded(s->item.what) &&
	       learnable_value_is_content(s->item.name, s->item.value);
}

static int compare_embedded(struct pair *p, const struct group *g, struct learner_place *place)
{
	bool alone = g->count_a == 1 && g->count_b == 1;
	int rc = 0;

	place->seen++;
	if (alone && !slice_eq(g->a->value, g->b->value)) {
		place->varied++;
		rc = note_host(p, g->a, place);
		return rc ? rc : note_host(p, g->b, place);
	}
	for (size_t i = 0; rc == 0 && i < g->count_a; i++)
		for (size_t k = 0; rc == 0 && k < g->count_b; k++)
			if (slice_eq(g->a[i].value, g->b[k].value))
				rc = note_steady(p, &g->a[i]);
	return rc;
}

static void compare_values(const struct group *g, struct learner_place *place)
{
	size_t varied = 0;

	place->seen++;
	for (size_t i = 0; i < g->count_a; i++)
		place->refused = place->refused || reads_like_content(&g->a[i]);
	for (size_t i = 0; i < g->count_b; i++)
		place->refused = place->refused || reads_like_content(&g->b[i]);
	for (size_t i = 0; g->count_a == g->count_b && i < g->count_a; i++)
		varied += !slice_eq(g->a[i].value, g->b[i].value);
	place->varied += varied > 0 && varied == g->count_a;
}

/* What two lines begin with, whole words; empty when that says too little. */
static slice common_start(slice a, slice b)
{
	size_t n = 0, end = 0, letters = 0;

	while (n < a.len && n < b.len && a.ptr[n] == b.ptr[n]) {
		if (a.ptr[n] == ' ')
			end = n;
		n++;
	}
	for (size_t i = 0; i < end; i++)
		letters += word_is_alpha(a.ptr[i]) || (a.ptr[i] & 0x80);
	return slice_sub(a, 0, letters >= START_LETTERS ? end : 0);
}

static int compare_lines(struct pair *p, const struct spot *a, const struct spot *b)
{
	slice start = common_start(a->value, b->value);
	struct learner_place *place;
	int rc;

	if (slice_eq(a->value, b->value) || start.len == 0)
		return 0;
	buf_reset(&p->text);
	rc = learned_key(p->a, a->node, buf_slice(&p->kind), LEARNED_TEXT, start, &p->text);
	if (rc)
		return rc == ERR_LIMIT ? 0 : rc;
	rc = find_place(p->l, buf_slice(&p->text), &place);
	if (rc || !place)
		return rc;
	place->seen++;
	place->varied++;
	place->refused = place->refused ||
			 learnable_text_is_content(slice_sub(a->value, start.len, a->value.len)) ||
			 learnable_text_is_content(slice_sub(b->value, start.len, b->value.len));
	return 0;
}

static int compare_group(struct pair *p, const struct group *g)
{
	enum learned_what what = g->a->item.what;
	struct learner_place *place;
	int rc = 0;

	if (what == LEARNED_TEXT) {
		for (size_t i = 0; rc == 0 && g->count_a == g->count_b && i < g->count_a; i++)
			rc = compare_lines(p, &g->a[i], &g->b[i]);
		return rc;
	}
	rc = find_place(p->l, g->a->key, &place);
	if (rc || !place)
		return rc;
	if (learned_is_embedded(what))
		return compare_embedded(p, g, place);
	compare_values(g, place);
	return 0;
}

static int compare(struct pair *p)
{
	size_t i = 0, k = 0;
	int rc = 0;

	while (rc == 0 && i < p->spots_a.len && k < p->spots_b.len) {
		const struct spot *a = &p->spots_a.ptr[i], *b = &p->spots_b.ptr[k];
		int order = compare_keys(a->key, b->key);
		struct group g = {
			a, b, run_of(a, p->spots_a.len - i), run_of(b, p->spots_b.len - k)};

		if (order == 0)
			rc = compare_group(p, &g);
		i += order <= 0 ? g.count_a : 0;
		k += order >= 0 ? g.count_b : 0;
	}
	return rc;
}

/* Whether both views are of pages of one kind, which is put into p->kind. */
static int same_kind(struct pair *p, bool *ret)
{
	int rc = place_kind(p->page, p->b, &p->text);

	if (rc == 0)
		rc = place_kind(p->page, p->a, &p->kind);
	*ret = rc == 0 && slice_eq(buf_slice(&p->kind), buf_slice(&p->text));
	return rc == ERR_LIMIT ? 0 : rc;
}

static int add_pair(struct pair *p)
{
	bool comparable;
	int rc = same_kind(p, &comparable);

	if (rc == 0 && comparable) {
		rc = list_spots(p, p->a, &p->spots_a);
		if (rc == 0)
			rc = list_spots(p, p->b, &p->spots_b);
		if (rc == 0)
			rc = compare(p);
	}
	return rc;
}

int learner_add(
	struct learner *l, const struct url *page, const struct view *a, const struct view *b)
{
	struct pair p = {.l = l, .page = page, .a = a, .b = b};
	int rc;

	if (a->cut || b->cut)
		return 0;
	rc = strmap_put(&l->pages, url_page(page), 0);
	if (rc)
		return rc == ERR_EXISTS || rc == ERR_LIMIT ? 0 : rc;
	url_init(&p.scratch);
	buf_init(&p.kind, LEARNED_LINE_MAX);
	buf_init(&p.text, LEARNED_LINE_MAX);
	arena_init(&p.arena, PAIR_MAX);
	rc = add_pair(&p);
	arena_release(&p.arena);
	buf_release(&p.kind);
	buf_release(&p.text);
	url_release(&p.scratch);
	spot_vec_release(&p.spots_a);
	spot_vec_release(&p.spots_b);
	return rc;
}

/* ---- what was learned ---- */

/* Something else of the hosts of a place did not vary. */
static void refuse_steady_hosts(struct learner *l)
{
	for (size_t i = 0; i < l->hosts.len; i++)
		if (strmap_get(&l->steady, l->hosts.ptr[i].host, NULL))
			l->places.ptr[l->hosts.ptr[i].place].refused = true;
}

static int place_by_key(const void *a, const void *b)
{
	const struct learner_place *x = a, *y = b;

	return compare_keys(x->key, y->key);
}

int learner_finish(struct learner *l, struct learned *rules)
{
	int rc = 0;

	refuse_steady_hosts(l);
	if (l->places.len > 1)
		qsort(l->places.ptr, l->places.len, sizeof *l->places.ptr, place_by_key);
	for (size_t i = 0; rc == 0 && i < l->places.len; i++) {
		const struct learner_place *p = &l->places.ptr[i];

		if (p->refused || p->varied < LEARNER_SUPPORT || 2 * p->varied < p->seen)
			continue;
		rc = learned_add(rules, p->key, p->varied);
		rc = rc == ERR_LIMIT || rc == ERR_SYNTAX ? 0 : rc;
	}
	return rc ? rc : learned_finish(rules);
}
