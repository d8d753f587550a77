#include "formats/media_type.h"

#include "base/word.h"

static bool ends_tag(slice s, size_t at)
{
	return at < s.len && (s.ptr[at] == ' ' || s.ptr[at] == '>');
}

static bool is_html(slice s)
{
	static const char *const TAGS[] = {"<!doctype html", "<html", "<head", "<script", "<iframe",
		"<h1", "<div", "<font", "<table", "<a", "<style", "<title", "<b", "<body", "<br",
		"<p", "<!--"};

	for (size_t i = 0; i < sizeof TAGS / sizeof TAGS[0]; i++)
		if (word_starts(s, slice_str(TAGS[i])) && ends_tag(s, strlen(TAGS[i])))
			return true;
	return false;
}

static bool has_text_bom(slice s)
{
	return slice_starts_with(s, SLICE("\xef\xbb\xbf")) ||
	       slice_starts_with(s, SLICE("\xfe\xff")) || slice_starts_with(s, SLICE("\xff\xfe"));
}

/* Bytes that no text has ("binary data byte"). */
static bool is_binary(unsigned char c)
{
	return c <= 0x08 || c == 0x0b || (c >= 0x0e && c <= 0x1a) || (c >= 0x1c && c <= 0x1f);
}

enum sniffed sniff(slice start)
{
	slice s = slice_sub(start, 0, SNIFF_MAX), text = s;

	while (text.len && word_is_space(text.ptr[0]))
		text = slice_sub(text, 1, text.len);
	if (is_html(text))
		return SNIFFED_HTML;
	if (slice_starts_with(text, SLICE("<?xml")))
		return SNIFFED_XML;
	if (has_text_bom(s))
		return SNIFFED_TEXT;
	for (size_t i = 0; i < s.len; i++)
		if (is_binary((unsigned char)s.ptr[i]))
			return SNIFFED_BINARY;
	return SNIFFED_TEXT;
}

/* A parameter's value; one in quotes ends at the quote, backslashes do not occur in labels. */
static slice take_value(slice *s)
{
	slice value;

	if (s->len == 0 || s->ptr[0] != '"')
		return word_trim(slice_take(s, ';'));
	*s = slice_sub(*s, 1, s->len);
	value = slice_take(s, '"');
	(void)slice_take(s, ';');
	return value;
}

/* Letters, digits and these signs (RFC 9110, section 5.6.2). */
static bool is_token(slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!word_is_alnum(s.ptr[i]) &&
			(s.ptr[i] == '\0' || !strchr("!#$%&'*+-.^_`|~", s.ptr[i])))
			return false;
	return s.len > 0;
}

static bool is_essence(slice s)
{
	slice rest = s, type = slice_take(&rest, '/');

	return type.len < s.len && is_token(type) && is_token(rest);
}

/* One value, without commas but in quotes. False for what is no media type. */
static bool parse_one(slice value, struct media_type *ret)
{
	*ret = (struct media_type){.essence = word_trim(slice_take(&value, ';'))};
	while (value.len && ret->charset.len == 0) {
		size_t n = 0;
		slice name;

		while (n < value.len && value.ptr[n] != ';' && value.ptr[n] != '=')
			n++;
		name = word_trim(slice_sub(value, 0, n));
		if (n == value.len || value.ptr[n] == ';') {
			value = slice_sub(value, n + 1, value.len);
			continue;
		}
		value = slice_sub(value, n + 1, value.len);
		if (word_is(name, SLICE("charset")))
			ret->charset = take_value(&value);
		else
			(void)take_value(&value);
	}
	return is_essence(ret->essence);
}

/* Takes the next value off a list: commas in quotes are none. */
static slice take_one(slice *list)
{
	bool quoted = false;
	size_t n = 0;
	slice value;

	for (; n < list->len && (quoted || list->ptr[n] != ','); n++) {
		if (list->ptr[n] == '"')
			quoted = !quoted;
		else if (quoted && list->ptr[n] == '\\')
			n += n + 1 < list->len;
	}
	value = slice_sub(*list, 0, n);
	*list = slice_sub(*list, n + 1, list->len);
	return value;
}

/* A later value replaces an earlier one; of the same type it inherits the charset. */
static void replace(struct media_type *type, struct media_type next)
{
	if (word_is(next.essence, SLICE("*/*")))
		return;
	if (next.charset.len == 0 && word_is(type->essence, next.essence))
		next.charset = type->charset;
	*type = next;
}

struct media_type media_type_parse(slice value)
{
	struct media_type type = {0}, next;

	while (value.len) {
		slice one = take_one(&value);

		if (parse_one(one, &next))
			replace(&type, next);
	}
	return type;
}

static bool is_told_not_to_guess(const struct fields *head)
{
	slice value = fields_get(head, SLICE("X-Content-Type-Options"));

	return word_is(word_trim(slice_take(&value, ',')), SLICE("nosniff"));
}

slice media_type_of_head(const struct fields *head)
{
	struct media_type type = {0};
	slice found = {0};

	for (size_t i = 0; i < head->items.len; i++) {
		struct media_type next;

		if (!word_is(head->items.ptr[i].name, SLICE("Content-Type")))
			continue;
		next = media_type_parse(head->items.ptr[i].value);
		if (next.essence.len == 0 ||
			(next.charset.len == 0 && word_is(next.essence, type.essence)))
			continue;
		type = next;
		found = head->items.ptr[i].value;
	}
	if (found.len && !media_type_is_unknown(found))
		return found;
	return is_told_not_to_guess(head) ? SLICE("text/plain") : SLICE(MEDIA_TYPE_UNKNOWN);
}

bool media_type_is_unknown(slice value)
{
	slice type = media_type_parse(value).essence;

	return type.len == 0 || word_is(type, SLICE(MEDIA_TYPE_UNKNOWN)) ||
	       word_is(type, SLICE("application/unknown"));
}

slice media_type_of_path(const char *path)
{
	static const struct {
		slice suffix;
		slice type;
	} SUFFIXES[] = {
		{SLICE_INIT(".css"), SLICE_INIT("text/css")},
		{SLICE_INIT(".svg"), SLICE_INIT("image/svg+xml")},
		{SLICE_INIT(".txt"), SLICE_INIT("text/plain")},
		{SLICE_INIT(".xhtml"), SLICE_INIT("application/xhtml+xml")},
		{SLICE_INIT(".xht"), SLICE_INIT("application/xhtml+xml")},
		{SLICE_INIT(".xml"), SLICE_INIT("application/xml")},
	};
	slice name = slice_str(path);

	for (size_t i = 0; i < sizeof SUFFIXES / sizeof *SUFFIXES; i++)
		if (word_ends(name, SUFFIXES[i].suffix))
			return SUFFIXES[i].type;
	return SLICE("text/html");
}
