#include "base/live.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/utf8.h"

enum {
	DEFAULT_WIDTH = 80,
	DEFAULT_HEIGHT = 24,
	OUTPUT_MAX = 64 << 10,
};

static const int64_t REDRAW_INTERVAL = CLOCK_NS_PER_SECOND / 10;
static const int64_t PLAIN_INTERVAL = 10 * CLOCK_NS_PER_SECOND;

/* Clears from the cursor to the end of its line. */
#define CLEAR_REST "\x1b[K"
#define LINE_UP    "\x1b[1A"

/* ---- how wide text is ---- */

struct range {
	uint32_t first, last;
};

/* Combining marks and what is invisible (Unicode 15), as far as it is met. */
static const struct range NARROWEST[] = {
	{0x0300, 0x036f},
	{0x0483, 0x0489},
	{0x0591, 0x05bd},
	{0x0610, 0x061a},
	{0x064b, 0x065f},
	{0x0e34, 0x0e3a},
	{0x0e47, 0x0e4e},
	{0x1ab0, 0x1aff},
	{0x1dc0, 0x1dff},
	{0x200b, 0x200f},
	{0x202a, 0x202e},
	{0x2060, 0x2064},
	{0x20d0, 0x20ff},
	{0xfe00, 0xfe0f},
	{0xfe20, 0xfe2f},
	{0xfeff, 0xfeff},
	{0xe0100, 0xe01ef},
};

/* Invisible, but they change what stands around them: joiners, directions of writing, tags. */
static const struct range HIDDEN[] = {
	{0x00ad, 0x00ad},
	{0x061c, 0x061c},
	{0x115f, 0x1160},
	{0x180e, 0x180e},
	{0x200b, 0x200f},
	{0x2028, 0x202e},
	{0x2060, 0x206f},
	{0x3164, 0x3164},
	{0xfeff, 0xfeff},
	{0xfff9, 0xfffb},
	{0xe0000, 0xe007f},
};

/* East Asian wide and full width (Unicode's annex 11), and emoji. */
static const struct range WIDEST[] = {
	{0x1100, 0x115f},
	{0x231a, 0x231b},
	{0x2e80, 0x303e},
	{0x3041, 0xa4cf},
	{0xa960, 0xa97f},
	{0xac00, 0xd7a3},
	{0xf900, 0xfaff},
	{0xfe30, 0xfe6f},
	{0xff00, 0xff60},
	{0xffe0, 0xffe6},
	{0x2600, 0x27bf}, /* some are; a line that is too short does not wrap */
	{0x1f000, 0x1faff},
	{0x20000, 0x3fffd},
};

static bool is_in(const struct range *ranges, size_t count, uint32_t code)
{
	for (size_t i = 0; i < count; i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	return false;
}

size_t live_char_columns(uint32_t code)
{
	if (code < 0x300)
		return 1;
	if (is_in(NARROWEST, sizeof NARROWEST / sizeof NARROWEST[0], code))
		return 0;
	return is_in(WIDEST, sizeof WIDEST / sizeof WIDEST[0], code) ? 2 : 1;
}

static uint32_t decode(const unsigned char *p, size_t len)
{
	uint32_t code = len == 1 ? p[0] : p[0] & (0xffu >> (len + 1));

	for (size_t i = 1; i < len; i++)
		code = code << 6 | (p[i] & 0x3f);
	return code;
}

/*
 * Copies what fits into so many columns; out may be the text. Controls, what is hidden and what is
 * not UTF-8 become "?": a line quotes others, and must not command the terminal. Returns the
 * columns used.
 */
static size_t fit(char out[LIVE_LINE_SIZE], const char *text, size_t width)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t left = strlen(text), used = 0, n = 0;

	while (left > 0) {
		bool sound;
		size_t len = utf8_length(p, left, &sound);
		uint32_t code = sound ? decode(p, len) : 0;
		bool shown = code >= ' ' && (code < 0x7f || code >= 0xa0) &&
			     !is_in(HIDDEN, sizeof HIDDEN / sizeof HIDDEN[0], code);
		size_t columns = shown ? live_char_columns(code) : 1;
		size_t bytes = shown ? len : 1;

		if (used + columns > width || n + bytes >= LIVE_LINE_SIZE)
			break;
		memmove(out + n, shown ? (const char *)p : "?", bytes);
		n += bytes;
		used += columns;
		p += len;
		left -= len;
	}
	out[n] = '\0';
	return used;
}

/* ---- the terminal ---- */

struct extent {
	size_t width, height;
};

/* Asked for at every drawing, since windows change their size. */
static struct extent measure(int fd)
{
	struct winsize w = {0};

	if (ioctl(fd, TIOCGWINSZ, &w))
		w = (struct winsize){0};
	return (struct extent){
		w.ws_col ? w.ws_col : DEFAULT_WIDTH, w.ws_row ? w.ws_row : DEFAULT_HEIGHT};
}

static bool knows_escapes(void)
{
	const char *term = getenv("TERM");

	return term && term[0] && strcmp(term, "dumb") != 0;
}

void live_init(struct live *l, int fd, const struct clock *clock)
{
	*l = (struct live){
		.fd = fd,
		.clock = clock,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.drawn_at = clock_monotonic(clock),
	};
	if (isatty(fd) == 1)
		l->mode = knows_escapes() ? LIVE_REDRAW : LIVE_PLAIN;
}

