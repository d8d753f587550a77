#include "histories/clusters.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/rng.h"

enum {
	WORD_DIMS = 64, /* words share them by their hashes */
	LARGEST = 10,
	FEATURES_MAX = LARGEST + 3,
	STEPS_MAX = 30,
};

/* Points and what they are gathered to. */
struct means {
	size_t n, k, dims;
	const double *points; /* n times dims */
	double *centres;      /* k times dims */
	uint32_t *of;
	size_t *sizes;
};

static double square_distance(const double *a, const double *b, size_t dims)
{
	double sum = 0;

	for (size_t i = 0; i < dims; i++)
		sum += (a[i] - b[i]) * (a[i] - b[i]);
	return sum;
}

/* k-means++ (Arthur and Vassilvitskii, 2007): centres far from each other. */
static void place_centres(struct means *m, double *far, struct rng *rng)
{
	size_t pick = (size_t)rng_below(rng, m->n);

	for (size_t i = 0; i < m->n; i++)
		far[i] = INFINITY;
	for (size_t c = 0; c < m->k; c++) {
		double sum = 0, at;

		memcpy(m->centres + c * m->dims, m->points + pick * m->dims,
			m->dims * sizeof *m->centres);
		for (size_t i = 0; i < m->n; i++) {
			far[i] = fmin(far[i], square_distance(m->points + i * m->dims,
						      m->centres + c * m->dims, m->dims));
			sum += far[i];
		}
		at = rng_double(rng) * sum;
		for (pick = 0; pick + 1 < m->n && (at -= far[pick]) >= 0;)
			pick++;
	}
}

static bool assign(struct means *m)
{
	bool moved = false;

	for (size_t i = 0; i < m->n; i++) {
		double best = INFINITY;
		uint32_t nearest = 0;

		for (uint32_t c = 0; c < m->k; c++) {
			double d = square_distance(
				m->points + i * m->dims, m->centres + c * m->dims, m->dims);

			if (d < best) {
				best = d;
				nearest = c;
			}
		}
		moved |= m->of[i] != nearest;
		m->of[i] = nearest;
	}
	return moved;
}

/* A cluster without points keeps its centre. */
static void recentre(struct means *m)
{
	memset(m->sizes, 0, m->k * sizeof *m->sizes);
	for (size_t i = 0; i < m->n; i++)
		if (m->sizes[m->of[i]]++ == 0)
			memset(m->centres + m->of[i] * m->dims, 0, m->dims * sizeof *m->centres);
	for (size_t i = 0; i < m->n; i++)
		for (size_t d = 0; d < m->dims; d++)
			m->centres[m->of[i] * m->dims + d] +=
				m->points[i * m->dims + d] / (double)m->sizes[m->of[i]];
}

static void means_release(struct means *m)
{
	free(m->centres);
	free(m->of);
	free(m->sizes);
}

/* 0 or ERR_NOMEM; release after both. */
static int means_find(struct means *m, struct rng *rng)
{
	double *far = calloc(m->n + 1, sizeof *far);
	int rc;

	m->centres = calloc(m->k * m->dims + 1, sizeof *m->centres);
	m->of = calloc(m->n + 1, sizeof *m->of);
	m->sizes = calloc(m->k + 1, sizeof *m->sizes);
	if (far && m->centres && m->of && m->sizes && m->n > 0) {
		place_centres(m, far, rng);
		for (int i = 0; i < STEPS_MAX && (assign(m) || i == 0); i++)
			recentre(m);
	}
	rc = far && m->centres && m->of && m->sizes ? 0 : ERR_NOMEM;
	free(far);
	return rc;
}

/* How many clusters are nearer to one than another is. */
static uint32_t rank_of(const struct means *m, size_t from, size_t to)
{
	double d = square_distance(m->centres + from * m->dims, m->centres + to * m->dims, m->dims);
	uint32_t nearer = 0;

	for (size_t c = 0; c < m->k; c++) {
		double other = square_distance(
			m->centres + from * m->dims, m->centres + c * m->dims, m->dims);

		nearer += c != to && (other < d || (other == d && (c == from || c < to)));
	}
	return from == to ? 0 : nearer;
}

/* Takes the next word of a path; false: there is none. */
static bool next_word(slice *path, slice *ret)
{
	size_t from = 0, to;

	while (from < path->len && !isalnum((unsigned char)path->ptr[from]))
		from++;
	for (to = from; to < path->len && isalnum((unsigned char)path->ptr[to]);)
		to++;
	*ret = slice_sub(*path, from, to);
	*path = slice_sub(*path, to, path->len);
	return ret->len > 0;
}

static size_t dim_of(slice word)
{
	return (size_t)(hash_bytes((struct hash_key){1, 2}, word) % WORD_DIMS);
}

