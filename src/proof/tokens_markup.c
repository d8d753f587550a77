/*
 * HTML and XML as tokens, by the tokenizer of the HTML standard. Attributes are a set, comments
 * that nothing reads are skipped, and text goes on across them.
 */
#include <stdbool.h>

#include "base/arena.h"
#include "base/lists.h"
#include "base/slice.h"
#include "base/word.h"
#include "formats/html_token.h"
#include "proof/tokens.h"

/*
 * Which elements show their white space because the page's own styles say so.
 */

enum { PRESERVED_MAX = 64 };

/* Fields are its own. */
struct preserved {
	slice names[PRESERVED_MAX]; /* ".class", "#id" or element, borrowed from the source */
	size_t count;
	bool all; /* a selector that is not read: every element may */
};

enum { SELECTOR_REACH_BACK = 4000 };

static const char *find(slice s, size_t from, slice what)
{
	return from < s.len ? memmem(s.ptr + from, s.len - from, what.ptr, what.len) : NULL;
}

/* "white-space: pre…", "white-space-collapse: preserve…" at the front. */
static bool keeps(slice s)
{
	size_t i = sizeof "white-space" - 1;

	while (i < s.len && (word_is_alpha(s.ptr[i]) || s.ptr[i] == '-'))
		i++;
	while (i < s.len && (word_is_space(s.ptr[i]) || s.ptr[i] == ':'))
		i++;
	s = slice_sub(s, i, s.len);
	return word_starts(s, SLICE("pre")) || word_starts(s, SLICE("break")) ||
	       word_starts(s, SLICE("var"));
}

static void add_selector(struct preserved *p, slice list)
{
	while (list.len) {
		slice part = word_trim(slice_take(&list, ','));
		size_t from = part.len, word;

		while (from && !strchr(" >+~\n\t", part.ptr[from - 1]))
			from--;
		part = slice_sub(part, from, part.len);
		word = part.len;
		for (size_t i = 0; i < part.len; i++)
			if (!word_is_alnum(part.ptr[i]) && !strchr("-_.#", part.ptr[i]))
				p->all = true;
		while (word && part.ptr[word - 1] != '.' && part.ptr[word - 1] != '#')
			word--;
		if (word)
			word--;
		if (p->count == PRESERVED_MAX || part.len == 0)
			p->all = true;
		else
			p->names[p->count++] = slice_sub(part, word, part.len);
	}
}

static size_t last_of(slice s, size_t from, size_t to, const char *set)
{
	while (to > from && !strchr(set, s.ptr[to - 1]))
		to--;
	return to;
}

/* Looks for styles in the source; sets lays_inline and has_sheet of t, too. */
static void preserved_init(struct preserved *p, struct proof_tokens *t)
{
	static const slice WORD = SLICE_INIT("white-space"), INLINE = SLICE_INIT("inline"),
			   CLASS = SLICE_INIT("[class");
	slice s = t->source;
	const char *at;

	*p = (struct preserved){0};
	if (t->format != FORMAT_HTML)
		return;
	for (size_t from = 0; (at = find(s, from, WORD)) != NULL && !p->all;) {
		size_t place = (size_t)(at - s.ptr), back, brace;

		from = place + WORD.len;
		if (!keeps(slice_sub(s, place, place + 80)))
			continue;
		back = place > SELECTOR_REACH_BACK ? place - SELECTOR_REACH_BACK : 0;
		brace = last_of(s, back, place, "{\"'");
		if (brace <= back || s.ptr[brace - 1] != '{')
			continue; /* a style attribute, which speaks for itself */
		add_selector(p, slice_sub(s, last_of(s, back, brace - 1, "{};>/"), brace - 1));
	}
	t->has_sheet |= find(s, 0, SLICE("hiteSpace")) != NULL; /* by a script */
	for (size_t from = 0; (at = find(s, from, CLASS)) != NULL && !t->class_order;) {
		slice rest = slice_sub(s, (size_t)(at - s.ptr) + CLASS.len, s.len);
		const char *end = rest.len ? memchr(rest.ptr, ']', rest.len) : NULL;
		char c = (char)(rest.len ? rest.ptr[0] : '\0');

		from = (size_t)(at - s.ptr) + CLASS.len;
		t->class_order =
			c == '^' || c == '$' || c == '=' || c == '|' ||
			(c == '*' && end && memchr(rest.ptr, ' ', (size_t)(end - rest.ptr)));
	}
	for (size_t from = 0; (at = find(s, from, INLINE)) != NULL && !t->lays_inline;) {
		size_t place = (size_t)(at - s.ptr), before = place;

		from = place + INLINE.len;
		while (before && (word_is_space(s.ptr[before - 1]) || s.ptr[before - 1] == ':'))
			before--;
		t->lays_inline = before >= 7 && before < place &&
				 slice_eq(slice_sub(s, before - 7, before), SLICE("display"));
	}
}

