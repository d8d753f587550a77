/* How a command that runs long is told to stop: SIGINT (Ctrl-C) and SIGTERM. */
#ifndef CMD_STOP_H
#define CMD_STOP_H

#include "base/api.h"
#include "base/err.h"

/*
 * From here on neither ends the process; the descriptor becomes readable when one has come. To be
 * called before threads start, so that none of them takes the signal. 0 or ERR_IO.
 */
int stop_open(int *ret_fd, struct err *err) SP_MUST_CHECK;

/* Gives the signals back; those that have come are forgotten. -1 is fine. */
void stop_close(int fd);

#endif
