#include "quality/normal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/parse.h"
#include "base/word.h"
#include "quality/change.h"

/* Constant: the catalog holds such hashes (attempt.h, coding). */
static const struct hash_key MANNER_KEY = {0x5354494c4c504f49, 0x4e542d4d414e4e45};

/* What browsers make of a second or missing Content-Type is not certain. */
bool normal_applies(const struct fields *head)
{
	slice type = {0};
	size_t count = 0;

	for (size_t i = 0; i < head->items.len; i++)
		if (word_is(head->items.ptr[i].name, SLICE("Content-Type"))) {
			type = fields_trim(head->items.ptr[i].value);
			count++;
		}
	return count == 1 && type.len > 0 && change_normalises(type);
}

uint64_t normal_manner(const struct fields *head)
{
	uint64_t so_far[2] = {0, 0};

	for (size_t i = 0; i < head->items.len; i++)
		if (word_is(head->items.ptr[i].name, SLICE("Content-Type"))) {
			so_far[1] = hash_bytes(MANNER_KEY, fields_trim(head->items.ptr[i].value));
			so_far[0] = hash_bytes(
				MANNER_KEY, (slice){(const char *)so_far, sizeof so_far});
		}
	return so_far[0];
}

unsigned normal_masked_share(const struct view *v)
{
	uint64_t masked = v->noise.tally.masked;

	if (masked == 0)
		return 0;
	if (masked >= v->visible)
		return NORMAL_MILLION;
	return (unsigned)((masked * NORMAL_MILLION + v->visible - 1) / v->visible);
}

static void list_rules(const struct noise_tally *tally, char out[NORMAL_RULES_SIZE])
{
	size_t len = 0;

	out[0] = '\0';
	for (unsigned i = 0; i < NOISE_RULE_COUNT; i++) {
		uint64_t mark = tally->rules[i].mark;
		int n;

		if (tally->rules[i].count == 0)
			continue;
		n = snprintf(out + len, NORMAL_RULES_SIZE - len, "%s%s=%" PRIu64 ":%04x",
			len ? " " : "", noise_rule_name((enum noise_rule)i), tally->rules[i].count,
			(unsigned)((mark ^ mark >> 32) >> 8 & 0xffff));
		len += n > 0 ? (size_t)n : 0;
		if (len >= NORMAL_RULES_SIZE)
			return;
	}
}

int normal_take(const struct view *view, const struct state_result *result, struct normal *ret)
{
	bool is_read = normal_is_read(result);
	int rc = 0;

	*ret = (struct normal){.is_read = is_read};
	if (!is_read)
		return 0;
	ret->masked = normal_masked_share(view);
	list_rules(&view->noise.tally, ret->rules);
	ret->has_view = !view->cut && view->visible > view->noise.tally.masked &&
			ret->masked <= NORMAL_MASKED_MAX;
	if (ret->has_view)
		rc = view_digest(view, &ret->view);
	ret->has_view = ret->has_view && rc == 0;
	ret->has_digest = ret->has_view && !result->close_delimited;
	return rc;
}

/* ---- reading the rules' text ---- */

struct acted {
	uint64_t count;
	slice mark;
};

static void read_rules(slice text, struct acted ret[NOISE_RULE_COUNT])
{
	slice word;

	for (unsigned i = 0; i < NOISE_RULE_COUNT; i++)
		ret[i] = (struct acted){0, SLICE("")};
	while (word_next(&text, ' ', &word)) {
		const char *equals = memchr(word.ptr, '=', word.len);
		const char *colon = memchr(word.ptr, ':', word.len);
		size_t name = equals ? (size_t)(equals - word.ptr) : word.len;
		size_t count = colon ? (size_t)(colon - word.ptr) : word.len;
		enum noise_rule rule;
		uint64_t number;

		if (!noise_rule_find(slice_sub(word, 0, name), &rule) || count < name ||
			parse_u64(slice_sub(word, name + 1, count), &number))
			continue;
		ret[rule] = (struct acted){number, slice_sub(word, count, word.len)};
	}
}

size_t normal_rules_needed(slice a, slice b, struct normal_rule ret[NOISE_RULE_COUNT])
{
	struct acted in_a[NOISE_RULE_COUNT], in_b[NOISE_RULE_COUNT];
	size_t count = 0;

	read_rules(a, in_a);
	read_rules(b, in_b);
	for (unsigned i = 0; i < NOISE_RULE_COUNT; i++) {
		if (in_a[i].count == in_b[i].count && slice_eq(in_a[i].mark, in_b[i].mark))
			continue;
		ret[count] = (struct normal_rule){.rule = (enum noise_rule)i,
			.count = in_a[i].count > in_b[i].count ? in_a[i].count : in_b[i].count};
		count++;
	}
	return count;
}

size_t normal_rule_format(const struct normal_rule *r, bool is_next, char *out, size_t size)
{
	int n = snprintf(
		out, size, "%s%s=%" PRIu64, is_next ? " " : "", noise_rule_name(r->rule), r->count);

	return n > 0 && (size_t)n < size ? (size_t)n : 0;
}
