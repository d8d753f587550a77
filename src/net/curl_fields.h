/* Fields of the head that libcurl has read. */
#ifndef NET_CURL_FIELDS_H
#define NET_CURL_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include <curl/curl.h>

/* Value of the i-th field of that name in the final head, or NULL; until the next call. */
const char *curl_field(CURL *easy, const char *name, size_t i);

bool curl_fields_are_chunked(CURL *easy);

/* Nobody knows which is meant (RFC 9112, section 6.3); libcurl takes the last. */
bool curl_fields_have_two_lengths(CURL *easy);

#endif
