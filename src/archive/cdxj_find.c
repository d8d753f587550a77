#include "archive/cdxj_find.h"

#include <string.h>

#include "base/io.h"

enum {
	PROBE_SIZE = 2048, /* bytes read to look at one line of a search */
	BLOCK_SIZE = 8192, /* bytes that are gone through line by line: one read for many probes */
};

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
 * Whether the first line that begins at or behind at is below from, and where it begins, from a
 * small read: 0, or ERR_LIMIT when that does not show it.
 */
static int probe(
	const struct lines *lines, uint64_t at, slice from, uint64_t *ret_start, bool *ret_below)
{
	char bytes[PROBE_SIZE];
	uint64_t first = at > 0 ? at - 1 : 0;
	ssize_t n = io_read_at(lines->fd, bytes, sizeof bytes, lines->base + first);
	slice line = {bytes, n > 0 ? (size_t)n : 0};
	const char *lf;

	if (at > 0) {
		lf = line.len ? memchr(line.ptr, '\n', line.len) : NULL;
		line = slice_sub(line, lf ? (size_t)(lf - line.ptr) + 1 : line.len, line.len);
	}
	*ret_start = first + (uint64_t)(line.ptr - bytes);
	lf = line.len ? memchr(line.ptr, '\n', line.len) : NULL;
	if (!lf && line.len < from.len)
		return ERR_LIMIT;
	line = slice_sub(line, 0, lf ? (size_t)(lf - line.ptr) : from.len);
	*ret_below = cdxj_compare(line, from) < 0;
	return 0;
}

/* The same whatever the length of the line: 0, ERR_END when there is none, or as lines_next. */
static int probe_line(struct lines *lines, uint64_t at, slice from, uint64_t *ret_start,
	bool *ret_below, struct err *err)
{
	slice line;
	int rc;

	if (at + PROBE_SIZE < lines->limit && probe(lines, at, from, ret_start, ret_below) == 0)
		return 0;
	rc = read_line(lines, at, ret_start, &line, err);
	if (rc == 0)
		*ret_below = cdxj_compare(line, from) < 0;
	return rc;
}

/* Goes from the first line at or behind low to the first that is not below from, or at the end. */
static int find_in_block(
	struct lines *lines, uint64_t low, slice from, uint64_t *before, struct err *err)
{
	uint64_t start;
	slice line;
	int rc = read_line(lines, low, &start, &line, err);

	while (rc == 0 && cdxj_compare(line, from) < 0) {
		*before = start;
		start = lines_offset(lines);
		rc = lines_next(lines, &line, err);
	}
	if (rc == 0 || rc == ERR_END)
		lines_seek(lines, start);
	return rc == ERR_END ? 0 : rc;
}

/*
 * Invariant: lines that begin before low are below from, lines that begin at or behind high are
 * not. before is where the last one begins that is known to be below. Ends at the first that is
 * not.
 */
static int find(struct lines *lines, slice from, uint64_t *ret_before, struct err *err)
{
	uint64_t low = 0, high = 0, before = 0;
	int rc = lines_size(lines, &high, err);

	if (rc)
		return rc;
	while (high - low > BLOCK_SIZE) {
		uint64_t middle = low + (high - low) / 2, start;
		bool below = false;

		rc = probe_line(lines, middle, from, &start, &below, err);
		if (rc && rc != ERR_END)
			return rc;
		if (rc == 0 && below) {
			before = start;
			low = start + 1;
		} else {
			high = middle;
		}
	}
	rc = find_in_block(lines, low, from, &before, err);
	*ret_before = before;
	return rc;
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
