/*
 * How site owners can reach the user: the user agent says it, in the usual form "Mozilla/5.0
 * (compatible; stillpoint/VERSION +https://example.org/crawl)".
 */
#ifndef CRAWL_CONTACT_H
#define CRAWL_CONTACT_H

#include <stdbool.h>

#include "base/slice.h"
#include "crawl/settings.h"

/* Whether it is an http or https URL, or a mail address, that fits into a user agent. */
bool contact_is_valid(slice contact);

/* The user agent for these settings; the caller frees it. NULL: out of memory. */
char *contact_user_agent(const struct crawl_settings *settings);

#endif
