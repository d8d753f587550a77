/* What `crawl` and `resume` share: signals, the progress line, and the words at the end. */
#ifndef CMD_CAPTURE_H
#define CMD_CAPTURE_H

#include "base/progress.h"
#include "cmd/cmd.h"
#include "crawl/crawl.h"
#include "formats/config.h"

struct capture_view {
	struct crawl_options options; /* to be handed to crawl_start or crawl_resume */
	struct progress progress;
	const char *command;
	char site[sizeof((struct crawl_progress *)NULL)->site]; /* the heading */
	struct crawl_log log;
	const char *crawl_log, *events; /* files, or NULL */
	bool quiet;
	int signals; /* of stop_open, or -1 */
};

/* How a crawl is to look; borrowed. */
struct capture_look {
	const char *command;
	unsigned lanes;                 /* 0: the default */
	bool quiet;                     /* neither progress nor, without --json, a report */
	const char *crawl_log, *events; /* files to append to, or NULL */
};

/* From here on Ctrl-C stops the crawl cleanly. Do not move it. 0 or ERR_IO. */
int capture_view_init(
	struct capture_view *v, const struct capture_look *look, struct err *err) SP_MUST_CHECK;

/* Gives the signals back. */
void capture_view_release(struct capture_view *v);

/* Prints warnings about options and files. */
void capture_warn(const struct config_notes *notes);

/* Says how it ended and, when it has, prints the report, or a line for each of several sites. */
enum cmd_status capture_view_finish(struct capture_view *v, const char *archive,
	const struct crawl_results *results, bool json);

#endif
