#include "sim/hidden_database.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/lists.h"
#include "text/form_vocabulary.h"

enum { RECORD_TEXT_MAX = 1 << 16, LETTERS = 25 };

/* Constant: the same figures in every run. */
static const struct hash_key KEY = {0x5354494c4c504f49, 0x4e542d464f524d53};

struct database {
	const struct hidden_params *params;
	struct u32_vec places; /* words of all records, one after the other */
	uint32_t *from;        /* by record, and one more */
	uint32_t *order;       /* words of each topic, in another order */
	double *sums;          /* of the words' probabilities */
	bool *found;           /* by record */
	uint32_t count;        /* of those */
};

static void forget_found(struct database *d)
{
	memset(d->found, 0, d->params->records * sizeof *d->found);
	d->count = 0;
}

static bool is_enough(const struct database *d)
{
	return d->count >= ceil(d->params->coverage * d->params->records);
}

/* ---- making it ---- */

static uint32_t draw_word(const struct database *d, struct rng *rng)
{
	uint32_t low = 0, high = d->params->words - 1;
	double at = rng_double(rng) * d->sums[high];

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (d->sums[mid] > at)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

static int make_record(struct database *d, struct rng *rng)
{
	const struct hidden_params *p = d->params;
	uint32_t length = p->shortest + (uint32_t)rng_below(rng, p->longest - p->shortest + 1);
	uint32_t topic = p->topics ? (uint32_t)rng_below(rng, p->topics) : 0;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < length; i++) {
		uint32_t word = draw_word(d, rng);

		if (p->topics && rng_double(rng) < p->topic_share)
			word = d->order[(size_t)topic * p->words + word];
		rc = u32_vec_push(&d->places, word);
	}
	return rc;
}

static int make(struct database *d, struct rng *rng)
{
	const struct hidden_params *p = d->params;
	int rc = 0;

	d->from = calloc(p->records + (size_t)1, sizeof *d->from);
	d->found = calloc(p->records, sizeof *d->found);
	d->sums = calloc(p->words, sizeof *d->sums);
	d->order = calloc((p->topics ? p->topics : 1) * (size_t)p->words, sizeof *d->order);
	if (!d->from || !d->found || !d->sums || !d->order)
		return ERR_NOMEM;
	for (uint32_t i = 0; i < p->words; i++)
		d->sums[i] = (i ? d->sums[i - 1] : 0) + pow(i + 1.0 + p->skipped, -p->skew);
	for (uint32_t t = 0; t < p->topics; t++) {
		uint32_t *words = d->order + (size_t)t * p->words;

		for (uint32_t i = 0; i < p->words; i++)
			words[i] = i;
		rng_shuffle(rng, words, p->words, sizeof *words);
	}
	for (uint32_t i = 0; rc == 0 && i < p->records; i++) {
		rc = make_record(d, rng);
		d->from[i + 1] = (uint32_t)d->places.len;
	}
	return rc;
}

static void release(struct database *d)
{
	u32_vec_release(&d->places);
	free(d->from);
	free(d->found);
	free(d->sums);
	free(d->order);
}

/* ---- asking ---- */

static bool has_word(const struct database *d, uint32_t record, uint32_t word)
{
	for (uint32_t i = d->from[record]; i < d->from[record + 1]; i++)
		if (d->places.ptr[i] == word)
			return true;
	return false;
}

/* Finds the records with that word; returns how many are new. */
static uint32_t find_records(struct database *d, uint32_t word)
{
	uint32_t before = d->count;

	for (uint32_t i = 0; i < d->params->records; i++)
		if (!d->found[i] && has_word(d, i, word)) {
			d->found[i] = true;
			d->count++;
		}
	return d->count - before;
}

/* ---- the oracle and chance ---- */

/* By word: records that have it and are not found. */
static void count_unseen(const struct database *d, uint32_t *counts, uint32_t *last)
{
	memset(counts, 0, d->params->words * sizeof *counts);
	memset(last, 0, d->params->words * sizeof *last);
	for (uint32_t i = 0; i < d->params->records; i++)
		for (uint32_t k = d->from[i]; !d->found[i] && k < d->from[i + 1]; k++) {
			uint32_t word = d->places.ptr[k];

			counts[word] += last[word] != i + 1;
			last[word] = i + 1;
		}
}

