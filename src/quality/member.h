/*
 * The heads of gzip members (RFC 1952 §2.3). No checksum covers them, so a flipped bit there
 * changes nothing that anybody reads, and would go unnoticed. A file of ours has them in one form
 * for each library that wrote members (earlier versions used two), told apart by their operating
 * system field; the first of each kind says how the others have to be.
 */
#ifndef QUALITY_MEMBER_H
#define QUALITY_MEMBER_H

#include <stdbool.h>
#include <stdint.h>

enum { MEMBER_HEAD_SIZE = 10, MEMBER_FORMS = 2 };

/* Of one file. Zero-initialise. */
struct member_forms {
	unsigned char heads[MEMBER_FORMS][MEMBER_HEAD_SIZE];
	bool known[MEMBER_FORMS];
};

/* Whether the member at that offset begins as those before it; false too when it cannot be read. */
bool member_check(struct member_forms *f, int fd, uint64_t offset);

#endif
