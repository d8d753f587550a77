/*
 * Cookie gates: sites that send every visitor who has no cookie yet to another address, which sets
 * one and sends him back. What was asked for before is then only a redirect, and its links would
 * first be read at the revisit. So such a page is visited again, before the barrier:
 *
 *  (1) Redirects of visits are kept as steps, up to a limit.
 *  (2) When redirects lead back to where they began and one of them set a cookie, or when a
 * redirect that others lead to sets one, the pages that led there are visited again, once each. (3)
 * When that shows redirects all the same, three times, it is no gate, and ends.
 *
 * The second visit names the cookie in its purpose (COOKIE_GATE), which the report shows.
 */
#ifndef CRAWL_COOKIE_GATE_H
#define CRAWL_COOKIE_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

enum {
	COOKIE_GATE_STEPS_MAX = 4096,
	COOKIE_GATE_USELESS_MAX = 3,
	COOKIE_GATE_LOOP_MAX = 20, /* redirects in a row */
	COOKIE_GATE_NAME_MAX = 40, /* bytes of a cookie's name that are kept */
};

/* A page redirects to another, or to itself. */
struct cookie_gate_step {
	uint32_t from, to;
	bool sets;  /* a cookie */
	bool again; /* from is or was visited again */
};

VEC_DECLARE(cookie_gate_steps, struct cookie_gate_step);

/* Zero-initialise. Fields are those of cookie_gate.c. */
struct cookie_gate {
	struct cookie_gate_steps steps;
	uint32_t useless;
	char purpose[COOKIE_GATE_NAME_MAX + 16]; /* "cookie: NAME" */
};

void cookie_gate_release(struct cookie_gate *g);

#endif
