/* One value of an option, on the command line or in a file. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "base/options.h"
#include "base/parse.h"

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
		[OPTION_DOUBLE] = "a number",
		[OPTION_SIZE] = "a size such as 512, 64k or 2G",
		[OPTION_DURATION] = "a time such as 30, 1.5s, 20m or 2h",
		[OPTION_COUNT_RATE] = "a rate such as 20000/day or 10/minute",
		[OPTION_SIZE_RATE] = "a rate such as 5G/day or 200M/hour",
	};

	if (rc == ERR_RANGE)
		return refuse_range(t, value);
	return err_set(t->err, ERR_USAGE, "%s%s needs %s, not '%s'", t->dashes, t->spec->name,
		WANTED[t->spec->kind], value);
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

static int set_number(const struct target *t, const char *value)
{
	const struct option_spec *s = t->spec;
	void *field = option_field(s, t->out);
	slice text = slice_str(value);
	double seconds = 0;
	uint64_t bytes = 0;
	int64_t whole = 0;
	int rc;

	if (s->kind == OPTION_INT)
		rc = parse_i64(text, &whole);
	else if (s->kind == OPTION_SIZE)
		rc = parse_size(text, &bytes);
	else if (s->kind == OPTION_DURATION)
		rc = parse_duration(text, &seconds);
	else
		rc = parse_double(text, &seconds);
	if (rc == 0 && !in_range(s, (double)whole + (double)bytes + seconds))
		rc = ERR_RANGE;
	if (rc)
		return refuse(t, rc, value);
	if (s->kind == OPTION_INT)
		*(int64_t *)field = whole;
	else if (s->kind == OPTION_SIZE)
		*(uint64_t *)field = bytes;
	else
		*(double *)field = seconds;
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
		if (strcmp(s->choices[i], value) == 0) {
			*(int *)option_field(s, t->out) = i;
			return 0;
		}
	}
	if (meant)
		return err_set(t->err, ERR_USAGE, "unknown %s '%s', did you mean '%s'?", s->name,
			value, meant);
	join(s->choices, all, sizeof all);
	if (all[0])
		return err_set(
			t->err, ERR_USAGE, "unknown %s '%s', it is one of %s", s->name, value, all);
	return err_set(t->err, ERR_USAGE, "unknown %s '%s'", s->name, value);
}

static int set_flag(const struct target *t, const char *value)
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
		return err_code(t->err, option_list_push(field, value));
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
		return set_choice(&t, value);
	case OPTION_FLAG:
		return set_flag(&t, value);
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
	} else if (s->kind == OPTION_SIZE) {
		value = (double)*(const uint64_t *)field;
		text.len = format_u64(*(const uint64_t *)field, out);
	} else {
		value = *(const double *)field;
		text.len = format_double(value, out);
	}
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
	case OPTION_FLAG:
		text = *(const bool *)field ? "true" : "false";
		break;
	case OPTION_INT:
	case OPTION_SIZE:
	case OPTION_DOUBLE:
	case OPTION_DURATION:
		return number_text(s, field, out);
	default:
		break;
	}
	return text ? slice_str(text) : (slice){0};
}
