#include "plan/refresh_wheel.h"

#include <string.h>

#include "base/err.h"

enum { BITS = 8, PEEKED = 64 };

static const uint32_t NONE = UINT32_MAX;

void wheel_init(struct wheel *w, struct wheel_items *items, unsigned number)
{
	*w = (struct wheel){.items = items, .number = number};
	for (size_t i = 0; i < WHEEL_LISTS; i++)
		w->heads[i] = NONE;
}

int wheel_items_reach(struct wheel_items *items, uint32_t page)
{
	while (items->len <= page)
		TRY(wheel_items_try_push(items, (struct wheel_item){.list = WHEEL_OUT}));
	return 0;
}

/* The list of this wheel that a page is in; WHEEL_LISTS: none. */
static unsigned list_with(const struct wheel *w, uint32_t page)
{
	unsigned list = w->items->ptr[page].list - w->number * WHEEL_LISTS;

	return list < WHEEL_LISTS ? list : WHEEL_LISTS;
}

bool wheel_has(const struct wheel *w, uint32_t page)
{
	return list_with(w, page) < WHEEL_QUEUE;
}

static void set_full(struct wheel *w, unsigned list, bool full)
{
	uint64_t bit = (uint64_t)1 << (list % 64), *word;

	if (list >= WHEEL_QUEUE)
		return;
	word = &w->full[list / WHEEL_SLOTS][list % WHEEL_SLOTS / 64];
	*word = full ? *word | bit : *word & ~bit;
}

static void append(struct wheel *w, uint32_t page, unsigned list)
{
	struct wheel_item *items = w->items->ptr, *item = &items[page];
	uint32_t head = w->heads[list];

	item->list = (uint16_t)(w->number * WHEEL_LISTS + list);
	if (head == NONE) {
		item->prev = item->next = page;
		w->heads[list] = page;
		set_full(w, list, true);
		return;
	}
	item->next = head;
	item->prev = items[head].prev;
	items[item->prev].next = page;
	items[head].prev = page;
}

static void unlink_item(struct wheel *w, uint32_t page)
{
	struct wheel_item *items = w->items->ptr, *item = &items[page];
	unsigned list = list_with(w, page);

	if (item->next == page) {
		w->heads[list] = NONE;
		set_full(w, list, false);
	} else {
		items[item->next].prev = item->prev;
		items[item->prev].next = item->next;
		if (w->heads[list] == page)
			w->heads[list] = item->next;
	}
	item->list = WHEEL_OUT;
}

/* The level at which a tick differs from the cursor: its highest byte that does. */
static unsigned list_of(const struct wheel *w, uint32_t due)
{
	uint32_t differ = due ^ w->cursor;
	unsigned level = 0;

	while (level + 1 < WHEEL_LEVELS && differ >> (BITS * (level + 1)))
		level++;
	return level * WHEEL_SLOTS + (due >> (BITS * level)) % WHEEL_SLOTS;
}

void wheel_remove(struct wheel *w, uint32_t page)
{
	unsigned list = list_with(w, page);

	if (list == WHEEL_LISTS)
		return;
	w->len -= list < WHEEL_QUEUE;
	w->queued -= list == WHEEL_QUEUE;
	unlink_item(w, page);
}

void wheel_put(struct wheel *w, uint32_t page, uint32_t due)
{
	wheel_remove(w, page);
	if (due < w->cursor)
		due = w->cursor;
	w->items->ptr[page].due = due;
	append(w, page, list_of(w, due));
	w->len++;
}

void wheel_queue(struct wheel *w, uint32_t page)
{
	wheel_remove(w, page);
	append(w, page, WHEEL_QUEUE);
	w->queued++;
}

