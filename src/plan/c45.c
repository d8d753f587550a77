#include "plan/c45.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * Gain and gain ratio. Entropies are kept as weight times bits: for class weights w_c with the sum
 * W this is W log2 W - sum w_c log2 w_c. Pages with a missing value lower the gain by their share
 * and are one more part of the split's own information.
 */

/* A page in a node, or a share of it. */
struct c45_item {
	uint32_t row;
	float weight;
};

struct c45_set {
	const struct c45_item *items;
	size_t count;
};

struct c45_point {
	float value, weight;
	uint32_t label;
};

/* Memory that all nodes share; tables are zero between calls. */
struct c45_room {
	double *table;            /* by value and class */
	uint32_t *used;           /* values with a count in the table */
	struct c45_point *points; /* by page */
};

struct c45_split {
	double gain, ratio;
	float threshold; /* of a number */
	bool possible;
};

enum { C45_BRANCH_MIN = 2 }; /* pages that two branches must have at least */

static double bits(double w)
{
	return w > 0 ? w * log2(w) : 0;
}

static double entropy(const double *weights, size_t classes)
{
	double sum = 0, parts = 0;

	for (size_t c = 0; c < classes; c++) {
		sum += weights[c];
		parts += bits(weights[c]);
	}
	return bits(sum) - parts;
}

static double sum_of(const double *weights, size_t classes)
{
	double sum = 0;

	for (size_t c = 0; c < classes; c++)
		sum += weights[c];
	return sum;
}

static int compare_numbers(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return (a > b) - (a < b);
}

/* Fills the table; returns the number of values. */
static size_t count_values(const struct sample *s, struct c45_set set, size_t feature,
	struct c45_room *room, double *ret_missing)
{
	size_t used = 0;

	*ret_missing = 0;
	for (size_t i = 0; i < set.count; i++) {
		uint32_t row = set.items[i].row;
		float value = s->rows[row].at[feature];
		double *at;

		if (!(value >= 0 && value < (float)s->values[feature])) {
			*ret_missing += set.items[i].weight;
			continue;
		}
		at = room->table + (size_t)value * s->classes;
		if (sum_of(at, s->classes) == 0)
			room->used[used++] = (uint32_t)value;
		at[s->labels[row]] += set.items[i].weight;
	}
	qsort(room->used, used, sizeof *room->used, compare_numbers); /* sums in one order */
	return used;
}

static struct c45_split c45_split_words(
	const struct sample *s, struct c45_set set, size_t feature, struct c45_room *room)
{
	double all[SAMPLE_CLASSES_MAX] = {0}, missing, known, parts = 0, inside = 0;
	size_t used = count_values(s, set, feature, room, &missing), large = 0;
	struct c45_split split = {0};

	for (size_t i = 0; i < used; i++) {
		double *at = room->table + (size_t)room->used[i] * s->classes;
		double weight = sum_of(at, s->classes);

		inside += entropy(at, s->classes);
		parts += bits(weight);
		large += weight >= C45_BRANCH_MIN;
		for (size_t c = 0; c < s->classes; c++) {
			all[c] += at[c];
			at[c] = 0;
		}
	}
	known = sum_of(all, s->classes);
	if (large < 2)
		return split;
	split.gain = (entropy(all, s->classes) - inside) / (known + missing);
	split.ratio =
		split.gain * (known + missing) / (bits(known + missing) - parts - bits(missing));
	split.possible = split.gain > 1e-9;
	return split;
}

static int compare_points(const void *left, const void *right)
{
	float a = ((const struct c45_point *)left)->value;
	float b = ((const struct c45_point *)right)->value;

	return (a > b) - (a < b);
}

static size_t sort_points(const struct sample *s, struct c45_set set, size_t feature,
	struct c45_point *points, double *all, double *ret_missing)
{
	size_t n = 0;

	*ret_missing = 0;
	for (size_t i = 0; i < set.count; i++) {
		uint32_t row = set.items[i].row;
		float value = s->rows[row].at[feature];

		if (isfinite(value)) {
			points[n++] =
				(struct c45_point){value, set.items[i].weight, s->labels[row]};
			all[s->labels[row]] += set.items[i].weight;
		} else {
			*ret_missing += set.items[i].weight;
		}
	}
	qsort(points, n, sizeof *points, compare_points);
	return n;
}

/* What a side must weigh: a tenth of a class's share, but 2 to 25 pages. */
static double least_side(double known, size_t classes)
{
	return fmin(fmax(0.1 * known / (double)classes, C45_BRANCH_MIN), 25);
}

