/* Reading selectors: CSS Syntax Level 3 (4.3.4, 4.3.7, 4.3.11) for names and strings. */
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "base/word.h"
#include "formats/selector.h"

static const struct hash_key NO_KEY; /* the keys are the user's own */

struct parser {
	struct selector_set *set;
	slice text;
	size_t at;
	size_t failed_at;
	struct buf name; /* the name or string read last, escapes replaced */
	struct err *err;
};

void selector_set_init(struct selector_set *s)
{
	*s = (struct selector_set){0};
	arena_init(&s->arena, SELECTOR_SET_MAX);
	strmap_init(&s->types, NO_KEY, NULL);
	strmap_init(&s->ids, NO_KEY, NULL);
	strmap_init(&s->classes, NO_KEY, NULL);
	strmap_init(&s->attrs, NO_KEY, NULL);
}

void selector_set_release(struct selector_set *s)
{
	strmap_release(&s->types);
	strmap_release(&s->ids);
	strmap_release(&s->classes);
	strmap_release(&s->attrs);
	selector_test_vec_release(&s->tests);
	selector_step_vec_release(&s->steps);
	selector_u32_vec_release(&s->wanted);
	selector_u32_vec_release(&s->starts);
	arena_release(&s->arena);
	*s = (struct selector_set){0};
}

/* The character at an offset, 0 at the end. */
static char peek_at(const struct parser *p, size_t at)
{
	if (at >= p->text.len)
		return '\0';
	return p->text.ptr[at];
}

static char peek(const struct parser *p)
{
	return peek_at(p, p->at);
}

static bool at_end(const struct parser *p)
{
	return p->at >= p->text.len;
}

static int fail(struct parser *p, size_t at, const char *what)
{
	p->failed_at = at;
	return err_set(p->err, ERR_SYNTAX, "selector: %s", what);
}

/* An error about the character at the cursor. */
static int fail_here(struct parser *p, const char *wanted)
{
	slice rest = slice_sub(p->text, p->at, p->text.len);
	bool ok;

	p->failed_at = p->at;
	if (rest.len == 0)
		return err_set(p->err, ERR_SYNTAX, "selector: ends where %s should be", wanted);
	return err_set(p->err, ERR_SYNTAX, "selector: %s should be here, not '%.*s'", wanted,
		(int)utf8_length((const unsigned char *)rest.ptr, rest.len, &ok), rest.ptr);
}

static bool is_one_of(char c, const char *set)
{
	return c != '\0' && strchr(set, c) != NULL;
}

static bool is_newline(char c)
{
	return c == '\n' || c == '\r' || c == '\f';
}

