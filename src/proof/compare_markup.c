/* Two differing tokens of HTML or XML. */
#include "base/word.h"
#include "proof/proof_judge.h"

enum { BRACE_REACH = 1024 }; /* tokens between a name and its brace */

/* Whether a token is part of a selector: a brace follows before a semicolon or closing brace. */
static bool is_in_selector(const struct proof_tokens *t, uint32_t at)
{
	if (t->format == FORMAT_DECLARATIONS)
		return false;
	for (size_t i = at; i < t->list.len && i - at < BRACE_REACH; i++)
		if (t->list.ptr[i].kind == TOKEN_SIGN) {
			char c = t->list.ptr[i].sign;

			if (c == '{')
				return true;
			if (c == ';' || c == '}')
				return false;
		}
	return false;
}

static bool is_url_string(const struct proof_tokens *t, uint32_t at)
{
	return at >= 2 && t->list.ptr[at - 1].kind == TOKEN_SIGN &&
	       t->list.ptr[at - 1].sign == '(' && t->list.ptr[at - 2].kind == TOKEN_WORD &&
	       slice_eq(t->list.ptr[at - 2].text, SLICE("url"));
}

static bool is_import(const struct proof_tokens *t, uint32_t at)
{
	return at >= 1 && t->list.ptr[at - 1].kind == TOKEN_AT &&
	       slice_eq(t->list.ptr[at - 1].text, SLICE("import"));
}

static bool compare_address(struct judge *j, slice a, slice b, bool is_sheet, struct place *p)
{
	p->is_address = true;
	if (slice_starts_with(a, SLICE("#")) && slice_starts_with(b, SLICE("#")))
		return compare_reference(j, slice_sub(a, 1, a.len), slice_sub(b, 1, b.len), p);
	if (slice_starts_with(a, SLICE("data:")) || slice_starts_with(b, SLICE("data:")))
		return unexplained(j, p, a, b);
	return compare_urls(j, is_sheet ? URL_ASSET : URL_DATA, a, b, p);
}

bool compare_css_tokens(struct judge *j, const struct pairing *pair, uint32_t i, uint32_t k)
{
	const struct proof_token *a = &pair->a->list.ptr[i], *b = &pair->b->list.ptr[k];
	struct place p = {.outer = pair->place, .element = NO_TOKEN, .in = PROOF_IN_STYLE};

	if (a->kind != b->kind || a->sign != b->sign || a->is_spaced != b->is_spaced)
		return unexplained(j, &p, a->full, b->full);
	if (a->kind == TOKEN_URL)
		return compare_address(j, a->text, b->text, is_import(pair->a, i), &p);
	if (a->kind == TOKEN_STRING && (is_url_string(pair->a, i) || is_import(pair->a, i)) &&
		(is_url_string(pair->b, k) || is_import(pair->b, k)))
		return compare_address(j, a->text, b->text,
			is_import(pair->a, i) || (i >= 2 && is_import(pair->a, i - 2)), &p);
	if ((a->kind == TOKEN_HASH || a->sign == '.') && is_in_selector(pair->a, i) &&
		is_in_selector(pair->b, k))
		return compare_reference(j, a->text, b->text, &p);
	return unexplained(j, &p, a->full, b->full);
}

enum { LONE_MAX = 16 };

static bool is_made(slice name, slice head, size_t hex)
{
	slice tail = slice_sub(name, head.len, name.len);

	return slice_starts_with(name, head) && tail.len >= hex &&
	       value_is_hex(slice_sub(tail, 0, hex)) && (tail.len == hex || tail.ptr[hex] == '-');
}

/* Names of attributes that are made anew: Cloudflare's loader, scopes of frameworks. */
static bool compare_lone_names(struct judge *j, const struct proof_attr *a,
	const struct proof_attr *b, const struct place *p)
{
	static const slice LOADER = SLICE_INIT("data-cf-modified-"), SCOPE = SLICE_INIT("data-v-");

	if (!slice_eq(a->value, b->value))
		return unexplained(j, p, a->source, b->source);
	if (is_made(a->name, LOADER, 24) && is_made(b->name, LOADER, 24) &&
		value_is_fresh(slice_sub(a->name, LOADER.len, a->name.len),
			slice_sub(b->name, LOADER.len, b->name.len)))
		return explain(j, RULE_CDN_LOADER, p, a->source, b->source) ||
		       unexplained(j, p, a->source, b->source);
	if (is_made(a->name, SCOPE, 8) && is_made(b->name, SCOPE, 8) && !a->value.len)
		return compare_names(j, a->name, b->name, p);
	return unexplained(j, p, a->source, b->source);
}

