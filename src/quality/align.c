#include "quality/align.h"

#include <stdbool.h>
#include <stdlib.h>

struct lists {
	const struct align_item *a, *b;
	struct align_rows *out;
	unsigned depth;
};

/* Elements [a, a_end) of the one and [b, b_end) of the other. */
struct part {
	uint32_t a, a_end, b, b_end;
};

static int add(struct lists *l, uint32_t a, uint32_t b)
{
	return align_rows_push(l->out, (struct align_row){a, b});
}

static bool equal(const struct lists *l, uint32_t a, uint32_t b)
{
	return l->a[a].key == l->b[b].key;
}

/* Nothing in the part is common. */
static int add_replaced(struct lists *l, struct part p)
{
	int rc = 0;

	while (rc == 0 && (p.a < p.a_end || p.b < p.b_end)) {
		uint32_t left_a = p.a_end - p.a, left_b = p.b_end - p.b;
		bool pair = left_a && left_b && l->a[p.a].kind == l->b[p.b].kind;
		bool in_a = left_a && (pair || left_a >= left_b);
		bool in_b = pair || !in_a;

		rc = add(l, in_a ? p.a : ALIGN_NONE, in_b ? p.b : ALIGN_NONE);
		p.a += in_a;
		p.b += in_b;
	}
	return rc;
}

/* lengths[i * width + k]: of the longest common subsequence behind i and k. */
static void fill(const struct lists *l, struct part p, uint32_t *lengths)
{
	size_t rows = p.a_end - p.a, width = (size_t)(p.b_end - p.b) + 1;

	for (size_t i = rows; i-- > 0;)
		for (size_t k = width - 1; k-- > 0;) {
			uint32_t below = lengths[(i + 1) * width + k];
			uint32_t right = lengths[i * width + k + 1];

			lengths[i * width + k] = equal(l, p.a + (uint32_t)i, p.b + (uint32_t)k)
							 ? lengths[(i + 1) * width + k + 1] + 1
						 : below > right ? below
								 : right;
		}
}

static int add_small(struct lists *l, struct part p)
{
	size_t rows = p.a_end - p.a, width = (size_t)(p.b_end - p.b) + 1, i = 0, k = 0;
	uint32_t *lengths = calloc((rows + 1) * width, sizeof *lengths);
	struct part gap = p;
	int rc = 0;

	if (!lengths)
		return ERR_NOMEM;
	fill(l, p, lengths);
	while (rc == 0 && i < rows && k + 1 < width) {
		uint32_t at_a = p.a + (uint32_t)i, at_b = p.b + (uint32_t)k;

		if (equal(l, at_a, at_b)) {
			rc = add_replaced(l, (struct part){gap.a, at_a, gap.b, at_b});
			if (rc == 0)
				rc = add(l, at_a, at_b);
			gap.a = at_a + 1;
			gap.b = at_b + 1;
			i++;
			k++;
		} else if (lengths[(i + 1) * width + k] >= lengths[i * width + k + 1]) {
			i++;
		} else {
			k++;
		}
	}
	free(lengths);
	return rc ? rc : add_replaced(l, gap);
}

/* ---- elements that both have once ---- */

struct place {
	uint64_t key;
	uint32_t at;
};

struct anchor {
	uint32_t a, b;
	uint32_t before; /* the anchor in front of it in the longest chain; ALIGN_NONE */
};

VEC_DECLARE(places, struct place);
VEC_DECLARE(anchors, struct anchor);

