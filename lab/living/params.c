#include "living/params.h"

#include <stdio.h>

#include "base/parse.h"
#include "base/slice.h"
#include "living/detail.h"
#include "living/noise.h"

enum { SHOWN_MAX = 80, LIST_SIZE = 400, WORDS_MAX = 32 };

static const char *const BEHAVIOURS[LIVING_BEHAVIOURS] = {
	[LIVING_OK] = "ok",
	[LIVING_NOT_FOUND] = "404",
	[LIVING_ERROR] = "500",
	[LIVING_BUSY] = "503",
	[LIVING_RESET] = "reset",
	[LIVING_RESET_ONCE] = "reset-once",
	[LIVING_TRUNCATED] = "truncated",
	[LIVING_MOVED] = "301",
	[LIVING_FOUND] = "302",
	[LIVING_MOVING] = "moving",
	[LIVING_SLOW] = "slow",
	[LIVING_SLOW_BODY] = "slow-body",
};

static const char *const VALIDATORS[LIVING_VALIDATORS] = {
	[LIVING_HONEST] = "honest",
	[LIVING_ABSENT] = "absent",
	[LIVING_STALE] = "stale",
	[LIVING_NOW] = "now",
};

static const char *const KIND_NAMES[LIVING_KINDS] = {
	[LIVING_PAGE] = "page",
	[LIVING_STYLE] = "style",
	[LIVING_IMAGE] = "image",
	[LIVING_SCRIPT] = "script",
	[LIVING_FONT] = "font",
	[LIVING_FRAME] = "frame",
	[LIVING_BACKGROUND] = "background",
};

/* In the order of their bits. */
static const char *const VARIANTS[] = {"cookie", "language"};
static const char *const SHELLS[] = {"fetch", "inline"};

const char *living_behaviour_name(enum living_behaviour b)
{
	return BEHAVIOURS[b];
}

const char *living_validators_name(enum living_validators v)
{
	return VALIDATORS[v];
}

static int parse_numbers(slice rest, struct living_rates *r, const char *text, struct err *err)
{
	bool two = r->kind == LIVING_LOGNORMAL;
	slice first = two ? slice_take(&rest, ',') : rest;

	if (parse_double(first, &r->a) || (two && parse_double(rest, &r->b)))
		return err_set(err, ERR_SYNTAX,
			"'%.80s' is not understood (zipf:SKEW, lognormal:MU,SIGMA, constant:R or a "
			"CSV file)",
			text);
	if ((!two && r->a < 0) || r->b < 0)
		return err_set(err, ERR_RANGE, "'%.80s': a negative number", text);
	return 0;
}

int living_rates_parse(const char *text, struct living_rates *ret, struct err *err)
{
	static const struct {
		slice name;
		enum living_rate_kind kind;
	} KINDS[] = {
		{SLICE_INIT("zipf"), LIVING_ZIPF},
		{SLICE_INIT("lognormal"), LIVING_LOGNORMAL},
		{SLICE_INIT("constant"), LIVING_CONSTANT},
	};
	slice rest = slice_str(text), name = slice_take(&rest, ':');
	struct living_rates r = {
		.kind = LIVING_RATE_FILE, .mean = ret->mean, .scaled = ret->scaled};
	int rc;

	for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++)
		if (slice_eq(KINDS[i].name, name))
			r.kind = KINDS[i].kind;
	if (r.kind == LIVING_RATE_FILE) {
		r.file = text;
	} else {
		rc = parse_numbers(rest, &r, text, err);
		if (rc)
			return rc;
	}
	*ret = r;
	return 0;
}

/* "unknown kind 'x' (a, b, c)" */
static int fail_kind(
	slice word, const char *const *words, size_t count, unsigned all, struct err *err)
{
	char list[LIST_SIZE] = "";
	size_t at = 0;

	for (size_t i = 0; i < count; i++)
		if (all >> i & 1 && at < sizeof list)
			at += (size_t)snprintf(
				list + at, sizeof list - at, "%s%s", at ? ", " : "", words[i]);
	return err_set(err, ERR_SYNTAX, "unknown kind '%.*s' (%s)", slice_shown(word, SHOWN_MAX),
		word.ptr, list);
}