static bool is_name_start(char c)
{
	return word_is_alpha(c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_name_char(char c)
{
	return is_name_start(c) || word_is_digit(c) || c == '-';
}

static bool is_escape(const struct parser *p, size_t at)
{
	return peek_at(p, at) == '\\' && at + 1 < p->text.len && !is_newline(peek_at(p, at + 1));
}

/* Whether a name that may stand for an element or a class begins at the offset. */
static bool is_ident(const struct parser *p, size_t at)
{
	if (peek_at(p, at) == '-')
		return is_name_start(peek_at(p, at + 1)) || peek_at(p, at + 1) == '-' ||
		       is_escape(p, at + 1);
	return is_name_start(peek_at(p, at)) || is_escape(p, at);
}

static void skip_space(struct parser *p)
{
	while (!at_end(p) && word_is_space(peek(p)))
		p->at++;
}

/* What follows a backslash. */
static int read_escape(struct parser *p)
{
	char out[UTF8_MAX];
	uint32_t code = 0;
	unsigned digits = 0;

	while (digits < 6 && !at_end(p) && word_hex(peek(p)) >= 0) {
		code = code * 16 + (uint32_t)word_hex(peek(p));
		p->at++;
		digits++;
	}
	if (digits == 0)
		return buf_add_char(&p->name, p->text.ptr[p->at++]);
	if (!at_end(p) && word_is_space(peek(p)))
		p->at++;
	return buf_add(&p->name, (slice){out, utf8_put(code ? code : 0xfffd, out)});
}

/* Reads a name into p->name; there is at least one character of it. */
static int read_name(struct parser *p)
{
	int rc = 0;

	buf_reset(&p->name);
	while (rc == 0 && !at_end(p)) {
		if (is_escape(p, p->at)) {
			p->at++;
			rc = read_escape(p);
		} else if (is_name_char(peek(p))) {
			rc = buf_add_char(&p->name, p->text.ptr[p->at++]);
		} else {
			break;
		}
	}
	return err_code(p->err, rc);
}

static int read_ident(struct parser *p, const char *wanted)
{
	return is_ident(p, p->at) ? read_name(p) : fail_here(p, wanted);
}

static int read_string(struct parser *p)
{
	size_t from = p->at;
	char quote = p->text.ptr[p->at++];
	int rc = 0;

	buf_reset(&p->name);
	while (rc == 0) {
		if (at_end(p) || is_newline(peek(p)))
			return fail(p, from, "the string does not end");
		if (peek(p) == quote)
			break;
		if (is_escape(p, p->at)) {
			p->at++;
			rc = read_escape(p);
		} else if (peek(p) == '\\') {
			return fail(p, p->at, "a string cannot go on behind the end of its line");
		} else {
			rc = buf_add_char(&p->name, p->text.ptr[p->at++]);
		}
	}
	p->at++;
	return err_code(p->err, rc);
}

static void lower_name(struct parser *p)
{
	for (size_t i = 0; i < p->name.len; i++)
		p->name.ptr[i] = word_lower(p->name.ptr[i]);
}

/* A copy of p->name that lives as long as the set. */
static int keep_name(struct parser *p, slice *ret)
{
	char *copy = arena_strdup(&p->set->arena, buf_slice(&p->name));

	if (!copy)
		return err_set(p->err, ERR_LIMIT, "selectors: more than %d bytes of names",
			SELECTOR_SET_MAX);
	*ret = (slice){copy, p->name.len};
	return 0;
}

static int new_feature(struct parser *p, uint32_t *ret)
{
	if (p->set->features >= SELECTOR_FEATURES_MAX)
		return err_set(p->err, ERR_LIMIT, "selectors: more than %d names and attributes",
			SELECTOR_FEATURES_MAX);
	*ret = p->set->features++;
	return 0;
}

/* The step that is being read wants a feature. */
static int want(struct parser *p, uint32_t feature)
{
	int rc = 0;

	selector_u32_vec_push(&p->set->wanted, feature);
	p->set->steps.ptr[p->set->steps.len - 1].count++;
	return err_code(p->err, rc);
}

/* It wants that p->name is the type, the id or among the classes, as the map tells. */
static int want_name(struct parser *p, struct strmap *map)
{
	uint32_t feature;
	slice kept = {0};

	if (strmap_get(map, buf_slice(&p->name), &feature))
		return want(p, feature);
	TRY(new_feature(p, &feature));
	TRY(keep_name(p, &kept));
	TRY(err_code(p->err, strmap_put(map, kept, feature)));
	return want(p, feature);
}

static int want_test(struct parser *p, uint32_t first, const struct selector_test *wanted)
{
	struct selector_test_vec *tests = &p->set->tests;
	struct selector_test test = *wanted;
	uint32_t last = first;
	int rc;

	for (uint32_t i = first + 1; i; i = tests->ptr[i - 1].next) {
		const struct selector_test *t = &tests->ptr[i - 1];

		if (t->op == test.op && t->flag == test.flag && slice_eq(t->value, test.value))
			return want(p, t->feature);
		last = i - 1;
	}
	rc = new_feature(p, &test.feature);
	if (rc == 0 && test.value.len)
		rc = keep_name(p, &test.value);
	if (rc == 0)
		selector_test_vec_push(tests, test);
	if (rc)
		return rc;
	tests->ptr[last].next = (uint32_t)tests->len;
	return want(p, test.feature);
}

/* The first test of an attribute is that of its presence, whether or not a selector asks for it. */
static int attribute_tests(struct parser *p, uint32_t *ret_first)
{
	struct selector_test presence = {0};
	slice kept = {0};
	int rc;

	if (strmap_get(&p->set->attrs, buf_slice(&p->name), ret_first))
		return 0;
	rc = new_feature(p, &presence.feature);
	if (rc == 0)
		rc = keep_name(p, &kept);
	if (rc)
		return rc;
	*ret_first = (uint32_t)p->set->tests.len;
	selector_test_vec_push(&p->set->tests, presence);
	return err_code(p->err, strmap_put(&p->set->attrs, kept, *ret_first));
}

/* Reads the operator of an attribute selector: 0 when there is none. */
static int read_operator(struct parser *p, char *ret_op)
{
	*ret_op = 0;
	if (peek(p) == ']')
		return 0;
	if (peek(p) == '|' && peek_at(p, p->at + 1) != '=')
		return fail(p, p->at, "namespaces are not supported");
	if (peek(p) == '=') {
		*ret_op = '=';
		p->at++;
		return 0;
	}
	if (!is_one_of(peek(p), "~|^$*") || peek_at(p, p->at + 1) != '=')
		return fail_here(p, "']' or one of = ~= |= ^= $= *=");
	*ret_op = peek(p);
	p->at += 2;
	return 0;
}

static int read_value(struct parser *p, struct selector_test *test)
{
	int rc;

	skip_space(p);
	if (peek(p) == '"' || peek(p) == '\'')
		rc = read_string(p);
	else
		rc = read_ident(p, "a name or a string in quotes");
	if (rc)
		return rc;
	skip_space(p);
	if (word_is_alpha(peek(p))) {
		test->flag = word_lower(peek(p));
		if ((test->flag != 'i' && test->flag != 's') || is_name_char(peek_at(p, p->at + 1)))
			return fail(p, p->at, "the only flags are i and s");
		p->at++;
		skip_space(p);
	}
	test->value = buf_slice(&p->name);
	return 0;
}

/* [attr], [attr=value], …; the cursor is behind "[". */
static int read_attribute(struct parser *p)
{
	struct selector_test test = {0};
	uint32_t first;
	int rc;

	skip_space(p);
	TRY(read_ident(p, "the name of an attribute"));
	lower_name(p);
	rc = attribute_tests(p, &first);
	skip_space(p);
	if (rc == 0)
		rc = read_operator(p, &test.op);
	if (rc == 0 && test.op)
		rc = read_value(p, &test);
	if (rc)
		return rc;
	if (peek(p) != ']')
		return fail_here(p, "']'");
	p->at++;
	return want_test(p, first, &test);
}

static int read_type(struct parser *p)
{
	int rc;

	if (peek(p) == '*') {
		p->at++;
		rc = 0;
	} else {
		rc = read_name(p);
		lower_name(p);
		if (rc == 0)
			rc = want_name(p, &p->set->types);
	}
	if (rc == 0 && peek(p) == '|' && peek_at(p, p->at + 1) != '|')
		return fail(p, p->at, "namespaces are not supported");
	return rc;
}

static int fail_unsupported(struct parser *p)
{
	switch (peek(p)) {
	case ':':
		return fail(p, p->at,
			peek_at(p, p->at + 1) == ':'
				? "pseudo-elements are not supported"
				: "pseudo-classes are not supported; use type, #id, .class, "
				  "[attribute], blank and >");
	case '+':
	case '~':
		return fail(p, p->at, "siblings are not supported; use blank or >");
	case '|':
		return fail(p, p->at, "namespaces and columns are not supported");
	case '&':
		return fail(p, p->at, "nesting is not supported");
	default:
		return fail_here(p, "a type, *, #id, .class or [attribute]");
	}
}

/* A simple selector behind the type. */
static int read_simple(struct parser *p)
{
	switch (p->text.ptr[p->at++]) {
	case '#':
		if (!is_name_char(peek(p)) && !is_escape(p, p->at))
			return fail_here(p, "the name of an id");
		TRY(read_name(p));
		return want_name(p, &p->set->ids);
	case '.':
		TRY(read_ident(p, "the name of a class"));
		return want_name(p, &p->set->classes);
	default:
		return read_attribute(p);
	}
}

static int read_compound(struct parser *p, bool first, bool child)
{
	struct selector_set *s = p->set;
	struct selector_step step = {.from = (uint32_t)s->wanted.len,
		.selector = (uint32_t)s->starts.len - 1,
		.first = first,
		.child = child};
	size_t from = p->at;
	int rc;

	if (s->steps.len >= SELECTOR_STEPS_MAX) {
		p->failed_at = p->at;
		return err_set(
			p->err, ERR_LIMIT, "selectors: more than %d parts", SELECTOR_STEPS_MAX);
	}
	selector_step_vec_push(&s->steps, step);
	rc = peek(p) == '*' || is_ident(p, p->at) ? read_type(p) : 0;
	while (rc == 0 && is_one_of(peek(p), "#.["))
		rc = read_simple(p);
	if (rc == 0 && p->at == from)
		return fail_unsupported(p);
	return rc;
}

/* Compounds with combinators, up to a comma or the end. */
static int read_complex(struct parser *p)
{
	bool first = true, child = false;

	for (;;) {
		bool space;

		TRY(read_compound(p, first, child));
		first = false;
		space = word_is_space(peek(p));
		skip_space(p);
		if (at_end(p) || peek(p) == ',')
			break;
		child = peek(p) == '>';
		if (child) {
			p->at++;
			skip_space(p);
		} else if (!space) {
			return fail_unsupported(p);
		}
	}
	p->set->steps.ptr[p->set->steps.len - 1].last = true;
	return 0;
}

static int read_list(struct parser *p)
{
	int rc;

	for (;;) {
		skip_space(p);
		rc = read_complex(p);
		if (rc || at_end(p))
			return rc;
		p->at++; /* the comma */
	}
}

static struct selector_place place_of(slice text, size_t offset)
{
	struct selector_place place = {1, 1};

	for (size_t i = 0; i < offset && i < text.len; i++) {
		if (text.ptr[i] == '\n')
			place = (struct selector_place){place.line + 1, 1};
		else if ((text.ptr[i] & 0xc0) != 0x80)
			place.column++;
	}
	return place;
}

int selector_set_add(struct selector_set *s, slice text, uint32_t *ret_number,
	struct selector_place *ret_place, struct err *err)
{
	struct parser p = {.set = s, .text = text, .err = err};
	int rc;

	buf_init(&p.name, SELECTOR_TEXT_MAX);
	if (text.len > SELECTOR_TEXT_MAX)
		rc = err_set(err, ERR_LIMIT, "selector: longer than %d bytes", SELECTOR_TEXT_MAX);
	else
		rc = err_code(err, selector_u32_vec_push(&s->starts, (uint32_t)s->steps.len));
	if (rc == 0)
		rc = read_list(&p);
	buf_release(&p.name);
	if (rc && ret_place)
		*ret_place = place_of(text, p.failed_at);
	if (rc == 0)
		*ret_number = (uint32_t)(s->starts.len - 1);
	return rc;
}
