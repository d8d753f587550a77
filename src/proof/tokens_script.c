/*
 * JavaScript and JSON as tokens (ECMA-262, section 12). Every character is part of a token or is
 * white space or a comment between two.
 *
 * Whether a slash begins a regular expression or divides cannot always be told from tokens. Where
 * it cannot, or where a literal does not end, no comment is skipped from there on: it counts like
 * code. So a misread literal never hides anything.
 */
#include "base/word.h"
#include "proof/tokens.h"

enum { NEST_MAX = 512 };

struct reader {
	struct proof_tokens *t;
	slice in;
	size_t at;
	bool is_json;
	bool is_unsure; /* comments count */
	bool has_newline, has_gap;
	/* open brackets: '(' after if, while, for, with; 'c' for other '('; '{'; '`' for ${ */
	char open[NEST_MAX];
	size_t depth;
	char closed; /* what the last ')' or '}' closed */
};

static const struct proof_token *last(const struct reader *r)
{
	return r->t->list.len ? &r->t->list.ptr[r->t->list.len - 1] : NULL;
}

static bool is_name(char c)
{
	return word_is_alnum(c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static char peek(const struct reader *r, size_t ahead)
{
	return (char)(r->at + ahead < r->in.len ? r->in.ptr[r->at + ahead] : '\0');
}

/* Signs that would be another operator were they joined. */
static bool joins(char before, char c)
{
	return (c == before && strchr("+-=&|?*<>", c)) ||
	       (c == '=' && before && strchr("+-*/%&|^<>=!?", before)) ||
	       (before == '=' && c == '>') || (before == '?' && c == '.') ||
	       (before == '.' && c == '.');
}

static bool is_word_of(slice s, const char *list)
{
	char word[16];

	if (s.len == 0 || s.len > sizeof word - 3)
		return false;
	word[0] = '|';
	memcpy(word + 1, s.ptr, s.len);
	memcpy(word + 1 + s.len, "|", 2);
	return strstr(list, word) != NULL;
}

/* Whether a statement may end behind the token: then a line's end there may matter. */
static bool may_end(const struct proof_token *t)
{
	return t->kind != TOKEN_SIGN || strchr(")]}+-", t->sign);
}

static bool may_begin(char c)
{
	return is_name(c) || (c && strchr("\"'`([{+-/!~#@.", c));
}

/* A name without what a program drew at its end: refresh69dc39aa179b6. */
static slice without_tail(slice name)
{
	static const slice SVELTE = SLICE_INIT("__sveltekit_");
	size_t at = name.len, digits = 0;

	if (slice_starts_with(name, SVELTE))
		return SVELTE;
	while (at > 0 && word_hex(name.ptr[at - 1]) >= 0)
		digits += word_is_digit(name.ptr[--at]);
	return name.len - at >= 8 && digits ? slice_sub(name, 0, at) : name;
}

static int add(struct reader *r, enum token_kind kind, size_t from, slice text, char sign)
{
	const struct proof_token *before = last(r);
	struct proof_token token = {.kind = (uint8_t)kind,
		.text = text,
		.full = slice_sub(r->in, from, r->at),
		.from = (uint32_t)from,
		.to = (uint32_t)r->at,
		.element = NO_TOKEN,
		.sign = sign};
	struct {
		uint8_t kind;
		char sign;
		bool newline, joined;
	} head = {(uint8_t)kind, sign, false, false};
	slice bytes = {(const char *)&head, sizeof head};

	if (before && r->has_newline && !r->is_json && may_end(before) &&
		may_begin(r->in.ptr[from]))
		head.newline = true;
	if (before && !r->has_gap && kind == TOKEN_SIGN && before->kind == TOKEN_SIGN)
		head.joined = joins(before->sign, sign);
	token.is_spaced = head.newline;
	token.key = proof_hash(proof_hash(1, bytes), text);
	token.shape = proof_hash(2, bytes);
	if (kind == TOKEN_WORD)
		token.shape = proof_hash(token.shape, without_tail(text));
	else if (kind == TOKEN_TEMPLATE || kind == TOKEN_REGEX)
		token.shape = proof_hash(token.shape, text);
	r->has_newline = r->has_gap = false;
	return proof_tokens_add(r->t, token);
}

/* 1: a regular expression may begin here; 0: a division; -1: cannot be told. */
static int begins_regex(const struct reader *r)
{
	const struct proof_token *t = last(r);
	const struct proof_token *before;

	if (!t)
		return 1;
	before = r->t->list.len > 1 ? t - 1 : NULL;
	if (t->kind == TOKEN_WORD) {
		bool is_member = before && before->kind == TOKEN_SIGN && before->sign == '.';

		if (is_word_of(t->text, "|return|typeof|case|in|of|delete|void|throw|new|else|do|"
					"instanceof|"))
			return is_member ? -1 : 1;
		return is_word_of(t->text, "|yield|await|async|") ? -1 : 0;
	}
	if (t->kind != TOKEN_SIGN)
		return 0;
	if (t->sign == ']')
		return 0;
	if (t->sign == ')')
		return r->closed == '(' ? 1 : 0;
	if (t->sign == '}')
		return -1;
	if ((t->sign == '+' || t->sign == '-') && before && before->kind == TOKEN_SIGN &&
		before->sign == t->sign)
		return -1;
	return 1;
}

static int read_regex(struct reader *r)
{
	size_t from = r->at++;
	bool in_class = false;

	for (; r->at < r->in.len; r->at++) {
		char c = r->in.ptr[r->at];

		if (c == '\n' || c == '\r')
			break;
		if (c == '\\' && r->at + 1 < r->in.len) {
			r->at++;
		} else if (c == '[') {
			in_class = true;
		} else if (c == ']') {
			in_class = false;
		} else if (c == '/' && !in_class) {
			r->at++;
			while (r->at < r->in.len && is_name(r->in.ptr[r->at]))
				r->at++;
			return add(r, TOKEN_REGEX, from, slice_sub(r->in, from, r->at), '/');
		}
	}
	r->is_unsure = true;
	return add(r, TOKEN_REGEX, from, slice_sub(r->in, from, r->at), '/');
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
		else if ((c == '\n' || c == '\r') && !r->is_json)
			break;
	}
	r->is_unsure = true;
	return add(r, TOKEN_TEMPLATE, from, slice_sub(r->in, from, r->at), quote);
}

/* From a backquote, or from the brace that ends ${…}. */
static int read_template(struct reader *r)
{
	size_t from = r->at++;

	for (; r->at < r->in.len; r->at++) {
		char c = r->in.ptr[r->at];

		if (c == '\\' && r->at + 1 < r->in.len) {
			r->at++;
		} else if (c == '`') {
			r->at++;
			return add(r, TOKEN_TEMPLATE, from, slice_sub(r->in, from, r->at), '`');
		} else if (c == '$' && peek(r, 1) == '{') {
			r->at += 2;
			if (r->depth < NEST_MAX)
				r->open[r->depth++] = '`';
			else
				r->t->limit = "brackets nested too deeply";
			return add(r, TOKEN_TEMPLATE, from, slice_sub(r->in, from, r->at), '$');
		}
	}
	r->is_unsure = true;
	return add(r, TOKEN_TEMPLATE, from, slice_sub(r->in, from, r->at), '`');
}

static int read_number(struct reader *r)
{
	size_t from = r->at++;

	while (r->at < r->in.len) {
		char c = r->in.ptr[r->at];
		char before = r->in.ptr[r->at - 1];

		if (!is_name(c) && c != '.' &&
			!((c == '+' || c == '-') && (before == 'e' || before == 'E') &&
				word_lower(r->in.ptr[from + (r->at > from + 1)]) != 'x'))
			break;
		r->at++;
	}
	return add(r, TOKEN_NUMBER, from, slice_sub(r->in, from, r->at), '0');
}

static int read_word(struct reader *r)
{
	size_t from = r->at;

	while (r->at < r->in.len && (is_name(r->in.ptr[r->at]) || r->in.ptr[r->at] == '\\'))
		r->at++;
	return add(r, TOKEN_WORD, from, slice_sub(r->in, from, r->at), 'a');
}

/* Line feed, carriage return, U+2028, U+2029. */
static bool ends_line(slice s)
{
	return s.ptr[0] == '\n' || s.ptr[0] == '\r' ||
	       slice_starts_with(s, SLICE("\xe2\x80\xa8")) ||
	       slice_starts_with(s, SLICE("\xe2\x80\xa9"));
}

/* Comments that programs read: source maps, conditional compilation. */
static bool is_read_by_something(slice comment)
{
	char c = (char)(comment.len > 2 ? comment.ptr[2] : '\0');

	return c == '#' || c == '@' ||
	       (comment.len && memmem(comment.ptr, comment.len, "@cc_on", 6));
}

/* function(){…}: some programs keep texts so. */
static bool is_all_of_function(const struct reader *r)
{
	const struct proof_token *t = last(r);
	size_t at = r->at;

	while (at < r->in.len && word_is_space(r->in.ptr[at]))
		at++;
	return t && t->kind == TOKEN_SIGN && t->sign == '{' && at < r->in.len &&
	       r->in.ptr[at] == '}';
}

static int read_comment(struct reader *r)
{
	size_t from = r->at;
	const char *end;
	slice text;

	if (peek(r, 1) == '/') {
		while (r->at < r->in.len && !ends_line(slice_sub(r->in, r->at, r->in.len)))
			r->at++;
	} else {
		end = memmem(r->in.ptr + from + 2, r->in.len - from - 2, "*/", 2);
		r->at = end ? (size_t)(end - r->in.ptr) + 2 : r->in.len;
	}
	text = slice_sub(r->in, from, r->at);
	if (r->is_unsure || is_read_by_something(text) || is_all_of_function(r))
		return add(r, TOKEN_REGEX, from, text, 'c');
	r->has_gap = true;
	r->has_newline |= memchr(text.ptr, '\n', text.len) != NULL;
	return proof_tokens_skip(r->t, from, r->at, IGNORE_NONE);
}

static bool opens_condition(const struct reader *r)
{
	const struct proof_token *t = last(r);

	return t && t->kind == TOKEN_WORD && is_word_of(t->text, "|if|while|for|with|");
}

static int read_sign(struct reader *r)
{
	size_t from = r->at;
	char c = r->in.ptr[from];

	if (c == '(' || c == '{' || c == '[') {
		char kind = (char)(c == '(' && !opens_condition(r) ? 'c' : c);

		if (r->depth < NEST_MAX)
			r->open[r->depth++] = kind;
		else
			r->t->limit = "brackets nested too deeply";
	} else if (c == ')' || c == '}' || c == ']') {
		if (c == '}' && r->depth && r->open[r->depth - 1] == '`') {
			r->depth--;
			return read_template(r);
		}
		if (r->depth)
			r->closed = r->open[--r->depth];
		else
			r->is_unsure = true;
	}
	r->at++;
	return add(r, TOKEN_SIGN, from, slice_sub(r->in, from, r->at), c);
}

/* The comments of HTML in scripts of old: to the end of the line, as one token. */
static int read_html_comment(struct reader *r)
{
	size_t from = r->at;

	while (r->at < r->in.len && r->in.ptr[r->at] != '\n')
		r->at++;
	return add(r, TOKEN_REGEX, from, slice_sub(r->in, from, r->at), '<');
}

static int read_slash(struct reader *r)
{
	int regex;

	if (peek(r, 1) == '/' || peek(r, 1) == '*')
		return read_comment(r);
	regex = begins_regex(r);
	if (regex < 0)
		r->is_unsure = true;
	return regex > 0 ? read_regex(r) : read_sign(r);
}

static int read_one(struct reader *r)
{
	char c = r->in.ptr[r->at];

	if (word_is_space(c)) {
		r->has_newline |= c == '\n' || c == '\r';
		r->has_gap = true;
		r->at++;
		return 0;
	}
	if (c == '"' || (c == '\'' && !r->is_json))
		return read_string(r);
	if (word_is_digit(c) || (c == '.' && word_is_digit(peek(r, 1))))
		return read_number(r);
	if (is_name(c) || c == '\\')
		return read_word(r);
	if (!r->is_json) {
		if (c == '`')
			return read_template(r);
		if (c == '/')
			return read_slash(r);
		if (c == '<' &&
			slice_starts_with(slice_sub(r->in, r->at, r->in.len), SLICE("<!--")))
			return read_html_comment(r);
	}
	return read_sign(r);
}

int proof_read_script(struct proof_tokens *t)
{
	struct reader r = {.t = t, .in = t->source, .is_json = t->format == FORMAT_JSON};
	int rc = 0;

	while (rc == 0 && r.at < r.in.len && !t->limit)
		rc = read_one(&r);
	return rc;
}
