/*
 * A refresh in a meta element or an HTTP header: the "shared declarative refresh steps" of the HTML
 * standard, section 4.2.5.3.
 */
#ifndef FORMATS_REFRESH_H
#define FORMATS_REFRESH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

/*
 * Reads the value; false when it is none. *ret_url is the part of it that names the target, empty
 * for the document itself; *ret_seconds the time until then (the largest number when too long).
 */
bool refresh_parse(slice value, uint64_t *ret_seconds, slice *ret_url);

#endif
