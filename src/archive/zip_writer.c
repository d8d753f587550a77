#include "archive/zip_writer.h"

#include <isa-l/crc.h>

/* Of APPNOTE 4.3 and 4.4; all numbers are little-endian. */
enum {
	VERSION_DESCRIPTOR = 20,
	VERSION_ZIP64 = 45,
	MADE_BY_UNIX = 3 << 8,
	FLAGS = 1 << 3 | 1 << 11, /* a data descriptor follows; names are UTF-8 */
	FIRST_DATE = 1 << 5 | 1,  /* 1 January 1980 */
	EXTRA_ZIP64 = 1,
	END64_REST = 44, /* bytes of that record behind its size */
	HEAD_MAX = 256,
};

#define SIGN_LOCAL      0x04034b50U
#define SIGN_DESCRIPTOR 0x08074b50U
#define SIGN_ROW        0x02014b50U
#define SIGN_END        0x06054b50U
#define SIGN_END64      0x06064b50U
#define SIGN_LOCATOR    0x07064b50U
#define NONE_16         0xffffU /* "see the zip64 field" */
#define NONE_32         0xffffffffU
#define FILE_MODE       (0100644U << 16)

void zip_writer_init(struct zip_writer *z, zip_emit *emit, void *context)
{
	*z = (struct zip_writer){.emit = emit, .context = context};
	buf_init(&z->directory, ZIP_DIRECTORY_MAX);
	buf_init(&z->head, HEAD_MAX);
	buf_init(&z->name, NONE_16);
}

void zip_writer_release(struct zip_writer *z)
{
	buf_release(&z->directory);
	buf_release(&z->head);
	buf_release(&z->name);
}

/* A number, and how many bytes it has. */
struct item {
	uint64_t value;
	unsigned bytes;
};

static int put(struct buf *out, const struct item *items, size_t count)
{
	int rc = 0;

	for (size_t i = 0; i < count; i++)
		for (unsigned b = 0; rc == 0 && b < items[i].bytes; b++)
			rc = buf_add_char(out, (char)(items[i].value >> 8 * b & 0xff));
	return rc;
}

#define PUT(out, ...)                                  \
	put((out), (const struct item[]){__VA_ARGS__}, \
		sizeof((const struct item[]){__VA_ARGS__}) / sizeof(struct item))

static int emit(struct zip_writer *z, slice bytes, struct err *err)
{
	z->at += bytes.len;
	return z->emit(z->context, bytes, err);
}

/* Emits what was put into head, if that went well. */
static int emit_head(struct zip_writer *z, int rc, struct err *err)
{
	rc = rc ? err_code(err, rc) : emit(z, buf_slice(&z->head), err);
	buf_reset(&z->head);
	return rc;
}

static bool is_large(uint64_t size)
{
	return size >= NONE_32;
}

int zip_writer_begin(struct zip_writer *z, slice name, uint64_t size, struct err *err)
{
	bool large = is_large(size);
	unsigned version = large ? VERSION_ZIP64 : VERSION_DESCRIPTOR;
	int rc;

	buf_reset(&z->name);
	if (buf_add(&z->name, name))
		return err_set(err, ERR_LIMIT, "a name in a ZIP file is too long");
	z->start = z->at;
	z->size = z->left = size;
	z->crc = 0;
	/* Sizes are in the descriptor (APPNOTE 4.4.4); the zip64 field says how wide they are. */
	rc = PUT(&z->head, {SIGN_LOCAL, 4}, {version, 2}, {FLAGS, 2}, {0, 2}, {0, 2},
		{FIRST_DATE, 2}, {0, 4}, {large ? NONE_32 : 0, 4}, {large ? NONE_32 : 0, 4},
		{name.len, 2}, {large ? 20 : 0, 2});
	rc = emit_head(z, rc, err);
	if (rc == 0)
		rc = emit(z, buf_slice(&z->name), err);
	if (rc == 0 && large)
		rc = emit_head(z, PUT(&z->head, {EXTRA_ZIP64, 2}, {16, 2}, {0, 8}, {0, 8}), err);
	return rc;
}

int zip_writer_feed(struct zip_writer *z, slice bytes, struct err *err)
{
	if (bytes.len > z->left)
		return err_set(err, ERR_STATE, "%s grew while it was copied", buf_str(&z->name));
	z->left -= bytes.len;
	z->crc = crc32_gzip_refl(z->crc, (const unsigned char *)bytes.ptr, bytes.len);
	return emit(z, bytes, err);
}

static int add_row(struct zip_writer *z)
{
	bool large = is_large(z->size), far = is_large(z->start);
	unsigned extra = (large ? 16U : 0U) + (far ? 8U : 0U);
	unsigned version = extra ? VERSION_ZIP64 : VERSION_DESCRIPTOR;
	uint64_t size = large ? NONE_32 : z->size;
	int rc = PUT(&z->directory, {SIGN_ROW, 4}, {MADE_BY_UNIX | version, 2}, {version, 2},
		{FLAGS, 2}, {0, 2}, {0, 2}, {FIRST_DATE, 2}, {z->crc, 4}, {size, 4}, {size, 4},
		{z->name.len, 2}, {extra ? extra + 4 : 0, 2}, {0, 2}, {0, 2}, {0, 2},
		{FILE_MODE, 4}, {far ? NONE_32 : z->start, 4});

	if (rc == 0)
		rc = buf_add(&z->directory, buf_slice(&z->name));
	if (rc == 0 && extra)
		rc = PUT(&z->directory, {EXTRA_ZIP64, 2}, {extra, 2});
	if (rc == 0 && large)
		rc = PUT(&z->directory, {z->size, 8}, {z->size, 8});
	if (rc == 0 && far)
		rc = PUT(&z->directory, {z->start, 8});
	return rc;
}

int zip_writer_end(struct zip_writer *z, struct err *err)
{
	unsigned wide = is_large(z->size) ? 8 : 4;
	int rc;

	if (z->left)
		return err_set(err, ERR_STATE, "%s shrank while it was copied", buf_str(&z->name));
	rc = PUT(&z->head, {SIGN_DESCRIPTOR, 4}, {z->crc, 4}, {z->size, wide}, {z->size, wide});
	rc = emit_head(z, rc, err);
	if (rc == 0)
		rc = err_code(err, add_row(z));
	z->entries++;
	return rc;
}

static int finish_large(struct zip_writer *z, uint64_t start, struct err *err)
{
	uint64_t end = z->at;
	int rc = PUT(&z->head, {SIGN_END64, 4}, {END64_REST, 8}, {MADE_BY_UNIX | VERSION_ZIP64, 2},
		{VERSION_ZIP64, 2}, {0, 4}, {0, 4}, {z->entries, 8}, {z->entries, 8},
		{z->directory.len, 8}, {start, 8});

	if (rc == 0)
		rc = PUT(&z->head, {SIGN_LOCATOR, 4}, {0, 4}, {end, 8}, {1, 4});
	return emit_head(z, rc, err);
}

int zip_writer_finish(struct zip_writer *z, struct err *err)
{
	uint64_t start = z->at;
	bool many = z->entries >= NONE_16, far = is_large(start);
	uint64_t entries = many ? NONE_16 : z->entries;
	int rc = emit(z, buf_slice(&z->directory), err);

	if (rc == 0 && (many || far))
		rc = finish_large(z, start, err);
	if (rc)
		return rc;
	rc = PUT(&z->head, {SIGN_END, 4}, {0, 2}, {0, 2}, {entries, 2}, {entries, 2},
		{z->directory.len, 4}, {far ? NONE_32 : start, 4}, {0, 2});
	return emit_head(z, rc, err);
}
