/*
 * `stillpoint inspect WHAT …`: how we read what comes from outside, one JSON object for each line
 * of output. argv[0] is WHAT. All return the exit code: 0 when the input could be read.
 */
#ifndef CMD_INSPECT_H
#define CMD_INSPECT_H

#include "cmd/cmd.h"

enum cmd_status inspect_change(int argc, char **argv);
enum cmd_status inspect_links(int argc, char **argv);
enum cmd_status inspect_robots(int argc, char **argv);
enum cmd_status inspect_sitemap(int argc, char **argv);
enum cmd_status inspect_text(int argc, char **argv);
enum cmd_status inspect_url(int argc, char **argv);
enum cmd_status inspect_warc(int argc, char **argv);

#endif
