#include "warc/zip.h"

#include <errno.h>
#include <isa-l/crc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"

/* Sizes and places of APPNOTE 4.3; all numbers are little-endian. */
enum {
	LOCAL_SIZE = 30,
	ROW_SIZE = 46, /* of a header of the directory, without its texts */
	END_SIZE = 22, /* end of central directory record */
	COMMENT_MAX = 65535,
	LOCATOR_SIZE = 20, /* zip64 end of central directory locator */
	END64_SIZE = 56,
	EXTRA_ZIP64 = 1,
	FLAG_ENCRYPTED = 1,
	ROW_MAX = ROW_SIZE + 3 * 65535,
	WINDOW = 64 << 10,
};

#define SIGN_LOCAL      0x04034b50U
#define SIGN_ROW        0x02014b50U
#define SIGN_END        0x06054b50U
#define SIGN_END64      0x06064b50U
#define SIGN_LOCATOR    0x07064b50U
#define SIGN_DESCRIPTOR 0x08074b50U
#define NONE_16         0xffffU /* "see the zip64 field" */
#define NONE_32         0xffffffffU

/* ---- reading ---- */

static uint64_t number(const char *p, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = bytes; i > 0; i--)
		value = value << 8 | (unsigned char)p[i - 1];
	return value;
}

static unsigned number16(const char *p)
{
	return (unsigned)number(p, 2);
}

static uint32_t number32(const char *p)
{
	return (uint32_t)number(p, 4);
}

static int damaged(struct err *err, const char *what)
{
	return err_set(err, ERR_SYNTAX, "damaged ZIP file: %s", what);
}

/* All of len bytes, or ERR_SYNTAX. */
static int read_all(int fd, uint64_t at, void *to, size_t len, struct err *err)
{
	ssize_t n = io_read_at(fd, to, len, at);

	if (n < 0)
		return err_set(err, ERR_IO, "%s", strerror(errno));
	return (size_t)n == len ? 0 : damaged(err, "it ends too early");
}

bool zip_is_start(slice bytes)
{
	return bytes.len >= 4 &&
	       (number32(bytes.ptr) == SIGN_LOCAL || number32(bytes.ptr) == SIGN_END);
}

/* ---- the end of the file ---- */

/* Where the directory is. */
struct place {
	uint64_t entries, size, offset;
};

static int read_end64(struct zip_reader *z, const char *locator, struct place *ret, struct err *err)
{
	char end[END64_SIZE];

	TRY(read_all(z->fd, number(locator + 8, 8), end, sizeof end, err));
	if (number32(end) != SIGN_END64)
		return damaged(err, "its zip64 directory is not where it says");
	if (number32(end + 16) != 0 || number32(end + 20) != 0)
		return err_set(err, ERR_UNSUPPORTED, "a ZIP file in several parts; join them");
	*ret = (struct place){.entries = number(end + 32, 8),
		.size = number(end + 40, 8),
		.offset = number(end + 48, 8)};
	return 0;
}

/* tail: the last bytes of the file; at: where the end record begins in them. */
static int read_end(struct zip_reader *z, slice tail, size_t at, struct place *ret, struct err *err)
{
	const char *end = tail.ptr + at;
	const char *locator = at >= LOCATOR_SIZE ? end - LOCATOR_SIZE : NULL;

	*ret = (struct place){number16(end + 10), number32(end + 12), number32(end + 16)};
	if (locator && number32(locator) == SIGN_LOCATOR)
		return read_end64(z, locator, ret, err);
	if (number16(end + 4) != 0 || number16(end + 6) != 0)
		return err_set(err, ERR_UNSUPPORTED, "a ZIP file in several parts; join them");
	return 0;
}

/* The end record is the last thing that looks like one and whose comment ends with the file. */
static bool find_end(slice tail, size_t *ret)
{
	for (size_t i = tail.len >= END_SIZE ? tail.len - END_SIZE + 1 : 0; i > 0; i--) {
		const char *p = tail.ptr + i - 1;

		if (number32(p) == SIGN_END && number16(p + 20) <= tail.len - (i - 1) - END_SIZE) {
			*ret = i - 1;
			return true;
		}
	}
	return false;
}