/* Whether a style attribute, or a style of the page, keeps the white space of an element. */
static bool preserved_style(slice style)
{
	for (size_t i = 0; i < style.len; i++)
		if (word_starts(slice_sub(style, i, style.len), SLICE("white-space")) &&
			keeps(slice_sub(style, i, style.len)))
			return true;
	return style.len && memchr(style.ptr, '\\', style.len);
}

static bool preserved_element(const struct preserved *p, const struct proof_element *e)
{
	slice classes, id, word;

	if (p->all)
		return true;
	if (p->count == 0)
		return false;
	id = proof_attr(e, SLICE("id"));
	for (size_t i = 0; i < p->count; i++) {
		slice name = p->names[i];

		if (word_is(name, e->name) ||
			(name.ptr[0] == '#' && word_is(slice_sub(name, 1, name.len), id)))
			return true;
		classes = proof_attr(e, SLICE("class"));
		while (name.ptr[0] == '.' && word_next(&classes, ' ', &word))
			if (word_is(slice_sub(name, 1, name.len), word))
				return true;
	}
	return false;
}

/*
 * E-mail addresses that Cloudflare encodes anew at each download: an encoding, which is undone
 * before anything is compared.
 */

enum { EMAIL_MAX = 512 };

/* Hex digits: the first byte is what all others were combined with. */
static slice decode(struct arena *arena, slice head, slice hex, slice whole)
{
	static const slice MARK = SLICE_INIT("mailto:");
	size_t len = 0;
	char *out;
	int key;

	if (hex.len < 8 || hex.len % 2 || hex.len > EMAIL_MAX)
		return whole;
	for (size_t i = 0; i < hex.len; i++)
		if (word_hex(hex.ptr[i]) < 0)
			return whole;
	out = arena_alloc(arena, head.len + MARK.len + hex.len, 1);
	if (!out)
		return whole;
	if (head.len)
		memcpy(out, head.ptr, head.len);
	memcpy(out + head.len, MARK.ptr, MARK.len);
	len = head.len + MARK.len;
	key = word_hex(hex.ptr[0]) << 4 | word_hex(hex.ptr[1]);
	for (size_t i = 2; i < hex.len; i += 2)
		out[len++] = (char)((word_hex(hex.ptr[i]) << 4 | word_hex(hex.ptr[i + 1])) ^ key);
	return (slice){out, len};
}

/* The value of an attribute, with the address in it decoded; itself when there is none. */
static slice email_decode(struct arena *arena, slice attr, slice value)
{
	static const slice PATH = SLICE_INIT("/cdn-cgi/l/email-protection#");
	const char *at;
	size_t head;

	if (slice_eq(attr, SLICE("data-cfemail")))
		return decode(arena, SLICE(""), value, value);
	if (!slice_eq(attr, SLICE("href")) || !value.len)
		return value;
	at = memmem(value.ptr, value.len, PATH.ptr, PATH.len);
	if (!at)
		return value;
	head = (size_t)(at - value.ptr) + PATH.len;
	return decode(arena, slice_sub(value, 0, head), slice_sub(value, head, value.len), value);
}

enum { REACH = 256, TEXT_MAX = 64 << 20 };

struct reader {
	struct proof_tokens *t;
	struct html_tokenizer html;
	struct u32_vec open; /* elements */
	struct buf text;     /* that is being read */
	uint64_t text_from, text_to;
	bool has_text;
	struct ignore_page *ignoring;
	uint32_t ignored;   /* the rule in whose element we are */
	slice ignored_name; /* of that element */
	struct preserved preserved;
};

static bool is_xml(const struct reader *r)
{
	return r->t->format == FORMAT_XML;
}

