/*
 * What announcements are worth: sitemaps, feeds, pings, links from changed pages. Each source has a
 * precision, the share of its announcements behind which a look found a change, and a recall, the
 * share of the changes found at its pages that it had announced. Both are learned from looks, from
 * a uniform prior.
 */
#ifndef REFRESH_SOURCES_H
#define REFRESH_SOURCES_H

#include <stdbool.h>
#include <stdint.h>

/* Sources are numbers from 1 on; 0: none. */
enum { REFRESH_SOURCES = 16 };

struct refresh_source {
	double announced_changed, announced_same; /* looks behind an announcement */
	double silent_changed;                    /* changes that no announcement told */
};

/* Between 0 and 1, both excluded. */
static inline double refresh_precision(const struct refresh_source *s)
{
	return (s->announced_changed + 1) / (s->announced_changed + s->announced_same + 2);
}

static inline double refresh_recall(const struct refresh_source *s)
{
	return (s->announced_changed + 1) / (s->announced_changed + s->silent_changed + 2);
}

/* A look at a page of the source. */
static inline void refresh_source_learn(struct refresh_source *s, bool announced, bool changed)
{
	if (announced && changed)
		s->announced_changed++;
	else if (announced)
		s->announced_same++;
	else if (changed)
		s->silent_changed++;
}

#endif
