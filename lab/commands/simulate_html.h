/*
 * What the pages of all modes of `simulate --html` have in common: their beginning, how they were
 * made, and pictures of captures. Errors stay in the FILE.
 */
#ifndef COMMANDS_SIMULATE_HTML_H
#define COMMANDS_SIMULATE_HTML_H

#include <stdio.h>

#include "base/vec.h"
#include "commands/simulate.h"
#include "histories/pyramid.h"

/*
 * Slow-downs at which a page shows more than was asked for: that many times the given delay, or
 * length of a crawl. One of them is 1.
 */
enum { SWEEP_POINTS = 7 };
extern const double SWEEP_FACTORS[SWEEP_POINTS];

enum { PICTURE_NAME_SIZE = 128 };

struct picture {
	const void *group; /* pictures of one group stand together; NULL is one too */
	char name[PICTURE_NAME_SIZE];
	struct pyramid pyramid;
};

VEC_DECLARE(picture_list, struct picture);

/* Captures of one run, for pyramids. Zeroed it is empty; free with picture_list_release. */
struct album {
	struct picture_list pictures;
	bool failed; /* no memory */
};

/* A capture without bars (a single visit) is left out. */
void album_add(
	struct album *album, const void *group, const char *name, const struct pyramid *pyramid);

/* The pyramids of a group below a heading of their own; nothing when there are none. */
void album_write(FILE *file, const struct album *album, const void *group, const char *lead,
	const char *x_label);

/* A file's name without its directories. */
const char *simulate_html_base(const char *path);

/* A list of facts at the end of a page, beginning with the command line, and the end. */
void simulate_html_made(FILE *file, const struct simulate_options *o);
void simulate_html_fact(FILE *file, const char *name, const char *format, ...) SP_PRINTF(3, 4);
void simulate_html_end(FILE *file);

#endif