static bool is_listed(slice name, const char *list)
{
	char word[24];

	if (name.len == 0 || name.len > sizeof word - 3)
		return false;
	word[0] = '|';
	memcpy(word + 1, name.ptr, name.len);
	word[name.len + 1] = '|';
	word[name.len + 2] = '\0';
	return strstr(list, word) != NULL;
}

static bool is_void(slice name)
{
	return is_listed(name, "|area|base|br|col|embed|hr|img|input|link|meta|param|source|track|"
			       "wbr|frame|bgsound|basefont|keygen|");
}

bool proof_is_inline(slice name)
{
	return is_listed(name, "|a|abbr|acronym|b|bdi|bdo|big|cite|code|data|del|dfn|em|font|i|ins|"
			       "kbd|label|map|mark|nobr|output|q|ruby|rb|rp|rt|s|samp|small|span|"
			       "strike|strong|sub|sup|time|tt|u|var|");
}

bool proof_is_block(slice name)
{
	return is_listed(name, "|html|body|address|article|aside|blockquote|br|caption|center|col|"
			       "colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|"
			       "figure|footer|form|frameset|h1|h2|h3|h4|h5|h6|header|hgroup|hr|"
			       "legend|li|listing|main|menu|nav|ol|optgroup|option|p|plaintext|"
			       "pre|search|section|summary|table|tbody|td|tfoot|th|thead|tr|ul|"
			       "xmp|");
}

static bool is_raw(const struct proof_element *e)
{
	return is_listed(e->name, "|script|style|") ||
	       (!e->is_foreign && is_listed(e->name, "|xmp|iframe|noembed|noframes|plaintext|"));
}

static bool is_boolean(slice name)
{
	return is_listed(name, "|async|defer|disabled|checked|selected|readonly|required|multiple|"
			       "hidden|autofocus|autoplay|controls|loop|muted|novalidate|open|"
			       "reversed|ismap|nomodule|allowfullscreen|itemscope|default|inert|"
			       "formnovalidate|playsinline|nowrap|noshade|compact|");
}

static struct proof_element *top(const struct reader *r)
{
	return r->open.len ? &r->t->elements.ptr[r->open.ptr[r->open.len - 1]] : NULL;
}

static uint32_t top_index(const struct reader *r)
{
	return r->open.len ? r->open.ptr[r->open.len - 1] : NO_TOKEN;
}

static bool is_blank(slice s)
{
	return word_trim(s).len == 0;
}

/* Parts of a line in SVG and MathML, whose blanks show. */
static bool is_drawn_text(slice name)
{
	return is_listed(name, "|text|tspan|textpath|a|mtext|ms|mi|mo|mn|");
}

/* Ends the text that was read, if any. */
static int flush(struct reader *r)
{
	const struct proof_element *e = top(r);
	struct proof_token token = {.kind = TOKEN_TEXT,
		.from = (uint32_t)r->text_from,
		.to = (uint32_t)r->text_to,
		.element = top_index(r)};
	char *text;

	if (!r->has_text)
		return 0;
	r->has_text = false;
	text = arena_strdup(r->t->arena, buf_slice(&r->text));
	if (!text) {
		r->t->limit = "too much memory";
		return 0;
	}
	token.full = token.text = (slice){text, r->text.len};
	buf_reset(&r->text);
	if (e && is_raw(e)) {
		token.kind = TOKEN_RAW;
		if (!e->is_foreign && !is_xml(r))
			token.text = slice_sub(r->t->source, token.from, token.to);
	} else if (e &&
		   (e->keeps_space || slice_eq(e->name, SLICE("textarea")) ||
			   (e->is_foreign && (!is_blank(token.full) || is_drawn_text(e->name))))) {
		token.kind = TOKEN_KEPT_TEXT;
	} else if (is_xml(r)) {
		if (is_blank(token.full))
			token.text = SLICE(" ");
		else
			token.kind = TOKEN_KEPT_TEXT;
	}
	return proof_tokens_add(r->t, token);
}

static int add_text(struct reader *r, const struct html_token *token)
{
	int rc;

	if (!r->has_text)
		r->text_from = token->from;
	r->has_text = true;
	r->text_to = token->to;
	rc = buf_add(&r->text, token->text);
	if (rc == ERR_LIMIT)
		r->t->limit = "too much text";
	return rc == ERR_LIMIT ? 0 : rc;
}

