/* Either of the two classifiers, and cross-validation (SHARC section 8.2). */
#ifndef PLAN_CLASSIFIER_H
#define PLAN_CLASSIFIER_H

#include "base/api.h"
#include "plan/c45.h"
#include "plan/rate_features.h"

/*
 * A naive Bayes classifier (SHARC section 8.2): words by their counts in each class with Laplace's
 * correction, numbers by a normal distribution for each class. Missing values say nothing.
 */

/* Fields are the classifier's own. */
struct bayes {
	size_t classes, features;
	uint32_t values[FEATURES_CATEGORIES];
	float *logs[FEATURES_CATEGORIES]; /* by value and class; the last value: never seen */
	double prior[SAMPLE_CLASSES_MAX];
	double mean[FEATURES][SAMPLE_CLASSES_MAX];
	double spread[FEATURES][SAMPLE_CLASSES_MAX]; /* 1 / (2 variance); 0: not known */
	double level[FEATURES][SAMPLE_CLASSES_MAX];  /* -log of the standard deviation */
};

/* Borrows the sample during the call. 0 or ERR_NOMEM; bayes_release is safe after both. */
int bayes_train(struct bayes *b, const struct sample *s) SP_MUST_CHECK;
void bayes_release(struct bayes *b);

/* The likeliest class; the smaller number on a tie. */
size_t bayes_predict(const struct bayes *b, const struct features *f);

enum classifier_kind { CLASSIFIER_BAYES, CLASSIFIER_C45, CLASSIFIER_KINDS };

/* Exactly one of the two is in use. */
struct classifier {
	enum classifier_kind kind;
	struct bayes bayes;
	struct c45 tree;
};

/* "bayes", "c45". */
const char *classifier_name(enum classifier_kind kind);

/* Borrows the sample during the call. 0 or ERR_NOMEM; classifier_release is safe after both. */
int classifier_train(
	struct classifier *c, enum classifier_kind kind, const struct sample *s) SP_MUST_CHECK;

/* Safe on a zeroed struct. */
void classifier_release(struct classifier *c);

/* The likeliest class; the smaller number on a tie. */
size_t classifier_predict(const struct classifier *c, const struct features *f);

enum { CLASSIFIER_FOLDS = 10 };

/*
 * One of the ten rounds of a cross-validation: learns from all pages but those of the fold, and
 * predicts these: ret_labels[page] of each is set. order has all pages once, in a random order;
 * every tenth from the fold's number on is in the fold. Rounds may run at the same time. 0 or
 * ERR_NOMEM.
 */
int classifier_fold(enum classifier_kind kind, const struct sample *s, const uint32_t *order,
	size_t fold, uint8_t *ret_labels) SP_MUST_CHECK;

#endif
