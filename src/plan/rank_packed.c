#include "plan/rank_packed.h"

#include <assert.h>
#include <stdlib.h>

enum {
	VARINT_BITS = 7,
	VARINT_MORE = 1 << VARINT_BITS,
	VARINT_SIZE = 5, /* at most, of a gap with its sign */
};

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

void rank_links_tidy(uint32_t page, struct u32_vec *targets)
{
	size_t kept = 0;

	if (targets->len > 1)
		qsort(targets->ptr, targets->len, sizeof *targets->ptr, by_number);
	for (size_t i = 0; i < targets->len; i++) {
		uint32_t to = targets->ptr[i];

		if (to != page && (kept == 0 || to != targets->ptr[kept - 1]))
			targets->ptr[kept++] = to;
	}
	targets->len = kept;
}

static int put(struct buf *out, uint64_t gap)
{
	char bytes[VARINT_SIZE];
	size_t len = 0;

	do {
		uint64_t rest = gap >> VARINT_BITS;

		assert(len < sizeof bytes);
		bytes[len++] =
			(char)(unsigned char)((gap & (VARINT_MORE - 1)) | (rest ? VARINT_MORE : 0));
		gap = rest;
	} while (gap);
	return buf_add(out, (slice){bytes, len});
}

int rank_pack(uint32_t page, const struct u32_vec *targets, struct buf *out)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < targets->len; i++) {
		uint32_t to = targets->ptr[i];

		if (i > 0)
			rc = put(out, to - targets->ptr[i - 1] - 1);
		else
			rc = put(out, to > page ? 2 * (uint64_t)(to - page) - 1
						: 2 * (uint64_t)(page - to));
	}
	return rc;
}

/* The next gap of what is left: 0 or ERR_SYNTAX. */
static int take(slice *left, uint64_t *ret)
{
	uint64_t gap = 0;

	for (size_t i = 0; i < left->len && i < VARINT_SIZE; i++) {
		uint64_t byte = (unsigned char)left->ptr[i];

		gap |= (byte & (VARINT_MORE - 1)) << (VARINT_BITS * i);
		if (byte & VARINT_MORE)
			continue;
		*left = slice_sub(*left, i + 1, left->len);
		*ret = gap;
		return 0;
	}
	return ERR_SYNTAX;
}

int rank_unpack(uint32_t page, slice packed, struct u32_vec *ret)
{
	int64_t at = page;
	uint64_t gap;
	int rc = 0;

	ret->len = 0;
	for (bool first = true; rc == 0 && packed.len > 0; first = false) {
		rc = take(&packed, &gap);
		if (rc)
			return rc;
		if (!first)
			at += (int64_t)gap + 1;
		else
			at += gap % 2 ? (int64_t)(gap / 2) + 1 : -(int64_t)(gap / 2);
		rc = at < 0 || at > UINT32_MAX ? ERR_SYNTAX : u32_vec_try_push(ret, (uint32_t)at);
	}
	return rc;
}
