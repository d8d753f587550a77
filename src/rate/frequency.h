/*
 * What a sitemap's <changefreq> is worth as a change rate. These are priors, not measurements: they
 * are the webmaster's word, which the protocol itself calls a hint and which is often a default of
 * his software. Whoever has observed a page knows better.
 */
#ifndef RATE_FREQUENCY_H
#define RATE_FREQUENCY_H

#include <stdbool.h>

#include "base/slice.h"

/*
 * The rate in changes per second of a word of https://www.sitemaps.org/protocol.html, in any case;
 * false for any other word. "always" is once a minute ("change each time they are accessed", but a
 * rate must be finite), "monthly" once in 30 days, "yearly" in 365, "never" once in 10 years
 * ("archived URLs").
 */
bool frequency_rate(slice word, double *ret_rate);

#endif
