/* What libcurl's codes mean to us. */
#ifndef NET_FAILURE_H
#define NET_FAILURE_H

#include <curl/curl.h>

#include "net/net.h"

enum net_failure failure_of_curl(CURLcode code);

/*
 * What a TLS library's text means where people would not know, and what to do about certificates
 * that are not trusted.
 */
void failure_explain_tls(const char *text, char *ret, size_t size);

/* Whether libcurl says that a proxy wants another user name and password. */
bool failure_is_of_proxy_login(const char *text);

#endif
