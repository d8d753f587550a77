#include "crawl/watch_status.h"

#include <math.h>

#include "tap.h"

static void test_round_trip(void)
{
	struct watch_status s, again;
	struct buf text;

	watch_status_init(&s);
	watch_status_init(&again);
	buf_init(&text, 1 << 16);
	s.requests = 20000;
	s.per_day = 20000;
	s.spent = 17;
	s.pages = 3;
	s.looks = 14;
	s.changes = 2;
	s.retired = 1700000000;
	CHECK_INT(
		watch_site_list_push(&s.sites, (struct watch_site_status){.url = SLICE("http://a/"),
						       .policy = SLICE("fresh"),
						       .pages = 3,
						       .due = 1,
						       .signals = 1,
						       .fresh_expected = 0.1,
						       .fresh_measured = (double)NAN,
						       .fresh_error = (double)NAN,
						       .sharp_expected = 0.25}),
		0);
	CHECK_INT(look_signals_push(&s.signals,
			  (struct look_signal){SLICE("http://a/feed"), 0.75, 0.5, 9, 4, 3, 1}),
		0);
	CHECK_INT(watch_status_format(&s, &text), 0);
	CHECK_INT(watch_status_parse(&again, buf_slice(&text)), 0);
	CHECK_INT((int)again.sites.len, 1);
	CHECK_SLICE(again.sites.ptr[0].url, SLICE("http://a/"));
	CHECK_INT((int)again.sites.ptr[0].due, 1);
	CHECK_NEAR(again.sites.ptr[0].fresh_expected, 0.1, 0);
	CHECK(isnan(again.sites.ptr[0].fresh_measured));
	CHECK_NEAR(again.sites.ptr[0].sharp_expected, 0.25, 0);
	CHECK_INT((int)again.signals.len, 1);
	CHECK_INT((int)again.sites.ptr[0].signals, 1);
	CHECK_SLICE(again.signals.ptr[0].name, SLICE("http://a/feed"));
	CHECK_NEAR(again.signals.ptr[0].precision, 0.75, 0);
	CHECK_INT((int)again.signals.ptr[0].lies, 1);
	CHECK_INT((int)again.spent, 17);
	CHECK_INT((int)again.looks, 14);
	CHECK_INT((int)again.retired, 1700000000);
	buf_release(&text);
	watch_status_release(&s);
	watch_status_release(&again);
}

static void test_damaged(void)
{
	static const char *const rows[] = {"", "stillpoint-watch 2\n", "stillpoint-watch 1\nx\n",
		"stillpoint-watch 1\nbudget\t1\t2\n", "stillpoint-watch 1\ntotals\t1\t2\tmany\n",
		"stillpoint-watch 1\nsite\tu\tp\t1\t-\t-\t-\n",
		"stillpoint-watch 1\nsignal\tu\t1\t1\t1\t1\t1\t1\n",
		"stillpoint-watch 1\nretired\t-1\n"};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct watch_status s;

		tap_case("damaged: %zu", i);
		watch_status_init(&s);
		CHECK_INT(watch_status_parse(&s, slice_str(rows[i])), ERR_SYNTAX);
		watch_status_release(&s);
	}
}

static void test_file(void)
{
	const char *dir = tap_tempdir();
	struct watch_status s;
	struct err err = {0};

	watch_status_init(&s);
	CHECK_INT(watch_status_read(&s, dir, &err), ERR_NOTFOUND);
	s.looks = 5;
	CHECK_INT(watch_status_write(&s, dir, &err), 0);
	s.looks = 6;
	CHECK_INT(watch_status_write(&s, dir, &err), 0);
	s.looks = 0;
	CHECK_INT(watch_status_read(&s, dir, &err), 0);
	CHECK_INT((int)s.looks, 6);
	watch_status_release(&s);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_round_trip);
	test_damaged();
	TAP_RUN(test_file);
	return tap_done();
}
