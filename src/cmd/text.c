#include "cmd/text.h"

#include <math.h>

struct unit {
	double seconds;
	const char *name;
	const char *part; /* the next smaller one */
	double parts;     /* of those in one */
};

static const struct unit UNITS[] = {
	{86400, "d", "h", 24},
	{3600, "h", "min", 60},
	{60, "min", "s", 60},
};

/* Rounded before it is split, else 59.9 minutes would be "59 min 60 s". */
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
	while (u < &UNITS[2] && whole_parts(u, seconds) < u->parts)
		u++;
	parts = whole_parts(u, seconds);
	whole = floor(parts / u->parts);
	(void)snprintf(out, TEXT_DURATION_SIZE, "%.0f %s %.0f %s", whole, u->name,
		parts - whole * u->parts, u->part);
}

static bool begins_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

size_t text_columns(slice name)
{
	size_t n = 0;

	for (size_t i = 0; i < name.len; i++)
		n += begins_character(name.ptr[i]);
	return n;
}

static void put(FILE *file, char c)
{
	(void)putc((unsigned char)c < ' ' || c == '\x7f' ? '?' : c, file);
}

void text_name(FILE *file, slice name, size_t width)
{
	size_t columns = text_columns(name), done = 0;

	for (size_t i = 0; i < name.len; i++) {
		done += begins_character(name.ptr[i]);
		if (width && columns > width && done == width) {
			(void)fputs("…", file);
			return;
		}
		put(file, name.ptr[i]);
	}
	if (columns < width)
		(void)fprintf(file, "%*s", (int)(width - columns), "");
}
