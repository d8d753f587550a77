/*
 * Makes a WARC file good again that a crash left behind: NAME.open, or NAME when only the catalog
 * had no time to learn that it was complete. What stands behind the last record that counts is set
 * aside, never thrown away, and the file gets its name:
 *
 *	(1) the bytes behind size are copied to NAME.torn-SIZE.part, which is synced;
 *	(2) that gets the name NAME.torn-SIZE (or NAME.torn-SIZE-2, …), and the directory is synced;
 *	(3) the file is truncated to size and synced;
 *	(4) NAME.open becomes NAME, and the directory is synced.
 *
 * Whenever this is stopped, doing it again gives the same result: a .part is begun anew, a torn
 * file that holds the same bytes is not made twice, and the rest can be done any number of times.
 * The directory must be the caller's alone meanwhile.
 */
#ifndef WARC_WARC_REPAIR_H
#define WARC_WARC_REPAIR_H

#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "warc/warc_writer.h"

enum { WARC_TORN_MAX = 1000 }; /* torn files of one name and size */

/*
 * Cuts the file (its name with or without ".open") in the directory to the size, which must be the
 * end of a record. With size 0 all of it is set aside, and neither NAME nor NAME.open is left; an
 * empty file is removed. io is NULL for the system's.
 *
 * 0; ERR_NOTFOUND when there is no such file (with size 0 that is fine); ERR_STATE when it is
 * shorter than size, or when both NAME and NAME.open are there; ERR_USAGE or ERR_LIMIT for the
 * name; ERR_EXISTS when there are too many torn files; ERR_IO. Unless it was ERR_IO, nothing has
 * changed.
 */
int warc_repair(int dir, const char *name, uint64_t size, const struct warc_io *io,
	struct err *err) SP_MUST_CHECK;

#endif
