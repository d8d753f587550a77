#include "similar/clusters.h"

#include <stdlib.h>

#include "similar/hamming.h"

#define NONE UINT32_MAX

enum { FOUND_MAX = 64 }; /* neighbours by SimHash */

/* A text of one bucket after the other: the newest by band value, and the one before each. */
struct buckets {
	uint64_t *keys;
	uint32_t *newest; /* by slot; NONE: free */
	uint32_t *before; /* by text */
	size_t slots;     /* a power of two */
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
	int rc;

	if (other == text || is_settled(f->clusters, text, other))
		return 0;
	rc = f->read(f->context, other, &near, f->err);
	if (rc)
		return rc;
	f->clusters->compared++;
	resemblance = minhash_resemblance(&print->sketch, &near.sketch);
	if (100 * resemblance >= FINGERPRINT_NEAR_PERCENT)
		join(f->clusters, text, other, (float)resemblance);
	return 0;
}

static size_t slot_of(const struct buckets *b, uint64_t key)
{
	size_t at = (size_t)key & (b->slots - 1);

	while (b->newest[at] != NONE && b->keys[at] != key)
		at = (at + 1) & (b->slots - 1);
	return at;
}

/* A text of a large cluster takes the place of the one before: one of them is enough. */
static void put(struct finding *f, size_t slot, uint64_t key, uint32_t text)
{
	struct buckets *b = &f->buckets;
	uint32_t newest = b->newest[slot];

	b->before[text] = newest != NONE && is_settled(f->clusters, text, newest)
				  ? b->before[newest]
				  : newest;
	b->keys[slot] = key;
	b->newest[slot] = text;
}

static int compare_in_bucket(
	struct finding *f, uint32_t text, const struct fingerprint *print, uint64_t key)
{
	size_t slot = slot_of(&f->buckets, key);
	uint32_t other = f->buckets.newest[slot];
	int rc = 0;

	for (unsigned n = 0; rc == 0 && other != NONE && n < CLUSTERS_COMPARE; n++) {
		rc = compare(f, text, print, other);
		other = f->buckets.before[other];
	}
	put(f, slot, key, text);
	return rc;
}

static int link_band(struct finding *f, unsigned band)
{
	struct buckets *b = &f->buckets;
	uint32_t count = (uint32_t)f->clusters->list.len;
	struct fingerprint print;
	int rc = 0;

	for (size_t i = 0; i < b->slots; i++)
		b->newest[i] = NONE;
	for (uint32_t i = 0; rc == 0 && i < count; i++) {
		rc = f->read(f->context, i, &print, f->err);
		if (rc == 0 && print.words > 0)
			rc = compare_in_bucket(f, i, &print, minhash_band(&print.sketch, band));
	}
	return rc;
}

static int link_long(struct finding *f)
{
	uint32_t count = (uint32_t)f->clusters->list.len, found[FOUND_MAX];
	struct fingerprint print;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < count; i++) {
		size_t n;

		rc = f->read(f->context, i, &print, f->err);
		if (rc || !fingerprint_is_long(&print))
			continue;
		n = hamming_find(&f->hamming, print.simhash, found, FOUND_MAX);
		for (size_t k = 0; rc == 0 && k < n; k++)
			rc = compare(f, i, &print, found[k]);
		/* Where there are so many, those before stand for it. */
		if (rc == 0 && n < CLUSTERS_COMPARE)
			rc = err_code(f->err, hamming_add(&f->hamming, print.simhash, i));
	}
	return rc;
}

/* ---- all of it ---- */

static int begin(struct finding *f, uint32_t count)
{
	struct similar_clusters *c = f->clusters;
	struct buckets *b = &f->buckets;
	int rc;

	c->list.len = 0;
	rc = similar_cluster_vec_reserve(&c->list, count);
	if (rc)
		return rc;
	for (uint32_t i = 0; i < count; i++)
		c->list.ptr[c->list.len++] = (struct similar_cluster){i, 1, 1};
	for (b->slots = 1024; b->slots < 2 * (size_t)count;)
		b->slots *= 2;
	b->keys = malloc(b->slots * sizeof *b->keys);
	b->newest = malloc(b->slots * sizeof *b->newest);
	b->before = malloc(((size_t)count + 1) * sizeof *b->before);
	return b->keys && b->newest && b->before ? 0 : ERR_NOMEM;
}

int similar_clusters_find(struct similar_clusters *c, uint32_t count, similar_clusters_read *read,
	void *context, struct err *err)
{
	struct finding f = {.clusters = c, .read = read, .context = context, .err = err};
	int rc = err_code(err, begin(&f, count));

	for (unsigned band = 0; rc == 0 && band < MINHASH_BANDS; band++)
		rc = link_band(&f, band);
	if (rc == 0)
		rc = link_long(&f);
	free(f.buckets.keys);
	free(f.buckets.newest);
	free(f.buckets.before);
	hamming_release(&f.hamming);
	return rc;
}
