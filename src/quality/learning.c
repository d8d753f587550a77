#include "quality/learning.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/parse.h"
#include "quality/change.h"
#include "quality/normal.h"
#include "quality/place.h"

/* ---- looks ---- */

bool learning_can_read(const struct attempt *a)
{
	return a->warc.ptr && !a->truncated && a->rule_set == NOISE_VERSION &&
	       !a->close_delimited && a->status >= 200 && a->status < 400;
}

/* A look and its view. */
struct side {
	struct look look;
	struct view view;
	struct learned_tally tally;
	bool readable;
};

/* What cannot be read is left out: only memory is worth an error. */
static int side_read(struct side *s, const struct look_source *from,
	const struct learning_pair *pair, const struct attempt *a)
{
	struct err err = {0};
	int rc = look_read(&s->look, from, a, &err);

	view_init(&s->view, NOISE_DEFAULT);
	s->readable = rc == 0 && s->look.whole && s->look.readable && !s->look.close_delimited;
	if (s->readable)
		rc = view_start(&s->view, pair->book, pair->url);
	if (s->readable && rc == 0)
		rc = change_view(
			buf_slice(&s->look.body), buf_slice(&s->look.media_type), &s->view);
	buf_release(&s->look.body);
	return rc == ERR_NOMEM ? rc : 0;
}

static void side_release(struct side *s)
{
	look_release(&s->look);
	view_release(&s->view);
}

/* Two looks at a page. */
struct sides {
	struct url url;
	struct side a, b;
	bool readable;
};

/* To be released in any case. 0 or ERR_NOMEM. */
static int sides_read(
	struct sides *s, const struct look_source *from, const struct learning_pair *pair)
{
	int rc;

	*s = (struct sides){0};
	url_init(&s->url);
	rc = url_parse(&s->url, pair->url, NULL, NULL);
	if (rc)
		return rc == ERR_NOMEM ? rc : 0;
	rc = side_read(&s->a, from, pair, pair->a);
	if (rc == 0)
		rc = side_read(&s->b, from, pair, pair->b);
	s->readable = rc == 0 && s->a.readable && s->b.readable;
	return rc;
}

static void sides_free(struct sides *s)
{
	if (!s)
		return;
	side_release(&s->a);
	side_release(&s->b);
	url_release(&s->url);
	free(s);
}

/* ---- learning ---- */

int learning_add(
	struct learner *l, const struct look_source *from, const struct learning_pair *pair)
{
	struct sides *s = malloc(sizeof *s);
	int rc = s ? sides_read(s, from, pair) : ERR_NOMEM;

	if (rc == 0 && s->readable)
		rc = learner_add(l, &s->url, &s->a.view, &s->b.view);
	sides_free(s);
	return rc;
}

/* ---- comparing ---- */

bool learning_applies(const struct learned *rules, slice url)
{
	struct buf directory;
	struct url parsed;
	bool applies;

	buf_init(&directory, LEARNED_LINE_MAX);
	url_init(&parsed);
	applies = url_parse(&parsed, url, NULL, NULL) == 0 &&
		  place_directory(&parsed, &directory) == 0 &&
		  learned_knows(rules, buf_slice(&directory));
	url_release(&parsed);
	buf_release(&directory);
	return applies;
}

static bool same_heads(const struct look *a, const struct look *b)
{
	return a->status == b->status &&
	       slice_eq(buf_slice(&a->location), buf_slice(&b->location)) &&
	       slice_eq(buf_slice(&a->media_type), buf_slice(&b->media_type));
}

static void add_rule(struct learning_same *ret, size_t *len, slice name, uint64_t count)
{
	int n = snprintf(ret->rules + *len, sizeof ret->rules - *len, "%s%.*s=%" PRIu64,
		*len ? " " : "", (int)name.len, name.ptr, count);

	/* A name that does not fit is left out whole. */
	if (n > 0 && *len + (size_t)n < sizeof ret->rules)
		*len += (size_t)n;
	ret->rules[*len] = '\0';
}

