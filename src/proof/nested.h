/* Values that are documents themselves. */
#ifndef PROOF_NESTED_H
#define PROOF_NESTED_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/slice.h"

/* Base64 of JSON or HTML. */
bool is_encoded_document(slice s);

/* Both are JSON Web Tokens. */
bool are_web_tokens(slice a, slice b);

/* The escapes of a string in a script or JSON undone; itself when there are none. */
slice unescape(struct arena *arena, slice s);

#endif
