/*
 * Reading and writing files in full: what was interrupted or cut short goes on. Errors are left in
 * errno, since only the caller knows what the file is to people.
 */
#ifndef BASE_IO_H
#define BASE_IO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/api.h"

/* As many bytes from there on as there are, up to len: their number, or -1. */
ssize_t io_read_at(int fd, void *to, size_t len, uint64_t at) SP_MUST_CHECK;

/* All of them from there on: 0 or -1. */
int io_write_at(int fd, const void *from, size_t len, uint64_t at) SP_MUST_CHECK;

/* All of them, where the file's position is: 0 or -1. */
int io_write(int fd, const void *from, size_t len) SP_MUST_CHECK;

/*
 * For writing to files of a directory that may come from a stranger: no link may lead the bytes
 * elsewhere. Both return a descriptor, or -1 with errno; io_open_problem has the text of it.
 * io_open_own opens a file that is there (or, with O_CREAT in flags, makes it), which must be a
 * regular one with no other name; io_open_new makes a new file in place of whatever has the name.
 */
int io_open_own(int dir, const char *name, int flags) SP_MUST_CHECK;
int io_open_new(int dir, const char *name) SP_MUST_CHECK;

/* What an errno of these two means. */
const char *io_open_problem(int error);

#endif
