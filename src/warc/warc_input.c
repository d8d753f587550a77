#include "warc/warc_input.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/file.h"
#include "base/mem.h"
#include "warc/warc_header.h"

/* ---- dictionaries ---- */

static bool is_compressed(slice b)
{
	return b.len >= 4 && memcmp(b.ptr, "\x28\xb5\x2f\xfd", 4) == 0;
}

/* Loads what rc bytes at data are; passes an error code of zstd on. */
static size_t load_plain(ZSTD_DCtx *decoder, const char *data, size_t rc)
{
	return ZSTD_isError(rc) ? rc : ZSTD_DCtx_loadDictionary(decoder, data, rc);
}

static size_t load_compressed(ZSTD_DCtx *decoder, slice content, size_t room)
{
	char *plain = mem_resize(NULL, room + 1, 1);
	size_t rc =
		load_plain(decoder, plain, ZSTD_decompress(plain, room, content.ptr, content.len));

	free(plain);
	return rc;
}

/* Gives it to the decoder, which copies it: 0, ERR_SYNTAX, ERR_LIMIT. */
static SP_MUST_CHECK int warc_dictionary_load(ZSTD_DCtx *decoder, slice content, struct err *err)
{
	unsigned long long size = content.len;
	size_t rc;

	/* A frame that does not tell its size may be as large as we allow. */
	if (is_compressed(content))
		size = ZSTD_getFrameContentSize(content.ptr, content.len);
	if (size == ZSTD_CONTENTSIZE_UNKNOWN)
		size = WARC_DICTIONARY_MAX;
	if (size > WARC_DICTIONARY_MAX)
		return err_set(err, ERR_LIMIT, "zstd dictionary is too large or damaged");
	if (is_compressed(content))
		rc = load_compressed(decoder, content, (size_t)size);
	else
		rc = load_plain(decoder, content.ptr, content.len);
	if (ZSTD_getErrorCode(rc) == ZSTD_error_memory_allocation)
		mem_end();
	if (ZSTD_isError(rc))
		return err_set(err, ERR_SYNTAX, "zstd dictionary: %s", ZSTD_getErrorName(rc));
	return 0;
}

/* ---- input ---- */

enum {
	GZIP_MAGIC_SIZE = 4, /* 1f 8b, deflate, flags */
	GZIP_BITS = 15 + 16, /* zlib: the largest window, and gzip around it */
	GZIP_SIZE_FIELD = 4, /* ISIZE, behind the checksum */
	ZSTD_MAGIC_SIZE = 4, /* little-endian */
	SKIPPABLE_HEAD = 8,  /* magic and size of a skippable frame */
	STEP_MIN = 8 << 10,  /* bytes that are read first at a new place: one record is often all */
	DECODED_MIN =
		2 << 10,  /* that are decoded first at a place that was sought: often a header */
	PROBE_ROOM = 16,  /* bytes to decode in order to see whether a record begins */
	PROBE_FACTOR = 8, /* raw bytes decoded in vain, per byte of the file, before we give up */
	PROBE_FREE = 8 << 20,               /* a small file is looked through in any case */
	MAGIC_SIZE_MAX = WARC_VERSION_SIZE, /* of all that begins a unit */
};

#define ZSTD_DICTIONARY_FRAME 0x184D2A5Du

struct warc_input {
	struct warc_source source;
	uint64_t size;
	enum warc_coding coding;
	bool in_unit;        /* begun, and not all of it taken */
	bool unit_ended;     /* all of it is decoded */
	bool end_is_known;   /* it is damaged, but ends where the file stands */
	struct err damage;   /* of the unit; code is 0 when there is none so far */
	uint64_t unit;       /* where it begins */
	uint64_t inner;      /* bytes of it that were taken */
	uint64_t before;     /* bytes taken of units before it */
	uint64_t probed;     /* raw bytes that were decoded in search of a unit */
	uint64_t raw_offset; /* of raw[0] in the file */
	size_t raw_len;
	size_t raw_pos;
	size_t step;     /* bytes to read next; the further we go, the more */
	size_t out_step; /* the same of bytes to decode */
	size_t out_pos;
	size_t out_len;
	z_stream gzip;
	bool has_gzip; /* gzip is initialised */
	ZSTD_DCtx *zstd;
	unsigned char raw[WARC_WINDOW_SIZE]; /* the windows are last: they need not be cleared */
	unsigned char out[WARC_WINDOW_SIZE];
};

/* How far the file has been read: behind a unit that ended, that is its end. */
static uint64_t offset_of(const struct warc_input *in)
{
	return in->raw_offset + in->raw_pos;
}

