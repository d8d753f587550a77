/* Traps and soft 404s, as a capture sees them: trapping.c, probe.c. */
#ifndef CRAWL_TRAPPING_H
#define CRAWL_TRAPPING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "base/vec.h"
#include "catalog/left_out.h"
#include "crawl/settings.h"
#include "frontier/gist.h"
#include "frontier/traps.h"

enum probe_state {
	PROBE_NOT_YET,
	PROBE_ASKED,
	PROBE_HONEST, /* says 404 where nothing is, or cannot be asked */
	PROBE_SOFT,   /* says something else */
};

/* What a host says of a URL that cannot exist. */
struct probe {
	uint32_t visits; /* of pages so far */
	uint8_t state;   /* enum probe_state */
	struct gist gist;
};

VEC_DECLARE(probe_vec, struct probe);

/* Fields are its own. */
struct trapping {
	bool is_on;
	struct traps traps;
	struct probe_vec probes; /* by host */

	/* The page that has come and whose links are found. */
	uint32_t source; /* or CATALOG_NO_PAGE */
	struct trap_levels source_levels;
	bool source_is_worthy; /* it shows something new */
	bool wants_look;
};

/* What the captures of a lane have in common: memory that is used again and again. */
struct trap_scratch {
	struct buf shape;
	struct gist gist;
};

/* What is to be done with a URL. */
struct trapped {
	enum left_out reason; /* LEFT_OUT_NOT: it may be taken */
	struct trap_levels levels;
	bool is_free;
	unsigned full; /* which of the levels has no room */
	slice shape;   /* valid until the next call */
};

void trapping_init(struct trapping *t, const struct crawl_settings *settings);
void trapping_release(struct trapping *t);

void trap_scratch_init(struct trap_scratch *s);
void trap_scratch_release(struct trap_scratch *s);

#endif
