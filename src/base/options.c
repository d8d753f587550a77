#include "base/options.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/closest.h"
#include "base/format.h"
#include "base/parse.h"
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
		[OPTION_UINT] = "N",
		[OPTION_DOUBLE] = "X",
		[OPTION_SIZE] = "SIZE",
		[OPTION_DURATION] = "TIME",
		[OPTION_CHOICE] = "NAME",
		[OPTION_SWITCH] = "NAME",
		[OPTION_LIST] = "TEXT",
		[OPTION_COUNT_RATE] = "RATE",
		[OPTION_SIZE_RATE] = "RATE",
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

static void fill_default(struct filler *f, const char *usual)
{
	char word[LABEL_SIZE];

	fill(f, SLICE("(default:"));
	(void)snprintf(word, sizeof word, "%s)", usual);
	fill(f, slice_str(word));
}

/* Whether help lists it. */
static bool is_shown(const struct options *o, const struct option_spec *s, bool all)
{
	if (s->kind == OPTION_GONE || (o->refuses && o->refuses(s)))
		return false;
	return all || !o->is_basic || o->is_basic(s);
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
	if (s->usual)
		fill_default(&f, s->usual);
	if (s->kind == OPTION_CHOICE || s->kind == OPTION_SWITCH)
		fill_choices(&f, s->choices);
	(void)putc('\n', file);
}

/* Help stands right of the longest label, but for labels that are too long for that. */
static size_t help_column(const struct options *o, bool all)
{
	size_t column = LABEL_INDENT + sizeof "-h, --help" - 1 + 2;

	for (const struct option_spec *s = o->specs; s->name; s++) {
		char label[LABEL_SIZE];
		size_t width;

		if (!is_shown(o, s, all))
			continue;
		make_label(s, label);
		width = LABEL_INDENT + columns(slice_str(label)) + 2;
		if (width > column && width <= HELP_COLUMN_MAX)
			column = width;
	}
	return column;
}

void options_help(const struct options *o, bool all, FILE *file)
{
	const struct option_spec help = {.name = "help",
		.letter = 'h',
		.kind = OPTION_FLAG,
		.help = o->is_basic ? "show this help; '--help all' shows every option"
				    : "show this help"};
	size_t column = help_column(o, all);
	const char *group = NULL;
	bool any = false;

	print_usage(o, file);
	print_description(file, o->description ? o->description : "");
	for (const struct option_spec *s = o->specs; s->name; s++) {
		if (!is_shown(o, s, all))
			continue;
		if (!any || s->group != group)
			(void)fprintf(file, "\n%s:\n", s->group ? s->group : "Options");
		any = true;
		group = s->group;
		print_option(s, column, file);
	}
	if (!any || group)
		(void)fprintf(file, "\n%s:\n", any ? "Help" : "Options");
	print_option(&help, column, file);
}

enum { CHOICES_SIZE = 160 }; /* more choices than fit are left to --help */

/* Where a value goes and how its option is called. */
struct target {
	const struct option_spec *spec;
	void *out;
	const char *dashes;
	struct err *err;
};

static bool in_range(const struct option_spec *s, double value)
{
	if (s->min == 0 && s->max == 0)
		return true;
	if (s->bounds & OPTION_ABOVE_MIN ? value <= s->min : value < s->min)
		return false;
	return s->bounds & OPTION_BELOW_MAX ? value < s->max : value <= s->max;
}

static int refuse_range(const struct target *t, const char *value)
{
	const struct option_spec *s = t->spec;
	char min[FORMAT_DOUBLE_SIZE], max[FORMAT_DOUBLE_SIZE];

	if (s->min == 0 && s->max == 0)
		return err_set(
			t->err, ERR_USAGE, "%s%s: %s is out of range", t->dashes, s->name, value);
	(void)format_double(s->min, min);
	(void)format_double(s->max, max);
	return err_set(t->err, ERR_USAGE, "%s%s must be %s %s and %s %s, not %s", t->dashes,
		s->name, s->bounds & OPTION_ABOVE_MIN ? "above" : "at least", min,
		s->bounds & OPTION_BELOW_MAX ? "below" : "at most", max, value);
}