/* The first bucket of a level at or behind the cursor's; WHEEL_SLOTS: none. */
static unsigned next_full(const struct wheel *w, unsigned level)
{
	unsigned slot = (w->cursor >> (BITS * level)) % WHEEL_SLOTS;

	for (unsigned word = slot / 64; word < WHEEL_SLOTS / 64; word++) {
		uint64_t bits = w->full[level][word];

		if (word == slot / 64)
			bits &= UINT64_MAX << (slot % 64);
		if (bits)
			return word * 64 + (unsigned)__builtin_ctzll(bits);
	}
	return WHEEL_SLOTS;
}

/* The first bucket that is not empty, and the tick at which it begins; false: all are. */
static bool first_bucket(
	const struct wheel *w, unsigned *ret_level, unsigned *ret_slot, uint32_t *ret_tick)
{
	unsigned level = 0, slot, shift;
	uint32_t high;

	while ((slot = next_full(w, level)) == WHEEL_SLOTS)
		if (++level == WHEEL_LEVELS)
			return false;
	shift = BITS * level;
	high = shift + BITS < 32 ? w->cursor >> (shift + BITS) << (shift + BITS) : 0;
	*ret_level = level;
	*ret_slot = slot;
	*ret_tick = high | (uint32_t)slot << shift;
	return true;
}

/* Moves the pages of the bucket at the cursor down. */
static void descend(struct wheel *w, unsigned list)
{
	uint32_t page;

	while ((page = w->heads[list]) != NONE) {
		unlink_item(w, page);
		append(w, page, list_of(w, w->items->ptr[page].due));
	}
}

bool wheel_first(struct wheel *w, uint32_t limit, uint32_t *ret_page, uint32_t *ret_due)
{
	unsigned level, slot;
	uint32_t tick;

	while (first_bucket(w, &level, &slot, &tick) && tick <= limit) {
		w->cursor = tick;
		if (level == 0) {
			*ret_page = w->heads[slot];
			*ret_due = tick;
			return true;
		}
		descend(w, level * WHEEL_SLOTS + slot);
	}
	return false;
}

bool wheel_peek(const struct wheel *w, uint32_t *ret_page, uint32_t *ret_tick)
{
	unsigned level, slot;
	uint32_t head, page, tick;

	if (!first_bucket(w, &level, &slot, &tick))
		return false;
	page = head = w->heads[level * WHEEL_SLOTS + slot];
	*ret_page = page;
	*ret_tick = tick;
	for (int i = 0; level > 0 && i < PEEKED; i++) {
		page = w->items->ptr[page].next;
		if (page == head)
			break;
		if (w->items->ptr[page].due < w->items->ptr[*ret_page].due)
			*ret_page = page;
	}
	return true;
}

bool wheel_queued(const struct wheel *w, uint32_t *ret_page)
{
	if (w->heads[WHEEL_QUEUE] == NONE)
		return false;
	*ret_page = w->heads[WHEEL_QUEUE];
	return true;
}

static uint32_t moved(uint32_t due, uint32_t ticks, double scale)
{
	double tick = due > ticks ? scale * (double)(due - ticks) : 0;

	return tick < (double)(UINT32_MAX - 1) ? (uint32_t)tick : UINT32_MAX - 1;
}

void wheel_rebase(struct wheel *w, uint32_t ticks, double scale, bool others)
{
	uint32_t queue = w->heads[WHEEL_QUEUE];

	memset(w->full, 0, sizeof w->full);
	for (size_t i = 0; i < WHEEL_LISTS; i++)
		w->heads[i] = NONE;
	w->heads[WHEEL_QUEUE] = queue;
	w->cursor = moved(w->cursor, ticks, scale);
	w->len = 0;
	for (size_t i = 0; i < w->items->len; i++) {
		struct wheel_item *item = &w->items->ptr[i];

		if (others && item->list == WHEEL_OUT) /* it may be asked when that was due */
			item->due = moved(item->due, ticks, scale);
		if (!wheel_has(w, (uint32_t)i))
			continue;
		item->list = WHEEL_OUT;
		wheel_put(w, (uint32_t)i, moved(item->due, ticks, scale));
	}
}
