/* What `stillpoint report` says of an archive as a whole: at an instant, or over a span of time. */
#ifndef CMD_REPORT_AT_H
#define CMD_REPORT_AT_H

#include <stdbool.h>

#include "cmd/cmd.h"

/* Times are as the user writes them. */
struct report_at_options {
	const char *at;        /* an instant; or */
	const char *from, *to; /* a span, both of it */
	const char *site;      /* NULL: all */
	const char *html;      /* NULL: to standard output */
	const char *replay;    /* where the archive is served, or NULL */
	bool json;
};

/* Whether a text reads as a time. */
bool report_at_is_time(const char *text);

enum cmd_status report_at(const char *archive, const struct report_at_options *o);

#endif
