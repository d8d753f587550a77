/*
 * Which seeds make one site. With scope `domain` those of one registrable domain belong together,
 * else those of one server: a host and port, http on port 80 and https on port 443 being the same.
 * Each site is captured on its own.
 */
#ifndef CRAWL_SITES_H
#define CRAWL_SITES_H

#include "base/api.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/vec.h"
#include "crawl/settings.h"
#include "url/url.h"

VEC_DECLARE(site_vec, struct crawl_settings);

/* Of the fields, list may be read: a site each, in the order of their first seeds. */
struct sites {
	struct site_vec list;
	const struct crawl_settings *common;
	struct arena *arena;
	struct strmap numbers; /* by what their seeds have in common */
	struct buf key;
};

/* Both are borrowed: the settings of sites, without seeds, and where the seeds are kept. */
void sites_init(struct sites *s, const struct crawl_settings *common, struct arena *arena);
void sites_release(struct sites *s);

/*
 * From here on seeds make sites of their own with these settings, borrowed as those before: seeds
 * that were added earlier have nothing to do with them.
 */
void sites_begin(struct sites *s, const struct crawl_settings *common);

/* Adds a seed, an http or https URL, to its site, which is new if need be. 0 or ERR_NOMEM. */
int sites_add(struct sites *s, const struct url *seed) SP_MUST_CHECK;

#endif
