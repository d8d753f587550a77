/* A file without a name: gone with its descriptor, whatever happens to us. */
#ifndef BASE_TEMPFILE_H
#define BASE_TEMPFILE_H

#include "base/api.h"

/* For reading and writing, in the directory; -1 with errno. The caller closes it. */
int tempfile_open(const char *dir) SP_MUST_CHECK;

/* Where the user wants such files: TMPDIR, or /tmp. */
const char *tempfile_dir(void);

#endif