/* Comments that browsers, servers or the scripts of a page read. */
static bool is_read_by_something(slice comment)
{
	static const slice STARTS[] = {SLICE_INIT("[if"), SLICE_INIT("[endif"),
		SLICE_INIT("<![endif"), SLICE_INIT("ko "), SLICE_INIT("/ko"), SLICE_INIT("#"),
		SLICE_INIT("esi"), SLICE_INIT("$"), SLICE_INIT("/$"), SLICE_INIT("?"),
		SLICE_INIT("["), SLICE_INIT("]"), SLICE_INIT("lit-"), SLICE_INIT("/lit"),
		SLICE_INIT("ng"), SLICE_INIT("v-"), SLICE_INIT("wp:"), SLICE_INIT("/wp:"),
		SLICE_INIT("{"), SLICE_INIT("mfunc"), SLICE_INIT("/mfunc"), SLICE_INIT("@"),
		SLICE_INIT("index"), SLICE_INIT("/index"), SLICE_INIT("saved from url")};
	/* what search engines and licences read */
	static const slice PARTS[] = {SLICE_INIT("<![endif]"), SLICE_INIT("<rdf:"),
		SLICE_INIT("noindex"), SLICE_INIT("stopindex"), SLICE_INIT("startindex"),
		SLICE_INIT("googleo")};
	slice text = word_trim(comment);

	for (size_t i = 0; i < sizeof STARTS / sizeof *STARTS; i++)
		if (word_starts(text, STARTS[i]))
			return true;
	for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++)
		if (text.len && memmem(text.ptr, text.len, PARTS[i].ptr, PARTS[i].len))
			return true;
	return false;
}

static int add_comment(struct reader *r, const struct html_token *token)
{
	slice source = slice_sub(r->t->source, token->from, token->to);
	slice inner = slice_sub(source, 4, source.len >= 7 ? source.len - 3 : source.len);
	int rc;

	if (slice_starts_with(source, SLICE("<!--")) && !is_read_by_something(inner))
		return proof_tokens_skip(r->t, token->from, token->to, IGNORE_NONE);
	rc = flush(r);
	if (rc)
		return rc;
	return proof_tokens_add(r->t, (struct proof_token){.kind = TOKEN_COMMENT,
					      .text = source,
					      .full = source,
					      .from = (uint32_t)token->from,
					      .to = (uint32_t)token->to,
					      .element = top_index(r)});
}

static int add_doctype(struct reader *r, const struct html_token *token)
{
	slice source = slice_sub(r->t->source, token->from, token->to);
	char *text = arena_strdup(r->t->arena, source);
	char quote = '\0'; /* browsers tell modes by what stands in quotes */
	size_t len = 0;
	int rc = flush(r);

	if (!text)
		r->t->limit = "too much memory";
	if (rc || !text)
		return rc;
	for (size_t i = 0; i < source.len; i++) {
		char c = source.ptr[i];

		if (!is_xml(r))
			c = word_lower(c);

		if (quote ? c == quote : c == '"' || c == '\'')
			quote = (char)(quote ? '\0' : c);
		if (!quote && word_is_space(c)) {
			if (len == 0 || text[len - 1] == ' ')
				continue;
			c = ' ';
		}
		text[len++] = c;
	}
	return proof_tokens_add(r->t, (struct proof_token){.kind = TOKEN_DOCTYPE,
					      .text = {text, len},
					      .full = source,
					      .from = (uint32_t)token->from,
					      .to = (uint32_t)token->to,
					      .element = NO_TOKEN});
}

/* The words of a class list, each once, by their bytes. */
static slice class_list(struct arena *arena, slice value)
{
	slice words[256], rest = value, word;
	size_t count = 0, len = 0;
	char *out;

	while (word_next(&rest, ' ', &word)) {
		size_t at = count;

		if (count == sizeof words / sizeof *words)
			return value;
		while (at > 0) {
			size_t shorter =
				word.len < words[at - 1].len ? word.len : words[at - 1].len;
			int order = memcmp(words[at - 1].ptr, word.ptr, shorter);

			if (order < 0 || (order == 0 && words[at - 1].len <= word.len))
				break;
			at--;
		}
		if (at > 0 && slice_eq(words[at - 1], word))
			continue;
		memmove(words + at + 1, words + at, (count - at) * sizeof *words);
		words[at] = word;
		count++;
	}
	out = arena_alloc(arena, value.len + 1, 1);
	if (!out)
		return value;
	for (size_t i = 0; i < count; i++) {
		if (i)
			out[len++] = ' ';
		memcpy(out + len, words[i].ptr, words[i].len);
		len += words[i].len;
	}
	return (slice){out, len};
}

