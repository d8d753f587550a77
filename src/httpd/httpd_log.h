/*
 * A log of requests, one line each, in the combined format of other servers:
 *
 *	127.0.0.1 - - [18/Nov/2026:03:04:05 +0000] "GET / HTTP/1.1" 200 367 "REFERER" "AGENT"
 *
 * What clients send is escaped, so that a line stays one. Any thread may write.
 */
#ifndef HTTPD_HTTPD_LOG_H
#define HTTPD_HTTPD_LOG_H

#include <netinet/in.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"

struct httpd_log;

struct httpd_logged {
	struct in6_addr address; /* IPv4 is mapped */
	int64_t time;            /* ns since 1970 */
	const char *method, *target, *version;
	unsigned status;
	uint64_t size;               /* bytes of the body that were sent */
	const char *referer, *agent; /* NULL when there is none */
};

/* Opens a file to append to; path is borrowed. 0 or ERR_IO, ERR_NOMEM, which names the file. */
int httpd_log_open(const char *path, struct httpd_log **ret, struct err *err) SP_MUST_CHECK;
void httpd_log_close(struct httpd_log *l); /* NULL is fine */

/* The file of that name, which may be another one now. 0, or an error: the old one is kept. */
int httpd_log_reopen(struct httpd_log *l, struct err *err) SP_MUST_CHECK;

void httpd_log_write(struct httpd_log *l, const struct httpd_logged *x);

#endif
