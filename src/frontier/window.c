#include "frontier/window.h"

#include <string.h>
#include <time.h>

#include "base/parse.h"

enum {
	DAY_MINUTES = 24 * 60,
	/* A window that the clocks leave out today is there tomorrow. */
	SEARCH_MINUTES = 3 * DAY_MINUTES,
};

/* ---- reading ---- */

/* "6", "06", "06:30", "24" */
static bool parse_time(slice text, uint16_t *ret)
{
	const char *colon = memchr(text.ptr, ':', text.len);
	size_t hours_len = colon ? (size_t)(colon - text.ptr) : text.len;
	uint64_t hours, minutes = 0;

	if (hours_len > 2 || parse_u64(slice_sub(text, 0, hours_len), &hours))
		return false;
	if (colon && (text.len != hours_len + 3 ||
			     parse_u64(slice_sub(text, hours_len + 1, text.len), &minutes)))
		return false;
	if (minutes > 59 || hours * 60 + minutes > DAY_MINUTES)
		return false;
	*ret = (uint16_t)(hours * 60 + minutes);
	return true;
}

static bool parse_window(slice text, struct window *ret)
{
	const char *dash = memchr(text.ptr, '-', text.len);
	size_t len = dash ? (size_t)(dash - text.ptr) : 0;

	return dash && parse_time(slice_sub(text, 0, len), &ret->from) &&
	       parse_time(slice_sub(text, len + 1, text.len), &ret->to) && ret->from != ret->to;
}

int windows_parse(struct windows *w, slice text, struct err *err)
{
	struct windows read = {0};
	slice rest = text;

	do {
		const char *comma = memchr(rest.ptr, ',', rest.len);
		size_t len = comma ? (size_t)(comma - rest.ptr) : rest.len;

		if (read.count == WINDOWS_MAX)
			return err_set(
				err, ERR_USAGE, "at most %d windows are possible", WINDOWS_MAX);
		if (!parse_window(slice_sub(rest, 0, len), &read.list[read.count++]))
			return err_set(err, ERR_USAGE,
				"'%.*s' is not a window of time such as 22-06 or 22:30-06:00",
				(int)(len < 40 ? len : 40), rest.ptr);
		rest = slice_sub(rest, len + (comma ? 1 : 0), rest.len);
		if (comma && rest.len == 0)
			return err_set(err, ERR_USAGE, "a window is missing after the last comma");
	} while (rest.len > 0);
	*w = read;
	return 0;
}

/* ---- asking ---- */

static bool contains(const struct window *w, unsigned minute)
{
	if (w->from < w->to)
		return minute >= w->from && minute < w->to;
	return minute >= w->from || minute < w->to;
}

/* What a wall clock shows; false where there is no such time. */
static bool local_time(int64_t seconds, struct tm *ret)
{
	time_t t = (time_t)seconds;

	return localtime_r(&t, ret) != NULL;
}

static bool is_open_at(const struct windows *w, const struct tm *local)
{
	unsigned minute = (unsigned)(local->tm_hour * 60 + local->tm_min);

	for (size_t i = 0; i < w->count; i++)
		if (contains(&w->list[i], minute))
			return true;
	return w->count == 0;
}

/*
 * Minute by minute: the zone's rules are nobody's business but the library's, and mktime has no
 * answer for times that do not exist or exist twice. A day takes a fraction of a millisecond.
 */
static int64_t find(const struct windows *w, int64_t seconds, bool open)
{
	struct tm local;

	for (int i = 0; i <= SEARCH_MINUTES; i++) {
		if (!local_time(seconds, &local))
			break;
		if (is_open_at(w, &local) == open)
			return seconds;
		seconds += local.tm_sec < 60 ? 60 - local.tm_sec : 1;
	}
	return INT64_MAX;
}

int64_t windows_opening(const struct windows *w, int64_t seconds)
{
	return w->count == 0 ? seconds : find(w, seconds, true);
}

int64_t windows_closing(const struct windows *w, int64_t seconds)
{
	return w->count == 0 ? INT64_MAX : find(w, seconds, false);
}
