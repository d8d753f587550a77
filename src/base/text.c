#include "base/text.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"
#include "base/word.h"

struct unit {
	double seconds;
	const char *name;
	const char *part; /* the next smaller one */
	double parts;     /* of those in one */
	double most;      /* of those before the next larger unit begins */
};

static const struct unit UNITS[] = {
	{60, "min", "s", 60, 3600},
	{3600, "h", "min", 60, 1440},
	{86400, "d", "h", 24, INFINITY},
};

/* Rounded before it is split, else 119.9 seconds would be "1 min 60 s". */
static double whole_parts(const struct unit *u, double seconds)
{
	return round(seconds * u->parts / u->seconds);
}

void text_duration(double seconds, char out[TEXT_DURATION_SIZE])
{
	const struct unit *u = UNITS;
	double parts, whole;

	if (seconds < 59.95) {
		(void)snprintf(out, TEXT_DURATION_SIZE, "%.1f s", seconds);
		return;
	}
	while (whole_parts(u, seconds) >= u->most)
		u++;
	parts = whole_parts(u, seconds);
	whole = floor(parts / u->parts);
	(void)snprintf(out, TEXT_DURATION_SIZE, "%.0f %s %.0f %s", whole, u->name,
		parts - whole * u->parts, u->part);
}

/* Units in which changes are counted, from the shortest. */
static const struct {
	double seconds;
	const char *one, *many;
} SPANS[] = {
	{1, "a second", "seconds"},
	{60, "a minute", "minutes"},
	{3600, "an hour", "hours"},
	{86400, "a day", "days"},
	{86400 * 30.44, "a month", "months"},
	{86400 * 365.25, "a year", "years"},
};

enum { SPANS_COUNT = sizeof SPANS / sizeof SPANS[0], YEARS_MAX = 100 };

/* Once in so many of the largest unit that is not longer than the mean gap. */
void text_rate(double rate, char out[TEXT_RATE_SIZE])
{
	double gap = rate > 0 ? 1 / rate : INFINITY, units;
	size_t i = SPANS_COUNT - 1;

	if (!(gap <= YEARS_MAX * SPANS[i].seconds)) {
		(void)snprintf(out, TEXT_RATE_SIZE, "hardly ever");
		return;
	}
	while (i > 0 && gap < 0.95 * SPANS[i].seconds)
		i--;
	units = round(gap / SPANS[i].seconds);
	if (units > 1)
		(void)snprintf(out, TEXT_RATE_SIZE, "about once in %.0f %s", units, SPANS[i].many);
	else if (rate < 1.5)
		(void)snprintf(out, TEXT_RATE_SIZE, "about once %s", SPANS[i].one);
	else
		(void)snprintf(out, TEXT_RATE_SIZE, "about %.3g times a second", rate);
}

void text_size(uint64_t bytes, char out[TEXT_SIZE_SIZE])
{
	static const char *const NAMES[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
	double value = (double)bytes / 1000;
	size_t i = 0;

	if (bytes < 1000) {
		(void)snprintf(out, TEXT_SIZE_SIZE, "%u bytes", (unsigned)bytes);
		return;
	}
	/* What would be rounded to 1000.0 is 1.0 of the next. */
	for (; value >= 999.95 && i + 1 < sizeof NAMES / sizeof NAMES[0]; i++)
		value /= 1000;
	(void)snprintf(out, TEXT_SIZE_SIZE, "%.1f %s", value, NAMES[i]);
}

/* Bytes of the character at the beginning of the text, which is not empty. */
static size_t take_character(slice text, bool *ret_printable)
{
	const unsigned char *p = (const unsigned char *)text.ptr;
	size_t control = utf8_control(p, text.len);

	*ret_printable = control == 0;
	return control ? control : utf8_length(p, text.len, ret_printable);
}

size_t text_columns(slice name)
{
	bool printable;
	size_t n = 0;

	for (size_t at = 0; at < name.len; n++)
		at += take_character(slice_sub(name, at, name.len), &printable);
	return n;
}

void text_name(FILE *file, slice name, size_t width)
{
	size_t columns = text_columns(name), done = 0;
	bool cut = width && columns > width;

	for (size_t at = 0; at < name.len; done++) {
		bool printable;
		size_t len = take_character(slice_sub(name, at, name.len), &printable);

		if (cut && done + 1 == width) {
			(void)fputs("…", file);
			return;
		}
		if (printable)
			(void)fwrite(name.ptr + at, 1, len, file);
		else
			(void)putc('?', file);
		at += len;
	}
	if (columns < width)
		(void)fprintf(file, "%*s", (int)(width - columns), "");
}

void text_command(FILE *file, const char *command, const char *archive, const char *rest)
{
	static const char PLAIN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "/._-+,:@%";
	slice word = slice_str(archive), part;
	bool quoted = archive[strspn(archive, PLAIN)] || archive[0] == '-' || !archive[0];

	(void)fprintf(file, "stillpoint %s %s", command, quoted ? "'" : "");
	while (word.len) {
		bool more = memchr(word.ptr, '\'', word.len) != NULL;

		part = slice_take(&word, '\'');
		text_name(file, part, 0);
		(void)fputs(more ? "'\\''" : "", file);
	}
	(void)fprintf(file, "%s%s", quoted ? "'" : "", rest);
}

void text_wrap(FILE *file, const char *text)
{
	enum { WIDTH = 80 };
	slice rest = slice_str(text), word;
	size_t column = 0;

	while (word_next(&rest, ' ', &word)) {
		bool breaks = column > 0 && column + 1 + word.len > WIDTH;

		if (column > 0)
			(void)putc(breaks ? '\n' : ' ', file);
		(void)fwrite(word.ptr, 1, word.len, file);
		column = (column == 0 || breaks ? 0 : column + 1) + word.len;
	}
	(void)putc('\n', file);
}
