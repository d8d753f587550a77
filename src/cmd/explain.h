/* `--why URL` of the commands that judge captures. */
#ifndef CMD_EXPLAIN_H
#define CMD_EXPLAIN_H

#include <stdbool.h>

#include "catalog/catalog.h"
#include "cmd/cmd.h"
#include "quality/report.h"

/* Explains one page of the report on standard output, as text or as JSON. */
enum cmd_status explain_page(
	const char *command, struct catalog *c, const struct report *r, const char *url, bool json);

#endif
