/* Lines of a file or of a part of one. */
#ifndef WARC_LINES_H
#define WARC_LINES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"

/* ---- parts of files ---- */

/* A run of bytes in a file: the whole of it, or what a package stores in it. */

struct file_part {
	int fd; /* borrowed */
	uint64_t base, size;
};

/* All of a file as it is now; one that cannot be asked is empty. */
static inline struct file_part file_part_whole(int fd)
{
	struct stat st;

	return (struct file_part){
		.fd = fd, .size = fstat(fd, &st) == 0 && st.st_size > 0 ? (uint64_t)st.st_size : 0};
}

/* ---- lines ---- */

/*
 * Lines of a file, from any offset, through a window that grows with the longest line up to a
 * limit. Reads with pread: several readers may share a file.
 */

enum { LINES_LINE_MAX = 1 << 20 }; /* bytes of a line, its end included */

/* Fields are the reader's own. */
struct lines {
	uint64_t offset; /* of ptr[start] in the file */
	char *ptr;
	size_t cap;
	size_t start; /* of the next line */
	size_t end;   /* of what is read in */
	int fd;       /* borrowed */
	bool eof;
	bool is_part;   /* only part of the file counts: */
	uint64_t base;  /* where offset 0 is in the file */
	uint64_t limit; /* where it ends, from there */
};

/* Allocates nothing; the file is borrowed. offset is where a line begins. */
void lines_init(struct lines *l, int fd, uint64_t offset);
void lines_init_part(struct lines *l, const struct file_part *part);
void lines_release(struct lines *l);

/* Goes to where a line begins. Cannot fail. */
void lines_seek(struct lines *l, uint64_t offset);

/*
 * The next line without its end (LF or CRLF), valid until the next call: 0, ERR_END, ERR_IO,
 * ERR_LIMIT. The last line need not have an end.
 */
int lines_next(struct lines *l, slice *ret, struct err *err) SP_MUST_CHECK;

/* Bytes of the file, or of the part of it: 0 or ERR_IO. */
int lines_size(const struct lines *l, uint64_t *ret, struct err *err) SP_MUST_CHECK;

/* Where the next line begins. */
uint64_t lines_offset(const struct lines *l);

#endif
