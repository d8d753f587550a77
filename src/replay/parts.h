/*
 * What a page is made of: styles, scripts, images, fonts, frames, and what these name in turn. An
 * archive may know them (its edges from page to requisite); else the archived bodies are read.
 */
#ifndef REPLAY_PARTS_H
#define REPLAY_PARTS_H

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/lists.h"
#include "base/slice.h"
#include "replay/choice.h"
#include "replay/collection.h"

enum { PARTS_MAX = 2000 };

/* Release in every case. */
struct parts {
	struct slice_vec urls; /* each once, in the order in which they were found */
	struct arena arena;
	struct strmap seen;
	bool cut; /* there are more */
};

void parts_init(struct parts *r);
void parts_release(struct parts *r);

/* Those that the archive knows of the page in a capture; none when it knows none. */
int parts_from_archive(struct parts *r, struct collection *c, slice page, uint32_t capture,
	struct err *err) SP_MUST_CHECK;

/* Adds the requisites that the body of a memento names. What cannot be read names none. */
int parts_from_body(struct parts *r, struct collection *c, const struct memento *m,
	struct err *err) SP_MUST_CHECK;

#endif
