/*
 * Recorded sites under watch: the pages that are there when a watch begins, with their changes
 * since long before. A page that is removed leaves. Classes are the directories.
 */
#ifndef HISTORIES_WATCHED_H
#define HISTORIES_WATCHED_H

#include "histories/history.h"
#include "sim/watch_study.h"

/* The k-th watch begins k times `days` after start. */
struct watched_history {
	const struct history *history;
	double start; /* days of the history */
	double days;  /* of each watch */
};

/*
 * For struct watch_study_params; context is a struct watched_history. The rates that policies may
 * be told are the true numbers of changes during the watch over its length. ERR_NOTFOUND when no
 * page is there.
 */
int watched_make(void *context, size_t run, struct watch_world *ret) SP_MUST_CHECK;
void watched_release(struct watch_world *world);

#endif
