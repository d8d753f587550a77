#include "text/similar.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/nummap.h"

/* ---- words ---- */

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

/* ---- fingerprints ---- */

enum {
	ENTRY_SIZE = 10,
	ROOM_MIN = 4, /* entries */
	STEP = 256,   /* entries that are looked at together */
};

_Static_assert(SIMHASH_NEAR + 1 <= (int)HAMMING_TABLES, "one block must stay whole");
_Static_assert(HAMMING_TABLES *HAMMING_BLOCK_BITS == SIMHASH_BITS, "blocks make the whole");

/* Turns the block of a table to the top. */
static uint64_t turned(uint64_t fingerprint, unsigned table)
{
	unsigned by = table * HAMMING_BLOCK_BITS;

	return by ? fingerprint << by | fingerprint >> (SIMHASH_BITS - by) : fingerprint;
}

static struct hamming_bucket *bucket_of(
	const struct hamming *h, uint64_t turned_one, unsigned table)
{
	return h->buckets + (size_t)table * HAMMING_BUCKETS +
	       (size_t)(turned_one >> (SIMHASH_BITS - HAMMING_BLOCK_BITS));
}

static uint32_t *numbers_of(const struct hamming_bucket *b)
{
	return b->low + b->room;
}

static uint16_t *highs_of(const struct hamming_bucket *b)
{
	return (uint16_t *)(b->low + 2 * (size_t)b->room);
}

void hamming_release(struct hamming *h)
{
	for (size_t i = 0; h->buckets && i < (size_t)HAMMING_TABLES * HAMMING_BUCKETS; i++)
		free(h->buckets[i].low);
	free(h->buckets);
	*h = (struct hamming){0};
}

/* Room for one more entry, and for an eighth more if it has to be moved. */
static int make_room(struct hamming *h, struct hamming_bucket *b)
{
	struct hamming_bucket larger = {.used = b->used, .room = b->room + b->room / 8 + ROOM_MIN};

	if (b->used < b->room)
		return 0;
	if (larger.room <= b->room)
		return ERR_LIMIT;
	larger.low = malloc((size_t)larger.room * ENTRY_SIZE);
	if (!larger.low)
		return ERR_NOMEM;
	if (b->used) {
		memcpy(larger.low, b->low, b->used * sizeof *b->low);
		memcpy(numbers_of(&larger), numbers_of(b), b->used * sizeof *b->low);
		memcpy(highs_of(&larger), highs_of(b), b->used * sizeof(uint16_t));
	}
	free(b->low);
	h->bytes += (size_t)(larger.room - b->room) * ENTRY_SIZE;
	*b = larger;
	return 0;
}

int hamming_add(struct hamming *h, uint64_t fingerprint, uint32_t number)
{
	int rc = 0;

	if (!h->buckets)
		h->buckets = mem_new((size_t)HAMMING_TABLES * HAMMING_BUCKETS, sizeof *h->buckets);
	for (unsigned t = 0; rc == 0 && t < HAMMING_TABLES; t++) {
		uint64_t f = turned(fingerprint, t);

		rc = make_room(h, bucket_of(h, f, t));
	}
	if (rc)
		return rc;
	for (unsigned t = 0; t < HAMMING_TABLES; t++) {
		uint64_t f = turned(fingerprint, t);
		struct hamming_bucket *b = bucket_of(h, f, t);

		b->low[b->used] = (uint32_t)f;
		numbers_of(b)[b->used] = number;
		highs_of(b)[b->used++] = (uint16_t)(f >> 32);
	}
	h->len++;
	return 0;
}

static bool is_near(uint64_t difference)
{
	for (unsigned i = 0; i < SIMHASH_NEAR; i++)
		difference &= difference - 1; /* 0 stays 0 */
	return difference == 0;
}

/* An earlier table has told of it: they share one of its blocks, too. */
static bool is_repeated(uint64_t difference, unsigned table)
{
	for (unsigned t = 0; t < table; t++) {
		/* The block of table t, seen from this table. */
		uint64_t block = turned(difference, SIMHASH_BITS / HAMMING_BLOCK_BITS + t - table);

		if (block >> (SIMHASH_BITS - HAMMING_BLOCK_BITS) == 0)
			return true;
	}
	return false;
}

