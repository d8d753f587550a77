/*
 * Two documents: read as tokens, aligned, and every difference handed to the part that knows its
 * kind. What is equal in meaning and differs in its bytes is named here.
 */
#include <stdlib.h>

#include "base/word.h"
#include "proof/proof_judge.h"

struct walk {
	struct judge *j;
	struct pairing pair;
	size_t skipped_a, skipped_b; /* cursors */
	uint32_t i, k;
	uint32_t last_i, last_k; /* the pair before; NO_TOKEN: none */
	bool is_good;
};

/* What stands in a range of the source beside tokens. */
struct between {
	struct buf space, comments, ignored;
	uint32_t rule; /* of the user, the first that ignored something */
};

static void between_init(struct between *b, size_t max)
{
	buf_init(&b->space, max);
	buf_init(&b->comments, max);
	buf_init(&b->ignored, max);
	b->rule = IGNORE_NONE;
}

static void between_release(struct between *b)
{
	buf_release(&b->space);
	buf_release(&b->comments);
	buf_release(&b->ignored);
}

static int read_between(const struct proof_tokens *t, size_t *cursor, uint32_t from, uint32_t to,
	struct between *out)
{
	int rc = 0;

	while (*cursor < t->skipped.len && t->skipped.ptr[*cursor].to <= from)
		++*cursor;
	for (size_t i = *cursor; rc == 0 && from < to; i++) {
		bool is_end = i >= t->skipped.len || t->skipped.ptr[i].from >= to;
		const struct proof_skipped *s = is_end ? NULL : &t->skipped.ptr[i];

		rc = buf_add(&out->space, slice_sub(t->source, from, s ? s->from : to));
		if (rc || !s)
			break;
		if (s->rule != IGNORE_NONE && out->rule == IGNORE_NONE)
			out->rule = s->rule;
		rc = buf_add(s->rule == IGNORE_NONE ? &out->comments : &out->ignored,
			slice_sub(t->source, s->from, s->to));
		from = s->to;
	}
	return rc;
}

static enum proof_rule_id comment_rule(enum proof_format format)
{
	if (format == FORMAT_HTML || format == FORMAT_XML)
		return RULE_COMMENT;
	return format == FORMAT_CSS || format == FORMAT_DECLARATIONS ? RULE_CSS_COMMENT
								     : RULE_SCRIPT_COMMENT;
}

static struct place place_of(const struct walk *w, uint32_t element)
{
	bool is_markup = w->pair.a->format == FORMAT_HTML || w->pair.a->format == FORMAT_XML;

	return (struct place){.outer = w->pair.place,
		.tokens = is_markup ? w->pair.a : NULL,
		.element = is_markup ? element : NO_TOKEN,
		.in = w->pair.place ? w->pair.place->in : PROOF_IN_TEXT};
}

/* --- white space of HTML --- */

static bool has_newline(slice s)
{
	return s.len && (memchr(s.ptr, '\n', s.len) || memchr(s.ptr, '\r', s.len));
}

/*
 * Whether two runs of white space that collapse alike may be told apart by a reader all the same.
 * CSS can show white space (white-space: pre-line) or lay blocks out in a line, where a blank
 * between them shows. Below any style sheet only indentation is sure: runs with a line's end
 * between the tags of two blocks, as every template has them. A style that shows those would show
 * the template's own lines. Beside words it may show a listing or a verse.
 */
static bool space_matters(const struct walk *w, bool between_blocks, slice a, slice b)
{
	const struct proof_tokens *x = w->pair.a, *y = w->pair.b;
	bool appears = a.len == 0 || b.len == 0;

	if (slice_eq(a, b))
		return false;
	if (appears && (x->lays_inline || y->lays_inline))
		return true;
	if (!x->has_sheet && !y->has_sheet)
		return false;
	if (!between_blocks)
		return true;
	return !(appears ? has_newline(a) || has_newline(b) : has_newline(a) && has_newline(b));
}

