/*
 * What a resource looks like: HTML, a style sheet, an image. The content is a function of resource
 * and version alone, but for the noise, which differs from one response to the next.
 */
#ifndef LIVING_PAGE_H
#define LIVING_PAGE_H

#include <stdint.h>

#include "base/buf.h"
#include "living/layout.h"
#include "living/model.h"

/* One response; borrows everything. */
struct page_view {
	const struct living_model *model;
	uint32_t resource;
	uint32_t version;
	uint16_t port;               /* of links to other hosts */
	const struct u32_vec *links; /* pages to link to, in order */
	int64_t now_ns;              /* realtime, for a clock in the footer */
	uint64_t noise;              /* a random number for this response */
	const char *variant;         /* name of the variant that is shown; NULL: there is one */
	unsigned shell;              /* LIVING_SHELL_… for a page without its content; else 0 */
};

/* Writes the content of the resource to body: 0, ERR_NOMEM, ERR_LIMIT. */
int page_write(const struct page_view *v, struct buf *body) SP_MUST_CHECK;

/* Writes the content of a page as JSON, for the scripts of a shell. The same errors. */
int page_write_data(const struct page_view *v, struct buf *body) SP_MUST_CHECK;

/* Its media type. */
const char *page_media_type(const struct living_model *m, uint32_t resource);

#endif
