/*
 * Reading a model. Each line is tokens with one blank between them. Counts are held against what is
 * left of the text before memory is taken, so a short text cannot ask for much.
 */
/* A model as text. Numbers have as many digits as it takes to read the same ones back. */
#include "plan/predict_model.h"

#include <float.h>
#include <stdlib.h>

#include "base/format.h"
#include "base/parse.h"
#include "base/word.h"

void predict_model_release(struct predict_model *m)
{
	classifier_release(&m->classifier);
	feature_words_release(&m->words);
	*m = (struct predict_model){0};
}

/* ---- reading ---- */

enum { SHOWN_MAX = 60 }; /* bytes of a token in a message */

struct parser {
	slice rest; /* lines to come */
	slice line; /* what is left of this one */
	uint64_t number;
	struct predict_model *model;
	struct u32_vec parents; /* by node of the tree, but the root */
	struct u32_vec values;  /* of the branches to them */
	struct err *err;
};

static int next_line(struct parser *p)
{
	p->number++;
	if (p->rest.len == 0)
		return err_set(p->err, ERR_SYNTAX, "the model ends too early (train it again)");
	p->line = slice_take(&p->rest, '\n');
	return 0;
}

static slice token(struct parser *p)
{
	return slice_take(&p->line, ' ');
}

static int fail_token(struct parser *p, slice found, const char *expected)
{
	return err_set(p->err, ERR_SYNTAX, "%s expected, not '%.*s'", expected,
		slice_shown(found, SHOWN_MAX), found.ptr ? found.ptr : "");
}

static int expect(struct parser *p, const char *word)
{
	slice found = token(p);

	return slice_eq(found, slice_str(word)) ? 0 : fail_token(p, found, word);
}

static int end_line(struct parser *p)
{
	return p->line.len ? fail_token(p, p->line, "the end of the line") : 0;
}

/* A line that begins with this word. */
static int expect_line(struct parser *p, const char *word)
{
	TRY(next_line(p));
	return expect(p, word);
}

static int read_number(struct parser *p, double min, double max, double *ret)
{
	slice found = token(p);
	double value = 0;

	if (parse_double(found, &value))
		return fail_token(p, found, "a number");
	if (!(value >= min && value <= max))
		return err_set(p->err, ERR_RANGE, "number '%.*s' is out of range",
			slice_shown(found, SHOWN_MAX), found.ptr);
	*ret = value;
	return 0;
}

static int read_count(struct parser *p, uint64_t max, uint64_t *ret)
{
	slice found = token(p);
	uint64_t value = 0;

	if (parse_u64(found, &value))
		return fail_token(p, found, "a count");
	if (value > max)
		return err_set(p->err, ERR_LIMIT, "count %llu is above %llu",
			(unsigned long long)value, (unsigned long long)max);
	*ret = value;
	return 0;
}

/* A number for each class, to the end of the line. */
static int read_doubles(struct parser *p, double min, double *ret)
{
	for (size_t i = 0; i < p->model->class_count; i++)
		TRY(read_number(p, min, DBL_MAX, &ret[i]));
	return end_line(p);
}

static int read_floats(struct parser *p, double min, float *ret)
{
	double value = 0;

	for (size_t i = 0; i < p->model->class_count; i++) {
		TRY(read_number(p, min, FLT_MAX, &value));
		ret[i] = (float)value;
	}
	return end_line(p);
}

/* One of two words; *ret_second says which. */
static int read_choice(
	struct parser *p, const char *key, const char *first, const char *second, bool *ret_second)
{
	slice found;

	TRY(expect_line(p, key));
	found = token(p);
	*ret_second = slice_eq(found, slice_str(second));
	if (!*ret_second && !slice_eq(found, slice_str(first)))
		return err_set(p->err, ERR_SYNTAX, "%s is %s or %s, not '%.*s'", key, first, second,
			slice_shown(found, SHOWN_MAX), found.ptr);
	return end_line(p);
}

static int read_version(struct parser *p)
{
	uint64_t version = 0;

	p->number = 1;
	p->line = slice_take(&p->rest, '\n');
	if (!slice_eq(token(p), SLICE("stillpoint-model")))
		return err_set(p->err, ERR_SYNTAX,
			"not a model (the first line of one is 'stillpoint-model %d')",
			PREDICT_MODEL_VERSION);
	TRY(read_count(p, UINT64_MAX, &version));
	if (version != PREDICT_MODEL_VERSION)
		return err_set(p->err, ERR_UNSUPPORTED,
			"version %llu of models is not known, only %d (train the model again)",
			(unsigned long long)version, PREDICT_MODEL_VERSION);
	return end_line(p);
}

