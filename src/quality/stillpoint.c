#include "quality/stillpoint.h"

#include <string.h>

/* When an attempt was over: nothing can have been sampled for it after that. */
static int64_t end_of(const struct attempt_times *t)
{
	if (t->last_byte)
		return t->last_byte;
	return t->first_byte ? t->first_byte : t->sent;
}

void stillpoint_add(struct stillpoint *s, enum attempt_leg leg, const struct attempt_times *wall)
{
	if (!wall->sent)
		return;
	if (leg == ATTEMPT_VISIT && end_of(wall) > s->from)
		s->from = end_of(wall);
	if (leg == ATTEMPT_REVISIT && (!s->to || wall->sent < s->to))
		s->to = wall->sent;
}

bool stillpoint_is_known(const struct stillpoint *s)
{
	return s->from && s->to && s->from <= s->to && !s->clock_set;
}

bool stillpoint_is_within(const struct stillpoint *s, int64_t from, int64_t to)
{
	return stillpoint_is_known(s) && from && from <= s->from && s->to <= to;
}

bool stillpoint_format(
	const struct stillpoint *s, char ret_from[CLOCK_TEXT_SIZE], char ret_to[CLOCK_TEXT_SIZE])
{
	char from[CLOCK_TEXT_SIZE], to[CLOCK_TEXT_SIZE];

	if (!stillpoint_is_known(s))
		return false;
	clock_format(s->from, CLOCK_ROUND_UP, from);
	clock_format(s->to, CLOCK_ROUND_DOWN, to);
	if (strcmp(from, to) > 0) /* RFC 3339 in UTC sorts as text */
		return false;
	memcpy(ret_from, from, sizeof(from));
	memcpy(ret_to, to, sizeof(to));
	return true;
}
