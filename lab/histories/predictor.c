#include "histories/predictor.h"

#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "plan/classifier.h"

struct study {
	const struct visits *visits;
	struct feature_words words;
	struct features *rows; /* by page */
	double *rates;
	uint8_t *labels;
	uint8_t *predicted;
	uint32_t *order; /* pages at random */
	struct rate_bins bins;
};

static int allocate(struct study *s)
{
	size_t n = s->visits->pages;

	s->rows = calloc(n, sizeof *s->rows);
	s->rates = calloc(n, sizeof *s->rates);
	s->labels = calloc(n, sizeof *s->labels);
	s->order = calloc(n, sizeof *s->order);
	s->predicted = calloc(n, sizeof *s->predicted);
	return s->rows && s->rates && s->labels && s->order && s->predicted ? 0 : ERR_NOMEM;
}

static void study_release(struct study *s)
{
	feature_words_release(&s->words);
	free(s->rows);
	free(s->rates);
	free(s->labels);
	free(s->order);
	free(s->predicted);
}

static int describe(struct study *s, size_t page)
{
	const struct visits *v = s->visits;
	uint32_t number = v->numbers[page];
	struct change_history events = history_events(v->history, number);
	int rc = features_of_url(&s->words, v->history->paths[number], true, &s->rows[page]);

	s->rows[page].at[FEATURE_DAYS] =
		(float)(v->start - history_last_change(v->history, number, v->start));
	s->rates[page] = (double)(change_history_until(events, v->end) -
				  change_history_until(events, v->start)) /
			 (v->end - v->start);
	return rc;
}

static int describe_all(struct study *s, uint64_t seed)
{
	struct rng r;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < s->visits->pages; i++) {
		rc = describe(s, i);
		s->order[i] = (uint32_t)i;
	}
	if (rc == 0)
		rc = rate_bins_make(s->rates, s->visits->pages, &s->bins);
	for (size_t i = 0; rc == 0 && i < s->visits->pages; i++)
		s->labels[i] = (uint8_t)rate_bins_find(&s->bins, s->rates[i]);
	rng_init(&r, seed);
	rng_shuffle(&r, s->order, s->visits->pages, sizeof *s->order);
	return rc;
}

static int validate(
	struct study *s, enum classifier_kind kind, size_t features, struct predictor_row *row)
{
	struct sample sample = {
		s->visits->pages, s->rows, s->labels, s->bins.count, features, s->words.counts};
	int rc = 0;

	for (size_t fold = 0; rc == 0 && fold < CLASSIFIER_FOLDS; fold++)
		rc = classifier_fold(kind, &sample, s->order, fold, s->predicted);
	for (size_t i = 0; rc == 0 && i < s->visits->pages; i++)
		row->histogram[abs(s->predicted[i] - s->labels[i])]++;
	row->precision = (double)row->histogram[0] / (double)s->visits->pages;
	return rc;
}

static double fullest(const struct study *s)
{
	size_t counts[RATE_BINS_MAX] = {0}, most = 0;

	for (size_t i = 0; i < s->visits->pages; i++)
		if (++counts[s->labels[i]] > most)
			most = counts[s->labels[i]];
	return (double)most / (double)s->visits->pages;
}

int predictor_evaluate(const struct visits *visits, uint64_t seed, struct predictor *ret)
{
	struct study s = {.visits = visits};
	struct predictor p = {.rows = {{.features = "online"}, {.features = "online"},
				      {.features = "offline"}, {.features = "offline"}}};
	int rc = allocate(&s);

	feature_words_init(&s.words);
	if (rc == 0)
		rc = describe_all(&s, seed);
	for (size_t i = 0; rc == 0 && i < PREDICTOR_ROWS; i++) {
		enum classifier_kind kind = i % 2 ? CLASSIFIER_C45 : CLASSIFIER_BAYES;

		p.rows[i].classifier = classifier_name(kind);
		rc = validate(&s, kind, i < 2 ? FEATURES_ONLINE : FEATURES, &p.rows[i]);
	}
	if (rc == 0) {
		p.bins = s.bins.count;
		p.most = fullest(&s);
		*ret = p;
	}
	study_release(&s);
	return rc;
}
