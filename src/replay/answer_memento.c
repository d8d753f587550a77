/* Mementos and the TimeGate (RFC 7089, patterns 2.1 and 4.1.2). */
#include <string.h>

#include "base/clock.h"
#include "base/format.h"
#include "base/word.h"
#include "formats/http_date.h"
#include "replay/answer_record.h"
#include "replay/answers.h"
#include "replay/memento_links.h"
#include "replay/record.h"
#include "replay/still_points.h"
#include "warc/warc_request.h"

enum {
	LINK_MAX = 14 << 10, /* bytes of a Link header: the server has no room for more */
	DATE_MAX = 100,      /* bytes of a date */
};

/* Memento-Datetime and Link of the chosen memento. */
static void answer_memento_headers(struct asked *a, const struct found *found)
{
	char date[HTTP_DATE_SIZE];
	struct buf links;

	if (found->memento) {
		http_date_format(found->memento->seen, date);
		answer_header(a, "Memento-Datetime", "%s", date);
	}
	buf_init(&links, LINK_MAX);
	links_add_resources(&links, a);
	if (!links.error) {
		size_t whole = links.len;

		links_add_mementos(&links, a, &found->mementos, found->memento);
		if (links.error)
			buf_truncate(&links, whole);
		answer_header(a, "Link", "%s", buf_str(&links));
	}
	buf_release(&links);
}

static int find(struct asked *a, int64_t time, slice digits, struct found *ret, struct err *err)
{
	struct wanted wanted = {
		.page = a->page,
		.key = buf_slice(&a->key),
		.time = time,
		.digits = digits,
		.window = a->replay->window_ns,
		.quick = a->route.kind == ROUTE_MEMENTO && a->route.form == ROUTE_RAW,
	};

	return choice_find(a->collection, &wanted, ret, err);
}

/* ---- mementos ---- */

/*
 * Where the asked time is not meant to the instant, the reader is led to one at which the same
 * version is proven: within a day, month or year that was asked for; and from the still point of
 * one site, which a link carried along, to that of another.
 */
static bool is_meant_roughly(
	const struct asked *a, const struct still_points *points, const char *proven)
{
	struct timestamp t;

	if (a->route.digits.len >= TIMESTAMP_SECONDS)
		return still_points_has(points, a->route.digits);
	return timestamp_parse(slice_str(proven), &t) == 0 && t.first >= a->route.time.first &&
	       t.last <= a->route.time.last;
}

static void answer_framed_found(struct asked *a, const struct found *found)
{
	char proven[TIMESTAMP_SIZE] = "";
	struct still_points points;
	struct err err = {0};

	if (still_points_load(a->collection, false, &points, &err) == 0 &&
		!still_points_prove(&points, found->memento, proven))
		proven[0] = '\0';
	answer_memento_headers(a, found);
	if (proven[0] && found->ground != CHOICE_PROVEN && is_meant_roughly(a, &points, proven))
		answer_redirect(a, a->control, proven, ROUTE_FRAMED, a->page);
	else
		answer_framed(a, found, &points, proven);
	still_points_release(&points);
}

static void answer_found(struct asked *a, const struct found *found)
{
	struct record *record = NULL;
	struct err err = {0};
	int rc;

	if (a->route.form == ROUTE_FRAMED) {
		answer_framed_found(a, found);
		return;
	}
	rc = record_open(a->collection, found->memento, &record, &err);
	if (rc) {
		answer_error(
			a, rc == ERR_NOTFOUND ? STATUS_NOT_FOUND : STATUS_BAD_GATEWAY, err.text);
		return;
	}
	answer_memento_headers(a, found);
	if (found->is_loop && a->route.form != ROUTE_RAW) {
		record_close(record);
		answer_note(a, STATUS_OK, "Redirect",
			"When it was seen, this page led to itself and nowhere else.");
	} else if (a->route.form == ROUTE_RAW)
		answer_raw(a, found->memento, record);
	else
		answer_rewritten(a, found, record);
}

void answer_memento(struct asked *a)
{
	struct found found = {0};
	struct err err = {0};

	if (!post_query_has_key(a->request->method) && !asked_is_read(a))
		return;
	if (find(a, a->route.time.last, a->route.digits, &found, &err))
		answer_failure(a, &err);
	else if (!found.memento)
		answer_missing(a, &found);
	else
		answer_found(a, &found);
	found_release(&found);
}

