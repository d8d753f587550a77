/*
 * Packed links: any bytes are read or refused, and what was read is the same when it is packed and
 * read again. The first four bytes are the page's number.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "plan/rank_graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct u32_vec links = {0}, again = {0};
	struct buf packed;
	uint32_t page;
	int rc;

	if (size < sizeof page)
		return 0;
	memcpy(&page, data, sizeof page);
	rc = rank_unpack(
		page, (slice){(const char *)data + sizeof page, size - sizeof page}, &links);
	require(rc == 0 || rc == ERR_SYNTAX);
	buf_init(&packed, 5 * size + 1);
	if (rc == 0) {
		require(rank_pack(page, &links, &packed) == 0);
		require(rank_unpack(page, buf_slice(&packed), &again) == 0);
		require(links.len == again.len &&
			(links.len == 0 || memcmp(links.ptr, again.ptr, 4 * links.len) == 0));
	}
	buf_release(&packed);
	u32_vec_release(&links);
	u32_vec_release(&again);
	return 0;
}