static int run_oracle(struct database *d, uint32_t max, uint32_t *ret)
{
	uint32_t *counts = calloc(2 * (size_t)d->params->words, sizeof *counts);
	uint32_t queries = 0;

	if (!counts)
		return ERR_NOMEM;
	forget_found(d);
	while (!is_enough(d) && queries++ < max) {
		uint32_t best = 0;

		count_unseen(d, counts, counts + d->params->words);
		for (uint32_t i = 1; i < d->params->words; i++)
			if (counts[i] > counts[best])
				best = i;
		(void)find_records(d, best);
	}
	*ret = queries;
	free(counts);
	return 0;
}

static int run_random(struct database *d, struct rng *rng, uint32_t max, uint32_t *ret)
{
	uint32_t words = d->params->words, queries = 0;
	uint32_t *list = calloc(words, sizeof *list);

	if (!list)
		return ERR_NOMEM;
	forget_found(d);
	for (uint32_t i = 0; i < words; i++)
		list[i] = i;
	rng_shuffle(rng, list, words, sizeof *list);
	while (!is_enough(d) && queries++ < max && queries <= words)
		(void)find_records(d, list[queries - 1]);
	*ret = queries;
	free(list);
	return 0;
}

/* ---- adaptive ---- */

/* Spelled in letters, since numbers are no words. */
static int add_word(struct buf *out, uint32_t word)
{
	int rc = buf_add_str(out, " xw");

	for (; rc == 0 && word; word /= LETTERS)
		rc = buf_add_char(out, (char)('a' + word % LETTERS));
	return rc ? rc : buf_add_char(out, 'z');
}

static uint32_t read_word(slice text)
{
	uint32_t word = 0;

	for (size_t i = text.len - 2; i >= strlen("xw"); i--)
		word = word * LETTERS + (uint32_t)(text.ptr[i] - 'a');
	return word;
}

static int read_record(
	const struct database *d, struct vocabulary *v, uint32_t record, bool is_site)
{
	struct buf text;
	int rc;

	assert(d->places.ptr);
	buf_init(&text, RECORD_TEXT_MAX);
	rc = buf_printf(&text, "%u", record);
	for (uint32_t i = d->from[record]; rc == 0 && i < d->from[record + 1]; i++)
		rc = add_word(&text, d->places.ptr[i]);
	if (rc == 0)
		(void)vocabulary_read(v, buf_slice(&text),
			is_site ? VOCABULARY_SITE : VOCABULARY_RESULTS, (slice){0});
	buf_release(&text);
	return rc;
}

/* The records with that word are read. */
static int answer(struct database *d, struct vocabulary *v, uint32_t word, bool *ret_any)
{
	int rc = 0;

	*ret_any = false;
	for (uint32_t i = 0; rc == 0 && i < d->params->records; i++)
		if (!d->found[i] && has_word(d, i, word)) {
			*ret_any = true;
			d->found[i] = true;
			d->count++;
			rc = read_record(d, v, i, false);
		}
	return rc;
}

static int run_adaptive(struct database *d, uint32_t max, uint32_t *ret)
{
	uint32_t queries = 0, term;
	struct vocabulary v;
	bool any;
	int rc = 0;

	forget_found(d);
	vocabulary_init(&v, KEY);
	for (uint32_t i = 0; rc == 0 && i < d->params->shown; i++)
		rc = read_record(d, &v, i, true);
	while (rc == 0 && !is_enough(d) && queries++ < max) {
		if (!vocabulary_next(&v, VOCABULARY_WORDS, 0, &term)) {
			queries = max + 1;
			break;
		}
		vocabulary_ask(&v, term, 0);
		rc = answer(d, &v, read_word(vocabulary_word(&v, term)), &any);
		if (rc == 0 && !any)
			vocabulary_failed(&v, term);
	}
	*ret = queries;
	vocabulary_release(&v);
	return rc;
}

int hidden_database_run(const struct hidden_params *p, struct rng *rng, uint32_t queries_max,
	struct hidden_result *ret)
{
	struct database d = {.params = p};
	int rc = make(&d, rng);

	if (rc == 0)
		rc = run_oracle(&d, queries_max, &ret->oracle);
	if (rc == 0)
		rc = run_random(&d, rng, queries_max, &ret->random);
	if (rc == 0)
		rc = run_adaptive(&d, queries_max, &ret->adaptive);
	release(&d);
	return rc;
}
