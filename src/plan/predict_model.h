/*
 * A trained predictor of change rates: a classifier, the words that it knows, and the rate of each
 * class. It is kept as text (docs/rates.md describes it) that people can read and that programs can
 * parse without trust:
 *
 *	stillpoint-model 1
 *	classifier c45
 *	features online
 *	pages 14
 *	class 1 rate 0.5 upto 1 pages 5
 *	class 2 rate 3 upto 4 pages 9
 *	words type 2
 *	html
 *	pdf
 *	tree 3
 *	all type 14 5 9
 *	 html leaf 9 0 9
 *	 pdf leaf 5 5 0
 *	end
 */
#ifndef PLAN_PREDICT_MODEL_H
#define PLAN_PREDICT_MODEL_H

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "plan/classifier.h"

enum {
	PREDICT_NAME_SIZE = 16,         /* of a class, with its NUL */
	PREDICT_MODEL_MAX = 1024 << 20, /* bytes of a model as text */
	PREDICT_MODEL_VERSION = 1,
};

struct predict_class {
	char name[PREDICT_NAME_SIZE]; /* no blanks: 1, 2, … or a word of sitemaps */
	double rate;                  /* what its pages are predicted to have */
	double upper;                 /* the largest rate that it was learned from */
	uint64_t pages;               /* that it was learned from */
};

struct predict_model {
	size_t features; /* FEATURES_ONLINE or FEATURES */
	uint64_t pages;  /* that it was learned from */
	size_t class_count;
	struct predict_class classes[SAMPLE_CLASSES_MAX];
	struct feature_words words;
	struct classifier classifier;
};

/* Safe on a zeroed struct. */
void predict_model_release(struct predict_model *m);

/*
 * Appends the model as text to an empty buffer. 0, ERR_LIMIT or ERR_NOMEM. A tree is written
 * without the words that it does not ask for: predictions are the same without them.
 */
int predict_model_write(const struct predict_model *m, struct buf *out) SP_MUST_CHECK;

/*
 * Reads a model. 0; ERR_SYNTAX, ERR_RANGE, ERR_LIMIT or ERR_UNSUPPORTED with what is wrong in err
 * and the line in *ret_line; ERR_NOMEM. *ret is untouched on failure; else to be released with
 * predict_model_release. Whatever the text, predictions are safe and terminate.
 */
int predict_model_parse(
	slice text, struct predict_model *ret, uint64_t *ret_line, struct err *err) SP_MUST_CHECK;

/*
 * The class of a page: an index into classes. The features are those of features_of_url with the
 * model's words and learn false, and the offline ones where they are known.
 */
static inline size_t predict_model_class(const struct predict_model *m, const struct features *f)
{
	return classifier_predict(&m->classifier, f);
}

#endif
