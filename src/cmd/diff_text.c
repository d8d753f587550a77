#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/live.h"
#include "base/utf8.h"
#include "cmd/diff.h"
#include "quality/acted.h"

enum {
	DEFAULT_WIDTH = 80,
	WIDTH_MIN = 40,
	LABEL_WIDTH = 8,
	MIDDLE = 3,       /* " | " between the columns */
	CELL_LINES = 12,  /* of a cell that differs */
	EQUAL_LINES = 2,  /* of one that does not */
	RULE_ROWS = 10,   /* of what a rule masked */
	CONTEXT_ROWS = 1, /* without a difference, around one that has it */
};

struct screen {
	FILE *file;
	size_t width;
	bool colours;
};

static struct screen look_at(FILE *file)
{
	struct screen s = {.file = file, .width = DEFAULT_WIDTH};
	const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
	struct winsize w = {0};
	int fd = fileno(file);

	if (fd < 0 || isatty(fd) != 1)
		return s;
	if (ioctl(fd, TIOCGWINSZ, &w) == 0 && w.ws_col)
		s.width = w.ws_col > WIDTH_MIN ? w.ws_col : WIDTH_MIN;
	s.colours = !(no_colour && *no_colour) && term && *term && strcmp(term, "dumb") != 0;
	return s;
}

#define BOLD   "1"
#define DIM    "2"
#define RED    "31"
#define GREEN  "32"
#define YELLOW "33"

static void colour(const struct screen *s, const char *code)
{
	if (s->colours && code)
		(void)fprintf(s->file, "\033[%sm", code);
}

static void plain(const struct screen *s, const char *code)
{
	if (s->colours && code)
		(void)fputs("\033[0m", s->file);
}

static void print_heading(const struct screen *s, const char *text)
{
	(void)putc('\n', s->file);
	colour(s, BOLD);
	(void)fputs(text, s->file);
	plain(s, BOLD);
	(void)putc('\n', s->file);
}

/* ---- cells ---- */

static uint32_t decode(const unsigned char *p, size_t len)
{
	uint32_t code = len > 1 ? p[0] & (0xffU >> (len + 1)) : p[0];

	for (size_t i = 1; i < len; i++)
		code = code << 6 | (p[i] & 0x3fU);
	return code;
}

/* What a terminal would obey, or what would change the order of what stands beside it. */
static bool is_control(uint32_t code)
{
	return code < ' ' || (code >= 0x7f && code < 0xa0) || code == 0x61c ||
	       (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2060 && code <= 0x206f) || code == 0xfeff;
}

struct character {
	const char *text; /* what is printed for it */
	size_t len;       /* of that */
	size_t columns;
	size_t bytes; /* of the cell */
};

static struct character first_character(slice s)
{
	struct character c = {.text = s.ptr, .columns = 1};
	uint32_t code;
	bool ok;

	c.bytes = c.len = utf8_length((const unsigned char *)s.ptr, s.len, &ok);
	code = ok ? decode((const unsigned char *)s.ptr, c.len) : 0;
	if (code == '\t' || code == '\n' || code == '\r')
		c.text = " ";
	else if (!ok || is_control(code))
		c.text = "?";
	else
		c.columns = live_char_columns(code);
	if (c.text != s.ptr)
		c.len = 1;
	return c;
}

/* Bytes of the next line of a cell, broken behind a blank where there is one. */
static size_t line_bytes(slice rest, size_t width)
{
	size_t columns = 0, at = 0, blank = 0;

	while (at < rest.len) {
		struct character c = first_character(slice_sub(rest, at, rest.len));

		if (columns + c.columns > width)
			return blank ? blank : at;
		columns += c.columns;
		at += c.bytes;
		if (c.text[0] == ' ')
			blank = at;
	}
	return at;
}

static slice trim_end(slice s)
{
	while (slice_ends_with(s, SLICE(" ")))
		s.len--;
	return s;
}

/* Prints a line of a cell and fills it up to the width. */
static void print_line(const struct screen *s, slice line, size_t width, const char *code)
{
	size_t columns = 0;

	colour(s, line.len ? code : NULL);
	for (size_t at = 0; at < line.len;) {
		struct character c = first_character(slice_sub(line, at, line.len));

		(void)fwrite(c.text, 1, c.len, s->file);
		columns += c.columns;
		at += c.bytes;
	}
	plain(s, line.len ? code : NULL);
	if (columns < width)
		(void)fprintf(s->file, "%*s", (int)(width - columns), "");
}

struct cells {
	slice a, b;
	const char *mark; /* between them */
	const char *colour_a, *colour_b;
	unsigned lines; /* at most; the rest is cut */
};

