#include "formats/sitemap_input.h"

#include <errno.h>

enum { GZIP_WINDOW_BITS = 15 + 16 }; /* zlib's way to say: a gzip wrapper, no other */

static const slice GZIP_MAGIC = SLICE_INIT("\x1f\x8b");

/* Raw bytes: 0 (also for none, at the end) or ERR_IO. */
static int read_raw(
	struct sitemap_input *in, char *to, size_t room, size_t *ret_len, struct err *err)
{
	size_t n = room < in->rest.len ? room : in->rest.len;

	if (in->file) {
		n = fread(to, 1, room, in->file);
		if (n == 0 && ferror(in->file))
			return err_set(err, ERR_IO, "%s", strerror(errno));
	} else if (n) {
		memcpy(to, in->rest.ptr, n);
		in->rest = slice_sub(in->rest, n, in->rest.len);
	}
	in->read += n;
	*ret_len = n;
	return 0;
}

static int refill(struct sitemap_input *in, struct err *err)
{
	size_t n = 0;

	TRY(read_raw(in, in->block, sizeof in->block, &n, err));
	in->z.next_in = (unsigned char *)in->block;
	in->z.avail_in = (unsigned)n;
	return n ? 0 : ERR_END;
}

int sitemap_input_open(struct sitemap_input *in, FILE *file, slice memory, struct err *err)
{
	int rc;

	*in = (struct sitemap_input){.file = file, .rest = memory};
	rc = refill(in, err);
	if (rc && rc != ERR_END)
		return rc;
	in->gzip = in->z.avail_in >= GZIP_MAGIC.len &&
		   memcmp(in->block, GZIP_MAGIC.ptr, GZIP_MAGIC.len) == 0;
	if (in->gzip && inflateInit2(&in->z, GZIP_WINDOW_BITS) != Z_OK) {
		in->gzip = false;
		return err_code(err, ERR_NOMEM);
	}
	return 0;
}

void sitemap_input_close(struct sitemap_input *in)
{
	if (in->gzip)
		(void)inflateEnd(&in->z);
	in->gzip = false;
	in->ended = true;
}

static int copy_plain(
	struct sitemap_input *in, char *to, size_t room, size_t *ret_len, struct err *err)
{
	size_t n = in->z.avail_in < room ? in->z.avail_in : room;

	if (n == 0)
		return read_raw(in, to, room, ret_len, err);
	memcpy(to, in->z.next_in, n);
	in->z.next_in += n;
	in->z.avail_in -= (unsigned)n;
	*ret_len = n;
	return 0;
}

/* Another member may follow the one that ended; anything else behind it is padding. */
static int next_member(struct sitemap_input *in)
{
	if (in->z.next_in[0] != (unsigned char)GZIP_MAGIC.ptr[0])
		return ERR_END;
	in->member_done = false;
	return inflateReset(&in->z) == Z_OK ? 0 : ERR_SYNTAX;
}

/* Unpacks until there is output: *ret_len is 0 at the end only. An error comes again. */
static int unpack(struct sitemap_input *in, char *to, size_t room, size_t *ret_len, struct err *err)
{
	in->z.next_out = (unsigned char *)to;
	in->z.avail_out = (unsigned)room;
	while (in->z.avail_out == room) {
		int rc = in->z.avail_in ? 0 : refill(in, err);

		if (rc == 0 && in->member_done)
			rc = next_member(in);
		if (rc == ERR_END && !in->member_done)
			return err_set(err, ERR_SYNTAX, "gzip data is cut off");
		if (rc == ERR_END)
			break;
		if (rc)
			return rc;
		rc = inflate(&in->z, Z_NO_FLUSH);
		if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR)
			return err_set(err, ERR_SYNTAX, "gzip data is damaged: %s",
				in->z.msg ? in->z.msg : "unknown error");
		in->member_done = rc == Z_STREAM_END;
	}
	*ret_len = room - in->z.avail_out;
	return 0;
}

static int check_limits(const struct sitemap_input *in, struct err *err)
{
	if (in->given > SITEMAP_BYTES_MAX)
		return err_set(err, ERR_LIMIT, "more than %d bytes", SITEMAP_BYTES_MAX);
	if (in->given > SITEMAP_RATIO_EXEMPT && in->given / SITEMAP_RATIO_MAX > in->read)
		return err_set(err, ERR_LIMIT, "packed more than %d times", SITEMAP_RATIO_MAX);
	return 0;
}

int sitemap_input_read(
	struct sitemap_input *in, char *to, size_t room, size_t *ret_len, struct err *err)
{
	size_t len = 0, n = 1;
	int rc = 0;

	if (in->ended)
		return ERR_END;
	/* As much as there is room for, however it was packed: what it is is told by its start. */
	while (rc == 0 && n && len < room) {
		n = 0;
		rc = in->gzip ? unpack(in, to + len, room - len, &n, err)
			      : copy_plain(in, to + len, room - len, &n, err);
		in->given += n;
		len += n;
		if (rc == 0)
			rc = check_limits(in, err);
	}
	if (rc && rc != ERR_LIMIT && len) /* what came before is good; it fails again next time */
		rc = 0;
	if (rc == 0 && len == 0)
		rc = ERR_END;
	in->ended = rc != 0;
	if (rc == 0)
		*ret_len = len;
	return rc;
}
