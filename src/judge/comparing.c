#include "judge/comparing.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/lists.h"
#include "quality/pair.h"

static int by_page_and_time(const void *a, const void *b, void *context)
{
	const struct judge_look *list = context;
	const struct judge_look *x = &list[*(const uint32_t *)a], *y = &list[*(const uint32_t *)b];

	if (x->page != y->page)
		return x->page < y->page ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

/* Usable looks by page and time. */
static int sort_looks(const struct judge_looks *looks, struct u32_vec *order)
{
	int rc = u32_vec_reserve(order, looks->list.len);

	for (size_t i = 0; rc == 0 && i < looks->list.len; i++) {
		struct observation o = judge_look_observe(looks, &looks->list.ptr[i]);

		if (!looks->list.ptr[i].dropped && observation_is_usable(&o) && o.status < 400)
			rc = u32_vec_push(order, (uint32_t)i);
	}
	if (rc == 0 && order->len > 1)
		qsort_r(order->ptr, order->len, sizeof *order->ptr, by_page_and_time,
			looks->list.ptr);
	return rc;
}

/* The look that has the body. */
static struct judge_look *body_of(const struct judge_looks *looks, struct judge_look *look)
{
	return look->is_revisit ? &looks->list.ptr[look->original] : look;
}

/* Whether two looks in a row are to be compared by their bodies. */
static bool may_compare(const struct judge_look *a, const struct judge_look *b)
{
	return a->page == b->page && a->status == b->status && a->head && a->head == b->head &&
	       !a->close_delimited && !b->close_delimited && a->decoded && b->decoded &&
	       !digest_eq(&a->state, &b->state);
}

int judge_comparing_want(struct judge_looks *looks, bool *ret_any)
{
	struct u32_vec order = {0};
	int rc = sort_looks(looks, &order);

	*ret_any = false;
	for (size_t i = 1; rc == 0 && i < order.len; i++) {
		struct judge_look *a = &looks->list.ptr[order.ptr[i - 1]];
		struct judge_look *b = &looks->list.ptr[order.ptr[i]];

		if (!may_compare(a, b))
			continue;
		body_of(looks, a)->wants_body = body_of(looks, b)->wants_body = true;
		*ret_any = true;
	}
	u32_vec_release(&order);
	return rc;
}

static int read_body(
	const struct spill *bodies, const struct judge_look *of, struct buf *out, struct err *err)
{
	int rc;

	buf_reset(out);
	rc = err_code(err, buf_reserve(out, of->body_size));
	if (rc == 0 && of->body_size)
		rc = spill_read(bodies, of->body_at, out->ptr, of->body_size, err);
	if (rc == 0)
		out->len = of->body_size;
	return rc;
}

struct comparing {
	struct judge_looks *looks;
	const struct spill *bodies;
	const struct rulebook *book;
	struct buf a, b;
};

static struct proof_look side(
	const struct comparing *k, const struct judge_look *look, const struct buf *body)
{
	return (struct proof_look){.body = buf_slice(body),
		.media_type = words_text(&k->looks->words, look->content_type),
		.time = look->exact ? look->begin : look->date};
}

static int compare(struct comparing *k, struct judge_look *a, struct judge_look *b, struct err *err)
{
	struct pair p = {.same_heads = true};
	char rules[PAIR_RULES_SIZE];
	struct same_key before;
	int rc = read_body(k->bodies, body_of(k->looks, a), &k->a, err);

	if (rc == 0)
		rc = read_body(k->bodies, body_of(k->looks, b), &k->b, err);
	if (rc)
		return rc;
	rc = proof_compare(&(struct proof_params){.a = side(k, a, &k->a),
				   .b = side(k, b, &k->b),
				   .url = words_text(&k->looks->pages, b->page),
				   .off = k->book->off,
				   .ignore = k->book->has_ignore ? &k->book->ignore : NULL,
				   .all = true},
		&p.proof);
	p.explained = rc == 0 && p.proof.same != PROOF_DIFFERENT;
	if (rc == 0) {
		before = judge_look_observe(k->looks, a).key;
		pair_describe(&p, rules, &b->masked);
		b->rule_set = NOISE_RULES_VERSION;
		b->has_class = p.explained && p.proof.duties.len == 0;
		b->class = *same_class(&before);
		b->masked = b->has_class ? b->masked : 0;
		rc = words_number(&k->looks->words, slice_str(rules), &b->rules);
	}
	proof_release(&p.proof);
	return err_code(err, rc);
}

int judge_comparing_run(struct judge_looks *looks, const struct spill *bodies,
	const struct rulebook *book, struct err *err)
{
	struct comparing k = {.looks = looks, .bodies = bodies, .book = book};
	struct u32_vec order = {0};
	int rc = err_code(err, sort_looks(looks, &order));

	buf_init(&k.a, PROOF_BODY_MAX + 1);
	buf_init(&k.b, PROOF_BODY_MAX + 1);
	for (size_t i = 1; rc == 0 && i < order.len; i++) {
		struct judge_look *a = &looks->list.ptr[order.ptr[i - 1]];
		struct judge_look *b = &looks->list.ptr[order.ptr[i]];

		if (may_compare(a, b) && body_of(looks, a)->has_body && body_of(looks, b)->has_body)
			rc = compare(&k, a, b, err);
	}
	buf_release(&k.a);
	buf_release(&k.b);
	u32_vec_release(&order);
	return rc;
}
