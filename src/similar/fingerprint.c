#include "similar/fingerprint.h"

#include "similar/words.h"

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
