#include "store/retention.h"

#include "base/clock.h"
#include "base/parse.h"

static const double DAY = 86400;

/* Seconds; ERR_SYNTAX. */
static int parse_age(slice text, double *ret)
{
	slice number = slice_sub(text, 0, text.len ? text.len - 1 : 0);
	bool is_week = slice_ends_with(text, SLICE("w"));
	int rc;

	if (!is_week && !slice_ends_with(text, SLICE("y")))
		return parse_duration(text, ret);
	rc = parse_double(number, ret);
	*ret *= is_week ? 7 * DAY : 365 * DAY;
	return rc;
}

static int parse_time(slice text, int64_t *ret)
{
	double seconds;

	if (parse_age(text, &seconds) || seconds < 1 || seconds > 9e9)
		return ERR_SYNTAX;
	*ret = (int64_t)(seconds * (double)CLOCK_NS_PER_SECOND);
	return 0;
}

static int parse_step(slice text, struct retention_step *ret)
{
	slice left = text, what = slice_take(&left, ':');
	bool has_age = what.len < text.len;
	int rc = 0;

	*ret = (struct retention_step){.until = INT64_MAX};
	if (!slice_eq(what, SLICE("all")))
		rc = parse_time(what, &ret->period);
	return rc || !has_age ? rc : parse_time(left, &ret->until);
}

int retention_parse(slice text, struct retention *ret, struct err *err)
{
	struct retention r = {0};
	slice left = text;

	while (left.len > 0 || r.count == 0) {
		slice step = slice_take(&left, ',');
		int64_t before = r.count ? r.steps[r.count - 1].until : 0;

		while (step.len && step.ptr[0] == ' ')
			step = slice_sub(step, 1, step.len);
		if (r.count == RETENTION_STEPS_MAX || parse_step(step, &r.steps[r.count]) ||
			r.steps[r.count].until <= before || before == INT64_MAX)
			return err_set(err, ERR_SYNTAX,
				"bad retention '%.*s': want steps such as all:30d,7d:1y,30d, with "
				"ages that go up",
				slice_shown(text, 100), text.ptr);
		r.count++;
	}
	*ret = r;
	return 0;
}

/* The step for that age; the number of steps when nothing is kept. */
static size_t step_of(const struct retention *r, int64_t age)
{
	size_t i = 0;

	while (i < r->count && age >= r->steps[i].until)
		i++;
	return i;
}

void retention_choose(
	const struct retention *r, int64_t now, const int64_t *seen, size_t count, bool *keep)
{
	size_t last_step = SIZE_MAX;
	int64_t last_period = 0;

	for (size_t i = count; i-- > 0;) {
		size_t at = step_of(r, now - seen[i]);
		int64_t period = at < r->count ? r->steps[at].period : 0;
		int64_t number = period ? seen[i] / period - (seen[i] % period < 0) : 0;

		keep[i] =
			at < r->count && (period == 0 || at != last_step || number != last_period);
		keep[i] = keep[i] || i + 1 == count;
		last_step = at;
		last_period = number;
	}
}
