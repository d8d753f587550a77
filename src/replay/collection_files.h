/* Which WARC files and indexes a path holds: directories, WARC files, WACZ packages. */
#ifndef REPLAY_COLLECTION_FILES_H
#define REPLAY_COLLECTION_FILES_H

#include <stdbool.h>

#include "base/api.h"
#include "base/err.h"
#include "replay/collection.h"

/*
 * Adds what the path holds to the collection and its set: places of WARC files, and indexes.
 * Indexes that have to be made are put into temporary files. As collection_open.
 */
int collection_add_path(struct collection *c, const char *path,
	const struct collection_terms *terms, struct index_set *set, struct err *err) SP_MUST_CHECK;

#endif
