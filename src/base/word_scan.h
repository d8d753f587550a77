/*
 * The words of a text, one after the other: runs of letters, of digits too if wanted, and of all
 * that is not ASCII. Sixty-four bytes are looked at together, since every page's text goes through
 * here.
 *
 *	struct word_scan scan = {.text = text, .with_digits = true};
 *	while (word_scan_next(&scan, &word))
 *		hash = word_scan_hash(&scan, word);
 */
#ifndef BASE_WORD_SCAN_H
#define BASE_WORD_SCAN_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/slice.h"
#include "base/word.h"

enum { WORD_SCAN_BLOCK = 64 };

/* Set text and with_digits, zero the rest. The text is borrowed. */
struct word_scan {
	slice text;
	bool with_digits;
	size_t next;   /* where the next block begins */
	size_t base;   /* where this one does */
	uint64_t mask; /* its bytes that are parts of words and were not handed out */
};

/* A bit for each byte of a block that is part of a word. */
static inline uint64_t word_scan_mask(const char *p, bool with_digits)
{
	uint64_t bits = 0;

#ifdef __SSE2__
	/* Unsigned bytes: x <= m where min(x, m) is x. Those that are not ASCII have their top bit.
	 */
	const __m128i letters = _mm_set1_epi8('z' - 'a'), case_bit = _mm_set1_epi8(0x20);
	const __m128i digits = _mm_set1_epi8(with_digits ? '9' - '0' : 0);
	const __m128i digit_first = _mm_set1_epi8((char)(with_digits ? '0' : 'a'));

	for (int i = 0; i < WORD_SCAN_BLOCK; i += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
		__m128i a = _mm_sub_epi8(_mm_or_si128(v, case_bit), _mm_set1_epi8('a'));
		__m128i d = _mm_sub_epi8(v, digit_first);
		__m128i part = _mm_or_si128(_mm_cmpeq_epi8(_mm_min_epu8(a, letters), a),
			_mm_cmpeq_epi8(_mm_min_epu8(d, digits), d));

		bits |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_or_si128(part, v)) << i;
	}
#else
	for (int i = 0; i < WORD_SCAN_BLOCK; i++) {
		bool in_word = word_is_alpha(p[i]) || (unsigned char)p[i] >= 0x80 ||
			       (with_digits && word_is_digit(p[i]));

		bits |= (uint64_t)in_word << i;
	}
#endif
	return bits;
}

static inline bool word_scan_block(struct word_scan *s)
{
	char rest[WORD_SCAN_BLOCK] = {0}; /* NUL is no part of a word */
	size_t left = s->text.len - s->next;

	s->base = s->next;
	if (left == 0)
		return false;
	if (left >= WORD_SCAN_BLOCK) {
		s->mask = word_scan_mask(s->text.ptr + s->next, s->with_digits);
		s->next += WORD_SCAN_BLOCK;
		return true;
	}
	memcpy(rest, s->text.ptr + s->next, left);
	s->mask = word_scan_mask(rest, s->with_digits);
	s->next = s->text.len;
	return true;
}

/* The next word; false at the end of the text. */
static inline bool word_scan_next(struct word_scan *s, slice *ret)
{
	uint64_t lowest, sum;
	size_t from, to;

	while (s->mask == 0)
		if (!word_scan_block(s))
			return false;
	/* Adding its lowest bit to a run of ones leaves a one behind the run. */
	lowest = s->mask & (0 - s->mask);
	sum = s->mask + lowest;
	from = s->base + (size_t)__builtin_ctzll(lowest);
	if (sum > s->mask) {
		to = s->base + (size_t)__builtin_ctzll(sum & ~s->mask);
		s->mask &= sum;
		*ret = (slice){s->text.ptr + from, to - from};
		return true;
	}
	/* It goes on in the next block, maybe through all of it. */
	do {
		s->mask = 0;
		to = s->next;
	} while (word_scan_block(s) && s->mask == UINT64_MAX);
	// cppcheck-suppress knownConditionTrueFalse ; word_scan_block sets it
	if (s->mask & 1) {
		to = s->base + (size_t)__builtin_ctzll(~s->mask);
		s->mask &= s->mask + 1;
	}
	*ret = (slice){s->text.ptr + from, to - from};
	return true;
}

/* Up to eight bytes of a word in lower case; zeros behind it. */
static inline uint64_t word_scan_load(const struct word_scan *s, const char *p, size_t len)
{
	uint64_t bytes = 0;

	if ((size_t)(s->text.ptr + s->text.len - p) >= sizeof bytes) {
		memcpy(&bytes, p, sizeof bytes);
		bytes = le64toh(bytes);
		if (len < sizeof bytes)
			bytes &= (UINT64_C(1) << 8 * len) - 1;
	} else {
		for (size_t i = 0; i < len && i < sizeof bytes; i++)
			bytes |= (uint64_t)(unsigned char)p[i] << 8 * i;
	}
	return bytes | (~bytes & UINT64_C(0x8080808080808080)) >> 2;
}

/* The same for words that differ in the case of ASCII letters alone. Anybody can find collisions.
 */
static inline uint64_t word_scan_hash(const struct word_scan *s, slice word)
{
	static const uint64_t STEP = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t hash = word.len * STEP;

	for (; word.len > 8; word = (slice){word.ptr + 8, word.len - 8}) {
		hash = (hash ^ word_scan_load(s, word.ptr, 8)) * STEP;
		hash ^= hash >> 32;
	}
	hash = (hash ^ word_scan_load(s, word.ptr, word.len)) * STEP;
	return hash ^ hash >> 32;
}

#endif
