#include "base/progress.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tap.h"

static void test_text(void)
{
	static const struct {
		const char *label, *unit;
		uint64_t total;
		double rate;
		uint64_t done;
		const char *note, *want;
	} rows[] = {
		{"all there is", "runs", 10000, 1400, 4200, "sharp 0.73",
			"plan: 4200/10000 runs  42 %  1400/s  ETA 0:05  sharp 0.73"},
		{"unknown total", "pages", 0, 12.4, 99, NULL, "plan: 99 pages  12/s"},
		{"unknown rate", NULL, 10, 0, 3, NULL, "plan: 3/10  30 %"},
		{"slow", NULL, 10, 0.25, 1, NULL, "plan: 1/10  10 %  0.2/s  ETA 0:36"},
		{"hours", NULL, 10000, 1, 1, NULL, "plan: 1/10000  0 %  1.0/s  ETA 2:46:39"},
		{"never", NULL, UINT64_MAX, 1, 1, NULL, "plan: 1/18446744073709551615  0 %  1.0/s"},
		{"more than all", NULL, 10, 5, 11, NULL, "plan: 11/10  100 %  5.0/s"},
		{"almost all is not all", NULL, 1000, 0, 999, NULL, "plan: 999/1000  99 %"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct progress p = {
			.config = {.title = "plan", .unit = rows[i].unit, .total = rows[i].total},
			.rate = rows[i].rate,
		};
		char text[PROGRESS_LINE_MAX];

		tap_case("text: %s", rows[i].label);
		progress_text(&p, rows[i].done, rows[i].note, text, sizeof text);
		CHECK_STR(text, rows[i].want);
		progress_text(&p, rows[i].done, rows[i].note, text, 8);
		CHECK_INT((int64_t)strlen(text), 7);
	}
}

/* A terminal nobody sits at: what is drawn on tty comes out of control. */
struct terminal {
	int control;
	int tty;
};

static bool open_terminal(struct terminal *t, unsigned short columns)
{
	struct winsize size = {.ws_col = columns, .ws_row = 24};
	char name[128];

	t->tty = -1;
	t->control = posix_openpt(O_RDWR | O_NOCTTY);
	if (t->control < 0 || grantpt(t->control) || unlockpt(t->control) ||
		ptsname_r(t->control, name, sizeof name))
		return false;
	t->tty = open(name, O_RDWR | O_NOCTTY);
	return t->tty >= 0 && ioctl(t->tty, TIOCSWINSZ, &size) == 0 &&
	       fcntl(t->control, F_SETFL, O_NONBLOCK) == 0;
}

static void close_terminal(struct terminal *t)
{
	if (t->tty >= 0)
		(void)close(t->tty);
	if (t->control >= 0)
		(void)close(t->control);
}

static const char *drawn(const struct terminal *t, char *out, size_t size)
{
	ssize_t n = read(t->control, out, size - 1);

	out[n > 0 ? n : 0] = '\0';
	return out;
}

static void test_drawing(void)
{
	struct terminal t;
	struct clock_manual clock;
	struct progress p;
	char out[512];

	if (!open_terminal(&t, 80)) {
		tap_skip("no pseudo-terminals");
		close_terminal(&t);
		return;
	}
	clock_manual_init(&clock, 0);
	progress_init(
		&p, &(struct progress_config){
			    .fd = t.tty, .clock = &clock.clock, .title = "sim", .total = 100});
	progress_update(&p, 1, NULL);
	CHECK_STR(drawn(&t, out, sizeof out), "");
	clock_manual_advance(&clock, 1);
	progress_update(&p, 20, NULL);
	CHECK_STR(drawn(&t, out, sizeof out), "\rsim: 20/100  20 %  20/s  ETA 0:04\x1b[K");
	clock_manual_advance(&clock, 0.05);
	progress_update(&p, 30, NULL); /* too soon */
	CHECK_STR(drawn(&t, out, sizeof out), "");
	clock_manual_advance(&clock, 0.95);
	progress_update(&p, 40, "sharp 0.9");
	CHECK_STR(
		drawn(&t, out, sizeof out), "\rsim: 40/100  40 %  20/s  ETA 0:03  sharp 0.9\x1b[K");
	progress_clear(&p);
	CHECK_STR(drawn(&t, out, sizeof out), "\r\x1b[K");
	progress_clear(&p);
	CHECK_STR(drawn(&t, out, sizeof out), "");
	close_terminal(&t);
}

static void test_narrow_terminal(void)
{
	struct terminal t;
	struct clock_manual clock;
	struct progress p;
	char out[512];

	if (!open_terminal(&t, 13)) {
		tap_skip("no pseudo-terminals");
		close_terminal(&t);
		return;
	}
	clock_manual_init(&clock, 0);
	progress_init(
		&p, &(struct progress_config){.fd = t.tty, .clock = &clock.clock, .title = "s"});
	clock_manual_advance(&clock, 1);
	progress_update(&p, 0, "a\x1b[2J\xc3\xa9");
	CHECK_STR(drawn(&t, out, sizeof out), "\rs: 0  a?[2J\x1b[K"); /* é would be cut in two */
	close_terminal(&t);
}

static void test_silent_elsewhere(void)
{
	struct clock_manual clock;
	struct progress p;
	int ends[2];
	char byte;

	if (!CHECK(pipe(ends) == 0))
		return;
	clock_manual_init(&clock, 0);
	progress_init(&p,
		&(struct progress_config){.fd = ends[1], .clock = &clock.clock, .title = "sim"});
	clock_manual_advance(&clock, 10);
	progress_update(&p, 5, NULL);
	progress_clear(&p);
	(void)close(ends[1]);
	CHECK_INT(read(ends[0], &byte, 1), 0);
	(void)close(ends[0]);
}

/* The rate follows a change within some seconds and is no average over the whole time. */
static void test_rate_follows(void)
{
	struct terminal t;
	struct clock_manual clock;
	struct progress p;
	uint64_t done = 0;
	char out[4096];

	if (!open_terminal(&t, 80)) {
		tap_skip("no pseudo-terminals");
		close_terminal(&t);
		return;
	}
	clock_manual_init(&clock, 0);
	progress_init(
		&p, &(struct progress_config){.fd = t.tty, .clock = &clock.clock, .title = "s"});
	for (int i = 0; i < 120; i++) {
		clock_manual_advance(&clock, 1);
		progress_update(&p, done += i < 100 ? 100 : 10, NULL);
		(void)drawn(&t, out, sizeof out);
		if (i == 99)
			CHECK_NEAR(p.rate, 100, 1);
	}
	CHECK(p.rate > 10 && p.rate < 15);
	close_terminal(&t);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_text();
	TAP_RUN(test_drawing);
	TAP_RUN(test_narrow_terminal);
	TAP_RUN(test_silent_elsewhere);
	TAP_RUN(test_rate_follows);
	return tap_done();
}
