/*
 * The known truth about a page: when it changed. From a simulator, a living site or a recorded
 * history; a live crawl never has it.
 */
#ifndef MEASURE_HISTORY_H
#define MEASURE_HISTORY_H

#include <stddef.h>

/* Borrows times, which ascend (equal times are separate changes). Empty: {NULL, 0}. */
struct change_history {
	const double *times;
	size_t len;
};

/* Number of changes before t, t itself excluded. O(log len). */
size_t change_history_before(struct change_history history, double t);

/* Number of changes up to t, t itself included. O(log len). */
size_t change_history_until(struct change_history history, double t);

#endif
