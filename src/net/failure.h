/* What libcurl's codes mean to us. */
#ifndef NET_FAILURE_H
#define NET_FAILURE_H

#include <curl/curl.h>

#include "net/net.h"

enum net_failure failure_of_curl(CURLcode code);

/* What a TLS library's text means where people would not know: the text, or a constant. */
const char *failure_explain_tls(const char *text);

#endif