static bool is_block(const struct proof_tokens *t, size_t at)
{
	const struct proof_token *token = at < t->list.len ? &t->list.ptr[at] : NULL;

	if (!token)
		return true;
	if (token->kind != TOKEN_START && token->kind != TOKEN_END)
		return false;
	return proof_is_block(token->text) || proof_is_absent(token->text);
}

static slice leading(slice s)
{
	size_t i = 0;

	while (i < s.len && word_is_space(s.ptr[i]))
		i++;
	return slice_sub(s, 0, i);
}

static slice trailing(slice s)
{
	size_t i = s.len;

	while (i > 0 && word_is_space(s.ptr[i - 1]))
		i--;
	return slice_sub(s, i, s.len);
}

/* Texts that collapse alike: whether their runs may be told apart. */
static bool text_space_matters(const struct walk *w)
{
	const struct proof_tokens *x = w->pair.a, *y = w->pair.b;
	slice s = x->list.ptr[w->i].full, t = y->list.ptr[w->k].full;
	bool before = (w->i == 0 || is_block(x, w->i - 1)) && (w->k == 0 || is_block(y, w->k - 1));
	bool after = is_block(x, w->i + 1) && is_block(y, w->k + 1);

	if (leading(s).len == s.len || leading(t).len == t.len) /* one blank between two tags */
		return space_matters(w, before && after, s, t);
	return space_matters(w, false, leading(s), leading(t)) ||
	       space_matters(w, false, trailing(s), trailing(t)) || space_matters(w, false, s, t);
}

static bool space_between_matters(const struct walk *w, slice a, slice b)
{
	const struct proof_tokens *x = w->pair.a;

	if (x->format != FORMAT_HTML)
		return false;
	return space_matters(w, is_block(x, w->i) && (w->i == 0 || is_block(x, w->i - 1)), a, b);
}

/* --- what differs beside the tokens, or in how they are written --- */

/* Names the kinds of difference between what stands beside tokens on the two sides. */
static bool name_between(struct walk *w, struct between *a, struct between *b,
	const struct place *p, bool space_counts)
{
	slice sa = buf_slice(&a->space), sb = buf_slice(&b->space);
	bool good = true;

	if (!slice_eq(buf_slice(&a->ignored), buf_slice(&b->ignored)))
		good &= explain_ignored(w->j, a->rule == IGNORE_NONE ? b->rule : a->rule, p,
			buf_slice(&a->ignored), buf_slice(&b->ignored));
	if (!slice_eq(buf_slice(&a->comments), buf_slice(&b->comments)))
		good &= explain(w->j, comment_rule(w->pair.a->format), p, buf_slice(&a->comments),
				buf_slice(&b->comments)) ||
			unexplained(w->j, p, buf_slice(&a->comments), buf_slice(&b->comments));
	if (space_counts && !slice_eq(sa, sb)) {
		/* what a reader drops besides white space: a tag that does not end */
		bool matters =
			word_trim(sa).len || word_trim(sb).len || space_between_matters(w, sa, sb);

		good &= (!matters && explain(w->j, RULE_WHITE_SPACE, p, sa, sb)) ||
			unexplained(w->j, p, sa, sb);
	}
	return good;
}

/* Bytes between two pairs of tokens. */
static void compare_gap(struct walk *w, uint32_t a0, uint32_t a1, uint32_t b0, uint32_t b1)
{
	const struct proof_tokens *x = w->pair.a, *y = w->pair.b;
	uint32_t element = w->i < x->list.len ? x->list.ptr[w->i].element : NO_TOKEN;
	struct place p = place_of(w, element);
	struct between a, b;
	int rc;

	if (slice_eq(slice_sub(x->source, a0, a1), slice_sub(y->source, b0, b1)))
		return;
	between_init(&a, x->source.len + 1);
	between_init(&b, y->source.len + 1);
	rc = read_between(x, &w->skipped_a, a0, a1, &a);
	if (rc == 0)
		rc = read_between(y, &w->skipped_b, b0, b1, &b);
	if (rc == 0)
		w->is_good &= name_between(w, &a, &b, &p, true);
	failed(w->j, rc);
	between_release(&a);
	between_release(&b);
}

