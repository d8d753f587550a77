#include "quality/member.h"

#include <string.h>
#include <unistd.h>

enum {
	SYSTEM_AT = 9,
	SYSTEM_UNIX = 3,      /* zlib: long records of earlier versions */
	SYSTEM_UNKNOWN = 255, /* ISA-L */
	EXTRA_AT = 8,
};

/* All but the last two bytes are the same for everybody: deflate, no flags, no time. */
static bool is_plain(const unsigned char head[MEMBER_HEAD_SIZE])
{
	static const unsigned char PLAIN[EXTRA_AT] = {0x1f, 0x8b, 8};

	return memcmp(head, PLAIN, EXTRA_AT) == 0 &&
	       (head[SYSTEM_AT] == SYSTEM_UNIX || head[SYSTEM_AT] == SYSTEM_UNKNOWN);
}

bool member_check(struct member_forms *f, int fd, uint64_t offset)
{
	unsigned char head[MEMBER_HEAD_SIZE];
	size_t form;

	if (pread(fd, head, sizeof head, (off_t)offset) != (ssize_t)sizeof head || !is_plain(head))
		return false;
	form = head[SYSTEM_AT] == SYSTEM_UNIX;
	if (!f->known[form]) {
		memcpy(f->heads[form], head, sizeof head);
		f->known[form] = true;
	}
	return memcmp(f->heads[form], head, sizeof head) == 0;
}
