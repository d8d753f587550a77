/*
 * HTTP/2 as HTTP/1.1 text: what archives hold and their readers know. Field names and values are as
 * they came; a stream has no status line, no reason phrase and no transfer coding (RFC 9113,
 * section 8), so the first is made, and fields that are only about a connection are left out.
 */
#ifndef NET_H2_H
#define NET_H2_H

#include "base/api.h"
#include "base/buf.h"
#include "base/slice.h"

/* Appends a line of a response's head, as libcurl hands it out: 0 or as buf_add. */
int h2_add_line(slice line, struct buf *out) SP_MUST_CHECK;

/* Makes the first line of a request's head, "GET / HTTP/2", one of HTTP/1.1: 0 or ERR_NOMEM. */
int h2_mend_request(struct buf *head) SP_MUST_CHECK;

#endif
