#include "archive/warc_id.h"

#include <string.h>

static const char SHAPE[] = "<urn:uuid:xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx>";
static const char HEX[] = "0123456789abcdef";

_Static_assert(sizeof SHAPE == WARC_ID_SIZE, "as long as a record's name");

void warc_id_make(struct rng *rng, struct warc_id *ret)
{
	static const char PATTERN[] = "<urn:uuid:aaaaaaaa-aaaa-4aaa-8bbb-bbbbbbbbbbbb>";
	uint64_t a = rng_u64(rng), b = rng_u64(rng);
	char *variant = ret->text + sizeof "<urn:uuid:aaaaaaaa-aaaa-4aaa-" - 1;

	_Static_assert(sizeof PATTERN == WARC_ID_SIZE, "as long as a record's name");
	memcpy(ret->text, PATTERN, sizeof PATTERN);
	for (char *at = ret->text + sizeof "<urn:uuid:" - 1; *at; at++) {
		uint64_t *digits = *at == 'a' ? &a : &b;

		if (*at != 'a' && *at != 'b')
			continue;
		*at = HEX[*digits & 15];
		*digits >>= 4;
	}
	*variant = HEX[8 + (b & 3)];
}

static int value_of(char c)
{
	const char *at = c ? strchr(HEX, c) : NULL;

	return at ? (int)(at - HEX) : -1;
}

bool warc_id_pack(slice id, unsigned char ret[WARC_ID_BYTES])
{
	unsigned digits = 0;

	if (id.len != WARC_ID_SIZE - 1)
		return false;
	memset(ret, 0, WARC_ID_BYTES);
	for (size_t i = 0; i < id.len; i++) {
		int value = value_of(id.ptr[i]);

		if (SHAPE[i] != 'x' && id.ptr[i] != SHAPE[i])
			return false;
		if (SHAPE[i] != 'x')
			continue;
		if (value < 0)
			return false;
		ret[digits / 2] = (unsigned char)(ret[digits / 2] << 4 | value);
		digits++;
	}
	return true;
}

void warc_id_unpack(const unsigned char bytes[WARC_ID_BYTES], struct warc_id *ret)
{
	unsigned digits = 0;

	memcpy(ret->text, SHAPE, sizeof SHAPE);
	for (char *at = ret->text; *at; at++) {
		if (*at != 'x')
			continue;
		*at = HEX[digits % 2 ? bytes[digits / 2] & 15 : bytes[digits / 2] >> 4];
		digits++;
	}
}
