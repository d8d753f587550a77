/* What the benchmarks share. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/err.h"

/* Seconds of the processor, not the wall's: figures are to be compared, and machines are shared. */
static inline double processor_time(void)
{
	struct timespec now = {0};

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* All of a file that the command line names; whoever gave it wants to know why it cannot be read.
 */
static inline void bench_read_file(struct buf *text, const char *path)
{
	FILE *f = fopen(path, "rb");
	char block[65536];
	size_t n;
	int rc = 0;

	while (f && rc == 0 && (n = fread(block, 1, sizeof block, f)) > 0)
		rc = buf_add(text, (slice){block, n});
	if (!f || rc || ferror(f)) {
		(void)fprintf(stderr, "%s: %s\n", path, rc ? err_name(rc) : strerror(errno));
		exit(1);
	}
	(void)fclose(f);
}

#endif
