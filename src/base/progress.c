#include "base/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { DEFAULT_COLUMNS = 80 };

static const int64_t DRAW_INTERVAL = CLOCK_NS_PER_SECOND / 10;

/* How far back the rate looks, in seconds: calm enough to read, quick enough to be true. */
static const double RATE_MEMORY = 5;

/* Wipes from the cursor to the end of the line, where a longer one may have stood. */
static const char WIPE_REST[] = {'\x1b', '[', 'K'};

static const double ETA_MAX = 1000.0 * 3600;

void progress_init(struct progress *p, const struct progress_config *config)
{
	int64_t now = clock_monotonic(config->clock);

	*p = (struct progress){
		.config = *config,
		.on = isatty(config->fd) == 1,
		.rated_at = now,
	};
}

static void update_rate(struct progress *p, int64_t now, uint64_t done)
{
	double seconds = clock_seconds(now - p->rated_at);
	double latest = done > p->rated_done ? (double)(done - p->rated_done) / seconds : 0;
	double weight = p->rate > 0 ? 1 - exp(-seconds / RATE_MEMORY) : 1;

	p->rate += weight * (latest - p->rate);
	p->rated_at = now;
	p->rated_done = done;
}

static int add_eta(char *out, size_t size, double seconds)
{
	long s;

	if (!(seconds < ETA_MAX))
		return 0;
	s = lround(ceil(seconds));
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
	if (p->rate > 0 && total > n)
		at = advance(at, add_eta(out + at, size - at, (double)(total - n) / p->rate), size);
	if (note)
		(void)snprintf(out + at, size - at, "  %s", note);
}

static size_t columns(int fd)
{
	struct winsize w;

	return ioctl(fd, TIOCGWINSZ, &w) == 0 && w.ws_col > 0 ? w.ws_col : DEFAULT_COLUMNS;
}

/*
 * Cuts the text to what surely fits into one line (a line that wraps cannot be wiped), not within
 * a character, and takes the sting out of escape sequences.
 */
static size_t fit(char *text, size_t width)
{
	size_t len = strlen(text);

	if (len >= width) {
		len = width - 1;
		while (len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80)
			len--;
	}
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			text[i] = '?';
	return len;
}

static void put(int fd, const char *text, size_t len)
{
	ssize_t n = write(fd, text, len);

	(void)n; /* a line of progress lost is not worth a word */
}

void progress_update(struct progress *p, uint64_t done, const char *note)
{
	char line[1 + PROGRESS_LINE_MAX + sizeof WIPE_REST] = "\r";
	int64_t now;
	size_t len;

	if (!p->on)
		return;
	now = clock_monotonic(p->config.clock);
	if (now - p->rated_at < DRAW_INTERVAL)
		return;
	update_rate(p, now, done);
	progress_text(p, done, note, line + 1, PROGRESS_LINE_MAX);
	len = 1 + fit(line + 1, columns(p->config.fd));
	memcpy(line + len, WIPE_REST, sizeof WIPE_REST);
	put(p->config.fd, line, len + sizeof WIPE_REST);
	p->drawn = true;
}

void progress_clear(struct progress *p)
{
	if (p->drawn) {
		put(p->config.fd, "\r", 1);
		put(p->config.fd, WIPE_REST, sizeof WIPE_REST);
	}
	p->drawn = false;
}
