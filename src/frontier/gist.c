#include "frontier/gist.h"

#include <stdbool.h>

#include "base/word.h"
#include "url/percent.h"

/*
 * A hash of eight bytes at a time, since every page's text goes through it. Nobody gains by a
 * collision but whoever wants pages of his own to be left out.
 */
#define HASH_START UINT64_C(0xcbf29ce484222325)
#define HASH_STEP  UINT64_C(0x9e3779b97f4a7c15)

struct word {
	uint64_t hash;
	uint64_t bytes; /* that are not in the hash yet */
	size_t length;
};

static const struct word NO_WORD = {.hash = HASH_START};

void gist_reset(struct gist *g)
{
	g->lines.len = 0;
	g->weight = 0;
}

void gist_release(struct gist *g)
{
	gist_lines_release(&g->lines);
	g->weight = 0;
}

/*
 * A letter in lower case, or 0 for what is none. All that is not ASCII counts as letters; nobody
 * knows a lower case of them here.
 */
static unsigned char letter(char c)
{
	unsigned char u = (unsigned char)c, lower = u | 0x20;

	if (u >= 0x80)
		return u;
	return (unsigned char)(lower - 'a') <= 'z' - 'a' ? lower : 0;
}

static uint64_t mix(uint64_t hash, uint64_t bytes)
{
	hash = (hash ^ bytes) * HASH_STEP;
	return hash ^ hash >> 32;
}

static void add_letter(struct word *w, unsigned char lower)
{
	w->bytes = w->bytes << 8 | lower;
	if (++w->length % 8 == 0) {
		w->hash = mix(w->hash, w->bytes);
		w->bytes = 0;
	}
}

static uint64_t word_hash(const struct word *w)
{
	return mix(w->hash, w->bytes ^ (uint64_t)w->length << 56);
}

/* A word: a run of letters. Where it ends is returned, its hash goes to ret. */
static size_t read_word(slice s, size_t at, uint64_t *ret)
{
	struct word w = NO_WORD;
	unsigned char lower;

	for (; at < s.len && (lower = letter(s.ptr[at])) != 0; at++)
		add_letter(&w, lower);
	*ret = word_hash(&w);
	return at;
}

struct url_words {
	uint64_t list[GIST_WORDS_MAX];
	size_t count;
};

/* The byte at a place of a URL, an escape undone; the place is moved behind it. */
static char next_byte(slice url, size_t *at)
{
	char c = url.ptr[(*at)++];
	int high, low;

	if (c != '%' || *at + 2 > url.len)
		return c;
	high = word_hex(url.ptr[*at]);
	low = word_hex(url.ptr[*at + 1]);
	if (high < 0 || low < 0)
		return c;
	*at += 2;
	return (char)(unsigned char)(high << 4 | low);
}

/* Of too many the last ones: they are what a search or a wrong link is about. */
static void read_url(slice url, struct url_words *w)
{
	struct word word = NO_WORD;

	w->count = 0;
	for (size_t at = 0; at < url.len || word.length > 0;) {
		unsigned char lower = 0;

		if (at < url.len)
			lower = letter(next_byte(url, &at));
		if (lower) {
			add_letter(&word, lower);
			continue;
		}
		if (word.length >= GIST_WORD_MIN)
			w->list[w->count++ % GIST_WORDS_MAX] = word_hash(&word);
		word = NO_WORD;
	}
	if (w->count > GIST_WORDS_MAX)
		w->count = GIST_WORDS_MAX;
}

static bool is_of_url(const struct url_words *w, uint64_t hash)
{
	for (size_t i = 0; i < w->count; i++)
		if (w->list[i] == hash)
			return true;
	return false;
}

static int add_line(struct gist *g, slice line, const struct url_words *url)
{
	uint64_t hash = HASH_START, word;
	size_t weight = 0;

	for (size_t at = 0, end; at < line.len; at = end) {
		end = at + 1;
		if (!letter(line.ptr[at]))
			continue;
		end = read_word(line, at, &word);
		if (is_of_url(url, word))
			continue;
		hash = mix(hash, word);
		weight += end - at;
	}
	return weight ? gist_add_hash(g, hash, (uint32_t)weight) : 0;
}

int gist_add_text(struct gist *g, slice text, slice url)
{
	struct url_words words;
	int rc = 0;

	read_url(url, &words);
	while (rc == 0 && text.len > 0) {
		const char *end = memchr(text.ptr, '\n', text.len);
		size_t len = end ? (size_t)(end - text.ptr) : text.len;

		rc = add_line(g, slice_sub(text, 0, len), &words);
		text = slice_sub(text, len + 1, text.len);
	}
	return rc;
}

int gist_add_hash(struct gist *g, uint64_t hash, uint32_t weight)
{
	int rc = 0;

	if (g->lines.len < GIST_LINES_MAX)
		rc = gist_lines_push(&g->lines, (struct gist_line){hash, weight});
	if (rc == 0)
		g->weight += weight;
	return rc;
}