/* The rules that acted, and not on the same bytes: learned, built-in, the user's. */
static void list_rules(
	const struct learned *rules, const struct sides *s, struct learning_same *ret)
{
	const struct noise_tally *x = &s->a.view.noise.tally, *y = &s->b.view.noise.tally;
	const struct view_ignored *m = s->a.view.ignored.ptr, *n = s->b.view.ignored.ptr;
	size_t len = 0;

	for (size_t i = 0; i < rules->rules.len; i++) {
		uint32_t a = s->a.tally.rules[i].count, b = s->b.tally.rules[i].count;

		if (a != b || s->a.tally.rules[i].mark != s->b.tally.rules[i].mark)
			add_rule(ret, &len, rules->rules.ptr[i].label, a > b ? a : b);
	}
	for (unsigned i = 0; i < NOISE_RULE_COUNT; i++) {
		uint64_t a = x->rules[i].count, b = y->rules[i].count;

		if (a != b || x->rules[i].mark != y->rules[i].mark)
			add_rule(ret, &len, slice_str(noise_rule_name((enum noise_rule)i)),
				a > b ? a : b);
	}
	for (size_t i = 0; i < s->a.view.ignored.len && i < s->b.view.ignored.len; i++)
		if (m[i].count != n[i].count || m[i].mark != n[i].mark)
			add_rule(ret, &len, s->a.view.ignore.rules->rules.ptr[i].name,
				m[i].count > n[i].count ? m[i].count : n[i].count);
}

/* The digest of a view, if it may carry a claim (normal.h). */
static int take_digest(const struct view *v, bool *ret_has, unsigned *masked, struct digest *ret)
{
	unsigned share = normal_masked_share(v);
	int rc;

	*ret_has = !v->cut && v->visible > v->noise.tally.masked && share <= NORMAL_MASKED_MAX;
	*masked = share > *masked ? share : *masked;
	rc = *ret_has ? view_digest(v, ret) : 0;
	return rc;
}

static int compare(const struct learned *rules, struct sides *s, struct learning_same *ret)
{
	struct digest a = {0}, b = {0};
	bool has_a = false, has_b = false;
	int rc = learned_mask(rules, &s->url, &s->a.view, &s->a.tally);

	if (rc == 0)
		rc = learned_mask(rules, &s->url, &s->b.view, &s->b.tally);
	if (rc == 0)
		rc = take_digest(&s->a.view, &has_a, &ret->masked, &a);
	if (rc == 0)
		rc = take_digest(&s->b.view, &has_b, &ret->masked, &b);
	if (rc)
		return rc;
	ret->same = has_a && has_b && same_heads(&s->a.look, &s->b.look) && digest_eq(&a, &b);
	ret->digest = a;
	list_rules(rules, s, ret);
	return 0;
}

int learning_compare(const struct learned *rules, const struct look_source *from,
	const struct learning_pair *pair, struct learning_same *ret)
{
	struct sides *s = malloc(sizeof *s);
	int rc = s ? sides_read(s, from, pair) : ERR_NOMEM;

	*ret = (struct learning_same){0};
	if (rc == 0 && s->readable)
		rc = compare(rules, s, ret);
	sides_free(s);
	return rc;
}

/* ---- lines ---- */

int learning_rule_line(const struct learned_rule *rule, struct buf *out)
{
	int rc = buf_add_str(out, "rule ");

	return rc ? rc : learned_format(rule, out);
}

int learning_same_line(
	const struct learning_pair *pair, const struct learning_same *same, struct buf *out)
{
	char digest[DIGEST_TEXT_SIZE];
	size_t from;
	int rc;

	(void)digest_format(&same->digest, digest);
	rc = buf_printf(
		out, "same %u %u %s %u ", pair->a->number, pair->b->number, digest, same->masked);
	from = out->len;
	if (rc == 0)
		rc = buf_add_str(out, same->rules[0] ? same->rules : "-");
	for (size_t i = from; rc == 0 && i < out->len; i++)
		if (out->ptr[i] == ' ')
			out->ptr[i] = ',';
	return rc ? rc : buf_printf(out, " %.*s", (int)pair->url.len, pair->url.ptr);
}

static bool take_number(slice *left, unsigned *ret)
{
	uint64_t number;

	if (parse_u64(slice_take(left, ' '), &number) || number > UINT32_MAX)
		return false;
	*ret = (unsigned)number;
	return true;
}

static int parse_same(slice left, struct learning_line *ret)
{
	if (!take_number(&left, &ret->visit) || !take_number(&left, &ret->revisit) ||
		digest_parse(slice_take(&left, ' '), &ret->digest) ||
		!take_number(&left, &ret->masked) || ret->masked > NORMAL_MASKED_MAX)
		return ERR_SYNTAX;
	ret->rules = slice_take(&left, ' ');
	if (slice_eq(ret->rules, SLICE("-")))
		ret->rules.len = 0;
	ret->url = left;
	return left.len ? 0 : ERR_SYNTAX;
}

int learning_parse(slice line, struct learned *rules, struct learning_line *ret, bool *ret_is_same)
{
	slice left = line, word = slice_take(&left, ' ');

	*ret_is_same = slice_eq(word, SLICE("same"));
	if (*ret_is_same)
		return parse_same(left, ret);
	return slice_eq(word, SLICE("rule")) ? learned_parse(rules, left) : ERR_SYNTAX;
}
