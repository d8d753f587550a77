/* stillpoint watch: keeps sites fresh, sharp or complete, for as long as nobody stops it. */
#include "crawl/watch_daemon.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/capture.h"
#include "cmd/cmd.h"
#include "cmd/option_row.h"
#include "cmd/stop.h"
#include "crawl/watch_config.h"
#include "crawl/watch_status.h"

struct watch_options {
	bool check, once, status, json, verbose;
	struct text_list host_names;
};

#define ROW_OF struct watch_options

static const struct option_spec SPECS[] = {
	ROW(FLAG, check, "check", 0, "read the configuration, say what is wrong with it, and end"),
	ROW(FLAG, once, "once", 0, "look at what is due now, then end: for cron"),
	ROW(FLAG, status, "status", 0,
		"print what was spent and how fresh the sites are, of a watch that runs or not"),
	ROW(FLAG, json, "json", 0, "print the status as JSON"),
	ROW(LIST, host_names, "host-name", 0,
		"a name by which pings may be sent, besides the address and localhost; may "
		"be given many times",
		.metavar = "NAME"),
	ROW(FLAG, verbose, "verbose", 'v', "log what fails, and why"),
	{.name = NULL},
};

static const struct options OPTIONS = {
	.program = "stillpoint",
	.command = "watch",
	.usage = "CONFIG [OPTION…]\n--status CONFIG|ARCHIVE [--json]",
	.description = "Keeps the sites of a configuration in one archive: looks at their pages "
		       "again and again, as often as each is worth by its policy and the budget "
		       "allows. CONFIG is a YAML file, see docs/watching.md.\n\nRuns until it is "
		       "stopped (Ctrl-C, SIGTERM), and goes on where it was when it is started "
		       "again, also after a crash. SIGHUP makes it read the configuration again.",
	.specs = SPECS,
	.min_args = 1,
	.max_args = 1,
};

/* What is wrong with a configuration stands as "FILE:LINE:COLUMN: what", as compilers print it. */
static enum cmd_status fail(const char *path, const struct err *err)
{
	slice text = slice_str(err->text);

	if (err->code != ERR_USAGE || !slice_starts_with(text, slice_str(path)))
		return cmd_fail("watch", err);
	cmd_say("%s", err->text);
	return CMD_USAGE;
}

/* Keys that have no effect, files with passwords that others can read. */
static void say_notes(const struct watch_config *c)
{
	for (size_t i = 0; i < c->crawl.notes.list.len; i++)
		cmd_say("%s", c->crawl.notes.list.ptr[i]);
}

static enum cmd_status check(const char *path)
{
	struct watch_config config;
	struct err err = {0};
	int rc = watch_config_read(&config, path, &err);

	if (rc == 0) {
		say_notes(&config);
		printf("%s: %zu site%s, %.0f requests a day\n", path, config.site_count,
			config.site_count == 1 ? "" : "s", config.requests * 86400);
	}
	watch_config_release(&config);
	return rc ? fail(path, &err) : cmd_finish(0);
}

/* ---- the status ---- */

/* What a watch that has never run would say. */
static int fill_unknown(const struct watch_config *c, struct watch_status *s)
{
	s->requests = c->written;
	s->per_day = c->requests * 86400;
	for (size_t i = 0; i < c->site_count; i++)
		TRY(watch_site_list_push(
			&s->sites, (struct watch_site_status){
					   .url = slice_str(c->sites[i].settings.seeds.ptr[0]),
					   .policy = slice_str(c->sites[i].terms.policy->name),
					   .fresh_expected = NAN,
					   .fresh_measured = NAN,
					   .fresh_error = NAN,
					   .sharp_expected = NAN,
				   }));
	return 0;
}

