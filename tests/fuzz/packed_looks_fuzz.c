/*
 * Packed looks of a catalog: whatever is read is written again as bytes that read the same, and
 * nothing is read for ever.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/catalog_packed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

/* Writes each look that is read behind the one before it. */
static int copy(struct catalog *c, slice rows, struct buf *out, unsigned *ret_looks)
{
	struct packed_looks p;
	unsigned leg, number;
	struct attempt before;
	struct err err = {0};
	int rc = packed_looks_open(&p, rows, &leg, &number);

	if (rc)
		return rc;
	packed_looks_begin(NULL, &p.look);
	before = p.look;
	require(packed_looks_start(out, NULL) == 0);
	while ((rc = packed_looks_next(c, &p, &err)) == 0) {
		require(packed_looks_add(c, out, &before, &p.look, p.is_derived, &err) == 0);
		before = p.look;
		++*ret_looks;
	}
	require(rc == ERR_END || rc == ERR_IO);
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct catalog *c;
	unsigned looks = 0, again = 0;
	struct buf first, second;
	struct err err = {0};

	if (!c)
		require(catalog_open_temporary(&c, &err) == 0);
	buf_init(&first, 4 * size + 4096);
	buf_init(&second, 4 * size + 4096);
	if (copy(c, (slice){(const char *)data, size}, &first, &looks) == ERR_END || looks) {
		require(copy(c, buf_slice(&first), &second, &again) == ERR_END);
		require(looks == again);
		require(slice_eq(buf_slice(&first), buf_slice(&second)));
	}
	buf_release(&first);
	buf_release(&second);
	return 0;
}
