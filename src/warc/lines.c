#include "warc/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

enum { FIRST_CAP = 16 << 10 };

void lines_init(struct lines *l, int fd, uint64_t offset)
{
	*l = (struct lines){.fd = fd, .offset = offset};
}

void lines_init_part(struct lines *l, const struct file_part *part)
{
	*l = (struct lines){
		.fd = part->fd, .is_part = true, .base = part->base, .limit = part->size};
}

int lines_size(const struct lines *l, uint64_t *ret, struct err *err)
{
	struct stat st;

	if (!l->is_part && fstat(l->fd, &st) < 0)
		return err_set(err, ERR_IO, "%s", strerror(errno));
	*ret = l->is_part ? l->limit : (uint64_t)st.st_size;
	return 0;
}

void lines_release(struct lines *l)
{
	free(l->ptr);
	*l = (struct lines){.fd = -1};
}

void lines_seek(struct lines *l, uint64_t offset)
{
	uint64_t first = l->offset - l->start; /* of what is read in */

	/* Behind the last line, what was read says no more than where the file ended then. */
	if (offset >= first && offset < first + l->end) {
		l->start = (size_t)(offset - first);
		l->offset = offset;
		return;
	}
	l->offset = offset;
	l->start = l->end = 0;
	l->eof = false;
}

uint64_t lines_offset(const struct lines *l)
{
	return l->offset;
}

/* Makes room behind end: by dropping lines already read, then by growing. */
static int make_room(struct lines *l, struct err *err)
{
	if (l->ptr && l->start > 0) {
		memmove(l->ptr, l->ptr + l->start, l->end - l->start);
		l->end -= l->start;
		l->start = 0;
	}
	if (l->end < l->cap)
		return 0;
	if (l->cap >= LINES_LINE_MAX)
		return err_set(err, ERR_LIMIT, "line at offset %llu is too long",
			(unsigned long long)l->offset);
	l->cap = l->cap ? 2 * l->cap : FIRST_CAP;
	l->ptr = mem_resize(l->ptr, l->cap, 1);
	return 0;
}

static int read_more(struct lines *l, struct err *err)
{
	uint64_t at = l->offset + (l->end - l->start);
	int rc = make_room(l, err);
	size_t room;
	ssize_t n;

	if (rc)
		return rc;
	room = l->cap - l->end;
	if (l->is_part && room > l->limit - (at < l->limit ? at : l->limit))
		room = (size_t)(l->limit - (at < l->limit ? at : l->limit));
	n = io_read_at(l->fd, l->ptr + l->end, room, l->base + at);
	if (n < 0)
		return err_set(err, ERR_IO, "%s", strerror(errno));
	l->end += (size_t)n;
	l->eof = n == 0;
	return 0;
}

int lines_next(struct lines *l, slice *ret, struct err *err)
{
	size_t seen = 0;

	for (;;) {
		const char *line = l->ptr ? l->ptr + l->start : "";
		size_t held = l->end - l->start;
		const char *lf = held > seen ? memchr(line + seen, '\n', held - seen) : NULL;

		if (lf || (l->eof && held > 0)) {
			size_t len = lf ? (size_t)(lf - line) : held;
			size_t taken = lf ? len + 1 : len;

			*ret = (slice){line, len > 0 && line[len - 1] == '\r' ? len - 1 : len};
			l->start += taken;
			l->offset += taken;
			return 0;
		}
		if (l->eof)
			return ERR_END;
		seen = held;
		TRY(read_more(l, err));
	}
}
