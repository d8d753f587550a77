/* A run of bytes in a file: the whole of it, or what a package stores in it. */
#ifndef ARCHIVE_FILE_PART_H
#define ARCHIVE_FILE_PART_H

#include <stdint.h>
#include <sys/stat.h>

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

#endif
