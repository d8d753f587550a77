/* A small layer on libmicrohttpd. */
#ifndef NET_HTTPD_H
#define NET_HTTPD_H

#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include "net/httpd_workers.h"

/* ---- which hosts it answers for ---- */

/*
 * The names by which a server may be asked. A page of the live web can have its own name point to
 * us and then read our answers (DNS rebinding), so any other name is refused.
 */

/* Besides localhost and addresses; borrowed. */
struct httpd_names {
	const char *const *ptr;
	size_t len;
};

/*
 * Whether a Host field, without its port, is ours: none at all, "localhost", the address that is
 * listened on (any numeric address, where that means all of them), or one of the names.
 */
bool hosts_allow(slice host, const char *address, const struct httpd_names *names);

/* ---- log ---- */

/*
 * A log of requests, one line each, in the combined format of other servers:
 *
 *	127.0.0.1 - - [18/Nov/2026:03:04:05 +0000] "GET / HTTP/1.1" 200 367 "REFERER" "AGENT"
 *
 * What clients send is escaped, so that a line stays one. Any thread may write.
 */

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

/* ---- how many connections a peer may have ---- */

/*
 * The connections of a server. Whoever connects and sends no whole request, or sends it byte by
 * byte, must not keep others out: when there are too many, those go that have waited longest
 * without a request under way, of the same address first; and a request has to be there in time.
 */

enum {
	PEERS_MAX = 3584,        /* in all; then those go whose request is oldest */
	PEERS_IDLE_MAX = 1024,   /* that idle or send a request */
	PEERS_ADDRESS_MAX = 512, /* of one address, of these */
	PEERS_HEAD_SECONDS = 30, /* in which a request has to come */
};

/* One connection. Fields are its owner's to read. */
struct peer {
	uint64_t number; /* from 0, in the order in which they came */
	int fd;
	struct in6_addr address;    /* IPv4 is mapped */
	struct peer *older, *newer; /* in its list */
	struct peer_list *list;     /* that it is in, or NULL when it was dropped */
	int64_t since;              /* it is in there; monotonic */
};

/* By age. */
struct peer_list {
	struct peer *oldest, *newest;
	size_t len;
};

/* Fields are its own. */
struct peers {
	pthread_mutex_t lock;
	struct peer_list idle, busy; /* without a request under way, and with one */
	size_t max;
	uint64_t count; /* so far */
};

/* max: how many there may be, at most PEERS_MAX. */
void peers_init(struct peers *p, size_t max);
void peers_release(struct peers *p);

/* A connection was made: NULL without memory. It idles until peers_begin. */
struct peer *peers_add(struct peers *p, int fd, const struct sockaddr *address);

/* A whole request is there; its answer has been given; the connection is closed and peer freed. */
void peers_begin(struct peers *p, struct peer *peer);
void peers_end(struct peers *p, struct peer *peer);
void peers_remove(struct peers *p, struct peer *peer);

/* ---- server ---- */

/*
 * A small HTTP/1.1 server on libmicrohttpd: one handler that looks at a request and fills in a
 * response. Connections live on a few threads with an event loop each, so the handler is called by
 * several threads at once and must not block: what takes time is asked for in the response
 * (wait_ns, pause_ns) and holds up nobody else, or is done by workers (lane), in steps that end
 * when nobody waits for them any more (net/httpd_workers.h).
 *
 *	static void answer(void *context, const struct httpd_request *q, struct httpd_response *r)
 *	{
 *		r->status = 200;
 *		httpd_header(r, "Content-Type", "text/plain");
 *		(void)buf_add_str(&r->body, "hello\n");
 *	}
 *
 * Targets are handed over as they came, escapes and all. Bodies of requests are read up to
 * body_max bytes; what is more is dropped.
 */

enum {
	HTTPD_BODY_MAX = 256 << 20,   /* bytes of one response */
	HTTPD_HEADERS_MAX = 64 << 10, /* bytes of its header fields */
	HTTPD_TARGET_MAX = 16 << 10,  /* longer ones are answered with 414 */
	HTTPD_ADDRESS_SIZE = 64,
};

