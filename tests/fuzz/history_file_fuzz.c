/* Lines of a recorded history: any bytes are read; what is taken has a path that fits. */
#include <stdint.h>
#include <stdlib.h>

#include "sim/history_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	slice rest = {(const char *)data, size};
	char *path = malloc(HISTORY_LINE_MAX);

	require(path != NULL);
	while (rest.len > 0) {
		const char *end = memchr(rest.ptr, '\n', rest.len);
		slice line = slice_sub(rest, 0, end ? (size_t)(end - rest.ptr) : rest.len);
		struct history_line e;
		struct err err = {0};

		rest = slice_sub(rest, line.len + (end != NULL), rest.len);
		if (line.len >= HISTORY_LINE_MAX)
			continue;
		if (history_file_parse(line, path, &e, &err)) {
			require((err.code == ERR_SYNTAX || err.code == ERR_LIMIT) && err.text[0]);
			continue;
		}
		require(e.at_s >= 0 && e.path.len > 0 && e.path.len < line.len);
		require(e.path.len <= HISTORY_PATH_MAX);
		require(e.path.ptr[0] != '/' && e.path.ptr[e.path.len - 1] != '/');
	}
	free(path);
	return 0;
}
