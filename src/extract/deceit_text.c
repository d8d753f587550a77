#include "extract/deceit_text.h"

#include <math.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

#include "base/word.h"

enum {
	SLOTS = 2 * DECEIT_WORDS_MAX, /* of a table of words, or of sequences */
	LONG_WORD = 4,                /* letters of a word that means something */
	SEQUENCE = 3,
	COMPRESSED_MAX = 16 << 10,
};

struct slot {
	uint32_t hash;
	uint32_t count;
};

static bool is_part(char c)
{
	return word_is_alnum(c) || (unsigned char)c >= 0x80;
}

/* FNV-1a of the next word, lower case; false at the end. */
static bool next_word(slice *text, uint32_t *ret_hash, size_t *ret_len)
{
	const char *p = text->ptr, *end = p + text->len, *from;
	uint32_t hash = 2166136261U;

	while (p < end && !is_part(*p))
		p++;
	for (from = p; p < end && is_part(*p); p++)
		hash = (hash ^ (unsigned char)word_lower(*p)) * 16777619U;
	*ret_hash = hash | 1;
	*ret_len = (size_t)(p - from);
	*text = (slice){p, (size_t)(end - p)};
	return p > from;
}

/* Its slot, which may be new: then its count is 0. */
static struct slot *find(struct slot *slots, uint32_t hash)
{
	uint32_t at = (hash * 2654435761U >> 8) % SLOTS;

	while (slots[at].hash && slots[at].hash != hash)
		at = (at + 1) % SLOTS;
	slots[at].hash = hash;
	return &slots[at];
}

/* Most words come once, the others a few times: a logarithm for each number of times will do. */
static double entropy_of(const struct slot *slots, uint32_t words)
{
	uint32_t by_count[DECEIT_WORDS_MAX + 1] = {0}, most = 1;
	double sum = 0;

	for (size_t i = 0; i < SLOTS; i++) {
		by_count[slots[i].count]++;
		if (slots[i].count > most)
			most = slots[i].count;
	}
	for (uint32_t n = 2; n <= most; n++)
		if (by_count[n])
			sum += by_count[n] * (n * log2(n));
	return words > 1 ? 1 - sum / (words * log2(words)) : 1;
}

void deceit_text_read(slice text, struct deceit_text *ret)
{
	struct slot words[SLOTS] = {{0}}, sequences[SLOTS] = {{0}};
	uint32_t last[SEQUENCE - 1] = {0}, hash;
	size_t len;

	*ret = (struct deceit_text){0};
	while (ret->words < DECEIT_WORDS_MAX && text.len && next_word(&text, &hash, &len)) {
		uint32_t key = (last[0] * 31 + last[1]) * 31 + hash;
		struct slot *s = find(words, hash), *three = find(sequences, key | 1);

		ret->words++;
		ret->distinct += s->count++ == 0;
		if (len >= LONG_WORD && s->count > ret->most)
			ret->most = s->count;
		if (ret->words >= SEQUENCE)
			ret->repeats += three->count++ > 0;
		last[0] = last[1];
		last[1] = hash;
	}
	ret->entropy = entropy_of(words, ret->words);
}

double deceit_text_compression(slice text)
{
	unsigned char out[COMPRESSED_MAX];
	uLongf size = sizeof out;

	if (text.len == 0 || text.len > COMPRESSED_MAX / 2 ||
		compress2(out, &size, (const unsigned char *)text.ptr, text.len, 6) != Z_OK)
		return 0;
	return (double)text.len / (double)size;
}

static bool has_any(slice text, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t len = strlen(list[i]);

		for (size_t at = 0; text.len && at + len <= text.len; at++)
			if (word_lower(text.ptr[at]) == list[i][0] &&
				strncasecmp(text.ptr + at, list[i], len) == 0)
				return true;
	}
	return false;
}

bool deceit_text_is_parked(slice text, slice title)
{
	static const char *const SENTENCES[] = {"domain is for sale", "domain name is for sale",
		"domain may be for sale", "buy this domain", "domain is parked",
		"parked free, courtesy of", "this domain has expired", "inquire about this domain",
		"make an offer on this domain", "domain steht zum verkauf", "domain zu verkaufen",
		"diese domain kaufen", "domaine est \xc3\xa0 vendre", "acheter ce domaine",
		"dominio est\xc3\xa1 en venta", "dominio en venta", "dominio \xc3\xa8 in vendita",
		"deze domeinnaam is te koop", "domena jest na sprzeda"};
	size_t count = sizeof SENTENCES / sizeof SENTENCES[0];

	return has_any(text, SENTENCES, count) || has_any(title, SENTENCES, count);
}

bool deceit_text_is_error(slice text, slice title)
{
	static const char *const TITLES[] = {"apache2 debian default page",
		"apache2 ubuntu default page", "welcome to nginx!", "iis windows server",
		"test page for the apache http server", "default web site page",
		"default plesk page", "account suspended", "website suspended", "site suspended"};
	static const char *const SENTENCES[] = {"this account has been suspended",
		"this website has been suspended", "there is no website configured at this address",
		"this is the default web page for this server"};

	return has_any(title, TITLES, sizeof TITLES / sizeof TITLES[0]) ||
	       has_any(text, SENTENCES, sizeof SENTENCES / sizeof SENTENCES[0]);
}
