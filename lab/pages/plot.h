/*
 * Plots of a page: figures with a caption and their data as JSON, which the page's script draws
 * (web/src/plots). Figures that do not exist are NAN. Nothing is kept; errors stay in the FILE.
 */
#ifndef PAGES_PLOT_H
#define PAGES_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What a figure is about: its title, and a sentence that says how to read it. */
struct plot_caption {
	const char *title;
	const char *text; /* may be NULL */
};

/* Borrows everything; arrays have an entry for each x. */
struct plot_series {
	const char *name;
	unsigned colour; /* which of the palette: what belongs together shares one */
	bool printed;    /* hollow points, not a line: somebody else's figures */
	const double *values;
	const double *low, *high; /* intervals of confidence; both may be NULL */
};

/* Series over numbers that ascend. */
struct plot_lines {
	struct plot_caption caption;
	const char *x_label, *y_label;
	bool log_x, log_y; /* y only where all figures are above 0 */
	const double *x;
	size_t count;
	const struct plot_series *series;
	size_t series_count;
};

void plot_lines(FILE *file, const struct plot_lines *lines);

/* A figure with its interval, below others. */
struct plot_row {
	const char *name;
	double value, low, high;
	double printed; /* somebody else's */
};

struct plot_forest {
	struct plot_caption caption;
	const char *x_label;
	bool zero; /* to be compared with 0 */
	const struct plot_row *rows;
	size_t count;
};

void plot_forest(FILE *file, const struct plot_forest *forest);

enum plot_fate {
	PLOT_SHARP,
	PLOT_CHANGED,
	PLOT_HOPELESS,
	PLOT_PLANNED, /* nobody knows yet */
};

/* From visit to revisit; the still point is 0. */
struct plot_bar {
	double visit, revisit;
	enum plot_fate fate;
};

/* Bars in the order of the visits. */
struct plot_pyramid {
	struct plot_caption caption;
	const char *x_label;
	const struct plot_bar *bars;
	size_t count;
};

/* Pyramids stand beside each other, below what their colours mean. */
void plot_pyramids_begin(FILE *file, bool planned);
void plot_pyramid(FILE *file, const struct plot_pyramid *pyramid);
void plot_pyramids_end(FILE *file);

#endif
