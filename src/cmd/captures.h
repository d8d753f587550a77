/* The captures of an archive, a line or a JSON object each: what happened overnight. */
#ifndef CMD_CAPTURES_H
#define CMD_CAPTURES_H

#include <stdbool.h>

#include "base/lists.h"
#include "cmd/cmd.h"

/* Prints these captures, or all of the archive when ids is NULL. */
enum cmd_status captures_print(const char *archive, const struct u32_vec *ids, bool json);

#endif
