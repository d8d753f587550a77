/*
 * What a sitemap's <changefreq> is worth as a change rate. These are priors, not measurements: they
 * are the webmaster's word, which the protocol itself calls a hint and which is often a default of
 * his software. Whoever has observed a page knows better.
 */
#ifndef RATE_FREQUENCY_H
#define RATE_FREQUENCY_H

#include <stdbool.h>

#include "base/slice.h"

/* The words of https://www.sitemaps.org/protocol.html. Numbers are stored. */
enum frequency {
	FREQUENCY_NONE = 0,
	FREQUENCY_ALWAYS = 1,
	FREQUENCY_HOURLY = 2,
	FREQUENCY_DAILY = 3,
	FREQUENCY_WEEKLY = 4,
	FREQUENCY_MONTHLY = 5,
	FREQUENCY_YEARLY = 6,
	FREQUENCY_NEVER = 7,
	FREQUENCIES,
};

/* In any case; FREQUENCY_NONE for any other word. */
enum frequency frequency_parse(slice word);

/* "daily", …; NULL for none; constant. */
const char *frequency_name(enum frequency f);

/*
 * Its rate in changes per second; 0 for FREQUENCY_NONE. "always" is once a minute ("change each
 * time they are accessed", but a rate must be finite), "monthly" once in 30 days, "yearly" in 365,
 * "never" once in 10 years ("archived URLs").
 */
double frequency_value(enum frequency f);

/* The rate of a word; false for what is none. */
bool frequency_rate(slice word, double *ret_rate);

#endif
