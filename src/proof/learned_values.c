#include "proof/learned_values.h"

#include <math.h>

#include "base/parse.h"
#include "proof/values.h"

enum {
	NUMBER_MIN = 1000, /* the largest of numbers that are drawn */
	JUMP = 8,          /* they move by the largest divided by this, on the average */
	RANDOM_MIN = 6,    /* characters */
	SHARE = 5,         /* of the steps that go up, and down: 1 / SHARE at least */
};

static bool follows(const struct learned_value *v)
{
	return v->apart > 0;
}

/* (1) */
static bool are_new(const struct learned_value *list, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		for (size_t k = 0; k < i; k++)
			if (slice_eq(list[i].text, list[k].text))
				return false;
	}
	return true;
}

static size_t count_pages(const struct learned_value *list, size_t len)
{
	size_t count = 0;

	for (size_t i = 0; i < len; i++)
		count += i == 0 || list[i].page != list[i - 1].page;
	return count;
}

/* (2): in a time t, content that changes at a rate r has changed with the chance 1 - exp(-r t). */
static double chance_of(const struct learned_value *list, size_t len)
{
	double chance = 1;

	for (size_t i = 0; i < len; i++)
		if (follows(&list[i]))
			chance *= -expm1(-LEARNED_RATE * list[i].apart);
	return chance;
}

static bool are_numbers(const struct learned_value *list, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!value_is_digits(list[i].text))
			return false;
	return true;
}

/* (3) */
static bool are_words(const struct learned_value *list, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!value_is_word(list[i].text))
			return false;
	return true;
}

static bool are_random(const struct learned_value *list, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (follows(&list[i]) &&
			!value_are_draws_at_end(list[i - 1].text, list[i].text, RANDOM_MIN))
			return false;
	return true;
}

/* (4) */
static bool are_drawn_numbers(const struct learned_value *list, size_t len)
{
	size_t up = 0, down = 0, steps;
	double moved = 0, max = 0, before = 0;

	for (size_t i = 0; i < len; i++) {
		uint64_t n;

		if (parse_u64(list[i].text, &n))
			return false;
		if (follows(&list[i])) {
			up += (double)n > before;
			down += (double)n < before;
			moved += fabs((double)n - before);
		}
		before = (double)n;
		max = before > max ? before : max;
	}
	steps = up + down;
	return steps && max >= NUMBER_MIN && up >= 2 && down >= 2 && up * SHARE >= steps &&
	       down * SHARE >= steps && moved * JUMP >= max * (double)steps;
}

/* (5) */
static bool are_fresh(const struct learned_value *list, size_t len)
{
	size_t steps = 0, fresh = 0;

	for (size_t i = 1; i < len; i++) {
		if (!follows(&list[i]))
			continue;
		steps++;
		fresh += value_is_fresh(list[i - 1].text, list[i].text);
	}
	return fresh * 4 >= steps * 3;
}

bool learned_values_are_drawn(const struct learned_value *list, size_t len)
{
	if (count_pages(list, len) < LEARNED_PAGES || !are_new(list, len) ||
		chance_of(list, len) > LEARNED_CHANCE)
		return false;
	if (!are_words(list, len))
		return are_random(list, len);
	return are_numbers(list, len) ? are_drawn_numbers(list, len) : are_fresh(list, len);
}
