#include "cmd/capture.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/text.h"
#include "cmd/archive.h"
#include "cmd/captures.h"
#include "cmd/stop.h"
#include "report/report_print.h"

/* Sites of which nothing could be captured, with the reason on a line each. */
enum { EMPTY_TOLD = 20 };

/* Seconds between lines of progress in a log. */
static const double LOG_INTERVAL = 60;

static const char *leg_name(bool preparing, enum plan_leg leg)
{
	if (preparing)
		return "robots.txt and sitemaps";
	switch (leg) {
	case PLAN_VISIT:
		return "visits";
	case PLAN_REVISIT:
		return "revisits";
	case PLAN_LATE:
		return "late pages";
	}
	return "";
}

/* The rate is that of all requests; how long the slowest site takes cannot be told. */
static void show_many(struct capture_view *v, const struct crawl_progress *p)
{
	BUF_SCOPED(note, PROGRESS_LINE_MAX);

	/* "sites 3/8, sharp 120, failed 2", then the sites that fail and those that take longest.
	 */
	(void)buf_printf(&note, "sites %zu/%zu, known %zu, sharp %zu", p->ended, p->sites, p->known,
		p->sharp);
	if (p->failed > 0)
		(void)buf_printf(&note, ", failed %zu", p->failed);
	for (size_t i = 0; p->worst && i < p->worst->len; i++) {
		/* "visits 12/340, failed 3  http://example.org/": figures first, since lines are
		 * cut. */
		(void)buf_printf(&note, "\n%s",
			p->worst->list[i].preparing ? "starts"
						    : leg_name(false, p->worst->list[i].leg));
		if (!p->worst->list[i].preparing)
			(void)buf_printf(
				&note, " %zu/%zu", p->worst->list[i].done, p->worst->list[i].total);
		if (p->worst->list[i].failed > 0)
			(void)buf_printf(&note, ", failed %zu", p->worst->list[i].failed);
		(void)buf_printf(&note, "  %s", p->worst->list[i].site);
	}
	progress_update_work(&v->progress, p->fetched, &(struct progress_work){.done = p->requests},
		buf_str(&note));
}

static void on_progress(void *context, const struct crawl_progress *p)
{
	struct capture_view *v = context;
	char note[128];

	if (p->sites > 1) {
		show_many(v, p);
		return;
	}
	memcpy(v->site, p->site, sizeof v->site);
	v->progress.config.title = leg_name(p->preparing, p->leg);
	progress_set_total(&v->progress, p->total);
	size_t size = sizeof note;
	const char *comma = p->failed > 0 && p->waiting[0] ? ", " : "";
	int n = 0;

	/*
	 * Lines below the progress. "sharp 120, expected 118.4": so far, of the pages revisited;
	 * before that, what is to be hoped for. Then what is wrong, if anything is.
	 */
	note[0] = '\0';
	if (p->leg != PLAN_VISIT)
		n = snprintf(note, size, "\nsharp %zu, expected %.1f", p->sharp, p->expected);
	else if (p->expected > 0)
		n = snprintf(note, size, "\nexpected sharp %.1f", p->expected);
	if (n >= 0 && (size_t)n < size && (p->waiting[0] || p->failed != 0)) {
		n += snprintf(note + n, size - (size_t)n, "\n%s%s", p->waiting, comma);
		if (p->failed > 0 && (size_t)n < size)
			(void)snprintf(note + n, size - (size_t)n, "failed %zu", p->failed);
	}
	progress_update_work(&v->progress, p->done,
		&(struct progress_work){p->requests, p->left, p->time_left}, note);
}

int capture_view_init(struct capture_view *v, const struct capture_look *look, struct err *err)
{
	*v = (struct capture_view){.command = look->command,
		.signals = -1,
		.quiet = look->quiet,
		.crawl_log = look->crawl_log,
		.events = look->events};
	/* Events have standard output to themselves. */
	if (look->events && strcmp(look->events, "-") == 0)
		v->quiet = true;
	TRY(stop_open(&v->signals, err));
	progress_init(&v->progress, &(struct progress_config){.fd = STDERR_FILENO,
					    .clock = clock_system(),
					    .title = look->command,
					    .unit = "pages",
					    .heading = v->site,
					    .bar = true,
					    .log_interval = LOG_INTERVAL});
	log_share(&v->progress.live);
	TRY(crawl_log_open(&v->log, look->crawl_log, look->events, err));
	v->options = (struct crawl_options){.stop_fd = v->signals,
		.log = v->log.log || v->log.events ? &v->log : NULL,
		.lanes = look->lanes,
		.on_progress = look->quiet ? NULL : on_progress,
		.context = v};
	return 0;
}

void capture_view_release(struct capture_view *v)
{
	progress_clear(&v->progress);
	log_share(NULL);
	crawl_log_close(&v->log);
	stop_close(v->signals);
}

void capture_warn(const struct config_notes *notes)
{
	for (size_t i = 0; i < notes->list.len; i++)
		cmd_say("stillpoint: warning: %s", notes->list.ptr[i]);
}

static enum cmd_status fail_empty(const char *command, const struct crawl_result *result)
{
	struct err err = {0};

