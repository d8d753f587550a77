/*
 * What other implementations expect, as JSON: the shared conformance data beside the repository, or
 * where STILLPOINT_CONFORMANCE says. Tests skip when it is not there.
 */
#ifndef TESTS_CONFORMANCE_H
#define TESTS_CONFORMANCE_H

#include <jansson.h>

#include "base/slice.h"

/*
 * The document at this path of the data, or NULL after the open case was turned into a SKIP (not
 * there) or failed (no JSON). The caller frees it with json_decref.
 */
json_t *conformance_load(const char *path);

/*
 * The bytes of a text field, which may be spelt KEY or KEY_base64; {NULL, 0} when there is neither.
 * *ret_free is to be freed by the caller.
 */
slice conformance_bytes(const json_t *object, const char *key, char **ret_free);

#endif
