/*
 * What could be gained on top of a plain capture, by name. Each can be switched on alone or with
 * others ("last-modified+best-instant"); what each means exactly stands at the head of its file.
 */
#ifndef HISTORIES_GAINS_H
#define HISTORIES_GAINS_H

#include <stddef.h>

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"

enum gain {
	GAIN_LAST_MODIFIED = 1, /* histories/proof.h */
	GAIN_BEST_INSTANT = 2,  /* histories/proof.h */
	GAIN_SUBSITES = 4,      /* histories/schedule.h */
	GAIN_CANARIES = 8,      /* histories/canaries.h */
	GAIN_THIRD_VISIT = 16,  /* histories/schedule.h */
};

enum {
	GAINS_OF_PLAN = GAIN_SUBSITES | GAIN_CANARIES, /* those that order downloads otherwise */
	GAINS_TEXT_SIZE = 96,
};

/*
 * Reads names joined by '+' into a set. ERR_USAGE for a name that is none, and for subsites with
 * canaries, which both would order the visits.
 */
int gains_parse(slice text, unsigned *ret_gains, struct err *err) SP_MUST_CHECK;

/* The names of a set, joined by '+'. */
void gains_text(unsigned gains, char out[GAINS_TEXT_SIZE]);

#endif