static int read_class(struct parser *p)
{
	struct predict_model *m = p->model;
	struct predict_class *c = &m->classes[m->class_count];
	slice name;

	TRY(expect_line(p, "class"));
	if (m->class_count == SAMPLE_CLASSES_MAX)
		return err_set(p->err, ERR_LIMIT, "more than %d classes", SAMPLE_CLASSES_MAX);
	name = token(p);
	if (name.len == 0 || name.len >= PREDICT_NAME_SIZE || memchr(name.ptr, '\0', name.len))
		return fail_token(p, name, "a name of up to 15 bytes");
	memcpy(c->name, name.ptr, name.len);
	m->class_count++;
	TRY(expect(p, "rate"));
	TRY(read_number(p, 0, DBL_MAX, &c->rate));
	TRY(expect(p, "upto"));
	TRY(read_number(p, 0, DBL_MAX, &c->upper));
	TRY(expect(p, "pages"));
	TRY(read_count(p, UINT64_MAX, &c->pages));
	return end_line(p);
}

static int read_head(struct parser *p)
{
	struct predict_model *m = p->model;
	bool is_tree = false, is_offline = false;
	int rc = read_version(p);

	if (rc == 0)
		rc = read_choice(p, "classifier", "bayes", "c45", &is_tree);
	if (rc == 0)
		rc = read_choice(p, "features", "online", "offline", &is_offline);
	if (rc == 0)
		rc = expect_line(p, "pages");
	if (rc == 0)
		rc = read_count(p, UINT64_MAX, &m->pages);
	if (rc == 0)
		rc = end_line(p);
	m->classifier.kind = is_tree ? CLASSIFIER_C45 : CLASSIFIER_BAYES;
	m->features = is_offline ? FEATURES : FEATURES_ONLINE;
	do
		rc = rc ? rc : read_class(p);
	while (rc == 0 && slice_starts_with(p->rest, SLICE("class ")));
	return rc;
}

/* The byte at *at, which moves to its last digit where it is %XX; -1: an invalid one. */
static int read_byte(slice s, size_t *at)
{
	int high, low;

	if (s.ptr[*at] != '%')
		return (unsigned char)s.ptr[*at];
	if (s.len - *at < 3)
		return -1;
	high = word_hex(s.ptr[*at + 1]);
	low = word_hex(s.ptr[*at + 2]);
	*at += 2;
	return high < 0 || low < 0 ? -1 : high << 4 | low;
}

/* The word that a token stands for, in room for FEATURE_WORD_MAX bytes. */
static int read_word(struct parser *p, char *room, slice *ret)
{
	slice found = token(p);
	size_t n = 0;

	*ret = (slice){room, 0};
	if (slice_eq(found, SLICE("-")))
		return 0;
	if (found.len == 0)
		return fail_token(p, found, "a word");
	for (size_t i = 0; i < found.len; i++) {
		int byte = read_byte(found, &i);

		if (byte < 0)
			return fail_token(p, found, "a word with %XX for odd bytes");
		if (n == FEATURE_WORD_MAX)
			return fail_token(p, found, "a word of up to 64 bytes");
		room[n++] = (char)byte;
	}
	ret->len = n;
	return 0;
}

static int learn_word(struct parser *p, size_t feature)
{
	char room[FEATURE_WORD_MAX];
	slice word;
	int rc;

	TRY(read_word(p, room, &word));
	rc = feature_words_add(&p->model->words, feature, word);
	if (rc == ERR_EXISTS)
		return err_set(p->err, rc, "a word of %s is given twice", feature_name(feature));
	return err_code(p->err, rc);
}

/* "words FEATURE COUNT"; each of the lines has at least two bytes. */
static int read_words_head(struct parser *p, size_t feature, uint64_t *ret_count)
{
	uint64_t max = p->rest.len / 2 < FEATURE_VALUES_MAX ? p->rest.len / 2 : FEATURE_VALUES_MAX;

	TRY(expect(p, feature_name(feature)));
	TRY(read_count(p, max, ret_count));
	return end_line(p);
}

static int read_likelihoods(struct parser *p, size_t f)
{
	struct bayes *b = &p->model->classifier.bayes;
	uint64_t count = 0;

	TRY(expect_line(p, "words"));
	TRY(read_words_head(p, f, &count));
	if (f >= FEATURES_WORDS && count != 2)
		return err_set(p->err, ERR_SYNTAX, "%s has 2 lines, no and yes", feature_name(f));
	b->logs[f] = calloc((count + 1) * b->classes, sizeof *b->logs[f]);
	if (!b->logs[f])
		return err_code(p->err, ERR_NOMEM);
	b->values[f] = (uint32_t)count;
	for (uint32_t v = 0; v < count; v++) {
		TRY(next_line(p));
		TRY(f < FEATURES_WORDS ? learn_word(p, f) : expect(p, v ? "yes" : "no"));
		TRY(read_floats(p, -FLT_MAX, b->logs[f] + v * b->classes));
	}
	return 0;
}

