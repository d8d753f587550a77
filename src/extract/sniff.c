#include "extract/sniff.h"

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
