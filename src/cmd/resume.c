/* stillpoint resume: goes on with captures after a stop, a crash or a power cut. */
#include "cmd/archive.h"
#include "cmd/capture.h"
#include "cmd/cmd.h"
#include "cmd/option_row.h"
#include "crawl/crawl.h"

struct resume_options {
	int64_t lanes;
	struct option_list auth, headers;
	const char *cookies, *proxy;
	const char *auth_file, *header_file, *proxy_file, *login;
	const char *delay;
	int64_t max_pages, max_depth;
	struct option_list includes, surts;
	struct crawl_changes changes;
	bool json;
	const char *crawl_log, *events;
	bool quiet;
	bool verbose;
};

#define ROW_OF struct resume_options

static const struct option_spec SPECS[] = {
	ROW(INT, lanes, "lanes", 0,
		"threads to capture several sites with (default: one for each processor)", .min = 1,
		.max = CRAWL_LANES_MAX),
	ROW(LIST, headers, "header", 'H',
		"a field that the capture was started with and that is not in the archive",
		.metavar = "NAME:VALUE"),
	ROW(LIST, auth, "auth", 0,
		"a password that it was started with, or https://USER:PASSWORD@HOST/ (repeatable)",
		.metavar = "USER:PASSWORD"),
	ROW(STRING, header_file, "header-file", 0, "read --header fields from a file, one per line",
		.metavar = "FILE"),
	ROW(STRING, auth_file, "auth-file", 0, "read --auth passwords from a file, one per line",
		.metavar = "FILE"),
	ROW(STRING, login, "login", 0, "the --login file that it was started with",
		.metavar = "FILE"),
	ROW(STRING, cookies, "cookies", 0, "the cookie file that it was started with",
		.metavar = "FILE"),
	ROW(STRING, proxy, "proxy", 0, "the proxy that it was started with, if it has a password",
		.metavar = "URL"),
	ROW(STRING, proxy_file, "proxy-file", 0, "read the proxy's URL from a file",
		.metavar = "FILE"),
	ROW(STRING, delay, "delay", 'd', "another pause between requests, as in crawl",
		.metavar = "auto|DURATION", .check = capture_check_delay),
	ROW(DURATION, changes.time_limit, "time-limit", 't',
		"another limit for the whole capture; time between two runs does not count",
		.max = 1e9, .bounds = OPTION_ABOVE_MIN),
	ROW(SIZE, changes.max_bytes, "max-bytes", 0, "another limit for the whole capture",
		.min = 1, .max = 1e18),
	ROW(INT, max_pages, "max-pages", 0,
		"another limit for the whole capture; pages that the old one refused are taken as "
		"far as there is room",
		.min = 1, .max = UINT32_MAX - 1),
	ROW(INT, max_depth, "max-depth", 0, "another limit of links in a row", .max = INT32_MAX),
	ROW(LIST, includes, "include", 'i',
		"also capture URLs that match, those that were left out before included "
		"(repeatable)",
		.metavar = "REGEX", .check = capture_check_pattern),
	ROW(LIST, surts, "surt", 0, "the same for URLs whose SURT begins with this (repeatable)",
		.metavar = "PREFIX"),
	ROW(FLAG, changes.retry_failed, "retry-failed", 0,
		"ask once more for pages that failed, if the visits are not over"),
	ROW(FLAG, changes.revisit_now, "revisit-now", 0,
		"end the visits and begin the revisits; pages not yet visited stay unvisited"),
	CAPTURE_LOOK_ROWS,
	{.name = NULL},
};

static const struct options OPTIONS = {
	.program = "stillpoint",
	.command = "resume",
	.usage = "ARCHIVE [OPTION…]",
	.description = "Continues all unfinished captures of an archive with the same settings, "
		       "but for those that are given here: they count from now on, for later "
		       "runs, too. "
		       "Passwords, keys and cookies are not in the archive: give those that a "
		       "capture was started with again. What a crash left unfinished in a WARC "
		       "file is moved to a file of its own, never deleted.",
	.specs = SPECS,
	.min_args = 1,
	.max_args = 1,
};

static int find_changes(struct resume_options *o, struct err *err)
{
	struct crawl_changes *x = &o->changes;

	x->max_pages = (uint32_t)o->max_pages;
	x->has_max_depth = o->max_depth >= 0;
	x->max_depth = x->has_max_depth ? (uint32_t)o->max_depth : 0;
	x->includes = (struct text_list){o->includes.ptr, o->includes.len, 0};
	x->surts = (struct text_list){o->surts.ptr, o->surts.len, 0};
	x->has_delay = o->delay;
	return o->delay ? capture_delay(o->delay, &x->automatic_delay, &x->delay, err) : 0;
}

static enum cmd_status resume(const char *archive, const struct resume_options *o,
	const struct crawl_secrets *secrets, struct err *err)
{
	struct crawl_results results = {0};
	struct capture_view view;
	enum cmd_status status;
	int rc = capture_view_init(&view,
		&(struct capture_look){
			"resume", (unsigned)o->lanes, o->quiet, o->crawl_log, o->events},
		err);

	archive_guard_files(archive, false);
	view.options.secrets = secrets;
	view.options.changes = &o->changes;
	if (rc == 0)
		rc = archive_check(archive, err);
	if (rc || crawl_resume(archive, &view.options, &results, err))
		status = cmd_fail_archive("resume", err);
	else
		status = capture_view_finish(&view, archive, &results, o->json);
	capture_view_release(&view);
	crawl_results_release(&results);
	return status;
}

enum cmd_status cmd_resume(int argc, char **argv)
{
	struct resume_options o = {.max_depth = -1};
	struct crawl_secrets secrets = {0};
	struct login_file login = {0};
	struct crawl_settings unused; /* the archive has its own */
	struct option_args args;
	struct arena arena;
	struct err err = {0};
	enum cmd_status status;

	if (!cmd_options(&OPTIONS, argc, argv, &o, &args, &status))
		return status;
	cmd_log(o.verbose);
	if (find_changes(&o, &err)) {
		options_release(&OPTIONS, &o);
		return cmd_fail("resume", &err);
	}
	crawl_settings_init(&unused);
	arena_init(&arena, CAPTURE_SECRETS_MAX);
	if (capture_secrets(&(struct capture_given){&o.auth, &o.headers, o.cookies, o.proxy,
				    o.auth_file, o.header_file, o.proxy_file, o.login, &login},
		    &arena, &unused, &secrets, &err))
		status = cmd_fail("resume", &err);
	else
		status = resume(args.ptr[0], &o, &secrets, &err);
	crawl_secrets_release(&secrets);
	login_file_release(&login);
	crawl_settings_release(&unused);
	arena_release(&arena);
	options_release(&OPTIONS, &o);
	return status;
}
