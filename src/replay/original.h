/*
 * The record that has the body of a revisit record. Looked for in this order, always one with the
 * same payload digest where both are known:
 *
 *	(1) what WARC-Refers-To-Target-URI and WARC-Refers-To-Date name;
 *	(2) any response of that URI, the one nearest in time first;
 *	(3) any response of the revisit's own URI;
 *	(4) any response in the collection, by digest alone: the index is read for it, up to a
 *	    number of lines.
 */
#ifndef REPLAY_ORIGINAL_H
#define REPLAY_ORIGINAL_H

#include "archive/warc_header.h"
#include "base/api.h"
#include "base/err.h"
#include "replay/collection.h"
#include "replay/memento.h"

/*
 * *ret_found is one of *list, which the caller releases in any case. 0, ERR_NOTFOUND, or as
 * mementos_find.
 */
int original_find(struct collection *c, const struct memento *revisit,
	const struct warc_header *header, struct mementos *list, const struct memento **ret_found,
	struct err *err) SP_MUST_CHECK;

#endif
