/* The text form of a synthetic site: a table of keys reads and explains it. */
#include <string.h>

#include "base/closest.h"
#include "base/format.h"
#include "base/parse.h"
#include "sim/synthetic.h"

enum kind { COUNT, NUMBER, WORD };

enum { SHOWN_MAX = 40 };

static const char *const RATES[] = {"zipf", "smooth", "skewed", "lognormal", NULL};
static const char *const LEAVES[] = {"cold", "hot", "mixed", NULL};

static const struct key {
	const char *name;
	enum kind kind;
	size_t offset;
	double min, max;
	const char *const *words; /* their indices are the values of the enum */
} KEYS[] = {
	{"n", COUNT, offsetof(struct synthetic, n), 1, SYNTHETIC_PAGES_MAX, NULL},
	{"skew", NUMBER, offsetof(struct synthetic, skew), 0, 10, NULL},
	{"outdegree", COUNT, offsetof(struct synthetic, outdegree), 1, SYNTHETIC_PAGES_MAX, NULL},
	{"root", COUNT, offsetof(struct synthetic, root), 1, SYNTHETIC_PAGES_MAX, NULL},
	{"rates", WORD, offsetof(struct synthetic, rates), 0, 0, RATES},
	{"leaves", WORD, offsetof(struct synthetic, leaves), 0, 0, LEAVES},
};

enum { KEYS_N = sizeof KEYS / sizeof KEYS[0] };

static int complain_key(slice name, struct err *err)
{
	char word[SHOWN_MAX + 1] = {0};
	struct closest c;

	memcpy(word, name.ptr, (size_t)slice_shown(name, SHOWN_MAX));
	closest_init(&c, word);
	for (size_t i = 0; i < KEYS_N; i++)
		closest_offer(&c, KEYS[i].name);
	if (closest_get(&c))
		return err_set(err, ERR_USAGE, "unknown key '%s', did you mean '%s'?", word,
			closest_get(&c));
	return err_set(err, ERR_USAGE,
		"unknown key '%s' (keys are n, skew, outdegree, root, rates, leaves)", word);
}

static int read_number(const struct key *k, slice value, double *ret, struct err *err)
{
	char min[FORMAT_DOUBLE_SIZE], max[FORMAT_DOUBLE_SIZE];
	uint64_t count = 0;
	int rc = k->kind == COUNT ? parse_u64(value, &count) : parse_double(value, ret);

	if (rc == 0 && k->kind == COUNT)
		*ret = (double)count;
	if (rc == 0 && *ret >= k->min && *ret <= k->max)
		return 0;
	(void)format_double(k->min, min);
	(void)format_double(k->max, max);
	return err_set(err, ERR_USAGE, "%s must be a %snumber from %s to %s, not '%.*s'", k->name,
		k->kind == COUNT ? "whole " : "", min, max, slice_shown(value, SHOWN_MAX),
		value.ptr);
}

static int read_word(const struct key *k, slice value, int *ret, struct err *err)
{
	for (int i = 0; k->words[i]; i++)
		if (slice_eq(value, slice_str(k->words[i]))) {
			*ret = i;
			return 0;
		}
	return err_set(err, ERR_USAGE, "%s must be %s, %s%s%s or %s, not '%.*s'", k->name,
		k->words[0], k->words[1], k->words[3] ? ", " : "", k->words[3] ? k->words[2] : "",
		k->words[3] ? k->words[3] : k->words[2], slice_shown(value, SHOWN_MAX), value.ptr);
}

static int read_value(const struct key *k, slice value, struct synthetic *s, struct err *err)
{
	void *field = (char *)s + k->offset;
	double number = 0;
	int word = 0;
	int rc = k->kind == WORD ? read_word(k, value, &word, err)
				 : read_number(k, value, &number, err);

	if (rc)
		return rc;
	switch (k->kind) {
	case COUNT:
		*(uint32_t *)field = (uint32_t)number;
		break;
	case NUMBER:
		*(double *)field = number;
		break;
	case WORD:
		memcpy(field, &word, sizeof word);
		break;
	}
	return 0;
}

static int read_pair(slice pair, struct synthetic *s, struct err *err)
{
	const char *equals = memchr(pair.ptr, '=', pair.len);
	size_t at = equals ? (size_t)(equals - pair.ptr) : 0;
	slice name = slice_sub(pair, 0, at), value = slice_sub(pair, at + 1, pair.len);

	if (!equals)
		return err_set(err, ERR_USAGE, "'%.*s' should be KEY=VALUE",
			slice_shown(pair, SHOWN_MAX), pair.ptr);
	for (size_t i = 0; i < KEYS_N; i++)
		if (slice_eq(name, slice_str(KEYS[i].name)))
			return read_value(&KEYS[i], value, s, err);
	return complain_key(name, err);
}

int synthetic_parse(const char *spec, struct synthetic *ret_synthetic, struct err *err)
{
	static const char KIND[] = "synthetic";
	struct synthetic s = {SYNTHETIC_DEFAULTS};
	const char *at = spec + strcspn(spec, ":");

	if ((size_t)(at - spec) != sizeof KIND - 1 || strncmp(spec, KIND, sizeof KIND - 1) != 0)
		return err_set(err, ERR_USAGE,
			"'%.*s' is not a kind of site (example: synthetic:KEY=VALUE,…)", SHOWN_MAX,
			spec);
	while (*at) {
		slice pair = {at + 1, strcspn(at + 1, ",")};
		int rc = read_pair(pair, &s, err);

		if (rc)
			return rc;
		at = pair.ptr + pair.len;
	}
	*ret_synthetic = s;
	return 0;
}
