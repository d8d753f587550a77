#include "frontier/traps.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

enum {
	SESSION_FIRST = 3,
	SMALL = 100, /* a budget of which every page is looked at */
	WINDOW_BITS = 64 * 1024,
	WINDOW_SET_MAX = WINDOW_BITS / 4, /* then it begins anew: rather too new than too old */
	SESSION_WINDOWS_MAX = TRAPS_WINDOWS_MAX / 4,
	/* What a page must show at least: so many bytes, and one in so many of its own. */
	NEW_MIN = 12,
	NEW_SHARE = 200,
};

#define ARENA_MAX ((size_t)64 << 20)

void traps_init(struct traps *t, uint32_t budget, struct hash_key key)
{
	*t = (struct traps){.key = key, .budget = budget, .first_section = TRAPS_NO_LEVEL};
	arena_init_small(&t->arena, ARENA_MAX);
	strmap_init(&t->numbers, key, &t->arena);
}

void traps_release(struct traps *t)
{
	for (size_t i = 0; i < t->windows.len; i++)
		free(t->windows.ptr[i]);
	trap_window_vec_release(&t->windows);
	trap_level_vec_release(&t->levels);
	trap_deferred_vec_release(&t->deferred);
	strmap_release(&t->numbers);
	arena_release(&t->arena);
	*t = (struct traps){0};
}

/* ---- levels ---- */

/* Shapes of which a normal site has few pages that are all the same have the smaller budgets. */
static uint32_t first_budget(const struct traps *t, enum trap_kind kind)
{
	switch (kind) {
	case TRAP_SESSION:
		return SESSION_FIRST;
	case TRAP_SEGMENTS:
		return t->budget / 10 + 1;
	case TRAP_CALENDAR:
		return t->budget / 4 + 1;
	default:
		return t->budget;
	}
}

static int find_level(struct traps *t, unsigned place, const struct trap_shape *s, slice name,
	uint32_t first, uint32_t *ret)
{
	/* The same name means something else at each place, and as a shape of each kind. */
	uint64_t hash = hash_bytes(t->key, name) + place * (uint64_t)TRAP_KIND_COUNT + s->kind;
	slice key = {(const char *)&hash, sizeof hash};
	int rc;

	*ret = TRAPS_NO_LEVEL;
	if (place != TRAP_LEVEL_SHAPE)
		hash -= s->kind;
	if (strmap_get(&t->numbers, key, ret))
		return 0;
	/* Sections that come too late share the level of the first one. */
	if (t->levels.len >= TRAPS_LEVELS_MAX) {
		*ret = place == TRAP_LEVEL_SECTION ? t->first_section : TRAPS_NO_LEVEL;
		return 0;
	}
	rc = trap_level_vec_reserve(&t->levels, 1);
	if (rc == 0)
		rc = strmap_put(&t->numbers, key, (uint32_t)t->levels.len);
	if (rc)
		return rc;
	*ret = (uint32_t)t->levels.len;
	if (place == TRAP_LEVEL_SECTION && t->first_section == TRAPS_NO_LEVEL)
		t->first_section = *ret;
	t->levels.ptr[t->levels.len++] =
		(struct trap_level){.first = first, .kind = (uint8_t)s->kind, .was_new = true};
	return 0;
}

int traps_find(struct traps *t, const struct trap_shape *s, struct trap_levels *ret)
{
	slice path = slice_sub(s->text, 0, s->path), section = slice_sub(s->text, 0, s->section);
	int rc = 0;

	*ret = (struct trap_levels){{TRAPS_NO_LEVEL, TRAPS_NO_LEVEL, TRAPS_NO_LEVEL}};
	if (s->kind != TRAP_PLAIN)
		rc = find_level(t, TRAP_LEVEL_SHAPE, s, s->text, first_budget(t, s->kind),
			&ret->list[TRAP_LEVEL_SHAPE]);
	if (rc == 0 && s->path < s->text.len)
		rc = find_level(
			t, TRAP_LEVEL_PATH, s, path, 2 * t->budget, &ret->list[TRAP_LEVEL_PATH]);
	if (rc == 0)
		rc = find_level(t, TRAP_LEVEL_SECTION, s, section, 20 * t->budget,
			&ret->list[TRAP_LEVEL_SECTION]);
	return rc;
}

static struct trap_level *level_at(const struct traps *t, const struct trap_levels *l, unsigned i)
{
	return l->list[i] == TRAPS_NO_LEVEL ? NULL : &t->levels.ptr[l->list[i]];
}

static bool has_room(const struct trap_level *level)
{
	return level->charged < (uint64_t)level->first + level->earned;
}

bool traps_has_room(const struct traps *t, const struct trap_levels *l, unsigned *ret_full)
{
	for (unsigned i = 0; i < TRAPS_LEVELS; i++) {
		const struct trap_level *level = level_at(t, l, i);

		if (level && !has_room(level)) {
			*ret_full = i;
			return false;
		}
	}
	return true;
}

void traps_take(struct traps *t, const struct trap_levels *l, bool is_free)
{
	for (unsigned i = 0; i < TRAPS_LEVELS; i++) {
		struct trap_level *level = level_at(t, l, i);

		if (!level)
			continue;
		level->pages++;
		level->charged += !is_free;
	}
}

void traps_refund(struct traps *t, const struct trap_levels *l)
{
	for (unsigned i = 0; i < TRAPS_LEVELS; i++) {
		struct trap_level *level = level_at(t, l, i);

		if (level && level->charged > 0)
			level->charged--;
	}
}

