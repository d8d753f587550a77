#include "rate/features.h"

#include <math.h>

#include "base/err.h"

enum { WORD_MAX = 64 }; /* bytes of a word that count */

#define TEXT_MAX ((size_t)1 << 30)

void feature_words_init(struct feature_words *w)
{
	*w = (struct feature_words){0};
	arena_init(&w->text, TEXT_MAX);
	strmap_init(&w->numbers, hash_key_random(), &w->text);
	for (size_t i = FEATURES_WORDS; i < FEATURES_CATEGORIES; i++)
		w->counts[i] = 2;
}

void feature_words_release(struct feature_words *w)
{
	strmap_release(&w->numbers);
	arena_release(&w->text);
}

static char lower(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c - 'A' + 'a');
	return c;
}

/* A feature's word in lower case, with the feature before it so that each has numbers of its own.
 */
static int set_word(struct feature_words *w, enum feature f, slice word, bool learn, float *ret)
{
	char key[WORD_MAX + 1];
	size_t len = 0;
	uint32_t number;
	int rc;

	*ret = NAN;
	key[0] = (char)('a' + f);
	for (; len < word.len && len < WORD_MAX; len++)
		key[len + 1] = lower(word.ptr[len]);
	if (strmap_get(&w->numbers, (slice){key, len + 1}, &number)) {
		*ret = (float)number;
		return 0;
	}
	if (!learn || w->counts[f] >= FEATURE_VALUES_MAX)
		return 0;
	rc = strmap_put(&w->numbers, (slice){key, len + 1}, w->counts[f]);
	if (rc == 0)
		*ret = (float)w->counts[f]++;
	return rc;
}

static size_t find(slice s, const char *bytes)
{
	size_t i = 0;

	while (i < s.len && !(s.ptr[i] && strchr(bytes, s.ptr[i])))
		i++;
	return i;
}

/* Cuts the scheme and the host off; false where there is none. */
static bool take_host(slice *rest, slice *ret_host)
{
	size_t colon = find(*rest, ":/?#");

	if (!slice_starts_with(slice_sub(*rest, colon, rest->len), SLICE("://")))
		return false;
	*rest = slice_sub(*rest, colon + 3, rest->len);
	*ret_host = slice_sub(*rest, 0, find(*rest, "/?#"));
	*rest = slice_sub(*rest, ret_host->len, rest->len);
	return true;
}

static slice type_of(slice path)
{
	size_t dot = path.len;
	slice type;

	while (dot > 0 && path.ptr[dot - 1] != '.' && path.ptr[dot - 1] != '/')
		dot--;
	if (dot == 0 || path.ptr[dot - 1] == '/')
		return SLICE("");
	type = slice_sub(path, dot, path.len);
	if (slice_eq(type, SLICE("htm")))
		return SLICE("html");
	return slice_eq(type, SLICE("jpeg")) ? SLICE("jpg") : type;
}

static bool is_word(char c)
{
	c = lower(c);
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (unsigned char)c >= 0x80;
}

static slice next_word(slice *path)
{
	size_t from = 0, to;

	while (from < path->len && !is_word(path->ptr[from]))
		from++;
	for (to = from; to < path->len && is_word(path->ptr[to]);)
		to++;
	slice word = slice_sub(*path, from, to);

	*path = slice_sub(*path, to, path->len);
	return word;
}

static void set_numbers(slice url, slice path, slice rest, struct features *ret)
{
	static const char SYMBOLS[] = "~_?;:,%";
	size_t slashes = 0;

	for (size_t i = 0; i < path.len; i++)
		slashes += path.ptr[i] == '/';
	ret->at[FEATURE_DEPTH] = (float)slashes;
	ret->at[FEATURE_URL_LENGTH] = (float)url.len;
	for (size_t i = 0; SYMBOLS[i]; i++)
		ret->at[FEATURE_TILDE + i] =
			find(rest, (const char[]){SYMBOLS[i], '\0'}) < rest.len ? 1 : 0;
}

int features_of_url(struct feature_words *w, slice url, bool learn, struct features *ret)
{
	slice rest = url, host, path, words;
	int rc = 0;

	for (size_t i = 0; i < FEATURES; i++)
		ret->at[i] = NAN;
	if (take_host(&rest, &host))
		rc = set_word(w, FEATURE_DOMAIN, host, learn, &ret->at[FEATURE_DOMAIN]);
	path = words = slice_sub(rest, 0, find(rest, "?#"));
	set_numbers(url, path, rest, ret);
	if (rc == 0)
		rc = set_word(w, FEATURE_TYPE, type_of(path), learn, &ret->at[FEATURE_TYPE]);
	for (int i = 0; rc == 0 && i < 3; i++)
		rc = set_word(w, (enum feature)(FEATURE_WORD_1 + i), next_word(&words), learn,
			&ret->at[FEATURE_WORD_1 + i]);
	return rc;
}
