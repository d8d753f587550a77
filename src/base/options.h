/*
 * Command line options, declared once in a constant table that both parses and explains them:
 *
 *	struct plan_options {
 *		double delay;
 *		bool json;
 *	};
 *
 *	static const struct option_spec plan_specs[] = {
 *		{.name = "delay", .letter = 'd', .kind = OPTION_DOUBLE,
 *			.offset = offsetof(struct plan_options, delay), .metavar = "D",
 *			.min = 0, .max = 1e9, .help = "pause between two downloads (default 1)"},
 *		{.name = "json", .kind = OPTION_FLAG,
 *			.offset = offsetof(struct plan_options, json), .help = "print JSON"},
 *		{0},
 *	};
 *
 *	static const struct options plan_command = {
 *		.program = "stillpoint", .command = "plan", .usage = "PAGES.csv [OPTION…]",
 *		.description = "…", .specs = plan_specs, .min_args = 1, .max_args = 1,
 *	};
 *
 * Understood are --name=value, --name value, -n value, -nvalue, -ab for flags, --no-name for a
 * flag, and "--", after which everything is a positional argument; "-" alone is one too. --help and
 * -h, perhaps with "all" behind it, are always there: no table may use them. Names are never
 * abbreviated, so that a new option breaks no script. Given twice, the last one counts, but for
 * lists.
 */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/api.h"
#include "base/err.h"
#include "base/lists.h"
#include "base/slice.h"

/* In brackets the type of the field at the option's offset. */
enum option_kind {
	OPTION_FLAG,     /* [bool] */
	OPTION_STRING,   /* [const char *] points into argv */
	OPTION_INT,      /* [int64_t] */
	OPTION_DOUBLE,   /* [double] */
	OPTION_SIZE,     /* [uint64_t] bytes, see parse_size */
	OPTION_DURATION, /* [double] seconds, see parse_duration */
	OPTION_CHOICE,   /* [int or uint32_t] index into choices */
	OPTION_SWITCH,   /* [bool] the first of two choices is false, the second true */
	OPTION_UINT,     /* [uint32_t] */
	OPTION_LIST,     /* [struct text_list] may be given many times; elements point into argv */
	OPTION_COUNT_RATE, /* [struct option_rate] 20000/day */
	OPTION_SIZE_RATE,  /* [struct option_rate] bytes, 5G/day */
	OPTION_GONE, /* none any more; help says what to do instead. Files may still name it */
};

/* So much in so many seconds. */
struct option_rate {
	double amount, seconds;
};

enum option_bound {
	OPTION_ABOVE_MIN = 1, /* min itself is refused */
	OPTION_BELOW_MAX = 2, /* max itself is refused */
};

/* A table of these ends with one whose name is NULL. */
struct option_spec {
	const char *name; /* long name without "--" */
	char letter;      /* short name, or 0 */
	enum option_kind kind;
	size_t offset;
	const char *metavar;        /* how help names the value; NULL for a word for the kind */
	const char *help;           /* wrapped by options_help; says the default */
	double min, max;            /* of numbers; both 0 for no limits */
	const char *const *choices; /* ends with NULL */

	/* What else a string or an element of a list must be: 0, or ERR_USAGE with what follows
	 * the option's name in a message, "is empty"; NULL for nothing. */
	int (*check)(const char *value, struct err *err);

	const char *usual; /* the default, as option_set reads it: set by options_init, and
			    * printed by help; NULL: none */
	const char *word;  /* "auto": stands for a number outside the range; or NULL */
	double word_value;
	const char *group; /* heading in help; the same pointer for all of a group, or NULL */
	unsigned bounds;   /* of min and max: enum option_bound */

	/* For the owner of the table; the functions here do not read them. */
	unsigned tags;
	const char *saved;
	const char *unfit[2];
};

/* A command; constant, borrowed. */
struct options {
	const char *program;     /* "stillpoint" */
	const char *command;     /* "plan", or NULL for a program without commands */
	const char *usage;       /* what follows the command, one line for each form */
	const char *description; /* paragraphs separated by an empty line; NULL for none */
	const struct option_spec *specs;
	size_t min_args;
	size_t max_args; /* SIZE_MAX for any number */

	/* For tables that several commands share; each may be NULL or 0. */
	const char *(*refuses)(
		const struct option_spec *s);          /* why not here, or NULL; "": unknown */
	bool (*is_basic)(const struct option_spec *s); /* shown by --help without "all" */
	size_t given; /* offset of a bool for each row: it was given */
};

/* Positional arguments in their order; they live in argv. */
struct option_args {
	char **ptr;
	size_t count;
};

/* What options_parse returns for --help and for --help all: neither 0 nor an error. */
enum { OPTIONS_HELP = 1, OPTIONS_HELP_ALL = 2 };

/* Sets the defaults that rows have; other fields stay as they are. */
void options_init(const struct option_spec *specs, void *out);

/*
 * Reads argv[1] to argv[argc - 1] into out, which the caller has filled with the defaults (lists
 * zeroed). argv is reordered: the positional arguments come to stand one behind another. Returns 0,
 * OPTIONS_HELP, ERR_NOMEM, or ERR_USAGE with one line in err; out may be partly set then. Lists are
 * to be released with options_release in every case.
 */
int options_parse(const struct options *o, int argc, char **argv, void *out,
	struct option_args *ret_args, struct err *err) SP_MUST_CHECK;

/* The field of out that the option fills. */
static inline void *option_field(const struct option_spec *s, void *out)
{
	return (char *)out + s->offset;
}

/*
 * Reads one value into the option's field: 0, ERR_NOMEM, or ERR_USAGE with what is wrong. The text
 * names the option with dashes ("--" or "") before it. A flag takes "true" or "false", where dashes
 * is "".
 */
int option_set(const struct option_spec *s, void *out, const char *value, const char *dashes,
	struct err *err) SP_MUST_CHECK;

/*
 * The value of a field as option_set reads it, in out or where it is; {0} when there is none: a
 * string that is NULL, a number out of its range, a list, a rate.
 */
enum { OPTION_TEXT_SIZE = 32 };
slice option_text(const struct option_spec *s, const void *from, char out[OPTION_TEXT_SIZE]);

/* Copies the lists of from to those of to that are empty: 0 or ERR_NOMEM. */
int options_inherit(const struct options *o, const void *from, void *to) SP_MUST_CHECK;

/* Frees the lists in out. */
void options_release(const struct options *o, void *out);

/* Prints usage, description and options, wrapped at 80 columns. Errors stay in the FILE. */
void options_help(const struct options *o, bool all, FILE *file);

/*
 * The word of the NULL-terminated list that was probably meant, or NULL when none is close; for
 * commands and strategies that are misspelt.
 */
const char *options_closest(const char *word, const char *const *words);

#endif