static slice attr_value(
	struct reader *r, slice element, const struct proof_attr *attr, const slice given)
{
	bool is_custom = element.len && memchr(element.ptr, '-', element.len) != NULL;

	if (is_xml(r))
		return given;
	if (slice_eq(attr->name, SLICE("class")))
		return r->t->class_order ? given : class_list(r->t->arena, given);
	if (!is_custom && is_boolean(attr->name) && word_is(given, attr->name))
		return SLICE("");
	return email_decode(r->t->arena, attr->name, given);
}

static slice copy(struct reader *r, slice s)
{
	char *out = arena_strdup(r->t->arena, s);

	if (!out) {
		r->t->limit = "too much memory";
		return SLICE("");
	}
	return (slice){out, s.len};
}

static int by_name(const void *a, const void *b)
{
	slice x = ((const struct proof_attr *)a)->name, y = ((const struct proof_attr *)b)->name;
	int order = memcmp(x.ptr, y.ptr, x.len < y.len ? x.len : y.len);

	return order ? order : (x.len > y.len) - (x.len < y.len);
}

static void read_attrs(struct reader *r, const struct html_token *token, struct proof_element *e)
{
	struct proof_attr *attrs = ARENA_ARRAY(r->t->arena, struct proof_attr, token->attr_count);

	if (token->attr_count == 0)
		return;
	if (!attrs) {
		r->t->limit = "too much memory";
		return;
	}
	for (size_t i = 0; i < token->attr_count; i++) {
		const struct html_attr *from = &token->attrs[i];
		struct proof_attr *to = &attrs[i];
		uint64_t end =
			from->value_to > from->from ? from->value_to : from->from + from->name.len;

		to->source = slice_sub(r->t->source, from->from, end);
		if (is_xml(r) && from->from && !word_is_space(r->t->source.ptr[from->from - 1]))
			r->t->limit = "no well-formed XML"; /* a parser of XML reads no further */
		to->name =
			is_xml(r) ? slice_sub(to->source, 0, from->name.len) : copy(r, from->name);
		to->given = copy(r, from->value);
		to->value = attr_value(r, e->name, to, to->given);
	}
	if (token->attr_count > 1)
		qsort(attrs, token->attr_count, sizeof *attrs, by_name);
	e->attrs = attrs;
	e->attr_count = (uint32_t)token->attr_count;
}

/*
 * Closes all down to the element, but never past one that keeps white space: what a browser would
 * close there is not certain from tags alone, and to keep a blank is the safe side.
 */
static void close_to(struct reader *r, size_t level)
{
	for (size_t i = r->open.len; i-- > level + 1;) {
		const struct proof_element *e = &r->t->elements.ptr[r->open.ptr[i]];
		uint32_t parent = e->parent;

		if (e->keeps_space &&
			(parent == NO_TOKEN || !r->t->elements.ptr[parent].keeps_space))
			return;
	}
	r->open.len = level;
}

/* The innermost open element of a name, unless one of `stops` is further in. */
static bool find_open(const struct reader *r, const char *names, const char *stops, size_t *ret)
{
	for (size_t i = r->open.len; i-- > 0 && r->open.len - i <= REACH;) {
		slice name = r->t->elements.ptr[r->open.ptr[i]].name;

		if (is_listed(name, names)) {
			*ret = i;
			return true;
		}
		if (is_listed(name, stops))
			return false;
	}
	return false;
}

/* Elements that a start tag ends without an end tag of theirs. */
static void close_implied(struct reader *r, slice name)
{
	static const struct {
		const char *starts, *closes, *stops;
	} RULES[] = {
		{"|li|", "|li|", "|ul|ol|menu|"},
		{"|dt|dd|", "|dt|dd|", "|dl|"},
		{"|td|th|", "|td|th|", "|tr|table|"},
		{"|tr|", "|tr|", "|table|tbody|thead|tfoot|"},
		{"|tbody|tfoot|thead|", "|tbody|thead|tfoot|", "|table|"},
		{"|option|optgroup|", "|option|", "|select|datalist|optgroup|"},
		{"|body|", "|head|", "||"},
	};
	size_t level;

	for (size_t i = 0; i < sizeof RULES / sizeof *RULES; i++)
		if (is_listed(name, RULES[i].starts) &&
			find_open(r, RULES[i].closes, RULES[i].stops, &level))
			close_to(r, level);
	if (top(r) && slice_eq(top(r)->name, SLICE("p")) && !proof_is_inline(name) &&
		is_listed(name, "|p|div|ul|ol|dl|table|h1|h2|h3|h4|h5|h6|section|article|aside|"
				"header|footer|nav|main|form|pre|blockquote|hr|figure|address|"
				"fieldset|details|"))
		close_to(r, r->open.len - 1);
}

