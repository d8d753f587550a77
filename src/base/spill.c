#include "base/spill.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

/*
 * Where a block is: ABSENT, in a frame (its number plus one), or in a slot of the file (its number
 * with this bit). So a table, and the file, may have 8 TB.
 */
#define ABSENT  UINT32_C(0)
#define IN_FILE (UINT32_C(1) << 31)

/* ---- the file ---- */

static int fail(const struct spill_pool *pool, struct err *err)
{
	return err_set(err, ERR_IO, "temporary file in %s: %s", pool->dir, strerror(errno));
}

static uint64_t slot_offset(uint32_t place)
{
	return (uint64_t)(place & ~IN_FILE) * SPILL_BLOCK;
}

static int write_file(
	const struct spill_pool *pool, uint64_t at, const char *bytes, size_t len, struct err *err)
{
	return io_write_at(pool->fd, bytes, len, at) ? fail(pool, err) : 0;
}

static int read_file(
	const struct spill_pool *pool, uint64_t at, char *out, size_t len, struct err *err)
{
	ssize_t n = io_read_at(pool->fd, out, len, at);

	if (n >= 0 && (size_t)n < len)
		errno = EIO;
	return n < 0 || (size_t)n < len ? fail(pool, err) : 0;
}

static int need_file(struct spill_pool *pool, struct err *err)
{
	if (pool->fd < 0)
		pool->fd = tempfile_open(pool->dir);
	return pool->fd < 0 ? fail(pool, err) : 0;
}

/* A slot that nobody has. */
static int take_slot(struct spill_pool *pool, uint32_t *ret, struct err *err)
{
	TRY(need_file(pool, err));
	if (pool->free.len > 0) {
		*ret = u32_vec_pop(&pool->free);
		return 0;
	}
	if (pool->slots == IN_FILE) {
		errno = EFBIG;
		return fail(pool, err);
	}
	*ret = pool->slots++;
	return 0;
}

/* Without memory to remember it, it stays unused. */
static void give_slot(struct spill_pool *pool, uint32_t slot)
{
	int rc = u32_vec_try_push(&pool->free, slot);

	(void)rc;
	if (pool->free.len < pool->slots)
		return;
	/* Nobody has any: the disk gets its room back. */
	if (ftruncate(pool->fd, 0) == 0) {
		u32_vec_release(&pool->free);
		pool->slots = 0;
	}
}

/* ---- memory ---- */

static char *frame_bytes(const struct spill_pool *pool, uint32_t frame)
{
	return pool->memory + (size_t)frame * SPILL_BLOCK;
}

static void give_frame(struct spill_pool *pool, uint32_t frame)
{
	pool->frames[frame] = (struct spill_frame){.block = pool->free_frame};
	pool->free_frame = frame + 1;
}

/* Lets the oldest block go to the file. */
static int evict(struct spill_pool *pool, struct err *err)
{
	uint32_t frame = pool->oldest, slot = 0;
	struct spill_frame *f = &pool->frames[frame];
	int rc;

	TRY(take_slot(pool, &slot, err));
	rc = write_file(pool, slot_offset(slot), frame_bytes(pool, frame), SPILL_BLOCK, err);
	if (rc) {
		give_slot(pool, slot);
		return rc;
	}
	f->owner->blocks.ptr[f->block] = slot | IN_FILE;
	give_frame(pool, frame);
	pool->oldest = (frame + 1) % SPILL_FRAMES;
	return 0;
}

static int need_memory(struct spill_pool *pool, struct err *err)
{
	if (!pool->memory)
		pool->memory = malloc(SPILL_MEMORY);
	if (!pool->frames)
		pool->frames = calloc(SPILL_FRAMES, sizeof *pool->frames);
	return pool->memory && pool->frames ? 0 : err_code(err, ERR_NOMEM);
}

static bool is_full(const struct spill_pool *pool)
{
	return !pool->free_frame && pool->frames_used == SPILL_FRAMES;
}

static int take_frame(struct spill_pool *pool, uint32_t *ret, struct err *err)
{
	int rc = need_memory(pool, err);

	if (rc == 0 && is_full(pool))
		rc = evict(pool, err);
	if (rc)
		return rc;
	if (!pool->free_frame) {
		*ret = pool->frames_used++;
		return 0;
	}
	*ret = pool->free_frame - 1;
	pool->free_frame = pool->frames[*ret].block;
	return 0;
}

/* ---- */

void spill_pool_init(struct spill_pool *pool, const char *dir)
{
	*pool = (struct spill_pool){.dir = dir, .fd = -1};
}

