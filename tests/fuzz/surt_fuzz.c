/*
 * Canonical form and SURT: whatever URL comes, both are made, fit into their buffer, and hold no
 * blank, control or byte above ASCII, so that a line of an index stays one.
 */
#include <stdint.h>
#include <stdlib.h>

#include "formats/url_canonical.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

static void check_text(const struct buf *b)
{
	require(b->len > 0 && b->ptr[b->len] == '\0');
	for (size_t i = 0; i < b->len; i++)
		require(b->ptr[i] > ' ' && b->ptr[i] < 0x7f && b->ptr[i] != '#' &&
			!(b->ptr[i] >= 'A' && b->ptr[i] <= 'Z'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct url u;
	struct buf out;

	url_init(&u);
	buf_init(&out, URL_CANONICAL_MAX);
	if (url_parse(&u, (slice){(const char *)data, size}, NULL, NULL) == 0) {
		require(url_canonical(&out, &u) == 0);
		check_text(&out);
		buf_reset(&out);
		require(url_surt(&out, &u) == 0);
		check_text(&out);
	}
	buf_release(&out);
	url_release(&u);
	return 0;
}
