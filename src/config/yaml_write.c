#include "config/yaml_write.h"

#include <stdbool.h>

#include "base/utf8.h"
#include "base/word.h"

/* Letters, digits and a few marks that mean nothing in YAML, wherever they stand. */
static bool is_plain(slice text)
{
	static const slice NULLS[] = {SLICE_INIT("null"), SLICE_INIT("~")};

	for (size_t i = 0; i < sizeof NULLS / sizeof NULLS[0]; i++)
		if (word_is(text, NULLS[i]))
			return false;
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];
		bool is_mark = c == '.' || c == '_' || c == '/' || (i > 0 && c == '-');
		/* "https://…": no blank follows */
		bool is_colon = c == ':' && i + 1 < text.len && text.ptr[i + 1] == '/';

		if (!word_is_alnum(c) && !is_mark && !is_colon)
			return false;
	}
	return text.len > 0;
}

void yaml_write_text(FILE *file, slice text)
{
	if (is_plain(text)) {
		(void)fwrite(text.ptr, 1, text.len, file);
		return;
	}
	(void)putc('"', file);
	while (text.len > 0) {
		unsigned char c = (unsigned char)text.ptr[0];
		bool is_sound;
		size_t len = utf8_length((const unsigned char *)text.ptr, text.len, &is_sound);

		if (!is_sound)
			(void)fputs(UTF8_REPLACEMENT, file);
		else if (c == '"' || c == '\\')
			(void)fprintf(file, "\\%c", c);
		else if (c < ' ' || c == 0x7f)
			(void)fprintf(file, "\\x%02x", c);
		else
			(void)fwrite(text.ptr, 1, len, file);
		text = slice_sub(text, len, text.len);
	}
	(void)putc('"', file);
}
