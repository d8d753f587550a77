#include "extract/deceit_script.h"

#include <string.h>

#include "base/word.h"

enum { DECODED_MAX = 8 << 10, NESTED_MAX = 2 };

static bool is_name(char c)
{
	return word_is_alnum(c) || c == '_' || c == '$';
}

static slice skip_space(slice s)
{
	while (s.len && word_is_space(s.ptr[0]))
		s = slice_sub(s, 1, s.len);
	return s;
}

/* Takes the word off the front, with the blanks behind it. */
static bool take(slice *s, const char *word)
{
	size_t len = strlen(word);

	if (!slice_starts_with(*s, (slice){word, len}))
		return false;
	*s = skip_space(slice_sub(*s, len, s->len));
	return true;
}

/* ---- literals ---- */

struct text {
	char *ptr;
	size_t len, size;
};

static void add(struct text *t, char c)
{
	if (t->len + 1 < t->size)
		t->ptr[t->len++] = c;
}

/* Of \xNN and %NN; 0: there is none. */
static char hex_pair(slice s)
{
	int high = s.len >= 2 ? word_hex(s.ptr[0]) : -1, low = s.len >= 2 ? word_hex(s.ptr[1]) : -1;
	char code = '\0';

	if (high >= 0 && low >= 0)
		code = (char)(high * 16 + low);
	return code;
}

/* One character of a string, escapes undone; returns its bytes. */
static size_t read_char(slice s, char *ret)
{
	*ret = s.ptr[0];
	if (s.ptr[0] != '\\' || s.len < 2)
		return 1;
	*ret = hex_pair(slice_sub(s, 2, s.len));
	if (s.ptr[1] == 'x' && *ret)
		return 4;
	*ret = s.ptr[1];
	return 2;
}

/* A string literal, from its quote on. */
static bool take_string(slice *s, struct text *out)
{
	slice rest = slice_sub(*s, 1, s->len);
	char quote, c;

	if (!s->len || !strchr("\"'`", s->ptr[0]) || s->ptr[0] == '\0')
		return false;
	quote = s->ptr[0];
	while (rest.len && rest.ptr[0] != quote) {
		if (quote == '`' && rest.ptr[0] == '$')
			return false;
		rest = slice_sub(rest, read_char(rest, &c), rest.len);
		add(out, c);
	}
	if (!rest.len)
		return false;
	*s = skip_space(slice_sub(rest, 1, rest.len));
	return true;
}

static void unescape(struct text *t, size_t from)
{
	size_t to = from;

	for (size_t i = from; i < t->len; i++) {
		char c = t->ptr[i], code = hex_pair((slice){t->ptr + i + 1, t->len - i - 1});

		if (c == '%' && code) {
			c = code;
			i += 2;
		}
		t->ptr[to++] = c;
	}
	t->len = to;
}

/* One literal, or unescape("…") of one. */
static bool take_term(slice *s, struct text *out)
{
	size_t from = out->len;
	bool coded = take(s, "unescape") || take(s, "decodeURIComponent") || take(s, "decodeURI");

	if (coded && !take(s, "("))
		return false;
	if (!take_string(s, out))
		return false;
	if (coded)
		unescape(out, from);
	return !coded || take(s, ")");
}

/* Terms with + between them. */
static bool take_expression(slice *s, struct text *out)
{
	do
		if (!take_term(s, out))
			return false;
	while (take(s, "+"));
	return out->len > 0;
}

/* ---- statements ---- */

/* Behind "location": = "…", .href = "…", .replace("…"), .assign("…"). */
static bool take_target(slice s, struct text *out)
{
	s = skip_space(s);
	(void)take(&s, ".href");
	if (take(&s, ".replace") || take(&s, ".assign")) {
		if (!take(&s, "("))
			return false;
	} else if (!take(&s, "=") || (s.len && s.ptr[0] == '=')) {
		return false;
	}
	out->len = 0;
	return take_expression(&s, out);
}

/* The name that stands before: "document.", "window.top.". Others have a location of their own. */
static bool is_ours(slice before)
{
	static const slice OBJECTS[] = {SLICE_INIT("window."), SLICE_INIT("document."),
		SLICE_INIT("self."), SLICE_INIT("top."), SLICE_INIT("parent."), SLICE_INIT("this."),
		SLICE_INIT("globalThis.")};
	bool found = true;

	while (found) {
		found = false;
		for (size_t i = 0; !found && i < sizeof OBJECTS / sizeof OBJECTS[0]; i++)
			if (slice_ends_with(before, OBJECTS[i])) {
				before.len -= OBJECTS[i].len;
				found = true;
			}
	}
	return before.len == 0 ||
	       (!is_name(before.ptr[before.len - 1]) && before.ptr[before.len - 1] != '.');
}