/* Whether any of so many has its lowest bits near: hardly ever. Compilers make vectors of this. */
static bool any_low_near(const uint32_t *low, size_t count, uint32_t wanted)
{
	uint32_t any = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t difference = low[i] ^ wanted;

		for (unsigned k = 0; k < SIMHASH_NEAR; k++)
			difference &= difference - 1;
		any |= difference == 0 ? UINT32_MAX : 0;
	}
	return any != 0;
}

struct search {
	uint64_t turned_one;
	unsigned table;
	uint32_t *out;
	size_t max, found;
};

static void scan(const struct hamming_bucket *b, size_t from, size_t to, struct search *s)
{
	uint64_t rest = s->turned_one << HAMMING_BLOCK_BITS >> HAMMING_BLOCK_BITS;

	if (!any_low_near(b->low + from, to - from, (uint32_t)rest))
		return;
	for (size_t i = from; i < to; i++) {
		uint64_t difference = ((uint64_t)highs_of(b)[i] << 32 | b->low[i]) ^ rest;

		if (is_near(difference) && s->found < s->max && !is_repeated(difference, s->table))
			s->out[s->found++] = numbers_of(b)[i];
	}
}

size_t hamming_find(const struct hamming *h, uint64_t fingerprint, uint32_t *out, size_t max)
{
	struct search s = {.out = out, .max = max};

	for (s.table = 0; h->buckets && s.table < HAMMING_TABLES; s.table++) {
		const struct hamming_bucket *b;
		size_t end, first;

		s.turned_one = turned(fingerprint, s.table);
		b = bucket_of(h, s.turned_one, s.table);
		first = b->used > HAMMING_SCAN_MAX ? b->used - HAMMING_SCAN_MAX : 0;
		for (end = b->used; end > first; end = end - first > STEP ? end - STEP : first)
			scan(b, end - first > STEP ? end - STEP : first, end, &s);
	}
	return s.found;
}

size_t hamming_memory(const struct hamming *h)
{
	size_t buckets = h->buckets ? (size_t)HAMMING_TABLES * HAMMING_BUCKETS : 0;

	return h->bytes + buckets * sizeof *h->buckets;
}

/* Constant: sketches of different runs can be compared. */
#define THROW_STEP   UINT64_C(0xd1342543de82ef95)
#define DENSIFY_STEP UINT64_C(0xda942042e4dd58b5)

void minhash_init(struct minhash *m)
{
	memset(m->least, 0xff, sizeof m->least);
	m->empty = true;
}

void minhash_add(struct minhash *m, uint64_t element)
{
	for (unsigned i = 0; i < MINHASH_THROWS; i++) {
		uint64_t hash = words_spread(element + i * THROW_STEP);
		uint64_t *bin = &m->least[hash % MINHASH_BINS];

		if (hash < *bin)
			*bin = hash;
	}
	m->empty = false;
}

/* An empty bin takes the value of the first one that is not, in an order of its own. */
static uint64_t densified(const struct minhash *m, unsigned bin)
{
	uint64_t hash = bin + 1;

	while (m->least[bin] == UINT64_MAX) {
		hash += DENSIFY_STEP;
		bin = (unsigned)(words_spread(hash) % MINHASH_BINS);
	}
	return m->least[bin];
}

void minhash_finish(const struct minhash *m, struct minhash_sketch *ret)
{
	*ret = (struct minhash_sketch){0};
	if (m->empty)
		return;
	/* The lowest byte is the bin, and the highest are small: take one between. */
	for (unsigned i = 0; i < MINHASH_BINS; i++)
		ret->bins[i] = (uint8_t)(densified(m, i) >> 16);
}

double minhash_resemblance(const struct minhash_sketch *a, const struct minhash_sketch *b)
{
	static const double BY_CHANCE = 1.0 / 256;
	unsigned same = 0;
	double share;

	for (unsigned i = 0; i < MINHASH_BINS; i++)
		same += a->bins[i] == b->bins[i];
	share = ((double)same / MINHASH_BINS - BY_CHANCE) / (1 - BY_CHANCE);
	return share > 0 ? share : 0;
}