static void set_flags(struct reader *r, struct proof_element *e)
{
	const struct proof_element *parent = top(r);
	slice style = proof_attr(e, SLICE("style"));

	if (parent) {
		e->keeps_space = parent->keeps_space;
		e->is_hidden = parent->is_hidden;
	}
	e->keeps_space |= is_listed(e->name, "|pre|listing|") || preserved_style(style) ||
			  preserved_element(&r->preserved, e) ||
			  slice_eq(proof_attr(e, SLICE("xml:space")), SLICE("preserve"));
	e->is_hidden |= is_listed(e->name, "|head|script|style|template|");
	r->t->has_sheet |= slice_eq(e->name, SLICE("style"));
	if (slice_eq(e->name, SLICE("link"))) {
		slice rel = proof_attr(e, SLICE("rel"));

		r->t->has_sheet |= rel.len && memmem(rel.ptr, rel.len, "stylesheet", 10);
	}
}

static int open_element(struct reader *r, const struct html_token *token)
{
	struct proof_element e = {.parent = NO_TOKEN, .is_foreign = token->foreign};
	uint32_t index = (uint32_t)r->t->elements.len;
	bool is_empty;
	int rc;

	e.name = is_xml(r) ? slice_sub(r->t->source, token->from + 1,
				     token->from + 1 + token->name.len)
			   : copy(r, token->name);
	if (!is_xml(r) && !token->foreign)
		close_implied(r, e.name);
	e.parent = top_index(r);
	read_attrs(r, token, &e);
	set_flags(r, &e);
	rc = proof_element_vec_push(&r->t->elements, e);
	if (rc == 0)
		rc = proof_tokens_add(r->t, (struct proof_token){.kind = TOKEN_START,
						    .text = e.name,
						    .full = e.name,
						    .from = (uint32_t)token->from,
						    .to = (uint32_t)token->to,
						    .element = index});
	is_empty = (token->foreign || is_xml(r)) && token->self_closing;
	if (rc == 0 && is_empty)
		rc = proof_tokens_add(r->t, (struct proof_token){.kind = TOKEN_END,
						    .text = e.name,
						    .full = e.name,
						    .from = (uint32_t)token->to,
						    .to = (uint32_t)token->to,
						    .element = index});
	if (rc || is_empty || (!is_xml(r) && !token->foreign && is_void(e.name)))
		return rc;
	return u32_vec_push(&r->open, index);
}

static int close_element(struct reader *r, const struct html_token *token)
{
	slice name = is_xml(r) ? slice_sub(r->t->source, token->from + 2,
					 token->from + 2 + token->name.len)
			       : copy(r, token->name);
	uint32_t closed = NO_TOKEN;

	for (size_t i = r->open.len; i-- > 0 && r->open.len - i <= REACH;)
		if (slice_eq(r->t->elements.ptr[r->open.ptr[i]].name, name)) {
			closed = r->open.ptr[i];
			close_to(r, i);
			break;
		}
	return proof_tokens_add(
		r->t, (struct proof_token){.kind = TOKEN_END,
			      .text = name,
			      .full = name,
			      .from = (uint32_t)token->from,
			      .to = (uint32_t)token->to,
			      .element = closed == NO_TOKEN ? top_index(r) : closed});
}

/* Whether the user's rules take the token off. */
static int is_ignored(struct reader *r, const struct html_token *token, bool *ret)
{
	uint32_t before = r->ignored, now;

	*ret = false;
	if (!r->ignoring)
		return 0;
	ignore_page_token(r->ignoring, token);
	now = ignore_page_element(r->ignoring);
	if (r->ignoring->stack.cut)
		r->t->limit = "elements nested too deeply for the rules of the user";
	if (now != IGNORE_NONE && before == IGNORE_NONE) {
		if (token->kind != HTML_START_TAG)
			return 0;
		r->ignored_name = copy(r, token->name);
	}
	r->ignored = now;
	if (now == IGNORE_NONE && before != IGNORE_NONE) {
		if (token->kind != HTML_END_TAG || !slice_eq(token->name, r->ignored_name))
			return 0;
		now = before;
	}
	if (now == IGNORE_NONE)
		return 0;
	*ret = true;
	return proof_tokens_skip(r->t, token->from, token->to, now);
}