static int read_normal(struct parser *p, size_t f)
{
	struct bayes *b = &p->model->classifier.bayes;

	TRY(expect_line(p, "number"));
	TRY(expect(p, feature_name(f)));
	TRY(end_line(p));
	TRY(expect_line(p, "mean"));
	TRY(read_doubles(p, -DBL_MAX, b->mean[f]));
	TRY(expect_line(p, "spread"));
	TRY(read_doubles(p, 0, b->spread[f]));
	TRY(expect_line(p, "level"));
	return read_doubles(p, -DBL_MAX, b->level[f]);
}

static int read_bayes(struct parser *p)
{
	struct bayes *b = &p->model->classifier.bayes;

	TRY(expect_line(p, "prior"));
	b->classes = p->model->class_count;
	b->features = p->model->features;
	TRY(read_doubles(p, -DBL_MAX, b->prior));
	for (size_t f = 0; f < FEATURES_CATEGORIES; f++)
		TRY(read_likelihoods(p, f));
	for (size_t f = FEATURES_CATEGORIES; f < b->features; f++)
		TRY(read_normal(p, f));
	return 0;
}

/* The words that a tree asks for; features without any are left out. */
static int read_tree_words(struct parser *p, size_t f)
{
	slice line = p->rest;
	uint64_t count = 0;

	line = slice_take(&line, '\n');
	(void)slice_take(&line, ' ');
	if (!slice_starts_with(p->rest, SLICE("words ")) ||
		!slice_eq(slice_take(&line, ' '), slice_str(feature_name(f))))
		return 0;
	TRY(expect_line(p, "words"));
	TRY(read_words_head(p, f, &count));
	for (uint64_t i = 0; i < count; i++) {
		TRY(next_line(p));
		TRY(learn_word(p, f));
		TRY(end_line(p));
	}
	return 0;
}

/* What a node asks: "leaf", a feature, or "feature<=threshold". */
static int read_question(struct parser *p, struct c45_node *node)
{
	slice found = token(p);
	double threshold = 0;

	node->feature = C45_LEAF;
	if (slice_eq(found, SLICE("leaf")))
		return 0;
	for (size_t f = 0; f < p->model->features; f++) {
		slice name = slice_str(feature_name(f)),
		      rest = slice_sub(found, name.len, found.len);

		if (!slice_starts_with(found, name))
			continue;
		if (f < FEATURES_CATEGORIES ? rest.len > 0 : !slice_starts_with(rest, SLICE("<=")))
			continue;
		if (f >= FEATURES_CATEGORIES &&
			(parse_double(slice_sub(rest, 2, rest.len), &threshold) ||
				threshold < -FLT_MAX || threshold > FLT_MAX))
			break;
		node->feature = (int)f;
		node->threshold = (float)threshold;
		return 0;
	}
	return fail_token(p, found, "leaf, a feature, or a number's feature<=threshold");
}

/* The value that leads from the parent to this node. */
static int read_branch(struct parser *p, const struct c45_node *parent, uint32_t *ret)
{
	char room[FEATURE_WORD_MAX];
	bool is_symbol = parent->feature < FEATURES_CATEGORIES;
	slice word, found = p->line;
	int rc;

	if (parent->feature < FEATURES_WORDS) {
		rc = read_word(p, room, &word);
		if (rc == 0 &&
			!feature_words_find(&p->model->words, (size_t)parent->feature, word, ret))
			return err_set(p->err, ERR_SYNTAX, "word '%.*s' is not in the list of %s",
				slice_shown(word, SHOWN_MAX), word.ptr,
				feature_name((size_t)parent->feature));
		return rc;
	}
	word = token(p);
	if (!slice_eq(word, SLICE("yes")) && !slice_eq(word, SLICE("no")))
		return fail_token(p, slice_take(&found, ' '), "yes or no");
	*ret = slice_eq(word, SLICE("yes")) == is_symbol;
	return 0;
}

/* Places of the branches that lead to the node being read. */
struct path {
	uint32_t nodes[C45_DEPTH_MAX + 1];
	uint32_t values[C45_DEPTH_MAX + 1]; /* of the last branch of nodes[depth - 1] */
	bool begun[C45_DEPTH_MAX + 1];      /* whether there was one */
	size_t depth;                       /* of the last node */
};

