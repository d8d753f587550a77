#include "formats/link_values.h"

#include "base/err.h"
#include "base/parse.h"
#include "base/word.h"

/* What scripts import. */

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

/* Link headers: RFC 8288, appendix B. */

void link_header_init(struct link_header *h, slice value)
{
	h->left = slice_sub(value, 0, LINK_HEADER_MAX);
	buf_init(&h->scratch, LINK_HEADER_MAX);
}

void link_header_release(struct link_header *h)
{
	buf_release(&h->scratch);
}

static void skip(struct link_header *h, size_t n)
{
	h->left = slice_sub(h->left, n, h->left.len);
}

static char peek(const struct link_header *h)
{
	if (h->left.len)
		return h->left.ptr[0];
	return '\0';
}

static void skip_space(struct link_header *h)
{
	while (h->left.len && word_is_space(h->left.ptr[0]))
		skip(h, 1);
}

/* Takes the bytes before the first one that is white space or in `ends`. */
static slice take_token(struct link_header *h, const char *ends)
{
	slice token = h->left;
	size_t n = 0;

	while (n < token.len && !word_is_space(token.ptr[n]) && !strchr(ends, token.ptr[n]))
		n++;
	skip(h, n);
	return slice_sub(token, 0, n);
}

/*
 * Takes a quoted string, without its quotes and backslashes. There is room in scratch for all of
 * the header, so the slices of earlier strings stay where they are.
 */
static slice take_quoted(struct link_header *h)
{
	size_t from = h->scratch.len;

	skip(h, 1);
	while (h->left.len) {
		char c = peek(h);

		skip(h, 1);
		if (c == '"')
			break;
		if (c == '\\' && h->left.len) {
			c = peek(h);
			skip(h, 1);
		}
		(void)buf_add_char(&h->scratch, c);
	}
	return (slice){h->scratch.ptr + from, h->scratch.len - from};
}

static void set_once(slice *field, slice value)
{
	if (!field->ptr)
		*field = value;
}

static void set_parameter(struct link_header_link *link, slice name, slice value)
{
	if (word_is(name, SLICE("rel")))
		set_once(&link->rel, value);
	else if (word_is(name, SLICE("as")))
		set_once(&link->as, value);
	else if (word_is(name, SLICE("type")))
		set_once(&link->type, value);
	else if (word_is(name, SLICE("anchor")))
		set_once(&link->anchor, value);
}

/* Takes "; name=value"; false when no parameter follows. */
static bool take_parameter(struct link_header *h, struct link_header_link *link)
{
	slice name, value = {"", 0};

	skip_space(h);
	if (peek(h) != ';')
		return false;
	while (peek(h) == ';') {
		skip(h, 1);
		skip_space(h);
	}
	name = take_token(h, "=;,");
	skip_space(h);
	if (peek(h) == '=') {
		skip(h, 1);
		skip_space(h);
		value = peek(h) == '"' ? take_quoted(h) : take_token(h, ";,");
	}
	set_parameter(link, name, value);
	return true;
}

/* Steps to the next comma outside of quotes. */
static void skip_to_comma(struct link_header *h)
{
	while (h->left.len && peek(h) != ',') {
		if (peek(h) == '"')
			(void)take_quoted(h);
		else
			skip(h, 1);
	}
}

static bool take_target(struct link_header *h, slice *ret_target)
{
	const char *end;

	if (peek(h) != '<')
		return false;
	skip(h, 1);
	end = h->left.len ? memchr(h->left.ptr, '>', h->left.len) : NULL;
	if (!end) {
		skip(h, h->left.len);
		return false;
	}
	*ret_target = word_trim(slice_sub(h->left, 0, (size_t)(end - h->left.ptr)));
	skip(h, (size_t)(end - h->left.ptr) + 1);
	return true;
}

int link_header_next(struct link_header *h, struct link_header_link *ret_link)
{
	buf_reset(&h->scratch);
	if (h->left.len)
		buf_reserve(&h->scratch, h->left.len);
	while (h->left.len) {
		struct link_header_link link = {0};
		bool ok;

		skip_space(h);
		ok = take_target(h, &link.target);
		while (ok && take_parameter(h, &link))
			;
		skip_to_comma(h);
		skip(h, 1);
		if (ok) {
			*ret_link = link;
			return 0;
		}
	}
	return ERR_END;
}

/* Refresh: HTML, "shared declarative refresh steps". */

static slice after_space(slice s)
{
	while (s.len && word_is_space(s.ptr[0]))
		s = slice_sub(s, 1, s.len);
	return s;
}

/* Takes the time off; false when there is none. */
static bool read_time(slice *s, uint64_t *ret_seconds)
{
	uint64_t seconds = 0;
	size_t n = 0;

	while (n < s->len && word_is_digit(s->ptr[n]))
		n++;
	if (n == 0 && (s->len == 0 || s->ptr[0] != '.'))
		return false;
	if (n && parse_u64(slice_sub(*s, 0, n), &seconds))
		seconds = UINT64_MAX;
	while (n < s->len && (word_is_digit(s->ptr[n]) || s->ptr[n] == '.'))
		n++;
	*s = slice_sub(*s, n, s->len);
	*ret_seconds = seconds;
	return true;
}

/* Steps 11.4 to .11: what stands behind the separator, with or without "url=" and quotes. */
static slice read_url(slice s)
{
	slice rest = s;
	char quote;

	if (s.len && word_lower(s.ptr[0]) == 'u') {
		if (!word_starts(s, SLICE("url")))
			return s;
		rest = after_space(slice_sub(s, 3, s.len));
		if (rest.len == 0 || rest.ptr[0] != '=')
			return s;
		rest = after_space(slice_sub(rest, 1, rest.len));
	}
	if (rest.len == 0 || (rest.ptr[0] != '"' && rest.ptr[0] != '\''))
		return rest;
	quote = rest.ptr[0];
	rest = slice_sub(rest, 1, rest.len);
	return slice_take(&rest, quote);
}

bool refresh_parse(slice value, uint64_t *ret_seconds, slice *ret_url)
{
	slice s = after_space(value);
	uint64_t seconds;

	if (!read_time(&s, &seconds))
		return false;
	if (s.len) {
		if (s.ptr[0] != ';' && s.ptr[0] != ',' && !word_is_space(s.ptr[0]))
			return false;
		s = after_space(s);
		if (s.len && (s.ptr[0] == ';' || s.ptr[0] == ','))
			s = after_space(slice_sub(s, 1, s.len));
	}
	*ret_seconds = seconds;
	*ret_url = read_url(s);
	return true;
}

/* Candidates of srcset: HTML 4.8.4.3.10, "parse a srcset attribute". */

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