static int read_status(
	const char *path, struct watch_config *config, struct watch_status *s, struct err *err)
{
	struct stat st;
	int rc;

	if (stat(path, &st))
		return err_set(err, ERR_NOTFOUND,
			"%s: %s; give the configuration or the archive of a watch",
			*path ? path : "''", strerror(errno));
	if (S_ISDIR(st.st_mode))
		return watch_status_read(s, path, err);
	rc = watch_config_read(config, path, err);
	if (rc)
		return rc;
	rc = watch_status_read(s, config->archive, err);
	if (rc != ERR_NOTFOUND)
		return rc;
	*err = (struct err){0};
	return err_code(err, fill_unknown(config, s));
}

static enum cmd_status show_status(const char *path, bool json)
{
	struct watch_config config = {0};
	struct watch_status s;
	struct err err = {0};
	int rc, written = 0;

	watch_status_init(&s);
	rc = read_status(path, &config, &s, &err);
	if (rc == 0 && json)
		written = watch_status_print_json(&s, stdout);
	else if (rc == 0)
		watch_status_print(&s, stdout);
	watch_status_release(&s);
	watch_config_release(&config);
	if (rc == 0)
		return cmd_finish(written);
	return rc == ERR_USAGE ? fail(path, &err) : cmd_fail_archive("watch", &err);
}

/* ---- running ---- */

/* That it runs, and how to stop it. Nothing of a configuration that cannot be read: that fails. */
static void say_start(const char *path)
{
	struct watch_config config;
	struct err ignored = {0};

	if (watch_config_read(&config, path, &ignored) == 0) {
		say_notes(&config);
		cmd_say("stillpoint: watching %zu site%s in %s, %.0f requests a day; Ctrl-C or "
			"SIGTERM stops it",
			config.site_count, config.site_count == 1 ? "" : "s", config.archive,
			config.requests * 86400);
	}
	watch_config_release(&config);
}

static enum cmd_status run(const char *path, const struct watch_options *o)
{
	struct daemon_params params = {
		.config = path,
		.clock = clock_system(),
		.once = o->once,
		.stop_fd = -1,
		.names = {o->host_names.ptr, o->host_names.len},
	};
	struct err err = {0};
	int rc;

	if (!o->once) /* what cron starts is silent */
		say_start(path);
	params.reload_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (params.reload_fd < 0)
		rc = err_set(&err, ERR_IO, "eventfd: %s", strerror(errno));
	else
		rc = stop_open_reload(&params.stop_fd, params.reload_fd, &err);
	if (rc == 0)
		rc = daemon_run(&params, &err);
	stop_close(params.stop_fd);
	if (params.reload_fd >= 0)
		(void)close(params.reload_fd);
	if (rc == 0 && !o->once) {
		SCOPED(watch_config_release) struct watch_config config = {0};
		struct watch_status s;
		struct err ignored = {0};

		watch_status_init(&s);
		if (read_status(path, &config, &s, &ignored) == 0)
			fprintf(stderr,
				"stillpoint: stopped after %" PRIu64 " looks at %" PRIu64
				" pages in all, %" PRIu64
				" found changes; start it again to go on\n",
				s.looks, s.pages, s.changes);
		watch_status_release(&s);
	}
	return rc ? fail(path, &err) : CMD_OK;
}

enum cmd_status cmd_watch(int argc, char **argv)
{
	struct watch_options o = {0};
	struct option_args args;
	struct err err = {0};
	enum cmd_status status;

	if (!cmd_options(&OPTIONS, argc, argv, &o, &args, &status))
		return status;
	cmd_log(o.verbose);
	if (o.check + o.once + o.status > 1)
		(void)err_set(&err, ERR_USAGE, "--check, --once and --status exclude each other");
	else if (o.json && !o.status)
		(void)err_set(&err, ERR_USAGE, "--json goes with --status");
	if (err.code)
		return cmd_fail("watch", &err);
	if (o.status)
		return show_status(args.ptr[0], o.json);
	status = o.check ? check(args.ptr[0]) : run(args.ptr[0], &o);
	text_list_release(&o.host_names);
	return status;
}
