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
		{"days", NULL, 1000001, 1, 1, NULL, "plan: 1/1000001  0 %  1.0/s  ETA 12 days"},
		{"never", NULL, UINT64_MAX, 1, 1, NULL, "plan: 1/18446744073709551615  0 %  1.0/s"},
		{"more than all", NULL, 10, 5, 11, NULL, "plan: 11/10  100 %  5.0/s"},
		{"almost all is not all", NULL, 1000, 0, 999, NULL, "plan: 999/1000  99 %"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct progress p = {
			.config = {.title = "plan", .unit = rows[i].unit, .total = rows[i].total},
			.rate = rows[i].rate,
			.time_left = rows[i].rate > 0 && rows[i].total > rows[i].done
					     ? (double)(rows[i].total - rows[i].done) / rows[i].rate
					     : 0,
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

/* A terminal, a clock and a progress on it; false when there are no pseudo-terminals. */
struct stage {
	struct terminal terminal;
	struct clock_manual clock;
	struct progress progress;
};

static bool open_stage(struct stage *s, const char *term, uint64_t total)
{
	(void)setenv("TERM", term, 1);
	(void)setenv("LC_ALL", "C.UTF-8", 1);
	if (!open_terminal(&s->terminal, 80)) {
		tap_skip("no pseudo-terminals");
		close_terminal(&s->terminal);
		return false;
	}
	clock_manual_init(&s->clock, 0);
	progress_init(&s->progress, &(struct progress_config){.fd = s->terminal.tty,
					    .clock = &s->clock.clock,
					    .title = "sim",
					    .total = total});
	return true;
}

/* Time passes, then so many units are done; what is drawn. */
static const char *step(struct stage *s, double seconds, uint64_t done, const char *note)
{
	static char out[4096];

	clock_manual_advance(&s->clock, seconds);
	progress_update(&s->progress, done, note);
	return drawn(&s->terminal, out, sizeof out);
}

static void test_drawing(void)
{
	struct stage s;
	char out[512];

	if (!open_stage(&s, "xterm", 100))
		return;
	CHECK_STR(step(&s, 0, 1, NULL), "");
	CHECK_STR(step(&s, 1, 20, NULL), "\rsim: 20/100  20 %\x1b[K");
	CHECK_STR(step(&s, 0.05, 30, NULL), ""); /* too soon */
	CHECK_STR(step(&s, 0.95, 40, "sharp 0.9"), "\rsim: 40/100  40 %  sharp 0.9\x1b[K");
	CHECK_STR(step(&s, 2, 80, NULL), "\rsim: 80/100  80 %  20/s  ETA 0:01\x1b[K");
	progress_clear(&s.progress);
	CHECK_STR(drawn(&s.terminal, out, sizeof out), "\r\x1b[K");
	progress_clear(&s.progress);
	CHECK_STR(drawn(&s.terminal, out, sizeof out), "");
	close_terminal(&s.terminal);
}

/* No escape sequences, and few lines. */
static void test_dumb_terminals(void)
{
	static const char *const TERMS[] = {"dumb", ""};

	for (size_t i = 0; i < ARRAY_LEN(TERMS); i++) {
		struct stage s;

		if (!open_stage(&s, TERMS[i], 100))
			return;
		tap_case("TERM='%s'", TERMS[i]);
		CHECK_STR(step(&s, 5, 1, NULL), "");
		CHECK_STR(step(&s, 5, 6, NULL), "sim: 6/100  6 %  1.0/s  ETA 1:34\r\n");
		CHECK_STR(step(&s, 5, 11, NULL), "");
		progress_clear(&s.progress);
		CHECK_STR(step(&s, 5, 16, NULL), "sim: 16/100  16 %  1.0/s  ETA 1:24\r\n");
		close_terminal(&s.terminal);
	}
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

/* ---- the rate ---- */

/* The first unit comes at once, as pages do that no pause precedes. */
static void test_first_seconds(void)
{
	struct stage s;

	if (!open_stage(&s, "xterm", 100))
		return;
	(void)step(&s, 0.13, 1, NULL);
	CHECK_NEAR(s.progress.rate, 0, 0);
	CHECK_NEAR(s.progress.time_left, 0, 0);
	for (uint64_t i = 2; i < 10; i++) {
		(void)step(&s, 1, i, NULL);
		if (i > 4)
			CHECK_NEAR(s.progress.rate, 1, 1e-9);
	}
	close_terminal(&s.terminal);
}

/* The rate is that of the last minute and no average over the whole time. */
static void test_rate_follows(void)
{
	struct stage s;
	uint64_t done = 0;

	if (!open_stage(&s, "xterm", 0))
		return;
	for (int i = 0; i < 180; i++) {
		(void)step(&s, 1, done += i < 100 ? 100 : 10, NULL);
		if (i == 99)
			CHECK_NEAR(s.progress.rate, 100, 1);
	}
	CHECK_NEAR(s.progress.rate, 10, 1);
	close_terminal(&s.terminal);
}

/* A rate of one unit a minute is a rate. */
static void test_slow_work(void)
{
	struct stage s;

	if (!open_stage(&s, "xterm", 100))
		return;
	for (uint64_t i = 1; i < 40; i++)
		(void)step(&s, 60, i, NULL);
	CHECK_NEAR(s.progress.rate, 1 / 60.0, 1e-9);
	CHECK_NEAR(s.progress.time_left, 61 * 60, 1e-6);
	close_terminal(&s.terminal);
}

/* One unit hangs: at first nothing changes, then nothing is promised, until it goes on. */
static void test_hung_unit(void)
{
	struct stage s;
	uint64_t done = 0;

	if (!open_stage(&s, "xterm", 1000))
		return;
	while (done < 20)
		(void)step(&s, 1, ++done, NULL);
	for (int i = 0; i < 9; i++) {
		(void)step(&s, 1, done, NULL);
		CHECK_NEAR(s.progress.rate, 1, 1e-9);
		CHECK(s.progress.time_left <= 980);
	}
	for (int i = 0; i < 600; i++)
		(void)step(&s, 1, done, NULL);
	CHECK_NEAR(s.progress.rate, 0, 0);
	CHECK_NEAR(s.progress.time_left, 0, 0);
	for (int i = 0; i < 60; i++)
		(void)step(&s, 1, ++done, NULL);
	CHECK_NEAR(s.progress.rate, 1, 1e-9);
	close_terminal(&s.terminal);
}

/* What the line counts is not what takes the time: units of before, and work of another kind. */
static void test_work(void)
{
	static const struct {
		const char *label;
		struct progress_work work;
		double want;
	} rows[] = {
		{"revisits are still to come", {11, 1010, 0}, 1010},
		{"nothing is known to be left", {11, 0, 0}, 0},
		{"the time limit comes first", {11, 1010, 60}, 60},
		{"the time limit comes later", {11, 1010, 6000}, 1010},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct stage s;

		if (!open_stage(&s, "xterm", 1000))
			return;
		tap_case("work: %s", rows[i].label);
		for (uint64_t k = 0; k < 12; k++) {
			struct progress_work work = rows[i].work;

			work.done = k;
			clock_manual_advance(&s.clock, 1);
			progress_update_work(&s.progress, 605 + k, &work, NULL);
		}
		CHECK_NEAR(s.progress.rate, 1, 1e-9);
		CHECK_NEAR(s.progress.time_left, rows[i].want, 1e-6);
		close_terminal(&s.terminal);
	}
}

/* Cells of a bar, by what the environment says of the terminal. */
static void test_cells(void)
{
	static const struct {
		const char *label, *all, *type, *language, *want;
	} rows[] = {
		{"UTF-8", "C.UTF-8", "", "", "█░"},
		{"written otherwise", "de_DE.utf8", "", "", "█░"},
		{"the first that is set counts", "C", "C.UTF-8", "C.UTF-8", "#-"},
		{"the second", "", "C.UTF-8", "C", "█░"},
		{"the third", "", "", "en_GB.UTF-8", "█░"},
		{"another encoding", "", "", "de_DE.ISO-8859-1", "#-"},
		{"none", "", "", "", "#-"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char bar[16];

		tap_case("cells: %s", rows[i].label);
		(void)setenv("LC_ALL", rows[i].all, 1);
		(void)setenv("LC_CTYPE", rows[i].type, 1);
		(void)setenv("LANG", rows[i].language, 1);
		(void)snprintf(bar, sizeof bar, "%s%s", progress_cell(true), progress_cell(false));
		CHECK_STR(bar, rows[i].want);
	}
}

/* Heading, bar and notes have lines of their own. */
static void test_lines(void)
{
	static const char *const WANTED[] = {
		"http://example.org/", "50/100  50 %", "█░", "sharp 7", "failed 1"};
	char out[4096];
	const char *at = out;
	struct stage s;

	if (!open_stage(&s, "xterm", 100))
		return;
	s.progress.config.heading = "http://example.org/";
	s.progress.config.bar = true;
	clock_manual_advance(&s.clock, 1);
	progress_update(&s.progress, 50, "\nsharp 7\nfailed 1");
	(void)drawn(&s.terminal, out, sizeof out);
	for (size_t i = 0; i < ARRAY_LEN(WANTED); i++) {
		const char *found = strstr(at, WANTED[i]);

		CHECK(found != NULL);
		at = found ? found + 1 : at;
	}
	close_terminal(&s.terminal);
}

/* A log gets a line now and then, and only if it is wanted. */
static void test_log(void)
{
	struct clock_manual clock;
	char text[512] = "";
	int ends[2];
	ssize_t n;
	struct progress p;

	CHECK_INT(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
	clock_manual_init(&clock, 0);
	progress_init(&p, &(struct progress_config){.fd = ends[1],
				  .clock = &clock.clock,
				  .title = "visits",
				  .unit = "pages",
				  .total = 10,
				  .bar = true,
				  .log_interval = 300});
	clock_manual_advance(&clock, 299);
	progress_update(&p, 1, "\nsharp 1");
	CHECK(read(ends[0], text, sizeof text - 1) < 0);
	clock_manual_advance(&clock, 1);
	progress_update(&p, 2, "\nsharp 2");
	n = read(ends[0], text, sizeof text - 1);
	CHECK(n > 0);
	CHECK_STR(text, "stillpoint: visits: 2/10 pages  20 % sharp 2\n");
	(void)close(ends[0]);
	(void)close(ends[1]);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_text();
	TAP_RUN(test_drawing);
	test_dumb_terminals();
	TAP_RUN(test_silent_elsewhere);
	TAP_RUN(test_first_seconds);
	TAP_RUN(test_rate_follows);
	TAP_RUN(test_slow_work);
	TAP_RUN(test_hung_unit);
	test_work();
	test_cells();
	TAP_RUN(test_lines);
	TAP_RUN(test_log);
	return tap_done();
}
