/* A file of an archive that takes the place of another one, whenever the process is killed. */
#ifndef REBUILD_REPLACE_H
#define REBUILD_REPLACE_H

#include "base/api.h"
#include "base/err.h"
#include "store/directory.h"

enum { REPLACE_PATH_SIZE = DIRECTORY_PATH_MAX + 16 };

/* The path of the new catalog; whatever an earlier attempt left there is removed. */
void replace_prepare(const struct directory *d, char ret[REPLACE_PATH_SIZE]);

/*
 * Syncs the new catalog, which is closed, and gives it the name of the old one. 0 or ERR_IO: then
 * the old one is in its place.
 */
int replace_catalog(const struct directory *d, const char *fresh, struct err *err) SP_MUST_CHECK;

#endif
