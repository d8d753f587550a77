/*
 * A naive Bayes classifier (SHARC section 8.2): words by their counts in each class with Laplace's
 * correction, numbers by a normal distribution for each class. Missing values say nothing.
 */
#ifndef PLAN_BAYES_H
#define PLAN_BAYES_H

#include "base/api.h"
#include "plan/rate_sample.h"

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

#endif
