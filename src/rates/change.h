/* What counts as a change of a page, for its rate. */
#ifndef RATES_CHANGE_H
#define RATES_CHANGE_H

enum rates_change {
	RATES_CHANGE_CONTENT, /* bytes differ, and not only by noise (docs/judgement.md) */
	RATES_CHANGE_PAYLOAD, /* bytes differ */
	RATES_CHANGE_LINKS,   /* there are links that were not there before (HACS) */
};

/* By number, "content", …, with NULL at the end. */
extern const char *const RATES_CHANGES[];

#endif
