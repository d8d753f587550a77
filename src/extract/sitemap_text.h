/*
 * Text sitemaps: one URL per line, UTF-8, nothing else. Lines that are no URL with a scheme of HTTP
 * and do not begin as one without it ("www.", "/") are passed over, so that a page that is no
 * sitemap at all does not become a thousand addresses.
 */
#ifndef EXTRACT_SITEMAP_TEXT_H
#define EXTRACT_SITEMAP_TEXT_H

#include "base/api.h"
#include "base/buf.h"
#include "base/slice.h"
#include "extract/sitemap_record.h"

/* Fields are the parser's own. */
struct sitemap_text {
	struct sitemap_queue *queue; /* borrowed */
	struct buf line;             /* its beginning, when it began in an earlier block */
	bool skip;                   /* the rest of a line that is too long */
	uint64_t passed_over;        /* lines that are no URLs; to be read */
	uint64_t taken;              /* lines that are; to be read */
};

void sitemap_text_init(struct sitemap_text *t, struct sitemap_queue *queue);
void sitemap_text_release(struct sitemap_text *t);

/*
 * Whether the beginning of a file is that of a text sitemap: at least half of its lines, comments
 * with "#" not counted, are URLs. A licence with an address in it is none.
 */
bool sitemap_text_is(slice beginning);

/* Queues the URLs of all lines that end in the block: 0, ERR_NOMEM. */
int sitemap_text_feed(struct sitemap_text *t, slice block) SP_MUST_CHECK;

/* The same for the last line, which need not end. */
int sitemap_text_end(struct sitemap_text *t) SP_MUST_CHECK;

#endif
