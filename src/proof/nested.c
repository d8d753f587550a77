#include "proof/nested.h"

#include "base/utf8.h"
#include "base/word.h"
#include "proof/proof_judge.h"

static int base64_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (word_is_digit(c))
		return c - '0' + 52;
	if (c == '+' || c == '-')
		return 62;
	return c == '/' || c == '_' ? 63 : -1;
}

/* Decodes up to max bytes; 0 when it is no base64. */
static size_t base64_decode(slice s, char *out, size_t max)
{
	size_t len = 0;
	uint32_t bits = 0;
	unsigned have = 0;

	if (!s.ptr)
		return 0;
	while (s.len && s.ptr[s.len - 1] == '=')
		s.len--;
	for (size_t i = 0; i < s.len && len < max; i++) {
		int v = base64_value(s.ptr[i]);

		if (v < 0)
			return 0;
		bits = bits << 6 | (uint32_t)v;
		have += 6;
		if (have >= 8) {
			have -= 8;
			out[len++] = (char)(bits >> have & 0xff);
		}
	}
	return len;
}

bool is_encoded_document(slice s)
{
	char start[3];

	return s.len >= 12 && base64_decode(slice_sub(s, 0, 4), start, sizeof start) == 3 &&
	       ((start[0] == '{' && (start[1] == '"' || start[1] == '\n')) ||
		       (start[0] == '[' && strchr("{[\"", start[1])) ||
		       (start[0] == '<' && (word_is_alpha(start[1]) || start[1] == '!')));
}

static slice decoded(struct judge *j, slice s)
{
	size_t room = s.len / 4 * 3 + 3;
	char *out = arena_alloc(&j->arena, room, 1);
	size_t len = out ? base64_decode(s, out, room) : 0;
	slice text = {out, len};

	return len && utf8_valid_prefix(text) == len ? text : (slice){0};
}

static bool read_hex(slice s, size_t at, size_t digits, uint32_t *ret)
{
	*ret = 0;
	if (at + digits > s.len)
		return false;
	for (size_t i = 0; i < digits; i++) {
		int v = word_hex(s.ptr[at + i]);

		if (v < 0)
			return false;
		*ret = *ret << 4 | (uint32_t)v;
	}
	return true;
}

/* The character of an escape at a backslash, and where it ends; 0: what it means is not certain. */
static size_t read_escape(slice s, size_t at, uint32_t *ret)
{
	static const char LETTERS[] = "nrtbfv", MEANT[] = "\n\r\t\b\f\v";
	char c = (char)(at + 1 < s.len ? s.ptr[at + 1] : '\0');
	const char *letter = c ? strchr(LETTERS, c) : NULL;
	uint32_t low;

	if (c == 'x' && read_hex(s, at + 2, 2, ret))
		return at + 4;
	if (c == 'u' && read_hex(s, at + 2, 4, ret)) {
		if (*ret < 0xd800 || *ret > 0xdfff)
			return at + 6;
		if (*ret > 0xdbff || at + 8 > s.len || s.ptr[at + 6] != '\\' ||
			s.ptr[at + 7] != 'u' || !read_hex(s, at + 8, 4, &low) || low < 0xdc00 ||
			low > 0xdfff)
			return 0; /* half of a character */
		*ret = 0x10000 + ((*ret & 0x3ff) << 10 | (low & 0x3ff));
		return at + 12;
	}
	*ret = (unsigned char)(letter ? MEANT[letter - LETTERS] : c);
	return letter || (c && (unsigned char)c < 0x80 && !word_is_alnum(c) && !word_is_space(c))
		       ? at + 2
		       : 0;
}

slice unescape(struct arena *arena, slice s)
{
	size_t len = 0, to;
	uint32_t code;
	char *out;

	if (!s.len || !memchr(s.ptr, '\\', s.len) || !(out = arena_alloc(arena, s.len + 4, 1)))
		return s;
	for (size_t i = 0; i < s.len;) {
		to = s.ptr[i] == '\\' ? read_escape(s, i, &code) : 0;
		if (to) {
			len += utf8_put(code, out + len);
			i = to;
		} else {
			out[len++] = s.ptr[i++];
			if (s.ptr[i - 1] == '\\' && i < s.len)
				out[len++] = s.ptr[i++];
		}
	}
	return (slice){out, len};
}

static slice percent_decoded(struct judge *j, slice s)
{
	char *out = arena_alloc(&j->arena, s.len + 1, 1);
	size_t len = 0;

	if (!out)
		return s;
	for (size_t i = 0; i < s.len; i++) {
		int high = i + 2 < s.len && s.ptr[i] == '%' ? word_hex(s.ptr[i + 1]) : -1;
		int low = high >= 0 ? word_hex(s.ptr[i + 2]) : -1;

		if (low >= 0) {
			out[len++] = (char)(high << 4 | low);
			i += 2;
		} else {
			out[len++] = s.ptr[i];
		}
	}
	return (slice){out, len};
}

static bool has(slice s, const char *what)
{
	return s.len && memmem(s.ptr, s.len, what, strlen(what)) != NULL;
}

static bool has_tag(slice s)
{
	for (size_t i = 0; i + 1 < s.len; i++)
		if (s.ptr[i] == '<' &&
			(word_is_alpha(s.ptr[i + 1]) || s.ptr[i + 1] == '/' || s.ptr[i + 1] == '!'))
			return true;
	return false;
}

