/* How a command that runs long is told to stop: SIGINT (Ctrl-C), SIGTERM and SIGHUP. */
#ifndef CMD_STOP_H
#define CMD_STOP_H

#include "base/api.h"
#include "base/err.h"

/*
 * From here on the first of these signals does not end the process: the descriptor becomes readable
 * and stays so. A second SIGINT or SIGTERM ends the process at once, whatever its threads do. Two
 * within a tenth of a second count as one: a terminal and a supervisor may send the same signal
 * twice. SIGHUP stays ignored where it was, as under nohup. To be called before other threads
 * start, so that none of them takes a signal. 0 or ERR_IO.
 */
int stop_open(int *ret_fd, struct err *err) SP_MUST_CHECK;

/* The same, but SIGHUP makes the eventfd `reload` readable, as often as it comes, and stops
 * nothing. -1: as stop_open. */
int stop_open_reload(int *ret_fd, int reload, struct err *err) SP_MUST_CHECK;

/* From here on a signal that was ignored or blocked does what it does by default. */
void stop_restore(int signal_number);

/* Gives the signals back; those that have come are forgotten. -1 is fine. */
void stop_close(int fd);

#endif