static void weigh_words(const slice *paths, size_t n, double *points)
{
	double pages[WORD_DIMS] = {0};

	for (size_t i = 0; i < n; i++) {
		slice rest = paths[i], word;

		while (next_word(&rest, &word))
			points[i * WORD_DIMS + dim_of(word)]++;
		for (size_t d = 0; d < WORD_DIMS; d++)
			pages[d] += points[i * WORD_DIMS + d] > 0;
	}
	for (size_t i = 0; i < n; i++) {
		double *point = points + i * WORD_DIMS, length = 0;

		for (size_t d = 0; d < WORD_DIMS; d++) {
			point[d] *= log((double)n / fmax(pages[d], 1));
			length += point[d] * point[d];
		}
		for (size_t d = 0; d < WORD_DIMS && length > 0; d++)
			point[d] /= sqrt(length);
	}
}

/* How many clusters are larger; of equal ones the first counts as larger. */
static size_t size_rank(const struct means *m, size_t cluster)
{
	size_t larger = 0;

	for (size_t c = 0; c < m->k; c++)
		larger += c < cluster ? m->sizes[c] >= m->sizes[cluster]
				      : m->sizes[c] > m->sizes[cluster];
	return larger;
}

/* The features of the words, one for each of the largest clusters. */
static int add_words(const struct means *words, double *features)
{
	uint32_t *ranks = calloc(words->k, sizeof *ranks);

	for (size_t c = 0; ranks && c < words->k; c++) {
		size_t f = size_rank(words, c);

		if (f >= LARGEST)
			continue;
		for (size_t other = 0; other < words->k; other++)
			ranks[other] = rank_of(words, c, other);
		for (size_t i = 0; i < words->n; i++)
			features[i * FEATURES_MAX + f] = ranks[words->of[i]];
	}
	if (!ranks)
		return ERR_NOMEM;
	free(ranks);
	return 0;
}

static void add_numbers(
	const slice *paths, size_t n, const struct rank_graph *graph, double *features)
{
	for (size_t i = 0; i < n; i++) {
		double *f = features + i * FEATURES_MAX + LARGEST;

		for (size_t k = 0; k < paths[i].len; k++)
			f[0] += paths[i].ptr[k] == '/';
		f[1] = graph ? log1p((double)rank_links_count(&graph->in, i)) : 0;
		f[2] = graph ? log1p((double)rank_links_count(&graph->out, i)) : 0;
	}
}

static void scale(double *features, size_t n)
{
	for (size_t f = 0; f < FEATURES_MAX; f++) {
		double sum = 0, squares = 0, mean, spread;

		for (size_t i = 0; i < n; i++) {
			sum += features[i * FEATURES_MAX + f];
			squares += features[i * FEATURES_MAX + f] * features[i * FEATURES_MAX + f];
		}
		mean = sum / (double)n;
		spread = sqrt(fmax(squares / (double)n - mean * mean, 0));
		for (size_t i = 0; i < n; i++) {
			double *x = &features[i * FEATURES_MAX + f];

			*x = spread > 0 ? (*x - mean) / spread : 0;
		}
	}
}

static int find_features(const slice *paths, size_t n, const struct rank_graph *graph, size_t k,
	struct rng *rng, double *features)
{
	struct means words = {.n = n, .k = k, .dims = WORD_DIMS};
	double *points = calloc(n * WORD_DIMS + 1, sizeof *points);
	int rc = points ? 0 : ERR_NOMEM;

	if (rc == 0) {
		weigh_words(paths, n, points);
		words.points = points;
		rc = means_find(&words, rng);
	}
	if (rc == 0)
		rc = add_words(&words, features);
	if (rc == 0) {
		add_numbers(paths, n, graph, features);
		scale(features, n);
	}
	means_release(&words);
	free(points);
	return rc;
}

int clusters_make(struct clusters *c, const slice *paths, size_t n, const struct rank_graph *graph,
	size_t k, uint64_t seed)
{
	struct means m = {.n = n, .dims = FEATURES_MAX};
	double *features = calloc(n * FEATURES_MAX + 1, sizeof *features);
	struct rng rng;
	int rc = features ? 0 : ERR_NOMEM;

	rng_init(&rng, seed);
	*c = (struct clusters){.n = n};
	if (k == 0)
		k = (size_t)ceil(sqrt((double)n / 2));
	m.k = c->k = k < n ? k : n;
	if (rc == 0)
		rc = find_features(paths, n, graph, m.k, &rng, features);
	if (rc == 0) {
		m.points = features;
		rc = means_find(&m, &rng);
	}
	c->distance = calloc(m.k * m.k + 1, sizeof *c->distance);
	if (rc == 0 && c->distance) {
		for (size_t i = 0; i < m.k * m.k; i++)
			c->distance[i] = rank_of(&m, i / m.k, i % m.k);
		c->of = m.of;
		m.of = NULL;
	}
	means_release(&m);
	free(features);
	return rc == 0 && !c->distance ? ERR_NOMEM : rc;
}

void clusters_release(struct clusters *c)
{
	free(c->of);
	free(c->distance);
	*c = (struct clusters){0};
}