static int refuse(const struct target *t, int rc, const char *value)
{
	static const char *const WANTED[] = {
		[OPTION_FLAG] = "true or false",
		[OPTION_INT] = "a whole number",
		[OPTION_UINT] = "a whole number",
		[OPTION_DOUBLE] = "a number",
		[OPTION_SIZE] = "a size such as 512, 64k or 2G",
		[OPTION_DURATION] = "a time such as 30, 1.5s, 20m or 2h",
		[OPTION_COUNT_RATE] = "a rate such as 20000/day or 10/minute",
		[OPTION_SIZE_RATE] = "a rate such as 5G/day or 200M/hour",
	};

	const char *word = t->spec->word;

	if (rc == ERR_RANGE)
		return refuse_range(t, value);
	return err_set(t->err, ERR_USAGE, "%s%s needs %s%s%s, not '%s'", t->dashes, t->spec->name,
		word ? word : "", word ? " or " : "", WANTED[t->spec->kind], value);
}

static int set_rate(const struct target *t, const char *value)
{
	struct option_rate rate;
	int rc = parse_rate(
		slice_str(value), t->spec->kind == OPTION_SIZE_RATE, &rate.amount, &rate.seconds);

	if (rc == 0 && !in_range(t->spec, rate.amount))
		rc = ERR_RANGE;
	if (rc)
		return refuse(t, rc, value);
	*(struct option_rate *)option_field(t->spec, t->out) = rate;
	return 0;
}

/* Stores a number in the type of its kind. */
static void store(
	const struct option_spec *s, void *field, double value, int64_t whole, uint64_t bytes)
{
	switch (s->kind) {
	case OPTION_INT:
		*(int64_t *)field = whole;
		break;
	case OPTION_UINT:
		*(uint32_t *)field = (uint32_t)whole;
		break;
	case OPTION_SIZE:
		*(uint64_t *)field = bytes;
		break;
	default:
		*(double *)field = value;
	}
}

static int set_number(const struct target *t, const char *value)
{
	const struct option_spec *s = t->spec;
	void *field = option_field(s, t->out);
	slice text = slice_str(value);
	double seconds = 0;
	uint64_t bytes = 0;
	int64_t whole = 0;
	int rc;

	if (s->word && strcmp(value, s->word) == 0) {
		store(s, field, s->word_value, (int64_t)s->word_value, 0);
		return 0;
	}
	if (s->kind == OPTION_INT || s->kind == OPTION_UINT)
		rc = parse_i64(text, &whole);
	else if (s->kind == OPTION_SIZE)
		rc = parse_size(text, &bytes);
	else if (s->kind == OPTION_DURATION)
		rc = parse_duration(text, &seconds);
	else
		rc = parse_double(text, &seconds);
	if (rc == 0 && (!in_range(s, (double)whole + (double)bytes + seconds) ||
			       (s->kind == OPTION_UINT && (whole < 0 || whole > UINT32_MAX))))
		rc = ERR_RANGE;
	if (rc)
		return refuse(t, rc, value);
	store(s, field, seconds, whole, bytes);
	return 0;
}

/* "a, b, c", or "" when that would be long. */
static void join(const char *const *words, char *out, size_t size)
{
	size_t at = 0;

	out[0] = '\0';
	for (size_t i = 0; words[i]; i++) {
		int n = snprintf(out + at, size - at, "%s%s", i ? ", " : "", words[i]);

		at += n > 0 ? (size_t)n : 0;
		if (at >= size) {
			out[0] = '\0';
			return;
		}
	}
}

static int set_choice(const struct target *t, const char *value)
{
	const struct option_spec *s = t->spec;
	const char *meant = options_closest(value, s->choices);
	char all[CHOICES_SIZE];

	for (int i = 0; s->choices[i]; i++) {
		if (strcmp(s->choices[i], value) != 0)
			continue;
		if (s->kind == OPTION_SWITCH)
			*(bool *)option_field(s, t->out) = i == 1;
		else
			*(int *)option_field(s, t->out) = i;
		return 0;
	}
	join(s->choices, all, sizeof all);
	if (meant)
		return err_set(t->err, ERR_USAGE, "unknown %s '%s', did you mean '%s'?%s%s",
			s->name, value, meant, all[0] ? " It is one of " : "", all);
	if (all[0])
		return err_set(
			t->err, ERR_USAGE, "unknown %s '%s', it is one of %s", s->name, value, all);
	return err_set(t->err, ERR_USAGE, "unknown %s '%s'", s->name, value);
}

