#include "cmd/stop.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

static void fill(sigset_t *set)
{
	(void)sigemptyset(set);
	(void)sigaddset(set, SIGINT);
	(void)sigaddset(set, SIGTERM);
}

int stop_open(int *ret_fd, struct err *err)
{
	sigset_t set;
	int fd;

	fill(&set);
	(void)sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return err_set(err, ERR_IO, "signalfd: %s", strerror(errno));
	*ret_fd = fd;
	return 0;
}

/* Signals that were heeded must not end the process once they are let through again. */
static void forget(int fd)
{
	struct signalfd_siginfo info;
	ssize_t n;

	do
		n = read(fd, &info, sizeof info);
	while (n == sizeof info);
}

void stop_close(int fd)
{
	sigset_t set;

	if (fd >= 0) {
		forget(fd);
		(void)close(fd);
	}
	fill(&set);
	(void)sigprocmask(SIG_UNBLOCK, &set, NULL);
}
