/* Printing the quality of a capture: for `report`, and for `crawl` and `resume` when they are done. */
#ifndef CMD_REPORT_H
#define CMD_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/cmd.h"

/* capture 0: the last one. */
enum cmd_status report_print(const char *archive, uint32_t capture, bool json);

#endif
