#include "histories/predictor.h"

#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "rate/bayes.h"
#include "rate/c45.h"

enum { FOLDS = 10 };

struct study {
	const struct visits *visits;
	struct feature_words words;
	struct features *rows; /* by page */
	double *rates;
	uint8_t *labels;
	uint32_t *order;          /* pages at random; fold k has every tenth from k on */
	struct features *learned; /* of the other folds, with their labels */
	uint8_t *learned_labels;
	size_t learned_count;
	struct rate_bins bins;
};

static int allocate(struct study *s)
{
	size_t n = s->visits->pages;

	s->rows = calloc(n, sizeof *s->rows);
	s->rates = calloc(n, sizeof *s->rates);
	s->labels = calloc(n, sizeof *s->labels);
	s->order = calloc(n, sizeof *s->order);
	s->learned = calloc(n, sizeof *s->learned);
	s->learned_labels = calloc(n, sizeof *s->learned_labels);
	return s->rows && s->rates && s->labels && s->order && s->learned && s->learned_labels
		       ? 0
		       : ERR_NOMEM;
}

static void study_release(struct study *s)
{
	feature_words_release(&s->words);
	free(s->rows);
	free(s->rates);
	free(s->labels);
	free(s->order);
	free(s->learned);
	free(s->learned_labels);
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

static void learn_others(struct study *s, size_t fold)
{
	s->learned_count = 0;
	for (size_t i = 0; i < s->visits->pages; i++) {
		if (i % FOLDS == fold)
			continue;
		s->learned[s->learned_count] = s->rows[s->order[i]];
		s->learned_labels[s->learned_count++] = s->labels[s->order[i]];
	}
}

static void judge(struct predictor_row *row, size_t predicted, size_t label)
{
	row->histogram[predicted > label ? predicted - label : label - predicted]++;
}

static int run_fold(struct study *s, size_t fold, size_t features, struct predictor_row *rows)
{
	struct sample sample = {s->learned_count, s->learned, s->learned_labels, s->bins.count,
		features, s->words.counts};
	struct bayes bayes;
	struct c45 tree;
	int rc = bayes_train(&bayes, &sample), rc_tree = c45_train(&tree, &sample);

	rc = rc ? rc : rc_tree;
	for (size_t i = fold; rc == 0 && i < s->visits->pages; i += FOLDS) {
		uint32_t page = s->order[i];

		judge(&rows[0], bayes_predict(&bayes, &s->rows[page]), s->labels[page]);
		judge(&rows[1], c45_predict(&tree, &s->rows[page]), s->labels[page]);
	}
	bayes_release(&bayes);
	c45_release(&tree);
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
	struct predictor p = {.rows = {{.classifier = "bayes", .features = "online"},
				      {.classifier = "c45", .features = "online"},
				      {.classifier = "bayes", .features = "offline"},
				      {.classifier = "c45", .features = "offline"}}};
	int rc = allocate(&s);

	feature_words_init(&s.words);
	if (rc == 0)
		rc = describe_all(&s, seed);
	for (size_t fold = 0; rc == 0 && fold < FOLDS; fold++) {
		learn_others(&s, fold);
		rc = run_fold(&s, fold, FEATURES_ONLINE, &p.rows[0]);
		if (rc == 0)
			rc = run_fold(&s, fold, FEATURES, &p.rows[2]);
	}
	if (rc == 0) {
		p.bins = s.bins.count;
		p.most = fullest(&s);
		for (size_t i = 0; i < PREDICTOR_ROWS; i++)
			p.rows[i].precision =
				(double)p.rows[i].histogram[0] / (double)visits->pages;
		*ret = p;
	}
	study_release(&s);
	return rc;
}