static struct c45_split c45_split_number(
	const struct sample *s, struct c45_set set, size_t feature, struct c45_room *room)
{
	double all[SAMPLE_CLASSES_MAX] = {0}, low[SAMPLE_CLASSES_MAX] = {0}, missing;
	size_t n = sort_points(s, set, feature, room->points, all, &missing), distinct = 1;
	double known = sum_of(all, s->classes), least = least_side(known, s->classes);
	double whole = entropy(all, s->classes), below = 0, best = 0, best_below = 0;
	struct c45_split split = {0};

	for (size_t i = 0; i + 1 < n; i++) {
		const struct c45_point *p = &room->points[i];
		double high[SAMPLE_CLASSES_MAX], gain;

		low[p->label] += p->weight;
		below += p->weight;
		if (p[1].value <= p->value)
			continue;
		distinct++;
		if (below < least || known - below < least)
			continue;
		for (size_t c = 0; c < s->classes; c++)
			high[c] = fmax(all[c] - low[c], 0);
		gain = whole - entropy(low, s->classes) - entropy(high, s->classes);
		if (gain > best) {
			best = gain;
			best_below = below;
			split.threshold = p->value + (p[1].value - p->value) / 2;
		}
	}
	if (best <= 0)
		return split;
	/* Choosing among many thresholds has its price (Quinlan 1996). */
	split.gain = (best - log2((double)distinct - 1)) / (known + missing);
	split.ratio = split.gain * (known + missing) /
		      (bits(known + missing) - bits(best_below) - bits(known - best_below) -
			      bits(missing));
	split.possible = split.gain > 1e-9;
	return split;
}

static const double CONFIDENCE = 0.25, CONFIDENCE_Z = 0.67448975019608;

struct builder {
	struct c45 *tree;
	const struct sample *sample;
	struct c45_room room;
};

/* A new leaf for the pages of a set. */
static int add_node(struct builder *b, struct c45_set set, uint32_t *ret_node)
{
	struct c45 *t = b->tree;
	struct c45_node node = {.feature = C45_LEAF};
	float *weights;

	TRY(c45_floats_try_reserve(&t->weights, t->classes));
	weights = t->weights.ptr + t->weights.len;
	memset(weights, 0, t->classes * sizeof *weights);
	t->weights.len += t->classes;
	for (size_t i = 0; i < set.count; i++) {
		weights[b->sample->labels[set.items[i].row]] += set.items[i].weight;
		node.weight += set.items[i].weight;
	}
	for (uint32_t c = 1; c < t->classes; c++)
		if (weights[c] > weights[node.label])
			node.label = c;
	*ret_node = (uint32_t)t->nodes.len;
	return c45_nodes_try_push(&t->nodes, node);
}

/* Whether a feature counts for the average gain: too many values gain by their number alone. */
static bool is_usual(const struct sample *s, size_t f)
{
	return f >= FEATURES_CATEGORIES || s->values[f] < 0.3 * (double)s->count;
}

/*
 * The best ratio among the features whose gain is at least average (as C4.5 release 8 takes the
 * average); -1: none parts the set.
 */
static int choose(struct builder *b, struct c45_set set, struct c45_split *ret)
{
	const struct sample *s = b->sample;
	struct c45_split splits[FEATURES];
	double sum = 0, n = 0, average;
	int best = -1;

	for (size_t f = 0; f < s->features; f++) {
		splits[f] = f < FEATURES_CATEGORIES ? c45_split_words(s, set, f, &b->room)
						    : c45_split_number(s, set, f, &b->room);
		if (splits[f].possible && is_usual(s, f)) {
			sum += splits[f].gain;
			n++;
		}
	}
	average = n > 0 ? sum / n - 1e-3 : 0;
	for (size_t f = 0; f < s->features; f++)
		if (splits[f].possible && splits[f].gain >= average &&
			(best < 0 || splits[f].ratio > splits[best].ratio))
			best = (int)f;
	if (best >= 0)
		*ret = splits[best];
	return best;
}

/* Which branch a value takes; -1: it is missing, or no page had it. */
static int64_t branch_of(const struct c45 *t, const struct c45_node *node, const struct features *f)
{
	float value = f->at[node->feature];
	uint32_t low = node->first, high = node->first + node->count;

	if (!isfinite(value))
		return -1;
	if (node->feature >= FEATURES_CATEGORIES)
		return value <= node->threshold ? low : low + 1;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if ((float)t->branches.ptr[middle].value < value)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == node->first + node->count || (float)t->branches.ptr[low].value != value)
		return -1;
	return low;
}

