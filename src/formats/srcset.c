#include "formats/srcset.h"

#include "base/parse.h"
#include "base/word.h"

void srcset_init(struct srcset *s, slice value)
{
	s->left = value;
}

/* "Valid non-negative integer": digits. One that is too large for us is taken as the largest. */
static bool read_integer(slice s, uint64_t *ret)
{
	if (s.len == 0)
		return false;
	for (size_t i = 0; i < s.len; i++)
		if (!word_is_digit(s.ptr[i]))
			return false;
	if (parse_u64(s, ret))
		*ret = UINT64_MAX;
	return true;
}

static size_t skip_digits(slice s, size_t at)
{
	while (at < s.len && word_is_digit(s.ptr[at]))
		at++;
	return at;
}

/* "Valid floating-point number" (HTML 2.3.4.3): no plus sign, digits behind a point. */
static bool is_valid_float(slice s)
{
	size_t at = s.len && s.ptr[0] == '-', digits = skip_digits(s, at), fraction;

	if (digits < s.len && s.ptr[digits] == '.') {
		fraction = skip_digits(s, digits + 1);
		if (fraction == digits + 1)
			return false;
		digits = fraction;
	} else if (digits == at) {
		return false;
	}
	if (digits == s.len || (s.ptr[digits] | 0x20) != 'e')
		return digits == s.len;
	at = digits + 1;
	at += at < s.len && (s.ptr[at] == '-' || s.ptr[at] == '+');
	return at < s.len && skip_digits(s, at) == s.len;
}

/* One step of the "descriptor parser"; false is its "error". */
static bool read_descriptor(slice text, struct srcset_candidate *c)
{
	slice number = slice_sub(text, 0, text.len - 1);

	switch (text.ptr[text.len - 1]) {
	case 'w':
		if (c->has_w || c->has_x || !read_integer(number, &c->w) || c->w == 0)
			return false;
		c->has_w = true;
		return true;
	case 'x':
		if (c->has_w || c->has_x || c->has_h || !is_valid_float(number) ||
			parse_double(number, &c->x) || c->x < 0)
			return false;
		c->has_x = true;
		return true;
	case 'h':
		if (c->has_h || c->has_x || !read_integer(number, &c->h) || c->h == 0)
			return false;
		c->has_h = true;
		return true;
	default:
		return false;
	}
}

/*
 * The next descriptor ("descriptor tokeniser"), empty at the end of the candidate: at the end of
 * the attribute, or behind a comma outside of parentheses.
 */
static slice next_descriptor(slice *left)
{
	bool in_parens = false;
	slice token;
	size_t at = 0;

	while (left->len && word_is_space(left->ptr[0]))
		*left = slice_sub(*left, 1, left->len);
	for (; at < left->len; at++) {
		char c = left->ptr[at];

		if (in_parens)
			in_parens = c != ')';
		else if (c == ',' || word_is_space(c))
			break;
		else
			in_parens = c == '(';
	}
	token = slice_sub(*left, 0, at);
	*left = slice_sub(*left, at, left->len);
	return token;
}

/* Reads all descriptors of a candidate and steps over its comma; whether they are right. */
static bool read_descriptors(slice *left, struct srcset_candidate *c)
{
	bool ok = true;

	for (;;) {
		slice token = next_descriptor(left);

		if (token.len)
			ok = read_descriptor(token, c) && ok;
		if (left->len == 0 || left->ptr[0] == ',')
			break;
	}
	if (left->len)
		*left = slice_sub(*left, 1, left->len);
	return ok && (!c->has_h || c->has_w);
}

bool srcset_next(struct srcset *s, struct srcset_candidate *ret_candidate)
{
	for (;;) {
		struct srcset_candidate c = {0};
		slice left = s->left;
		bool ok = true;
		size_t n = 0;

		while (left.len && (word_is_space(left.ptr[0]) || left.ptr[0] == ','))
			left = slice_sub(left, 1, left.len);
		while (n < left.len && !word_is_space(left.ptr[n]))
			n++;
		c.url = slice_sub(left, 0, n);
		s->left = slice_sub(left, n, left.len);
		if (n == 0)
			return false;
		if (c.url.ptr[n - 1] == ',') {
			while (c.url.len && c.url.ptr[c.url.len - 1] == ',')
				c.url.len--;
		} else {
			ok = read_descriptors(&s->left, &c);
		}
		if (ok) {
			*ret_candidate = c;
			return true;
		}
	}
}
