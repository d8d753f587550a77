#include "crawl/budget.h"

#include <math.h>
#include <string.h>

enum { MINUTE = 60, HOUR = 60 * MINUTE };

double budget_idle(int64_t last, int64_t now)
{
	return now > last ? fmin((double)(now - last), HOUR) : 0;
}

void budget_init(struct budget *b, double requests, double bytes, double now)
{
	*b = (struct budget){.has_bytes = bytes > 0};
	(void)pthread_mutex_init(&b->lock, NULL);
	refresh_pace_init(&b->requests, requests, MINUTE, now);
	refresh_pace_init(&b->bytes, bytes, MINUTE, now);
}

void budget_release(struct budget *b)
{
	(void)pthread_mutex_destroy(&b->lock);
}

void budget_change(struct budget *b, double requests, double bytes, double now)
{
	(void)pthread_mutex_lock(&b->lock);
	b->has_bytes = bytes > 0;
	refresh_pace_change(&b->requests, requests, now);
	refresh_pace_change(&b->bytes, bytes, now);
	(void)pthread_mutex_unlock(&b->lock);
}

double budget_wait(struct budget *b, double now)
{
	double requests = now, bytes = now;

	(void)pthread_mutex_lock(&b->lock);
	(void)refresh_pace_ready(&b->requests, now, &requests);
	if (b->has_bytes)
		(void)refresh_pace_ready(&b->bytes, now, &bytes);
	(void)pthread_mutex_unlock(&b->lock);
	return fmax(0, fmax(requests, bytes) - now);
}

/* Minutes that have passed are counted anew; a clock that goes back counts in the last one. */
static void count(struct budget *b, int64_t wall_seconds)
{
	int64_t minute = wall_seconds / MINUTE;

	b->last = wall_seconds > b->last ? wall_seconds : b->last;
	if (minute - b->minute >= BUDGET_MINUTES) {
		memset(b->spent, 0, sizeof b->spent);
		b->minute = minute;
	}
	while (b->minute < minute)
		b->spent[++b->minute % BUDGET_MINUTES] = 0;
	if (b->minute - minute < BUDGET_MINUTES)
		b->spent[minute % BUDGET_MINUTES]++;
}

void budget_count(struct budget *b, int64_t wall_seconds)
{
	(void)pthread_mutex_lock(&b->lock);
	count(b, wall_seconds);
	(void)pthread_mutex_unlock(&b->lock);
}

void budget_spend(struct budget *b, int64_t wall_seconds)
{
	(void)pthread_mutex_lock(&b->lock);
	refresh_pace_spend(&b->requests, 1);
	count(b, wall_seconds);
	(void)pthread_mutex_unlock(&b->lock);
}

void budget_carry_over(struct budget *b, int64_t wall_seconds)
{
	(void)pthread_mutex_lock(&b->lock);
	if (b->last)
		refresh_pace_spend(
			&b->requests, -budget_idle(b->last, wall_seconds) * b->requests.budget);
	(void)pthread_mutex_unlock(&b->lock);
}

void budget_received(struct budget *b, uint64_t bytes)
{
	(void)pthread_mutex_lock(&b->lock);
	refresh_pace_spend(&b->bytes, (double)bytes);
	(void)pthread_mutex_unlock(&b->lock);
}

uint64_t budget_spent(struct budget *b, int64_t wall_seconds)
{
	int64_t first = wall_seconds / MINUTE - BUDGET_MINUTES + 1;
	uint64_t sum = 0;

	(void)pthread_mutex_lock(&b->lock);
	for (int64_t m = b->minute; m > b->minute - BUDGET_MINUTES && m >= first; m--)
		sum += b->spent[m % BUDGET_MINUTES];
	(void)pthread_mutex_unlock(&b->lock);
	return sum;
}
