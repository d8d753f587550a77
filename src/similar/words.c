#include "similar/words.h"

#define HASH_START UINT64_C(0xcbf29ce484222325)

enum {
	HAN_BYTES = 3,  /* of most characters that are words */
	RARE_BYTES = 4, /* of those beyond U+FFFF */
};

/* A letter or digit, in lower case; 0 for what is neither. */
static unsigned char letter(char c)
{
	unsigned char u = (unsigned char)c, lower = u | 0x20;

	if (u >= 0x80 || (u >= '0' && u <= '9'))
		return u;
	return lower >= 'a' && lower <= 'z' ? lower : 0;
}

/* Bytes of the character at the start if it is a word by itself: U+3040..U+9FFF, U+20000 on. */
static size_t ideograph(slice s)
{
	unsigned char first = (unsigned char)s.ptr[0];

	if (first >= 0xe3 && first <= 0xe9 && s.len >= HAN_BYTES)
		return first == 0xe3 && (unsigned char)s.ptr[1] < 0x81 ? 0 : HAN_BYTES;
	if (first == 0xf0 && s.len >= RARE_BYTES && (unsigned char)s.ptr[1] >= 0xa0)
		return RARE_BYTES;
	return 0;
}

/* U+2000..U+206F and U+3000..U+303F: dashes, quotes, blanks. Their bytes, or 0. */
static size_t punctuation(slice s)
{
	unsigned char first = (unsigned char)s.ptr[0];
	unsigned char second = s.len >= HAN_BYTES ? (unsigned char)s.ptr[1] : 0;

	if ((first == 0xe2 && (second == 0x80 || second == 0x81)) ||
		(first == 0xe3 && second == 0x80))
		return HAN_BYTES;
	return first == 0xc2 && s.len >= 2 && (unsigned char)s.ptr[1] == 0xa0 ? 2 : 0;
}

static size_t skip_gap(slice s)
{
	size_t at = 0, n = 0;

	while (at < s.len) {
		n = punctuation(slice_sub(s, at, s.len));
		if (n == 0 && letter(s.ptr[at]))
			break;
		at += n ? n : 1;
	}
	return at < s.len ? at : s.len;
}

static uint64_t hash_part(slice s)
{
	uint64_t hash = HASH_START, bytes = 0;

	for (size_t i = 0; i < s.len; i++) {
		bytes = bytes << 8 | letter(s.ptr[i]);
		if (i % 8 == 7) {
			hash = words_mix(hash, bytes);
			bytes = 0;
		}
	}
	return words_spread(words_mix(hash, bytes ^ (uint64_t)s.len << 56));
}

bool words_next(slice *text, uint64_t *ret_hash)
{
	slice s = slice_sub(*text, skip_gap(*text), text->len);
	size_t len;

	if (s.len == 0)
		return false;
	len = ideograph(s);
	if (len == 0)
		for (len = 1; len < s.len && letter(s.ptr[len]); len++) {
			slice rest = slice_sub(s, len, s.len);

			if ((unsigned char)s.ptr[len] >= 0x80 &&
				(punctuation(rest) || ideograph(rest)))
				break;
		}
	*ret_hash = hash_part(slice_sub(s, 0, len));
	*text = slice_sub(s, len, s.len);
	return true;
}
