#include "extract/sitemap_record.h"

#include <math.h>

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
	return sitemap_records_push(&q->records, copy);
}

struct sitemap_entry sitemap_entry_empty(bool is_sitemap)
{
	return (struct sitemap_entry){.is_sitemap = is_sitemap, .priority = NAN};
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

slice sitemap_trim(slice s)
{
	size_t from = 0, to = s.len;

	while (from < to && is_blank(s.ptr[from]))
		from++;
	while (to > from && is_blank(s.ptr[to - 1]))
		to--;
	return slice_sub(s, from, to);
}
