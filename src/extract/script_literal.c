#include "extract/script_literal.h"

#include "base/word.h"

void script_scanner_init(struct script_scanner *s, slice text)
{
	*s = (struct script_scanner){.rest = text};
}

static void advance(struct script_scanner *s, size_t n)
{
	s->rest = slice_sub(s->rest, n, s->rest.len);
}

/* Past a comment that begins here; false when none does. */
static bool skip_comment(struct script_scanner *s)
{
	const char *end;

	if (slice_starts_with(s->rest, SLICE("//"))) {
		end = memchr(s->rest.ptr, '\n', s->rest.len);
		advance(s, end ? (size_t)(end - s->rest.ptr) : s->rest.len);
		return true;
	}
	if (!slice_starts_with(s->rest, SLICE("/*")))
		return false;
	end = memmem(s->rest.ptr, s->rest.len, "*/", 2);
	advance(s, end ? (size_t)(end - s->rest.ptr) + 2 : s->rest.len);
	return true;
}

/* The string whose quote stands here; one in '"' or '\'' ends with its line at the latest. */
static slice take_string(struct script_scanner *s)
{
	static const bool MAY_END[256] = {
		['"'] = true, ['\''] = true, ['`'] = true, ['\n'] = true, ['\\'] = true};
	char quote = s->rest.ptr[0];
	size_t at = 1;
	slice value;

	for (; at < s->rest.len; at++) {
		char c = s->rest.ptr[at];

		if (!MAY_END[(unsigned char)c])
			continue;
		if (c == quote || (c == '\n' && quote != '`'))
			break;
		at += c == '\\';
	}
	value = slice_sub(s->rest, 1, at);
	advance(s, at + 1);
	return value;
}

static bool is_name_char(char c)
{
	unsigned char u = (unsigned char)c;

	return (u >= 'a' && u <= 'z') || u >= 0x80 || word_is_alnum(c) || u == '_' || u == '$';
}

static slice take_while_name(struct script_scanner *s, bool number)
{
	size_t at = 1;
	slice word;

	while (at < s->rest.len &&
		(is_name_char(s->rest.ptr[at]) || (number && s->rest.ptr[at] == '.')))
		at++;
	word = slice_sub(s->rest, 0, at);
	advance(s, at);
	return word;
}

/* Whether what follows makes a name of what stood before: ':' or '=' alone. */
static bool name_follows(slice rest)
{
	size_t at = 0;

	while (at < rest.len && word_is_space(rest.ptr[at]))
		at++;
	if (at == rest.len)
		return false;
	if (rest.ptr[at] == ':')
		return true;
	return rest.ptr[at] == '=' &&
	       (at + 1 == rest.len || (rest.ptr[at + 1] != '=' && rest.ptr[at + 1] != '>'));
}

static void open_bracket(struct script_scanner *s, bool array)
{
	if (s->depth < SCRIPT_DEPTH_MAX) {
		s->open[s->depth].name = s->name;
		s->open[s->depth].array = array;
	}
	s->depth++;
	if (!array)
		s->name = (slice){0};
}

static void close_bracket(struct script_scanner *s)
{
	if (s->depth)
		s->depth--;
	s->name = (slice){0};
}

/* After a comma: the next element of an array has the array's name. */
static void separate(struct script_scanner *s)
{
	unsigned at = s->depth;

	s->name = (slice){0};
	if (at > 0 && at <= SCRIPT_DEPTH_MAX && s->open[at - 1].array)
		s->name = s->open[at - 1].name;
}

static void take_mark(struct script_scanner *s)
{
	switch (s->rest.ptr[0]) {
	case '{':
	case '(':
		open_bracket(s, false);
		break;
	case '[':
		open_bracket(s, true);
		break;
	case '}':
	case ')':
	case ']':
		close_bracket(s);
		break;
	case ',':
		separate(s);
		break;
	case ';':
		s->name = (slice){0};
		break;
	default:
		break;
	}
	advance(s, 1);
}

static bool is_word_value(slice word)
{
	return slice_eq(word, SLICE("true")) || slice_eq(word, SLICE("false")) ||
	       slice_eq(word, SLICE("null"));
}

static slice object_name(const struct script_scanner *s)
{
	unsigned at = s->depth;

	return at > 0 && at <= SCRIPT_DEPTH_MAX && !s->open[at - 1].array ? s->open[at - 1].name
									  : (slice){0};
}

/* A word, string or number is a name or a literal: true for a literal. */
static bool take_word(struct script_scanner *s, struct script_literal *ret)
{
	char first = s->rest.ptr[0];
	bool string = first == '"' || first == '\'' || first == '`';
	bool number = word_is_digit(first) || first == '-';
	slice word = string ? take_string(s) : take_while_name(s, number);

	if (name_follows(s->rest)) {
		s->name = word;
		return false;
	}
	if (!string && !number && !is_word_value(word))
		return false;
	*ret = (struct script_literal){s->name, object_name(s), word, string};
	return true;
}

static bool is_minus(slice rest)
{
	return rest.len > 1 && rest.ptr[0] == '-' && word_is_digit(rest.ptr[1]);
}

bool script_scanner_next(struct script_scanner *s, struct script_literal *ret_literal)
{
	while (s->rest.len) {
		char c = s->rest.ptr[0];

		if (c == '/' && skip_comment(s))
			continue;
		if (c == '"' || c == '\'' || c == '`' || is_name_char(c) || is_minus(s->rest)) {
			if (take_word(s, ret_literal))
				return true;
			continue;
		}
		take_mark(s);
	}
	return false;
}
