#include "crawl/gate.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/parse.h"

/* ---- hours of the day ---- */

enum {
	DAY_MINUTES = 24 * 60,
	/* A window that the clocks leave out today is there tomorrow. */
	SEARCH_MINUTES = 3 * DAY_MINUTES,
};

/* ---- reading ---- */

/* "6", "06", "06:30", "24" */
static bool parse_time(slice text, uint16_t *ret)
{
	const char *colon = memchr(text.ptr, ':', text.len);
	size_t hours_len = colon ? (size_t)(colon - text.ptr) : text.len;
	uint64_t hours, minutes = 0;

	if (hours_len > 2 || parse_u64(slice_sub(text, 0, hours_len), &hours))
		return false;
	if (colon && (text.len != hours_len + 3 ||
			     parse_u64(slice_sub(text, hours_len + 1, text.len), &minutes)))
		return false;
	if (minutes > 59 || hours * 60 + minutes > DAY_MINUTES)
		return false;
	*ret = (uint16_t)(hours * 60 + minutes);
	return true;
}

static bool parse_window(slice text, struct window *ret)
{
	const char *dash = memchr(text.ptr, '-', text.len);
	size_t len = dash ? (size_t)(dash - text.ptr) : 0;

	return dash && parse_time(slice_sub(text, 0, len), &ret->from) &&
	       parse_time(slice_sub(text, len + 1, text.len), &ret->to) && ret->from != ret->to;
}

int windows_parse(struct windows *w, slice text, struct err *err)
{
	struct windows read = {0};
	slice rest = text;

	do {
		const char *comma = memchr(rest.ptr, ',', rest.len);
		size_t len = comma ? (size_t)(comma - rest.ptr) : rest.len;

		if (read.count == WINDOWS_MAX)
			return err_set(
				err, ERR_USAGE, "at most %d windows are possible", WINDOWS_MAX);
		if (!parse_window(slice_sub(rest, 0, len), &read.list[read.count++]))
			return err_set(err, ERR_USAGE,
				"'%.*s' is not a window of time such as 22-06 or 22:30-06:00",
				(int)(len < 40 ? len : 40), rest.ptr);
		rest = slice_sub(rest, len + (comma ? 1 : 0), rest.len);
		if (comma && rest.len == 0)
			return err_set(err, ERR_USAGE, "a window is missing after the last comma");
	} while (rest.len > 0);
	*w = read;
	return 0;
}

/* ---- asking ---- */

static bool contains(const struct window *w, unsigned minute)
{
	if (w->from < w->to)
		return minute >= w->from && minute < w->to;
	return minute >= w->from || minute < w->to;
}

/* What a wall clock shows; false where there is no such time. */
static bool local_time(int64_t seconds, struct tm *ret)
{
	time_t t = (time_t)seconds;

	return localtime_r(&t, ret) != NULL;
}

static bool is_open_at(const struct windows *w, const struct tm *local)
{
	unsigned minute = (unsigned)(local->tm_hour * 60 + local->tm_min);

	for (size_t i = 0; i < w->count; i++)
		if (contains(&w->list[i], minute))
			return true;
	return w->count == 0;
}

/*
 * Minute by minute: the zone's rules are nobody's business but the library's, and mktime has no
 * answer for times that do not exist or exist twice. A day takes a fraction of a millisecond.
 */
static int64_t find(const struct windows *w, int64_t seconds, bool open)
{
	struct tm local;

	for (int i = 0; i <= SEARCH_MINUTES; i++) {
		if (!local_time(seconds, &local))
			break;
		if (is_open_at(w, &local) == open)
			return seconds;
		seconds += local.tm_sec < 60 ? 60 - local.tm_sec : 1;
	}
	return INT64_MAX;
}

int64_t windows_opening(const struct windows *w, int64_t seconds)
{
	return w->count == 0 ? seconds : find(w, seconds, true);
}

int64_t windows_closing(const struct windows *w, int64_t seconds)
{
	return w->count == 0 ? INT64_MAX : find(w, seconds, false);
}

/* ---- the gate ---- */

static const double LOOK_INTERVAL = 1;

int gate_parse_hours(struct windows *w, const char *hours, struct err *err)
{
	int rc = windows_parse(w, slice_str(hours), err);

	if (rc)
		err_prefix(err, "--hours");
	return rc;
}

int gate_init(struct gate *g, const struct gate_params *params, struct err *err)
{
	*g = (struct gate){.params = *params};
	return params->hours ? gate_parse_hours(&g->windows, params->hours, err) : 0;
}

/* ---- hours ---- */

static int64_t now_seconds(const struct gate *g)
{
	return clock_realtime(g->params.clock) / CLOCK_NS_PER_SECOND;
}