static int value_set_flag(const struct target *t, const char *value)
{
	bool is_true = strcmp(value, "true") == 0;

	if (t->dashes[0])
		return err_set(t->err, ERR_USAGE, "%s%s takes no value", t->dashes, t->spec->name);
	if (!is_true && strcmp(value, "false") != 0)
		return refuse(t, ERR_SYNTAX, value);
	*(bool *)option_field(t->spec, t->out) = is_true;
	return 0;
}

static int set_text(const struct target *t, const char *value)
{
	const struct option_spec *s = t->spec;
	void *field = option_field(s, t->out);
	struct err why = {0};
	int rc = s->check ? s->check(value, &why) : 0;

	if (rc == ERR_USAGE)
		return err_set(t->err, rc, "%s%s %s", t->dashes, s->name, why.text);
	if (rc)
		return err_copy(t->err, &why);
	if (s->kind == OPTION_LIST)
		return err_code(t->err, text_list_try_push(field, value));
	*(const char **)field = value;
	return 0;
}

int option_set(const struct option_spec *s, void *out, const char *value, const char *dashes,
	struct err *err)
{
	struct target t = {s, out, dashes, err};

	switch (s->kind) {
	case OPTION_STRING:
	case OPTION_LIST:
		return set_text(&t, value);
	case OPTION_CHOICE:
	case OPTION_SWITCH:
		return set_choice(&t, value);
	case OPTION_GONE:
		return err_set(err, ERR_USAGE, "%s%s is gone: %s", dashes, s->name, s->help);
	case OPTION_FLAG:
		return value_set_flag(&t, value);
	case OPTION_COUNT_RATE:
	case OPTION_SIZE_RATE:
		return set_rate(&t, value);
	default:
		return set_number(&t, value);
	}
}

/* ---- values as text ---- */

static slice number_text(const struct option_spec *s, const void *field, char out[OPTION_TEXT_SIZE])
{
	double value;
	slice text = {out, 0};

	if (s->kind == OPTION_INT) {
		value = (double)*(const int64_t *)field;
		text.len = (size_t)snprintf(
			out, OPTION_TEXT_SIZE, "%" PRId64, *(const int64_t *)field);
	} else if (s->kind == OPTION_UINT) {
		value = (double)*(const uint32_t *)field;
		text.len = format_u64(*(const uint32_t *)field, out);
	} else if (s->kind == OPTION_SIZE) {
		value = (double)*(const uint64_t *)field;
		text.len = format_u64(*(const uint64_t *)field, out);
	} else {
		value = *(const double *)field;
		text.len = format_double(value, out);
	}
	if (s->word && value == s->word_value)
		return slice_str(s->word);
	return in_range(s, value) ? text : (slice){0};
}

slice option_text(const struct option_spec *s, const void *from, char out[OPTION_TEXT_SIZE])
{
	const void *field = (const char *)from + s->offset;
	const char *text = NULL;

	switch (s->kind) {
	case OPTION_STRING:
		text = *(const char *const *)field;
		break;
	case OPTION_CHOICE:
		text = s->choices[*(const int *)field];
		break;
	case OPTION_SWITCH:
		text = s->choices[*(const bool *)field];
		break;
	case OPTION_FLAG:
		text = *(const bool *)field ? "true" : "false";
		break;
	case OPTION_INT:
	case OPTION_UINT:
	case OPTION_SIZE:
	case OPTION_DOUBLE:
	case OPTION_DURATION:
		return number_text(s, field, out);
	default:
		break;
	}
	return text ? slice_str(text) : (slice){0};
}

enum { COMPLAINT_SIZE = 384 }; /* leaves room for the command's name and the hint */

/* Where the reading of the command line has come to. */
struct reader {
	const struct options *o;
	int argc;
	char **argv;
	int at;   /* the argument being read */
	int kept; /* positional arguments so far; they are moved to argv[1], argv[2], … */
	void *out;
	struct err *err;
};

