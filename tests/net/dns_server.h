/*
 * A DNS server on loopback, over UDP, that says what a test wants it to and counts who asks:
 *
 *	struct dns_server *s = dns_server_start();
 *	dns_server_set(s, "a.test", "127.0.0.1 ::1", 300);
 *	... net_params.dns = dns_server_address(s) ...
 *	dns_server_stop(s);
 *
 * Names it was not told of do not exist.
 */
#ifndef TESTS_NET_DNS_SERVER_H
#define TESTS_NET_DNS_SERVER_H

#include <stdint.h>

struct dns_server; /* opaque */

/* Ends the test when there is no socket. */
struct dns_server *dns_server_start(void);

/* NULL is fine. */
void dns_server_stop(struct dns_server *s);

/* "127.0.0.1:PORT" */
const char *dns_server_address(const struct dns_server *s);

/*
 * From now on: addresses of either family with blanks between them, "" for a name without any;
 * "SERVFAIL" or "REFUSED"; "silent"; "CNAME other" for another name that has been set.
 */
void dns_server_set(struct dns_server *s, const char *name, const char *what, uint32_t ttl);

/* How often A records were asked for: of one name, of all with NULL. */
unsigned dns_server_asked(struct dns_server *s, const char *name);

#endif
