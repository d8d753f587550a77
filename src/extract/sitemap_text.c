#include "extract/sitemap_text.h"

#include "base/err.h"
#include "base/word.h"

void sitemap_text_init(struct sitemap_text *t, struct sitemap_queue *queue)
{
	*t = (struct sitemap_text){.queue = queue};
	buf_init(&t->line, SITEMAP_LOC_MAX);
}

void sitemap_text_release(struct sitemap_text *t)
{
	buf_release(&t->line);
}

static bool is_url(slice line)
{
	for (size_t i = 0; i < line.len; i++)
		if ((unsigned char)line.ptr[i] <= ' ')
			return false;
	return (line.len > 7 && word_starts(line, SLICE("http://"))) ||
	       (line.len > 8 && word_starts(line, SLICE("https://"))) ||
	       (line.len > 4 && word_starts(line, SLICE("www."))) ||
	       slice_starts_with(line, SLICE("/"));
}

/* The next line break from here, or the end of the block. */
static size_t find_break(slice block, size_t at)
{
	while (at < block.len && block.ptr[at] != '\n' && block.ptr[at] != '\r')
		at++;
	return at;
}

bool sitemap_text_is(slice beginning)
{
	size_t urls = 0, others = 0;

	for (size_t at = 0; at < beginning.len;) {
		size_t end = find_break(beginning, at);
		slice line = sitemap_trim(slice_sub(beginning, at, end));

		if (is_url(line))
			urls++;
		else
			others += line.len > 0 && line.ptr[0] != '#';
		at = end + 1;
	}
	return urls > 0 && urls >= others;
}

static int read_line(struct sitemap_text *t, slice line)
{
	struct sitemap_entry entry = sitemap_entry_empty(false);

	entry.loc = sitemap_trim(line);
	if (!is_url(entry.loc)) {
		t->passed_over += entry.loc.len > 0;
		return 0;
	}
	t->taken++;
	return sitemap_queue_add(t->queue, &entry, (slice){0});
}

/* Puts the bytes behind what the line has already; marks it when it becomes too long. */
static int grow_line(struct sitemap_text *t, slice more)
{
	int rc = t->skip ? 0 : buf_add(&t->line, more);

	if (rc != ERR_LIMIT)
		return rc;
	t->skip = true;
	t->queue->overlong++;
	return 0;
}

static int end_line(struct sitemap_text *t)
{
	int rc = t->skip ? 0 : read_line(t, buf_slice(&t->line));

	buf_reset(&t->line);
	t->skip = false;
	return rc;
}

int sitemap_text_feed(struct sitemap_text *t, slice block)
{
	for (size_t at = 0; at < block.len;) {
		size_t end = find_break(block, at);
		int rc = grow_line(t, slice_sub(block, at, end));

		if (rc == 0 && end < block.len)
			rc = end_line(t);
		if (rc)
			return rc;
		at = end + 1;
	}
	return 0;
}

int sitemap_text_end(struct sitemap_text *t)
{
	return end_line(t);
}