/* "https://…", "//host/…", "/path", "name?key=…": without white space. */
static bool is_address(slice s)
{
	bool has_scheme = word_starts(s, SLICE("http://")) || word_starts(s, SLICE("https://"));
	const char *query = s.len ? memchr(s.ptr, '?', s.len) : NULL;

	if (s.len < 2)
		return false;
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] == '<' || s.ptr[i] == '"' ||
			(word_is_space(s.ptr[i]) && !(has_scheme && query && query < s.ptr + i)))
			return false;
	if (has_scheme || s.ptr[0] == '/')
		return true;
	return has(s, "?") && has(s, "=");
}

static bool compare_step(struct judge *j, enum proof_format format, const char *step, slice a,
	slice b, const struct place *p)
{
	struct place inner = {.outer = p, .step = step, .in = p->in, .element = NO_TOKEN};

	inner.is_prose = p->is_prose;
	return compare_documents(j, format, a, b, &inner);
}

static enum proof_format format_of(slice s)
{
	size_t i = 0;

	s = word_trim(s);
	while (i < s.len && i < 4 && word_hex(s.ptr[i]) >= 0)
		i++;
	if (i && i + 1 < s.len && s.ptr[i] == ':' && (s.ptr[i + 1] == '{' || s.ptr[i + 1] == '['))
		return FORMAT_JSON; /* 0:{…}: a line of what React streams */
	if (s.len && (s.ptr[0] == '{' || s.ptr[0] == '['))
		return FORMAT_JSON;
	return has_tag(s) ? FORMAT_HTML : FORMAT_OPAQUE;
}

/* HEADER.CLAIMS.SIGNATURE of a JSON Web Token: false when it is none. */
static bool split_jwt(slice s, slice part[3])
{
	for (int i = 0; i < 3; i++)
		part[i] = slice_take(&s, '.');
	return !s.len && is_encoded_document(part[0]) &&
	       (!part[1].len || is_encoded_document(part[1])) && part[2].len >= 20;
}

bool are_web_tokens(slice a, slice b)
{
	slice x[3], y[3];

	return split_jwt(a, x) && split_jwt(b, y);
}

/* Head and claims by their names; the signature is of other ones, or made with a random number. */
static bool compare_jwt(struct judge *j, slice a[3], slice b[3], const struct place *p)
{
	bool good = value_are_draws(a[2], b[2], 20) && explain(j, RULE_TOKEN, p, a[2], b[2]);

	for (int i = 0; i < 2 && good; i++) {
		slice x = decoded(j, a[i]), y = decoded(j, b[i]);

		good = slice_eq(a[i], b[i]) ||
		       (x.ptr && y.ptr && compare_step(j, FORMAT_JSON, "jwt", x, y, p));
	}
	return good || unexplained(j, p, a[1], b[1]);
}

/* "a=1; b=2" of a cookie: by names. */
static bool compare_cookies(struct judge *j, slice a, slice b, const struct place *p)
{
	bool good = true;

	while ((a.len || b.len) && good) {
		slice x = slice_take(&a, ';'), y = slice_take(&b, ';');
		slice name = slice_take(&x, '='), other = slice_take(&y, '=');
		struct place inner = *p;
		size_t places = j->out->places.len;

		inner.key = word_trim(name);
		if (slice_eq(x, y) && slice_eq(name, other))
			continue;
		if (!slice_eq(name, other))
			return unexplained(j, p, name, other);
		good = compare_named(j, inner.key, x, y, &inner);
		good = must_tell(j, places, good, p, x, y);
	}
	return good;
}

bool compare_nested(struct judge *j, slice name, slice a, slice b, const struct place *p)
{
	enum proof_format format = format_of(a);
	slice x, y, jwt_a[3], jwt_b[3];

	if (a.len < 2 || b.len < 2 || j->depth >= JUDGE_DEPTH_MAX)
		return unexplained(j, p, a, b);
	if (split_jwt(a, jwt_a) && split_jwt(b, jwt_b))
		return compare_jwt(j, jwt_a, jwt_b, p);
	if (format != FORMAT_OPAQUE && format == format_of(b) && !is_address(a))
		return compare_step(j, format, format == FORMAT_JSON ? "json" : "html", a, b, p);
	if (has(name, "ookie") && has(a, ";") && has(b, ";"))
		return compare_cookies(j, a, b, p);
	if (is_encoded_document(a) && is_encoded_document(b)) {
		x = decoded(j, a);
		y = decoded(j, b);
		if (x.ptr && y.ptr && format_of(x) == format_of(y) && format_of(x) != FORMAT_OPAQUE)
			return slice_eq(x, y) ? explain(j, RULE_SPELLING, p, a, b) ||
							unexplained(j, p, a, b)
					      : compare_step(j, format_of(x), "base64", x, y, p);
	}
	if ((has(a, "%7B") || has(a, "%22")) && (has(b, "%7B") || has(b, "%22"))) {
		x = percent_decoded(j, a);
		y = percent_decoded(j, b);
		if (!slice_eq(x, y) && format_of(x) == format_of(y) &&
			format_of(x) != FORMAT_OPAQUE)
			return compare_step(j, format_of(x), "percent", x, y, p);
	}
	if (is_address(a) && is_address(b))
		return compare_urls(j, URL_DATA, a, b, p);
	return unexplained(j, p, a, b);
}
