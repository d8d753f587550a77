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
	size_t sound = utf8_valid_prefix(text);

	if (is_plain(text)) {
		(void)fwrite(text.ptr, 1, text.len, file);
		return;
	}
	(void)putc('"', file);
	for (size_t i = 0; i < sound; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		if (c == '"' || c == '\\')
			(void)fprintf(file, "\\%c", c);
		else if (c < ' ' || c == 0x7f)
			(void)fprintf(file, "\\x%02x", c);
		else
			(void)putc(c, file);
	}
	(void)putc('"', file);
}
