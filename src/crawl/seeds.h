/* The URLs that a crawl is given, on the command line or in a file, and what follows from them. */
#ifndef CRAWL_SEEDS_H
#define CRAWL_SEEDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/api.h"
#include "base/err.h"
#include "crawl/secrets.h"
#include "crawl/sites.h"

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

/* Adds those of a list (import/lines.h), one at least unless there are some already. */
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
