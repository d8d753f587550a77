#include "formats/link_header.h"

#include "base/err.h"
#include "base/word.h"

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