/* All of it is valid until the handler returns. */
struct httpd_request {
	slice method;
	slice target;               /* as sent: path and query */
	slice path;                 /* up to the "?" */
	slice host;                 /* the Host field without its port; empty when there is none */
	uint16_t port;              /* that the server listens on */
	uint64_t connection_number; /* from 0, in the order in which they were made */
	slice body;                 /* at most body_max bytes */
	bool body_cut;              /* there was more */
	void *connection;           /* for httpd_request_field */
	struct work *work;          /* what it may cost; valid as long as the response's stream */
};

/* Who calls the handler. */
enum httpd_lane {
	HTTPD_NOW,   /* an event loop: it has the answer at hand */
	HTTPD_PAGE,  /* a worker: it has to be looked for */
	HTTPD_QUERY, /* a worker, of others than these: it may take seconds */
	HTTPD_LANES,
};

enum { HTTPD_AGAIN = -2 };

/* The value of a header field of the request, in any case of its name; NULL when it has none. */
const char *httpd_request_field(const struct httpd_request *q, const char *name);

/* How a response comes to its end. */
enum httpd_end {
	HTTPD_WHOLE,
	HTTPD_TRUNCATED, /* Content-Length says all of it, half of it comes, then a close */
	HTTPD_RESET,     /* nothing is sent: the connection is reset */
};

/*
 * A body that is made piece by piece as the client takes it, so that it is never in memory as a
 * whole. Called by one thread at a time, not always the handler's.
 */
struct httpd_stream {
	/* Puts up to room (> 0) bytes into out: their number, 0 at the end, -1 to break off; if it
	 * is slow, HTTPD_AGAIN for nothing yet. */
	ssize_t (*read)(void *context, char *out, size_t room);
	void (*free)(void *context);
	void *context;
	bool slow; /* workers read it */
	bool has_size;
	uint64_t size; /* else it is sent in chunks */
};

/* Comes to the handler zeroed but for its two empty buffers. */
struct httpd_response {
	unsigned status; /* 0 is taken for 500 */
	enum httpd_end end;
	int64_t wait_ns;    /* before the first byte */
	int64_t pause_ns;   /* in the middle of the body */
	struct buf headers; /* by httpd_header */
	struct buf body;
	struct httpd_stream stream; /* instead of body, if read is set; freed by the server */
};

/*
 * Adds a header field. No failure to look after: where it does not fit or holds a line break, the
 * response becomes a 500.
 */
void httpd_header(struct httpd_response *r, const char *name, const char *value);

typedef void httpd_handler(
	void *context, const struct httpd_request *request, struct httpd_response *response);

typedef enum httpd_lane httpd_lane_of(void *context, const struct httpd_request *request);

struct httpd_log; /* net/httpd.h */

struct httpd_params {
	const char *address; /* numeric, without brackets: "127.0.0.1", "::1" */
	uint16_t port;       /* 0: any that is free */
	unsigned threads;    /* event loops; 0 is 1 */
	size_t body_max;     /* bytes of a request's body that are kept */
	bool any_host;       /* asked by whatever name; else net/httpd.h says by which */
	struct httpd_names names;
	struct httpd_log *log; /* or NULL */
	const char *policy;    /* Content-Security-Policy of answers without the handler, or NULL */
	httpd_handler *handler;
	httpd_lane_of *lane; /* NULL: all is HTTPD_NOW, and there are no workers */
	void *context;
};

struct httpd;

/*
 * Splits "127.0.0.1:8080" or "[::1]:0"; the address must be numeric. 0, or ERR_SYNTAX with a
 * sentence; address needs HTTPD_ADDRESS_SIZE bytes.
 */
int httpd_address_parse(
	const char *text, char *ret_address, uint16_t *ret_port, struct err *err) SP_MUST_CHECK;

/* Listens and answers from now on. 0, ERR_IO (the port is in use, …) or ERR_NOMEM. */
int httpd_start(
	const struct httpd_params *params, struct httpd **ret_httpd, struct err *err) SP_MUST_CHECK;

uint16_t httpd_port(const struct httpd *h);

/*
 * Ends all connections, waits for the handlers that run and frees; NULL is fine. False when a
 * handler of a worker does not end in time: it still runs, and nothing that it uses may be freed.
 */
bool httpd_stop(struct httpd *h);

#endif
