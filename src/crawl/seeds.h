/* Seeds, and which of them make one site. */
#ifndef CRAWL_SEEDS_H
#define CRAWL_SEEDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/vec.h"
#include "crawl/secrets.h"
#include "crawl/settings.h"
#include "formats/url.h"

/* ---- sites ---- */

/*
 * Which seeds make one site. With scope `domain` those of one registrable domain belong together,
 * else those of one server: a host and port, http on port 80 and https on port 443 being the same.
 * Each site is captured on its own.
 */

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

/* ---- seeds ---- */

/* The URLs that a crawl is given, on the command line or in a file, and what follows from them. */

/* Where seeds go, and the passwords that some have. Both are borrowed. */
struct seeds {
	struct sites *sites;
	struct crawl_secrets *secrets;
};

/*
 * Adds one: 0, ERR_USAGE with what is wrong and what was perhaps meant, ERR_NOMEM. User and
 * password in it go to the secrets, not into the site.
 */
int seeds_add(const struct seeds *s, const char *text, struct err *err) SP_MUST_CHECK;

/* Adds those of a list (archive/text_input.h), one at least unless there are some already. */
int seeds_read(const struct seeds *s, const char *path, struct err *err) SP_MUST_CHECK;

/*
 * To be called when all are added: tells each site which secrets the common settings name. Refuses
 * secrets for "the seeds' hosts" if there are several sites. 0, ERR_USAGE, ERR_NOMEM.
 */
int seeds_finish(
	const struct seeds *s, struct crawl_settings *common, struct err *err) SP_MUST_CHECK;

/* All lead to this machine, by their names: no site owner has to be told who asks. */
bool seeds_are_loopback(const struct seeds *s);

/*
 * The archive's name: "news.stillpoint" for the list "/home/me/news.txt"; without one (NULL, "-")
 * by the first seed, HOST.stillpoint or HOST-PORT.stillpoint, with "_" for the colons of an IPv6
 * address and without its brackets. 0, ERR_NOMEM.
 */
int seeds_archive_name(const struct seeds *s, const char *list, char *out, size_t size,
	struct err *err) SP_MUST_CHECK;

/*
 * Gives the WARC files of each site a prefix of their own: PREFIX-HOST or PREFIX-HOST-PORT, with a
 * number behind it if another site has that already. 0, ERR_NOMEM.
 */
int seeds_name_files(const struct seeds *s, struct err *err) SP_MUST_CHECK;

#endif
