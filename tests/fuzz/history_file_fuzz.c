/*
 * Lines of a recorded history, and of links between its pages: any bytes are read; what is taken
 * has paths that fit.
 */
#include <stdint.h>
#include <stdlib.h>

#include "histories/history_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

static void require_path(slice path)
{
	require(path.len > 0 && path.len <= HISTORY_PATH_MAX);
	require(path.ptr[0] != '/' && path.ptr[path.len - 1] != '/');
}

static void read_link(slice line, char *room)
{
	struct history_link l;
	struct err err = {0};

	if (history_file_parse_link(line, room, &l, &err)) {
		require((err.code == ERR_SYNTAX || err.code == ERR_LIMIT) && err.text[0]);
		return;
	}
	require_path(l.from);
	require_path(l.to);
	require(l.from.len + l.to.len < line.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	slice rest = {(const char *)data, size};
	char *path = malloc(2 * (size_t)HISTORY_PATH_MAX);

	require(path != NULL);
	while (rest.len > 0) {
		const char *end = memchr(rest.ptr, '\n', rest.len);
		slice line = slice_sub(rest, 0, end ? (size_t)(end - rest.ptr) : rest.len);
		struct history_line e;
		struct err err = {0};

		rest = slice_sub(rest, line.len + (end != NULL), rest.len);
		read_link(line, path);
		if (history_file_parse(line, path, &e, &err)) {
			require((err.code == ERR_SYNTAX || err.code == ERR_LIMIT) && err.text[0]);
			continue;
		}
		require(e.at_s >= 0 && e.path.len < line.len);
		require_path(e.path);
	}
	free(path);
	return 0;
}
