#include "similar/minhash.h"

#include <string.h>

#include "similar/words.h"

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

uint64_t minhash_band(const struct minhash_sketch *s, unsigned band)
{
	uint64_t bytes;

	_Static_assert(sizeof bytes == MINHASH_BAND, "a band is a number");
	memcpy(&bytes, s->bins + (size_t)band * MINHASH_BAND, sizeof bytes);
	return words_spread(bytes + band + 1);
}