/* ---- what is put off ---- */

static int take_place(struct traps *t, uint32_t *ret)
{
	if (t->free_deferred) {
		*ret = t->free_deferred - 1;
		t->free_deferred = t->deferred.ptr[*ret].next;
		return 0;
	}
	*ret = (uint32_t)t->deferred.len;
	return trap_deferred_vec_push(&t->deferred, (struct trap_deferred){0});
}

int traps_defer(struct traps *t, uint32_t number, uint32_t page)
{
	struct trap_level *level = &t->levels.ptr[number];
	uint32_t place;
	int rc = take_place(t, &place);

	if (rc)
		return rc;
	t->deferred.ptr[place] = (struct trap_deferred){.page = page};
	if (level->tail)
		t->deferred.ptr[level->tail - 1].next = place + 1;
	else
		level->head = place + 1;
	level->tail = place + 1;
	return 0;
}

int traps_restore(struct traps *t, uint32_t number, uint32_t page)
{
	struct trap_level *level = &t->levels.ptr[number];

	level->charged = level->first + level->earned;
	return traps_defer(t, number, page);
}

bool traps_next(struct traps *t, const struct trap_levels *l, uint32_t *ret_page)
{
	for (unsigned i = 0; i < TRAPS_LEVELS; i++) {
		struct trap_level *level = level_at(t, l, i);
		struct trap_deferred *d;
		uint32_t place;

		if (!level || !level->head || !has_room(level))
			continue;
		place = level->head - 1;
		d = &t->deferred.ptr[place];
		*ret_page = d->page;
		level->head = d->next;
		if (!level->head)
			level->tail = 0;
		d->next = t->free_deferred;
		t->free_deferred = place + 1;
		return true;
	}
	return false;
}

/* ---- content ---- */

/* Few pages say nothing of their shape. */
static bool is_watched(const struct trap_level *level)
{
	return level->pages >= level->first / 4;
}

/* The more there is in hand, the fewer are looked at: reading text takes its time. */
static uint32_t step_of(const struct trap_level *level)
{
	uint64_t budget = (uint64_t)level->first + level->earned;

	if (level->first < SMALL)
		return 1;
	return budget > level->charged + 2 * (uint64_t)level->first ? TRAPS_STEP_RICH : TRAPS_STEP;
}

bool traps_wants_look(struct traps *t, const struct trap_levels *l)
{
	bool wanted = false;

	for (unsigned i = 0; i < TRAPS_LEVELS; i++) {
		struct trap_level *level = level_at(t, l, i);

		if (!level)
			continue;
		level->unseen++;
		wanted = wanted || (is_watched(level) && level->unseen >= step_of(level));
	}
	return wanted;
}

/* NULL when there are too many; *rc is then 0 or ERR_NOMEM. */
static struct trap_window *window_of(struct traps *t, struct trap_level *level, int *rc)
{
	size_t max = level->kind == TRAP_SESSION ? SESSION_WINDOWS_MAX : TRAPS_WINDOWS_MAX;
	struct trap_window *w;

	*rc = 0;
	if (level->window)
		return t->windows.ptr[level->window - 1];
	if (t->windows.len >= max)
		return NULL;
	w = calloc(1, sizeof *w);
	*rc = w ? trap_window_vec_push(&t->windows, w) : ERR_NOMEM;
	if (*rc) {
		free(w);
		return NULL;
	}
	level->window = (uint32_t)t->windows.len;
	return w;
}

/* The weight of the lines that the window has not; it has them then. */
static uint64_t add_lines(struct trap_window *w, const struct gist *gist)
{
	uint64_t weight = 0;

	if (w->set > WINDOW_SET_MAX)
		memset(w, 0, sizeof *w);
	for (size_t i = 0; i < gist->lines.len; i++) {
		uint64_t hash = gist->lines.ptr[i].hash;
		uint64_t *word = &w->bits[(hash >> 32) / 64 % (WINDOW_BITS / 64)];
		uint64_t bit = UINT64_C(1) << ((hash >> 32) % 64);

		if (*word & bit)
			continue;
		*word |= bit;
		w->set++;
		weight += gist->lines.ptr[i].weight;
	}
	return weight;
}

/* A look settles the pages that came since the last one, as many as a step has. */
static int look(struct traps *t, struct trap_level *level, const struct gist *gist)
{
	uint32_t step = step_of(level);
	uint32_t settled = level->unseen < step ? level->unseen : step;
	struct trap_window *w;
	int rc;

	level->unseen = 0;
	w = window_of(t, level, &rc);
	if (rc)
		return rc;
	if (w)
		level->was_new = add_lines(w, gist) >= NEW_MIN + gist->weight / NEW_SHARE;
	else
		level->was_new = level->kind != TRAP_SESSION;
	if (level->was_new && level->earned < UINT32_MAX / 2)
		level->earned += TRAPS_PAY * settled;
	return 0;
}

int traps_look(struct traps *t, const struct trap_levels *l, const struct gist *gist, bool *ret_new)
{
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < TRAPS_LEVELS; i++) {
		struct trap_level *level = level_at(t, l, i);

		if (level && is_watched(level))
			rc = look(t, level, gist);
	}
	if (rc == 0)
		*ret_new = traps_is_worthy(t, l);
	return rc;
}

bool traps_is_worthy(const struct traps *t, const struct trap_levels *l)
{
	for (unsigned i = 0; i < TRAPS_LEVELS; i++) {
		const struct trap_level *level = level_at(t, l, i);

		if (level && is_watched(level))
			return level->was_new;
	}
	return true;
}