/* Branches for the values that pages have, without nodes yet. */
static int add_branches(struct builder *b, struct c45_set set, struct c45_node *node)
{
	struct c45_branches *list = &b->tree->branches;
	size_t values = b->sample->values[node->feature < FEATURES_CATEGORIES ? node->feature : 0];
	unsigned char *has = calloc(values + 1, 1);
	int rc = has ? 0 : ERR_NOMEM;

	node->first = (uint32_t)list->len;
	if (node->feature >= FEATURES_CATEGORIES) {
		for (uint32_t i = 0; rc == 0 && i < 2; i++)
			rc = c45_branches_try_push(list, (struct c45_branch){i, 0});
	} else {
		for (size_t i = 0; rc == 0 && i < set.count; i++) {
			float v = b->sample->rows[set.items[i].row].at[node->feature];

			if (v >= 0 && v < (float)values)
				has[(size_t)v] = 1;
		}
		for (uint32_t v = 0; rc == 0 && v < values; v++)
			if (has[v])
				rc = c45_branches_try_push(list, (struct c45_branch){v, 0});
	}
	node->count = (uint32_t)list->len - node->first;
	free(has);
	return rc;
}

/* The pages of all branches one behind another; those of branch k end at ends[k]. */
struct parts {
	struct c45_item *items;
	size_t *ends;
};

static void parts_release(struct parts *p)
{
	free(p->items);
	free(p->ends);
}

static int part(
	struct builder *b, struct c45_set set, const struct c45_node *node, struct parts *ret)
{
	const struct features *rows = b->sample->rows;
	size_t k = node->count, missing = 0, at = 0;
	double *weights = calloc(k + 1, sizeof *weights), known = 0;
	struct parts p = {.ends = calloc(k + 1, sizeof *p.ends)};

	for (size_t i = 0; weights && p.ends && i < set.count; i++) {
		int64_t branch = branch_of(b->tree, node, &rows[set.items[i].row]);

		if (branch < 0) {
			missing++;
			continue;
		}
		p.ends[branch - node->first]++;
		weights[branch - node->first] += set.items[i].weight;
		known += set.items[i].weight;
	}
	p.items = malloc((set.count + missing * k + 1) * sizeof *p.items);
	if (!weights || !p.ends || !p.items) {
		free(weights);
		parts_release(&p);
		return ERR_NOMEM;
	}
	for (size_t i = 0; i < k; i++) { /* from counts to beginnings, which filling moves */
		size_t count = p.ends[i] + missing;

		p.ends[i] = at;
		at += count;
	}
	for (size_t i = 0; i < set.count; i++) {
		struct c45_item item = set.items[i];
		int64_t branch = branch_of(b->tree, node, &rows[item.row]);

		if (branch >= 0)
			p.items[p.ends[branch - node->first]++] = item;
		for (size_t j = 0; branch < 0 && j < k; j++)
			p.items[p.ends[j]++] = (struct c45_item){
				item.row, item.weight * (float)(weights[j] / known)};
	}
	free(weights);
	*ret = p;
	return 0;
}

static int grow(struct builder *b, struct c45_set set, unsigned depth, uint32_t *ret_node);

static int grow_branches(
	struct builder *b, const struct c45_node *node, const struct parts *p, unsigned depth)
{
	size_t begin = 0;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < node->count; i++) {
		struct c45_set set = {p->items + begin, p->ends[i] - begin};
		uint32_t child;

		rc = grow(b, set, depth + 1, &child);
		if (rc == 0)
			b->tree->branches.ptr[node->first + i].node = child;
		begin = p->ends[i];
	}
	return rc;
}

/* NOLINTNEXTLINE(misc-no-recursion): no deeper than C45_DEPTH_MAX */
static int grow(struct builder *b, struct c45_set set, unsigned depth, uint32_t *ret_node)
{
	struct c45_node node;
	struct c45_split split;
	struct parts parts;
	int rc;

	TRY(add_node(b, set, ret_node));
	node = b->tree->nodes.ptr[*ret_node];
	if (depth >= C45_DEPTH_MAX || node.weight < 2 * C45_BRANCH_MIN)
		return 0;
	node.feature = choose(b, set, &split);
	if (node.feature < 0)
		return 0;
	node.threshold = split.threshold;
	TRY(add_branches(b, set, &node));
	TRY(part(b, set, &node, &parts));
	rc = grow_branches(b, &node, &parts, depth);
	parts_release(&parts);
	b->tree->nodes.ptr[*ret_node] = node;
	return rc;
}

/* Errors that are likely to be added to e among n unseen pages (Quinlan's U_CF(e, n) n - e). */
static double more_errors(double n, double e)
{
	double f, z = CONFIDENCE_Z, zero;

	if (n <= 0)
		return 0;
	if (e < 1) {
		zero = n * (1 - pow(CONFIDENCE, 1 / n));
		return e <= 0 ? zero : zero + e * (more_errors(n, 1) - zero);
	}
	if (e + 0.5 >= n)
		return fmax(n - e, 0);
	f = (e + 0.5) / n;
	return n * (f + z * z / (2 * n) + z * sqrt(f / n - f * f / n + z * z / (4 * n * n))) /
		       (1 + z * z / n) -
	       e;
}