static int find_directory(
	struct zip_reader *z, struct buf *tail, struct place *ret, struct err *err)
{
	size_t len = tail->max < z->file_size ? tail->max : (size_t)z->file_size, at;

	TRY(err_code(err, buf_reserve(tail, len)));
	if (len)
		TRY(read_all(z->fd, z->file_size - len, tail->ptr, len, err));
	if (!len || !find_end((slice){tail->ptr, len}, &at))
		return err_set(err, ERR_SYNTAX, "not a ZIP file, or its end is missing");
	return read_end(z, (slice){tail->ptr, len}, at, ret, err);
}

void zip_reader_release(struct zip_reader *z)
{
	buf_release(&z->row);
}

/* ---- the directory ---- */

/* The zip64 field has those numbers that do not fit, in this order (APPNOTE 4.5.3). */
static int read_zip64(slice field, struct zip_entry *e, struct err *err)
{
	uint64_t *const WANTED[] = {&e->size, &e->packed, &e->head};

	for (size_t i = 0; i < sizeof WANTED / sizeof WANTED[0]; i++) {
		if (*WANTED[i] != NONE_32)
			continue;
		if (field.len < 8)
			return damaged(err, "a size is missing");
		*WANTED[i] = number(field.ptr, 8);
		field = slice_sub(field, 8, field.len);
	}
	return 0;
}

static int read_extra(slice extra, struct zip_entry *e, struct err *err)
{
	while (extra.len >= 4) {
		unsigned id = number16(extra.ptr), size = number16(extra.ptr + 2);
		slice field = slice_sub(extra, 4, 4 + (size_t)size);

		if (id == EXTRA_ZIP64)
			return read_zip64(field, e, err);
		extra = slice_sub(extra, 4 + (size_t)size, extra.len);
	}
	return 0;
}

/* Reads the next header with its texts. */
static int read_row(struct zip_reader *z, struct err *err)
{
	char fixed[ROW_SIZE];
	size_t texts;
	int rc;

	if (z->end - z->at < ROW_SIZE)
		return damaged(err, "its directory is cut off");
	rc = read_all(z->fd, z->at, fixed, sizeof fixed, err);
	if (rc)
		return rc;
	texts = (size_t)number16(fixed + 28) + number16(fixed + 30) + number16(fixed + 32);
	if (number32(fixed) != SIGN_ROW || z->end - z->at - ROW_SIZE < texts)
		return damaged(err, "an entry of its directory is not where it should be");
	buf_reset(&z->row);
	rc = buf_reserve(&z->row, ROW_SIZE + texts);
	if (rc)
		return err_code(err, rc);
	memcpy(z->row.ptr, fixed, sizeof fixed);
	rc = read_all(z->fd, z->at + ROW_SIZE, z->row.ptr + ROW_SIZE, texts, err);
	z->row.len = ROW_SIZE + texts;
	return rc;
}

int zip_reader_next(struct zip_reader *z, struct zip_entry *ret, struct err *err)
{
	const char *row;
	size_t name, extra;

	if (z->taken == z->entries || z->at == z->end)
		return z->taken == z->entries ? ERR_END : damaged(err, "entries are missing");
	TRY(read_row(z, err));
	row = z->row.ptr;
	name = number16(row + 28);
	extra = number16(row + 30);
	*ret = (struct zip_entry){
		.name = {row + ROW_SIZE, name},
		.method = (uint16_t)number16(row + 10),
		.encrypted = number16(row + 8) & FLAG_ENCRYPTED,
		.crc = number32(row + 16),
		.packed = number32(row + 20),
		.size = number32(row + 24),
		.head = number32(row + 42),
	};
	TRY(read_extra((slice){row + ROW_SIZE + name, extra}, ret, err));
	if (ret->packed > z->file_size || ret->head > z->file_size)
		return damaged(err, "an entry is larger than the file");
	z->at += z->row.len;
	z->taken++;
	return 0;
}

/* ---- all entries together ---- */

/* Bytes of the file that are an entry's: from its local header on, to before end. */
struct extent {
	uint64_t start, end;
};

VEC_DECLARE(extent_vec, struct extent);

