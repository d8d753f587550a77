/*
 * How the people whose servers we ask can reach those who ask: the user agent says it, in the form
 * that has become usual, "Mozilla/5.0 (compatible; stillpoint/VERSION +https://example.org/crawl)".
 */
#ifndef CRAWL_CONTACT_H
#define CRAWL_CONTACT_H

#include <stdbool.h>

#include "base/slice.h"
#include "crawl/settings.h"

/* Whether it is an http or https URL, or a mail address, and fits into a user agent as it is. */
bool contact_is_valid(slice contact);

/* The user agent by these settings, the caller's to free; NULL without memory. */
char *contact_user_agent(const struct crawl_settings *settings);

#endif
