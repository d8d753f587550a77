/*
 * The log of responses: for each response what was shown and why its bytes differ from another's.
 * A line, separated by tabs, is
 *
 *	unix_ms number host path status content version shown_ms lies noise
 *
 * unix_ms is the instant at which the site was looked at; number is also the value of the field
 * X-Living-Response of the response; path is that of the log of the truth (docs/living-site.md).
 * Two responses with the same host, path and content show the same content; what differs in their
 * bytes is noise. A line is flushed before its response is sent.
 */
#ifndef LIVING_SERVED_H
#define LIVING_SERVED_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/slice.h"

/* Fields are its own. A zeroed one logs nothing. */
struct served {
	FILE *file;
	pthread_mutex_t lock;
	int failed; /* 0, or why the log ends */
};

struct served_line {
	int64_t at_ns; /* realtime */
	uint64_t number;
	const char *host;
	slice path;
	unsigned status;     /* 0: the connection was reset */
	const char *content; /* a name; NULL: of the version shown, with the variant */
	uint32_t shown;
	const char *variant;
	uint32_t version; /* the true one */
	bool no_resource; /* shown and version mean nothing */
	int64_t shown_ns;
	unsigned lies;
	unsigned noise;
};

/* Makes the file anew: 0 or ERR_IO. */
int served_open(struct served *s, const char *name, struct err *err) SP_MUST_CHECK;

/* 0, or the first failure. */
int served_close(struct served *s, struct err *err);

/* 0, or the error that ended the log. For any thread. */
int served_write(struct served *s, const struct served_line *line) SP_MUST_CHECK;

/* 0, or why the log ends. */
int served_failed(struct served *s);

#endif
