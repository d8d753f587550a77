/*
 * Fetching over HTTP: libcurl's multi interface on epoll, with the exact bytes of the wire. A net
 * is one event loop; it belongs to one thread, and several threads may each have their own.
 *
 *	rc = net_new(&params, &net, err);
 *	rc = net_start(net, &request, err);		// any number of them
 *	while ((f = net_next(net)))			// finished ones, in the order they finished
 *		{ use(f); net_fetch_free(f); }
 *	rc = net_wait(net, seconds, err);		// until something finished, or that long
 *
 * A fetch that fails is a result, not an error: it says why. Redirects are not followed, bodies are
 * not decoded, nothing is cached; connections are reused. docs/fetching.md tells more.
 */
#ifndef NET_NET_H
#define NET_NET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/slice.h"

#define NET_CONNECT_TIMEOUT 30.0
#define NET_STALL_TIMEOUT   60.0
#define NET_TIMEOUT         3600.0
#define NET_STALL_SPEED     64 /* bytes per second; slower than this for stall_timeout fails */

enum {
	NET_HEAD_MAX = 256 << 10,  /* bytes of a response's head */
	NET_KEPT_MAX = 256,        /* connections that are kept open */
	NET_MEMORY_MAX = 1 << 20,  /* bytes of a body in memory; then it goes to a file */
	NET_MEMORY_MIN = 16 << 10, /* that are in memory in any case */
	NET_BODIES_MAX = 16 << 20, /* bytes of bodies in memory that are under way or not taken */
};
#define NET_BODY_MAX (UINT64_C(2) << 30)

/* Words in reports, the WARC and the catalog. */
#define NET_FAILURES(X)                                                                          \
	X(NET_FAILURE_NONE, "")                                                                  \
	X(NET_FAILURE_DNS, "dns")             /* the name resolves to nothing */                 \
	X(NET_FAILURE_FORBIDDEN, "forbidden") /* by the address guard: nothing was sent */       \
	X(NET_FAILURE_CONNECT, "connect")     /* refused, unreachable */                         \
	X(NET_FAILURE_TLS, "tls")                                                                \
	X(NET_FAILURE_TIMEOUT, "timeout")     /* connecting, stalled, or in all too long */      \
	X(NET_FAILURE_RESET, "reset")         /* the connection ended before a whole response */ \
	X(NET_FAILURE_PROTOCOL, "protocol")   /* what came is no HTTP */                         \
	X(NET_FAILURE_TOO_LARGE, "too-large") /* head or body beyond the maximum */              \
	X(NET_FAILURE_ABORTED, "aborted")     /* by net_cancel */                                \
	X(NET_FAILURE_SLOW, "slow")           /* by net_cancel_some: it held others up */        \
	X(NET_FAILURE_LOCAL, "local")         /* memory, spool file, libcurl itself */

enum net_failure {
#define X(name, word) name,
	NET_FAILURES(X)
#undef X
};

/* The detail of a failure where https meets a server, or a port, of plain HTTP. */
#define NET_NO_TLS "the server does not speak TLS on this port"
/* The same where the server hangs up at our greeting, as some of plain HTTP do. */
#define NET_TLS_REFUSED "the server ended the connection at the start of TLS"

/* The detail where the server asks for a certificate of its clients, and goes without one. */
#define NET_NO_CERTIFICATE  "the server wants a client certificate"
#define NET_BAD_CERTIFICATE "the server does not accept the client certificate of --cert"

/* The word; constant. */
const char *net_failure_name(enum net_failure failure);

/* Whether another try may help: dns, connect, timeout, reset. */
bool net_failure_is_transient(enum net_failure failure);

