/* What a writer of HTML writes, as a string. */
#ifndef TESTS_WEB_WRITTEN_H
#define TESTS_WEB_WRITTEN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

struct written {
	FILE *file;
	char *text;
	size_t len;
};

static inline void written_begin(struct written *w)
{
	*w = (struct written){0};
	w->file = open_memstream(&w->text, &w->len);
	CHECK(w->file != NULL);
}

/* The text is the caller's to free. */
static inline char *written_end(struct written *w)
{
	CHECK_INT(fclose(w->file), 0);
	return w->text;
}

#endif
