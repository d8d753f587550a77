#include "store/look_batch.h"

void look_batch_init(struct look_batch *l, uint64_t first)
{
	*l = (struct look_batch){.batch = first ? first : 1};
	buf_init(&l->block, COMPACT_BLOCK_FULL + COMPACT_ROW_MAX);
}

void look_batch_release(struct look_batch *l)
{
	buf_release(&l->block);
	*l = (struct look_batch){0};
}

int look_batch_add(struct look_batch *l, const struct compact_look *look, uint64_t *ret_length)
{
	size_t before;
	int rc = l->block.len ? 0 : buf_add(&l->block, SLICE(COMPACT_FIRST));

	before = l->block.len;
	if (rc == 0)
		rc = compact_add(look, &l->block);
	if (rc) {
		buf_truncate(&l->block, l->count ? before : 0);
		return rc;
	}
	l->count++;
	l->date = look->attempt.wall.sent;
	*ret_length = l->block.len - before;
	return 0;
}

bool look_batch_is_full(const struct look_batch *l)
{
	return l->count == COMPACT_LOOKS_MAX || l->block.len >= COMPACT_BLOCK_FULL;
}

int look_batch_keep(struct look_batch *l, struct batch *batch, struct err *err)
{
	size_t from = l->kept ? l->kept_length : sizeof COMPACT_FIRST - 1;
	struct catalog_look looks = {.batch = l->batch,
		.number = l->kept,
		.rows = slice_sub(buf_slice(&l->block), from, l->block.len)};
	int rc;

	if (l->kept == l->count)
		return 0;
	rc = batch_add_written(batch, &(struct catalog_row){CATALOG_ROW_LOOK, .look = &looks}, err);
	if (rc)
		return rc;
	l->kept = l->count;
	l->kept_length = l->block.len;
	return 0;
}

void look_batch_next(struct look_batch *l)
{
	l->batch += LOOK_BATCH_STEP;
	buf_reset(&l->block);
	l->count = l->kept = 0;
}
