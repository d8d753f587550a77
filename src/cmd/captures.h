/* The captures of an archive, a line or a JSON object each: what happened overnight. */
#ifndef CMD_CAPTURES_H
#define CMD_CAPTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/lists.h"
#include "catalog/catalog.h"
#include "cmd/cmd.h"

/* Appends the numbers of all captures, in their order: 0, or as the catalog's functions. */
int captures_list(struct catalog *c, struct u32_vec *ids, struct err *err) SP_MUST_CHECK;

/* Prints these captures, or all of the archive when ids is NULL. */
enum cmd_status captures_print(const char *archive, const struct u32_vec *ids, bool json);

#endif