static int compare_places(const void *x, const void *y)
{
	const struct place *a = x, *b = y;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

static int compare_anchors(const void *x, const void *y)
{
	const struct anchor *a = x, *b = y;

	return a->a < b->a ? -1 : a->a > b->a;
}

/* Elements that are there once, by their keys. */
static int list_unique(
	const struct align_item *items, uint32_t from, uint32_t to, struct places *out)
{
	size_t kept = 0;
	int rc = 0;

	for (uint32_t i = from; rc == 0 && i < to; i++)
		rc = places_push(out, (struct place){items[i].key, i});
	if (rc || out->len == 0)
		return rc;
	qsort(out->ptr, out->len, sizeof *out->ptr, compare_places);
	for (size_t i = 0, next; i < out->len; i = next) {
		for (next = i + 1; next < out->len && out->ptr[next].key == out->ptr[i].key;)
			next++;
		if (next == i + 1)
			out->ptr[kept++] = out->ptr[i];
	}
	out->len = kept;
	return 0;
}

static int find_anchors(const struct lists *l, struct part p, struct anchors *out)
{
	struct places a = {0}, b = {0};
	int rc = list_unique(l->a, p.a, p.a_end, &a);

	if (rc == 0)
		rc = list_unique(l->b, p.b, p.b_end, &b);
	for (size_t i = 0, k = 0; rc == 0 && i < a.len && k < b.len;) {
		if (a.ptr[i].key == b.ptr[k].key) {
			rc = anchors_push(
				out, (struct anchor){a.ptr[i++].at, b.ptr[k++].at, ALIGN_NONE});
			continue;
		}
		*(a.ptr[i].key < b.ptr[k].key ? &i : &k) += 1;
	}
	if (rc == 0 && out->len)
		qsort(out->ptr, out->len, sizeof *out->ptr, compare_anchors);
	places_release(&a);
	places_release(&b);
	return rc;
}

/* Keeps the longest chain of anchors that ascends on both sides. */
static int keep_chain(struct anchors *list)
{
	uint32_t *tops = calloc(list->len, sizeof *tops); /* by length: where the chain ends */
	struct anchors chain = {0};
	uint32_t longest = 0;

	if (!tops || anchors_reserve(&chain, list->len)) {
		free(tops);
		return ERR_NOMEM;
	}
	for (uint32_t i = 0; i < list->len; i++) {
		uint32_t low = 0, high = longest;

		while (low < high) {
			uint32_t middle = low + (high - low) / 2;

			if (list->ptr[tops[middle]].b < list->ptr[i].b)
				low = middle + 1;
			else
				high = middle;
		}
		list->ptr[i].before = low ? tops[low - 1] : ALIGN_NONE;
		tops[low] = i;
		longest += low == longest;
	}
	chain.len = longest;
	for (uint32_t at = tops[longest - 1], n = longest; n > 0; at = list->ptr[at].before)
		chain.ptr[--n] = list->ptr[at];
	free(tops);
	anchors_release(list);
	*list = chain;
	return 0;
}

/* ---- parts ---- */

static int add_part(struct lists *l, struct part p);

static int add_large(struct lists *l, struct part p)
{
	struct anchors list = {0};
	int rc = find_anchors(l, p, &list);

	if (rc == 0 && list.len)
		rc = keep_chain(&list);
	for (size_t i = 0; rc == 0 && i < list.len; i++) {
		struct anchor at = list.ptr[i];

		rc = add_part(l, (struct part){p.a, at.a, p.b, at.b});
		if (rc == 0)
			rc = add(l, at.a, at.b);
		p.a = at.a + 1;
		p.b = at.b + 1;
	}
	if (rc == 0)
		rc = list.len ? add_part(l, p) : add_replaced(l, p);
	anchors_release(&list);
	return rc;
}

static int add_middle(struct lists *l, struct part p)
{
	uint64_t cells = (uint64_t)(p.a_end - p.a) * (p.b_end - p.b);
	int rc;

	if (cells == 0)
		return add_replaced(l, p);
	if (cells <= ALIGN_CELLS_MAX)
		return add_small(l, p);
	if (l->depth == ALIGN_DEPTH_MAX)
		return add_replaced(l, p);
	l->depth++;
	rc = add_large(l, p);
	l->depth--;
	return rc;
}

static int add_part(struct lists *l, struct part p)
{
	uint32_t same = 0;
	int rc = 0;

	for (; rc == 0 && p.a < p.a_end && p.b < p.b_end && equal(l, p.a, p.b); p.a++, p.b++)
		rc = add(l, p.a, p.b);
	while (p.a < p.a_end && p.b < p.b_end && equal(l, p.a_end - 1, p.b_end - 1)) {
		p.a_end--;
		p.b_end--;
		same++;
	}
	if (rc == 0)
		rc = add_middle(l, p);
	for (uint32_t i = 0; rc == 0 && i < same; i++)
		rc = add(l, p.a_end + i, p.b_end + i);
	return rc;
}

int align(const struct align_items *a, const struct align_items *b, struct align_rows *out)
{
	struct lists l = {.a = a->ptr, .b = b->ptr, .out = out};

	return add_part(&l, (struct part){0, (uint32_t)a->len, 0, (uint32_t)b->len});
}
