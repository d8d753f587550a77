/*
 * Downloads the answers of a server, one after the other, politely: with a pause between requests
 * (net/pace.h), again after a failure, and no sooner than the server allows (Retry-After).
 * Redirects are followed, codings are undone. An answer is a file without a name, so that memory
 * does not grow with it.
 *
 * The server that the user names may have any address; where it leads to another one, only public
 * addresses are asked.
 */
#ifndef ARCHIVE_IMPORT_DOWNLOAD_H
#define ARCHIVE_IMPORT_DOWNLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"

enum {
	DOWNLOAD_TRIES = 6,     /* of an answer, until the server is given up */
	DOWNLOAD_REDIRECTS = 5, /* in a row */
};

#define DOWNLOAD_SIZE_MAX (UINT64_C(64) << 30) /* bytes of an answer, decoded */

struct download_params {
	bool automatic;         /* the pause follows the server's response time; else: */
	double delay;           /* seconds */
	const char *user_agent; /* NULL: "stillpoint/VERSION"; borrowed */
	slice home;             /* an address of the server that the user named; borrowed */
};

struct download; /* opaque */

/* 0, ERR_NOMEM, ERR_IO, ERR_USAGE for home. */
int download_new(
	const struct download_params *params, struct download **ret, struct err *err) SP_MUST_CHECK;
void download_free(struct download *d); /* NULL is fine */

struct download_answer {
	unsigned status; /* 200 to 299, or 400 to 499 but 429 */
	int fd;          /* the decoded body, from its start; the caller's; -1 unless 2xx */
	uint64_t size;
};

/*
 * Gets the answer to a request. 0; ERR_IO when there is none after all tries, or it cannot be
 * stored; ERR_LIMIT for one that is too large; ERR_SYNTAX for an address that is none; ERR_NOMEM.
 * Waits as long as politeness asks.
 */
int download_get(
	struct download *d, slice url, struct download_answer *ret, struct err *err) SP_MUST_CHECK;

#endif
