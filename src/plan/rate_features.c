#include "plan/rate_features.h"

#include <math.h>

#include "base/err.h"

#define TEXT_MAX ((size_t)1 << 30)

/* What a byte can be in a URL. */
enum {
	ENDS_HOST = 0x80, /* / ? #; the other bits are the symbols ~ _ ? ; : , % in this order */
};

static const unsigned char KINDS[256] = {
	['~'] = 1 << 0,
	['_'] = 1 << 1,
	['?'] = 1 << 2 | ENDS_HOST,
	[';'] = 1 << 3,
	[':'] = 1 << 4,
	[','] = 1 << 5,
	['%'] = 1 << 6,
	['/'] = ENDS_HOST,
	['#'] = ENDS_HOST,
};

const char *feature_name(size_t feature)
{
	static const char *const NAMES[FEATURES] = {
		[FEATURE_DOMAIN] = "domain",
		[FEATURE_TYPE] = "type",
		[FEATURE_WORD_1] = "word_1",
		[FEATURE_WORD_2] = "word_2",
		[FEATURE_WORD_3] = "word_3",
		[FEATURE_TILDE] = "tilde",
		[FEATURE_UNDERLINE] = "underline",
		[FEATURE_QUESTION] = "question",
		[FEATURE_SEMICOLON] = "semicolon",
		[FEATURE_COLON] = "colon",
		[FEATURE_COMMA] = "comma",
		[FEATURE_PERCENT] = "percent",
		[FEATURE_DEPTH] = "depth",
		[FEATURE_URL_LENGTH] = "url_length",
		[FEATURE_DAYS] = "days_since_change",
		[FEATURE_IMAGES] = "images",
		[FEATURE_TABLES] = "tables",
		[FEATURE_OUT_LINKS] = "out_links",
		[FEATURE_IN_LINKS] = "in_links",
	};

	return NAMES[feature];
}

void feature_words_init(struct feature_words *w)
{
	*w = (struct feature_words){0};
	arena_init(&w->text, TEXT_MAX);
	strmap_init(&w->numbers, hash_key_random(), NULL);
	for (size_t i = FEATURES_WORDS; i < FEATURES_CATEGORIES; i++)
		w->counts[i] = 2;
}

void feature_words_release(struct feature_words *w)
{
	for (size_t i = 0; i < FEATURES_WORDS; i++)
		slice_vec_release(&w->words[i]);
	strmap_release(&w->numbers);
	arena_release(&w->text);
}

static char lower(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c - 'A' + 'a');
	return c;
}

/* A word with its feature before it, so that each feature has numbers of its own. */
struct key {
	char text[FEATURE_WORD_MAX + 1];
};

static slice make_key(struct key *k, size_t feature, slice word)
{
	size_t len = 0;

	k->text[0] = (char)('a' + feature);
	for (; len < word.len && len < FEATURE_WORD_MAX; len++)
		k->text[len + 1] = lower(word.ptr[len]);
	return (slice){k->text, len + 1};
}

static int add_key(struct feature_words *w, size_t f, slice key)
{
	char *copy;
	int rc;

	if (w->counts[f] >= FEATURE_VALUES_MAX)
		return ERR_LIMIT;
	copy = arena_strdup(&w->text, key);
	if (!copy || slice_vec_try_reserve(&w->words[f], 1))
		return ERR_NOMEM;
	rc = strmap_put(&w->numbers, (slice){copy, key.len}, w->counts[f]);
	if (rc)
		return rc;
	w->counts[f]++;
	return slice_vec_try_push(&w->words[f], (slice){copy + 1, key.len - 1});
}

int feature_words_add(struct feature_words *w, size_t feature, slice word)
{
	struct key key;

	if (word.len > FEATURE_WORD_MAX)
		return ERR_LIMIT;
	return add_key(w, feature, make_key(&key, feature, word));
}

bool feature_words_find(
	const struct feature_words *w, size_t feature, slice word, uint32_t *ret_number)
{
	struct key key;

	return strmap_get(&w->numbers, make_key(&key, feature, word), ret_number);
}

/* A word in lower case; missing when it is one too many. */
static int set_word(struct feature_words *w, enum feature f, slice word, bool learn, float *ret)
{
	struct key room;
	slice key = make_key(&room, f, word);
	uint32_t number;
	int rc;

	*ret = NAN;
	if (strmap_get(&w->numbers, key, &number)) {
		*ret = (float)number;
		return 0;
	}
	if (!learn)
		return 0;
	rc = add_key(w, f, key);
	if (rc == 0)
		*ret = (float)(w->counts[f] - 1);
	return rc == ERR_LIMIT ? 0 : rc;
}

static unsigned char kind(char c)
{
	return KINDS[(unsigned char)c];
}

static size_t find_end_of_host(slice s)
{
	size_t i = 0;

	while (i < s.len && !(kind(s.ptr[i]) & ENDS_HOST))
		i++;
	return i;
}

/* Cuts the scheme and the host off; false where there is none. */
static bool take_host(slice *rest, slice *ret_host)
{
	size_t colon = 0;

	while (colon < rest->len && rest->ptr[colon] != ':' &&
		!(kind(rest->ptr[colon]) & ENDS_HOST))
		colon++;
	if (!slice_starts_with(slice_sub(*rest, colon, rest->len), SLICE("://")))
		return false;
	*rest = slice_sub(*rest, colon + 3, rest->len);
	*ret_host = slice_sub(*rest, 0, find_end_of_host(*rest));
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

/* Of what stands behind the host: symbols, length and depth of the path, which is returned. */
static slice set_numbers(slice url, slice rest, struct features *ret)
{
	size_t slashes = 0, path = 0;
	unsigned symbols = 0;

	for (; path < rest.len && rest.ptr[path] != '?' && rest.ptr[path] != '#'; path++) {
		symbols |= kind(rest.ptr[path]);
		slashes += rest.ptr[path] == '/';
	}
	for (size_t i = path; i < rest.len; i++)
		symbols |= kind(rest.ptr[i]);
	ret->at[FEATURE_DEPTH] = (float)slashes;
	ret->at[FEATURE_URL_LENGTH] = (float)url.len;
	for (unsigned i = 0; i < FEATURE_DEPTH - FEATURE_TILDE; i++)
		ret->at[FEATURE_TILDE + i] = (float)(symbols >> i & 1);
	return slice_sub(rest, 0, path);
}

int features_of_url(struct feature_words *w, slice url, bool learn, struct features *ret)
{
	slice rest = url, host, path, words;

	for (size_t i = 0; i < FEATURES; i++)
		ret->at[i] = NAN;
	if (take_host(&rest, &host))
		TRY(set_word(w, FEATURE_DOMAIN, host, learn, &ret->at[FEATURE_DOMAIN]));
	path = words = set_numbers(url, rest, ret);
	TRY(set_word(w, FEATURE_TYPE, type_of(path), learn, &ret->at[FEATURE_TYPE]));
	for (int i = 0; i < 3; i++)
		TRY(set_word(w, (enum feature)(FEATURE_WORD_1 + i), next_word(&words), learn,
			&ret->at[FEATURE_WORD_1 + i]));
	return 0;
}
