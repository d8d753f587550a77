/*
 * Which token of one document stands for which of the other. Equal sequences of shapes pair one to
 * one. Else tokens that are there exactly once on both sides are anchors (patience: their longest
 * increasing run), and what lies between two of them is aligned by itself; without anchors, by
 * dynamic programming. All of it has one budget of work. A poor alignment loses a proof and never
 * forges one, so nothing here needs to be exact.
 */
#include <stdlib.h>

#include "proof/proof_judge.h"

enum { SCORE_EQUAL = 8, SCORE_SHAPE = 4, SCORE_NAME = 3, WORK_PER_TOKEN = 16, CELLS_MAX = 4 << 20 };

struct range {
	uint32_t a0, a1, b0, b1;
};

VEC_DECLARE(range_vec, struct range);

struct once {
	uint64_t key;
	uint32_t at;
	bool is_b;
};

struct anchor {
	uint32_t a, b;
};

struct aligner {
	struct judge *j;
	const struct proof_token *a, *b;
	uint32_t *match;
	struct range_vec todo;
	struct once *once;      /* room for all tokens of both */
	struct anchor *anchors; /* room for those of the smaller */
	uint32_t *tails, *back;
};

static bool spend(struct aligner *x, uint64_t work)
{
	if (x->j->work < work) {
		met_limit(x->j, "too many differences to align");
		return false;
	}
	x->j->work -= work;
	return true;
}

static int by_key(const void *p, const void *q)
{
	const struct once *x = p, *y = q;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->is_b != y->is_b)
		return x->is_b ? 1 : -1;
	return (x->at > y->at) - (x->at < y->at);
}

static int by_a(const void *p, const void *q)
{
	const struct anchor *x = p, *y = q;

	return (x->a > y->a) - (x->a < y->a);
}

/* Pairs of tokens that are once in both ranges, by their place in a. */
static size_t find_anchors(struct aligner *x, const struct range *r)
{
	size_t n = 0, found = 0;

	for (uint32_t i = r->a0; i < r->a1; i++)
		x->once[n++] = (struct once){x->a[i].key, i, false};
	for (uint32_t i = r->b0; i < r->b1; i++)
		x->once[n++] = (struct once){x->b[i].key, i, true};
	qsort(x->once, n, sizeof *x->once, by_key);
	for (size_t i = 0, to; i < n; i = to) {
		to = i + 1;
		while (to < n && x->once[to].key == x->once[i].key)
			to++;
		if (to - i == 2 && !x->once[i].is_b && x->once[i + 1].is_b)
			x->anchors[found++] = (struct anchor){x->once[i].at, x->once[i + 1].at};
	}
	qsort(x->anchors, found, sizeof *x->anchors, by_a);
	return found;
}

/* The longest run of anchors that rises in b too, moved to the front; its length. */
static size_t keep_rising(struct aligner *x, size_t count)
{
	size_t len = 0;
	uint32_t at;

	for (size_t i = 0; i < count; i++) {
		size_t low = 0, high = len;

		while (low < high) {
			size_t middle = (low + high) / 2;

			if (x->anchors[x->tails[middle]].b < x->anchors[i].b)
				low = middle + 1;
			else
				high = middle;
		}
		x->tails[low] = (uint32_t)i;
		x->back[i] = low ? x->tails[low - 1] : NO_TOKEN;
		if (low == len)
			len++;
	}
	at = len ? x->tails[len - 1] : NO_TOKEN;
	for (size_t i = len; i-- > 0;) {
		uint32_t next = x->back[at];

		x->tails[i] = at;
		at = next;
	}
	for (size_t i = 0; i < len; i++)
		x->anchors[i] = x->anchors[x->tails[i]];
	return len;
}

static unsigned score(const struct proof_token *a, const struct proof_token *b)
{
	if (a->key == b->key)
		return SCORE_EQUAL;
	if (a->shape == b->shape)
		return SCORE_SHAPE;
	return a->kind == b->kind && a->kind != TOKEN_SIGN && slice_eq(a->text, b->text)
		       ? SCORE_NAME
		       : 0;
}

