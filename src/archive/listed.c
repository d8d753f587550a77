#include "archive/listed.h"

#include <string.h>

#include "base/word.h"

/* Algorithms of the low byte: digest.h's from 1, others have the highest bit. */
enum { FIRST = 1, OTHER = 128 };

enum { REAL_MIN = 24 }; /* characters of a real digest; what is shorter is a mere name */

/* FNV-1a over all bytes: equal ones are all that matters here. Catalogs keep the result. */
static uint64_t mix(const void *bytes, size_t count)
{
	const unsigned char *at = bytes;
	uint64_t h = 0xcbf29ce484222325U;

	for (size_t i = 0; i < count; i++)
		h = (h ^ at[i]) * 0x100000001b3U;
	return h;
}

static listed_digest join(uint64_t hash, uint64_t algorithm)
{
	return (hash & ~(uint64_t)LISTED_ALGORITHM) | algorithm;
}

listed_digest listed_digest_of(const struct digest *d)
{
	return join(mix(d->bytes, digest_size(d->kind)), FIRST + (uint64_t)d->kind);
}

/* 32 characters are SHA-1 in base32, in upper case as a rule, or MD5 in hexadecimal. */
static bool is_md5(slice text)
{
	bool is_base32 = true;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (word_hex(c) < 0)
			return false;
		is_base32 = is_base32 && ((c >= 'A' && c <= 'F') || (c >= '2' && c <= '7'));
	}
	return !is_base32;
}

/* The algorithm that has values of that length, with its colon; ptr is NULL for none. */
static slice guess(slice text)
{
	switch (text.len) {
	case 32:
		return is_md5(text) ? SLICE("md5:") : SLICE("sha1:");
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

/* Those of an algorithm that we do not know: its name tells them apart, or their length. */
static listed_digest other(slice text)
{
	const char *colon = memchr(text.ptr, ':', text.len);
	uint64_t kind = text.len >= REAL_MIN ? text.len : 0;

	if (colon)
		kind = mix(text.ptr, (size_t)(colon - text.ptr));
	return join(mix(text.ptr, text.len), OTHER | (kind & (OTHER - 1)));
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
	if (address.len == 0 || memchr(address.ptr, '\n', address.len))
		return 0;
	buf_add(&more->timemaps, address);
	return buf_add_char(&more->timemaps, '\n');
}
