/*
 * Lines of page tables: whatever is read is written again as a line that reads the same, and
 * nothing else is accepted.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"
#include "catalog/catalog_line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MEMORY = 8 << 20 };

static void require(bool ok)
{
	if (!ok)
		abort();
}

static int format(const struct catalog_line *l, struct buf *out)
{
	struct catalog_row row = {.kind = l->kind, .body = &l->page};

	return catalog_line_format(&row, out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct catalog_line line, again;
	struct buf first, second;
	struct arena arena;
	int rc;

	arena_init(&arena, MEMORY);
	buf_init(&first, MEMORY);
	buf_init(&second, MEMORY);
	rc = catalog_line_parse((slice){(const char *)data, size}, &arena, &line);
	require(rc == 0 || rc == ERR_SYNTAX || rc == ERR_NOTFOUND || rc == ERR_NOMEM);
	if (rc == 0) {
		require(catalog_line_has(line.kind));
		require(format(&line, &first) == 0);
		require(slice_ends_with(buf_slice(&first), SLICE("\r\n")));
		require(!memchr(first.ptr, '\n', first.len - 1));
		require(catalog_line_parse(slice_sub(buf_slice(&first), 0, first.len - 2), &arena,
				&again) == 0);
		require(format(&again, &second) == 0);
		require(slice_eq(buf_slice(&first), buf_slice(&second)));
	}
	buf_release(&first);
	buf_release(&second);
	arena_release(&arena);
	return 0;
}
