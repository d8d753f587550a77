/*
 * The lines that have the bodies of revisits, by their digests: what resolveRevisits=true of a CDX
 * query needs. They are found among the lines that came before.
 */
#ifndef REPLAY_CDX_ORIGINALS_H
#define REPLAY_CDX_ORIGINALS_H

#include "base/api.h"
#include "replay/cdx_query.h"

struct cdx_originals; /* opaque */

int cdx_originals_new(struct cdx_originals **ret) SP_MUST_CHECK; /* 0 or ERR_NOMEM */
void cdx_originals_free(struct cdx_originals *o);                /* NULL is fine */

/* Forgets all of them. */
void cdx_originals_reset(struct cdx_originals *o);

/*
 * Takes a line in. A revisit whose body came before gets its original, and that one's type and
 * status. Memory is bounded: of too many lines the later ones are not remembered.
 */
void cdx_originals_apply(struct cdx_originals *o, struct cdx_row *row);

#endif
