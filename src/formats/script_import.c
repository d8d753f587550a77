#include "formats/script_import.h"

#include "base/word.h"

enum { CLAUSE_MAX = 64 << 10 }; /* bytes between "import" and its "from" */

void script_imports_init(struct script_imports *s, slice text)
{
	/* Most scripts import nothing. */
	bool any = text.len && (memmem(text.ptr, text.len, "import", 6) ||
				       memmem(text.ptr, text.len, "export", 6));

	*s = (struct script_imports){.text = any ? text : (slice){0}};
}

static char byte_at(const struct script_imports *s, size_t at)
{
	return (char)(at < s->text.len ? s->text.ptr[at] : '\0');
}

static bool is_name(char c)
{
	return word_is_alnum(c) || c == '_' || c == '$' || (c & 0x80);
}

/* Behind blanks and comments. */
static size_t skip_blanks(const struct script_imports *s, size_t at)
{
	for (;;) {
		while (at < s->text.len && word_is_space(s->text.ptr[at]))
			at++;
		if (byte_at(s, at) != '/')
			return at;
		if (byte_at(s, at + 1) == '/') {
			while (at < s->text.len && s->text.ptr[at] != '\n')
				at++;
		} else if (byte_at(s, at + 1) == '*') {
			const char *end =
				memmem(s->text.ptr + at + 2, s->text.len - at - 2, "*/", 2);

			at = end ? (size_t)(end - s->text.ptr) + 2 : s->text.len;
		} else {
			return at;
		}
	}
}

/* Behind a string, template or regular expression that begins here. A template's parts are passed
 * over with it. */
static size_t skip_quoted(const struct script_imports *s, size_t at)
{
	char quote = s->text.ptr[at++];
	bool in_class = false;

	for (; at < s->text.len; at++) {
		char c = s->text.ptr[at];

		if (c == '\\')
			at++;
		else if (c == '\n' && quote != '`')
			return at;
		else if (quote == '/' && (c == '[' || c == ']'))
			in_class = c == '[';
		else if (c == quote && !in_class)
			return at + 1;
	}
	return s->text.len;
}

/* A slash is a division behind a value. */
static bool begins_expression(const struct script_imports *s)
{
	return s->before != 'a' && s->before != ')' && s->before != ']' && s->before != '}';
}

/* A string literal at this place; *ret_end is behind it. */
static bool take_string(const struct script_imports *s, size_t at, slice *ret, size_t *ret_end)
{
	char quote = byte_at(s, at);

	if (quote != '"' && quote != '\'' && quote != '`')
		return false;
	*ret_end = skip_quoted(s, at);
	*ret = slice_sub(s->text, at + 1, *ret_end - 1);
	return *ret_end > at + 1 && s->text.ptr[*ret_end - 1] == quote &&
	       !(ret->len && memchr(ret->ptr, '\n', ret->len)) &&
	       !(quote == '`' && ret->len && memchr(ret->ptr, '$', ret->len));
}

/* The "from" of a clause, and the string behind it. Ends where no clause could go on. */
static bool take_from(const struct script_imports *s, size_t at, slice *ret, size_t *ret_end)
{
	size_t limit = at + CLAUSE_MAX;

	while (at < s->text.len && at < limit) {
		size_t from = at = skip_blanks(s, at);

		while (is_name(byte_at(s, at)))
			at++;
		if (at - from == 4 && memcmp(s->text.ptr + from, "from", 4) == 0 &&
			take_string(s, skip_blanks(s, at), ret, ret_end))
			return true;
		if (at > from)
			continue;
		if (at >= s->text.len || !strchr("{},*", s->text.ptr[at]))
			return false;
		at++;
	}
	return false;
}

/* What stands behind "import" or "export". */
static bool take_import(
	const struct script_imports *s, bool is_export, size_t at, slice *ret, size_t *ret_end)
{
	char c;

	at = skip_blanks(s, at);
	c = byte_at(s, at);
	if (is_export)
		return (c == '{' || c == '*') && take_from(s, at, ret, ret_end);
	if (c == '(')
		return take_string(s, skip_blanks(s, at + 1), ret, ret_end);
	if (c == '"' || c == '\'')
		return take_string(s, at, ret, ret_end);
	return (c == '{' || c == '*' || is_name(c)) && take_from(s, at, ret, ret_end);
}

bool script_imports_next(struct script_imports *s, slice *ret_specifier)
{
	while ((s->at = skip_blanks(s, s->at)) < s->text.len) {
		char c = s->text.ptr[s->at];
		size_t from = s->at, end;
		slice word;

		if (c == '"' || c == '\'' || c == '`' || (c == '/' && begins_expression(s))) {
			s->at = skip_quoted(s, s->at);
			s->before = 'a';
			continue;
		}
		while (is_name(byte_at(s, s->at)))
			s->at++;
		word = slice_sub(s->text, from, s->at);
		if (s->before != '.' &&
			(slice_eq(word, SLICE("import")) || slice_eq(word, SLICE("export"))) &&
			take_import(s, word.ptr[0] == 'e', s->at, ret_specifier, &end)) {
			s->at = end;
			s->before = 'a';
			return true;
		}
		s->before = c;
		if (word.len)
			s->before = 'a';
		/* A word that an expression follows. */
		if (slice_eq(word, SLICE("return")) || slice_eq(word, SLICE("typeof")))
			s->before = '(';
		s->at += word.len == 0;
	}
	return false;
}

bool script_import_is_address(slice specifier)
{
	return slice_starts_with(specifier, SLICE("./")) ||
	       slice_starts_with(specifier, SLICE("../")) ||
	       slice_starts_with(specifier, SLICE("/")) || word_starts(specifier, SLICE("http:")) ||
	       word_starts(specifier, SLICE("https:"));
}