/* Zero means the default named above. */
struct net_params {
	const struct clock *clock; /* for net_times; borrowed; NULL for the system's */
	const char *user_agent;    /* borrowed; NULL for "stillpoint/VERSION" */
	const char *spool_dir;     /* where large bodies go, unlinked; borrowed;
				    * NULL for /tmp */
	double connect_timeout, stall_timeout, timeout; /* seconds */
	uint64_t max_body;
	const char *dns;    /* servers, "HOST[:PORT],…"; borrowed; NULL for the system's */
	bool dns_records;   /* keep what they say for net_lookup */
	unsigned allowed;   /* set of address classes (net/address.h), besides those of a request */
	uint64_t max_speed; /* bytes per second of each fetch; 0: no limit */
	size_t max_head;    /* at most NET_HEAD_MAX */
	size_t max_kept;    /* connections that are kept open; at most NET_KEPT_MAX, the default */
	const char *ca_file; /* PEM, besides the system's certificates; borrowed; NULL for none */
	const char *cert_file, *key_file; /* a client certificate and its key, as
					   * net_check_pair has found them good; borrowed; NULL */
	const char *proxy; /* URL, as net_check_proxy has found it good; borrowed; NULL for none */
	bool http2;        /* over TLS, where the server agrees (ALPN) */
	bool insecure;     /* any certificate will do */
};

/*
 * Whether a proxy can be used: http://, socks5:// or socks5h://, [user:password@]host[:port]. 0 or
 * ERR_SYNTAX with a sentence that does not repeat the password; *ret_shown, which holds
 * NET_PROXY_SIZE bytes, is the proxy without user and password.
 */
enum { NET_PROXY_SIZE = 320 };
int net_check_proxy(const char *text, char *ret_shown, struct err *err) SP_MUST_CHECK;

/* Whether they can be used: 0, ERR_USAGE with a sentence, ERR_NOMEM, ERR_IO. */
int net_check_dns(const char *servers, struct err *err) SP_MUST_CHECK;

/* The same of a file of certificates. */
int net_check_certificates(const char *file, struct err *err) SP_MUST_CHECK;

/* The same of a client certificate and its key, which are PEM files, or one (key NULL). */
int net_check_pair(const char *cert_file, const char *key_file, struct err *err) SP_MUST_CHECK;

struct net; /* opaque */

/* 0, ERR_NOMEM, ERR_IO, ERR_USAGE for the DNS servers. What params borrows has to stay. */
int net_new(const struct net_params *params, struct net **ret, struct err *err) SP_MUST_CHECK;

/* Ends what is under way. NULL is fine. */
void net_free(struct net *net);

/*
 * A GET, or a POST. All is copied. Path and query go out byte for byte; user name, password and
 * fragment do not go out.
 */
struct net_request {
	slice url;                        /* WHATWG serialisation, http or https */
	const struct net_header *headers; /* besides, or in place of, those of every request */
	size_t header_count;
	uint64_t tag;     /* the caller's, handed back */
	unsigned allowed; /* set of address classes it may be sent to, besides public ones */

	/* Bytes that may still be received, by all that share it; borrowed until the fetch has
	 * finished; NULL for any number. A fetch that would take more fails: too-large. */
	uint64_t *budget;
	bool http1;      /* not over HTTP/2, whatever the net may do */
	slice post;      /* the body of a POST, a form's; ptr NULL: a GET */
	bool hides_post; /* it is secret: no part of request_head */
	bool shows_cert; /* the client certificate, to a server that asks for it */
};

struct net_header {
	slice name, value;
};

/* The moments of a fetch, on one clock, ns; 0 for what did not happen. */
struct net_times {
	int64_t sent;       /* just before the first byte of the request could leave */
	int64_t first_byte; /* of the response */
	int64_t last_byte;  /* of the response; of a failure, when it was noticed */
};