static slice take_line(slice *rest, size_t width, unsigned number, unsigned lines)
{
	size_t bytes = line_bytes(*rest, width);
	slice line = trim_end(slice_sub(*rest, 0, bytes));

	*rest = slice_sub(*rest, bytes, rest->len);
	if (number + 1 < lines || rest->len == 0)
		return line;
	*rest = (slice){0};
	return SLICE("…");
}

static void print_cells(const struct screen *s, const struct cells *c, size_t indent)
{
	size_t width = (s->width - 1 - indent - MIDDLE) / 2;
	slice a = c->a, b = c->b;

	for (unsigned n = 0; n == 0 || a.len || b.len; n++) {
		slice line_a = take_line(&a, width, n, c->lines);
		slice line_b = take_line(&b, width, n, c->lines);

		if (n > 0)
			(void)fprintf(s->file, "%*s", (int)indent, "");
		print_line(s, line_a, width, c->colour_a);
		(void)fprintf(s->file, " %s%s", c->mark, line_b.len ? " " : "");
		print_line(s, line_b, 0, c->colour_b);
		(void)putc('\n', s->file);
	}
}

/* ---- parts ---- */

static void print_pair(const struct screen *s, const char *label, slice a, slice b)
{
	(void)fprintf(s->file, "%-*s", LABEL_WIDTH, label);
	print_cells(
		s, &(struct cells){.a = a, .b = b, .mark = " ", .lines = CELL_LINES}, LABEL_WIDTH);
}

static void describe_time(const struct look *l, char out[CLOCK_TEXT_SIZE])
{
	clock_format(l->attempt->wall.sent, CLOCK_ROUND_DOWN, out);
}

static void describe_size(const struct look *l, char *out, size_t size)
{
	(void)snprintf(out, size, "%" PRIu64 " bytes%s%s", l->size, l->whole ? "" : ", cut off",
		l->readable ? "" : ", not decoded");
}

static void print_digest(const struct screen *s, const char *label, const struct look *l)
{
	char text[DIGEST_TEXT_SIZE];

	(void)digest_format(&l->digest, text);
	(void)fprintf(s->file, "%-*s%s\n", LABEL_WIDTH, label, text);
}

static void print_looks(const struct screen *s, const struct diff *d)
{
	char a[CLOCK_TEXT_SIZE + 64], b[CLOCK_TEXT_SIZE + 64];

	print_pair(s, "", SLICE("visit"), SLICE("revisit"));
	describe_time(d->visit, a);
	describe_time(d->revisit, b);
	print_pair(s, "time", slice_str(a), slice_str(b));
	(void)snprintf(a, sizeof a, "%u", d->visit->status);
	(void)snprintf(b, sizeof b, "%u", d->revisit->status);
	print_pair(s, "status", slice_str(a), slice_str(b));
	print_pair(s, "type", buf_slice(&d->visit->media_type), buf_slice(&d->revisit->media_type));
	describe_size(d->visit, a, sizeof a);
	describe_size(d->revisit, b, sizeof b);
	print_pair(s, "size", slice_str(a), slice_str(b));
	if (d->visit->original.len || d->revisit->original.len)
		print_pair(s, "record",
			d->visit->original.len ? SLICE("revisit record") : SLICE("response"),
			d->revisit->original.len ? SLICE("revisit record") : SLICE("response"));
	if (d->versions->form == VERSIONS_BYTES || d->versions->same == CHANGE_BYTES) {
		print_digest(s, "visit", d->visit);
		print_digest(s, "revisit", d->revisit);
	}
}

void diff_result(const struct versions *v, char out[DIFF_RESULT_SIZE])
{
	if (v->same == CHANGE_BYTES)
		(void)snprintf(out, DIFF_RESULT_SIZE,
			"The two versions are the same, byte for byte (evidence: bytes).");
	else if (v->same == CHANGE_NORMALISED)
		(void)snprintf(out, DIFF_RESULT_SIZE,
			"The two versions are the same but for noise (evidence: normalised). "
			"Differences masked as noise: %zu; none remains.",
			v->masked_count);
	else if (v->doubt)
		(void)snprintf(out, DIFF_RESULT_SIZE,
			"The two versions do not count as the same: %s. Differences that remain: "
			"%zu; masked as noise: %zu.",
			v->doubt, v->differ_count, v->masked_count);
	else if (v->form == VERSIONS_BYTES)
		(void)snprintf(out, DIFF_RESULT_SIZE,
			"The two versions differ. They are not text that could be shown.");
	else
		(void)snprintf(out, DIFF_RESULT_SIZE,
			"The two versions differ. Differences that remain: %zu; masked as noise: "
			"%zu.",
			v->differ_count, v->masked_count);
}

/* Text of ours, in lines. */
SP_PRINTF(3, 4)
static void print_prose(const struct screen *s, const char *code, const char *format, ...)
{
	char text[DIFF_RESULT_SIZE];
	va_list arguments;
	slice rest;

	va_start(arguments, format);
	(void)vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	for (rest = slice_str(text); rest.len;) {
		size_t n = line_bytes(rest, s->width - 1);

		print_line(s, trim_end(slice_sub(rest, 0, n)), 0, code);
		(void)putc('\n', s->file);
		rest = slice_sub(rest, n, rest.len);
	}
}

