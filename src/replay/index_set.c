#include "replay/index_set.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

enum { LINES_BYTES_MAX = 256 << 20 }; /* of lines in memory */

struct index_set *index_set_new(void)
{
	struct index_set *s = mem_new(1, sizeof *s);

	atomic_init(&s->users, 1);
	arena_init(&s->arena, LINES_BYTES_MAX);
	return s;
}

struct index_set *index_set_hold(struct index_set *s)
{
	(void)atomic_fetch_add(&s->users, 1);
	return s;
}

void index_set_drop(struct index_set *s)
{
	if (!s || atomic_fetch_sub(&s->users, 1) > 1)
		return;
	for (size_t i = 0; i < s->fds.len; i++)
		(void)close(s->fds.ptr[i]);
	fd_vec_release(&s->fds);
	cdxj_source_vec_release(&s->sources);
	slice_vec_release(&s->lines);
	arena_release(&s->arena);
	free(s);
}

void index_set_add_part(struct index_set *s, const struct file_part *part)
{
	cdxj_source_vec_push(&s->sources, (struct cdxj_source){.kind = CDXJ_PLAIN, .data = *part});
}

void index_set_add_file(struct index_set *s, int fd)
{
	struct file_part part = file_part_whole(fd);

	fd_vec_push(&s->fds, fd);
	index_set_add_part(s, &part);
}

void index_set_add_zipnum(
	struct index_set *s, const struct file_part *data, const struct file_part *blocks)
{
	cdxj_source_vec_push(&s->sources,
		(struct cdxj_source){.kind = CDXJ_ZIPNUM, .data = *data, .blocks = *blocks});
}

static int compare(const void *a, const void *b)
{
	return cdxj_compare(*(const slice *)a, *(const slice *)b);
}

void index_set_add_lines(struct index_set *s)
{
	size_t kept = 0;

	if (s->lines.len == 0)
		return;
	qsort(s->lines.ptr, s->lines.len, sizeof s->lines.ptr[0], compare);
	for (size_t i = 0; i < s->lines.len; i++)
		if (i == 0 || !slice_eq(s->lines.ptr[i], s->lines.ptr[i - 1]))
			s->lines.ptr[kept++] = s->lines.ptr[i];
	s->lines.len = kept;
	cdxj_source_vec_push(&s->sources,
		(struct cdxj_source){
			.kind = CDXJ_MEMORY, .lines = s->lines.ptr, .count = s->lines.len});
}
