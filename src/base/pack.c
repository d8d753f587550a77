#include "base/pack.h"

enum {
	NUMBER_SIZE = 10, /* of the largest */
	SEVEN = 7,
	LOW = 0x7f,
	MORE = 0x80,
	LAST_SHIFT = 63, /* where only one bit is left */
	BIG_SIZE = 8,
	BYTE = 8,
};

/* ---- writing ---- */

int pack_number(struct buf *out, uint64_t value)
{
	char bytes[NUMBER_SIZE];
	size_t n = 0;

	while (value > LOW) {
		bytes[n++] = (char)(MORE | (value & LOW));
		value >>= SEVEN;
	}
	bytes[n++] = (char)value;
	return buf_add(out, (slice){bytes, n});
}

int pack_signed(struct buf *out, int64_t value)
{
	uint64_t shifted = (uint64_t)value << 1;

	return pack_number(out, value < 0 ? ~shifted : shifted);
}

int pack_text(struct buf *out, slice text)
{
	int rc = pack_number(out, text.len);

	return rc || !text.len ? rc : buf_add(out, text);
}

int pack_optional(struct buf *out, slice text)
{
	int rc = pack_number(out, text.ptr ? (uint64_t)text.len + 1 : 0);

	return rc || !text.ptr || !text.len ? rc : buf_add(out, text);
}

int pack_big(struct buf *out, int64_t value)
{
	char bytes[BIG_SIZE];

	for (int i = 0; i < BIG_SIZE; i++)
		bytes[i] = (char)((uint64_t)value >> (BYTE * (BIG_SIZE - 1 - i)));
	return buf_add(out, (slice){bytes, sizeof bytes});
}

/* ---- reading ---- */

slice unpack_bytes(struct unpack *u, uint64_t count)
{
	slice taken = slice_sub(u->left, 0, count > u->left.len ? 0 : (size_t)count);

	u->bad = u->bad || count > u->left.len;
	u->left = slice_sub(u->left, taken.len, u->left.len);
	return taken;
}

unsigned unpack_byte(struct unpack *u)
{
	slice byte = unpack_bytes(u, 1);

	return byte.len ? (unsigned char)byte.ptr[0] : 0;
}

uint64_t unpack_number(struct unpack *u)
{
	uint64_t value = 0;

	for (unsigned shift = 0; !u->bad; shift += SEVEN) {
		unsigned byte = unpack_byte(u);

		if (shift >= LAST_SHIFT && byte > 1) {
			u->bad = true;
			break;
		}
		value |= (uint64_t)(byte & LOW) << shift;
		if (!(byte & MORE))
			return value;
	}
	return 0;
}

int64_t unpack_signed(struct unpack *u)
{
	uint64_t value = unpack_number(u);

	return (int64_t)(value & 1 ? ~(value >> 1) : value >> 1);
}

uint64_t unpack_up_to(struct unpack *u, uint64_t max)
{
	uint64_t value = unpack_number(u);

	u->bad = u->bad || value > max;
	return u->bad ? 0 : value;
}

slice unpack_text(struct unpack *u)
{
	return unpack_bytes(u, unpack_number(u));
}

slice unpack_optional(struct unpack *u)
{
	uint64_t length = unpack_number(u);
	slice text = length ? unpack_bytes(u, length - 1) : (slice){0};

	return length && !text.ptr ? SLICE("") : text;
}

int64_t unpack_big(struct unpack *u)
{
	slice bytes = unpack_bytes(u, BIG_SIZE);
	uint64_t value = 0;

	for (size_t i = 0; i < bytes.len; i++)
		value = value << BYTE | (unsigned char)bytes.ptr[i];
	return (int64_t)value;
}
