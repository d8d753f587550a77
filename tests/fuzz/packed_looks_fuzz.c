/*
 * Packed looks of a catalog: whatever is read is written again as bytes that read the same, and
 * nothing is read for ever.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/catalog_db.h"
#include "catalog/catalog_packed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LOOKS_MAX = 64 };

static void require(bool ok)
{
	if (!ok)
		abort();
}

/* The last look of the rows: what the next one is stored against. */
static void read_last(struct catalog *c, slice rows, struct packed_looks *ret)
{
	unsigned leg, number;
	struct err err = {0};
	int rc;

	require(packed_looks_open(ret, rows, &leg, &number) == 0);
	packed_looks_begin(NULL, &ret->look);
	while ((rc = packed_looks_next(c, ret, &err)) == 0)
		;
	require(rc == ERR_END);
}

/* Writes each look that is read behind the one before it. */
static int copy(struct catalog *c, slice rows, struct buf *out, unsigned *ret_looks)
{
	struct packed_looks p, last;
	unsigned leg, number;
	struct err err = {0};
	int rc = packed_looks_open(&p, rows, &leg, &number);

	if (rc)
		return rc;
	packed_looks_begin(NULL, &p.look);
	require(packed_looks_start(out, NULL) == 0);
	while ((rc = packed_looks_next(c, &p, &err)) == 0 && *ret_looks < LOOKS_MAX) {
		read_last(c, buf_slice(out), &last);
		require(packed_looks_add(c, out, &last.look, &p.look, p.is_derived, &err) == 0);
		++*ret_looks;
	}
	require(rc == 0 || rc == ERR_END || rc == ERR_IO);
	return rc;
}

/* A new catalog: what is read of words depends on those that are there. */
static struct catalog *open_catalog(void)
{
	static const slice WORDS[] = {SLICE_INIT("127.0.0.1"), SLICE_INIT("text/html"),
		SLICE_INIT(""), SLICE_INIT("via: 1.1 varnish")};
	struct catalog *c = NULL;
	struct err err = {0};
	int64_t number;

	require(catalog_open_temporary(&c, &err) == 0);
	for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
		require(catalog_word_number(c, WORDS[i], &number, &err) == 0);
	return c;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct catalog *c = open_catalog();
	unsigned looks = 0, again = 0;
	struct buf first, second;

	buf_init(&first, 4 * size + 4096);
	buf_init(&second, 4 * size + 4096);
	(void)copy(c, (slice){(const char *)data, size}, &first, &looks);
	if (looks) {
		require(copy(c, buf_slice(&first), &second, &again) == ERR_END);
		require(looks == again);
		require(slice_eq(buf_slice(&first), buf_slice(&second)));
	}
	buf_release(&first);
	buf_release(&second);
	catalog_close(c);
	return 0;
}
