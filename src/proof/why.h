/* Why a URL is in a capture, or is not, and what came of it: from the catalog. */
#ifndef PROOF_WHY_H
#define PROOF_WHY_H

#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/slice.h"
#include "base/vec.h"
#include "catalog/catalog.h"
#include "proof/report.h"

VEC_DECLARE(why_pages, struct catalog_page);
VEC_DECLARE(why_attempts, struct attempt);

/* Strings are its own. */
struct why {
	uint32_t page;                /* its number */
	struct why_pages way;         /* from the seed to the page itself, which is the last */
	struct why_attempts attempts; /* by leg and number */
	struct arena arena;
};

/*
 * Gathers what is known of a URL, spelled as the catalog has it. 0, ERR_NOTFOUND when the capture
 * does not know it, or as the catalog's functions. To be released in any case.
 */
int why_load(struct why *w, struct catalog *catalog, uint32_t capture, slice url,
	struct err *err) SP_MUST_CHECK;

/*
 * The same of a URL as a user writes it. For "/path" or "host/path" the error says what was
 * probably meant, a page of the capture's site.
 */
int why_find(struct why *w, struct catalog *catalog, const struct catalog_capture *capture,
	const char *text, struct err *err) SP_MUST_CHECK;

/* The newest capture that took the page, or else that knows it; 0 when none does. */
uint32_t why_newest_capture(struct catalog *catalog, const char *text);

void why_release(struct why *w);

/* Why, as the JSON document of `stillpoint report --why --json` (docs/quality.md has its keys). */

/* w is of a page of the report. Errors stay in the writer. */
void why_json(const struct report *r, const struct why *w, struct json *j);

#endif
