#include "plan/classifier.h"

#include <stdlib.h>

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
