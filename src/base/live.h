/*
 * Lines at the bottom of a terminal that are drawn again in place, such as those of progress.
 *
 *  1. No line wraps: each is cut to the terminal's present width, less one column.
 *  2. While lines stand there, live_print is the only way to write to the terminal: it takes the
 *     lines away, writes, and draws them again below.
 *  3. A terminal that knows no escape sequences (TERM is "dumb", empty or unset) gets none: the
 *     lines are then printed one after the other, every ten seconds.
 *  4. What is no terminal gets nothing.
 *
 * Any thread may call live_print, live_draw and live_clear. Writing never fails as far as the
 * caller can see.
 */
#ifndef BASE_LIVE_H
#define BASE_LIVE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/slice.h"

enum {
	LIVE_LINES_MAX = 8,
	LIVE_LINE_SIZE = 512, /* bytes of a line, with its NUL */
};

enum live_mode {
	LIVE_OFF,   /* no terminal */
	LIVE_PLAIN, /* a terminal without escape sequences */
	LIVE_REDRAW,
};

/* Fields are the lines' own. */
struct live {
	int fd;
	const struct clock *clock;
	enum live_mode mode;
	pthread_mutex_t lock; /* of all below */
	int64_t drawn_at;     /* monotonic; or of live_init */
	size_t width;         /* of the terminal when they were drawn */
	size_t shown;         /* lines that stand on the terminal */
	size_t columns[LIVE_LINES_MAX];
	char text[LIVE_LINES_MAX][LIVE_LINE_SIZE];
};

/* Looks at the terminal and the environment's TERM; draws nothing. Needs no release. Borrows. */
void live_init(struct live *l, int fd, const struct clock *clock);

/* Whether it is time to draw: cheap, so that lines need not be made in vain. */
bool live_is_due(struct live *l);

/* Draws lines in place of those before; nothing happens when it is not time. */
void live_draw(struct live *l, const char *const *lines, size_t count);

/* Draws them for the last time and leaves them there; the cursor goes below. */
void live_keep(struct live *l, const char *const *lines, size_t count);

/* Takes the lines away. */
void live_clear(struct live *l);

/* Writes whole lines of text to a file that may be the same terminal. */
void live_print(struct live *l, FILE *file, slice text);

/* Columns that a character needs on a terminal: 0, 1 or 2. */
size_t live_char_columns(uint32_t code);

#endif
