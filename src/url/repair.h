/* What was perhaps meant by a text that is not a URL: for messages, never for fetching. */
#ifndef URL_REPAIR_H
#define URL_REPAIR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"
#include "url/url.h"

/*
 * Writes the text with a scheme in front or with its misspelt scheme corrected ("example.org",
 * "//example.org/a", "http//example.org", "htp://example.org"), if that is a URL of a likely host.
 * Hosts on this machine get http, others https unless the text says http. False when it is not.
 */
bool url_repair(const char *text, char *out, size_t size);

/*
 * Parses "/path" or "host/path" as a URL of a known site. A host without a port gets the site's.
 * False when that is not a URL either, or when the text has a scheme already.
 */
bool url_repair_on_site(const char *text, slice site, struct url *ret);

#endif
