#include "base/live.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/log.h"
#include "tap.h"

enum { PATIENCE_MS = 60 * 1000 };

static const char END_MARK = '\x01';

/* A terminal nobody sits at: what is drawn on tty comes out of control. */
struct terminal {
	int control;
	int tty;
	struct clock_manual clock;
	struct live live;
};

static void set_width(const struct terminal *t, unsigned short columns)
{
	struct winsize size = {.ws_col = columns, .ws_row = 3};

	CHECK_INT(ioctl(t->tty, TIOCSWINSZ, &size), 0);
}

static void close_terminal(struct terminal *t)
{
	if (t->tty >= 0)
		(void)close(t->tty);
	if (t->control >= 0)
		(void)close(t->control);
}

static bool open_terminal(struct terminal *t, unsigned short columns)
{
	char name[128];

	t->tty = -1;
	t->control = posix_openpt(O_RDWR | O_NOCTTY);
	if (t->control >= 0 && !grantpt(t->control) && !unlockpt(t->control) &&
		!ptsname_r(t->control, name, sizeof name))
		t->tty = open(name, O_RDWR | O_NOCTTY);
	if (t->tty < 0 || fcntl(t->control, F_SETFL, O_NONBLOCK)) {
		tap_skip("no pseudo-terminals");
		close_terminal(t);
		return false;
	}
	set_width(t, columns);
	clock_manual_init(&t->clock, 0);
	live_init(&t->live, t->tty, &t->clock.clock);
	return true;
}

/* All that was written so far: the kernel may hand it over in pieces, so a mark shows the end. */
static const char *drawn(const struct terminal *t)
{
	static char out[4096];
	struct pollfd control = {.fd = t->control, .events = POLLIN};
	size_t len = 0;

	CHECK_INT(write(t->tty, &END_MARK, 1), 1);
	while (len < sizeof out && poll(&control, 1, PATIENCE_MS) == 1) {
		ssize_t n = read(t->control, out + len, sizeof out - len);

		if (n <= 0)
			break;
		len += (size_t)n;
		if (out[len - 1] == END_MARK) {
			out[len - 1] = '\0';
			return out;
		}
	}
	CHECK(len > 0 && out[len - 1] == END_MARK);
	return "";
}

static const char *draw(struct terminal *t, const char *const *lines, size_t count)
{
	clock_manual_advance(&t->clock, 1);
	live_draw(&t->live, lines, count);
	return drawn(t);
}

