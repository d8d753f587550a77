/* What `crawl` and `resume` share: signals, the progress line, and the words at the end. */
#ifndef CMD_CAPTURE_H
#define CMD_CAPTURE_H

#include "base/progress.h"
#include "cmd/cmd.h"
#include "crawl/crawl.h"
#include "crawl/login_file.h"

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

/* Rows of options (cmd/option_row.h) for a struct with members of these names. */
#define CAPTURE_LOOK_ROWS                                                                \
	ROW(FLAG, json, "json", 0, "print the report as JSON"),                          \
		ROW(STRING, crawl_log, "crawl-log", 0,                                   \
			"append a line for each request to a file, in the columns of "   \
			"Heritrix",                                                      \
			.metavar = "FILE"),                                              \
		ROW(STRING, events, "events", 0,                                         \
			"append what happens to a file as JSON lines; - is standard "    \
			"output",                                                        \
			.metavar = "FILE"),                                              \
		ROW(FLAG, quiet, "quiet", 'q', "show no progress, and print no report"), \
		ROW(FLAG, verbose, "verbose", 'v', "log what fails, and why")

/* From here on Ctrl-C stops the crawl cleanly. Do not move it. 0 or ERR_IO. */
int capture_view_init(
	struct capture_view *v, const struct capture_look *look, struct err *err) SP_MUST_CHECK;

/* Gives the signals back. */
void capture_view_release(struct capture_view *v);

/* Bytes of all that files and the environment say. */
enum { CAPTURE_SECRETS_MAX = 16 << 20 };

/* What --auth, --header, --cookies, --proxy and --login were given, and the files of three;
 * borrowed. */
struct capture_given {
	const struct option_list *auth, *headers;
	const char *cookies, *proxy;
	const char *auth_file, *header_file, *proxy_file; /* or NULL */
	const char *login;                                /* the same */
	struct login_file *login_file; /* where that goes; to be released by the caller */
};

/*
 * Puts each where it belongs; what files and the environment (STILLPOINT_AUTH, STILLPOINT_HEADER)
 * say goes into the arena. Warns of files that others can read. 0, ERR_NOMEM, ERR_USAGE.
 */
int capture_secrets(const struct capture_given *given, struct arena *arena,
	struct crawl_settings *settings, struct crawl_secrets *secrets,
	struct err *err) SP_MUST_CHECK;

/* Warns of a file with secrets that other users can read. */
void capture_warn_readable(const char *path);

/* --delay: automatic, or so many seconds. 0 or ERR_USAGE; the second is for tables of options. */
int capture_delay(
	const char *text, bool *ret_automatic, double *ret_seconds, struct err *err) SP_MUST_CHECK;
int capture_check_delay(const char *text, struct err *err) SP_MUST_CHECK;

/* The same for regular expressions. */
int capture_check_pattern(const char *text, struct err *err) SP_MUST_CHECK;

/* Says how it ended and, when it has, prints the report, or a line for each of several sites. */
enum cmd_status capture_view_finish(struct capture_view *v, const char *archive,
	const struct crawl_results *results, bool json);

#endif
