/*
 * The log: one line for each event,
 *
 *	2011-02-11T09:30:00.125Z warn fetch: certificate has expired
 *
 * Where it goes and how much of it is the one piece of state this program has globally. It is set
 * once by main, before any thread starts; after that any thread may log, and lines never mix.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>
#include <stdio.h>

#include "base/api.h"
#include "base/clock.h"
#include "base/live.h"

enum log_level {
	LOG_LEVEL_ERROR, /* something asked for was not done */
	LOG_LEVEL_WARN,  /* it was done, but a person should know */
	LOG_LEVEL_INFO,  /* what happens, in large steps */
	LOG_LEVEL_DEBUG, /* everything */
};

struct log_config {
	FILE *file;                /* borrowed; NULL for no log, which is how it begins */
	const struct clock *clock; /* borrowed; NULL for the system's */
	enum log_level level;      /* the least important that is written */
};

void log_setup(const struct log_config *config);

/*
 * From here on messages are printed above these lines, which are on the same terminal; NULL: no
 * lines any more. Borrowed. To be called while no other thread logs.
 */
void log_share(struct live *lines);

/* Whether a message of this level is written: worth asking before costly preparations. */
bool log_enabled(enum log_level level);

/*
 * Writes one line, cut at 4 KiB; control characters and line breaks are escaped, since messages
 * quote the network. component is a word such as "fetch". A failing log is ignored.
 */
void log_write(enum log_level level, const char *component, const char *fmt, ...) SP_PRINTF(3, 4);

#define log_error(...) log_write(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warn(...)  log_write(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_info(...)  log_write(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) log_write(LOG_LEVEL_DEBUG, __VA_ARGS__)

#endif
