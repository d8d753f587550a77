/* Histories from text, for the tests of this room. */
#ifndef TESTS_SIM_HISTORY_FIXTURE_H
#define TESTS_SIM_HISTORY_FIXTURE_H

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "histories/history.h"
#include "tap.h"

/* A line, at a time in days. */
static inline void fixture_line(
	struct buf *text, double day, const char *commit, char kind, const char *path)
{
	CHECK_INT(buf_printf(text, "%.0f\t%s\t%c\t%s\n", day * 86400, commit, kind, path), 0);
}

/* Writes the bytes to a file of that name in a directory that goes away; its path. */
static inline const char *fixture_file(slice bytes)
{
	static char path[4096];
	FILE *file;

	(void)snprintf(path, sizeof path, "%s/history.tsv", tap_tempdir());
	file = fopen(path, "wb");
	if (CHECK(file != NULL)) {
		CHECK(fwrite(bytes.ptr, 1, bytes.len, file) == bytes.len);
		CHECK_INT(fclose(file), 0);
	}
	return path;
}

/* A history that must be good. */
static inline struct history fixture_history(slice text)
{
	struct history h = {0};
	struct err err = {0};

	if (!CHECK_INT(history_load(fixture_file(text), &h, &err), 0))
		tap_note("%s", err.text);
	return h;
}

#endif
