/*
 * Whether a script leaves its page at once: location is assigned a literal, or replace or assign is
 * called with one, outside of functions, or in one that runs by itself (a timer, onload). Strings
 * that are put together from literals, and unescape, are read; nothing is run. Pure.
 */
#ifndef EXTRACT_DECEIT_SCRIPT_H
#define EXTRACT_DECEIT_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"

/* False, or the target, cut at size - 1 bytes. */
bool deceit_script_target(slice script, char *ret_target, size_t size);

#endif
