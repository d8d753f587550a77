/*
 * The metadata block of an attempt: any bytes are an attempt's or are refused with a sentence; what
 * was read is written, and read again as the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "warc/attempt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MEMORY_MAX = 4 << 20 };

static void require(bool ok)
{
	if (!ok)
		abort();
}

static void require_same(const struct attempt *a, const struct attempt *b)
{
	require(slice_eq(a->capture, b->capture) && slice_eq(a->url, b->url));
	require(slice_eq(a->kind, b->kind) && slice_eq(a->via, b->via));
	require(slice_eq(a->purpose, b->purpose) && slice_eq(a->stand_in, b->stand_in));
	require(slice_eq(a->post, b->post) && slice_eq(a->target, b->target));
	require(!a->post.ptr == !b->post.ptr && !a->target.ptr == !b->target.ptr);
	require(slice_eq(a->failure, b->failure) && !a->failure.ptr == !b->failure.ptr);
	require(a->leg == b->leg && a->number == b->number && a->single == b->single);
	require(memcmp(&a->wall, &b->wall, sizeof a->wall) == 0);
	require(memcmp(&a->clock, &b->clock, sizeof a->clock) == 0);
	require(a->status == b->status && a->truncated == b->truncated);
	require(a->has_state == b->has_state);
	require(!a->has_state || digest_eq(&a->state, &b->state));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	slice block = {(const char *)data, size};
	struct attempt once, again;
	struct err err = {0};
	struct arena arena;
	struct buf out;
	int rc;

	arena_init(&arena, MEMORY_MAX);
	buf_init(&out, MEMORY_MAX);
	rc = attempt_parse(block, SLICE("http://example.org/"), &arena, &once, &err);
	require(rc == 0 || rc == ERR_NOTFOUND || rc == ERR_SYNTAX || rc == ERR_UNSUPPORTED);
	require(rc == 0 || err.text[0] != '\0');
	if (rc == 0) {
		rc = attempt_format(&once, &out);
		/* A zone may carry the first and the last day over the edge of what is read. */
		require(rc == 0 || rc == ERR_RANGE);
	}
	if (rc == 0) {
		/* The URL of a page that is asked by POST is made of what its record names. */
		slice url = once.target.ptr ? once.target : once.url;

		require(attempt_parse(buf_slice(&out), url, &arena, &again, &err) == 0);
		require_same(&once, &again);
	}
	arena_release(&arena);
	buf_release(&out);
	return 0;
}
