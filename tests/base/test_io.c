#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tap.h"

enum { MUCH = 1 << 20 }; /* more than a pipe holds: such a write can be interrupted half way */

static void test_reading(void)
{
	FILE *file = tmpfile();
	char out[16] = "................";
	int fd;

	if (!CHECK(file != NULL))
		return;
	fd = fileno(file);
	CHECK_INT(io_write(fd, "0123456789", 10), 0);
	CHECK_INT(io_read_at(fd, out, 4, 2), 4);
	CHECK_INT(memcmp(out, "2345.", 5), 0);
	CHECK_INT(io_read_at(fd, out, sizeof out, 8), 2); /* as many as there are */
	CHECK_INT(memcmp(out, "8945.", 5), 0);
	CHECK_INT(io_read_at(fd, out, sizeof out, 10), 0);
	CHECK_INT(io_read_at(fd, out, 0, 0), 0);
	(void)fclose(file);
}

static void test_failing(void)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	char byte;

	CHECK_INT(io_write(fd, "x", 1), -1);
	CHECK_INT(errno, ENOSPC);
	(void)close(fd);
	fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK_INT(io_read_at(fd, &byte, 1, 0), -1);
	CHECK_INT(errno, EISDIR);
	(void)close(fd);
}

/* ---- a writer that is interrupted ---- */

struct reader {
	int fd;
	pthread_t writer;
	size_t got;
};

static void on_signal(int number)
{
	(void)number;
}

/* Interrupts the writer again and again, and takes little each time. */
static void *read_slowly(void *context)
{
	struct reader *r = context;
	char bytes[4096];
	ssize_t n;

	while ((n = read(r->fd, bytes, sizeof bytes)) > 0) {
		r->got += (size_t)n;
		if (r->got < MUCH)
			(void)pthread_kill(r->writer, SIGUSR1);
	}
	return NULL;
}

static void test_interrupted(void)
{
	struct sigaction action = {.sa_handler = on_signal}; /* without SA_RESTART */
	struct reader r = {.writer = pthread_self()};
	char *bytes = calloc(MUCH, 1);
	pthread_t thread;
	int ends[2];

	if (!CHECK(bytes && pipe(ends) == 0))
		return;
	(void)sigaction(SIGUSR1, &action, NULL);
	r.fd = ends[0];
	if (CHECK_INT(pthread_create(&thread, NULL, read_slowly, &r), 0)) {
		CHECK_INT(io_write(ends[1], bytes, MUCH), 0);
		(void)close(ends[1]);
		(void)pthread_join(thread, NULL);
		CHECK_INT(r.got, MUCH);
	}
	(void)close(ends[0]);
	free(bytes);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_reading);
	TAP_RUN(test_failing);
	TAP_RUN(test_interrupted);
	return tap_done();
}