void spill_pool_release(struct spill_pool *pool)
{
	if (pool->fd >= 0 && pool->dir)
		(void)close(pool->fd);
	free(pool->memory);
	free(pool->frames);
	u32_vec_release(&pool->free);
	spill_pool_init(pool, pool->dir);
}

void spill_init(struct spill *s, struct spill_pool *pool)
{
	*s = (struct spill){.pool = pool};
}

void spill_release(struct spill *s)
{
	for (size_t i = 0; i < s->blocks.len; i++) {
		uint32_t place = s->blocks.ptr[i];

		if (place & IN_FILE)
			give_slot(s->pool, place & ~IN_FILE);
		else if (place != ABSENT)
			give_frame(s->pool, place - 1);
	}
	u32_vec_release(&s->blocks);
	spill_init(s, s->pool);
}

/* Bytes from an offset to the end of its block, or of what is asked for. */
static size_t piece(uint64_t at, size_t len)
{
	size_t left = SPILL_BLOCK - at % SPILL_BLOCK;

	return len < left ? len : left;
}

/* Room in the table for the blocks up to that one, absent as yet. */
static int need_entries(struct spill *s, uint64_t block, struct err *err)
{
	size_t more = block < s->blocks.len ? 0 : (size_t)block + 1 - s->blocks.len;

	if (more == 0)
		return 0;
	if (block >= IN_FILE || u32_vec_try_reserve(&s->blocks, more))
		return err_code(err, ERR_NOMEM);
	memset(s->blocks.ptr + s->blocks.len, 0, more * sizeof s->blocks.ptr[0]);
	s->blocks.len += more;
	return 0;
}

/* Puts a block of zeros where none was. */
static int make_block(struct spill *s, uint32_t block, struct err *err)
{
	uint32_t frame;

	TRY(take_frame(s->pool, &frame, err));
	memset(frame_bytes(s->pool, frame), 0, SPILL_BLOCK);
	s->pool->frames[frame] = (struct spill_frame){s, block};
	s->blocks.ptr[block] = frame + 1;
	return 0;
}

/* Within one block. */
static int write_piece(struct spill *s, uint64_t at, const char *bytes, size_t len, struct err *err)
{
	uint32_t block = (uint32_t)(at / SPILL_BLOCK), place;
	size_t inside = at % SPILL_BLOCK;
	int rc = need_entries(s, at / SPILL_BLOCK, err);

	if (rc == 0 && s->blocks.ptr[block] == ABSENT)
		rc = make_block(s, block, err);
	if (rc)
		return rc;
	place = s->blocks.ptr[block];
	if (place & IN_FILE)
		return write_file(s->pool, slot_offset(place) + inside, bytes, len, err);
	memcpy(frame_bytes(s->pool, place - 1) + inside, bytes, len);
	return 0;
}

int spill_write(struct spill *s, uint64_t at, const void *bytes, size_t len, struct err *err)
{
	const char *from = bytes;
	int rc = 0;

	while (rc == 0 && len > 0) {
		size_t n = piece(at, len);

		rc = write_piece(s, at, from, n, err);
		at += n;
		from += n;
		len -= n;
	}
	if (rc == 0 && at > s->size)
		s->size = at;
	return rc;
}

int spill_reserve(struct spill *s, uint64_t size, struct err *err)
{
	int rc = 0;

	while (rc == 0 && (uint64_t)s->blocks.len * SPILL_BLOCK < size && !is_full(s->pool)) {
		uint32_t block = (uint32_t)s->blocks.len;

		rc = need_entries(s, block, err);
		if (rc == 0)
			rc = make_block(s, block, err);
	}
	return rc;
}

static int read_piece(const struct spill *s, uint64_t at, char *out, size_t len, struct err *err)
{
	uint64_t block = at / SPILL_BLOCK;
	size_t inside = at % SPILL_BLOCK;
	uint32_t place = block < s->blocks.len ? s->blocks.ptr[block] : ABSENT;

	if (place & IN_FILE)
		return read_file(s->pool, slot_offset(place) + inside, out, len, err);
	if (place == ABSENT)
		memset(out, 0, len);
	else
		memcpy(out, frame_bytes(s->pool, place - 1) + inside, len);
	return 0;
}

int spill_read(const struct spill *s, uint64_t at, void *out, size_t len, struct err *err)
{
	char *to = out;
	int rc = 0;

	while (rc == 0 && len > 0) {
		size_t n = piece(at, len);

		rc = read_piece(s, at, to, n, err);
		at += n;
		to += n;
		len -= n;
	}
	return rc;
}