	(void)err_set(&err, ERR_IO, "nothing could be captured: %s",
		result->problem ? result->problem : "no page was found");
	return cmd_fail(command, &err);
}

static enum cmd_status fail_broken(const char *command, const struct crawl_result *result)
{
	struct err err = {0};

	(void)err_set(&err, ERR_STATE, "capture %u: %s", (unsigned)result->capture,
		result->problem ? result->problem : "it cannot continue");
	return cmd_fail(command, &err);
}

static void tell_file(const char *what, const char *path)
{
	if (!path)
		return;
	printf("%s is ", what);
	text_name(stdout, slice_str(path), 0);
	(void)puts(".");
}

/* Where it all is, and what can be done with it. Machines that read JSON know. */
static enum cmd_status tell_next(const struct capture_view *v, const char *archive)
{
	char size[TEXT_SIZE_SIZE];

	text_size(archive_size(archive), size);
	(void)fputs("\nThe archive is ", stdout);
	text_name(stdout, slice_str(archive), 0);
	printf(" (%s).\n", size);
	tell_file("The crawl log", v->crawl_log);
	tell_file("The event stream", v->events);
	report_print_next(archive, stdout);
	return cmd_finish(0);
}

static void tell_stopped(const char *archive)
{
	(void)fputs("stillpoint: stopped; continue with: ", stderr);
	text_command(stderr, "resume", archive, "\n");
}

/* Of one capture. */
static enum cmd_status finish_one(const struct capture_view *v, const char *archive,
	const struct crawl_result *result, bool json)
{
	enum cmd_status status;

	switch (result->end) {
	case CRAWL_STOPPED:
		tell_stopped(archive);
		return CMD_PARTIAL;
	case CRAWL_CUT:
		(void)fprintf(stderr, "stillpoint: %s ended the capture\n", result->cut_by);
		break;
	case CRAWL_WAS_FINISHED:
		(void)fputs("stillpoint: ", stderr);
		text_name(stderr, slice_str(archive), 0);
		(void)fputs(result->watched
				    ? ": its sites are under watch; go on with stillpoint "
				      "watch CONFIG\n"
				    : ": all its captures are finished; nothing to resume\n",
			stderr);
		break;
	case CRAWL_BROKEN:
		return fail_broken(v->command, result);
	case CRAWL_FINISHED:
		break;
	}
	if (result->end != CRAWL_WAS_FINISHED && result->visited == 0)
		return fail_empty(v->command, result);
	if (v->quiet && !json)
		return cmd_finish(0);
	status = cmd_report_capture(archive, result->capture, json);
	return status == CMD_OK && !json ? tell_next(v, archive) : status;
}

/* ---- several ---- */

static int collect_ids(const struct crawl_results *results, struct u32_vec *ids)
{
	for (size_t i = 0; i < results->len; i++)
		TRY(u32_vec_push(ids, results->ptr[i].capture));
	return 0;
}

/*
 * A site that cannot be had is a line in the list, and the exit status says that there is one; only
 * when none could be, all has failed. That a capture cannot go on is a failure of the archive, not
 * of a site.
 */
static enum cmd_status finish_many(const struct capture_view *v, const char *archive,
	const struct crawl_results *results, bool json)
{
	SCOPED(u32_vec_release) struct u32_vec ids = {0};
	enum cmd_status status = CMD_FAILURE;
	size_t stopped = 0, got = 0, broken = 0, empty = 0;
	size_t told = 0;

	for (size_t i = 0; i < results->len; i++) {
		const struct crawl_result *r = &results->ptr[i];

		stopped += r->end == CRAWL_STOPPED;
		got += r->visited > 0;
		broken += r->end == CRAWL_BROKEN;
		empty += r->visited == 0;
	}
	/* Why sites have nothing, as far as one wants to read that here. */
	for (size_t i = 0; i < results->len; i++) {
		const struct crawl_result *r = &results->ptr[i];

		if (r->visited > 0 || r->end == CRAWL_STOPPED)
			continue;
		if (told++ < EMPTY_TOLD)
			(void)(r->end == CRAWL_BROKEN ? fail_broken : fail_empty)(v->command, r);
	}
	if (told > EMPTY_TOLD)
		(void)fprintf(stderr, "stillpoint: nothing could be captured of %zu more sites\n",
			told - EMPTY_TOLD);
	if (stopped > 0)
		tell_stopped(archive);
	if (collect_ids(results, &ids))
		(void)cmd_fail(v->command, &(struct err){ERR_NOMEM, "out of memory"});
	else if (v->quiet && !json)
		status = CMD_OK;
	else
		status = captures_print(archive, &ids, json);
	if (status == CMD_OK && !json && !v->quiet)
		status = tell_next(v, archive);
	if (broken > 0 || (got == 0 && stopped == 0))
		return CMD_FAILURE;
	return status == CMD_OK && (stopped > 0 || empty > 0) ? CMD_PARTIAL : status;
}

enum cmd_status capture_view_finish(
	struct capture_view *v, const char *archive, const struct crawl_results *results, bool json)
{
	progress_clear(&v->progress);
	return results->len == 1 ? finish_one(v, archive, &results->ptr[0], json)
				 : finish_many(v, archive, results, json);
}
