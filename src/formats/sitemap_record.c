#include "formats/sitemap_record.h"

#include <math.h>
#include <string.h>

void sitemap_queue_init(struct sitemap_queue *q)
{
	*q = (struct sitemap_queue){0};
	arena_init(&q->arena, SITEMAP_QUEUE_MAX);
}

void sitemap_queue_release(struct sitemap_queue *q)
{
	sitemap_records_release(&q->records);
	arena_release(&q->arena);
}

void sitemap_queue_reset(struct sitemap_queue *q)
{
	q->records.len = 0;
	q->next = 0;
	arena_reset(&q->arena);
}

/* A copy of the base, or the last record's, which is the same more often than not. */
static bool copy_base(struct sitemap_queue *q, slice *base)
{
	const struct sitemap_record *last =
		q->records.len ? &q->records.ptr[q->records.len - 1] : NULL;

	if (last && slice_eq(last->base, *base))
		*base = last->base;
	else if (base->len > 0)
		base->ptr = arena_strdup(&q->arena, *base);
	return base->len == 0 || base->ptr;
}

int sitemap_queue_add(struct sitemap_queue *q, const struct sitemap_entry *entry, slice base)
{
	struct sitemap_record copy = {*entry, base};

	copy.entry.loc = sitemap_trim(copy.entry.loc);
	if (copy.entry.loc.len == 0)
		return 0;
	copy.entry.loc.ptr = arena_strdup(&q->arena, copy.entry.loc);
	if (!copy.entry.loc.ptr || !copy_base(q, &copy.base))
		return ERR_NOMEM;
	sitemap_records_push(&q->records, copy);
	return 0;
}

struct sitemap_entry sitemap_entry_empty(bool is_sitemap)
{
	return (struct sitemap_entry){.is_sitemap = is_sitemap, .priority = NAN};
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

/* White space of Unicode in UTF-8, and characters without width that stand around texts. */
static const slice SPACES[] = {SLICE_INIT("\xc2\x85"), SLICE_INIT("\xc2\xa0"),
	SLICE_INIT("\xe1\x9a\x80"), SLICE_INIT("\xe2\x80\x80"), SLICE_INIT("\xe2\x80\x81"),
	SLICE_INIT("\xe2\x80\x82"), SLICE_INIT("\xe2\x80\x83"), SLICE_INIT("\xe2\x80\x84"),
	SLICE_INIT("\xe2\x80\x85"), SLICE_INIT("\xe2\x80\x86"), SLICE_INIT("\xe2\x80\x87"),
	SLICE_INIT("\xe2\x80\x88"), SLICE_INIT("\xe2\x80\x89"), SLICE_INIT("\xe2\x80\x8a"),
	SLICE_INIT("\xe2\x80\x8b"), SLICE_INIT("\xe2\x80\xa8"), SLICE_INIT("\xe2\x80\xa9"),
	SLICE_INIT("\xe2\x80\xaf"), SLICE_INIT("\xe2\x81\x9f"), SLICE_INIT("\xe2\x81\xa0"),
	SLICE_INIT("\xe3\x80\x80"), SLICE_INIT("\xef\xbb\xbf")};

/* Bytes of the white space that the text begins with, or ends with; 0 for none. */
static size_t space_at(slice s, bool end)
{
	if (s.len > 0 && is_blank(s.ptr[end ? s.len - 1 : 0]))
		return 1;
	for (size_t i = 0; i < sizeof SPACES / sizeof SPACES[0]; i++) {
		size_t len = SPACES[i].len;

		if (s.len >= len &&
			memcmp(s.ptr + (end ? s.len - len : 0), SPACES[i].ptr, len) == 0)
			return len;
	}
	return 0;
}

slice sitemap_trim(slice s)
{
	size_t n;

	while ((n = space_at(s, false)) > 0)
		s = slice_sub(s, n, s.len);
	while ((n = space_at(s, true)) > 0)
		s = slice_sub(s, 0, s.len - n);
	return s;
}
