/*
 * Opens files: the only place in src that does (tools/check-opens). An archive or a package may
 * come from a stranger, so each function says what it accepts. Errors are left in errno;
 * file_problem has the text of them.
 *
 *	inside	a file in an archive: a regular file, no link to one
 *	given	a file that the user named: links are followed
 *	own	a file in an archive that is written to: moreover, it has no other name
 *
 * None of them waits (a FIFO would let it), but for the streams.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/api.h"

/* Each returns a descriptor, or -1. dir is a descriptor of a directory, or AT_FDCWD. */
int file_open_inside(int dir, const char *name) SP_MUST_CHECK;
int file_open_given(const char *path) SP_MUST_CHECK;

/* Opens for writing what is there, or, with O_CREAT in flags, makes it. */
int file_open_own(int dir, const char *name, int flags) SP_MUST_CHECK;

/* Makes a new file, for reading and writing, in place of whatever has the name. */
int file_open_new(int dir, const char *name) SP_MUST_CHECK;

/* Makes a new file for reading and writing; fails if the name is taken. */
int file_open_first(int dir, const char *name) SP_MUST_CHECK;

/* A directory, to open files in it and to sync it. */
int file_open_dir(const char *path) SP_MUST_CHECK;

/* A file of the user's, read or written as a stream: may be a pipe, a terminal, a device. */
FILE *file_stream(const char *path, const char *mode);
int file_open_stream(const char *path) SP_MUST_CHECK;

/* Whether there is something of that name, be it a link to nothing; and whether a directory. */
bool file_is_there(const char *path);
bool file_is_dir(const char *path);

/*
 * Before SQLite opens a database of an archive, which it does by name: 0 if its files (-wal, -shm
 * and -journal too) are regular ones or not there, and, to be written to, have no other name; or
 * -1. ret_name gets the path that SQLITE_OPEN_NOFOLLOW accepts: links above the archive, which are
 * the user's, are resolved. The caller frees it.
 */
int file_check_database(const char *path, bool writing, char **ret_name) SP_MUST_CHECK;

/* What an errno of these functions means, in words. */
const char *file_problem(int error);

/* A file without a name: gone with its descriptor, whatever happens to us. */

/* For reading and writing, in the directory; -1 with errno. The caller closes it. */
int tempfile_open(const char *dir) SP_MUST_CHECK;

/* Where the user wants such files: TMPDIR, or /tmp. */
const char *tempfile_dir(void);

/*
 * Reading and writing files in full: what was interrupted or cut short goes on. Errors are left in
 * errno, since only the caller knows what the file is to people.
 */

/* As many bytes from there on as there are, up to len: their number, or -1. */
ssize_t io_read_at(int fd, void *to, size_t len, uint64_t at) SP_MUST_CHECK;

/* All of them from there on: 0 or -1. */
int io_write_at(int fd, const void *from, size_t len, uint64_t at) SP_MUST_CHECK;

/* All of them, where the file's position is: 0 or -1. */
int io_write(int fd, const void *from, size_t len) SP_MUST_CHECK;

#endif
