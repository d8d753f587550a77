/*
 * The present of a living site, and the log of its truth. Invariants:
 *
 *  (1) The present never goes back, even when the machine's clock does.
 *  (2) Whatever is seen of the site is seen at one instant, and under the lock: all changes up to
 *      that instant have happened and none after it.
 *  (3) A change is in the log, and the log flushed, before anybody sees the change.
 *  (4) Where the log cannot be written, nothing can be seen any more.
 *
 * Lines of the log are in the order of time:
 *
 *	unix_ms <TAB> host <TAB> path <TAB> version
 *
 * with the instant rounded down. At the start there is a line for each resource. A version that
 * came before names the same content as then; `gone` means that the resource is not there.
 */
#ifndef LIVING_TIMELINE_H
#define LIVING_TIMELINE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/heap.h"
#include "living/model.h"

/* Fields are the timeline's own; all but the first three are guarded by the lock. */
struct timeline {
	const struct living_model *model; /* borrowed, as is the clock */
	const struct clock *clock;
	int64_t start_ns; /* realtime */

	pthread_mutex_t lock;
	pthread_cond_t stopped;
	int64_t now_ns; /* realtime of the present */
	struct change_cursor *cursors;
	struct heap due; /* resources that will change, by their next change */
	uint8_t *asked;  /* requests that were made of a resource, as far as they matter */
	FILE *truth;     /* owned; NULL: none */
	struct buf path;
	int failed; /* 0, or why the log ends */
	bool stopping;
};

/* What is seen of a resource. */
struct sighting {
	int64_t at_ns;      /* realtime of this look */
	int64_t changed_ns; /* realtime of its last change; the start when there was none */
	uint32_t version;
	uint32_t asked; /* requests before this one, up to 255 */
};

/*
 * The site starts now. truth names the log, which is made anew, or is NULL. On failure there is
 * nothing to release: ERR_IO, ERR_NOMEM.
 */
int timeline_init(struct timeline *t, const struct living_model *model, const struct clock *clock,
	const char *truth, struct err *err) SP_MUST_CHECK;

/* Logs what happened until now and closes the log: 0 or the first failure of it. */
int timeline_release(struct timeline *t, struct err *err);

/*
 * Looks at resources, all at one instant. With ask it counts as a request to each of them. 0, or
 * the error that ended the log.
 */
int timeline_look(struct timeline *t, const uint32_t *resources, size_t count, bool ask,
	struct sighting *ret_sightings) SP_MUST_CHECK;

/* Lets time pass, logging changes as they fall due, until timeline_stop. For a thread. */
void timeline_run(struct timeline *t);
void timeline_stop(struct timeline *t);

/* 0, or why the log ends. */
int timeline_failed(struct timeline *t);

#endif
