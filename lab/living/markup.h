/* Text that is put together for markup: what fails once goes on failing, and is seen at the end. */
#ifndef LIVING_MARKUP_H
#define LIVING_MARKUP_H

#include <stdint.h>

#include "base/buf.h"
#include "living/model.h"

/* Borrows the buffer. */
struct markup {
	struct buf *out;
	int rc; /* 0, or the first failure */
};

/* As it stands. */
void markup_put(struct markup *w, const char *text);

SP_PRINTF(2, 3) void markup_printf(struct markup *w, const char *fmt, ...);

/* Words that a number stands for, at most 12. */
void markup_words(struct markup *w, uint64_t number, int count);

/* Its path, as the value of an attribute or an element. */
void markup_path(struct markup *w, const struct living_model *m, uint32_t resource);

#endif
