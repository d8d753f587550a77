/*
 * Sets the clocks of any program that it is preloaded into (LD_PRELOAD). CLOCKS_FILE names a file
 * with two numbers of seconds: the first is added to the wall clock, the second to CLOCK_BOOTTIME.
 * Without the file nothing is added. Both alike is what a program sees after the machine was
 * suspended; the first alone, after somebody set the wall clock.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void read_shift(double *wall, double *boot)
{
	const char *path = getenv("CLOCKS_FILE");
	FILE *file = path ? fopen(path, "re") : NULL;

	if (!file)
		return;
	if (fscanf(file, "%lf %lf", wall, boot) != 2) /* NOLINT: written by the test */
		*wall = *boot = 0;
	(void)fclose(file);
}

int clock_gettime(clockid_t id, struct timespec *ret)
{
	__extension__ __typeof__(&clock_gettime) next = dlsym(RTLD_NEXT, "clock_gettime");
	double wall = 0, boot = 0;
	long long ns;
	int rc = next(id, ret);

	if (rc || (id != CLOCK_REALTIME && id != CLOCK_BOOTTIME))
		return rc;
	read_shift(&wall, &boot);
	ns = (long long)ret->tv_sec * 1000000000 + ret->tv_nsec +
	     (long long)((id == CLOCK_REALTIME ? wall : boot) * 1e9);
	ret->tv_sec = (time_t)(ns / 1000000000);
	ret->tv_nsec = (long)(ns % 1000000000);
	return 0;
}