static enum proof_rule_id start_spelling(
	const struct proof_element *x, const struct proof_element *y)
{
	for (uint32_t i = 0; i < x->attr_count; i++) {
		const struct proof_attr *a = &x->attrs[i], *b = &y->attrs[i];

		if (slice_eq(a->given, b->given))
			continue;
		if (slice_eq(a->name, SLICE("class")))
			return RULE_CLASS_ORDER;
		if (slice_eq(a->name, SLICE("href")) || slice_eq(a->name, SLICE("data-cfemail")))
			return RULE_EMAIL;
	}
	for (uint32_t i = 0; i < x->attr_count; i++)
		if (!slice_eq(x->attrs[i].source, y->attrs[i].source))
			return RULE_SPELLING;
	for (uint32_t i = 1; i < x->attr_count; i++)
		if ((x->attrs[i].source.ptr > x->attrs[i - 1].source.ptr) !=
			(y->attrs[i].source.ptr > y->attrs[i - 1].source.ptr))
			return RULE_ATTRIBUTE_ORDER;
	return RULE_SPELLING;
}

/* Tokens that mean the same and are written in another way. */
static void compare_spelling(struct walk *w)
{
	const struct proof_tokens *x = w->pair.a, *y = w->pair.b;
	const struct proof_token *a = &x->list.ptr[w->i], *b = &y->list.ptr[w->k];
	slice sa = slice_sub(x->source, a->from, a->to), sb = slice_sub(y->source, b->from, b->to);
	struct place p = place_of(w, a->element);
	enum proof_rule_id rule = RULE_SPELLING;
	struct between ba, bb;
	bool good = true;
	int rc;

	if (slice_eq(sa, sb))
		return;
	if (a->kind == TOKEN_START)
		rule = start_spelling(&x->elements.ptr[a->element], &y->elements.ptr[b->element]);
	if (a->kind != TOKEN_TEXT && a->kind != TOKEN_KEPT_TEXT) {
		w->is_good &= explain(w->j, rule, &p, sa, sb) || unexplained(w->j, &p, sa, sb);
		return;
	}
	between_init(&ba, x->source.len + 1);
	between_init(&bb, y->source.len + 1);
	rc = read_between(x, &w->skipped_a, a->from, a->to, &ba);
	if (rc == 0)
		rc = read_between(y, &w->skipped_b, b->from, b->to, &bb);
	if (rc == 0)
		good = name_between(w, &ba, &bb, &p, false);
	if (rc == 0 && !slice_eq(buf_slice(&ba.space), buf_slice(&bb.space))) {
		bool matters = false;

		if (!slice_eq(a->full, b->full)) {
			rule = RULE_WHITE_SPACE;
			matters = x->format == FORMAT_HTML
					  ? text_space_matters(w)
					  : !has_newline(a->full) || !has_newline(b->full);
		}
		p.is_visible = p.is_prose = true;
		good &= (!matters && explain(w->j, rule, &p, sa, sb)) ||
			unexplained(w->j, &p, sa, sb);
	}
	w->is_good &= good;
	failed(w->j, rc);
	between_release(&ba);
	between_release(&bb);
}

/* --- the walk --- */

static bool are_equal(
	const struct walk *w, const struct proof_token *a, const struct proof_token *b)
{
	const struct proof_element *x, *y;

	if (a->key != b->key || a->kind != b->kind || a->sign != b->sign ||
		a->is_spaced != b->is_spaced || !slice_eq(a->text, b->text))
		return false;
	if (a->kind != TOKEN_START)
		return true;
	x = &w->pair.a->elements.ptr[a->element];
	y = &w->pair.b->elements.ptr[b->element];
	if (x->attr_count != y->attr_count)
		return false;
	for (uint32_t i = 0; i < x->attr_count; i++)
		if (!slice_eq(x->attrs[i].name, y->attrs[i].name) ||
			!slice_eq(x->attrs[i].value, y->attrs[i].value))
			return false;
	return true;
}

