/* What libcurl's codes mean to us. */
#ifndef NET_FAILURE_H
#define NET_FAILURE_H

#include <curl/curl.h>

#include "net/net.h"

enum net_failure failure_of_curl(CURLcode code);

#endif
