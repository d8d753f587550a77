/* The calendar of a URL: its mementos by year, month and day. */
#include <stdlib.h>

#include "base/calendar.h"
#include "base/err.h"
#include "replay/answers.h"
#include "replay/our_page.h"
#include "replay/still_points.h"
#include "report/html.h"

enum { MONTH_DIGITS = 6, DAY_DIGITS = 8, DAY_SECONDS = 86400, WEEK = 7, MONTHS = 12 };

/* The list, and how far it is shown. */
struct shown {
	const struct memento_vec *list;
	size_t next;
	const struct still_points *points;
};

static bool is_in(const struct shown *s, const char *digits, size_t len)
{
	return s->next < s->list->len && memcmp(s->list->ptr[s->next].digits, digits, len) == 0;
}

/* Days since 1970 of the first of a month. */
static int64_t first_day(unsigned year, unsigned month)
{
	struct calendar_time t = {.year = year + month / (MONTHS + 1), .day = 1};
	int64_t seconds = 0;

	t.month = month > MONTHS ? 1 : month;
	return calendar_seconds(&t, &seconds) ? 0 : seconds / DAY_SECONDS;
}

/* A look's time; its link leads to where what it saw is proven, if that is anywhere. */
static void put_look(FILE *file, const struct asked *a, const struct shown *s)
{
	const struct memento *m = &s->list->ptr[s->next];
	char time[SHOWN_TIME_SIZE], digits[TIMESTAMP_SIZE];
	bool proven = still_points_prove(s->points, m, digits);
	int len = snprintf(time, sizeof time, "%.2s:%.2s:%.2s%s%.3s", m->digits + 8, m->digits + 10,
		m->digits + 12, m->digits[14] ? "." : "", m->digits + 14);

	if (m->status >= STATUS_BAD_REQUEST)
		(void)snprintf(time + len, sizeof time - (size_t)len, " (%u)", m->status);
	put_memento_link(file, a, proven ? digits : m->digits, m->url, slice_str(time));
}

static void put_day(FILE *file, const struct asked *a, struct shown *s, const char *month, int day)
{
	char digits[DAY_DIGITS + 1];

	(void)snprintf(digits, sizeof digits, "%.6s%02d", month, day);
	(void)fprintf(file, "<td>%d", day);
	for (; is_in(s, digits, DAY_DIGITS); s->next++)
		put_look(file, a, s);
	(void)fputs("</td>", file);
}

/* Weeks begin on Monday; 1970 began on a Thursday. */
static void put_month(FILE *file, const struct asked *a, struct shown *s)
{
	static const char *const NAMES[] = {"January", "February", "March", "April", "May", "June",
		"July", "August", "September", "October", "November", "December"};
	char digits[MONTH_DIGITS + 1];
	unsigned number, year, month;
	int64_t first;
	int days, column;

	(void)snprintf(digits, sizeof digits, "%.6s", s->list->ptr[s->next].digits);
	number = (unsigned)strtoul(digits, NULL, 10);
	year = number / 100;
	month = number % 100;
	first = first_day(year, month);
	days = (int)(first_day(year, month + 1) - first);
	column = (int)(((first + 3) % WEEK + WEEK) % WEEK);
	(void)fprintf(file,
		"<table><caption>%s %u</caption><thead><tr><th>Mo</th><th>Tu</th><th>We</th>"
		"<th>Th</th><th>Fr</th><th>Sa</th><th>Su</th></tr></thead><tbody><tr>",
		NAMES[month - 1], year);
	for (int i = 0; i < column; i++)
		(void)fputs("<td></td>", file);
	for (int day = 1; day <= days; day++, column++) {
		if (column == WEEK) {
			(void)fputs("</tr><tr>", file);
			column = 0;
		}
		put_day(file, a, s, digits, day);
	}
	(void)fputs("</tr></tbody></table>\n", file);
}

static void put_months(FILE *file, const struct asked *a, const struct mementos *mementos,
	const struct still_points *points)
{
	struct shown s = {.list = &mementos->list, .points = points};
	char first[SHOWN_TIME_SIZE], last[SHOWN_TIME_SIZE];

	shown_instant(s.list->ptr[0].seen, first);
	shown_instant(s.list->ptr[s.list->len - 1].seen, last);
	if (s.list->len == 1)
		(void)fprintf(file, "<p>Seen once, at %s.</p>\n", first);
	else
		(void)fprintf(
			file, "<p>Seen %zu times, from %s to %s.</p>\n", s.list->len, first, last);
	(void)fputs(
		"<p class=\"quiet\">Each entry is a look at the page. It leads to an instant at "
		"which what it saw is proven, if there is one.</p>\n<div class=\"months\">\n",
		file);
	while (s.next < s.list->len) {
		size_t before = s.next;

		put_month(file, a, &s);
		if (s.next == before) /* a time that no calendar has */
			s.next++;
	}
	(void)fputs("</div>\n", file);
}

void answer_calendar(struct asked *a)
{
	struct wanted wanted = {.page = a->page, .key = buf_slice(&a->key), .time = INT64_MAX};
	struct found found = {0};
	struct still_points points = {0};
	struct err err = {0};
	struct our_page p;

	if (!asked_is_read(a))
		return;
	if (choice_find(a->collection, &wanted, &found, &err) ||
		still_points_load(a->collection, false, &points, &err)) {
		answer_failure(a, &err);
	} else if (found.mementos.list.len == 0) {
		answer_missing(a, &found);
	} else if (our_page_begin(&p, a, a->page, OUR_PAGE)) {
		put_crumbs(p.file, a);
		(void)fputs("<h1>", p.file);
		html_text(p.file, a->page);
		(void)fputs("</h1>\n", p.file);
		put_url_box(p.file, a, a->page);
		put_months(p.file, a, &found.mementos, &points);
		our_page_send(&p, a, STATUS_OK);
	}
	still_points_release(&points);
	found_release(&found);
}
