#include "archive/cdxj_find.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

bool cdxj_has_key(slice line, slice key)
{
	return line.len > key.len && memcmp(line.ptr, key.ptr, key.len) == 0 &&
	       line.ptr[key.len] == ' ';
}

/*
 * Reads the first line that begins at or behind at, and says where: 0, ERR_END when none does. A
 * line begins behind a line end, so one byte earlier is where to look for one.
 */
static int read_line(
	struct lines *lines, uint64_t at, uint64_t *ret_start, slice *ret_line, struct err *err)
{
	int rc = 0;

	lines_seek(lines, at > 0 ? at - 1 : 0);
	if (at > 0)
		rc = lines_next(lines, ret_line, err);
	*ret_start = lines_offset(lines);
	return rc ? rc : lines_next(lines, ret_line, err);
}

/*
 * Invariant: lines that begin before low are below from, lines that begin at or behind high are
 * not. before is where the last one begins that is known to be below. Ends at the first that is
 * not.
 */
static int find(struct lines *lines, slice from, uint64_t *ret_before, struct err *err)
{
	uint64_t low = 0, high, before = 0, found;
	struct stat st;

	if (fstat(lines->fd, &st) < 0)
		return err_set(err, ERR_IO, "%s", strerror(errno));
	found = high = (uint64_t)st.st_size;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2, start;
		slice line;
		int rc = read_line(lines, middle, &start, &line, err);

		if (rc && rc != ERR_END)
			return rc;
		if (rc == 0 && cdxj_compare(line, from) < 0) {
			before = start;
			low = lines_offset(lines);
		} else {
			found = rc == 0 ? start : found;
			high = middle;
		}
	}
	*ret_before = before;
	lines_seek(lines, found);
	return 0;
}

int cdxj_find(struct lines *lines, slice from, struct err *err)
{
	uint64_t ignored;

	return find(lines, from, &ignored, err);
}

int cdxj_find_before(struct lines *lines, slice from, struct err *err)
{
	uint64_t before = 0;
	int rc = find(lines, from, &before, err);

	if (rc == 0)
		lines_seek(lines, before);
	return rc;
}
