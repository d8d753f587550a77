#include "archive/crawl_log.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/utf8.h"
#include "formats/http_fields.h"
#include "proof/report.h"
#include "proof/report_json.h"

static void begin_event(struct json *j, const char *event)
{
	json_object_begin(j);
	json_put_uint(j, "schema", CRAWL_LOG_SCHEMA);
	json_put_string(j, "event", event);
}

static void begin_capture_event(struct json *j, const char *event, uint32_t capture)
{
	begin_event(j, event);
	json_put_uint(j, "capture", capture);
}

int crawl_log_open(struct crawl_log *l, const char *log, const char *events, struct err *err)
{
	bool to_stdout = events && strcmp(events, "-") == 0;

	*l = (struct crawl_log){0};
	if (log && !(l->log = file_stream(log, "ae")))
		return err_set(err, ERR_IO, "--crawl-log: %.300s: %s", log, strerror(errno));
	if (events && !(l->events = to_stdout ? stdout : file_stream(events, "ae"))) {
		int rc = err_set(err, ERR_IO, "--events: %.300s: %s", events, strerror(errno));

		crawl_log_close(l);
		return rc;
	}
	if (l->events)
		json_init_file(&l->json, l->events, JSON_LINES);
	return 0;
}

void crawl_log_close(struct crawl_log *l)
{
	if (l->log)
		(void)fclose(l->log);
	if (l->events && l->events != stdout)
		(void)fclose(l->events);
	*l = (struct crawl_log){0};
}

int crawl_log_commit(struct crawl_log *l, struct err *err)
{
	FILE *files[] = {l->log, l->events};
	static const char *const NAMES[] = {"--crawl-log", "--events"};

	if (l->events) {
		begin_event(&l->json, "commit");
		json_object_end(&l->json);
		if (json_finish(&l->json))
			return err_set(err, ERR_IO, "--events: %s", strerror(errno));
	}
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
		if (files[i] && (fflush(files[i]) || ferror(files[i])))
			return err_set(err, ERR_IO, "%s: %s", NAMES[i], strerror(errno));
	return 0;
}

/* ---- the crawl log ---- */

/* A column; blanks would begin the next one, controls another line. */
static void put_column(FILE *file, slice text)
{
	(void)putc(' ', file);
	if (text.len == 0)
		(void)putc('-', file);
	while (text.len) {
		const unsigned char *p = (const unsigned char *)text.ptr;
		bool is_sound;
		size_t n = utf8_length(p, text.len, &is_sound);

		if (text.ptr[0] == ' ' || utf8_control(p, text.len))
			(void)putc('_', file);
		else
			(void)fwrite(text.ptr, 1, n, file);
		text = slice_sub(text, n, text.len);
	}
}

/* How the page was reached, as far as the last step tells: L link, E embedded, R redirect. */
static const char *step_of(const struct attempt *a)
{
	if (a->leg == ATTEMPT_SIDE)
		return "P";
	if (!a->via.ptr)
		return "-";
	return slice_eq(a->kind, SLICE("page")) ? "L" : "E";
}

/* "20261117070000123+45": when it began, and milliseconds that it took. */
static void put_fetch_time(FILE *file, const struct attempt_times *wall)
{
	int64_t begin = wall->sent ? wall->sent : wall->last_byte;
	time_t seconds = (time_t)(begin / CLOCK_NS_PER_SECOND);
	struct tm tm;
	char text[16];

	(void)gmtime_r(&seconds, &tm);
	(void)strftime(text, sizeof text, "%Y%m%d%H%M%S", &tm);
	(void)fprintf(file, " %s%03d+%" PRId64, text, (int)(begin % CLOCK_NS_PER_SECOND / 1000000),
		wall->last_byte > begin ? (wall->last_byte - begin) / 1000000 : 0);
}

/* Leg and failure; Heritrix puts its remarks there, too. */
static void put_notes(FILE *file, const struct attempt *a)
{
	slice word = a->failure;

	(void)fprintf(file, " %s:%u", attempt_leg_name(a->leg), a->number);
	if (a->is_revisit)
		(void)fputs(",duplicate", file);
	if (!word.ptr)
		return;
	(void)putc(',', file);
	word = slice_take(&word, ':');
	(void)fwrite(word.ptr, 1, word.len, file);
}

enum { STATUS_FAILED = -2 }; /* Heritrix: no connection, or it broke */

static void log_attempt(FILE *file, const struct attempt *a)
{
	char time[CLOCK_TEXT_SIZE], digest[DIGEST_TEXT_SIZE];

	clock_format(a->wall.last_byte, CLOCK_ROUND_UP, time);
	(void)fprintf(file, "%s %5d %10" PRIu64, time, a->status ? (int)a->status : STATUS_FAILED,
		a->payload_size);
	put_column(file, a->url);
	put_column(file, slice_str(step_of(a)));
	put_column(file, a->via);
	put_column(file, a->media_type.ptr ? fields_media_type(a->media_type) : (slice){0});
	(void)fputs(" #001", file); /* threads mean nothing here */
	put_fetch_time(file, &a->wall);
	if (a->has_payload)
		(void)digest_format(&a->payload, digest);
	put_column(file, a->has_payload ? slice_str(digest) : (slice){0});
	(void)fputs(" -", file); /* the source tag */
	put_notes(file, a);
	(void)putc('\n', file);
}