/* A band as a number: sets that resemble each other are likely to share one. */
static uint64_t minhash_band(const struct minhash_sketch *s, unsigned band)
{
	uint64_t bytes;

	_Static_assert(sizeof bytes == MINHASH_BAND, "a band is a number");
	memcpy(&bytes, s->bins + (size_t)band * MINHASH_BAND, sizeof bytes);
	return words_spread(bytes + band + 1);
}

/* Adds a feature by its hash. */
static void simhash_add(struct simhash *s, uint64_t feature)
{
	if (s->features == UINT32_MAX)
		return;
	for (unsigned i = 0; i < SIMHASH_BITS; i++)
		s->ones[i] += (uint32_t)(feature >> i & 1);
	s->features++;
}

/* 0 for a text without features. */
static uint64_t simhash_finish(const struct simhash *s)
{
	uint64_t hash = 0;

	for (unsigned i = 0; i < SIMHASH_BITS; i++)
		hash |= (uint64_t)(s->ones[i] > s->features / 2) << i;
	return hash;
}

unsigned simhash_distance(uint64_t a, uint64_t b)
{
	return (unsigned)__builtin_popcountll(a ^ b);
}

void fingerprinter_init(struct fingerprinter *f)
{
	*f = (struct fingerprinter){0};
	minhash_init(&f->minhash);
}

static void add_shingle(struct fingerprinter *f)
{
	uint64_t hash = 0;

	for (unsigned i = 0; i < FINGERPRINT_SHINGLE; i++)
		hash = words_mix(hash, f->last[i]);
	hash = words_spread(hash);
	minhash_add(&f->minhash, hash);
	simhash_add(&f->simhash, hash);
}

void fingerprinter_add(struct fingerprinter *f, slice text)
{
	uint64_t word;

	while (words_next(&text, &word)) {
		for (unsigned i = FINGERPRINT_SHINGLE - 1; i > 0; i--)
			f->last[i] = f->last[i - 1];
		f->last[0] = word;
		if (f->words < UINT32_MAX)
			f->words++;
		if (f->words >= FINGERPRINT_SHINGLE)
			add_shingle(f);
	}
}

void fingerprinter_finish(struct fingerprinter *f, struct fingerprint *ret)
{
	if (f->words > 0 && f->words < FINGERPRINT_SHINGLE)
		add_shingle(f);
	minhash_finish(&f->minhash, &ret->sketch);
	ret->simhash = simhash_finish(&f->simhash);
	ret->words = f->words;
}

/* ---- clusters ---- */

#define NONE NUMMAP_NONE

enum { FOUND_MAX = 64 }; /* neighbours by SimHash */

/* A text of one bucket after the other: the newest by band value, and the one before each. */
struct buckets {
	struct nummap newest;
	uint32_t *before; /* by text; NONE: it was the first */
};

struct finding {
	struct similar_clusters *clusters;
	similar_clusters_read *read;
	void *context;
	struct buckets buckets;
	struct hamming hamming;
	struct err *err;
};

void similar_clusters_release(struct similar_clusters *c)
{
	similar_cluster_vec_release(&c->list);
	*c = (struct similar_clusters){0};
}

/* ---- union and find ---- */

uint32_t similar_clusters_root(struct similar_clusters *c, uint32_t text)
{
	struct similar_cluster *list = c->list.ptr;

	while (list[text].parent != text) {
		list[text].parent = list[list[text].parent].parent;
		text = list[text].parent;
	}
	return text;
}

static void join(struct similar_clusters *c, uint32_t a, uint32_t b, float resemblance)
{
	struct similar_cluster *list = c->list.ptr, *root;

	a = similar_clusters_root(c, a);
	b = similar_clusters_root(c, b);
	if (list[a].size < list[b].size) {
		uint32_t swap = a;

		a = b;
		b = swap;
	}
	root = &list[a];
	if (a != b) {
		list[b].parent = a;
		root->size += list[b].size;
		if (list[b].lowest < root->lowest)
			root->lowest = list[b].lowest;
	}
	if (resemblance < root->lowest)
		root->lowest = resemblance;
}

