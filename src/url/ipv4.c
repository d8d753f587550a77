/* WHATWG URL Standard, section 3.5: IPv4 parser, IPv4 number parser, ends in a number checker. */
#include "base/format.h"
#include "base/word.h"
#include "url/address.h"
#include "url/percent.h"

enum { PARTS_MAX = 4 };

static const uint64_t TOO_LARGE = UINT64_C(1) << 32; /* any number that does not fit becomes this */

/* "IPv4 number parser" */
static bool parse_number(slice s, uint64_t *ret)
{
	uint64_t value = 0;
	unsigned radix = 10;

	if (s.len == 0)
		return false;
	if (s.len >= 2 && s.ptr[0] == '0') {
		bool hex = (s.ptr[1] | 0x20) == 'x';

		radix = hex ? 16 : 8;
		s = slice_sub(s, hex ? 2 : 1, s.len);
	}
	for (size_t i = 0; i < s.len; i++) {
		int digit = word_hex(s.ptr[i]);

		if (digit < 0 || (unsigned)digit >= radix)
			return false;
		value = value * radix + (unsigned)digit;
		if (value > TOO_LARGE)
			value = TOO_LARGE;
	}
	*ret = value;
	return true;
}

slice url_without_last_dot(slice domain)
{
	bool dot = domain.len > 1 && domain.ptr[domain.len - 1] == '.';

	return slice_sub(domain, 0, domain.len - dot);
}

bool url_ends_in_number(slice domain)
{
	slice s = url_without_last_dot(domain);
	size_t from = s.len;
	bool digits;
	uint64_t value;

	while (from > 0 && s.ptr[from - 1] != '.')
		from--;
	s = slice_sub(s, from, s.len);
	if (s.len == 0 || !url_byte_is(s.ptr[0], URL_DIGIT))
		return false;
	digits = true;
	for (size_t i = 0; i < s.len && digits; i++)
		digits = url_byte_is(s.ptr[i], URL_DIGIT);
	return digits || parse_number(s, &value);
}

/* Splits at the dots. The count, PARTS_MAX + 1 when there are more. */
static size_t split(slice s, slice parts[PARTS_MAX])
{
	size_t count = 0, from = 0;

	for (size_t i = 0; i <= s.len; i++) {
		if (i < s.len && s.ptr[i] != '.')
			continue;
		if (count == PARTS_MAX)
			return PARTS_MAX + 1;
		parts[count++] = slice_sub(s, from, i);
		from = i + 1;
	}
	return count;
}

int url_ipv4_parse(slice domain, uint32_t *ret_address, struct err *err)
{
	slice parts[PARTS_MAX];
	size_t count = split(url_without_last_dot(domain), parts);
	uint64_t address = 0, value = 0;

	if (count > PARTS_MAX)
		return err_set(err, ERR_SYNTAX, "IPv4 address with more than four parts");
	for (size_t i = 0; i < count; i++) {
		if (!parse_number(parts[i], &value))
			return err_set(
				err, ERR_SYNTAX, "IPv4 address with a part that is no number");
		if (i + 1 < count) {
			if (value > UINT8_MAX)
				return err_set(
					err, ERR_SYNTAX, "IPv4 address with a part over 255");
			address |= value << (8 * (PARTS_MAX - 1 - i));
		}
	}
	if (value >= UINT64_C(1) << (8 * (PARTS_MAX + 1 - count)))
		return err_set(err, ERR_SYNTAX, "IPv4 address whose last part is too large");
	*ret_address = (uint32_t)(address | value);
	return 0;
}

int url_ipv4_add(struct buf *out, uint32_t address)
{
	char text[PARTS_MAX * FORMAT_U64_SIZE];
	size_t len = 0;

	for (unsigned i = 0; i < PARTS_MAX; i++) {
		len += format_u64(address >> (8 * (PARTS_MAX - 1 - i)) & UINT8_MAX, text + len);
		text[len++] = '.';
	}
	return buf_add(out, (slice){text, len - 1});
}