/* ---- events ---- */

static void put_fetched(struct json *j, uint32_t capture, const struct attempt *a)
{
	char digest[DIGEST_TEXT_SIZE];

	begin_capture_event(j, "fetched", capture);
	json_put_uint_if(j, "page", a->page != CATALOG_NO_PAGE, a->page);
	json_text(j, "url", a->url);
	json_put_string(j, "leg", attempt_leg_name(a->leg));
	json_put_uint(j, "attempt", a->number);
	json_put_uint_if(j, "status", a->status, a->status);
	json_text(j, "failure", a->failure);
	report_json_time(j, "started", a->wall.sent, CLOCK_ROUND_DOWN);
	report_json_time(j, "ended", a->wall.last_byte, CLOCK_ROUND_UP);
	json_text(j, "media_type", a->media_type);
	json_put_uint(j, "bytes", a->payload_size);
	if (a->has_payload)
		(void)digest_format(&a->payload, digest);
	json_put_string(j, "digest", a->has_payload ? digest : NULL);
	json_text(j, "warc", a->warc);
	json_put_uint_if(j, "offset", a->warc.ptr, a->offset);
	json_object_end(j);
}

static void put_discovered(struct json *j, uint32_t capture, const struct catalog_page *p)
{
	begin_capture_event(j, "discovered", capture);
	json_put_uint(j, "page", p->number);
	json_text(j, "url", p->url);
	json_text(j, "kind", p->kind);
	json_put_uint_if(j, "via", p->via != CATALOG_NO_PAGE, p->via);
	json_text(j, "found", p->found);
	json_put_bool(j, "taken", p->taken);
	json_text(j, "rule", p->rule);
	json_object_end(j);
}

static void put_host(struct json *j, uint32_t capture, const struct catalog_robots *r)
{
	begin_capture_event(j, "host", capture);
	json_text(j, "origin", r->origin);
	json_text(j, "robots", r->why);
	report_json_time(j, "time", r->fetched, CLOCK_ROUND_DOWN);
	json_object_end(j);
}

static void put_phase(struct json *j, uint32_t capture, const struct catalog_clock *k)
{
	begin_capture_event(j, "phase", capture);
	json_text(j, "phase", k->moment);
	report_json_time(j, "time", k->wall, CLOCK_ROUND_DOWN);
	json_object_end(j);
}

static void put_row(struct json *j, const struct catalog_row *row)
{
	switch (row->kind) {
	case CATALOG_ROW_ADD_PAGE:
	case CATALOG_ROW_TAKE_PAGE:
		put_discovered(j, row->capture, row->page);
		break;
	case CATALOG_ROW_OBSERVATION:
		put_fetched(j, row->capture, row->observation);
		break;
	case CATALOG_ROW_ADD_ROBOTS:
		put_host(j, row->capture, row->robots);
		break;
	case CATALOG_ROW_CLOCK:
		put_phase(j, row->capture, row->clock);
		break;
	default:
		break;
	}
}

int crawl_log_verdicts(
	struct crawl_log *l, struct catalog *catalog, uint32_t capture, struct err *err)
{
	struct report r;
	int rc;

	if (!l->events)
		return 0;
	rc = report_load(&r, catalog, capture, err);
	for (size_t i = 0; rc == 0 && i < r.pages.len; i++) {
		const struct report_page *p = report_page_at(&r, i);
		struct json *j = &l->json;

		begin_capture_event(j, "verdict", capture);
		json_put_uint(j, "page", i);
		json_text(j, "url", p->url);
		json_put_string(j, "verdict", verdict_name((enum verdict)p->verdict));
		json_put_string(j, "evidence", same_by_name((enum same_by)p->evidence));
		json_text(j, "reason", p->reason);
		json_object_end(j);
	}
	report_release(&r);
	return rc;
}

/* ---- batches ---- */

struct logging {
	struct crawl_log *log;
	struct catalog *catalog;
	struct err *err;
};

static int on_row(void *context, const struct catalog_row *row)
{
	struct logging *g = context;

	if (g->log->log && row->kind == CATALOG_ROW_OBSERVATION)
		log_attempt(g->log->log, row->observation);
	if (g->log->events)
		put_row(&g->log->json, row);
	if (batch_row_ends_capture(row))
		return crawl_log_verdicts(g->log, g->catalog, row->state->id, g->err);
	return 0;
}

int crawl_log_batch(
	struct crawl_log *l, const struct batch *b, struct catalog *catalog, struct err *err)
{
	return batch_each(b, on_row, &(struct logging){l, catalog, err});
}
