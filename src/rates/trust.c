#include "rates/trust.h"

#include <string.h>

#include "base/err.h"

enum { ALL = PAGE_WORD_HTTP | PAGE_WORD_SITEMAP };

/* Of the names of hosts that lied: those of ten million. */
#define NAMES_MAX ((size_t)1 << 30)

slice rates_origin(slice url)
{
	const char *colon = memchr(url.ptr, ':', url.len);
	size_t start = colon ? (size_t)(colon - url.ptr) + 3 : 0;
	const char *end = start < url.len ? memchr(url.ptr + start, '/', url.len - start) : NULL;

	return slice_sub(url, 0, end ? (size_t)(end - url.ptr) : url.len);
}

void rates_trust_init(struct rates_trust *t)
{
	arena_init(&t->names, NAMES_MAX);
	strmap_init(&t->liars, hash_key_random(), &t->names);
}

void rates_trust_release(struct rates_trust *t)
{
	strmap_release(&t->liars);
	arena_release(&t->names);
}

/* A host has an entry for each word that lied. */
static slice key_of(slice origin, unsigned word, char *out, size_t size)
{
	size_t len = origin.len < size - 1 ? origin.len : size - 1;

	memcpy(out, origin.ptr, len);
	out[len] = (char)word;
	return (slice){out, len + 1};
}

/* A lie that was found elsewhere. 0 or ERR_NOMEM. */
static int rates_trust_accuse(struct rates_trust *t, slice url, unsigned words)
{
	char key[512];

	for (unsigned word = 1; word <= PAGE_WORD_SITEMAP; word <<= 1) {
		int rc = 0;

		if (words & word)
			rc = strmap_put(
				&t->liars, key_of(rates_origin(url), word, key, sizeof key), word);
		if (rc && rc != ERR_EXISTS)
			return rc;
	}
	return 0;
}

int rates_trust_learn(struct rates_trust *t, const struct page_table *table)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < table->pages.len; i++) {
		unsigned lies = page_entry_lies(&table->pages.ptr[i]);

		if (lies)
			rc = rates_trust_accuse(t, table->pages.ptr[i].url, lies);
	}
	return rc;
}

unsigned rates_trust_of(const struct rates_trust *t, slice url)
{
	unsigned words = ALL;
	char key[512];

	for (unsigned word = 1; t->liars.len > 0 && word <= PAGE_WORD_SITEMAP; word <<= 1)
		if (strmap_get(&t->liars, key_of(rates_origin(url), word, key, sizeof key), NULL))
			words &= ~word;
	return words;
}
