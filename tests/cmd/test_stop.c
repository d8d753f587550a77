#include "cmd/stop.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tap.h"

/* Says when it is ready, and when it has been told to stop; and does not. */
static void be_busy(int out)
{
	struct err err = {0};
	int fd = -1;

	if (stop_open(&fd, &err) || write(out, "r", 1) != 1)
		_exit(1);
	(void)poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, -1);
	if (write(out, "s", 1) != 1)
		_exit(1);
	for (;;)
		(void)pause();
}

static bool expect(int in, char want)
{
	char got = 0;

	return read(in, &got, 1) == 1 && got == want;
}

/* Sends it again and again, since two that come close together are one. */
static int end(pid_t child, int number)
{
	struct timespec pause = {.tv_nsec = 50 * 1000 * 1000};
	int status = 0;

	while (waitpid(child, &status, WNOHANG) == 0) {
		(void)kill(child, number);
		(void)nanosleep(&pause, NULL);
	}
	return status;
}

static void test_second(void)
{
	static const struct {
		const char *label;
		int first, second;
	} rows[] = {
		{"Ctrl-C twice", SIGINT, SIGINT},
		{"SIGTERM twice", SIGTERM, SIGTERM},
		{"SIGHUP, then Ctrl-C", SIGHUP, SIGINT},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		int ends[2], status;
		pid_t child;

		tap_case("a second signal ends the process: %s", rows[i].label);
		if (!CHECK_INT(pipe(ends), 0))
			return;
		child = fork();
		if (child == 0)
			be_busy(ends[1]);
		CHECK(child > 0 && expect(ends[0], 'r'));
		(void)kill(child, rows[i].first);
		CHECK(expect(ends[0], 's'));
		status = end(child, rows[i].second);
		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == rows[i].second);
		(void)close(ends[0]);
		(void)close(ends[1]);
	}
}

/* Signals that have come are forgotten when they are given back. */
static void test_close(void)
{
	struct err err = {0};
	int fd = -1;

	CHECK_INT(stop_open(&fd, &err), 0);
	(void)kill(getpid(), SIGTERM);
	CHECK_INT(poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, -1), 1);
	stop_close(fd);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_second();
	TAP_RUN(test_close);
	return tap_done();
}
