#include "net/body.h"

#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/io.h"
#include "base/tempfile.h"
#include "net/net.h"

void body_init(struct body *b, const char *spool_dir, size_t *held)
{
	*b = (struct body){.spool_dir = spool_dir, .spool = -1, .held = held};
	buf_init(&b->memory, NET_MEMORY_MAX);
}

static void free_memory(struct body *b)
{
	if (b->held)
		*b->held -= b->memory.cap;
	buf_release(&b->memory);
}

void body_release(struct body *b)
{
	if (b->spool >= 0)
		(void)close(b->spool);
	free_memory(b);
	body_init(b, b->spool_dir, b->held);
}

void body_let_go(struct body *b)
{
	if (b->held)
		*b->held -= b->memory.cap;
	b->held = NULL;
}

static int fail(const struct body *b, struct err *err)
{
	return err_set(
		err, ERR_IO, "cannot spool the body to %s: %s", b->spool_dir, strerror(errno));
}

static int write_spool(struct body *b, slice bytes, struct err *err)
{
	return io_write(b->spool, bytes.ptr, bytes.len) ? fail(b, err) : 0;
}

/* Moves what is in memory to a new file. */
static int start_spool(struct body *b, struct err *err)
{
	int rc;

	b->spool = tempfile_open(b->spool_dir);
	if (b->spool < 0)
		return fail(b, err);
	rc = write_spool(b, buf_slice(&b->memory), err);
	if (rc == 0) {
		free_memory(b);
	} else {
		(void)close(b->spool);
		b->spool = -1;
	}
	return rc;
}

static bool fits_memory(const struct body *b, size_t more)
{
	size_t len = b->memory.len;

	if (more > NET_MEMORY_MAX - len)
		return false;
	return len + more <= NET_MEMORY_MIN || more < b->memory.cap - len ||
	       *b->held + more <= NET_BODIES_MAX;
}

static int add_to_memory(struct body *b, slice bytes)
{
	size_t before = b->memory.cap;
	int rc = buf_add(&b->memory, bytes);

	*b->held += b->memory.cap - before;
	return rc;
}

int body_add(struct body *b, slice bytes, struct err *err)
{
	int rc = 0;

	if (b->spool < 0 && !fits_memory(b, bytes.len))
		rc = start_spool(b, err);
	if (rc == 0)
		rc = b->spool >= 0 ? write_spool(b, bytes, err) : add_to_memory(b, bytes);
	if (rc == 0)
		b->size += bytes.len;
	else if (b->spool >= 0)
		(void)ftruncate(b->spool, (off_t)b->size);
	return rc;
}