static bool compare_tokens(struct walk *w)
{
	switch (w->pair.a->format) {
	case FORMAT_HTML:
	case FORMAT_XML:
		return compare_markup_tokens(w->j, &w->pair, w->i, w->k);
	case FORMAT_SCRIPT:
	case FORMAT_JSON:
		return compare_script_tokens(w->j, &w->pair, w->i, w->k);
	case FORMAT_CSS:
	case FORMAT_DECLARATIONS:
		return compare_css_tokens(w->j, &w->pair, w->i, w->k);
	case FORMAT_PLAIN:
	case FORMAT_OPAQUE:
		break;
	}
	return compare_plain(w->j, w->pair.a->source, w->pair.b->source, w->pair.place);
}

static void compare_differing(struct walk *w)
{
	const struct proof_token *a = &w->pair.a->list.ptr[w->i], *b = &w->pair.b->list.ptr[w->k];
	struct place p = place_of(w, a->element);
	size_t places = w->j->out->places.len;
	bool good = compare_tokens(w);

	w->is_good &= must_tell(w->j, places, good, &p, a->text, b->text);
}

static void compare_pair(struct walk *w)
{
	const struct proof_tokens *x = w->pair.a, *y = w->pair.b;
	const struct proof_token *a = &x->list.ptr[w->i], *b = &y->list.ptr[w->k];
	bool follows = w->last_i == NO_TOKEN ? w->i == 0 && w->k == 0
					     : w->last_i + 1 == w->i && w->last_k + 1 == w->k;

	if (follows)
		compare_gap(w, w->i ? a[-1].to : 0, a->from, w->k ? b[-1].to : 0, b->from);
	if (are_equal(w, a, b))
		compare_spelling(w);
	else
		compare_differing(w);
	w->last_i = w->i;
	w->last_k = w->k;
}

static enum proof_in kind_of_lone(const struct walk *w, const struct proof_token *token)
{
	switch (w->pair.a->format) {
	case FORMAT_HTML:
	case FORMAT_XML:
		if (token->kind == TOKEN_TEXT || token->kind == TOKEN_KEPT_TEXT)
			return PROOF_IN_TEXT;
		return token->kind == TOKEN_RAW ? PROOF_IN_CODE : PROOF_IN_STRUCTURE;
	default:
		return w->pair.place ? w->pair.place->in : PROOF_IN_DATA;
	}
}

/* A token that only one side has. */
static void compare_lone(struct walk *w, const struct proof_tokens *t, uint32_t at)
{
	const struct proof_token *token = &t->list.ptr[at];
	slice shown = slice_sub(t->source, token->from, token->to);
	struct place p = place_of(w, NO_TOKEN);
	bool is_a = t == w->pair.a;

	if (!shown.len)
		shown = token->text;
	if (p.tokens) {
		p.tokens = t;
		p.element = token->element;
	}
	p.in = kind_of_lone(w, token);
	p.is_visible = p.in == PROOF_IN_TEXT;
	if (is_a)
		w->is_good &= unexplained(w->j, &p, shown, (slice){0});
	else
		w->is_good &= unexplained(w->j, &p, (slice){0}, shown);
}

/* --- blocks of inert data that stand elsewhere --- */

/* <script type=application/json>…</script>: three tokens, read by scripts wherever it stands. */
static bool is_inert(const struct proof_tokens *t, const uint32_t *match, size_t at)
{
	const struct proof_token *list = t->list.ptr + at;
	slice type;

	if (at + 2 >= t->list.len || list[0].kind != TOKEN_START || list[1].kind != TOKEN_RAW ||
		list[2].kind != TOKEN_END || match[at] != NO_TOKEN || match[at + 1] != NO_TOKEN ||
		match[at + 2] != NO_TOKEN || !slice_eq(list[0].text, SLICE("script")))
		return false;
	type = proof_attr(&t->elements.ptr[list[0].element], SLICE("type"));
	return word_is(type, SLICE("application/json"));
}

