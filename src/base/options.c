#include "base/options.h"

#include <stdarg.h>
#include <string.h>

#include "base/closest.h"
#include "base/slice.h"

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

/* Sets a value, with the command and the hint around what is wrong with it. */
static int set_value(const struct reader *r, const struct option_spec *s, const char *value)
{
	struct err why = {0};
	int rc = option_set(s, r->out, value, "--", &why);

	return rc == ERR_USAGE ? complain(r, "%s", why.text) : err_code(r->err, rc);
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

static const struct option_spec *find_name(const struct options *o, slice name)
{
	for (const struct option_spec *s = o->specs; s->name; s++)
		if (slice_eq(slice_str(s->name), name))
			return s;
	return NULL;
}

static const struct option_spec *find_letter(const struct options *o, char letter)
{
	for (const struct option_spec *s = o->specs; s->name; s++)
		if (s->letter == letter)
			return s;
	return NULL;
}

static int complain_unknown(const struct reader *r, slice name)
{
	char word[64];
	struct closest c;

	(void)snprintf(word, sizeof word, "%.*s", (int)(name.len < 63 ? name.len : 63), name.ptr);
	closest_init(&c, word);
	for (const struct option_spec *s = r->o->specs; s->name; s++)
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
	*(bool *)option_field(s, r->out) = false;
	return 0;
}

/* --name, --name=value, --no-name */
static int read_long(struct reader *r, const char *text)
{
	const char *equals = strchr(text, '=');
	slice name = {text, equals ? (size_t)(equals - text) : strlen(text)};
	const struct option_spec *s = find_name(r->o, name);

	if (!s && slice_eq(name, SLICE("help")))
		return equals ? complain(r, "--help takes no value") : OPTIONS_HELP;
	if (!s && is_negation(r->o, name, &s))
		return clear_flag(r, s, equals);
	if (!s)
		return complain_unknown(r, name);
	if (equals)
		return set_value(r, s, equals + 1);
	if (s->kind != OPTION_FLAG)
		return set_from_next(r, s);
	*(bool *)option_field(s, r->out) = true;
	return 0;
}

/* -f, -fg, -n value, -nvalue */
static int read_short(struct reader *r, const char *letters)
{
	for (; *letters; letters++) {
		const struct option_spec *s = find_letter(r->o, *letters);

		if (!s && *letters == 'h')
			return OPTIONS_HELP;
		if (!s)
			return complain(r, "unknown option -%c", *letters);
		if (s->kind == OPTION_FLAG) {
			*(bool *)option_field(s, r->out) = true;
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

int options_inherit(const struct options *o, const void *from, void *to)
{
	int rc = 0;

	for (const struct option_spec *s = o->specs; s->name; s++) {
		const struct option_list *of = (const void *)((const char *)from + s->offset);
		struct option_list *list = option_field(s, to);

		if (s->kind != OPTION_LIST || list->len > 0)
			continue;
		for (size_t i = 0; rc == 0 && i < of->len; i++)
			rc = option_list_push(list, of->ptr[i]);
	}
	return rc;
}

void options_release(const struct options *o, void *out)
{
	for (const struct option_spec *s = o->specs; s->name; s++)
		if (s->kind == OPTION_LIST)
			option_list_release(option_field(s, out));
}

const char *options_closest(const char *word, const char *const *words)
{
	struct closest c;

	closest_init(&c, word);
	for (; *words; words++)
		closest_offer(&c, *words);
	return closest_get(&c);
}
