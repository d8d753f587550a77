/*
 * Which memento stands for a URL at an asked time T. In this order (docs/replay.md):
 *
 *	proven		its state is proven unchanged over T (proof/intervals.h); the memento is
 *			that of the last look before T
 *	asserted	the server said so, on a host whose validators were never caught lying
 *	nearest		no more is known than that it is the nearest look
 *
 * A timestamp that is exactly that of a memento means that memento, unless it shows nothing (5xx,
 * 304) and more is known. Of a page that has several spellings under one key, those that differ by
 * scheme and "www" alone count as the page; others only if there is none of these. Redirects to the
 * asked URL itself are passed over: they would never end. Where there is nothing else, one of them
 * is chosen and is_loop says so.
 */
#ifndef REPLAY_CHOICE_H
#define REPLAY_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"
#include "base/timestamp.h"
#include "proof/intervals.h"
#include "replay/collection.h"
#include "replay/memento.h"

enum choice_ground {
	CHOICE_NEAREST,
	CHOICE_ASSERTED,
	CHOICE_PROVEN,
};

struct wanted {
	slice page;       /* the URL, without its fragment */
	slice key;        /* what to look up */
	int64_t time;     /* T, ns */
	slice digits;     /* of the timestamp as it was given; empty for none */
	int64_t window;   /* mementos further from T are refused; 0: none is */
	bool quick;       /* an exact timestamp needs no ground: for raw mementos */
	uint32_t capture; /* of the page that it belongs to; of equals, one of this is taken. 0:
			     none */
};

/* Release in every case. */
struct found {
	struct mementos mementos;      /* all of the key, by time */
	const struct memento *memento; /* the chosen one; NULL when there is none */
	bool is_loop;                  /* it leads to the asked URL itself */
	enum choice_ground ground;
	struct interval interval;      /* that contains T, unless nearest */
	const struct memento *refused; /* the nearest one, outside the window: not chosen */
	bool has_other;                /* another look at it showed the same: */
	int64_t other;                 /* its time, on the other side of T where there is one */
};

/* 0, also when there is none; or as mementos_find. */
int choice_find(struct collection *c, const struct wanted *wanted, struct found *ret,
	struct err *err) SP_MUST_CHECK;

/* The same, with the key of the page; ret is empty for a URL that cannot be archived. */
int choice_find_page(struct collection *c, struct wanted *wanted, struct found *ret,
	struct err *err) SP_MUST_CHECK;
void found_release(struct found *f);

#endif
