#include <string.h>

#include "base/options.h"
#include "base/slice.h"
#include "base/word.h"

enum {
	WIDTH = 80,
	LABEL_INDENT = 2,
	HELP_COLUMN_MAX = 30, /* longer labels have their help on the next line */
	LABEL_SIZE = 128,
};

/* Columns a text takes: UTF-8 characters, not bytes. */
static size_t columns(slice s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++)
		n += ((unsigned char)s.ptr[i] & 0xc0) != 0x80;
	return n;
}

static void pad(FILE *file, size_t blanks)
{
	(void)fprintf(file, "%*s", (int)blanks, "");
}

/* A paragraph being filled: where the next word would stand. */
struct filler {
	FILE *file;
	size_t indent;
	size_t column;
};

/* Adds the words of a text; lines after the first begin at the indent. */
static void fill(struct filler *f, slice text)
{
	slice word;

	while (word_next(&text, ' ', &word)) {
		size_t width = columns(word);
		bool first = f->column <= f->indent;

		if (!first && f->column + 1 + width > WIDTH) {
			(void)putc('\n', f->file);
			pad(f->file, f->indent);
			f->column = f->indent;
			first = true;
		}
		if (!first)
			(void)putc(' ', f->file);
		(void)fwrite(word.ptr, 1, word.len, f->file);
		f->column += width + !first;
	}
}

/* Paragraphs are filled; one that begins with a blank is an example and stays as it is. */
static void print_description(FILE *file, const char *text)
{
	while (*text) {
		const char *end = strstr(text, "\n\n");
		slice paragraph = {text, end ? (size_t)(end - text) : strlen(text)};

		(void)putc('\n', file);
		if (*text == ' ')
			(void)fwrite(paragraph.ptr, 1, paragraph.len, file);
		else
			fill(&(struct filler){.file = file}, paragraph);
		(void)putc('\n', file);
		text += paragraph.len;
		text += strspn(text, "\n");
	}
}

static void print_usage(const struct options *o, FILE *file)
{
	const char *line = o->usage ? o->usage : "";
	const char *lead = "Usage:";

	do {
		size_t len = strcspn(line, "\n");

		(void)fprintf(file, "%-6s %s%s%s%s%.*s\n", lead, o->program, o->command ? " " : "",
			o->command ? o->command : "", len ? " " : "", (int)len, line);
		lead = "";
		line += len;
		line += *line == '\n';
	} while (*line);
}

static const char *metavar(const struct option_spec *s)
{
	static const char *const DEFAULTS[] = {
		[OPTION_FLAG] = NULL,
		[OPTION_STRING] = "TEXT",
		[OPTION_INT] = "N",
		[OPTION_DOUBLE] = "X",
		[OPTION_SIZE] = "SIZE",
		[OPTION_DURATION] = "TIME",
		[OPTION_CHOICE] = "NAME",
		[OPTION_LIST] = "TEXT",
	};

	return s->kind != OPTION_FLAG && s->metavar ? s->metavar : DEFAULTS[s->kind];
}

/* "-d, --delay=D" */
static void make_label(const struct option_spec *s, char out[LABEL_SIZE])
{
	const char *value = metavar(s);
	char letter[] = "-x, ";

	letter[1] = s->letter;
	(void)snprintf(out, LABEL_SIZE, "%s--%s%s%s", s->letter ? letter : "    ", s->name,
		value ? "=" : "", value ? value : "");
}

/* "(one of bfs, dfs)" */
static void fill_choices(struct filler *f, const char *const *choices)
{
	fill(f, SLICE("(one of"));
	for (; *choices; choices++) {
		char word[LABEL_SIZE];

		(void)snprintf(word, sizeof word, "%s%s", *choices, choices[1] ? "," : ")");
		fill(f, slice_str(word));
	}
}

static void print_option(const struct option_spec *s, size_t column, FILE *file)
{
	struct filler f = {.file = file, .indent = column, .column = column};
	char label[LABEL_SIZE];
	size_t width;

	make_label(s, label);
	width = LABEL_INDENT + columns(slice_str(label));
	(void)fprintf(file, "%*s%s", LABEL_INDENT, "", label);
	if (width + 2 > column) {
		(void)putc('\n', file);
		width = 0;
	}
	pad(file, column - width);
	fill(&f, slice_str(s->help ? s->help : ""));
	if (s->kind == OPTION_CHOICE)
		fill_choices(&f, s->choices);
	(void)putc('\n', file);
}

/* Help stands right of the longest label, but for labels that are too long for that. */
static size_t help_column(const struct options *o)
{
	size_t column = LABEL_INDENT + sizeof "-h, --help" - 1 + 2;

	for (const struct option_spec *s = o->specs; s->name; s++) {
		char label[LABEL_SIZE];
		size_t width;

		make_label(s, label);
		width = LABEL_INDENT + columns(slice_str(label)) + 2;
		if (width > column && width <= HELP_COLUMN_MAX)
			column = width;
	}
	return column;
}

void options_help(const struct options *o, FILE *file)
{
	static const struct option_spec help = {
		.name = "help", .letter = 'h', .kind = OPTION_FLAG, .help = "show this help"};
	size_t column = help_column(o);

	print_usage(o, file);
	print_description(file, o->description ? o->description : "");
	(void)fputs("\nOptions:\n", file);
	for (const struct option_spec *s = o->specs; s->name; s++)
		print_option(s, column, file);
	print_option(&help, column, file);
}