/* A finished fetch. All of it is the fetch's own, valid until net_fetch_free. */
struct net_fetch {
	uint64_t tag;
	slice url;
	enum net_failure failure;
	char detail[256];   /* of a failure, a sentence */
	bool starved;       /* of NET_FAILURE_LOCAL: nothing was sent, since this machine has no
			     * descriptor, port or memory for a socket; worth another try */
	bool no_name;       /* of NET_FAILURE_DNS: the DNS has answered that there is none */
	bool truncated;     /* there is a head, but the body is not whole; why says failure */
	unsigned status;    /* 0 when there is no whole head */
	slice request_head; /* exact bytes, with the empty line and what is behind it; empty when
			     * nothing was sent */
	bool is_post;
	slice head;         /* exact bytes of the final response's head, with its empty line; both
			     * in the form of HTTP/1.1 where it was HTTP/2 */
	slice body;         /* exact bytes as sent (transfer coding included), unless spooled */
	int spool;          /* else -1: a file with the whole body, to be read from its start */
	uint64_t body_size; /* bytes as sent, in memory or in the file */
	uint64_t excess;    /* bytes seen behind the end of a whole response, and dropped */
	char ip[64];        /* of the server, "" when not connected */
	bool reused;        /* the connection was there already */
	bool wants_cert;    /* it was not, and the server asked in vain for a client certificate */
	char protocol[12];  /* "http/1.1", "h2"; "" when there is no response */
	char tls[12];       /* "tls/1.3"; "" for none */
	char cipher[64];    /* as IANA calls it */

	/*
	 * A whole body over HTTP/2 whose length nobody said: libcurl takes a stream that was reset
	 * without an error for one that has ended. It proves nothing unless the body itself shows
	 * its end.
	 */
	bool open_ended;
	struct net_times wall, monotonic;
};

/* Begins a fetch; it runs within net_wait. 0, ERR_NOMEM, ERR_SYNTAX for URL or header fields. */
int net_start(struct net *net, const struct net_request *request, struct err *err) SP_MUST_CHECK;

/* The next finished fetch, now the caller's, or NULL. */
struct net_fetch *net_next(struct net *net);
void net_fetch_free(struct net_fetch *fetch); /* NULL is fine; for any thread */

/*
 * What is known of a name without connecting to it; for politeness towards addresses, and for
 * deciding what is allowed. All of it is the lookup's own, valid until net_lookup_free.
 */
struct net_lookup {
	uint64_t tag;
	enum net_failure failure; /* NET_FAILURE_NONE or NET_FAILURE_DNS */
	char detail[128];
	char ip[64];      /* the address that is tried first; "" when there is none */
	unsigned classes; /* set of the classes of all its addresses */
	slice records;    /* net_params.dns_records: lines of a zone file; may be empty */
	int64_t date;     /* when they came, wall clock, ns; 0 for a host that is an address */
};

/* Asks for a URL's host; it goes on within net_wait. 0 or ERR_NOMEM. */
int net_lookup(struct net *net, slice host, uint64_t tag, struct err *err) SP_MUST_CHECK;

/* The next finished one, now the caller's, or NULL. */
struct net_lookup *net_next_lookup(struct net *net);
void net_lookup_free(struct net_lookup *lookup); /* NULL is fine */

/*
 * Runs until a fetch or a lookup has finished, `seconds` have passed (0: only what can be done at
 * once), or a file descriptor given to net_watch is readable. 0 or ERR_IO.
 */
int net_wait(struct net *net, double seconds, struct err *err) SP_MUST_CHECK;

/*
 * A descriptor that ends net_wait as long as it is readable (a signalfd, an eventfd). It stays the
 * caller's, who reads it; watched until it is closed. 0 or ERR_IO.
 */
int net_watch(struct net *net, int fd, struct err *err) SP_MUST_CHECK;

/* Ends all fetches under way: each finishes with NET_FAILURE_ABORTED. Lookups go on. */
void net_cancel(struct net *net);

/*
 * Closes the connections that are kept for later, if no fetch is under way; ret_any: whether there
 * were any. 0, or an error after which the net can only be freed.
 */
int net_close_kept(struct net *net, bool *ret_any, struct err *err) SP_MUST_CHECK;

/* A fetch under way. */
struct net_running {
	uint64_t tag;
	double seconds; /* since it was started, without those in which the caller was elsewhere */
	uint64_t bytes; /* of the response, so far */
};

/* Which fetches to end: called for each that is under way. NULL: all. */
typedef bool net_choose(void *context, const struct net_running *fetch);

/* Ends those fetches, each with that failure and text. Cost: all fetches under way. */
void net_cancel_some(struct net *net, net_choose *choose, void *context, enum net_failure failure,
	const char *text);

#endif
