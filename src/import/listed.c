#include "import/listed.h"

#include <string.h>

/* Algorithms of the low byte: digest.h's from 1, and the length of a digest of another kind. */
enum { FIRST = 1, OTHER = 128 };

listed_digest listed_digest_of(const struct digest *d)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < sizeof bits; i++)
		bits = bits << 8 | d->bytes[i];
	return (bits & ~(uint64_t)LISTED_ALGORITHM) | (uint64_t)(FIRST + (int)d->kind);
}

static bool is_hex(slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = (char)(text.ptr[i] | 0x20);

		if (!(text.ptr[i] >= '0' && text.ptr[i] <= '9') && !(c >= 'a' && c <= 'f'))
			return false;
	}
	return true;
}

/* The algorithm that has values of that length, with its colon; ptr is NULL for none. */
static slice guess(slice text)
{
	switch (text.len) {
	case 32:
		return is_hex(text) ? SLICE("md5:") : SLICE("sha1:");
	case 40:
		return SLICE("sha1:");
	case 52:
	case 56:
	case 64:
		return SLICE("sha256:");
	default:
		return (slice){0};
	}
}

/* FNV-1a: equal texts are all that matters here. */
static listed_digest other(slice text)
{
	uint64_t h = 0xcbf29ce484222325U;

	for (size_t i = 0; i < text.len; i++)
		h = (h ^ (unsigned char)text.ptr[i]) * 0x100000001b3U;
	return (h & ~(uint64_t)LISTED_ALGORITHM) | OTHER | (text.len & (OTHER - 1));
}

listed_digest listed_digest_parse(slice text)
{
	slice algorithm;
	char full[DIGEST_TEXT_SIZE];
	struct digest d;

	if (text.len == 0 || slice_eq(text, SLICE("-")))
		return LISTED_NO_DIGEST;
	algorithm = memchr(text.ptr, ':', text.len) ? SLICE("") : guess(text);
	if (algorithm.ptr && text.len + algorithm.len < sizeof full) {
		memcpy(full, algorithm.ptr, algorithm.len);
		memcpy(full + algorithm.len, text.ptr, text.len);
		if (digest_parse((slice){full, algorithm.len + text.len}, &d) == 0)
			return listed_digest_of(&d);
	}
	return other(text);
}

int listed_more_timemap(struct listed_more *more, slice address)
{
	int rc;

	if (address.len == 0 || memchr(address.ptr, '\n', address.len))
		return 0;
	rc = buf_add(&more->timemaps, address);
	return rc ? rc : buf_add_char(&more->timemaps, '\n');
}
