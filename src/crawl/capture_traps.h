/* Traps and soft 404s of a capture: capture_traps.c, probe.c. */
#ifndef CRAWL_CAPTURE_TRAPS_H
#define CRAWL_CAPTURE_TRAPS_H

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
	PROBE_HONEST, /* answers 404 to URLs that do not exist, or cannot be asked */
	PROBE_SOFT,   /* answers something else */
};

/* How a host answers a URL that cannot exist. */
struct probe {
	uint32_t visits; /* of pages so far */
	uint8_t state;   /* enum probe_state */
	struct gist gist;
};

VEC_DECLARE(probe_vec, struct probe);

/* Fields are its own. */
struct capture_traps {
	bool is_on;
	struct traps traps;
	struct probe_vec probes; /* by host */

	/* The page whose links are being found. */
	uint32_t source; /* or CATALOG_NO_PAGE */
	struct trap_levels source_levels;
	bool source_is_worthy; /* it shows something new */
	bool wants_look;
};

/* Buffers that the captures of a lane share. */
struct trap_scratch {
	struct buf shape;
	struct gist gist;
};

/* Whether a URL may be taken. */
struct trap_decision {
	enum left_out reason; /* LEFT_OUT_NOT: it may be taken */
	struct trap_levels levels;
	bool is_free;
	unsigned full; /* which of the levels has no room */
	slice shape;   /* valid until the next call */
};

void capture_traps_init(struct capture_traps *t, const struct crawl_settings *settings);
void capture_traps_release(struct capture_traps *t);

void trap_scratch_init(struct trap_scratch *s);
void trap_scratch_release(struct trap_scratch *s);

#endif
