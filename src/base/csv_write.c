#include "base/csv.h"

#include "base/utf8.h"

/* Bytes that may stand only between quotes. */
static const bool QUOTED[256] = {[','] = true, ['"'] = true, ['\r'] = true, ['\n'] = true};

static bool needs_quotes(slice field)
{
	static const slice mark = SLICE_INIT("\xef\xbb\xbf");

	/* At the start of a file the byte order mark would not be taken for a part of the field. */
	if (slice_eq(slice_sub(field, 0, mark.len), mark))
		return true;
	for (size_t i = 0; i < field.len; i++)
		if (QUOTED[(unsigned char)field.ptr[i]])
			return true;
	return false;
}

/* U+FFFD for what a terminal would obey; tabs and line ends are text. */
static void write_text(FILE *file, slice text)
{
	while (text.len > 0) {
		const unsigned char *p = (const unsigned char *)text.ptr;
		bool is_blank = p[0] == '\t' || p[0] == '\n' || p[0] == '\r', is_sound;
		size_t control = is_blank ? 0 : utf8_control(p, text.len);
		size_t len = utf8_length(p, text.len, &is_sound);

		if (control > 0)
			(void)fputs(UTF8_REPLACEMENT, file);
		else if (p[0] == '"')
			(void)fputs("\"\"", file);
		else
			(void)fwrite(p, 1, len, file);
		text = slice_sub(text, len, text.len);
	}
}

void csv_write_field(FILE *file, slice field)
{
	bool is_quoted = needs_quotes(field);

	if (is_quoted)
		(void)putc('"', file);
	write_text(file, field);
	if (is_quoted)
		(void)putc('"', file);
}
