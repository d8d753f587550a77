/*
 * What a watch is asked to do: a YAML file (formats/config.h). docs/watching.md has its keys.
 *
 *	archive: towns.stillpoint
 *	budget: {requests: 20000/day, bytes: 5G/day}
 *	policy: fresh
 *	sites:
 *	  - url: https://example.org/
 *	  - url: https://example.net/news/
 *	    policy: sharp
 *	    grid: 1d
 *	    weights: {"*today*": 5}
 *
 * What is said of all sites counts for those that do not say it themselves.
 */
#ifndef CRAWL_WATCH_CONFIG_H
#define CRAWL_WATCH_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "archive/retire.h"
#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "crawl/crawl_options.h"
#include "crawl/looking.h"
#include "crawl/secrets.h"
#include "crawl/seeds.h"

/* The lists of settings are those of the configuration. */
struct watch_site {
	struct crawl_settings settings;
	struct look_terms terms; /* its budget is the site's own limit, infinite without one */
};

/* Fields may be read. */
struct watch_config {
	struct crawl_config crawl; /* the file; its notes are what the user should know */
	struct arena arena;
	struct sites seeds;           /* by site */
	struct crawl_secrets secrets; /* of all sites */
	const char *archive;
	double requests;        /* per second */
	double bytes;           /* the same; 0: no limit */
	double written;         /* requests as the file has them: the number before the slash */
	struct windows windows; /* of all sites that have none of their own */
	unsigned lanes;         /* 0: the default */
	const char *ping;       /* where pings are heard (crawl/watch_daemon.h); NULL: nowhere */
	const char *crawl_log, *events; /* files, or NULL */
	bool has_retention;             /* else everything is kept */
	struct retention retention;
	struct look_weights weights; /* of all sites, after their own */
	struct look_weights *own;    /* by entry of the file */
	size_t own_count;
	struct watch_site *sites;
	size_t site_count;
};

/*
 * The keys are those of crawl's files (crawl/crawl_options.h); c->crawl.notes names those that have
 * no effect. ERR_USAGE with "FILE:LINE:COLUMN: what", ERR_NOMEM. Release in any case.
 */
int watch_config_read(struct watch_config *c, const char *path, struct err *err) SP_MUST_CHECK;
int watch_config_parse(
	struct watch_config *c, const char *name, slice text, struct err *err) SP_MUST_CHECK;
void watch_config_release(struct watch_config *c);

/* The share of the day in which windows are open: 1 without one. */
double watch_open_share(const struct windows *w);

/* Whether both watch the same sites in ways that differ by their terms only. */
bool watch_config_is_like(const struct watch_config *a, const struct watch_config *b);

#endif
