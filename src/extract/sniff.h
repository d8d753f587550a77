/*
 * What a body is whose head does not say it, by its first bytes: "identifying a resource with an
 * unknown MIME type" (MIME Sniffing, section 7.1), as far as we ask: HTML, XML, text, or neither.
 */
#ifndef EXTRACT_SNIFF_H
#define EXTRACT_SNIFF_H

#include "base/slice.h"

enum { SNIFF_MAX = 1445 }; /* bytes that are looked at */

enum sniffed { SNIFFED_HTML, SNIFFED_XML, SNIFFED_TEXT, SNIFFED_BINARY };

enum sniffed sniff(slice start);

#endif
