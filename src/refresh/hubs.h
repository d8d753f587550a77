/*
 * Where new pages are born: few pages reveal most new links (survey, section 3.2). Of the pages
 * that ever revealed one, the best are kept, with the new links per unit of time that they are good
 * for. A look at a hub is worth what is expected to be new there by now.
 */
#ifndef REFRESH_HUBS_H
#define REFRESH_HUBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REFRESH_HUBS = 64 };

struct refresh_hub {
	uint32_t page;
	double born; /* new links, fading by half with each look */
	double time; /* in which they came, fading alike */
	double seen; /* the last look */
};

/* A zeroed struct is empty. */
struct refresh_hubs {
	struct refresh_hub list[REFRESH_HUBS];
	size_t len;
};

/* A look at a page, a time after the one before, revealed so many new links. */
void refresh_hubs_seen(
	struct refresh_hubs *h, uint32_t page, uint32_t born, double elapsed, double now);

/* A page is no longer there. */
void refresh_hubs_forget(struct refresh_hubs *h, uint32_t page);

/* The hub with most new links expected; NULL where no hub may have half a link. */
const struct refresh_hub *refresh_hubs_best(const struct refresh_hubs *h, double now);

#endif
