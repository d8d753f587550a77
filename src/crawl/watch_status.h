/*
 * How a watch goes, for people and programs: the daemon writes it to a file of the archive every
 * second, and `watch --status` reads that, whether the daemon runs or not.
 *
 * The file is text: fields between tabs, "-" for what is not known.
 *
 *	stillpoint-watch 1
 *	budget  REQUESTS SPENT PER_DAY
 *	totals  PAGES LOOKS CHANGES
 *	retired TIME                    (wall, s, of the last try)
 *	site    URL POLICY PAGES EXPECTED MEASURED ERROR DUE SHARP     (for each)
 *	signal  SOURCE PRECISION RECALL POLLS NOT_MODIFIED CHECKED LIES  (of the site before it)
 */
#ifndef CRAWL_WATCH_STATUS_H
#define CRAWL_WATCH_STATUS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include "base/vec.h"
#include "crawl/looking.h"

#define WATCH_STATUS_NAME "watch.status"

struct watch_site_status {
	slice url, policy;
	uint64_t pages, due;
	double fresh_expected, fresh_measured, fresh_error; /* NAN: not known */
	double sharp_expected;                              /* of the policy sharp, else NAN */
	size_t signals; /* how many of watch_status.signals are its own; those before are others' */
};

VEC_DECLARE(watch_site_list, struct watch_site_status);

struct watch_status {
	double requests; /* as the configuration has them, per its own unit of time */
	double per_day;  /* the same per day */
	uint64_t spent;  /* requests of the last 24 hours, of all kinds */
	uint64_t pages, looks, changes;
	uint64_t retired; /* when the daemon last tried to retire versions; wall, s; 0: never */
	struct watch_site_list sites;
	struct look_signals signals; /* of all sites, in their order */
	struct arena arena;          /* of texts */
};

void watch_status_init(struct watch_status *s);
void watch_status_release(struct watch_status *s);

/* As text: 0, or as buf_add. */
int watch_status_format(const struct watch_status *s, struct buf *out) SP_MUST_CHECK;

/* Reads such a text into an initialised struct. 0, ERR_SYNTAX, ERR_NOMEM. */
int watch_status_parse(struct watch_status *s, slice text) SP_MUST_CHECK;

/*
 * The file of an archive. Writing replaces it as a whole. Reading: ERR_NOTFOUND when there is none,
 * ERR_IO, ERR_SYNTAX with a sentence.
 */
int watch_status_write(
	const struct watch_status *s, const char *archive, struct err *err) SP_MUST_CHECK;
int watch_status_read(struct watch_status *s, const char *archive, struct err *err) SP_MUST_CHECK;

/* For programs and for people. 0 or ERR_IO. */
int watch_status_print_json(const struct watch_status *s, FILE *file) SP_MUST_CHECK;
void watch_status_print(const struct watch_status *s, FILE *file);

#endif