/* The table of best scores, one step of which is kept per cell. */
static int align_cells(struct aligner *x, const struct range *r)
{
	size_t n = r->a1 - r->a0, m = r->b1 - r->b0;
	uint32_t *row = calloc(m + 1, sizeof *row);
	char *step;

	if (!row || n * m > CELLS_MAX || !(step = malloc(n * m))) {
		free(row);
		if (row && n * m > CELLS_MAX)
			met_limit(x->j, "too many differences to align");
		return row && n * m > CELLS_MAX ? 0 : ERR_NOMEM;
	}
	for (size_t i = n; i-- > 0;) {
		uint32_t corner = row[m]; /* of the row below, one to the right */

		for (size_t k = m; k-- > 0;) {
			unsigned s = score(&x->a[r->a0 + i], &x->b[r->b0 + k]);
			uint32_t below = row[k], right = row[k + 1];
			uint32_t best = below >= right ? below : right;
			char *cell = &step[i * m + k];

			*cell = below >= right ? 'a' : 'b';
			if (s && corner + s > best) {
				best = corner + s;
				*cell = '=';
			}
			corner = below;
			row[k] = best;
		}
	}
	for (size_t i = 0, k = 0; i < n && k < m;) {
		char c = step[i * m + k];

		if (c == '=')
			x->match[r->a0 + i] = (uint32_t)(r->b0 + k);
		i += c != 'b';
		k += c != 'a';
	}
	free(step);
	free(row);
	return 0;
}

static bool has_equal_shapes(const struct aligner *x, const struct range *r)
{
	if (r->a1 - r->a0 != r->b1 - r->b0)
		return false;
	for (uint32_t i = 0; i < r->a1 - r->a0; i++)
		if (x->a[r->a0 + i].shape != x->b[r->b0 + i].shape)
			return false;
	return true;
}

static void pair_all(struct aligner *x, const struct range *r)
{
	for (uint32_t i = 0; i < r->a1 - r->a0; i++)
		x->match[r->a0 + i] = r->b0 + i;
}

/* Pairs what is equal at both ends of a range. */
static void trim(struct aligner *x, struct range *r)
{
	while (r->a0 < r->a1 && r->b0 < r->b1 && x->a[r->a0].key == x->b[r->b0].key)
		x->match[r->a0++] = r->b0++;
	while (r->a0 < r->a1 && r->b0 < r->b1 && x->a[r->a1 - 1].key == x->b[r->b1 - 1].key)
		x->match[--r->a1] = --r->b1;
}

static int align_range(struct aligner *x, struct range r)
{
	size_t count;
	int rc = 0;

	trim(x, &r);
	if (r.a0 == r.a1 || r.b0 == r.b1)
		return 0;
	if (has_equal_shapes(x, &r)) {
		pair_all(x, &r);
		return 0;
	}
	if (!spend(x, (uint64_t)(r.a1 - r.a0 + r.b1 - r.b0) * WORK_PER_TOKEN))
		return 0;
	count = keep_rising(x, find_anchors(x, &r));
	if (count == 0)
		return spend(x, (uint64_t)(r.a1 - r.a0) * (r.b1 - r.b0)) ? align_cells(x, &r) : 0;
	for (size_t i = 0; i < count && rc == 0; i++) {
		struct anchor at = x->anchors[i];

		x->match[at.a] = at.b;
		rc = range_vec_push(&x->todo, (struct range){r.a0, at.a, r.b0, at.b});
		r.a0 = at.a + 1;
		r.b0 = at.b + 1;
	}
	return rc ? rc : range_vec_push(&x->todo, r);
}

int proof_align(struct judge *j, const struct proof_tokens *a, const struct proof_tokens *b,
	uint32_t *ret_match)
{
	size_t smaller = a->list.len < b->list.len ? a->list.len : b->list.len;
	struct range all = {0, (uint32_t)a->list.len, 0, (uint32_t)b->list.len};
	struct aligner x = {.j = j, .a = a->list.ptr, .b = b->list.ptr, .match = ret_match};
	int rc;

	for (size_t i = 0; i < a->list.len; i++)
		ret_match[i] = NO_TOKEN;
	if (has_equal_shapes(&x, &all)) {
		pair_all(&x, &all);
		return 0;
	}
	trim(&x, &all);
	x.once = malloc((all.a1 - all.a0 + all.b1 - all.b0 + 1) * sizeof *x.once);
	x.anchors = malloc((smaller + 1) * sizeof *x.anchors);
	x.tails = malloc((smaller + 1) * sizeof *x.tails);
	x.back = malloc((smaller + 1) * sizeof *x.back);
	rc = x.once && x.anchors && x.tails && x.back ? range_vec_push(&x.todo, all) : ERR_NOMEM;
	while (rc == 0 && x.todo.len && !j->is_done)
		rc = align_range(&x, range_vec_pop(&x.todo));
	free(x.once);
	free(x.anchors);
	free(x.tails);
	free(x.back);
	range_vec_release(&x.todo);
	return rc;
}
