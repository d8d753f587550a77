#include "quality/normal.h"

#include <inttypes.h>
#include <stdio.h>

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

uint64_t normal_manner(const struct fields *head, uint64_t rules)
{
	uint64_t so_far[2] = {rules, 0};

	for (size_t i = 0; i < head->items.len; i++)
		if (word_is(head->items.ptr[i].name, SLICE("Content-Type"))) {
			so_far[1] = hash_bytes(MANNER_KEY, fields_trim(head->items.ptr[i].value));
			so_far[0] = hash_bytes(
				MANNER_KEY, (slice){(const char *)so_far, sizeof so_far});
		}
	return so_far[0];
}

uint64_t normal_coding(slice coding, uint64_t manner)
{
	static const struct hash_key KEY = {0x5354494c4c504f49, 0x4e542d434f44494e};
	uint64_t parts[] = {hash_bytes(KEY, coding), manner};

	return hash_bytes(KEY, (slice){(const char *)parts, sizeof parts});
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

struct rule_list {
	char *out;
	size_t len;
};

/* "NAME=COUNT:MARK"; one that does not fit is left out whole. */
static void list_rule(struct rule_list *l, slice name, uint64_t count, uint64_t mark)
{
	size_t room = NORMAL_RULES_SIZE - l->len;
	int n;

	if (count == 0)
		return;
	n = snprintf(l->out + l->len, room, "%s%.*s=%" PRIu64 ":%04x", l->len ? " " : "",
		(int)name.len, name.ptr, count, (unsigned)((mark ^ mark >> 32) >> 8 & 0xffff));
	if (n > 0 && (size_t)n < room)
		l->len += (size_t)n;
	l->out[l->len] = '\0';
}

static void list_rules(const struct view *view, char out[NORMAL_RULES_SIZE])
{
	struct rule_list l = {.out = out};

	out[0] = '\0';
	for (unsigned i = 0; i < NOISE_RULE_COUNT; i++)
		list_rule(&l, slice_str(noise_rule_name((enum noise_rule)i)),
			view->noise.tally.rules[i].count, view->noise.tally.rules[i].mark);
	for (size_t i = 0; i < view->ignored.len; i++)
		list_rule(&l, view->ignore.rules->rules.ptr[i].name, view->ignored.ptr[i].count,
			view->ignored.ptr[i].mark);
}

int normal_take(const struct view *view, const struct state_result *result, struct normal *ret)
{
	bool is_read = normal_is_read(result);
	int rc = 0;

	*ret = (struct normal){.is_read = is_read};
	if (!is_read)
		return 0;
	ret->masked = normal_masked_share(view);
	list_rules(view, ret->rules);
	ret->missing = view_missing(view);
	ret->has_view = !view->cut && view->visible > view->noise.tally.masked &&
			ret->masked <= NORMAL_MASKED_MAX;
	if (ret->has_view)
		rc = view_digest(view, &ret->view);
	ret->has_view = ret->has_view && rc == 0;
	ret->has_digest = ret->has_view && !result->close_delimited;
	return rc;
}

/* ---- reading the rules' text ---- */

/* One of a text: "NAME=COUNT:MARK". */
struct acted {
	slice name;
	uint64_t count;
	slice mark;
};

/* One that this version knows, or the user's. */
static bool is_rule(slice name)
{
	enum noise_rule rule;

	return noise_rule_find(name, &rule) || slice_starts_with(name, SLICE("ignore:"));
}

static bool next_rule(slice *text, struct acted *ret)
{
	slice word;

	while (word_next(text, ' ', &word)) {
		slice value = word, name = slice_take(&value, '='), number = value;
		slice count = slice_take(&number, ':');

		if (!is_rule(name) || parse_u64(count, &ret->count))
			continue;
		ret->name = name;
		ret->mark = slice_sub(value, count.len, value.len);
		return true;
	}
	return false;
}

static bool find_rule(slice text, slice name, struct acted *ret)
{
	while (next_rule(&text, ret))
		if (slice_eq(ret->name, name))
			return true;
	*ret = (struct acted){.mark = SLICE("")};
	return false;
}

size_t normal_rules_needed(slice a, slice b, struct normal_rule ret[NORMAL_RULES_MAX])
{
	struct acted in_a, in_b;
	size_t count = 0;
	slice left = a;

	while (count < NORMAL_RULES_MAX && next_rule(&left, &in_a)) {
		(void)find_rule(b, in_a.name, &in_b);
		if (in_a.count != in_b.count || !slice_eq(in_a.mark, in_b.mark))
			ret[count++] = (struct normal_rule){
				in_a.name, in_a.count > in_b.count ? in_a.count : in_b.count};
	}
	left = b;
	while (count < NORMAL_RULES_MAX && next_rule(&left, &in_b))
		if (!find_rule(a, in_b.name, &in_a))
			ret[count++] = (struct normal_rule){in_b.name, in_b.count};
	return count;
}

size_t normal_rule_format(const struct normal_rule *r, bool is_next, char *out, size_t size)
{
	int n = snprintf(out, size, "%s%.*s=%" PRIu64, is_next ? " " : "", (int)r->name.len,
		r->name.ptr, r->count);

	return n > 0 && (size_t)n < size ? (size_t)n : 0;
}
