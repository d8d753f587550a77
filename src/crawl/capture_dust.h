/*
 * URLs of a capture that show what another one shows (frontier/dust.h, docs/duplicates.md):
 *
 *	dust_pages.c   which URLs are left out, and taken after all
 *	dust_visits.c  what visited pages say for and against rules
 *	dust_looks.c   what a page shows, and whether two show the same
 *	dust_checks.c  requests that confirm rules
 *	dust_rows.c    the catalog's rows: at the end, and when a capture is resumed
 */
#ifndef CRAWL_CAPTURE_DUST_H
#define CRAWL_CAPTURE_DUST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/spill.h"
#include "crawl/settings.h"
#include "frontier/dust.h"
#include "similar/minhash.h"
#include "url/url.h"

enum { DUST_BETWEEN_MAX = 8 }; /* rules by which a URL may differ from another */

/* What a page showed; of pages that have not been visited all is 0. */
struct dust_look {
	uint64_t shown; /* hash of text, images, forms and where links lead */
	uint32_t words; /* of the text, if there is a sketch of it; else 0 */
	uint16_t status;
	uint16_t rule; /* of a page that is left out: the one that is named, plus one */
	bool has_shown;
	bool is_checked;              /* of a page that is left out: by a request */
	struct minhash_sketch sketch; /* of the text */
};

/* Fields are its own. */
struct capture_dust {
	enum crawl_dust mode;
	struct dust dust;
	struct spill looks;    /* by page */
	struct dust_map shown; /* pages by what they show */
	struct dust_map paths; /* visited pages by path and query, on any host */
	bool has_mirrors;      /* hosts that are left out */
	bool has_prints;       /* URLs of print versions are known: texts are needed */
	bool is_concluding;    /* the plainest URLs stand for their classes, visited or not */
	bool is_repeat;        /* the page that was read last shows what another one does */
};

/* Buffers that the captures of a lane share. */
struct dust_scratch {
	struct buf key, other_key, text, rule;
	struct url url, other, link;
	struct dust_form form, other_form, link_form;
	uint32_t rules[DUST_BETWEEN_MAX]; /* by which the two differ */
	size_t rule_count;
};

void capture_dust_init(struct capture_dust *d, const struct crawl_settings *settings);
void capture_dust_release(struct capture_dust *d);

void dust_scratch_init(struct dust_scratch *s);
void dust_scratch_release(struct dust_scratch *s);

#endif