static int take(struct reader *r, const struct html_token *given)
{
	struct html_token copied = *given, *token = &copied;
	bool ignored;
	int rc;

	/* The line feed of CR LF and the end of a CDATA section are no part of the tag behind. */
	while (token->kind != HTML_TEXT && token->from < token->to &&
		r->t->source.ptr[token->from] != '<')
		token->from++;
	rc = is_ignored(r, token, &ignored);
	if (rc || ignored)
		return rc;
	if (token->cut && token->kind != HTML_COMMENT && token->kind != HTML_DOCTYPE)
		r->t->limit = "a tag is too long";
	if (token->kind == HTML_TEXT)
		return add_text(r, token);
	if (token->kind == HTML_COMMENT)
		return add_comment(r, token);
	if (token->kind == HTML_DOCTYPE)
		return add_doctype(r, token);
	rc = flush(r);
	if (rc)
		return rc;
	return token->kind == HTML_START_TAG ? open_element(r, token) : close_element(r, token);
}

static uint64_t start_key(const struct proof_element *e, uint64_t key)
{
	for (uint32_t i = 0; i < e->attr_count; i++) {
		key = proof_hash(key, e->attrs[i].name);
		key = proof_hash(key + 1, e->attrs[i].value);
	}
	return key;
}

/* Names of attributes that a framework makes count by their kind. */
static slice attr_shape(slice name)
{
	static const slice MADE[] = {SLICE_INIT("data-cf-modified-"), SLICE_INIT("data-v-"),
		SLICE_INIT("_ngcontent-"), SLICE_INIT("_nghost-")};

	for (size_t i = 0; i < sizeof MADE / sizeof *MADE; i++)
		if (slice_starts_with(name, MADE[i]))
			return MADE[i];
	return name;
}

static uint64_t start_shape(const struct proof_element *e, uint64_t shape)
{
	for (uint32_t i = 0; i < e->attr_count; i++)
		shape = proof_hash(shape + 1, attr_shape(e->attrs[i].name));
	return shape;
}

static void set_keys(struct proof_tokens *t)
{
	for (size_t i = 0; i < t->list.len; i++) {
		struct proof_token *token = &t->list.ptr[i];

		token->shape = token->kind + 1;
		if (token->kind == TOKEN_START || token->kind == TOKEN_END)
			token->shape = proof_hash(token->shape, token->text);
		token->key = proof_hash(token->kind, token->text);
		if (token->kind == TOKEN_START) {
			const struct proof_element *e = &t->elements.ptr[token->element];

			token->key = start_key(e, token->key);
			token->shape = start_shape(e, token->shape);
		} else if (token->kind == TOKEN_RAW && token->element != NO_TOKEN) {
			token->shape =
				proof_hash(token->shape, t->elements.ptr[token->element].name);
		}
	}
}

int proof_read_markup(struct proof_tokens *t, struct ignore_page *ignoring)
{
	struct reader r = {.t = t, .ignoring = ignoring, .ignored = IGNORE_NONE};
	const struct html_token *token;
	int rc;

	buf_init(&r.text, TEXT_MAX);
	preserved_init(&r.preserved, t);
	html_init(&r.html, t->format == FORMAT_XML ? HTML_XML : 0);
	html_feed(&r.html, t->source);
	do {
		while ((rc = html_next(&r.html, &token)) == 0 && !t->limit)
			if ((rc = take(&r, token)) != 0)
				break;
		if (rc == ERR_END && !r.html.eof) {
			html_finish(&r.html);
			rc = 0;
		}
	} while (rc == 0 && !t->limit);
	if (rc == ERR_END)
		rc = flush(&r);
	html_release(&r.html);
	buf_release(&r.text);
	u32_vec_release(&r.open);
	if (rc == 0 && !t->limit && t->format == FORMAT_HTML)
		proof_collapse(t);
	set_keys(t);
	return rc;
}
