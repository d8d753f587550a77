/*
 * JSON Feed, versions 1 and 1.1 (https://www.jsonfeed.org/version/1.1/): of each item its address
 * and its dates. The text is kept until it is whole, since nothing says where the version stands.
 */
#ifndef EXTRACT_SITEMAP_JSON_H
#define EXTRACT_SITEMAP_JSON_H

#include "base/api.h"
#include "base/buf.h"
#include "base/slice.h"
#include "extract/sitemap_record.h"

enum { SITEMAP_JSON_MAX = 2 << 20 }; /* bytes; what is behind is not read */

/* Fields are the parser's own, but for is_feed and damage, which may be read at the end. */
struct sitemap_json {
	struct sitemap_queue *queue; /* borrowed */
	struct buf text;
	struct buf value; /* of a string, escapes undone */
	struct sitemap_entry entry;
	struct buf loc;
	bool has_modified; /* the entry's date is that of its last change */
	bool is_feed;      /* it has the version of a feed */
	struct err damage; /* why the end was not reached; code 0: it was */
};

void sitemap_json_init(struct sitemap_json *j, struct sitemap_queue *queue);
void sitemap_json_release(struct sitemap_json *j);

/* Takes in some text. 0 or ERR_NOMEM. */
int sitemap_json_feed(struct sitemap_json *j, slice block) SP_MUST_CHECK;

/* All was given: queues the items, as far as the text is whole; none unless it is a feed. 0,
 * ERR_NOMEM or ERR_LIMIT. */
int sitemap_json_end(struct sitemap_json *j) SP_MUST_CHECK;

#endif
