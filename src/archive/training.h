/* Pages that `train` learns from: read from files, put into classes, judged by cross-validation. */
#ifndef ARCHIVE_TRAINING_H
#define ARCHIVE_TRAINING_H

#include <stdbool.h>

#include "base/api.h"
#include "base/err.h"
#include "base/vec.h"
#include "plan/predict_model.h"

VEC_DECLARE(training_rows, struct features);
VEC_DECLARE(training_rates, double);

/* Files are data sets; pages of file k are those from ends[k - 1] to ends[k] - 1. */
struct training {
	struct feature_words words;
	struct training_rows rows;
	struct training_rates rates;
	size_t *ends; /* by file */
	size_t files;
	size_t left_out;   /* pages without a rate or class */
	bool has_classes;  /* words of sitemaps, no rates */
	bool has_offline;  /* some file has a column of an offline feature */
	uint8_t *labels;   /* by page */
	uint8_t *guesses;  /* by page: what is predicted for it */
	bool *is_held_out; /* by page: nothing is learned from it */
	uint32_t *order;   /* pages to learn from, at random */
	size_t learned;    /* their number */
};

/* Pages by the distance between the predicted and the right class. */
struct training_score {
	size_t pages;
	size_t most; /* pages of the class that has most */
	size_t histogram[SAMPLE_CLASSES_MAX];
};

void training_init(struct training *t);
void training_release(struct training *t);

/* 0, or an error with "FILE:LINE: …". */
int training_read(struct training *t, char **paths, size_t count, struct err *err) SP_MUST_CHECK;

/*
 * Chooses the share (0 … 1) of the pages to learn from, at least one, and makes the classes from
 * them. Fills the classes and counts of the model. 0 or ERR_NOMEM.
 */
int training_classify(
	struct training *t, double share, uint64_t seed, struct predict_model *m) SP_MUST_CHECK;

/*
 * Ten-fold cross-validation on the pages to learn from: sets their guesses. Folds run on all
 * processors; report may be NULL. 0 or ERR_NOMEM.
 */
int training_validate(struct training *t, const struct predict_model *m, enum classifier_kind kind,
	void (*report)(void *context, size_t done), void *context) SP_MUST_CHECK;

/*
 * Trains the model's classifier, predicts the pages held out, and moves the words into the model.
 * 0 or ERR_NOMEM.
 */
int training_finish(
	struct training *t, enum classifier_kind kind, struct predict_model *m) SP_MUST_CHECK;

/* Of a file, or of all for file = files; of the pages held out or of the others. */
struct training_score training_score(const struct training *t, size_t file, bool held_out);

#endif