static int order_of(slice a, slice b)
{
	int order = memcmp(a.ptr, b.ptr, a.len < b.len ? a.len : b.len);

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

static bool compare_tags(struct judge *j, const struct proof_element *x,
	const struct proof_element *y, const struct place *p)
{
	const struct proof_attr *lone_a[LONE_MAX] = {0}, *lone_b[LONE_MAX] = {0};
	size_t only_a = 0, only_b = 0;
	bool good = true;
	uint32_t i = 0, k = 0;

	while ((i < x->attr_count || k < y->attr_count) && !j->is_done) {
		const struct proof_attr *a = i < x->attr_count ? &x->attrs[i] : NULL;
		const struct proof_attr *b = k < y->attr_count ? &y->attrs[k] : NULL;
		int order = !a ? 1 : !b ? -1 : order_of(a->name, b->name);

		if (order < 0) {
			if (only_a < LONE_MAX)
				lone_a[only_a] = a;
			only_a++;
		}
		if (order > 0) {
			if (only_b < LONE_MAX)
				lone_b[only_b] = b;
			only_b++;
		}
		if (order == 0 && !slice_eq(a->value, b->value))
			good &= compare_attr(j, x, y, a->name, a->value, b->value, p);
		i += order <= 0;
		k += order >= 0;
	}
	for (size_t n = 0; n < only_a || n < only_b; n++) {
		const struct proof_attr *a = n < LONE_MAX ? lone_a[n] : NULL;
		const struct proof_attr *b = n < LONE_MAX ? lone_b[n] : NULL;

		if (a && b && only_a == only_b)
			good &= compare_lone_names(j, a, b, p);
		else
			good &= unexplained(
				j, p, a ? a->source : (slice){0}, b ? b->source : (slice){0});
		if (j->is_done)
			return false;
	}
	return good && !j->is_done;
}

static bool has(slice s, const char *what)
{
	return s.len && memmem(s.ptr, s.len, what, strlen(what)) != NULL;
}

/* The language of a script element. */
static enum proof_format script_format(const struct proof_element *e)
{
	slice type = word_trim(proof_attr(e, SLICE("type")));

	if (type.len > 25 && value_is_hex(slice_sub(type, 0, 24)) && type.ptr[24] == '-')
		type = slice_sub(type, 25, type.len);
	if (has(type, "json") || word_is(type, SLICE("importmap")) ||
		word_is(type, SLICE("speculationrules")))
		return FORMAT_JSON;
	if (!type.len || has(type, "javascript") || has(type, "ecmascript") ||
		word_is(type, SLICE("module")))
		return FORMAT_SCRIPT;
	return has(type, "template") || has(type, "html") ? FORMAT_HTML : FORMAT_OPAQUE;
}

static bool compare_raw(struct judge *j, const struct proof_element *e, const struct proof_token *a,
	const struct proof_token *b, struct place *p)
{
	bool was = j->is_challenge, good;
	enum proof_format format = FORMAT_OPAQUE;

	if (word_is(e->name, SLICE("script")))
		format = script_format(e);
	else if (word_is(e->name, SLICE("style")))
		format = FORMAT_CSS;
	p->in = format == FORMAT_CSS      ? PROOF_IN_STYLE
		: format == FORMAT_SCRIPT ? PROOF_IN_CODE
					  : PROOF_IN_DATA;
	if (format == FORMAT_OPAQUE)
		return compare_nested(j, e->name, word_trim(a->text), word_trim(b->text), p);
	j->is_import_map = word_is(proof_attr(e, SLICE("type")), SLICE("importmap"));
	j->is_challenge = has(a->text, "__CF$cv$params") && has(b->text, "__CF$cv$params");
	j->is_debug_bar =
		has(a->text, "phpdebugbar.addDataSet(") && has(b->text, "phpdebugbar.addDataSet(");
	good = compare_documents(j, format, a->text, b->text, p);
	j->is_debug_bar = false;
	j->is_challenge = was;
	j->is_import_map = false;
	return good;
}

/* <!--[if …]> markup <![endif]-->: the markup in it. */
static bool compare_comments(struct judge *j, slice a, slice b, const struct place *p)
{
	struct place inner = {
		.outer = p, .step = "comment", .in = PROOF_IN_STRUCTURE, .element = NO_TOKEN};
	const char *x = a.len ? memmem(a.ptr, a.len, "]>", 2) : NULL;
	const char *y = b.len ? memmem(b.ptr, b.len, "]>", 2) : NULL;
	size_t head;

	if (!x || !y || !has(a, "[if") || !has(b, "[if"))
		return unexplained(j, p, a, b);
	head = (size_t)(x - a.ptr) + 2;
	if (!slice_eq(slice_sub(a, 0, head), slice_sub(b, 0, (size_t)(y - b.ptr) + 2)))
		return unexplained(j, p, a, b);
	return compare_documents(j, FORMAT_HTML, slice_sub(a, head, a.len - 3),
		slice_sub(b, head, b.len - 3), &inner);
}

static const struct proof_element *element_of(
	const struct proof_tokens *t, const struct proof_token *token)
{
	return token->element == NO_TOKEN ? NULL : &t->elements.ptr[token->element];
}

/* What the text of an element is called: Atom's feed has a time of its own, as RSS has. */
static slice name_of_text(const struct proof_tokens *t, const struct proof_element *e)
{
	if (slice_eq(e->name, SLICE("updated")) && e->parent != NO_TOKEN &&
		slice_eq(t->elements.ptr[e->parent].name, SLICE("feed")))
		return SLICE("last build date");
	if (slice_eq(proof_attr(e, SLICE("name")), SLICE("QTime")) &&
		slice_eq(e->name, SLICE("int"))) /* Solr */
		return SLICE("QTime");
	/* the time of the feed itself, where it is that of the look */
	if (value_is_listed(e->name, "|pubDate|dc:date|") && e->parent != NO_TOKEN &&
		slice_eq(t->elements.ptr[e->parent].name, SLICE("channel")))
		return SLICE("request time");
	return e->name;
}

bool compare_markup_tokens(struct judge *j, const struct pairing *pair, uint32_t i, uint32_t k)
{
	const struct proof_token *a = &pair->a->list.ptr[i], *b = &pair->b->list.ptr[k];
	const struct proof_element *x = element_of(pair->a, a), *y = element_of(pair->b, b);
	struct place p = {.outer = pair->place,
		.tokens = pair->a,
		.element = a->element,
		.in = PROOF_IN_STRUCTURE};
	slice sa = slice_sub(pair->a->source, a->from, a->to);
	slice sb = slice_sub(pair->b->source, b->from, b->to);

	if (a->kind != b->kind)
		return unexplained(j, &p, sa, sb);
	switch (a->kind) {
	case TOKEN_START:
		return slice_eq(a->text, b->text) ? compare_tags(j, x, y, &p)
						  : unexplained(j, &p, sa, sb);
	case TOKEN_RAW:
		return x && y && slice_eq(x->name, y->name) ? compare_raw(j, x, a, b, &p)
							    : unexplained(j, &p, sa, sb);
	case TOKEN_TEXT:
	case TOKEN_KEPT_TEXT:
		p.in = PROOF_IN_TEXT;
		p.is_prose = true;
		p.is_visible = !x || !x->is_hidden;
		if (pair->a->format == FORMAT_XML && x)
			return compare_named(j, name_of_text(pair->a, x), a->text, b->text, &p);
		return compare_text(j, pair, i, k, &p);
	case TOKEN_COMMENT:
		return compare_comments(j, sa, sb, &p);
	default:
		return unexplained(j, &p, sa, sb);
	}
}