static void print_result(const struct screen *s, const struct versions *v)
{
	char text[DIFF_RESULT_SIZE];

	diff_result(v, text);
	(void)putc('\n', s->file);
	print_prose(s, BOLD, "%s", text);
}

static void print_place(const struct screen *s, slice where, size_t indent)
{
	slice shown = slice_sub(where, 0, line_bytes(where, s->width - 1 - indent));

	(void)fprintf(s->file, "%*s", (int)indent, "");
	/* The end of a long place says more than its beginning. */
	if (shown.len < where.len) {
		size_t keep = s->width - 2 - indent;
		size_t from = where.len > keep ? where.len - keep : 0;

		while (from < where.len && (where.ptr[from] & 0xc0) == 0x80)
			from++;
		(void)fputs("…", s->file);
		shown = slice_sub(where, from, where.len);
	}
	print_line(s, shown, 0, DIM);
	(void)putc('\n', s->file);
}

static const char *mark_of(const struct versions_row *row)
{
	if (!row->differs)
		return " ";
	return row->a.ptr && row->b.ptr ? "|" : row->a.ptr ? "<" : ">";
}

static void print_row(const struct screen *s, const struct versions_row *row, bool masked)
{
	(void)fputs("  ", s->file);
	print_cells(s,
		&(struct cells){
			.a = row->a,
			.b = row->b,
			.mark = mark_of(row),
			.lines = row->differs ? CELL_LINES : EQUAL_LINES,
			.colour_a = !row->differs ? NULL
				    : masked      ? YELLOW
						  : RED,
			.colour_b = !row->differs ? NULL
				    : masked      ? YELLOW
						  : GREEN,
		},
		2);
}

/* Whether a row has one that differs near it. */
static bool is_near(const struct versions_rows *rows, size_t i)
{
	size_t from = i > CONTEXT_ROWS ? i - CONTEXT_ROWS : 0;

	for (size_t k = from; k < rows->len && k <= i + CONTEXT_ROWS; k++)
		if (rows->ptr[k].differs)
			return true;
	return false;
}

static void print_rows(const struct screen *s, const struct versions *v)
{
	size_t kept = 0, skipped = 0;

	for (size_t i = 0; i < v->rows.len; i++) {
		const struct versions_row *row = &v->rows.ptr[i];

		kept += row->differs;
		if (!is_near(&v->rows, i)) {
			skipped++;
			continue;
		}
		if (skipped)
			(void)fprintf(s->file, "  … %zu without a difference\n", skipped);
		skipped = 0;
		if (row->differs)
			print_place(s, row->where, 0);
		print_row(s, row, false);
	}
	if (skipped)
		(void)fprintf(s->file, "  … %zu without a difference\n", skipped);
	if (v->differ_count > kept && v->form != VERSIONS_BYTES)
		(void)fprintf(s->file, "  … and %zu more differences\n", v->differ_count - kept);
}

static void print_rule(const struct screen *s, const struct versions *v, size_t number)
{
	const struct change_rule *r = &v->change.rules[number];
	size_t rows = 0;

	print_prose(s, NULL, "%.*s, %" PRIu64 "×: %s", (int)r->name.len, r->name.ptr, r->count,
		acted_summary(r->name));
	for (size_t i = 0; i < v->masked.len; i++) {
		if (v->masked.ptr[i].rule != r->rule || ++rows > RULE_ROWS)
			continue;
		print_place(s, v->masked.ptr[i].row.where, 2);
		print_row(s, &v->masked.ptr[i].row, true);
	}
	if (rows > RULE_ROWS)
		print_prose(
			s, NULL, "  … and %zu more; --html and --json show them", rows - RULE_ROWS);
}

void diff_print(const struct diff *d, FILE *file)
{
	struct screen s = look_at(file);
	const struct versions *v = d->versions;

	print_line(&s, d->url, 0, BOLD);
	(void)fprintf(file, "\ncapture %u of ", (unsigned)d->capture->id);
	print_line(&s, d->capture->site, 0, NULL);
	(void)fputs("\n\n", file);
	print_looks(&s, d);
	print_result(&s, v);
	if (v->differ_count && v->rows.len) {
		print_heading(&s, "What remains");
		print_rows(&s, v);
	}
	if (v->change.rule_count) {
		print_heading(&s, "What was masked as noise");
		for (size_t i = 0; i < v->change.rule_count; i++)
			print_rule(&s, v, i);
		(void)putc('\n', file);
		print_prose(&s, NULL, "Share of the visible text that was masked: %.2f %%",
			v->change.masked_visible * 100);
	}
}
