/* What a program takes from the system, processor time and memory (Linux). */
#ifndef BENCH_COST_H
#define BENCH_COST_H

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Processor time: what a program takes however busy the machine is. */
static inline double bench_seconds(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A line of /proc/self/status in bytes: VmRSS, or VmHWM, the peak since it was last reset. */
static inline size_t bench_memory(const char *name)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[256];
	size_t kib = 0;

	while (file && fgets(line, sizeof line, file))
		if (strncmp(line, name, strlen(name)) == 0)
			kib = strtoul(line + strlen(name) + 1, NULL, 10);
	if (file)
		(void)fclose(file);
	return kib * 1024;
}

/* Gives free memory back and lets the peak begin anew; returns what is left in use. */
static inline size_t bench_memory_reset(void)
{
	FILE *file = fopen("/proc/self/clear_refs", "w");

	(void)malloc_trim(0);
	if (file) {
		(void)fputs("5", file);
		(void)fclose(file);
	}
	return bench_memory("VmRSS");
}

/* The peak since the reset that returned before. */
static inline size_t bench_memory_peak(size_t before)
{
	size_t peak = bench_memory("VmHWM");

	return peak > before ? peak - before : 0;
}

#endif
