/* One transfer of libcurl: its route, its body, the exact bytes of the wire. */
#ifndef NET_TRANSFER_H
#define NET_TRANSFER_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include "formats/http_payload.h"
#include "net/address.h"
#include "net/dns.h"
#include "net/list.h"
#include "net/net.h"
#include "net/tls.h"
#include "net/wire.h"

/* ---- bodies ---- */

/*
 * A body as it arrives: in memory up to NET_MEMORY_MAX, then all of it in a file that has no name
 * and is gone when its descriptor is closed. Bodies that share a counter have NET_BODIES_MAX bytes
 * in memory together: those that grow beyond it go to their files earlier.
 */

struct body {
	const char *spool_dir; /* borrowed */
	struct buf memory;     /* empty once there is a file */
	int spool;             /* -1 until there is */
	uint64_t size;
	size_t *held; /* borrowed: bytes that all who share it have allocated; NULL once let go */
};

/* Nothing more will come: it counts no longer, and is for any thread. */
void body_let_go(struct body *b);

/* ---- routes ---- */

/*
 * Where a request may be sent: the host and port of its URL, the addresses that the DNS gave and
 * the guard lets through, and how libcurl is told of them. libcurl itself asks nobody.
 */

struct route {
	char *host; /* as in the URL, without brackets */
	unsigned port;
	unsigned allowed; /* set of classes */
	bool is_literal;
	struct address literal;
	struct curl_slist *addresses;
	CURLSH *share; /* has nothing but these addresses in it */
};

/* ---- transfers ---- */

/*
 * One fetch, from its request to its result: a libcurl easy handle and what its callbacks gather.
 * The loop (net.c) gives the handle to the multi handle and tells when it is done.
 */

struct transfer;
LIST_DECLARE(transfer_list, struct transfer);

/* What all transfers of a net share; each is in one of the lists. */
struct transfer_shared {
	struct net *net;
	struct net_params params; /* with its defaults filled in */
	int64_t wall_offset;      /* realtime minus monotonic, when the net was made */
	struct sockets sockets;
	size_t held;                    /* bytes of bodies in memory (net/transfer.h) */
	struct transfer_list resolving; /* in the order of their start: we watch the time */
	struct transfer_list waiting;   /* for a connection: libcurl watches the time */
	struct transfer_list running;   /* in the order of window_start: we do */
	struct transfer_list finished;  /* and not taken */
	struct curl_slist *usual;       /* header fields of requests that have none of their own */
};

struct transfer {
	struct net_fetch fetch; /* first: it is what net_next hands out */
	struct transfer_list *list;
	struct transfer *prev, *next;
	struct transfer_shared *shared; /* borrowed; not looked at once finished */

	CURL *easy; /* NULL once finished */
	struct curl_slist *headers;
	struct route route;
	struct dns_waiter waiter;
	int64_t begun;   /* system's clock; connecting and all else is counted from here */
	int64_t excused; /* ns since then in which we did not look */
	char error[CURL_ERROR_SIZE];

	struct buf url, request_head, head;
	struct tls_facts tls;
	struct tls_talk talk;
	bool tls_closed;  /* by the server, in due form */
	uint64_t *budget; /* borrowed, or NULL */
	struct body body;
	bool is_https;        /* by its URL */
	bool http1;           /* HTTP/2 will not do */
	bool hides_post;      /* as that of the request */
	bool shows_cert;      /* the same, and there is one */
	bool shuns;           /* the kept connection it was given, before anything was sent */
	size_t head_received; /* bytes of all heads, interim ones included */
	bool head_whole;
	bool body_began;
	bool has_end, ended; /* the body ends at `end`, whatever libcurl thinks; it has */
	uint64_t end;
	bool chunked;
	struct http_chunked chunks;
	uint64_t received; /* bytes behind the head that libcurl has read */

	/* Stalling: NET_STALL_SPEED has to be held from window_start on. System's clock. */
	int64_t window_start;
	uint64_t window_bytes;
};

LIST_DEFINE(transfer_list, struct transfer)

/* Copies the request; not in a list yet. 0, ERR_NOMEM, ERR_SYNTAX. Freed with transfer_free. */
int transfer_new(struct transfer_shared *shared, const struct net_request *request,
	struct transfer **ret, struct err *err) SP_MUST_CHECK;

/* What its transfers have shared; all of them are gone. */
void transfer_shared_release(struct transfer_shared *shared);

/* The handle must not be in a multi handle any more. NULL is fine. */
void transfer_free(struct transfer *t);

/*
 * Whom the name belongs to is known (NULL: an address, or a name that the proxy knows); before the
 * handle is given to a multi handle. False when the transfer may not begin, and has finished.
 */
bool transfer_set_route(struct transfer *t, const struct dns_answer *answer);

/*
 * Ends the transfer with libcurl's verdict, or with ours; fills the fetch and moves it to the
 * finished ones. The handle must not be in a multi handle any more.
 */
void transfer_finish(struct transfer *t, CURLcode code);
void transfer_fail(struct transfer *t, enum net_failure failure, const char *fmt, ...)
	SP_PRINTF(3, 4);

/*
 * Whether it ended before anything was sent, because of the kept connection it was given; it may be
 * given to a multi handle again then, and takes a connection of its own.
 */
bool transfer_may_start_over(struct transfer *t, CURLcode code);

#endif
