/*
 * Between the parsers of the formats and the reader: raw entries, queued as they are found. Room
 * private to the sitemap_*.c and feed.c files.
 */
#ifndef FORMATS_SITEMAP_RECORD_H
#define FORMATS_SITEMAP_RECORD_H

#include <stdbool.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/slice.h"
#include "base/vec.h"
#include "formats/sitemap.h"

enum {
	/*
	 * Bytes of all queued addresses: those of one block, none of which is longer than what it
	 * was read from, and one that was begun before.
	 */
	SITEMAP_QUEUE_MAX = 4 << 20,
	/*
	 * Bytes of all xml:base of the elements around an address but the root's: every entry of a
	 * block may need its own copy of them.
	 */
	SITEMAP_BASE_MAX = 2 << 10,
};

/* An entry as it was written, in the queue's arena. */
struct sitemap_record {
	struct sitemap_entry entry;
	slice base; /* values of xml:base below the root, outermost first, a line each */
};

VEC_DECLARE(sitemap_records, struct sitemap_record);

struct sitemap_queue {
	struct sitemap_records records;
	size_t next;
	uint64_t overlong; /* entries dropped because of SITEMAP_LOC_MAX or SITEMAP_BASE_MAX */
	struct arena arena;
};

void sitemap_queue_init(struct sitemap_queue *q);
void sitemap_queue_release(struct sitemap_queue *q);

/* Forgets all entries and takes the memory for new ones. */
void sitemap_queue_reset(struct sitemap_queue *q);

/* Queues a copy of the entry with its loc trimmed; without one nothing. 0, ERR_NOMEM, ERR_LIMIT. */
int sitemap_queue_add(
	struct sitemap_queue *q, const struct sitemap_entry *entry, slice base) SP_MUST_CHECK;

/* An entry of which nothing is known yet. */
struct sitemap_entry sitemap_entry_empty(bool is_sitemap);

/* Without blanks and line breaks around it. */
slice sitemap_trim(slice s);

#endif
