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

#endif
