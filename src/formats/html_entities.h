/*
 * Named character references (HTML, section 13.5): the whole list, by longest match.
 */
#ifndef FORMATS_HTML_ENTITIES_H
#define FORMATS_HTML_ENTITIES_H

#include "base/slice.h"

/* Bytes of the longest name, semicolon included: CounterClockwiseContourIntegral; */
enum { HTML_ENTITY_NAME_MAX = 32, HTML_ENTITY_VALUE_MAX = 6 };

/*
 * Length of the longest name that text (what follows the ampersand) begins with, 0 for none;
 * *ret_value is then its UTF-8, which lives for ever.
 */
size_t html_entity_match(slice text, slice *ret_value);

#endif