/* Whether a function that begins here runs by itself. */
static bool runs_by_itself(slice before)
{
	static const char *const CALLS[] = {"setTimeout(", "onload=", "onload =", "(", "!"};

	while (before.len && word_is_space(before.ptr[before.len - 1]))
		before.len--;
	for (size_t i = 0; i < sizeof CALLS / sizeof CALLS[0]; i++)
		if (slice_ends_with(before, slice_str(CALLS[i])))
			return i != 3 || before.len == 1 || !is_name(before.ptr[before.len - 2]);
	return false;
}

/* Scans a script; depth counts brackets of functions that somebody else must call. */
struct scan {
	slice script;
	size_t at;
	unsigned open, idle; /* brackets; and how many of them must be closed to run again */
	bool conditional;    /* in a statement that only sometimes runs */
};

static void skip_string(struct scan *s)
{
	char quote = s->script.ptr[s->at++];

	while (s->at < s->script.len && s->script.ptr[s->at] != quote)
		s->at += s->script.ptr[s->at] == '\\' ? 2 : 1;
	s->at++;
}

static void skip_comment(struct scan *s)
{
	bool line = s->script.ptr[s->at + 1] == '/';
	slice rest = slice_sub(s->script, s->at + 2, s->script.len);
	const char *end =
		line ? memchr(rest.ptr, '\n', rest.len) : memmem(rest.ptr, rest.len, "*/", 2);

	s->at = end ? (size_t)(end - s->script.ptr) + (line ? 1 : 2) : s->script.len;
}

/* A word begins here: what it means for those behind it. */
static void see_word(struct scan *s, slice word)
{
	slice before = slice_sub(s->script, 0, s->at);

	if (slice_eq(word, SLICE("function")) && !s->idle && !runs_by_itself(before))
		s->idle = s->open + 1;
	/* Who comes from a search engine, or is one, is sent elsewhere: that is meant as well. */
	if (slice_eq(word, SLICE("if")) || slice_eq(word, SLICE("case")))
		s->conditional = true;
	if (slice_eq(word, SLICE("referrer")) || slice_eq(word, SLICE("userAgent")))
		s->conditional = false;
}

static void see_mark(struct scan *s, char c)
{
	if (c == '{')
		s->open++;
	if (c == '}' && s->open > 0)
		s->open--;
	if (c == '}' && s->idle > s->open)
		s->idle = 0;
	if (c == '}' || c == ';')
		s->conditional = s->conditional && c == ';' && s->open > 0;
}

static bool step(struct scan *s, struct text *out)
{
	slice rest = slice_sub(s->script, s->at, s->script.len), word = {0};
	char c = rest.ptr[0];

	if (c == '"' || c == '\'' || c == '`') {
		skip_string(s);
		return false;
	}
	if (c == '/' && rest.len > 1 && (rest.ptr[1] == '/' || rest.ptr[1] == '*')) {
		skip_comment(s);
		return false;
	}
	if (!is_name(c)) {
		see_mark(s, c);
		s->at++;
		return false;
	}
	while (word.len < rest.len && is_name(rest.ptr[word.len]))
		word.len++;
	word.ptr = rest.ptr;
	see_word(s, word);
	s->at += word.len;
	return slice_eq(word, SLICE("location")) && !s->conditional && s->idle == 0 &&
	       is_ours(slice_sub(s->script, 0, s->at - word.len)) &&
	       take_target(slice_sub(s->script, s->at, s->script.len), out);
}

static bool find_target(slice script, struct text *out, unsigned nested);

/* eval(unescape("…")): what it says is a script as well. */
static bool find_in_eval(slice script, struct text *out, unsigned nested)
{
	char decoded[DECODED_MAX];
	struct text text = {decoded, 0, sizeof decoded};
	const char *at = script.len ? memmem(script.ptr, script.len, "eval", 4) : NULL;
	slice rest;

	if (!at || nested >= NESTED_MAX)
		return false;
	rest = skip_space(slice_sub(script, (size_t)(at - script.ptr) + 4, script.len));
	return take(&rest, "(") && take_expression(&rest, &text) &&
	       find_target((slice){decoded, text.len}, out, nested + 1);
}

static bool find_target(slice script, struct text *out, unsigned nested)
{
	struct scan s = {.script = script};

	if (script.len && memmem(script.ptr, script.len, "location", 8))
		while (s.at < script.len)
			if (step(&s, out))
				return true;
	return find_in_eval(script, out, nested);
}

bool deceit_script_target(slice script, char *ret_target, size_t size)
{
	struct text out = {ret_target, 0, size};

	if (!find_target(script, &out, 0))
		return false;
	ret_target[out.len] = '\0';
	return true;
}
