/* The socket that a server listens on, made here so that a failure has its true reason. */
#ifndef HTTPD_LISTEN_H
#define HTTPD_LISTEN_H

#include <stdint.h>

#include "base/err.h"

/* A listening, non-blocking socket; the caller closes it. 0, or ERR_IO with a sentence. */
int listen_open(const char *address, uint16_t port, int *ret_fd, uint16_t *ret_port,
	struct err *err) SP_MUST_CHECK;

#endif