static int damaged(const struct warc_input *in, struct err *err, const char *what)
{
	return err_set(
		err, ERR_SYNTAX, "%s at offset %llu", what, (unsigned long long)offset_of(in));
}

/* Reads at an offset of the file, all that is there up to room bytes. */
static int read_at(const struct warc_input *in, uint64_t at, void *to, size_t room, size_t *ret_len,
	struct err *err)
{
	ssize_t len;

	if (at > in->size)
		at = in->size;
	if (room > in->size - at)
		room = (size_t)(in->size - at);
	if (in->source.fd < 0) {
		if (room)
			memcpy(to, in->source.memory.ptr + at, room);
		*ret_len = room;
		return 0;
	}
	len = io_read_at(in->source.fd, to, room, in->source.start + at);
	if (len < 0)
		return err_set(err, ERR_IO, "%s", strerror(errno));
	*ret_len = (size_t)len;
	return 0;
}

/* Makes at least want raw bytes available, where the file has them. */
static int fill_raw(struct warc_input *in, size_t want, struct err *err)
{
	size_t held = in->raw_len - in->raw_pos, room = WARC_WINDOW_SIZE - held, n = 0;

	if (held >= want)
		return 0;
	if (room > in->step && in->step >= want)
		room = in->step;
	in->step = in->step < WARC_WINDOW_SIZE ? 2 * in->step : in->step;
	memmove(in->raw, in->raw + in->raw_pos, held);
	in->raw_offset += in->raw_pos;
	in->raw_pos = 0;
	in->raw_len = held;
	TRY(read_at(in, in->raw_offset + held, in->raw + held, room, &n, err));
	in->raw_len += n;
	return 0;
}

static slice raw_bytes(const struct warc_input *in)
{
	return (slice){(const char *)in->raw + in->raw_pos, in->raw_len - in->raw_pos};
}

/* Moves within the window where it can, so that trying many places does not read them anew. */
static void go_to(struct warc_input *in, uint64_t offset)
{
	if (offset >= in->raw_offset && offset <= in->raw_offset + in->raw_len) {
		in->raw_pos = (size_t)(offset - in->raw_offset);
	} else {
		in->raw_offset = offset;
		in->raw_pos = in->raw_len = 0;
		in->step = STEP_MIN;
	}
	in->out_step = DECODED_MIN;
	in->in_unit = in->unit_ended = in->end_is_known = false;
	in->damage.code = 0;
	in->out_pos = in->out_len = 0;
	in->before += in->inner;
	in->inner = 0;
	in->unit = offset;
}

static uint32_t little32(const char *p)
{
	const unsigned char *u = (const unsigned char *)p;

	return u[0] | (uint32_t)u[1] << 8 | (uint32_t)u[2] << 16 | (uint32_t)u[3] << 24;
}

static bool is_gzip(slice b)
{
	return b.len >= GZIP_MAGIC_SIZE && b.ptr[0] == '\x1f' && b.ptr[1] == '\x8b' &&
	       b.ptr[2] == Z_DEFLATED && ((unsigned char)b.ptr[3] & 0xe0) == 0;
}

