#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Set once, before there are threads. */
static bool ends;
static size_t budget = (size_t)1 << 30;
static const char *budget_dir;

void mem_end_when_out(void)
{
	ends = true;
}

void mem_set_budget(size_t bytes, const char *dir)
{
	budget = bytes;
	budget_dir = dir;
}

size_t mem_budget(void)
{
	return budget;
}

const char *mem_budget_dir(void)
{
	return budget_dir;
}

void mem_out(void)
{
	static const char LINE[] = "stillpoint: out of memory; free some, then run the command "
				   "again, or 'stillpoint resume' to go on with a capture\n";

	if (!ends)
		return;
	if (write(STDERR_FILENO, LINE, sizeof LINE - 1) > 0)
		(void)fsync(STDERR_FILENO);
	_exit(1);
}

void mem_end(void)
{
	mem_out();
	abort();
}

static void *there(void *ptr)
{
	if (!ptr)
		mem_end();
	return ptr;
}

static bool fits(size_t count, size_t size)
{
	return count == 0 || size <= PTRDIFF_MAX / count;
}

void *mem_new(size_t count, size_t size)
{
	return there(fits(count, size) ? calloc(count ? count : 1, size) : NULL);
}

void *mem_resize(void *ptr, size_t count, size_t size)
{
	return there(fits(count, size) ? realloc(ptr, count ? count * size : 1) : NULL);
}

char *mem_strdup(slice s)
{
	char *copy = there(malloc(s.len + 1));

	if (s.len)
		memcpy(copy, s.ptr, s.len);
	copy[s.len] = '\0';
	return copy;
}