/* Every complaint begins with the command and ends with the way out. */
SP_PRINTF(2, 3) static int complain(const struct reader *r, const char *fmt, ...)
{
	const struct options *o = r->o;
	char text[COMPLAINT_SIZE];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return err_set(r->err, ERR_USAGE, "%s: %s (try '%s%s%s --help')",
		o->command ? o->command : o->program, text, o->program, o->command ? " " : "",
		o->command ? o->command : "");
}

static void mark_given(const struct reader *r, const struct option_spec *s)
{
	if (r->o->given)
		((bool *)((char *)r->out + r->o->given))[s - r->o->specs] = true;
}

/* Sets a value, with the command and the hint around what is wrong with it. */
static int set_value(const struct reader *r, const struct option_spec *s, const char *value)
{
	struct err why = {0};
	int rc = option_set(s, r->out, value, "--", &why);

	if (rc == 0)
		mark_given(r, s);
	return rc == ERR_USAGE ? complain(r, "%s", why.text) : err_code(r->err, rc);
}

static void set_flag(const struct reader *r, const struct option_spec *s, bool value)
{
	*(bool *)option_field(s, r->out) = value;
	mark_given(r, s);
}

/* Takes the value from the next argument; one that looks like a long option was forgotten. */
static int set_from_next(struct reader *r, const struct option_spec *s)
{
	const char *next = r->at + 1 < r->argc ? r->argv[r->at + 1] : NULL;

	if (!next || (strncmp(next, "--", 2) == 0 && next[2]))
		return complain(r, "--%s needs a value", s->name);
	r->at++;
	return set_value(r, s, next);
}

static const char *why_not(const struct options *o, const struct option_spec *s)
{
	return o->refuses ? o->refuses(s) : NULL;
}

static bool is_unknown(const struct options *o, const struct option_spec *s)
{
	const char *why = why_not(o, s);

	return why && !why[0];
}

static const struct option_spec *find_name(const struct options *o, slice name)
{
	for (const struct option_spec *s = o->specs; s->name; s++)
		if (slice_eq(slice_str(s->name), name) && !is_unknown(o, s))
			return s;
	return NULL;
}

static const struct option_spec *find_letter(const struct options *o, char letter)
{
	for (const struct option_spec *s = o->specs; s->name; s++)
		if (s->letter == letter && !is_unknown(o, s))
			return s;
	return NULL;
}

/* An option of the table that this command has no use for. */
static int check_fit(const struct reader *r, const struct option_spec *s)
{
	const char *why = why_not(r->o, s);

	if (s->kind == OPTION_GONE)
		return set_value(r, s, "");
	return why ? complain(r, "--%s %s", s->name, why) : 0;
}

static int complain_unknown(const struct reader *r, slice name)
{
	char word[64];
	struct closest c;

	(void)snprintf(word, sizeof word, "%.*s", (int)(name.len < 63 ? name.len : 63), name.ptr);
	closest_init(&c, word);
	for (const struct option_spec *s = r->o->specs; s->name; s++)
		if (s->kind != OPTION_GONE && !why_not(r->o, s))
			closest_offer(&c, s->name);
	closest_offer(&c, "help");
	if (closest_get(&c))
		return complain(
			r, "unknown option --%s, did you mean --%s?", word, closest_get(&c));
	return complain(r, "unknown option --%s", word);
}

/* Whether the name is "no-" and that of a flag. */
static bool is_negation(const struct options *o, slice name, const struct option_spec **ret_spec)
{
	const struct option_spec *s;

	if (!slice_eq(slice_sub(name, 0, 3), SLICE("no-")))
		return false;
	s = find_name(o, slice_sub(name, 3, name.len));
	if (!s || s->kind != OPTION_FLAG)
		return false;
	*ret_spec = s;
	return true;
}

static int clear_flag(const struct reader *r, const struct option_spec *s, const char *value)
{
	if (value)
		return complain(r, "--no-%s takes no value", s->name);
	set_flag(r, s, false);
	return 0;
}

