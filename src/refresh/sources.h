/*
 * What announcements are worth: sitemaps, feeds, pings. Each source has a precision, the share of
 * its announcements behind which a look found a change, and a recall, the share of the changes
 * found at its pages that it had announced. Both are learned from looks. The precision begins at
 * one half, the recall at 0: silence says nothing until the source has shown that it speaks. What
 * was seen long ago fades, so that a source can lose its worth and regain it.
 */
#ifndef REFRESH_SOURCES_H
#define REFRESH_SOURCES_H

#include <stdbool.h>
#include <stdint.h>

/* Sources are numbers from 1 on; 0: none. */
enum { REFRESH_SOURCES = 16 };

/* Looks that a source is judged by, at most: then all count for half. */
#define REFRESH_SOURCE_LOOKS 1024.0

struct refresh_source {
	double announced_changed, announced_same; /* looks behind an announcement */
	double silent_changed;                    /* changes that no announcement told */
};

/* Between 0 and 1, both excluded. */
static inline double refresh_precision(const struct refresh_source *s)
{
	return (s->announced_changed + 1) / (s->announced_changed + s->announced_same + 2);
}

/* From 0 on, below 1. */
static inline double refresh_recall(const struct refresh_source *s)
{
	return s->announced_changed / (s->announced_changed + s->silent_changed + 2);
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
	if (s->announced_changed + s->announced_same + s->silent_changed > REFRESH_SOURCE_LOOKS) {
		s->announced_changed /= 2;
		s->announced_same /= 2;
		s->silent_changed /= 2;
	}
}

#endif
