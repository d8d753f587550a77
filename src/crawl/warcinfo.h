/*
 * What the WARC files of a lane need of the settings: the fields of their warcinfo records, and
 * which request fields are not archived.
 */
#ifndef CRAWL_WARCINFO_H
#define CRAWL_WARCINFO_H

#include "base/api.h"
#include "base/arena.h"
#include "base/lists.h"
#include "catalog/catalog.h"
#include "crawl/secrets.h"
#include "crawl/settings.h"
#include "http/fields.h"

struct warcinfo {
	struct arena text; /* of the fields */
	struct field_vec info;
	struct slice_vec secret; /* empty when all are kept */
};

struct warcinfo_params {
	const struct crawl_settings *settings; /* of a capture of the lane; see only */
	const struct catalog_capture *only;    /* the one capture there is; NULL: several,
						* with the same settings but for their own */
	const char *user_agent;
	const struct crawl_secrets *secrets; /* NULL: none */
};

/* All is borrowed. 0 or ERR_NOMEM. */
int warcinfo_init(struct warcinfo *w, const struct warcinfo_params *params) SP_MUST_CHECK;
void warcinfo_release(struct warcinfo *w); /* safe on a zeroed struct */

#endif