/* --help, or --help all */
static int read_help(const struct reader *r)
{
	const char *next = r->at + 1 < r->argc ? r->argv[r->at + 1] : "";

	return strcmp(next, "all") == 0 ? OPTIONS_HELP_ALL : OPTIONS_HELP;
}

/* --name, --name=value, --no-name */
static int read_long(struct reader *r, const char *text)
{
	const char *equals = strchr(text, '=');
	slice name = {text, equals ? (size_t)(equals - text) : strlen(text)};
	const struct option_spec *s = find_name(r->o, name);
	bool is_cleared = false;

	if (!s && slice_eq(name, SLICE("help")))
		return equals ? complain(r, "--help takes no value") : read_help(r);
	if (!s)
		is_cleared = is_negation(r->o, name, &s);
	if (!s)
		return complain_unknown(r, name);
	TRY(check_fit(r, s));
	if (is_cleared)
		return clear_flag(r, s, equals);
	if (equals)
		return set_value(r, s, equals + 1);
	if (s->kind != OPTION_FLAG)
		return set_from_next(r, s);
	set_flag(r, s, true);
	return 0;
}

/* -f, -fg, -n value, -nvalue */
static int read_short(struct reader *r, const char *letters)
{
	for (; *letters; letters++) {
		const struct option_spec *s = find_letter(r->o, *letters);

		int rc;

		if (!s && *letters == 'h')
			return read_help(r);
		if (!s)
			return complain(r, "unknown option -%c", *letters);
		rc = check_fit(r, s);
		if (rc)
			return rc;
		if (s->kind == OPTION_FLAG) {
			set_flag(r, s, true);
			continue;
		}
		return letters[1] ? set_value(r, s, letters + 1) : set_from_next(r, s);
	}
	return 0;
}

static void keep(struct reader *r)
{
	r->argv[++r->kept] = r->argv[r->at];
}

static int read_all(struct reader *r)
{
	int rc = 0;

	for (r->at = 1; r->at < r->argc && rc == 0; r->at++) {
		char *arg = r->argv[r->at];

		if (strcmp(arg, "--") == 0) {
			while (++r->at < r->argc)
				keep(r);
		} else if (arg[0] == '-' && arg[1] == '-') {
			rc = read_long(r, arg + 2);
		} else if (arg[0] == '-' && arg[1]) {
			rc = read_short(r, arg + 1);
		} else {
			keep(r);
		}
	}
	return rc;
}

int options_parse(const struct options *o, int argc, char **argv, void *out,
	struct option_args *ret_args, struct err *err)
{
	struct reader r = {.o = o, .argc = argc, .argv = argv, .out = out, .err = err};
	int rc = read_all(&r);
	size_t count = (size_t)r.kept;

	if (rc)
		return rc;
	if (count > o->max_args)
		return complain(&r, "unexpected argument '%s'", argv[o->max_args + 1]);
	if (count < o->min_args)
		return complain(&r, count ? "too few arguments" : "an argument is missing");
	*ret_args = (struct option_args){argv + 1, count};
	return 0;
}

void options_init(const struct option_spec *specs, void *out)
{
	for (const struct option_spec *s = specs; s->name; s++) {
		int rc = s->usual ? option_set(s, out, s->usual, "", NULL) : 0;

		assert(rc == 0); /* tables have defaults that can be read */
		(void)rc;
	}
}

int options_inherit(const struct options *o, const void *from, void *to)
{
	int rc = 0;

	for (const struct option_spec *s = o->specs; s->name; s++) {
		const struct text_list *of = (const void *)((const char *)from + s->offset);
		struct text_list *list = option_field(s, to);

		if (s->kind != OPTION_LIST || list->len > 0)
			continue;
		for (size_t i = 0; rc == 0 && i < of->len; i++)
			rc = text_list_try_push(list, of->ptr[i]);
	}
	return rc;
}

void options_release(const struct options *o, void *out)
{
	for (const struct option_spec *s = o->specs; s->name; s++)
		if (s->kind == OPTION_LIST)
			text_list_release(option_field(s, out));
}

const char *options_closest(const char *word, const char *const *words)
{
	struct closest c;

	closest_init(&c, word);
	for (; *words; words++)
		closest_offer(&c, *words);
	return closest_get(&c);
}
