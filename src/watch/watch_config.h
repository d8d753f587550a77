/*
 * What a watch is asked to do: a YAML file (config/config.h). docs/watching.md has its keys.
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
#ifndef WATCH_WATCH_CONFIG_H
#define WATCH_WATCH_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "config/yaml.h"
#include "crawl/looking.h"
#include "crawl/settings.h"
#include "store/retention.h"

/* Every instant of a grid is so far from the next, at least; seconds. */
#define WATCH_GRID_MIN 10.0

struct watch_site {
	struct crawl_settings settings;
	struct look_terms terms; /* its budget is the site's own limit, infinite without one */
	struct look_weights weights;
};

/* Fields may be read. */
struct watch_config {
	struct yaml yaml;
	struct arena arena;
	const char *archive;
	double requests;        /* per second */
	double bytes;           /* the same; 0: no limit */
	double written;         /* requests as the file has them: the number before the slash */
	struct windows windows; /* of all sites that have none of their own */
	unsigned lanes;         /* 0: the default */
	const char *ping;       /* where pings are heard (watch/ping.h); NULL: nowhere */
	bool has_retention;     /* else everything is kept */
	struct retention retention;
	struct look_weights weights; /* of all sites, after their own */
	struct watch_site *sites;
	size_t site_count;
	const struct option_spec *others;
	struct text_list ignored; /* "FILE:LINE:COLUMN: what" of keys that only a crawl reads */
};

/*
 * One file serves crawl and watch. others, borrowed: the options of a crawl; those that a watch
 * does not know are passed over, and listed in c->ignored; NULL: they are mistakes. ERR_USAGE with
 * "FILE:LINE:COLUMN: what", ERR_NOMEM. Release in any case.
 */
int watch_config_read(struct watch_config *c, const char *path, const struct option_spec *others,
	struct err *err) SP_MUST_CHECK;
int watch_config_parse(struct watch_config *c, const char *name, slice text,
	const struct option_spec *others, struct err *err) SP_MUST_CHECK;
void watch_config_release(struct watch_config *c);

/* The share of the day in which windows are open: 1 without one. */
double watch_open_share(const struct windows *w);

/* Whether both watch the same sites in ways that differ by their terms only. */
bool watch_config_is_like(const struct watch_config *a, const struct watch_config *b);

#endif
