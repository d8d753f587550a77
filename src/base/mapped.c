#include "base/mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

enum { BUDGET_SHARE = 4 }; /* of the program's, for one array in memory */

/* The disk has room for all of it before it is used: a write to memory cannot fail. */
static void *map_file(const char *dir, size_t size)
{
	int fd = tempfile_open(dir), rc = fd < 0 ? errno : posix_fallocate(fd, 0, (off_t)size);
	void *ptr = MAP_FAILED;

	if (rc == 0) {
		ptr = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		rc = ptr == MAP_FAILED ? errno : 0;
	}
	if (fd >= 0)
		(void)close(fd);
	errno = rc;
	return rc ? NULL : ptr;
}

int mapped_new(struct mapped *m, size_t count, size_t size, struct err *err)
{
	const char *dir = mem_budget_dir() ? mem_budget_dir() : tempfile_dir();

	*m = (struct mapped){0};
	if (count <= mem_budget() / BUDGET_SHARE / size) {
		m->ptr = mem_new(count, size);
		m->size = count * size;
		return 0;
	}
	m->ptr = map_file(dir, count * size);
	if (!m->ptr)
		return err_set(err, ERR_IO, "temporary file in %s: %s", dir, strerror(errno));
	m->size = count * size;
	m->is_file = true;
	return 0;
}

void mapped_rest(const struct mapped *m)
{
	if (m->is_file)
		(void)madvise(m->ptr, m->size, MADV_DONTNEED); /* shared: what was written stays */
}

void mapped_release(struct mapped *m)
{
	if (m->is_file)
		(void)munmap(m->ptr, m->size);
	else
		free(m->ptr);
	*m = (struct mapped){0};
}
