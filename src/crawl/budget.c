#include "crawl/budget.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/parse.h"

enum { MINUTE = 60, HOUR = 60 * MINUTE };

double budget_idle(int64_t last, int64_t now)
{
	return now > last ? fmin((double)(now - last), HOUR) : 0;
}

void budget_init(struct budget *b, double requests, double bytes, double now)
{
	*b = (struct budget){.has_bytes = bytes > 0, .fd = -1};
	(void)pthread_mutex_init(&b->lock, NULL);
	refresh_pace_init(&b->requests, requests, MINUTE, now);
	refresh_pace_init(&b->bytes, bytes, MINUTE, now);
}

void budget_release(struct budget *b)
{
	if (b->fd >= 0)
		(void)close(b->fd);
	u32_vec_release(&b->counted);
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
	if (!b->hurried)
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

	if (minute - b->minute >= BUDGET_MINUTES) {
		memset(b->spent, 0, sizeof b->spent);
		b->minute = minute;
	}
	while (b->minute < minute)
		b->spent[++b->minute % BUDGET_MINUTES] = 0;
	if (b->minute - minute < BUDGET_MINUTES)
		b->spent[minute % BUDGET_MINUTES]++;
}

int budget_adopt(struct budget *b, uint32_t capture, bool *ret)
{
	bool known = false;
	int rc = 0;

	(void)pthread_mutex_lock(&b->lock);
	for (size_t i = 0; i < b->counted.len; i++)
		known = known || b->counted.ptr[i] == capture;
	if (!known)
		rc = u32_vec_push(&b->counted, capture);
	(void)pthread_mutex_unlock(&b->lock);
	if (rc == 0)
		*ret = !known;
	return rc;
}

void budget_count(struct budget *b, int64_t wall_seconds)
{
	(void)pthread_mutex_lock(&b->lock);
	count(b, wall_seconds);
	(void)pthread_mutex_unlock(&b->lock);
}

/* ---- the file ---- */

enum { LINE_SIZE = 96 };

/* Padded to one length: a line replaces the one before, and needs no room on a full disk. */
static void write_account(const struct budget *b, int64_t wall)
{
	char line[LINE_SIZE];
	int len;

	if (b->fd < 0)
		return;
	len = snprintf(line, sizeof line, "%.6f\t%.0f\t%" PRId64 "\n", b->requests.credit,
		b->bytes.credit, wall);
	if (len < 0 || len >= LINE_SIZE)
		return;
	memset(line + len, ' ', (size_t)(LINE_SIZE - len));
	/* Without an account a restart begins with no credit: nothing is spent twice. */
	if (pwrite(b->fd, line, sizeof line, 0) != (ssize_t)sizeof line)
		(void)!ftruncate(b->fd, 0);
}

static bool read_account(int fd, double *ret_requests, double *ret_bytes, int64_t *ret_wall)
{
	char line[LINE_SIZE];
	ssize_t got = pread(fd, line, sizeof line, 0);
	slice rest = {line, got > 0 ? (size_t)got : 0}, field[3];

	for (int i = 0; i < 3; i++)
		field[i] = slice_take(&rest, i < 2 ? '\t' : '\n');
	return parse_double(field[0], ret_requests) == 0 && isfinite(*ret_requests) &&
	       parse_double(field[1], ret_bytes) == 0 && isfinite(*ret_bytes) &&
	       parse_i64(field[2], ret_wall) == 0;
}

int budget_open(struct budget *b, const char *path, int64_t wall, double now, struct err *err)
{
	int fd = file_open_own(AT_FDCWD, path, O_RDWR | O_CREAT);
	double requests, bytes, passed;
	int64_t last;

	if (fd < 0)
		return err_set(err, ERR_IO, "%s: %s", path, file_problem(errno));
	(void)pthread_mutex_lock(&b->lock);
	if (b->fd >= 0) {
		(void)close(b->fd);
	} else if (read_account(fd, &requests, &bytes, &last)) {
		passed = last < wall ? clock_seconds(wall - last) : 0;
		refresh_pace_restore(&b->requests, requests, passed, now);
		refresh_pace_restore(&b->bytes, bytes, passed, now);
	}
	b->fd = fd;
	(void)pthread_mutex_unlock(&b->lock);
	return 0;
}

void budget_hurry(struct budget *b)
{
	(void)pthread_mutex_lock(&b->lock);
	b->hurried = true;
	(void)pthread_mutex_unlock(&b->lock);
}

double budget_surplus(struct budget *b)
{
	double seconds = 0;

	(void)pthread_mutex_lock(&b->lock);
	if (b->requests.credit > 0 && b->requests.budget > 0)
		seconds = b->requests.credit / b->requests.budget;
	(void)pthread_mutex_unlock(&b->lock);
	return seconds;
}

void budget_spend(struct budget *b, int64_t wall)
{
	(void)pthread_mutex_lock(&b->lock);
	refresh_pace_spend(&b->requests, 1);
	b->hurried = false;
	count(b, wall / CLOCK_NS_PER_SECOND);
	write_account(b, wall);
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
