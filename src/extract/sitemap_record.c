#include "extract/sitemap_record.h"

#include <math.h>

void sitemap_queue_init(struct sitemap_queue *q)
{
	*q = (struct sitemap_queue){0};
	arena_init(&q->arena, SITEMAP_QUEUE_MAX);
}

void sitemap_queue_release(struct sitemap_queue *q)
{
	sitemap_entries_release(&q->entries);
	arena_release(&q->arena);
}

void sitemap_queue_reset(struct sitemap_queue *q)
{
	q->entries.len = 0;
	q->next = 0;
	arena_reset(&q->arena);
}

int sitemap_queue_add(struct sitemap_queue *q, const struct sitemap_entry *entry)
{
	struct sitemap_entry copy = *entry;

	copy.loc = sitemap_trim(copy.loc);
	if (copy.loc.len == 0)
		return 0;
	copy.loc.ptr = arena_strdup(&q->arena, copy.loc);
	if (!copy.loc.ptr)
		return ERR_NOMEM;
	return sitemap_entries_push(&q->entries, copy);
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