double similar_clusters_distance(struct similar_clusters *c, uint32_t text)
{
	return 1 - (double)c->list.ptr[similar_clusters_root(c, text)].lowest;
}

/* ---- candidates ---- */

static bool is_settled(struct similar_clusters *c, uint32_t a, uint32_t b)
{
	uint32_t root = similar_clusters_root(c, a);

	return root == similar_clusters_root(c, b) && c->list.ptr[root].size > CLUSTERS_LARGE;
}

static int compare(
	struct finding *f, uint32_t text, const struct fingerprint *print, uint32_t other)
{
	struct fingerprint near;
	double resemblance;

	if (other == text || is_settled(f->clusters, text, other))
		return 0;
	TRY(f->read(f->context, other, &near, f->err));
	f->clusters->compared++;
	resemblance = minhash_resemblance(&print->sketch, &near.sketch);
	if (100 * resemblance >= FINGERPRINT_NEAR_PERCENT)
		join(f->clusters, text, other, (float)resemblance);
	return 0;
}

/* A text of a large cluster takes the place of the one before: one of them is enough. */
static void put(struct finding *f, struct nummap_entry *bucket, uint32_t text)
{
	uint32_t *before = f->buckets.before, newest = bucket->value;

	before[text] = is_settled(f->clusters, text, newest) ? before[newest] : newest;
	bucket->value = text;
}

static int compare_in_bucket(
	struct finding *f, uint32_t text, const struct fingerprint *print, uint64_t key)
{
	struct buckets *b = &f->buckets;
	struct nummap_entry *bucket;
	uint32_t other;
	bool is_new;

	bucket = nummap_need(&b->newest, key, text, &is_new);
	if (is_new) {
		b->before[text] = NONE;
		return 0;
	}
	other = bucket->value;
	for (unsigned n = 0; other != NONE && n < CLUSTERS_COMPARE; n++) {
		TRY(compare(f, text, print, other));
		other = b->before[other];
	}
	put(f, bucket, text);
	return 0;
}

static int link_band(struct finding *f, unsigned band)
{
	uint32_t count = (uint32_t)f->clusters->list.len;
	struct fingerprint print;

	nummap_reset(&f->buckets.newest);
	for (uint32_t i = 0; i < count; i++) {
		TRY(f->read(f->context, i, &print, f->err));
		if (print.words > 0)
			TRY(compare_in_bucket(f, i, &print, minhash_band(&print.sketch, band)));
	}
	return 0;
}

static int link_long(struct finding *f)
{
	uint32_t count = (uint32_t)f->clusters->list.len, found[FOUND_MAX];
	struct fingerprint print;

	for (uint32_t i = 0; i < count; i++) {
		size_t n;

		TRY(f->read(f->context, i, &print, f->err));
		if (!fingerprint_is_long(&print))
			continue;
		n = hamming_find(&f->hamming, print.simhash, found, FOUND_MAX);
		for (size_t k = 0; k < n; k++)
			TRY(compare(f, i, &print, found[k]));
		/* Where there are so many, those before stand for it. */
		if (n < CLUSTERS_COMPARE)
			TRY(err_code(f->err, hamming_add(&f->hamming, print.simhash, i)));
	}
	return 0;
}

/* ---- all of it ---- */

int similar_clusters_find(struct similar_clusters *c, uint32_t count, similar_clusters_read *read,
	void *context, struct err *err)
{
	struct finding f = {.clusters = c, .read = read, .context = context, .err = err};
	int rc = 0;

	c->list.len = 0;
	similar_cluster_vec_reserve(&c->list, count);
	for (uint32_t i = 0; i < count; i++)
		similar_cluster_vec_push(&c->list, (struct similar_cluster){i, 1, 1});
	f.buckets.before = mem_new((size_t)count + 1, sizeof *f.buckets.before);
	for (unsigned band = 0; rc == 0 && band < MINHASH_BANDS; band++)
		rc = link_band(&f, band);
	if (rc == 0)
		rc = link_long(&f);
	nummap_release(&f.buckets.newest);
	free(f.buckets.before);
	hamming_release(&f.hamming);
	return rc;
}
