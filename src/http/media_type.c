#include "http/media_type.h"

#include "base/word.h"

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

struct media_type media_type_parse(slice value)
{
	struct media_type type = {0};

	type.essence = word_trim(slice_take(&value, ';'));
	while (value.len && type.charset.len == 0) {
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
			type.charset = take_value(&value);
		else
			(void)take_value(&value);
	}
	return type;
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
