/* Traps and soft 404s of a capture: capture_traps.c, probing.c. */
#ifndef CRAWL_CAPTURE_TRAPS_H
#define CRAWL_CAPTURE_TRAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "base/vec.h"
#include "catalog/left_out.h"
#include "crawl/settings.h"
#include "crawl/traps.h"

struct arrival;
struct capture;
struct found;
struct net_fetch;
struct state_result;

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

/* All return 0 or ERR_NOMEM, or as their err says. */

/* Whether a URL may be taken. */
int traps_decide(struct capture *c, const struct found *f, struct trap_decision *ret) SP_MUST_CHECK;

/* Whether it may be taken without asking its budgets. */
bool traps_is_exempt(struct capture *c, const struct found *f);

/* Appends the rule that refuses it. */
int traps_explain(struct buf *out, const struct trap_decision *d) SP_MUST_CHECK;

/* The page of that URL is taken, or put off. */
int traps_note_decision(
	struct capture *c, uint32_t page, const struct trap_decision *d) SP_MUST_CHECK;

/* A page was put off by an earlier process. */
int traps_restore_page(struct capture *c, const struct url *url, uint32_t page,
	enum left_out reason) SP_MUST_CHECK;

/* A redirect led to a page that was taken. */
int traps_redirect_followed(struct capture *c, const struct url *document) SP_MUST_CHECK;

/* As struct crawl_feature has it: a page is about to be read. */
int traps_page_arrived(struct capture *c, const struct arrival *p, bool *ret_text, struct err *err);

/* The page was read; *ret_follow: its links may be followed. */
int traps_page_read(struct capture *c, const struct arrival *p, bool *ret_follow,
	struct err *err) SP_MUST_CHECK;

/* Takes pages that were put off, as far as that page has raised their budgets. */
int traps_take_deferred(struct capture *c, struct err *err) SP_MUST_CHECK;

#endif
