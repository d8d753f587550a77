#include "base/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* How far back the rate looks: calm enough to read, quick enough to be true. */
static const double RATE_MEMORY = 60;
enum { RATE_UNITS = 10 }; /* but not less far than so many units */

/* What a rate has to rest upon: the first seconds mislead. */
static const double RATE_SPAN_MIN = 3;
enum { RATE_UNITS_MIN = 3 };

static const double MARK_INTERVAL = 1;
static const int64_t MEASURE_INTERVAL = CLOCK_NS_PER_SECOND / 10;

/* Work stands still when nothing has ended for this long, and for so many times as it takes. */
static const double STALL_SECONDS = 10;
static const double STALL_FACTOR = 5;

enum { BAR_CELLS = 40 };

static const double DAY = 86400;
static const double ETA_MAX = 1000 * 86400.0;

/* Whether the environment says that the terminal shows UTF-8: the first of these that is set. */
static bool shows_utf8(void)
{
	static const char *const NAMES[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
		const char *value = getenv(NAMES[i]);

		if (value && value[0])
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

const char *progress_cell(bool is_done)
{
	if (!shows_utf8())
		return is_done ? "#" : "-";
	return is_done ? "█" : "░";
}

void progress_init(struct progress *p, const struct progress_config *config)
{
	int64_t now = clock_monotonic(config->clock);

	*p = (struct progress){.config = *config, .measured_at = now, .logged_at = now};
	live_init(&p->live, config->fd, config->clock);
}

/* ---- the rate ---- */

static void forget_first(struct progress *p)
{
	p->marks_len--;
	memmove(p->marks, p->marks + 1, p->marks_len * sizeof p->marks[0]);
}

static double seconds_between(const struct progress_mark *a, const struct progress_mark *b)
{
	return clock_seconds(b->time - a->time);
}

/* The second mark must do without the first one: far enough back, in time and in units. */
static bool is_first_needless(const struct progress *p)
{
	const struct progress_mark *second = &p->marks[1];

	return p->marks_len == PROGRESS_MARKS ||
	       (p->marks_len > 1 && seconds_between(second, &p->last) >= RATE_MEMORY &&
		       p->last.done - second->done >= RATE_UNITS);
}

/* Whether nothing has ended for much longer than it usually takes. */
static bool is_stalled(const struct progress *p, int64_t now, double least)
{
	double span = seconds_between(&p->marks[0], &p->last);
	double units = (double)(p->last.done - p->marks[0].done);
	double usual = units > 0 ? span / units : 0;

	return clock_seconds(now - p->last.time) > fmax(least, STALL_FACTOR * usual);
}

static void mark(struct progress *p, int64_t now, uint64_t done)
{
	if (p->marks_len > 0 && is_stalled(p, now, RATE_MEMORY))
		p->marks_len = 0; /* a pause is not of the pace */
	p->last = (struct progress_mark){now, done};
	if (p->marks_len > 0 &&
		seconds_between(&p->marks[p->marks_len - 1], &p->last) < MARK_INTERVAL)
		return;
	while (is_first_needless(p))
		forget_first(p);
	p->marks[p->marks_len++] = p->last;
}

/*
 * From the end of one unit to that of another, so that neither the beginning nor what is under way
 * is counted; 0: unknown.
 */
static double find_rate(const struct progress *p, int64_t now)
{
	double span, units;

	if (p->marks_len == 0)
		return 0;
	span = seconds_between(&p->marks[0], &p->last);
	units = (double)(p->last.done - p->marks[0].done);
	if (span < RATE_SPAN_MIN || units < RATE_UNITS_MIN || is_stalled(p, now, STALL_SECONDS))
		return 0;
	return units / span;
}

static double find_time_left(
	const struct progress *p, const struct progress_work *work, int64_t now)
{
	double left = 0;

	if (p->rate > 0 && work->left > 0)
		left = fmax(1, (double)work->left / p->rate - clock_seconds(now - p->last.time));
	if (work->time_left > 0 && left > work->time_left)
		left = work->time_left;
	return left;
}

static void measure(struct progress *p, const struct progress_work *work, int64_t now)
{
	p->measured_at = now;
	/* Work may be taken up again: what was done before this process is not of its pace. */
	if (work->done < p->last.done)
		p->marks_len = 0;
	if (p->marks_len == 0 ? work->done > 0 : work->done != p->last.done)
		mark(p, now, work->done);
	p->rate = find_rate(p, now);
	p->time_left = find_time_left(p, work, now);
}

/* ---- the text ---- */

static int add_eta(char *out, size_t size, double seconds)
{
	long s;

	if (!(seconds > 0 && seconds < ETA_MAX))
		return 0;
	s = lround(ceil(seconds));
	if (seconds >= 2 * DAY)
		return snprintf(out, size, "  ETA %.0f days", seconds / DAY);
	if (s >= 3600)
		return snprintf(out, size, "  ETA %ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
	return snprintf(out, size, "  ETA %ld:%02ld", s / 60, s % 60);
}

/* Where to go on in a line of that size after a part that snprintf says is n long. */
static size_t advance(size_t at, int n, size_t size)
{
	size_t next = at + (n > 0 ? (size_t)n : 0);

	return next < size ? next : size - 1;
}

void progress_text(
	const struct progress *p, uint64_t done, const char *note, char *out, size_t size)
{
	const struct progress_config *c = &p->config;
	unsigned long long n = done, total = c->total;
	const char *blank = c->unit ? " " : "", *unit = c->unit ? c->unit : "";
	size_t at = 0;

	if (total)
		at = advance(at,
			snprintf(out, size, "%s: %llu/%llu%s%s  %d %%", c->title, n, total, blank,
				unit, (int)(100 * fmin(1, (double)n / (double)total))),
			size);
	else
		at = advance(
			at, snprintf(out, size, "%s: %llu%s%s", c->title, n, blank, unit), size);
	if (p->rate > 0)
		at = advance(at,
			snprintf(out + at, size - at, p->rate < 10 ? "  %.1f/s" : "  %.0f/s",
				p->rate),
			size);
	at = advance(at, add_eta(out + at, size - at, p->time_left), size);
	if (note && note[0])
		(void)snprintf(out + at, size - at, "%s%s", note[0] == '\n' ? "" : "  ", note);
}

/* ---- drawing ---- */

/* "████████░░░░", or "########----": as far as the work has come. */
static void make_bar(const struct progress *p, uint64_t done, char out[PROGRESS_LINE_MAX])
{
	double share = p->config.total ? fmin(1, (double)done / (double)p->config.total) : 0;
	size_t full = (size_t)(share * BAR_CELLS), at = 0;

	for (size_t i = 0; i < BAR_CELLS; i++)
		at = advance(at,
			snprintf(out + at, PROGRESS_LINE_MAX - at, "%s", progress_cell(i < full)),
			PROGRESS_LINE_MAX);
}

/* Heading, text, bar, and the lines of the note that follow its first. */
static void draw(struct progress *p, uint64_t done, char *text)
{
	const char *lines[LIVE_LINES_MAX];
	char bar[PROGRESS_LINE_MAX];
	size_t count = 0;

	if (p->config.heading && p->config.heading[0])
		lines[count++] = p->config.heading;
	lines[count++] = strsep(&text, "\n");
	if (p->config.bar && p->config.total) {
		make_bar(p, done, bar);
		lines[count++] = bar;
	}
	while (text && count < LIVE_LINES_MAX)
		lines[count++] = strsep(&text, "\n");
	live_draw(&p->live, lines, count);
}

/* One line, with the notes behind each other. */
static void log_line(struct progress *p, char *text)
{
	for (char *c = text; *c; c++)
		if (*c == '\n')
			*c = ' ';
	(void)dprintf(p->config.fd, "stillpoint: %s\n", text);
}

static bool is_log_due(const struct progress *p, int64_t now)
{
	return p->config.log_interval > 0 &&
	       clock_seconds(now - p->logged_at) >= p->config.log_interval;
}

void progress_update_work(
	struct progress *p, uint64_t done, const struct progress_work *work, const char *note)
{
	char text[PROGRESS_LINE_MAX];
	bool is_off = p->live.mode == LIVE_OFF;
	int64_t now;

	p->done = done;
	if (is_off && p->config.log_interval <= 0)
		return;
	now = clock_monotonic(p->config.clock);
	if (now - p->measured_at < MEASURE_INTERVAL)
		return;
	measure(p, work, now);
	if (is_off ? !is_log_due(p, now) : !live_is_due(&p->live))
		return;
	progress_text(p, done, note, text, sizeof text);
	p->logged_at = now;
	if (is_off)
		log_line(p, text);
	else
		draw(p, done, text);
}

void progress_update(struct progress *p, uint64_t done, const char *note)
{
	uint64_t total = p->config.total;

	progress_update_work(p, done,
		&(struct progress_work){.done = done, .left = total > done ? total - done : 0},
		note);
}

void progress_clear(struct progress *p)
{
	live_clear(&p->live);
}
