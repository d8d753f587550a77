/* A model as text. Numbers have as many digits as it takes to read the same ones back. */
#include <stdlib.h>

#include "base/format.h"
#include "rate/predict_model.h"

struct writer {
	const struct predict_model *model;
	struct buf *out;
	unsigned char *used[FEATURES_WORDS]; /* by word: whether a tree asks for it */
	int rc;                              /* the first failure */
};

static void put(struct writer *w, const char *text)
{
	if (w->rc == 0)
		w->rc = buf_add_str(w->out, text);
}

#define PRINT(w, ...)                                                \
	do {                                                         \
		if ((w)->rc == 0)                                    \
			(w)->rc = buf_printf((w)->out, __VA_ARGS__); \
	} while (0)

static void put_number(struct writer *w, double number)
{
	char text[FORMAT_DOUBLE_SIZE];

	(void)format_double(number, text);
	put(w, text);
}

/* Bytes other than printable ASCII as %XX; "-" stands for the empty word. */
static void put_word(struct writer *w, slice word)
{
	if (word.len == 0)
		put(w, "-");
	else if (slice_eq(word, SLICE("-")))
		put(w, "%2D");
	else
		for (size_t i = 0; i < word.len && w->rc == 0; i++) {
			unsigned char c = (unsigned char)word.ptr[i];

			if (c <= ' ' || c >= 0x7f || c == '%')
				PRINT(w, "%%%02X", c);
			else
				w->rc = buf_add_char(w->out, (char)c);
		}
}

static void put_head(struct writer *w)
{
	const struct predict_model *m = w->model;

	PRINT(w, "stillpoint-model %d\nclassifier %s\nfeatures %s\npages %llu\n",
		PREDICT_MODEL_VERSION, classifier_name(m->classifier.kind),
		m->features == FEATURES ? "offline" : "online", (unsigned long long)m->pages);
	for (size_t i = 0; i < m->class_count; i++) {
		const struct predict_class *c = &m->classes[i];

		PRINT(w, "class %s rate ", c->name);
		put_number(w, c->rate);
		put(w, " upto ");
		put_number(w, c->upper);
		PRINT(w, " pages %llu\n", (unsigned long long)c->pages);
	}
}

static void put_floats(struct writer *w, const float *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		PRINT(w, " %.9g", (double)numbers[i]);
}

static void put_doubles(struct writer *w, const char *name, const double *numbers)
{
	put(w, name);
	for (size_t i = 0; i < w->model->class_count; i++) {
		put(w, " ");
		put_number(w, numbers[i]);
	}
	put(w, "\n");
}

static void put_bayes(struct writer *w)
{
	const struct predict_model *m = w->model;
	const struct bayes *b = &m->classifier.bayes;

	put_doubles(w, "prior", b->prior);
	for (size_t f = 0; f < FEATURES_CATEGORIES; f++) {
		PRINT(w, "words %s %u\n", feature_name(f), b->values[f]);
		for (uint32_t v = 0; v < b->values[f]; v++) {
			if (f < FEATURES_WORDS)
				put_word(w, m->words.words[f].ptr[v]);
			else
				put(w, v ? "yes" : "no");
			put_floats(w, b->logs[f] + v * b->classes, b->classes);
			put(w, "\n");
		}
	}
	for (size_t f = FEATURES_CATEGORIES; f < m->features; f++) {
		PRINT(w, "number %s\n", feature_name(f));
		put_doubles(w, "mean", b->mean[f]);
		put_doubles(w, "spread", b->spread[f]);
		put_doubles(w, "level", b->level[f]);
	}
}

/* Marks the words that nodes from this one on ask for, and counts these nodes. */
/* NOLINTNEXTLINE(misc-no-recursion): no deeper than C45_DEPTH_MAX */
static size_t mark_used(struct writer *w, uint32_t number)
{
	const struct c45 *t = &w->model->classifier.tree;
	const struct c45_node *node = &t->nodes.ptr[number];
	size_t nodes = 1;

	for (uint32_t k = 0; node->feature >= 0 && k < node->count; k++) {
		const struct c45_branch *branch = &t->branches.ptr[node->first + k];

		if (node->feature < FEATURES_WORDS)
			w->used[node->feature][branch->value] = 1;
		nodes += mark_used(w, branch->node);
	}
	return nodes;
}

static void put_used_words(struct writer *w, size_t f)
{
	const struct slice_vec *words = &w->model->words.words[f];
	size_t count = 0;

	for (size_t i = 0; i < words->len; i++)
		count += w->used[f][i];
	if (count == 0)
		return;
	PRINT(w, "words %s %zu\n", feature_name(f), count);
	for (size_t i = 0; i < words->len; i++)
		if (w->used[f][i]) {
			put_word(w, words->ptr[i]);
			put(w, "\n");
		}
}

/* How one comes to a node: the word, or the answer to a question. */
static void put_branch(struct writer *w, int feature, uint32_t value)
{
	if (feature < FEATURES_WORDS)
		put_word(w, w->model->words.words[feature].ptr[value]);
	else if (feature < FEATURES_CATEGORIES)
		put(w, value ? "yes" : "no");
	else
		put(w, value ? "no" : "yes");
}

/* The rest of a node's line, and all nodes below it. */
/* NOLINTNEXTLINE(misc-no-recursion): no deeper than C45_DEPTH_MAX */
static void put_node(struct writer *w, uint32_t number, int depth)
{
	const struct c45 *t = &w->model->classifier.tree;
	const struct c45_node *node = &t->nodes.ptr[number];

	if (node->feature < 0)
		put(w, " leaf");
	else if (node->feature < FEATURES_CATEGORIES)
		PRINT(w, " %s", feature_name((size_t)node->feature));
	else
		PRINT(w, " %s<=%.9g", feature_name((size_t)node->feature), (double)node->threshold);
	PRINT(w, " %.9g", (double)node->weight);
	put_floats(w, t->weights.ptr + (size_t)number * t->classes, t->classes);
	put(w, "\n");
	for (uint32_t k = 0; node->feature >= 0 && k < node->count; k++) {
		const struct c45_branch *branch = &t->branches.ptr[node->first + k];

		PRINT(w, "%*s", depth + 1, "");
		put_branch(w, node->feature, branch->value);
		put_node(w, branch->node, depth + 1);
	}
}

static void put_tree(struct writer *w)
{
	size_t nodes;

	for (size_t f = 0; f < FEATURES_WORDS; f++) {
		w->used[f] = calloc(w->model->words.words[f].len + 1, 1);
		if (!w->used[f])
			w->rc = ERR_NOMEM;
	}
	if (w->rc == 0) {
		nodes = mark_used(w, 0);
		for (size_t f = 0; f < FEATURES_WORDS; f++)
			put_used_words(w, f);
		PRINT(w, "tree %zu\nall", nodes);
		put_node(w, 0, 0);
	}
	for (size_t f = 0; f < FEATURES_WORDS; f++)
		free(w->used[f]);
}

int predict_model_write(const struct predict_model *m, struct buf *out)
{
	struct writer w = {.model = m, .out = out};

	put_head(&w);
	if (m->classifier.kind == CLASSIFIER_BAYES)
		put_bayes(&w);
	else
		put_tree(&w);
	put(&w, "end\n");
	return w.rc;
}
