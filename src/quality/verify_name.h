/*
 * Damage may take the URL of a record with it. The catalog knows which page's record lies where:
 * problems that have a place alone get the page of the record there or, since an attempt's request
 * and metadata follow its response, of the last one before it.
 */
#ifndef QUALITY_VERIFY_NAME_H
#define QUALITY_VERIFY_NAME_H

#include "quality/verify.h"

/* A problem without a name, and the best that is known of whose it is. */
struct nameless {
	size_t problem; /* its index */
	slice file;     /* as the catalog names it */
	uint64_t offset;
	slice url;       /* ptr NULL while nothing is known */
	uint64_t record; /* offset of the record whose URL that is */
};

VEC_DECLARE(nameless_vec, struct nameless);

/* Fields are its own. */
struct verify_naming {
	struct verify *v;
	struct nameless_vec list; /* by file and offset */
};

/* Takes the problems so far: 0 or ERR_NOMEM. To be finished in any case. */
int verify_naming_init(struct verify_naming *n, struct verify *v) SP_MUST_CHECK;

/* Says that a page has a record there: 0 or ERR_NOMEM. */
int verify_naming_offer(
	struct verify_naming *n, slice url, slice file, uint64_t offset) SP_MUST_CHECK;

/* Writes the names into the problems. */
void verify_naming_finish(struct verify_naming *n);

#endif