/* One call for each drawing, so that it is seen at once. */
static void put(const struct live *l, const struct buf *out)
{
	ssize_t n = write(l->fd, out->ptr, out->len);

	(void)n; /* a drawing lost is not worth a word */
}

/* ---- drawing ---- */

/*
 * Rows that the lines take at this width: a terminal that became narrower has wrapped them. The
 * cursor is at the end of the last one.
 */
static size_t rows(const struct live *l, size_t width)
{
	size_t sum = 0;

	for (size_t i = 0; i < l->shown; i++)
		sum += l->columns[i] > width ? (l->columns[i] + width - 1) / width : 1;
	return sum;
}

static int erase(struct live *l, size_t width, struct buf *out)
{
	size_t count = rows(l, width);
	int rc = count ? buf_add_str(out, "\r" CLEAR_REST) : 0;

	for (size_t i = 1; rc == 0 && i < count; i++)
		rc = buf_add_str(out, LINE_UP CLEAR_REST);
	l->shown = 0;
	return rc;
}

/* To the first column of the first line. Lines are overwritten, so that nothing flickers. */
static int go_to_start(const struct live *l, struct buf *out)
{
	if (l->shown > 1)
		return buf_printf(out, "\r\x1b[%zuA", l->shown - 1);
	return buf_add_char(out, '\r');
}

/* What is in text. */
static int draw(struct live *l, size_t width, size_t count, struct buf *out)
{
	int rc = go_to_start(l, out);

	for (size_t i = 0; rc == 0 && i < count; i++) {
		if (i > 0)
			rc = buf_add_str(out, "\r\n");
		if (rc == 0)
			rc = buf_printf(out, "%s" CLEAR_REST, l->text[i]);
	}
	l->shown = count;
	l->width = width;
	return rc;
}

static int print_plain(struct live *l, size_t count, struct buf *out)
{
	for (size_t i = 0; i < count; i++)
		TRY(buf_printf(out, "%s\n", l->text[i]));
	return 0;
}

/*
 * Under the lock; lines is NULL for those that were drawn last. Lines that do not fit onto the
 * screen could not be reached again.
 */
static void redraw(struct live *l, const char *const *lines, size_t count, bool keep)
{
	struct extent e = measure(l->fd);
	struct buf out;
	int rc = 0;

	if (count > LIVE_LINES_MAX)
		count = LIVE_LINES_MAX;
	if (l->mode == LIVE_REDRAW && !keep && count > e.height)
		count = e.height;
	buf_init(&out, OUTPUT_MAX);
	if (l->mode == LIVE_REDRAW && (l->width != e.width || l->shown != count))
		rc = erase(l, e.width, &out);
	for (size_t i = 0; i < count; i++)
		l->columns[i] = fit(l->text[i], lines ? lines[i] : l->text[i], e.width - 1);
	if (rc == 0)
		rc = l->mode == LIVE_PLAIN ? print_plain(l, count, &out)
					   : draw(l, e.width, count, &out);
	if (rc == 0 && keep && l->mode == LIVE_REDRAW) {
		rc = buf_add_str(&out, "\r\n");
		l->shown = 0;
	}
	if (rc == 0)
		put(l, &out);
	buf_release(&out);
}

static bool is_due(const struct live *l)
{
	int64_t interval = l->mode == LIVE_PLAIN ? PLAIN_INTERVAL : REDRAW_INTERVAL;

	return l->mode != LIVE_OFF && clock_monotonic(l->clock) - l->drawn_at >= interval;
}

bool live_is_due(struct live *l)
{
	bool due;

	if (l->mode == LIVE_OFF)
		return false;
	(void)pthread_mutex_lock(&l->lock);
	due = is_due(l);
	(void)pthread_mutex_unlock(&l->lock);
	return due;
}

void live_draw(struct live *l, const char *const *lines, size_t count)
{
	(void)pthread_mutex_lock(&l->lock);
	if (is_due(l)) {
		redraw(l, lines, count, false);
		l->drawn_at = clock_monotonic(l->clock);
	}
	(void)pthread_mutex_unlock(&l->lock);
}

void live_keep(struct live *l, const char *const *lines, size_t count)
{
	(void)pthread_mutex_lock(&l->lock);
	if (l->mode != LIVE_OFF)
		redraw(l, lines, count, true);
	(void)pthread_mutex_unlock(&l->lock);
}

/* Under the lock. */
static void clear(struct live *l)
{
	struct buf out;

	if (l->shown == 0)
		return;
	buf_init(&out, OUTPUT_MAX);
	if (erase(l, measure(l->fd).width, &out) == 0)
		put(l, &out);
	buf_release(&out);
}

void live_clear(struct live *l)
{
	(void)pthread_mutex_lock(&l->lock);
	clear(l);
	(void)pthread_mutex_unlock(&l->lock);
}

void live_print(struct live *l, FILE *file, slice text)
{
	size_t shown;

	(void)pthread_mutex_lock(&l->lock);
	shown = l->shown;
	clear(l);
	if (fwrite(text.ptr, 1, text.len, file) == text.len)
		(void)fflush(file);
	if (shown > 0)
		redraw(l, NULL, shown, false);
	(void)pthread_mutex_unlock(&l->lock);
}
