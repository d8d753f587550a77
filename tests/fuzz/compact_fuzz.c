/*
 * The block of a record of compact looks: any bytes are looks or are refused; what was read is
 * written, and read again as the same; and it makes records, or is refused with a sentence.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "warc/compact.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MEMORY_MAX = 16 << 20, BODY_MAX = 1 << 16 };

static void require(bool ok)
{
	if (!ok)
		abort();
}

static void require_same(const struct compact_look *a, const struct compact_look *b)
{
	const struct attempt *x = &a->attempt, *y = &b->attempt;

	require(slice_eq(x->record_id, y->record_id) && slice_eq(x->url, y->url));
	require(slice_eq(x->original.record, y->original.record));
	require(slice_eq(x->original.url, y->original.url) && x->original.date == y->original.date);
	require(memcmp(&x->wall, &y->wall, sizeof x->wall) == 0);
	require(memcmp(&x->clock, &y->clock, sizeof x->clock) == 0);
	require(digest_eq(&x->payload, &y->payload) && x->is_revisit == y->is_revisit);
	require(slice_eq(a->head, b->head) && slice_eq(a->request, b->request));
	require(slice_eq(a->patch, b->patch) && a->body_size == b->body_size);
	require(slice_eq(a->file, b->file) && a->offset == b->offset);
}

static void check_look(const struct compact_look *look, struct arena *arena)
{
	static const slice FROM = {"the body that a patch is against", 32};
	struct compact_rows rows;
	struct compact_look again;
	struct err err = {0};
	struct buf out, body;
	int rc;

	buf_init(&out, MEMORY_MAX);
	buf_init(&body, MEMORY_MAX);
	require(buf_add(&out, SLICE(COMPACT_FIRST)) == 0);
	rc = compact_add(look, &out);
	require(rc == 0 || rc == ERR_RANGE || rc == ERR_LIMIT);
	if (rc == 0) {
		require(compact_open(&rows, buf_slice(&out), &err) == 0);
		require(compact_next(&rows, arena, &again, &err) == 0);
		require_same(look, &again);
		require(compact_next(&rows, arena, &again, &err) == ERR_END);
	}
	if (look->is_patch && look->body_size <= BODY_MAX) {
		rc = patch_apply(FROM, look->patch, look->body_size, &body);
		require(rc == 0 || rc == ERR_SYNTAX || rc == ERR_LIMIT);
	}
	buf_reset(&out);
	rc = compact_expand(look, buf_slice(&body), &out, &err);
	require(rc == 0 || err.text[0] != '\0');
	buf_release(&body);
	buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct compact_rows rows;
	struct compact_look look;
	struct err err = {0};
	struct arena arena;
	int rc = compact_open(&rows, (slice){(const char *)data, size}, &err);

	require(rc == 0 || rc == ERR_UNSUPPORTED);
	if (rc)
		return 0;
	arena_init(&arena, MEMORY_MAX);
	while ((rc = compact_next(&rows, &arena, &look, &err)) != ERR_END) {
		require(rc == 0 || rc == ERR_SYNTAX || rc == ERR_UNSUPPORTED);
		if (rc == 0)
			check_look(&look, &arena);
		arena_reset(&arena);
	}
	arena_release(&arena);
	return 0;
}
