#include "proof/stillpoint.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* How far a stretch is from the plan; times may be anywhere, so in unsigned numbers. */
static uint64_t distance(const struct best_instant *b, const struct planned_instant *planned)
{
	if (planned->from > planned->to)
		return 0;
	if (b->to < planned->from)
		return (uint64_t)planned->from - (uint64_t)b->to;
	return b->from > planned->to ? (uint64_t)b->from - (uint64_t)planned->to : 0;
}

static uint64_t length(const struct best_instant *b)
{
	return (uint64_t)b->to - (uint64_t)b->from;
}

/* Candidates come in the order of time: of equal ones the first stays. */
static bool is_better(const struct best_instant *a, const struct best_instant *b,
	const struct planned_instant *planned)
{
	uint64_t near_a = distance(a, planned), near_b = distance(b, planned);

	if (a->proven != b->proven)
		return a->proven > b->proven;
	if (near_a != near_b)
		return near_a < near_b;
	return length(a) > length(b);
}

static int by_page(const void *a, const void *b)
{
	const struct page_interval *left = a, *right = b;

	if (left->page != right->page)
		return left->page < right->page ? -1 : 1;
	if (left->from != right->from)
		return left->from < right->from ? -1 : 1;
	return 0;
}

static void join_overlaps(struct page_interval_vec *list)
{
	size_t kept = 0;

	qsort(list->ptr, list->len, sizeof *list->ptr, by_page);
	for (size_t i = 1; i < list->len; i++) {
		struct page_interval *last = &list->ptr[kept], *here = &list->ptr[i];

		if (here->page != last->page || here->from > last->to)
			list->ptr[++kept] = *here;
		else if (here->to > last->to)
			last->to = here->to;
	}
	list->len = kept + 1;
}

static int by_time(const void *a, const void *b)
{
	int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

	return left < right ? -1 : left > right;
}

/*
 * Starts and ends, both sorted. The count is highest between a start and the end that follows it;
 * at the same instant starts come first, since ends belong to their intervals.
 */
static struct best_instant sweep(const int64_t *starts, const int64_t *ends, size_t count,
	const struct planned_instant *planned)
{
	struct best_instant best = {0};
	size_t ended = 0;

	for (size_t i = 0; i < count; i++) {
		struct best_instant here = {.from = starts[i]};

		if (i + 1 < count && starts[i + 1] <= ends[ended])
			continue;
		here.to = ends[ended];
		here.proven = i + 1 - ended;
		if (best.proven == 0 || is_better(&here, &best, planned))
			best = here;
		while (i + 1 < count && ends[ended] < starts[i + 1])
			ended++;
	}
	return best;
}

bool best_instant_find(struct page_interval_vec *list, const struct planned_instant *planned,
	struct best_instant *ret_best)
{
	int64_t *starts, *ends;

	if (list->len == 0)
		return false;
	join_overlaps(list);
	starts = mem_new(list->len, sizeof *starts);
	ends = mem_new(list->len, sizeof *ends);
	for (size_t i = 0; i < list->len; i++) {
		starts[i] = list->ptr[i].from;
		ends[i] = list->ptr[i].to;
	}
	qsort(starts, list->len, sizeof *starts, by_time);
	qsort(ends, list->len, sizeof *ends, by_time);
	*ret_best = sweep(starts, ends, list->len, planned);
	free(starts);
	free(ends);
	return true;
}

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
