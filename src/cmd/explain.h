/* `--why URL` of the commands that judge captures. */
#ifndef CMD_EXPLAIN_H
#define CMD_EXPLAIN_H

#include <stdbool.h>

#include "catalog/catalog.h"
#include "cmd/cmd.h"

/* Explains one page of a capture (0: the last one) on standard output, as text or as JSON. */
enum cmd_status explain_page(
	const char *command, struct catalog *c, uint32_t capture, const char *url, bool json);

#endif