static void test_fit(void)
{
	static const struct {
		const char *label;
		unsigned short columns;
		const char *text, *want;
	} rows[] = {
		{"all of it", 10, "123456789", "\r123456789\x1b[K"},
		{"a column stays free", 9, "123456789", "\r12345678\x1b[K"},
		{"no character is cut in two", 6,
			"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9",
			"\r\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\x1b[K"},
		{"wide characters", 6, "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e",
			"\r\xe6\x97\xa5\xe6\x9c\xac\x1b[K"},
		{"combining marks", 3, "e\xcc\x81z", "\re\xcc\x81z\x1b[K"},
		{"nothing commands the terminal", 20,
			"a\x1b[2J\n\x7f\xc2\x9b"
			"b",
			"\ra?[2J???b\x1b[K"},
		{"nothing changes the direction of writing", 20,
			"a\xe2\x80\xae"
			"b\xe2\x81\xa6\xe2\x80\x8b",
			"\ra?b??\x1b[K"},
		{"not UTF-8", 20, "a\xff\xc3", "\ra??\x1b[K"},
		{"one column", 1, "abc", "\r\x1b[K"},
		{"a terminal that does not know its width", 0,
			"1234567890123456789012345678901234567890"
			"1234567890123456789012345678901234567890",
			"\r1234567890123456789012345678901234567890"
			"123456789012345678901234567890123456789\x1b[K"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct terminal t;

		if (!open_terminal(&t, rows[i].columns))
			return;
		tap_case("fits: %s", rows[i].label);
		CHECK_STR(draw(&t, &rows[i].text, 1), rows[i].want);
		close_terminal(&t);
	}
}

static void test_several_lines(void)
{
	static const char *const LINES[] = {"one", "two", "three", "four"};
	struct terminal t;

	if (!open_terminal(&t, 20))
		return;
	CHECK_STR(draw(&t, LINES, 2), "\rone\x1b[K\r\r\ntwo\x1b[K");
	live_draw(&t.live, LINES, 2); /* too soon */
	CHECK_STR(drawn(&t), "");
	CHECK_STR(draw(&t, LINES + 1, 2), "\r\x1b[1Atwo\x1b[K\r\r\nthree\x1b[K");
	CHECK_STR(draw(&t, LINES, 1), "\r\x1b[K\x1b[1A\x1b[K\rone\x1b[K");
	/* No more than the screen has, since the others could not be reached again. */
	CHECK_STR(draw(&t, LINES, 4), "\r\x1b[K\rone\x1b[K\r\r\ntwo\x1b[K\r\r\nthree\x1b[K");
	live_keep(&t.live, LINES, 1);
	CHECK_STR(drawn(&t), "\r\x1b[K\x1b[1A\x1b[K\x1b[1A\x1b[K\rone\x1b[K\r\r\n");
	live_clear(&t.live); /* they stay */
	CHECK_STR(drawn(&t), "");
	close_terminal(&t);
}

/* A terminal that becomes narrower wraps what stands on it. */
static void test_resize(void)
{
	static const char *const LINES[] = {"1234567890", "abc"};
	struct terminal t;

	if (!open_terminal(&t, 20))
		return;
	CHECK_STR(draw(&t, LINES, 2), "\r1234567890\x1b[K\r\r\nabc\x1b[K");
	set_width(&t, 5);
	CHECK_STR(draw(&t, LINES, 2),
		"\r\x1b[K\x1b[1A\x1b[K\x1b[1A\x1b[K\r1234\x1b[K\r\r\nabc\x1b[K");
	set_width(&t, 20);
	CHECK_STR(draw(&t, LINES, 2), "\r\x1b[K\x1b[1A\x1b[K\r1234567890\x1b[K\r\r\nabc\x1b[K");
	set_width(&t, 4);
	live_clear(&t.live);
	CHECK_STR(drawn(&t), "\r\x1b[K\x1b[1A\x1b[K\x1b[1A\x1b[K\x1b[1A\x1b[K");
	close_terminal(&t);
}

/* Messages stand on lines of their own, above. */
static void test_messages(void)
{
	static const char *const LINES[] = {"one", "two"};
	struct terminal t;
	FILE *file;

	if (!open_terminal(&t, 20))
		return;
	file = fdopen(dup(t.tty), "w");
	live_print(&t.live, file, SLICE("before\n"));
	CHECK_STR(drawn(&t), "before\r\n");
	CHECK_STR(draw(&t, LINES, 2), "\rone\x1b[K\r\r\ntwo\x1b[K");
	live_print(&t.live, file, SLICE("message\n"));
	CHECK_STR(drawn(&t), "\r\x1b[K\x1b[1A\x1b[Kmessage\r\n\rone\x1b[K\r\r\ntwo\x1b[K");
	log_setup(&(struct log_config){
		.file = file, .clock = &t.clock.clock, .level = LOG_LEVEL_INFO});
	log_share(&t.live);
	log_info("fetch", "no answer");
	log_share(NULL);
	CHECK_STR(drawn(&t),
		"\r\x1b[K\x1b[1A\x1b[K1970-01-01T00:00:01.000Z info fetch: no answer\r\n"
		"\rone\x1b[K\r\r\ntwo\x1b[K");
	log_setup(&(struct log_config){0});
	(void)fclose(file);
	close_terminal(&t);
}

static void test_plain(void)
{
	static const char *const LINES[] = {"one", "two"};
	struct terminal t;

	(void)setenv("TERM", "dumb", 1);
	if (!open_terminal(&t, 20))
		return;
	CHECK_STR(draw(&t, LINES, 2), "");
	clock_manual_advance(&t.clock, 10);
	CHECK_STR(draw(&t, LINES, 2), "one\r\ntwo\r\n");
	live_clear(&t.live);
	CHECK_STR(drawn(&t), "");
	live_keep(&t.live, LINES, 2);
	CHECK_STR(drawn(&t), "one\r\ntwo\r\n");
	(void)setenv("TERM", "xterm", 1);
	close_terminal(&t);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	(void)setenv("TERM", "xterm", 1);
	test_fit();
	TAP_RUN(test_several_lines);
	TAP_RUN(test_resize);
	TAP_RUN(test_messages);
	TAP_RUN(test_plain);
	return tap_done();
}