static int by_start(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* An entry's local header has its name again, and fields that may be others. */
static struct extent extent_of(const struct zip_entry *e)
{
	return (struct extent){e->head, e->head + LOCAL_SIZE + e->name.len + e->packed};
}

/* A small file would hold much if many entries were the same bytes of it. */
static int check_extents(struct extent_vec *extents, struct err *err)
{
	if (extents->len > 0)
		qsort(extents->ptr, extents->len, sizeof extents->ptr[0], by_start);
	for (size_t i = 1; i < extents->len; i++)
		if (extents->ptr[i].start < extents->ptr[i - 1].end)
			return damaged(err, "entries of it overlap");
	return 0;
}

static int check_entries(struct zip_reader *z, struct err *err)
{
	uint64_t most = ZIP_UNPACKED_MAX + ZIP_RATIO_MAX * z->file_size, total = 0;
	SCOPED(extent_vec_release) struct extent_vec extents = {0};
	struct zip_entry e = {0};
	int rc = 0;

	extent_vec_push(&extents, (struct extent){z->at, z->end});
	while (rc == 0 && (rc = zip_reader_next(z, &e, err)) == 0) {
		if (e.size > most - total)
			rc = err_set(err, ERR_LIMIT,
				"its entries would unpack to more than %d times its size",
				(int)ZIP_RATIO_MAX);
		else
			rc = err_code(err, extent_vec_push(&extents, extent_of(&e)));
		total += e.size;
	}
	if (rc == ERR_END)
		rc = check_extents(&extents, err);
	return rc;
}

int zip_reader_open(struct zip_reader *z, int fd, struct err *err)
{
	struct place place = {0};
	struct buf tail;
	struct stat st;
	int rc;

	*z = (struct zip_reader){.fd = fd};
	buf_init(&z->row, ROW_MAX);
	if (fstat(fd, &st) < 0)
		return err_set(err, ERR_IO, "%s", strerror(errno));
	z->file_size = (uint64_t)st.st_size;
	buf_init(&tail, END_SIZE + COMMENT_MAX + LOCATOR_SIZE);
	rc = find_directory(z, &tail, &place, err);
	buf_release(&tail);
	if (rc)
		return rc;
	if (place.offset > z->file_size || place.size > z->file_size - place.offset)
		return damaged(err, "its directory is not in the file");
	z->entries = place.entries;
	z->at = place.offset;
	z->end = place.offset + place.size;
	rc = check_entries(z, err);
	z->at = place.offset;
	z->taken = 0;
	return rc;
}

/* ---- entries ---- */

int zip_entry_find(const struct zip_entry *entry, int fd, uint64_t *ret_start, struct err *err)
{
	char local[LOCAL_SIZE];

	TRY(read_all(fd, entry->head, local, sizeof local, err));
	if (number32(local) != SIGN_LOCAL)
		return damaged(err, "an entry is not where its directory says");
	*ret_start = entry->head + LOCAL_SIZE + number16(local + 26) + number16(local + 28);
	return 0;
}

/* An entry that is being unpacked. */
struct unpacking {
	const struct zip_entry *entry;
	int fd;
	uint64_t at, left; /* packed bytes that were not read yet */
	uint64_t out;      /* unpacked so far */
	uint32_t crc;
	zip_sink *sink;
	void *context;
	struct err *err;
	char in[WINDOW];
};

static int fill(struct unpacking *u, slice *ret)
{
	size_t len = u->left < WINDOW ? (size_t)u->left : WINDOW;
	int rc = read_all(u->fd, u->at, u->in, len, u->err);

	u->at += len;
	u->left -= len;
	*ret = (slice){u->in, len};
	return rc;
}

static int pass_on(struct unpacking *u, slice bytes)
{
	if (bytes.len > u->entry->size - u->out)
		return damaged(u->err, "an entry is longer than its directory says");
	u->out += bytes.len;
	u->crc = (uint32_t)crc32(u->crc, (const Bytef *)bytes.ptr, (uInt)bytes.len);
	return bytes.len ? u->sink(u->context, bytes, u->err) : 0;
}

static int copy_stored(struct unpacking *u)
{
	slice bytes;
	int rc = 0;

	while (rc == 0 && u->left > 0) {
		rc = fill(u, &bytes);
		if (rc == 0)
			rc = pass_on(u, bytes);
	}
	return rc;
}

/* Feeds one window; *ret_ended when the stream has. */
static int inflate_piece(struct unpacking *u, z_stream *stream, size_t len, bool *ret_ended)
{
	char out[WINDOW];
	int rc = 0, code = Z_OK;

	stream->next_in = (Bytef *)u->in;
	stream->avail_in = (uInt)len;
	do {
		stream->next_out = (Bytef *)out;
		stream->avail_out = sizeof out;
		code = inflate(stream, Z_NO_FLUSH);
		if (code == Z_MEM_ERROR)
			mem_end();
		if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
			return damaged(u->err, "an entry cannot be unpacked");
		rc = pass_on(u, (slice){out, sizeof out - stream->avail_out});
	} while (rc == 0 && code == Z_OK && stream->avail_out == 0);
	*ret_ended = code == Z_STREAM_END;
	return rc;
}

static int copy_deflated(struct unpacking *u)
{
	z_stream stream = {0};
	bool ended = false;
	slice bytes;
	int rc = 0;

	if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
		mem_end();
	while (rc == 0 && !ended && u->left > 0) {
		rc = fill(u, &bytes);
		if (rc == 0)
			rc = inflate_piece(u, &stream, bytes.len, &ended);
	}
	(void)inflateEnd(&stream);
	if (rc == 0 && !ended)
		return damaged(u->err, "an entry is cut off");
	return rc;
}

static int check_entry(const struct zip_entry *e, struct err *err)
{
	if (e->encrypted)
		return err_set(err, ERR_UNSUPPORTED, "the entry is encrypted; decrypt it first");
	if (e->method != ZIP_STORED && e->method != ZIP_DEFLATED)
		return err_set(err, ERR_UNSUPPORTED,
			"compression method %u; only stored and deflated entries can be read",
			e->method);
	if (e->method == ZIP_STORED && e->packed != e->size)
		return damaged(err, "the sizes of a stored entry differ");
	return 0;
}

int zip_entry_read(
	const struct zip_entry *entry, int fd, zip_sink *sink, void *context, struct err *err)
{
	struct unpacking u = {.entry = entry,
		.fd = fd,
		.left = entry->packed,
		.sink = sink,
		.context = context,
		.err = err};

	TRY(check_entry(entry, err));
	TRY(zip_entry_find(entry, fd, &u.at, err));
	TRY(entry->method == ZIP_STORED ? copy_stored(&u) : copy_deflated(&u));
	if (u.out != entry->size || u.crc != entry->crc)
		return damaged(err, "the checksum of an entry does not match");
	return 0;
}

/* ---- writing ---- */

/* Of APPNOTE 4.3 and 4.4; all numbers are little-endian. */
enum {
	VERSION_DESCRIPTOR = 20,
	VERSION_ZIP64 = 45,
	MADE_BY_UNIX = 3 << 8,
	FLAGS = 1 << 3 | 1 << 11, /* a data descriptor follows; names are UTF-8 */
	FIRST_DATE = 1 << 5 | 1,  /* 1 January 1980 */
	END64_REST = 44,          /* bytes of that record behind its size */
	HEAD_MAX = 256,
};

#define FILE_MODE (0100644U << 16)

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

static void put(struct buf *out, const struct item *items, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (unsigned b = 0; b < items[i].bytes; b++)
			buf_add_char(out, (char)(items[i].value >> 8 * b & 0xff));
}

#define PUT(out, ...)                                  \
	put((out), (const struct item[]){__VA_ARGS__}, \
		sizeof((const struct item[]){__VA_ARGS__}) / sizeof(struct item))

static int emit_bytes(struct zip_writer *z, slice bytes, struct err *err)
{
	z->at += bytes.len;
	return z->emit(z->context, bytes, err);
}

/* Emits what was put into head, if that went well. */
static int emit_head(struct zip_writer *z, struct err *err)
{
	int rc = z->head.error;

	rc = rc ? err_code(err, rc) : emit_bytes(z, buf_slice(&z->head), err);
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

	buf_reset(&z->name);
	if (buf_add(&z->name, name))
		return err_set(err, ERR_LIMIT, "a name in a ZIP file is too long");
	z->start = z->at;
	z->size = z->left = size;
	z->crc = 0;
	/* Sizes are in the descriptor (APPNOTE 4.4.4); the zip64 field says how wide they are. */
	PUT(&z->head, {SIGN_LOCAL, 4}, {version, 2}, {FLAGS, 2}, {0, 2}, {0, 2}, {FIRST_DATE, 2},
		{0, 4}, {large ? NONE_32 : 0, 4}, {large ? NONE_32 : 0, 4}, {name.len, 2},
		{large ? 20 : 0, 2});
	TRY(emit_head(z, err));
	TRY(emit_bytes(z, buf_slice(&z->name), err));
	if (!large)
		return 0;
	PUT(&z->head, {EXTRA_ZIP64, 2}, {16, 2}, {0, 8}, {0, 8});
	return emit_head(z, err);
}

int zip_writer_feed(struct zip_writer *z, slice bytes, struct err *err)
{
	if (bytes.len > z->left)
		return err_set(err, ERR_STATE, "%s grew while it was copied", buf_str(&z->name));
	z->left -= bytes.len;
	z->crc = crc32_gzip_refl(z->crc, (const unsigned char *)bytes.ptr, bytes.len);
	return emit_bytes(z, bytes, err);
}

static int add_row(struct zip_writer *z)
{
	bool large = is_large(z->size), far = is_large(z->start);
	unsigned extra = (large ? 16U : 0U) + (far ? 8U : 0U);
	unsigned version = extra ? VERSION_ZIP64 : VERSION_DESCRIPTOR;
	uint64_t size = large ? NONE_32 : z->size;

	PUT(&z->directory, {SIGN_ROW, 4}, {MADE_BY_UNIX | version, 2}, {version, 2}, {FLAGS, 2},
		{0, 2}, {0, 2}, {FIRST_DATE, 2}, {z->crc, 4}, {size, 4}, {size, 4},
		{z->name.len, 2}, {extra ? extra + 4 : 0, 2}, {0, 2}, {0, 2}, {0, 2},
		{FILE_MODE, 4}, {far ? NONE_32 : z->start, 4});
	buf_add(&z->directory, buf_slice(&z->name));
	if (extra)
		PUT(&z->directory, {EXTRA_ZIP64, 2}, {extra, 2});
	if (large)
		PUT(&z->directory, {z->size, 8}, {z->size, 8});
	if (far)
		PUT(&z->directory, {z->start, 8});
	return z->directory.error;
}

int zip_writer_end(struct zip_writer *z, struct err *err)
{
	unsigned wide = is_large(z->size) ? 8 : 4;
	int rc;

	if (z->left)
		return err_set(err, ERR_STATE, "%s shrank while it was copied", buf_str(&z->name));
	PUT(&z->head, {SIGN_DESCRIPTOR, 4}, {z->crc, 4}, {z->size, wide}, {z->size, wide});
	rc = emit_head(z, err);
	if (rc == 0)
		rc = err_code(err, add_row(z));
	z->entries++;
	return rc;
}

static int finish_large(struct zip_writer *z, uint64_t start, struct err *err)
{
	uint64_t end = z->at;

	PUT(&z->head, {SIGN_END64, 4}, {END64_REST, 8}, {MADE_BY_UNIX | VERSION_ZIP64, 2},
		{VERSION_ZIP64, 2}, {0, 4}, {0, 4}, {z->entries, 8}, {z->entries, 8},
		{z->directory.len, 8}, {start, 8});

	PUT(&z->head, {SIGN_LOCATOR, 4}, {0, 4}, {end, 8}, {1, 4});
	return emit_head(z, err);
}

int zip_writer_finish(struct zip_writer *z, struct err *err)
{
	uint64_t start = z->at;
	bool many = z->entries >= NONE_16, far = is_large(start);
	uint64_t entries = many ? NONE_16 : z->entries;

	TRY(emit_bytes(z, buf_slice(&z->directory), err));
	if (many || far)
		TRY(finish_large(z, start, err));
	PUT(&z->head, {SIGN_END, 4}, {0, 2}, {0, 2}, {entries, 2}, {entries, 2},
		{z->directory.len, 4}, {far ? NONE_32 : start, 4}, {0, 2});
	return emit_head(z, err);
}
