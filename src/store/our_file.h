/* Which WARC files of an archive were written by a crawl into it, and which were imported. */
#ifndef STORE_OUR_FILE_H
#define STORE_OUR_FILE_H

#include <stdbool.h>

#include "archive/warc_input.h"
#include "base/slice.h"

/* Before the name of a file that `import` took from another archive of ours. */
#define OUR_FILE_IMPORTED "import-"

static inline bool our_file_is_imported(slice name)
{
	return slice_starts_with(name, SLICE(OUR_FILE_IMPORTED));
}

/* Whether its first record says that Stillpoint wrote the file. What cannot be read is not ours. */
bool our_file_is_source(const struct warc_source *source);

#endif