/* ---- times that are not digits ---- */

/* As few digits as mean the same; what no digits mean, to the millisecond. */
static void digits_of(const struct timestamp *t, char out[TIMESTAMP_SIZE])
{
	struct timestamp same;
	size_t len = TIMESTAMP_DIGITS_MIN;

	timestamp_format(t->first, TIMESTAMP_DIGITS_MAX, out);
	while (len <= TIMESTAMP_DIGITS_MAX &&
		(timestamp_parse((slice){out, len}, &same) || same.first != t->first ||
			same.last != t->last))
		len++;
	if (len <= TIMESTAMP_DIGITS_MAX)
		out[len] = '\0';
	else
		timestamp_format(t->last, TIMESTAMP_DIGITS_MAX, out);
}

void answer_said_time(struct asked *a)
{
	char digits[TIMESTAMP_SIZE];
	struct timestamp t;
	struct err err = {0};

	if (timestamp_read_said(a->route.said, clock_realtime(clock_system()), &t, &err)) {
		answer_failure(a, &err);
		return;
	}
	digits_of(&t, digits);
	answer_redirect(a, "", digits, a->route.form, a->page);
}

/* ---- the TimeGate ---- */

/* Clients that leave out "GMT" mean it. */
static int parse_date(slice text, int64_t *ret_seconds)
{
	int64_t now = clock_realtime(clock_system());
	struct buf zoned;
	int rc = http_date_parse_seconds(text, now, ret_seconds);

	if (rc == 0)
		return 0;
	buf_init(&zoned, DATE_MAX);
	buf_add(&zoned, text);
	buf_add_str(&zoned, " GMT");
	rc = zoned.error ? zoned.error
			 : http_date_parse_seconds(buf_slice(&zoned), now, ret_seconds);
	buf_release(&zoned);
	return rc;
}

/* The asked time; none is the newest. False for a date that is none. */
static bool read_accept(const struct asked *a, int64_t *ret, bool *ret_given)
{
	const char *field = httpd_request_field(a->request, "Accept-Datetime");
	int64_t seconds;

	*ret = INT64_MAX;
	*ret_given = field != NULL;
	if (!field)
		return true;
	if (parse_date(slice_str(field), &seconds))
		return false;
	/* A date counts whole seconds: as with timestamps, its last instant. */
	if (seconds >= INT64_MAX / CLOCK_NS_PER_SECOND)
		*ret = INT64_MAX;
	else if (seconds <= INT64_MIN / CLOCK_NS_PER_SECOND)
		*ret = INT64_MIN;
	else
		*ret = seconds * CLOCK_NS_PER_SECOND + (CLOCK_NS_PER_SECOND - 1);
	return true;
}

/* Programs that name no time get the newest memento, readers the same where it is proven. */
static void redirect(struct asked *a, const struct found *found, int64_t time, bool given)
{
	char digits[TIMESTAMP_SIZE] = "";
	struct still_points points;
	struct err ignored = {0};

	if (given && found->ground != CHOICE_NEAREST) {
		timestamp_format(time, TIMESTAMP_SECONDS, digits);
	} else if (!given && asked_by_browser(a)) {
		if (still_points_load(a->collection, false, &points, &ignored) ||
			!still_points_prove(&points, found->memento, digits))
			digits[0] = '\0';
		still_points_release(&points);
	}
	if (digits[0])
		answer_redirect(a, a->control, digits, ROUTE_FRAMED, a->page);
	else
		answer_redirect(
			a, a->control, found->memento->digits, ROUTE_FRAMED, found->memento->url);
}

void answer_timegate(struct asked *a)
{
	struct found found = {0};
	struct err err = {0};
	int64_t time;
	bool given;

	if (!asked_is_read(a))
		return;
	answer_header(a, "Vary", "accept-datetime");
	if (!read_accept(a, &time, &given)) {
		answer_error(a, STATUS_BAD_REQUEST, "Accept-Datetime is no date of HTTP");
		return;
	}
	if (find(a, time, (slice){0}, &found, &err)) {
		answer_failure(a, &err);
	} else if (!found.memento) {
		answer_missing(a, &found);
	} else {
		struct found links = found;

		links.memento = NULL; /* a TimeGate has no Memento-Datetime */
		answer_memento_headers(a, &links);
		redirect(a, &found, time, given);
	}
	found_release(&found);
}
