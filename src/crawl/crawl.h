/*
 * A capture from its first request to its verdicts: the planner, the frontier, the net, the
 * readers, the archive and the catalog brought together. One capture runs in one thread; several
 * may run at once in threads of their own, each with an archive of its own.
 */
#ifndef CRAWL_CRAWL_H
#define CRAWL_CRAWL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/clock.h"
#include "base/err.h"
#include "crawl/settings.h"
#include "plan/plan.h"

#define CRAWL_USER_AGENT "Mozilla/5.0 (compatible; stillpoint/" STILLPOINT_VERSION ")"

/* The product token by which robots.txt knows us. */
#define CRAWL_ROBOTS_AGENT "stillpoint"

/* How far it is; for a line on a terminal. */
struct crawl_progress {
	bool preparing; /* robots.txt and sitemaps come first */
	enum plan_leg leg;
	size_t known;     /* pages of the capture so far */
	size_t done;      /* of the present leg */
	size_t total;     /* that the present leg will have, as far as is known */
	size_t failed;    /* given up */
	size_t sharp;     /* so far, of those revisited */
	size_t revisited; /* the same number of pages for the next one */
	double expected;  /* sharp ones: of those revisited; before, if the revisits began now */
};

struct crawl_options {
	const struct clock *clock; /* NULL for the system's */
	int stop_fd;               /* the capture stops cleanly when it is readable; -1 for none */
	void (*on_progress)(void *context, const struct crawl_progress *progress); /* or NULL */
	void *context;
};

enum crawl_end {
	CRAWL_FINISHED,     /* complete */
	CRAWL_CUT,          /* complete as far as its time limit let it */
	CRAWL_STOPPED,      /* by stop_fd: resume goes on */
	CRAWL_WAS_FINISHED, /* there was nothing to resume */
};

struct crawl_result {
	uint32_t capture;
	enum crawl_end end;
	size_t known; /* pages that were to be captured */
	size_t visited;
	char problem[ERR_TEXT_MAX]; /* the first failure, for when nothing could be visited */
};

/*
 * Adds a capture to the archive, which is made when it is not there. The settings and their strings
 * are borrowed. 0, or an error with one line for people: ERR_USAGE for settings that cannot be,
 * ERR_IO, ERR_STATE, ERR_NOMEM, …; what was captured until then stays, and resume goes on.
 */
int crawl_start(const char *archive, const struct crawl_settings *settings,
	const struct crawl_options *options, struct crawl_result *ret,
	struct err *err) SP_MUST_CHECK;

/* Goes on with the archive's last capture. */
int crawl_resume(const char *archive, const struct crawl_options *options, struct crawl_result *ret,
	struct err *err) SP_MUST_CHECK;

#endif
