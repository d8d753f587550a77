#include "plan/classifier.h"

#include <math.h>
#include <stdlib.h>

#include "base/err.h"

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static int allocate(struct bayes *b, const struct sample *s)
{
	for (size_t f = 0; f < smaller(s->features, FEATURES_CATEGORIES); f++) {
		b->values[f] = s->values[f];
		b->logs[f] = calloc(((size_t)s->values[f] + 1) * s->classes, sizeof *b->logs[f]);
		if (!b->logs[f])
			return ERR_NOMEM;
	}
	return 0;
}

/* From counts in logs to logarithms of probabilities. */
static void set_logs(struct bayes *b, size_t f)
{
	size_t rows = (size_t)b->values[f] + 1;

	for (size_t c = 0; c < b->classes; c++) {
		double sum = 0;

		for (size_t v = 0; v < rows; v++)
			sum += b->logs[f][v * b->classes + c];
		for (size_t v = 0; v < rows; v++) {
			float *at = &b->logs[f][v * b->classes + c];

			*at = (float)log((*at + 1) / (sum + (double)rows));
		}
	}
}

static void count_words(struct bayes *b, const struct sample *s, size_t f)
{
	for (size_t i = 0; i < s->count; i++) {
		float value = s->rows[i].at[f];

		if (value >= 0 && value < (float)b->values[f])
			b->logs[f][(size_t)value * b->classes + s->labels[i]]++;
	}
	set_logs(b, f);
}

/* Two passes; a class without a value has the number of all, so that it is not ruled out. */
static void measure_number(struct bayes *b, const struct sample *s, size_t f)
{
	double n[SAMPLE_CLASSES_MAX] = {0}, sum[SAMPLE_CLASSES_MAX] = {0};
	double squares[SAMPLE_CLASSES_MAX] = {0}, all = 0, total = 0, least;

	for (size_t i = 0; i < s->count; i++)
		if (isfinite(s->rows[i].at[f])) {
			n[s->labels[i]]++;
			sum[s->labels[i]] += s->rows[i].at[f];
		}
	for (size_t c = 0; c < s->classes; c++)
		b->mean[f][c] = n[c] > 0 ? sum[c] / n[c] : 0;
	for (size_t i = 0; i < s->count; i++)
		if (isfinite(s->rows[i].at[f])) {
			double d = s->rows[i].at[f] - b->mean[f][s->labels[i]];

			squares[s->labels[i]] += d * d;
		}
	for (size_t c = 0; c < s->classes; c++) {
		all += n[c];
		total += squares[c];
	}
	/* Equal values must not make a class certain. */
	least = all > 0 ? fmax(total / all * 1e-3, 1e-6) : 1;
	for (size_t c = 0; c < s->classes; c++) {
		double variance = fmax(n[c] > 1 ? squares[c] / n[c] : total / fmax(all, 1), least);

		b->spread[f][c] = n[c] > 0 ? 1 / (2 * variance) : 0;
		b->level[f][c] = -log(variance) / 2;
	}
}

int bayes_train(struct bayes *b, const struct sample *s)
{
	double n[SAMPLE_CLASSES_MAX] = {0};

	*b = (struct bayes){.classes = s->classes, .features = s->features};
	TRY(allocate(b, s));
	for (size_t i = 0; i < s->count; i++)
		n[s->labels[i]]++;
	for (size_t c = 0; c < s->classes; c++)
		b->prior[c] = log((n[c] + 1) / ((double)s->count + (double)s->classes));
	for (size_t f = 0; f < s->features; f++) {
		if (f < FEATURES_CATEGORIES)
			count_words(b, s, f);
		else
			measure_number(b, s, f);
	}
	return 0;
}

void bayes_release(struct bayes *b)
{
	for (size_t f = 0; f < FEATURES_CATEGORIES; f++)
		free(b->logs[f]);
	*b = (struct bayes){0};
}

static void add_feature(const struct bayes *b, size_t f, float value, double *scores)
{
	if (f < FEATURES_CATEGORIES) {
		/* A word that was never seen is as rare in each class. */
		size_t row =
			value >= 0 && value < (float)b->values[f] ? (size_t)value : b->values[f];
		const float *logs = b->logs[f] + row * b->classes;

		for (size_t c = 0; c < b->classes; c++)
			scores[c] += logs[c];
		return;
	}
	for (size_t c = 0; c < b->classes; c++) {
		double d = value - b->mean[f][c];

		scores[c] += b->level[f][c] - d * d * b->spread[f][c];
	}
}

size_t bayes_predict(const struct bayes *b, const struct features *f)
{
	double scores[SAMPLE_CLASSES_MAX];
	size_t best = 0;

	for (size_t c = 0; c < b->classes; c++)
		scores[c] = b->prior[c];
	for (size_t i = 0; i < b->features; i++)
		if (isfinite(f->at[i]))
			add_feature(b, i, f->at[i], scores);
	for (size_t c = 1; c < b->classes; c++)
		if (scores[c] > scores[best])
			best = c;
	return best;
}

const char *classifier_name(enum classifier_kind kind)
{
	static const char *const NAMES[CLASSIFIER_KINDS] = {"bayes", "c45"};

	return NAMES[kind];
}

int classifier_train(struct classifier *c, enum classifier_kind kind, const struct sample *s)
{
	*c = (struct classifier){.kind = kind};
	return kind == CLASSIFIER_BAYES ? bayes_train(&c->bayes, s) : c45_train(&c->tree, s);
}

void classifier_release(struct classifier *c)
{
	bayes_release(&c->bayes);
	c45_release(&c->tree);
}

size_t classifier_predict(const struct classifier *c, const struct features *f)
{
	return c->kind == CLASSIFIER_BAYES ? bayes_predict(&c->bayes, f) : c45_predict(&c->tree, f);
}

/* The pages of all other folds; false: no memory. */
static bool copy_others(const struct sample *s, const uint32_t *order, size_t fold,
	struct features *rows, uint8_t *labels, size_t *ret_count)
{
	size_t n = 0;

	if (!rows || !labels)
		return false;
	for (size_t i = 0; i < s->count; i++) {
		if (i % CLASSIFIER_FOLDS == fold)
			continue;
		rows[n] = s->rows[order[i]];
		labels[n++] = s->labels[order[i]];
	}
	*ret_count = n;
	return true;
}

int classifier_fold(enum classifier_kind kind, const struct sample *s, const uint32_t *order,
	size_t fold, uint8_t *ret_labels)
{
	struct features *rows = calloc(s->count + 1, sizeof *rows);
	uint8_t *labels = calloc(s->count + 1, sizeof *labels);
	struct sample others = *s;
	struct classifier c = {0};
	int rc = ERR_NOMEM;

	others.rows = rows;
	others.labels = labels;
	if (copy_others(s, order, fold, rows, labels, &others.count))
		rc = classifier_train(&c, kind, &others);
	for (size_t i = fold; rc == 0 && i < s->count; i += CLASSIFIER_FOLDS)
		ret_labels[order[i]] = (uint8_t)classifier_predict(&c, &s->rows[order[i]]);
	classifier_release(&c);
	free(rows);
	free(labels);
	return rc;
}