/* Checks depth and branch of a node below the root. */
static int enter(struct parser *p, struct path *path)
{
	const struct c45_nodes *nodes = &p->model->classifier.tree.nodes;
	const struct c45_node *parent;
	uint32_t value = 0;
	size_t depth = 0;
	int rc;

	while (depth < p->line.len && p->line.ptr[depth] == ' ')
		depth++;
	if (depth == 0 || depth > path->depth + 1 || depth > C45_DEPTH_MAX)
		return err_set(p->err, ERR_SYNTAX, "a node is indented by %zu blanks", depth);
	p->line = slice_sub(p->line, depth, p->line.len);
	parent = &nodes->ptr[path->nodes[depth - 1]];
	if (parent->feature == C45_LEAF)
		return err_set(p->err, ERR_SYNTAX, "a node is below a leaf");
	TRY(read_branch(p, parent, &value));
	if (depth == path->depth + 1)
		path->begun[depth] = false;
	if (path->begun[depth] && value <= path->values[depth])
		return err_set(p->err, ERR_SYNTAX, "a branch is given twice or out of order");
	path->begun[depth] = true;
	path->values[depth] = value;
	path->depth = depth;
	path->nodes[depth] = (uint32_t)nodes->len;
	rc = u32_vec_try_push(&p->parents, path->nodes[depth - 1]);
	return err_code(p->err, rc ? rc : u32_vec_try_push(&p->values, value));
}

static int read_node(struct parser *p, struct path *path)
{
	struct c45 *t = &p->model->classifier.tree;
	struct c45_node node = {0};
	double weight = 0;
	float *weights;

	TRY(next_line(p));
	TRY(t->nodes.len == 0 ? expect(p, "all") : enter(p, path));
	TRY(read_question(p, &node));
	TRY(read_number(p, 0, FLT_MAX, &weight));
	TRY(err_code(p->err, c45_floats_try_reserve(&t->weights, t->classes)));
	node.weight = (float)weight;
	weights = t->weights.ptr + t->weights.len;
	t->weights.len += t->classes;
	TRY(read_floats(p, 0, weights));
	for (uint32_t c = 1; c < t->classes; c++)
		if (weights[c] > weights[node.label])
			node.label = c;
	return err_code(p->err, c45_nodes_try_push(&t->nodes, node));
}

/* Branches of a node one behind another, in the order of its children. */
static int connect(struct parser *p, uint64_t first_line)
{
	struct c45 *t = &p->model->classifier.tree;
	uint32_t first = 0;

	if (c45_branches_try_reserve(&t->branches, p->parents.len + 1))
		return err_code(p->err, ERR_NOMEM);
	for (size_t i = 0; i < p->parents.len; i++)
		t->nodes.ptr[p->parents.ptr[i]].count++;
	for (size_t i = 0; i < t->nodes.len; i++) {
		struct c45_node *node = &t->nodes.ptr[i];
		uint32_t least = node->feature >= FEATURES_CATEGORIES ? 2 : node->feature >= 0;

		if (node->count < least) {
			p->number = first_line + i;
			return err_set(p->err, ERR_SYNTAX, "a node has too few branches");
		}
		node->first = first;
		first += node->count;
		node->count = 0;
	}
	for (size_t i = 0; i < p->parents.len; i++) {
		struct c45_node *node = &t->nodes.ptr[p->parents.ptr[i]];

		t->branches.ptr[node->first + node->count++] =
			(struct c45_branch){p->values.ptr[i], (uint32_t)i + 1};
	}
	t->branches.len = p->parents.len;
	return 0;
}

static int read_tree(struct parser *p)
{
	struct c45 *t = &p->model->classifier.tree;
	struct path path = {0};
	uint64_t nodes = 0, first_line;

	t->classes = p->model->class_count;
	for (size_t f = 0; f < FEATURES_WORDS; f++)
		TRY(read_tree_words(p, f));
	TRY(expect_line(p, "tree"));
	TRY(read_count(p, p->rest.len, &nodes));
	TRY(end_line(p));
	if (nodes == 0)
		return err_set(p->err, ERR_SYNTAX, "a tree has at least 1 node");
	first_line = p->number + 1;
	for (uint64_t i = 0; i < nodes; i++)
		TRY(read_node(p, &path));
	return connect(p, first_line);
}

static int read_model(struct parser *p)
{
	TRY(read_head(p));
	TRY(p->model->classifier.kind == CLASSIFIER_BAYES ? read_bayes(p) : read_tree(p));
	TRY(expect_line(p, "end"));
	TRY(end_line(p));
	if (p->rest.len > 0) {
		p->number++;
		return err_set(p->err, ERR_SYNTAX, "nothing may follow the line 'end'");
	}
	return 0;
}

int predict_model_parse(slice text, struct predict_model *ret, uint64_t *ret_line, struct err *err)
{
	struct predict_model model = {0};
	struct parser p = {.rest = text, .model = &model, .err = err};
	int rc;

	feature_words_init(&model.words);
	rc = text.len > PREDICT_MODEL_MAX ? err_set(err, ERR_LIMIT, "the model is too large")
					  : read_model(&p);
	u32_vec_release(&p.parents);
	u32_vec_release(&p.values);
	*ret_line = p.number;
	if (rc)
		predict_model_release(&model);
	else
		*ret = model;
	return rc;
}

/* ---- writing ---- */

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
