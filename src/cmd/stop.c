/*
 * A thread waits for the signals, which all other threads block. So a second Ctrl-C is heard even
 * while the main thread and the lanes are busy.
 */
#include "cmd/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

static const long TWICE_NS = 100 * 1000 * 1000;

static void fill(sigset_t *set)
{
	struct sigaction hangup;

	(void)sigemptyset(set);
	(void)sigaddset(set, SIGINT);
	(void)sigaddset(set, SIGTERM);
	if (sigaction(SIGHUP, NULL, &hangup) || hangup.sa_handler != SIG_IGN)
		(void)sigaddset(set, SIGHUP);
}

/* Drops the signals that have come. */
static void forget(const sigset_t *set)
{
	static const struct timespec AT_ONCE;

	while (sigtimedwait(set, NULL, &AT_ONCE) >= 0 || errno == EINTR)
		;
}

void stop_restore(int signal_number)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, signal_number);
	(void)signal(signal_number, SIG_DFL);
	(void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* Descriptors of the thread's own, which stay open. */
struct ears {
	int stop, reload; /* reload: -1 for none */
};

/* Takes the ears that context points to, and their memory. */
static void *listen(void *context)
{
	struct ears ears = *(struct ears *)context;
	struct timespec twice = {.tv_nsec = TWICE_NS};
	int signal_number;
	sigset_t set;

	free(context);
	fill(&set);
	do {
		if (sigwait(&set, &signal_number))
			return NULL;
		int fd = signal_number == SIGHUP && ears.reload >= 0 ? ears.reload : ears.stop;
		uint64_t one = 1;

		while (write(fd, &one, sizeof one) < 0 && errno == EINTR)
			;
	} while (signal_number == SIGHUP && ears.reload >= 0);
	while (nanosleep(&twice, &twice) && errno == EINTR)
		;
	forget(&set);
	stop_restore(SIGINT);
	stop_restore(SIGTERM);
	for (;;)
		(void)pause();
	return NULL;
}

static int start(int fd, int reload)
{
	struct ears *own = mem_new(1, sizeof *own);
	pthread_t thread;

	own->stop = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	own->reload = reload < 0 ? -1 : fcntl(reload, F_DUPFD_CLOEXEC, 0);
	if (own->stop >= 0) {
		errno = pthread_create(&thread, NULL, listen, own);
		if (errno == 0) {
			(void)pthread_detach(thread);
			return 0;
		}
	}
	free(own);
	return -1;
}

int stop_open(int *ret_fd, struct err *err)
{
	return stop_open_reload(ret_fd, -1, err);
}

int stop_open_reload(int *ret_fd, int reload, struct err *err)
{
	sigset_t set;
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	if (fd < 0)
		return err_set(err, ERR_IO, "eventfd: %s", strerror(errno));
	if (reload >= 0) /* whoever asks for it wants to hear it, under nohup, too */
		(void)signal(SIGHUP, SIG_DFL);
	fill(&set);
	(void)pthread_sigmask(SIG_BLOCK, &set, NULL);
	if (start(fd, reload)) {
		(void)err_set(err, ERR_IO, "a thread for signals: %s", strerror(errno));
		stop_close(fd);
		return ERR_IO;
	}
	*ret_fd = fd;
	return 0;
}

/* The thread goes on waiting, but gets no signal that this thread does not block. */
void stop_close(int fd)
{
	sigset_t set;

	fill(&set);
	if (fd >= 0) {
		forget(&set);
		(void)close(fd);
	}
	(void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