/* Turns nodes into leaves that do no worse; returns the errors to expect. Children come later. */
static int prune(struct c45 *t)
{
	double *errors = calloc(t->nodes.len + 1, sizeof *errors);

	if (!errors)
		return ERR_NOMEM;
	for (size_t i = t->nodes.len; i-- > 0;) {
		struct c45_node *node = &t->nodes.ptr[i];
		double wrong = node->weight - t->weights.ptr[i * t->classes + node->label];
		double leaf = wrong + more_errors(node->weight, wrong), below = 0;

		for (uint32_t k = 0; node->feature >= 0 && k < node->count; k++)
			below += errors[t->branches.ptr[node->first + k].node];
		if (node->feature >= 0 && leaf <= below + 0.1)
			node->feature = C45_LEAF;
		errors[i] = node->feature >= 0 ? below : leaf;
	}
	free(errors);
	return 0;
}

static int make_room(struct builder *b)
{
	const struct sample *s = b->sample;
	size_t values = 1;

	for (size_t f = 0; f < FEATURES_CATEGORIES; f++)
		values = s->values[f] > values ? s->values[f] : values;
	b->room.table = calloc(values * s->classes, sizeof *b->room.table);
	b->room.used = calloc(values, sizeof *b->room.used);
	b->room.points = calloc(s->count + 1, sizeof *b->room.points);
	return b->room.table && b->room.used && b->room.points ? 0 : ERR_NOMEM;
}

int c45_train(struct c45 *t, const struct sample *s)
{
	struct builder b = {.tree = t, .sample = s};
	struct c45_item *items = malloc((s->count + 1) * sizeof *items);
	uint32_t root;
	int rc;

	*t = (struct c45){.classes = s->classes};
	rc = items ? make_room(&b) : ERR_NOMEM;
	for (size_t i = 0; rc == 0 && i < s->count; i++)
		items[i] = (struct c45_item){(uint32_t)i, 1};
	if (rc == 0)
		rc = grow(&b, (struct c45_set){items, s->count}, 0, &root);
	if (rc == 0)
		rc = prune(t);
	free(items);
	free(b.room.table);
	free(b.room.used);
	free(b.room.points);
	return rc;
}

void c45_release(struct c45 *t)
{
	c45_nodes_release(&t->nodes);
	c45_branches_release(&t->branches);
	c45_floats_release(&t->weights);
}

/* What the pages of a node say. */
static void add_weights(const struct c45 *t, uint32_t number, double share, double *scores)
{
	float weight = t->nodes.ptr[number].weight;

	for (size_t c = 0; c < t->classes && weight > 0; c++)
		scores[c] += share * t->weights.ptr[number * t->classes + c] / weight;
}

/* The node of the k-th of so many branches that are spread evenly over all of them. */
static uint32_t child_of(
	const struct c45 *t, const struct c45_node *node, uint32_t k, uint32_t taken)
{
	return t->branches.ptr[node->first + (uint64_t)k * node->count / taken].node;
}

/*
 * A missing value takes all branches, but no more than paths in all: of more, as many as that stand
 * for the others, and where nothing is left a node for its branches.
 */
/* NOLINTNEXTLINE(misc-no-recursion): no deeper than C45_DEPTH_MAX */
static void add_shares(const struct c45 *t, uint32_t number, const struct features *f, double share,
	uint32_t paths, double *scores)
{
	const struct c45_node *node = &t->nodes.ptr[number];
	uint32_t taken;
	int64_t branch;
	double sum = 0;

	while (node->feature >= 0 && (branch = branch_of(t, node, f)) >= 0) {
		number = t->branches.ptr[branch].node;
		node = &t->nodes.ptr[number];
	}
	if (node->feature < 0 || paths < 2) {
		add_weights(t, number, share, scores);
		return;
	}
	taken = node->count < paths ? node->count : paths;
	for (uint32_t k = 0; k < taken; k++)
		sum += t->nodes.ptr[child_of(t, node, k, taken)].weight;
	for (uint32_t k = 0; k < taken && sum > 0; k++) {
		uint32_t child = child_of(t, node, k, taken);

		add_shares(t, child, f, share * t->nodes.ptr[child].weight / sum, paths / taken,
			scores);
	}
}

size_t c45_predict(const struct c45 *t, const struct features *f)
{
	double scores[SAMPLE_CLASSES_MAX] = {0};
	size_t best = 0;

	add_shares(t, 0, f, 1, C45_PATHS_MAX, scores);
	for (size_t c = 1; c < t->classes; c++)
		if (scores[c] > scores[best])
			best = c;
	return best;
}
