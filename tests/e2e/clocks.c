/*
 * Sets the clocks of any program that it is preloaded into (LD_PRELOAD). CLOCKS_FILE names a file
 * with three numbers of seconds: the first is added to the wall clock, the second to
 * CLOCK_BOOTTIME, the third to CLOCK_MONOTONIC. Without the file nothing is added. The first two
 * alike is what a program sees after the machine was suspended; the first alone, after somebody set
 * the wall clock; all alike, when time has passed.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct shift {
	double wall, boot, monotonic;
};

/* Without memory of its own: whoever allocates may ask for the time while it holds a lock. */
static struct shift read_shift(void)
{
	const char *path = getenv("CLOCKS_FILE");
	int before = errno, fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	double seconds[3] = {0};
	char text[128] = "", *at = text;
	ssize_t len = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;

	text[len > 0 ? len : 0] = '\0';
	for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++)
		seconds[i] = strtod(at, &at);
	if (fd >= 0)
		(void)close(fd);
	errno = before;
	return (struct shift){seconds[0], seconds[1], seconds[2]};
}

static double shift_of(clockid_t id)
{
	switch (id) {
	case CLOCK_REALTIME:
		return read_shift().wall;
	case CLOCK_BOOTTIME:
		return read_shift().boot;
	case CLOCK_MONOTONIC:
		return read_shift().monotonic;
	default:
		return 0;
	}
}

int clock_gettime(clockid_t id, struct timespec *ret)
{
	__extension__ __typeof__(&clock_gettime) next = dlsym(RTLD_NEXT, "clock_gettime");
	double shift = shift_of(id);
	long long ns;
	int rc = next(id, ret);

	if (rc)
		return rc;
	ns = (long long)ret->tv_sec * 1000000000 + ret->tv_nsec + (long long)(shift * 1e9);
	ret->tv_sec = (time_t)(ns / 1000000000);
	ret->tv_nsec = (long)(ns % 1000000000);
	return 0;
}
