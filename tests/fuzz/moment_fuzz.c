/* Blocks of metadata records about captures: what is read is possible, and settings are lines. */
#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"
#include "proof/moment.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MEMORY = 8 << 20 };

static void require(bool ok)
{
	if (!ok)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	slice block = {(const char *)data, size};
	struct buf settings;
	struct arena arena;
	struct moment m;
	bool cut;
	int rc;

	arena_init(&arena, MEMORY);
	buf_init(&settings, MEMORY);
	rc = moment_parse(block, 0, &arena, &m);
	require(rc == 0 || rc == ERR_SYNTAX || rc == ERR_NOTFOUND || rc == ERR_NOMEM);
	if (rc == 0)
		require(m.clock.moment.ptr && m.number <= INT32_MAX &&
			m.ended_by <= CATALOG_END_LAST);
	rc = moment_settings(block, &settings, &cut);
	require(rc == 0 || rc == ERR_LIMIT);
	if (rc == 0 && settings.len)
		require(settings.ptr[settings.len - 1] == '\n');
	buf_release(&settings);
	arena_release(&arena);
	return 0;
}