static bool is_skippable(slice b)
{
	return b.len >= ZSTD_MAGIC_SIZE &&
	       (little32(b.ptr) & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
}

static bool is_zstd(slice b)
{
	return b.len >= ZSTD_MAGIC_SIZE && (little32(b.ptr) == ZSTD_MAGICNUMBER || is_skippable(b));
}

static bool is_unit(const struct warc_input *in, slice b)
{
	switch (in->coding) {
	case WARC_CODING_GZIP:
		return is_gzip(b);
	case WARC_CODING_ZSTD:
		return is_zstd(b);
	default:
		return true;
	}
}

static void begin_unit(struct warc_input *in)
{
	in->in_unit = true;
	in->unit_ended = in->end_is_known = false;
	in->damage.code = 0;
	in->unit = offset_of(in);
	in->before += in->inner;
	in->inner = 0;
	in->out_pos = in->out_len = 0;
	if (in->coding == WARC_CODING_GZIP) {
		int z = in->has_gzip ? inflateReset(&in->gzip) : inflateInit2(&in->gzip, GZIP_BITS);

		if (z != Z_OK)
			mem_end();
		in->has_gzip = true;
	} else if (in->coding == WARC_CODING_ZSTD) {
		(void)ZSTD_DCtx_reset(in->zstd, ZSTD_reset_session_only);
	}
}

int warc_input_next(struct warc_input *in, struct err *err)
{
	TRY(fill_raw(in, MAGIC_SIZE_MAX, err));
	if (raw_bytes(in).len == 0)
		return ERR_END;
	if (!is_unit(in, raw_bytes(in)))
		return damaged(in, err,
			in->coding == WARC_CODING_GZIP ? "no gzip member" : "no zstd frame");
	begin_unit(in);
	return 0;
}

static void decode_plain(struct warc_input *in, unsigned char *to, size_t room, size_t *ret_len)
{
	slice raw = slice_sub(raw_bytes(in), 0, room);

	memcpy(to, raw.ptr, raw.len);
	in->raw_pos += raw.len;
	in->unit_ended = raw.len == 0;
	*ret_len = raw.len;
}

/*
 * A checksum or size that does not match says that the data are wrong, but also that the member
 * ends here: then the next one is where it should be, and nothing need be searched for.
 */
static void end_bad_member(struct warc_input *in, size_t behind)
{
	struct err ignored;

	if (fill_raw(in, behind + GZIP_MAGIC_SIZE, &ignored) || raw_bytes(in).len < behind)
		return;
	in->end_is_known =
		raw_bytes(in).len == behind || is_gzip(slice_sub(raw_bytes(in), behind, SIZE_MAX));
	if (in->end_is_known)
		in->raw_pos += behind;
}

static int gzip_damage(struct warc_input *in, struct err *err)
{
	const char *why = in->gzip.msg ? in->gzip.msg : "damaged data";
	uint64_t at = offset_of(in);

	if (strcmp(why, "incorrect data check") == 0)
		end_bad_member(in, GZIP_SIZE_FIELD);
	else if (strcmp(why, "incorrect length check") == 0)
		end_bad_member(in, 0);
	return err_set(err, ERR_SYNTAX, "gzip: %s at offset %llu", why, (unsigned long long)at);
}

static int decode_gzip(
	struct warc_input *in, unsigned char *to, size_t room, size_t *ret_len, struct err *err)
{
	slice raw = raw_bytes(in);
	z_stream *z = &in->gzip;
	int rc;

	z->next_in = in->raw + in->raw_pos;
	z->avail_in = (uInt)raw.len;
	z->next_out = to;
	z->avail_out = (uInt)room;
	rc = inflate(z, Z_NO_FLUSH);
	in->raw_pos += raw.len - z->avail_in;
	*ret_len = room - z->avail_out;
	if (rc == Z_STREAM_END)
		in->unit_ended = true;
	else if (rc == Z_MEM_ERROR)
		mem_end();
	else if (rc != Z_OK && rc != Z_BUF_ERROR)
		return gzip_damage(in, err);
	else if (raw.len == 0 && *ret_len == 0)
		return damaged(in, err, "gzip member is cut off");
	return 0;
}

static int decode_zstd(
	struct warc_input *in, unsigned char *to, size_t room, size_t *ret_len, struct err *err)
{
	slice raw = raw_bytes(in);
	ZSTD_inBuffer from = {raw.ptr, raw.len, 0};
	ZSTD_outBuffer out = {to, room, 0};
	size_t rc = ZSTD_decompressStream(in->zstd, &out, &from);

	in->raw_pos += from.pos;
	*ret_len = out.pos;
	if (ZSTD_isError(rc))
		return err_set(err, ERR_SYNTAX, "zstd: %s at offset %llu", ZSTD_getErrorName(rc),
			(unsigned long long)offset_of(in));
	if (rc == 0)
		in->unit_ended = true;
	else if (raw.len == 0 && out.pos == 0)
		return damaged(in, err, "zstd frame is cut off");
	return 0;
}

/* Decodes some more behind out_len, at most room bytes. */
static int decode(struct warc_input *in, size_t room, struct err *err)
{
	unsigned char *to = in->out + in->out_len;
	size_t len = 0;
	int rc = 0;

	TRY(fill_raw(in, 1, err));
	if (in->coding == WARC_CODING_PLAIN)
		decode_plain(in, to, room, &len);
	else if (in->coding == WARC_CODING_GZIP)
		rc = decode_gzip(in, to, room, &len, err);
	else
		rc = decode_zstd(in, to, room, &len, err);
	in->out_len += len;
	return rc;
}

/* Moves what is left of the window to its front, so that want bytes fit. */
static void make_room(struct warc_input *in, size_t want)
{
	if (in->out_pos == 0 || WARC_WINDOW_SIZE - in->out_pos >= want + WARC_PEEK_MAX)
		return;
	memmove(in->out, in->out + in->out_pos, in->out_len - in->out_pos);
	in->out_len -= in->out_pos;
	in->out_pos = 0;
}

/* Decodes at most room bytes at a time. What was read before a damage is handed out first. */
static int peek(struct warc_input *in, size_t want, size_t room, slice *ret, struct err *err)
{
	assert(want <= WARC_PEEK_MAX);
	if (!in->in_unit)
		return ERR_END;
	if (in->out_pos == in->out_len)
		in->out_pos = in->out_len = 0;
	make_room(in, want);
	while (in->out_len - in->out_pos < want && !in->unit_ended && !in->damage.code) {
		size_t free_room = WARC_WINDOW_SIZE - in->out_len;
		int rc = decode(in, room < free_room ? room : free_room, &in->damage);

		if (rc == ERR_IO)
			return err_set(err, rc, "%s", in->damage.text);
	}
	*ret = (slice){(const char *)in->out + in->out_pos, in->out_len - in->out_pos};
	if (ret->len > 0)
		return 0;
	if (in->damage.code)
		return err_set(err, ERR_SYNTAX, "%s", in->damage.text);
	in->in_unit = false;
	return ERR_END;
}

int warc_input_peek(struct warc_input *in, size_t want, slice *ret, struct err *err)
{
	int rc = peek(in, want, in->out_step, ret, err);

	if (in->out_step < WARC_WINDOW_SIZE && in->out_len >= in->out_step)
		in->out_step *= 2;
	return rc;
}

void warc_input_take(struct warc_input *in, size_t count)
{
	assert(count <= in->out_len - in->out_pos);
	in->out_pos += count;
	in->inner += count;
}

int warc_input_seek(struct warc_input *in, struct warc_spot spot, struct err *err)
{
	uint64_t before = spot.offset == in->unit ? in->before : 0;
	int rc;

	if (spot.offset >= in->size)
		return err_set(err, ERR_RANGE, "offset %llu is after the end of the file",
			(unsigned long long)spot.offset);
	go_to(in, spot.offset);
	in->before = before;
	rc = warc_input_next(in, err);
	while (rc == 0 && in->inner < spot.inner) {
		uint64_t left = spot.inner - in->inner;
		slice bytes = {0};

		rc = warc_input_peek(in, 1, &bytes, err);
		if (rc == 0)
			warc_input_take(in, bytes.len < left ? bytes.len : (size_t)left);
	}
	return rc == ERR_END ? err_set(err, ERR_RANGE, "the offset is after the end") : rc;
}

/* Whether a unit that can be read, at least at its start, begins here with a record. */
static int probe(struct warc_input *in, bool *ret_found, struct err *err)
{
	struct err ignored;
	slice bytes = {0};
	int rc;

	begin_unit(in);
	rc = peek(in, WARC_MAGIC_SIZE, PROBE_ROOM, &bytes, &ignored);
	*ret_found = rc == 0 && warc_header_is_start(bytes);
	return rc == ERR_IO ? err_code(err, rc) : 0;
}

/* The first byte of what a unit or a plain record begins with. */
static int first_byte(const struct warc_input *in)
{
	switch (in->coding) {
	case WARC_CODING_GZIP:
		return 0x1f;
	case WARC_CODING_ZSTD:
		return ZSTD_MAGICNUMBER & 0xff;
	default:
		return 'W';
	}
}

static bool looks_right(const struct warc_input *in, slice raw)
{
	if (in->coding != WARC_CODING_PLAIN)
		return is_unit(in, raw);
	return warc_header_is_version(raw);
}

/* Moves to the next place in the window that may be a start; false when there is none. */
static bool scan_window(struct warc_input *in)
{
	for (;;) {
		slice raw = raw_bytes(in);
		const char *hit = raw.len ? memchr(raw.ptr, first_byte(in), raw.len) : NULL;

		in->raw_pos = hit ? (size_t)((const unsigned char *)hit - in->raw) : in->raw_len;
		raw = raw_bytes(in);
		if (raw.len < MAGIC_SIZE_MAX)
			return false;
		if (looks_right(in, raw))
			return true;
		in->raw_pos++;
	}
}

int warc_input_resync(struct warc_input *in, uint64_t offset, struct err *err)
{
	uint64_t at = offset;
	bool found = false;

	while (at < in->size && in->probed / PROBE_FACTOR <= in->size + PROBE_FREE) {
		go_to(in, at);
		TRY(fill_raw(in, WARC_WINDOW_SIZE / 2, err));
		if (!scan_window(in)) {
			if (in->raw_offset + in->raw_len >= in->size)
				break;
			at = offset_of(in);
			continue;
		}
		at = offset_of(in);
		TRY(probe(in, &found, err));
		if (found)
			return 0;
		in->probed += offset_of(in) - at;
		at++;
	}
	go_to(in, in->size);
	return ERR_END;
}

int warc_input_skip(struct warc_input *in, struct err *err)
{
	if (!in->end_is_known)
		return warc_input_resync(in, in->unit + 1, err);
	go_to(in, offset_of(in));
	return warc_input_next(in, err);
}

/* Reads the dictionary, if the file begins with one; what follows it is the first unit. */
static int read_dictionary(struct warc_input *in, struct err *err)
{
	slice raw = raw_bytes(in);
	uint32_t len;
	size_t got = 0;
	void *data;
	int rc;

	if (raw.len < SKIPPABLE_HEAD || little32(raw.ptr) != ZSTD_DICTIONARY_FRAME)
		return 0;
	len = little32(raw.ptr + 4);
	if (len > WARC_DICTIONARY_MAX)
		return err_set(err, ERR_LIMIT, "zstd dictionary of %lu bytes", (unsigned long)len);
	data = mem_resize(NULL, (size_t)len + 1, 1);
	rc = read_at(in, SKIPPABLE_HEAD, data, len, &got, err);
	if (rc == 0 && got < len)
		rc = err_set(err, ERR_SYNTAX, "zstd dictionary is cut off");
	if (rc == 0)
		rc = warc_dictionary_load(in->zstd, (slice){data, len}, err);
	free(data);
	if (rc == 0)
		go_to(in, SKIPPABLE_HEAD + (uint64_t)len);
	return rc;
}

static int detect(struct warc_input *in, struct err *err)
{
	slice raw;

	TRY(fill_raw(in, MAGIC_SIZE_MAX, err));
	raw = raw_bytes(in);
	if (is_gzip(raw)) {
		in->coding = WARC_CODING_GZIP;
	} else if (is_zstd(raw)) {
		in->coding = WARC_CODING_ZSTD;
		in->zstd = ZSTD_createDCtx();
		if (!in->zstd)
			mem_end();
		(void)ZSTD_DCtx_setParameter(
			in->zstd, ZSTD_d_windowLogMax, WARC_ZSTD_WINDOW_LOG_MAX);
		return read_dictionary(in, err);
	}
	return 0;
}

static int find_size(struct warc_input *in, struct err *err)
{
	struct stat st;

	if (in->source.fd < 0) {
		in->size = in->source.memory.len;
		return 0;
	}
	if (fstat(in->source.fd, &st) < 0)
		return err_set(err, ERR_IO, "%s", strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_UNSUPPORTED, "not a regular file");
	in->size = (uint64_t)st.st_size;
	if (in->source.start > in->size || in->source.length > in->size - in->source.start)
		return err_set(err, ERR_RANGE, "a part that is not in the file");
	in->size -= in->source.start;
	if (in->source.length)
		in->size = in->source.length;
	return 0;
}

int warc_input_open(const struct warc_source *source, struct warc_input **ret, struct err *err)
{
	struct warc_input *in = mem_resize(NULL, 1, sizeof *in);
	int rc;

	memset(in, 0, offsetof(struct warc_input, raw));
	in->source = *source;
	in->out_step = WARC_WINDOW_SIZE;
	in->step = STEP_MIN;
	rc = find_size(in, err);
	if (rc == 0)
		rc = detect(in, err);
	if (rc) {
		warc_input_close(in);
		return rc;
	}
	*ret = in;
	return 0;
}

void warc_input_close(struct warc_input *in)
{
	if (!in)
		return;
	if (in->has_gzip)
		(void)inflateEnd(&in->gzip);
	(void)ZSTD_freeDCtx(in->zstd);
	free(in);
}

enum warc_coding warc_input_coding(const struct warc_input *in)
{
	return in->coding;
}

struct warc_spot warc_input_spot(const struct warc_input *in)
{
	if (!in->in_unit)
		return (struct warc_spot){offset_of(in), 0};
	if (in->coding == WARC_CODING_PLAIN)
		return (struct warc_spot){in->unit + in->inner, 0};
	return (struct warc_spot){in->unit, in->inner};
}

uint64_t warc_input_size(const struct warc_input *in)
{
	return in->size;
}

uint64_t warc_input_position(const struct warc_input *in)
{
	return in->before + in->inner;
}