static bool are_same_block(const struct walk *w, size_t i, size_t k)
{
	for (size_t n = 0; n < 3; n++)
		if (!are_equal(w, &w->pair.a->list.ptr[i + n], &w->pair.b->list.ptr[k + n]))
			return false;
	return true;
}

/* Pairs them out of their order: tokens of such a block are MOVED on both sides. */
#define MOVED (UINT32_MAX - 1)
enum { BLOCKS_MAX = 64 };

static void find_moved(struct walk *w, uint32_t *match, uint32_t *back)
{
	const struct proof_tokens *a = w->pair.a, *b = w->pair.b;
	size_t found = 0;

	if (a->format != FORMAT_HTML)
		return;
	for (size_t i = 0; i < a->list.len && found < BLOCKS_MAX; i++) {
		if (!is_inert(a, match, i))
			continue;
		found++;
		for (size_t k = 0; k < b->list.len; k++) {
			struct place p = place_of(w, a->list.ptr[i].element);
			slice text = a->list.ptr[i + 1].text;

			if (b->list.ptr[k].key != a->list.ptr[i].key || !is_inert(b, back, k) ||
				!are_same_block(w, i, k))
				continue;
			p.in = PROOF_IN_DATA;
			if (!explain(w->j, RULE_MOVED_DATA, &p, text, text))
				return;
			for (size_t n = 0; n < 3; n++)
				match[i + n] = back[k + n] = MOVED;
			break;
		}
	}
}

static void walk(struct walk *w, const uint32_t *match, const uint32_t *back)
{
	const struct proof_tokens *a = w->pair.a, *b = w->pair.b;

	while ((w->i < a->list.len || w->k < b->list.len) && !w->j->is_done) {
		if (w->i < a->list.len && match[w->i] == MOVED) {
			w->i++;
		} else if (w->k < b->list.len && back[w->k] == MOVED) {
			w->k++;
		} else if (w->i < a->list.len && match[w->i] == NO_TOKEN) {
			compare_lone(w, a, w->i++);
		} else if (w->k < b->list.len && back[w->k] == NO_TOKEN) {
			compare_lone(w, b, w->k++);
		} else {
			compare_pair(w);
			w->i++;
			w->k++;
		}
	}
	if (w->j->is_done)
		w->is_good = false;
	else
		compare_gap(w, w->i ? a->list.ptr[w->i - 1].to : 0, (uint32_t)a->source.len,
			w->k ? b->list.ptr[w->k - 1].to : 0, (uint32_t)b->source.len);
}

static bool compare_aligned(struct judge *j, const struct proof_tokens *a,
	const struct proof_tokens *b, const struct place *p)
{
	struct walk w = {
		.j = j, .pair = {a, b, p}, .last_i = NO_TOKEN, .last_k = NO_TOKEN, .is_good = true};
	uint32_t *match = malloc((a->list.len + 1) * sizeof *match);
	uint32_t *back = calloc(b->list.len + 1, sizeof *back);
	int rc = match && back ? proof_align(j, a, b, match) : ERR_NOMEM;

	if (rc == 0 && !j->is_done) {
		for (size_t i = 0; i < b->list.len; i++)
			back[i] = NO_TOKEN;
		for (size_t i = 0; i < a->list.len; i++)
			if (match[i] != NO_TOKEN)
				back[match[i]] = (uint32_t)i;
		find_moved(&w, match, back);
		walk(&w, match, back);
	}
	failed(j, rc);
	free(match);
	free(back);
	return w.is_good && !j->is_done;
}

/* --- the end of a document --- */