/* Adds the bits of the named words, separated by commas. */
static int parse_set(slice rest, const char *const *words, size_t count, unsigned all,
	unsigned *set, struct err *err)
{
	while (rest.len > 0) {
		slice word = slice_take(&rest, ',');
		size_t i = 0;

		while (i < count && !(all >> i & 1 && slice_eq(slice_str(words[i]), word)))
			i++;
		if (i == count)
			return fail_kind(word, words, count, all, err);
		*set |= 1U << i;
	}
	return 0;
}

static int parse_share(const char *text, const char *const *words, size_t count, unsigned all,
	struct living_share *ret, struct err *err)
{
	slice rest = slice_str(text), number = slice_take(&rest, ':');
	struct living_share s = {0};
	int rc;

	if (parse_double(number, &s.share) || !(s.share >= 0 && s.share <= 1))
		return err_set(err, ERR_RANGE, "share '%.*s' is not a number from 0 to 1",
			slice_shown(number, SHOWN_MAX), number.ptr);
	rc = parse_set(rest, words, count, all, &s.kinds, err);
	if (rc)
		return rc;
	if (s.kinds == 0)
		s.kinds = all;
	*ret = s;
	return 0;
}

int living_share_parse(const char *text, unsigned all, struct living_share *ret, struct err *err)
{
	return parse_share(text, BEHAVIOURS, LIVING_BEHAVIOURS, all, ret, err);
}

int living_lies_parse(const char *text, struct living_share *ret, struct err *err)
{
	return parse_share(text, VALIDATORS, LIVING_VALIDATORS, LIVING_LIES, ret, err);
}

/* Names of a table, one for each bit, or "all" or "none". */
static int parse_names(const char *text, const char *(*name)(unsigned kind), unsigned count,
	unsigned *ret, struct err *err)
{
	const char *words[WORDS_MAX];
	unsigned all = (unsigned)((1ULL << count) - 1), set = 0;
	int rc = 0;

	for (unsigned i = 0; i < count; i++)
		words[i] = name(i);
	if (strcmp(text, "all") == 0)
		set = all;
	else if (strcmp(text, "none") != 0)
		rc = parse_set(slice_str(text), words, count, all, &set, err);
	if (rc == 0)
		*ret = set;
	return rc;
}

int living_noise_parse(const char *text, unsigned *ret, struct err *err)
{
	return parse_names(text, noise_name, NOISE_KINDS, ret, err);
}

int living_details_parse(const char *text, unsigned *ret, struct err *err)
{
	return parse_names(text, detail_name, LIVING_DETAILS, ret, err);
}

int living_variants_parse(const char *text, struct living_share *ret, struct err *err)
{
	return parse_share(text, VARIANTS, 2, LIVING_VARIANTS, ret, err);
}

int living_shells_parse(const char *text, struct living_share *ret, struct err *err)
{
	return parse_share(text, SHELLS, 2, LIVING_SHELLS, ret, err);
}

int living_requisites_parse(const char *text, struct living_params *params, struct err *err)
{
	slice rest = slice_str(text);
	size_t count = 0;

	while (rest.len > 0) {
		slice word = slice_take(&rest, ',');
		unsigned set = 0;
		int rc = parse_set(word, KIND_NAMES, LIVING_KINDS, ((1U << LIVING_KINDS) - 1) & ~1U,
			&set, err);

		if (rc == 0 && (set == 0 || count == LIVING_KINDS))
			rc = err_set(err, ERR_SYNTAX, "'%.80s' is not a list of at most %d kinds",
				text, (int)LIVING_KINDS);
		if (rc)
			return rc;
		params->requisite_kinds[count++] = (uint8_t)__builtin_ctz(set);
	}
	params->requisite_kind_count = count;
	return 0;
}

const char *living_kind_name(enum living_kind k)
{
	return KIND_NAMES[k];
}
