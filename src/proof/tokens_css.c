/*
 * CSS as tokens (CSS Syntax, section 4). White space is part of the token behind it where it means
 * something: between two parts of a selector or of a value. Comments are skipped.
 */
#include "base/word.h"
#include "proof/tokens.h"

struct reader {
	struct proof_tokens *t;
	slice in;
	size_t at;
	bool has_space;
};

static bool is_name(char c)
{
	return word_is_alnum(c) || c == '_' || c == '-' || (unsigned char)c >= 0x80 || c == '\\';
}

static const struct proof_token *last(const struct reader *r)
{
	return r->t->list.len ? &r->t->list.ptr[r->t->list.len - 1] : NULL;
}

/* The colon of a declaration: "{ color:" or "; color:". */
static bool ends_property(const struct reader *r)
{
	size_t n = r->t->list.len;
	const struct proof_token *list = r->t->list.ptr;

	if (n < 2 || list[n - 2].kind != TOKEN_WORD)
		return false;
	return n == 2 ? r->t->format == FORMAT_DECLARATIONS
		      : list[n - 3].kind == TOKEN_SIGN && strchr("{;}", list[n - 3].sign);
}

/* Whether the white space between the last token and one that begins with c means something. */
static bool space_counts(const struct reader *r, enum token_kind kind, char c)
{
	const struct proof_token *before = last(r);

	if (!r->has_space || !before)
		return false;
	if (kind == TOKEN_SIGN && strchr("{};,)!", c))
		return false;
	if (before->kind != TOKEN_SIGN)
		return true;
	return !strchr("{};,(", before->sign) && !(before->sign == ':' && ends_property(r));
}

static int add(struct reader *r, enum token_kind kind, size_t from, slice text, char sign)
{
	struct proof_token token = {.kind = (uint8_t)kind,
		.text = text,
		.full = slice_sub(r->in, from, r->at),
		.from = (uint32_t)from,
		.to = (uint32_t)r->at,
		.element = NO_TOKEN,
		.sign = sign,
		.is_spaced = space_counts(r, kind, r->in.ptr[from])};
	struct {
		uint8_t kind;
		char sign;
		bool spaced;
	} head = {(uint8_t)kind, sign, token.is_spaced};
	slice bytes = {(const char *)&head, sizeof head};

	token.key = proof_hash(proof_hash(1, bytes), text);
	token.shape = proof_hash(2, bytes);
	if (kind != TOKEN_URL && kind != TOKEN_HASH && kind != TOKEN_STRING &&
		kind != TOKEN_NUMBER && sign != '.')
		token.shape = proof_hash(token.shape, text);
	r->has_space = false;
	return proof_tokens_add(r->t, token);
}

static void pass_name(struct reader *r)
{
	while (r->at < r->in.len && is_name(r->in.ptr[r->at])) {
		if (r->in.ptr[r->at] == '\\' && r->at + 1 < r->in.len)
			r->at++;
		r->at++;
	}
}

static int read_string(struct reader *r)
{
	size_t from = r->at++;
	char quote = r->in.ptr[from];

	for (; r->at < r->in.len; r->at++) {
		char c = r->in.ptr[r->at];

		if (c == quote) {
			slice text = slice_sub(r->in, from + 1, r->at);

			r->at++;
			return add(r, TOKEN_STRING, from, text, quote);
		}
		if (c == '\\' && r->at + 1 < r->in.len)
			r->at++;
		else if (c == '\n' || c == '\r' || c == '\f')
			break;
	}
	return add(r, TOKEN_WORD, from, slice_sub(r->in, from, r->at), quote);
}

/* Behind "url(" without a quote: to the bracket. */
static int read_url(struct reader *r, size_t from)
{
	const char *end = memchr(r->in.ptr + r->at, ')', r->in.len - r->at);
	size_t to = end ? (size_t)(end - r->in.ptr) : r->in.len;
	slice text = word_trim(slice_sub(r->in, r->at, to));

	if (!end || (text.len && memchr(text.ptr, '\\', text.len)))
		text = slice_sub(r->in, from, to);
	r->at = end ? to + 1 : to;
	return add(r, TOKEN_URL, from, text, 'u');
}

static int read_word(struct reader *r)
{
	size_t from = r->at;
	const struct proof_token *before = last(r);
	slice text;
	char sign = 'a';

	pass_name(r);
	text = slice_sub(r->in, from, r->at);
	if (word_is(text, SLICE("url")) && r->at < r->in.len && r->in.ptr[r->at] == '(') {
		size_t ahead = r->at + 1;

		while (ahead < r->in.len && word_is_space(r->in.ptr[ahead]))
			ahead++;
		if (ahead < r->in.len && r->in.ptr[ahead] != '"' && r->in.ptr[ahead] != '\'') {
			r->at++;
			return read_url(r, from);
		}
	}
	if (before && !r->has_space && before->kind == TOKEN_SIGN && before->sign == '.' &&
		before->to == from)
		sign = '.';
	return add(r, TOKEN_WORD, from, text, sign);
}

static int read_number(struct reader *r)
{
	size_t from = r->at;

	while (r->at < r->in.len && (word_is_digit(r->in.ptr[r->at]) || r->in.ptr[r->at] == '.'))
		r->at++;
	pass_name(r);
	if (r->at < r->in.len && r->in.ptr[r->at] == '%')
		r->at++;
	return add(r, TOKEN_NUMBER, from, slice_sub(r->in, from, r->at), '0');
}

static int read_one(struct reader *r)
{
	char c = r->in.ptr[r->at];
	char next = (char)(r->at + 1 < r->in.len ? r->in.ptr[r->at + 1] : '\0');
	size_t from = r->at;

	if (word_is_space(c)) {
		r->has_space = true;
		r->at++;
		return 0;
	}
	if (c == '/' && next == '*') {
		const char *end = memmem(r->in.ptr + from + 2, r->in.len - from - 2, "*/", 2);

		r->at = end ? (size_t)(end - r->in.ptr) + 2 : r->in.len;
		if (from + 2 < r->in.len && r->in.ptr[from + 2] == '#') /* a source map */
			return add(r, TOKEN_WORD, from, slice_sub(r->in, from, r->at), '#');
		return proof_tokens_skip(r->t, from, r->at, IGNORE_NONE);
	}
	if (c == '"' || c == '\'')
		return read_string(r);
	if (word_is_digit(c) || (c == '.' && word_is_digit(next)))
		return read_number(r);
	if ((c == '#' || c == '@') && is_name(next)) {
		r->at++;
		pass_name(r);
		return add(r, c == '#' ? TOKEN_HASH : TOKEN_AT, from,
			slice_sub(r->in, from + 1, r->at), c);
	}
	if (is_name(c))
		return read_word(r);
	r->at++;
	return add(r, TOKEN_SIGN, from, slice_sub(r->in, from, r->at), c);
}

int proof_read_css(struct proof_tokens *t)
{
	struct reader r = {.t = t, .in = t->source};
	int rc = 0;

	while (rc == 0 && r.at < r.in.len && !t->limit)
		rc = read_one(&r);
	return rc;
}