/* The last token closes what the first one that opens has opened, and nothing did so before. */
static bool is_closed_at_end(const struct proof_tokens *t, size_t len)
{
	bool is_json = t->format == FORMAT_JSON;
	size_t depth = 0;

	for (size_t i = 0; i < len; i++) {
		const struct proof_token *token = &t->list.ptr[i];
		bool opens = token->kind == TOKEN_START, closes = token->kind == TOKEN_END;

		if (is_json) {
			opens = token->kind == TOKEN_SIGN && strchr("{[", token->sign);
			closes = token->kind == TOKEN_SIGN && strchr("}]", token->sign);
		}
		depth += opens;
		if (closes && (depth == 0 || --depth == 0))
			return i + 1 == len;
	}
	return false;
}

/*
 * Whether a document shows by itself that it is whole: </html>, the end of the root of XML, the end
 * of a value of JSON, and white space. Scripts, styles and texts have no end.
 */
static bool is_ended(const struct proof_tokens *t, slice *ret_rest)
{
	const struct proof_token *last;
	size_t len = t->list.len;

	while (len && t->list.ptr[len - 1].kind == TOKEN_TEXT)
		len--;
	if (!len || t->limit)
		return false;
	last = &t->list.ptr[len - 1];
	*ret_rest = slice_sub(t->source, last->to, t->source.len);
	if (word_trim(*ret_rest).len)
		return false;
	if (t->format == FORMAT_HTML)
		return last->kind == TOKEN_END && slice_eq(last->text, SLICE("html"));
	return (t->format == FORMAT_XML || t->format == FORMAT_JSON) && is_closed_at_end(t, len);
}

static bool are_ended(const struct proof_tokens *a, const struct proof_tokens *b)
{
	slice x, y;

	return is_ended(a, &x) && is_ended(b, &y) && slice_eq(x, y);
}

/* <base href>: what addresses of the page refer to. */
static void read_base(struct judge *j, const struct proof_tokens *t)
{
	for (size_t i = 0; i < t->elements.len && j->has_base; i++) {
		const struct proof_element *e = &t->elements.ptr[i];
		slice href = proof_attr(e, SLICE("href"));
		struct url url;

		if (!slice_eq(e->name, SLICE("base")) || !href.ptr)
			continue;
		url_init(&url);
		if (url_parse(&url, href, &j->base, NULL) == 0) {
			url_release(&j->base);
			j->base = url;
		} else {
			url_release(&url);
		}
		return;
	}
}

bool compare_documents(
	struct judge *j, enum proof_format format, slice a, slice b, const struct place *p)
{
	bool is_top = j->depth == 0, good = false;
	struct proof_tokens x, y;
	int rc;

	if (slice_eq(a, b))
		return true;
	if (j->depth >= JUDGE_DEPTH_MAX) {
		met_limit(j, "documents nested too deeply");
		return false;
	}
	j->depth++;
	proof_tokens_init(&x, a, format, &j->arena);
	proof_tokens_init(&y, b, format, &j->arena);
	/* How a script shows the markup of its strings is not known. */
	x.has_sheet = y.has_sheet = x.is_part = y.is_part = !is_top;
	rc = proof_tokens_read(&x, is_top && j->ignores ? &j->ignoring[0] : NULL);
	if (rc == 0 && !x.limit)
		rc = proof_tokens_read(&y, is_top && j->ignores ? &j->ignoring[1] : NULL);
	if (x.limit || y.limit)
		met_limit(j, x.limit ? x.limit : y.limit);
	failed(j, rc);
	if (is_top) {
		read_base(j, &x);
		j->top[0] = &x;
		j->top[1] = &y;
		j->visible[0] = x.text_bytes;
		j->visible[1] = y.text_bytes;
		j->out->is_ended = are_ended(&x, &y);
	}
	if (!j->is_done)
		good = compare_aligned(j, &x, &y, p);
	if (is_top)
		j->top[0] = j->top[1] = NULL;
	proof_tokens_release(&x);
	proof_tokens_release(&y);
	j->depth--;
	return good;
}
