/*
 * Which sites of a crawl to show: those that fail first, then those with most requests to come. A
 * short list, made anew for each look.
 */
#ifndef CRAWL_WORST_SITES_H
#define CRAWL_WORST_SITES_H

#include <stdbool.h>
#include <stddef.h>

#include "plan/plan.h"

enum { WORST_SITES_MAX = 5, WORST_SITE_NAME = 96 };

struct site_progress {
	bool preparing; /* robots.txt and sitemaps come first */
	enum plan_leg leg;
	size_t done, total; /* of the leg */
	size_t failed;
	size_t left;                /* requests to come, as far as is known */
	char site[WORST_SITE_NAME]; /* cut if need be */
};

/* The worst first. Zeroed: empty. */
struct worst_sites {
	struct site_progress list[WORST_SITES_MAX];
	size_t len;
};

/* Keeps it if it belongs among the worst. */
void worst_sites_add(struct worst_sites *w, const struct site_progress *site);

#endif
