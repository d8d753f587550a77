/*
 * A TLS server on 127.0.0.1 whose certificate is signed by itself. Apart from the tests, because
 * OpenSSL and base/err.h both have an ERR_STATE.
 */
#ifndef TESTS_NET_TLS_SERVER_H
#define TESTS_NET_TLS_SERVER_H

struct tls_server; /* opaque */

/* NULL when it cannot be. */
struct tls_server *tls_server_start(void);

/* NULL is fine. */
void tls_server_stop(struct tls_server *s);

unsigned tls_server_port(const struct tls_server *s);

#endif
