/* What of a proxy's URL matters besides what libcurl makes of it. */
#ifndef NET_PROXY_H
#define NET_PROXY_H

#include <stdbool.h>

#include "base/slice.h"

/* Whether a request to that origin goes to the proxy whole, and not through it: http by http. */
bool proxy_asks_for_us(const char *proxy, slice origin);

/* Whether names are looked up there, and nobody here knows the addresses. */
bool proxy_resolves(const char *proxy);

#endif