/* Seconds until the next window; 0 within one. */
static double until_window(const struct gate *g)
{
	int64_t now = now_seconds(g), opening = windows_opening(&g->windows, now);

	return opening == INT64_MAX ? (double)INFINITY : (double)(opening - now);
}

/* ---- disk ---- */

/* Free bytes; unknown counts as enough: writing will fail if it is not. */
static uint64_t free_bytes(const struct gate *g)
{
	struct statvfs fs;

	if (statvfs(g->params.path, &fs) != 0)
		return UINT64_MAX;
	return (uint64_t)fs.f_bavail * fs.f_frsize;
}

/* ---- both ---- */

static void look(struct gate *g)
{
	enum gate_state before = g->state;
	double closed = g->windows.count > 0 ? until_window(g) : 0;

	g->wait = 0;
	g->state = GATE_OPEN;
	g->text[0] = '\0';
	if (closed > 0) {
		time_t opening;
		struct tm local = {0};

		g->state = GATE_HOURS;
		g->wait = closed;
		opening = (time_t)(now_seconds(g) + (isfinite(closed) ? (int64_t)closed : 0));
		(void)localtime_r(&opening, &local);
		(void)snprintf(g->text, sizeof g->text, "waiting until %02d:%02d", local.tm_hour,
			local.tm_min);
	} else if (g->params.min_free > 0 && free_bytes(g) < g->params.min_free) {
		g->state = GATE_DISK;
		g->wait = LOOK_INTERVAL;
		(void)snprintf(g->text, sizeof g->text,
			"waiting for disk space: less than %llu MiB are free",
			(unsigned long long)(g->params.min_free >> 20));
	}
	if (g->state == before || g->params.quiet)
		return;
	if (g->state == GATE_OPEN)
		log_warn("crawl", "going on");
	else
		log_warn("crawl", "%s", g->text);
}

double gate_wait(struct gate *g)
{
	bool slow = g->windows.count > 0 || g->params.min_free > 0;
	int64_t now;

	if (!slow && g->params.bandwidth == 0)
		return 0;
	now = clock_monotonic(g->params.clock);
	if (slow && (g->looked == 0 || clock_seconds(now - g->looked) >= LOOK_INTERVAL)) {
		look(g);
		g->looked = now;
	}
	return fmax(g->wait, clock_seconds(g->paid > now ? g->paid - now : 0));
}

void gate_received(struct gate *g, uint64_t bytes, int64_t began)
{
	if (g->params.bandwidth == 0)
		return;
	if (g->paid < began)
		g->paid = began;
	g->paid += (int64_t)((double)bytes / (double)g->params.bandwidth *
			     (double)CLOCK_NS_PER_SECOND);
}

const char *gate_text(const struct gate *g)
{
	return g->text;
}

/* ---- the budget of sites under watch ---- */

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

/* ---- the file ---- */

enum { LINE_SIZE = 96, ROW_SIZE = 24 };

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

/* The requests of a minute, in its place. */
static void write_minute(const struct budget *b, int64_t minute)
{
	int64_t place = minute % BUDGET_MINUTES;
	char row[ROW_SIZE + 1];

	if (b->fd < 0 || minute < 0 || minute > INT64_C(99999999999))
		return;
	(void)snprintf(row, sizeof row, "%-12" PRId64 " %-10" PRIu32 "\n", minute, b->spent[place]);
	(void)!pwrite(b->fd, row, ROW_SIZE, LINE_SIZE + place * ROW_SIZE);
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
		int64_t present = wall / CLOCK_NS_PER_SECOND / MINUTE;

		/* What was sent in the last 24 hours. Rows that cannot be right count for nothing.
		 */
		for (int64_t place = 0; place < BUDGET_MINUTES; place++) {
			char row[ROW_SIZE];
			ssize_t got = pread(fd, row, sizeof row, LINE_SIZE + place * ROW_SIZE);
			slice rest = {row, got > 0 ? (size_t)got : 0},
			      minute = slice_take(&rest, ' ');
			uint64_t spent;
			int64_t at;

			while (rest.len > 0 && rest.ptr[0] == ' ')
				rest = slice_sub(rest, 1, rest.len);
			if (parse_i64(minute, &at) || parse_u64(slice_take(&rest, ' '), &spent))
				continue;
			if (at % BUDGET_MINUTES == place && at <= present &&
				at > present - BUDGET_MINUTES)
				b->spent[place] = (uint32_t)spent;
		}
	}
	if (b->minute == 0)
		b->minute = wall / CLOCK_NS_PER_SECOND / MINUTE;
	b->fd = fd;
	/* Room for a whole day: later the file needs none on a full disk. */
	for (int64_t m = b->minute; m > b->minute - BUDGET_MINUTES; m--)
		write_minute(b, m);
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
	write_minute(b, wall / CLOCK_NS_PER_SECOND / MINUTE);
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
