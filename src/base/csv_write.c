#include "base/csv.h"

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

void csv_write_field(FILE *file, slice field)
{
	if (!needs_quotes(field)) {
		(void)fwrite(field.ptr, 1, field.len, file);
		return;
	}
	(void)putc('"', file);
	for (size_t i = 0; i < field.len; i++) {
		if (field.ptr[i] == '"')
			(void)putc('"', file);
		(void)putc(field.ptr[i], file);
	}
	(void)putc('"', file);
}
