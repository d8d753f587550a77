#include "net/body.h"

#include <errno.h>
#include <unistd.h>

#include "base/io.h"
#include "base/tempfile.h"
#include "net/net.h"

void body_init(struct body *b, const char *spool_dir)
{
	*b = (struct body){.spool_dir = spool_dir, .spool = -1};
	buf_init(&b->memory, NET_MEMORY_MAX);
}

void body_release(struct body *b)
{
	if (b->spool >= 0)
		(void)close(b->spool);
	buf_release(&b->memory);
	body_init(b, b->spool_dir);
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
		buf_release(&b->memory);
	} else {
		(void)close(b->spool);
		b->spool = -1;
	}
	return rc;
}

int body_add(struct body *b, slice bytes, struct err *err)
{
	int rc = 0;

	if (b->spool < 0 && bytes.len > NET_MEMORY_MAX - b->memory.len)
		rc = start_spool(b, err);
	if (rc == 0)
		rc = b->spool >= 0 ? write_spool(b, bytes, err) : buf_add(&b->memory, bytes);
	if (rc == 0)
		b->size += bytes.len;
	else if (b->spool >= 0)
		(void)ftruncate(b->spool, (off_t)b->size);
	return rc;
}
