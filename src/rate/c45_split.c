/*
 * Gain and gain ratio. Entropies are kept as weight times bits: for class weights w_c with the sum
 * W this is W log2 W - sum w_c log2 w_c. Pages with a missing value lower the gain by their share
 * and are one more part of the split's own information.
 */
#include "rate/c45_split.h"

#include <math.h>
#include <stdlib.h>

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

struct c45_split c45_split_words(
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

struct c45_split c45_split_number(
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
