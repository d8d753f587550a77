/* The commands of `stillpoint-lab`, and what its `inspect` shows. As those of cmd/cmd.h. */
#ifndef COMMANDS_COMMANDS_H
#define COMMANDS_COMMANDS_H

#include "cmd/cmd.h"

#define LAB_PROGRAM "stillpoint-lab"

enum cmd_status lab_demo(int argc, char **argv);
enum cmd_status lab_living_site(int argc, char **argv);
enum cmd_status lab_simulate(int argc, char **argv);

enum cmd_status inspect_allocate(int argc, char **argv);
enum cmd_status inspect_distance(int argc, char **argv);
enum cmd_status inspect_pagerank(int argc, char **argv);
enum cmd_status inspect_rate(int argc, char **argv);

#endif
