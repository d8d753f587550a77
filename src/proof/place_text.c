/*
 * Text that readers see. It is content, but for values in known phrases (mask.h), and for what the
 * user's rules ignore. Phrases go on across inline elements, so the whole line is looked at.
 */
#include "base/word.h"
#include "proof/judge.h"
#include "proof/mask.h"

enum { LINE_TOKENS = 64, WORK_PER_BYTE = 16 };

/* The text of the line that a token is part of. */
struct line {
	struct buf text;
	size_t from, to; /* bytes that are the token's own */
};

static bool is_line_end(const struct proof_token *t)
{
	if (t->kind == TOKEN_TEXT || t->kind == TOKEN_KEPT_TEXT)
		return false;
	if (t->kind != TOKEN_START && t->kind != TOKEN_END)
		return true;
	return !proof_is_inline(t->text);
}

static int read_line(const struct proof_tokens *t, uint32_t at, struct line *out)
{
	uint32_t from = at, to = at + 1;
	int rc = 0;

	while (from > 0 && at - from < LINE_TOKENS && !is_line_end(&t->list.ptr[from - 1]))
		from--;
	while (to < t->list.len && to - at < LINE_TOKENS && !is_line_end(&t->list.ptr[to]))
		to++;
	for (uint32_t i = from; i < to && rc == 0; i++) {
		const struct proof_token *token = &t->list.ptr[i];

		if (i == at)
			out->from = out->text.len;
		if (token->kind == TOKEN_TEXT || token->kind == TOKEN_KEPT_TEXT)
			rc = buf_add(&out->text, token->text);
		if (i == at)
			out->to = out->text.len;
	}
	return rc;
}

static bool is_age(const struct proof_element *e)
{
	slice class = e ? proof_attr(e, SLICE("class")) : (slice){0}, word;

	while (word_next(&class, ' ', &word))
		if (slice_starts_with(word, SLICE("age")))
			return true;
	return false;
}

/* Tells which rules explain the spans of the token's part of the line. */
static bool explain_spans(struct judge *j, const struct masked *ma, const struct masked *mb,
	const struct line *a, const struct line *b, const struct place *p)
{
	bool good = false;

	for (size_t i = 0; i < ma->spans.len; i++) {
		const struct mask_span *x = &ma->spans.ptr[i], *y = &mb->spans.ptr[i];
		slice va = slice_sub(buf_slice(&a->text), x->from, x->to);
		slice vb = slice_sub(buf_slice(&b->text), y->from, y->to);

		if (slice_eq(va, vb) || x->to <= a->from || x->from >= a->to)
			continue;
		good |= x->kind == MASK_IGNORED
				? explain_ignored(j, x->ignored, p, va, vb)
				: explain_text(j, x->rule, p, va, vb, va.len, vb.len);
	}
	return good;
}

static bool are_alike(
	const struct judge *j, const struct masked *ma, const struct masked *mb, slice a, slice b)
{
	if (!ma->spans.len || ma->spans.len != mb->spans.len ||
		!slice_eq(buf_slice(&ma->text), buf_slice(&mb->text)))
		return false;
	for (size_t i = 0; i < ma->spans.len; i++) {
		const struct mask_span *x = &ma->spans.ptr[i], *y = &mb->spans.ptr[i];

		if (x->kind != y->kind || x->rule != y->rule ||
			!mask_fits(&j->looks, x, slice_sub(a, x->from, x->to), y,
				slice_sub(b, y->from, y->to)))
			return false;
	}
	return true;
}

static bool explain_lines(struct judge *j, const struct line *a, const struct line *b, bool age,
	const struct place *p)
{
	slice sa = buf_slice(&a->text), sb = buf_slice(&b->text);
	struct masked ma, mb;
	bool good = false;
	int rc;

	if (j->work < (sa.len + sb.len) * WORK_PER_BYTE)
		return false;
	j->work -= (sa.len + sb.len) * WORK_PER_BYTE;
	masked_init(&ma);
	masked_init(&mb);
	rc = mask_line(&ma, sa, age, j->params->off, j->ignores ? &j->ignoring[0] : NULL);
	if (rc == 0)
		rc = mask_line(&mb, sb, age, j->params->off, j->ignores ? &j->ignoring[1] : NULL);
	if (rc == 0 && are_alike(j, &ma, &mb, sa, sb))
		good = explain_spans(j, &ma, &mb, a, b, p);
	failed(j, rc == ERR_LIMIT ? 0 : rc);
	masked_release(&ma);
	masked_release(&mb);
	return good;
}

bool compare_text(
	struct judge *j, const struct pairing *pair, uint32_t i, uint32_t k, const struct place *p)
{
	const struct proof_token *x = &pair->a->list.ptr[i], *y = &pair->b->list.ptr[k];
	const struct proof_element *e =
		x->element == NO_TOKEN ? NULL : &pair->a->elements.ptr[x->element];
	struct line a = {0}, b = {0};
	bool good = false;
	int rc;

	buf_init(&a.text, MASK_LINE_MAX);
	buf_init(&b.text, MASK_LINE_MAX);
	rc = read_line(pair->a, i, &a);
	if (rc == 0)
		rc = read_line(pair->b, k, &b);
	if (rc == 0)
		good = explain_lines(j, &a, &b, is_age(e), p);
	failed(j, rc == ERR_LIMIT ? 0 : rc);
	buf_release(&a.text);
	buf_release(&b.text);
	return good || unexplained(j, p, x->text, y->text);
}

/* Plain text, line by line. */
bool compare_plain(struct judge *j, slice a, slice b, const struct place *p)
{
	bool good = true;

	while ((a.len || b.len) && good) {
		slice x = slice_take(&a, '\n'), y = slice_take(&b, '\n');
		struct line la = {.to = x.len}, lb = {.to = y.len};
		int rc;

		if (slice_eq(x, y))
			continue;
		buf_init(&la.text, MASK_LINE_MAX);
		buf_init(&lb.text, MASK_LINE_MAX);
		rc = buf_add(&la.text, x);
		if (rc == 0)
			rc = buf_add(&lb.text, y);
		good = (rc == 0 && explain_lines(j, &la, &lb, false, p)) || unexplained(j, p, x, y);
		failed(j, rc == ERR_LIMIT ? 0 : rc);
		buf_release(&la.text);
		buf_release(&lb.text);
		if (j->params->all && !j->is_done)
			good = true; /* goes on: unexplained has told */
	}
	return good;
}
