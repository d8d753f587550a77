/* What classifiers learn from: pages with features and a class each. Borrows everything. */
#ifndef PLAN_RATE_SAMPLE_H
#define PLAN_RATE_SAMPLE_H

#include <stddef.h>

#include "plan/rate_features.h"

enum { SAMPLE_CLASSES_MAX = 16 };

struct sample {
	size_t count;
	const struct features *rows;
	const uint8_t *labels;  /* below classes */
	size_t classes;         /* 1 … SAMPLE_CLASSES_MAX */
	size_t features;        /* only those before count: FEATURES_ONLINE or FEATURES */
	const uint32_t *values; /* by feature below FEATURES_CATEGORIES: feature_words.counts */
};

#endif
