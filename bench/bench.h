/* What the benchmarks share. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <time.h>

/* Seconds of the processor, not the wall's: figures are to be compared, and machines are shared. */
static inline double processor_time(void)
{
	struct timespec now = {0};

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

#endif
