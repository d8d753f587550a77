#include "quality/change_diff.h"

#include "base/err.h"

enum { WINDOW = 128 }; /* items that are passed over to find equal ones again */

struct side {
	const struct view *view;
	size_t at;
};

static bool equal(const struct side *a, size_t i, const struct side *b, size_t k)
{
	const struct view_item *x = &a->view->items.ptr[i], *y = &b->view->items.ptr[k];

	if (x->kind != y->kind || x->len != y->len)
		return false;
	if (x->attr != y->attr && (!x->attr || !y->attr || strcmp(x->attr, y->attr) != 0))
		return false;
	return slice_eq(view_item_text(a->view, x), view_item_text(b->view, y));
}

static size_t left(const struct side *s)
{
	return s->view->items.len - s->at;
}

/* Finds the nearest equal items ahead: so many are to be passed over on each side. */
static bool find_again(const struct side *a, const struct side *b, size_t *ret_a, size_t *ret_b)
{
	for (size_t sum = 1; sum < WINDOW; sum++) {
		for (size_t skip = 0; skip <= sum; skip++) {
			if (skip >= left(a) || sum - skip >= left(b))
				continue;
			if (!equal(a, a->at + skip, b, b->at + sum - skip))
				continue;
			*ret_a = skip;
			*ret_b = sum - skip;
			return true;
		}
	}
	return false;
}

static slice shown(const struct side *s, size_t item)
{
	slice text = view_item_text(s->view, &s->view->items.ptr[item]);

	if (text.len <= CHANGE_SHOWN_MAX)
		return text;
	text.len = CHANGE_SHOWN_MAX;
	while (text.len && (text.ptr[text.len] & 0xc0) == 0x80)
		text.len--;
	return text;
}

static int keep(struct change *c, slice text, slice *ret)
{
	char *copy = arena_strdup(&c->arena, text);

	if (!copy)
		return ERR_NOMEM;
	*ret = (slice){copy, text.len};
	return 0;
}

/* Lists a pair of items, of which one may be missing. */
static int list(struct change *c, const struct side *a, bool in_a, const struct side *b, bool in_b)
{
	const struct side *s = in_a ? a : b;
	struct change_difference d = {0};
	struct buf place;
	int rc;

	buf_init(&place, VIEW_PLACE_MAX * 2);
	rc = view_place(s->view, &s->view->items.ptr[s->at], &place);
	if (rc == 0 && place.len == 0)
		rc = buf_add_str(&place, view_kind_name(s->view->items.ptr[s->at].kind));
	if (rc == 0 || rc == ERR_LIMIT)
		rc = keep(c, place.len ? buf_slice(&place) : SLICE(""), &d.where);
	if (rc == 0 && in_a)
		rc = keep(c, shown(a, a->at), &d.a);
	if (rc == 0 && in_b)
		rc = keep(c, shown(b, b->at), &d.b);
	if (rc == 0)
		c->differs[c->differ_count++] = d;
	buf_release(&place);
	return rc;
}

static enum view_kind kind_at(const struct side *s)
{
	return s->view->items.ptr[s->at].kind;
}

/* Lists what lies between here and the next equal items; only the like is set against the like. */
static int list_gap(struct change *c, struct side *a, size_t skip_a, struct side *b, size_t skip_b)
{
	int rc = 0;

	while ((skip_a || skip_b) && c->differ_count < CHANGE_DIFFERS_MAX && rc == 0) {
		bool pair = skip_a && skip_b && kind_at(a) == kind_at(b);
		bool in_a = skip_a && (pair || skip_a >= skip_b);
		bool in_b = pair || !in_a;

		rc = list(c, a, in_a, b, in_b);
		a->at += in_a;
		b->at += in_b;
		skip_a -= in_a;
		skip_b -= in_b;
	}
	return rc;
}

int change_diff(struct change *c, const struct view *view_a, const struct view *view_b)
{
	struct side a = {view_a, 0}, b = {view_b, 0};
	int rc = 0;

	while (rc == 0 && c->differ_count < CHANGE_DIFFERS_MAX) {
		size_t skip_a, skip_b;

		while (left(&a) && left(&b) && equal(&a, a.at, &b, b.at)) {
			a.at++;
			b.at++;
		}
		if (left(&a) == 0 && left(&b) == 0)
			break;
		if (!find_again(&a, &b, &skip_a, &skip_b)) {
			skip_a = left(&a) > 0;
			skip_b = left(&b) > 0;
		}
		rc = list_gap(c, &a, skip_a, &b, skip_b);
	}
	return rc;
}
