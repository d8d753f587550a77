/* stillpoint resume: goes on with captures after a stop, a crash or a power cut. */
#include "cmd/archive.h"
#include "cmd/capture.h"
#include "cmd/cmd.h"
#include "crawl/crawl.h"
#include "crawl/crawl_options.h"

static enum cmd_status resume(const char *archive, const struct crawl_command *o,
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
	view.options.changes = o;
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

static enum cmd_status run(struct crawl_config *c, const char *archive)
{
	struct crawl_secrets secrets = {0};
	struct crawl_settings unused; /* the archive has its own */
	struct err err = {0};
	enum cmd_status status;
	int rc;

	cmd_log(c->top.o.verbose);
	crawl_settings_init(&unused);
	rc = given_secrets(&c->top.o, &unused, &secrets, &c->login, &c->notes, &err);
	capture_warn(&c->notes);
	status = rc ? cmd_fail("resume", &err) : resume(archive, &c->top.o, &secrets, &err);
	crawl_secrets_release(&secrets);
	crawl_settings_release(&unused);
	return status;
}

enum cmd_status cmd_resume(int argc, char **argv)
{
	struct crawl_line line = {&RESUME_OPTIONS, argc, argv};
	struct crawl_config config;
	struct option_args args;
	struct arena arena;
	struct err err = {0};
	enum cmd_status status;
	int rc;

	arena_init(&arena, (size_t)1 << 30);
	rc = crawl_config_read_changes(&config, &line, &arena, &args, &err);
	if (rc == OPTIONS_HELP || rc == OPTIONS_HELP_ALL) {
		options_help(&RESUME_OPTIONS, rc == OPTIONS_HELP_ALL, stdout);
		status = cmd_finish(0);
	} else if (rc) {
		status = cmd_fail(NULL, &err); /* it names the command itself */
	} else {
		status = run(&config, args.ptr[0]);
	}
	crawl_config_release(&config);
	arena_release(&arena);
	return status;
}
