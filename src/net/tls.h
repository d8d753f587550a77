/*
 * What TLS knows of a connection, and what we ask of it beyond libcurl. Apart from the rest,
 * because OpenSSL and base/err.h both have an ERR_STATE.
 */
#ifndef NET_TLS_H
#define NET_TLS_H

#include <curl/curl.h>
#include <stdbool.h>

/* Empty strings where there is no TLS. */
struct tls_facts {
	char version[12]; /* "tls/1.3" */
	char cipher[64];  /* as IANA calls it: "TLS_AES_256_GCM_SHA384" */
	bool h2;          /* agreed on by ALPN */
};

/* Of the connection that the handle uses; for callbacks, while it has one. */
void tls_look(CURL *easy, struct tls_facts *ret);

/*
 * Whether the server has said that nothing more will come (close_notify). A connection that ends
 * without it may have been cut by anybody on the way: where a body ends with its connection it is
 * not whole then (RFC 9112, section 9.8). libcurl does not look.
 */
bool tls_is_closed(CURL *easy);

/* What a server has said of the client's certificate. Zeroed: nothing. */
struct tls_talk {
	bool asked;    /* for one */
	bool refusing; /* and then ended the connection with an alert */
};

/* Takes a message of TLS from the server (CURLINFO_SSL_DATA_IN). */
void tls_hear(struct tls_talk *talk, const char *message, size_t size);

/* For CURLOPT_SSL_CTX_FUNCTION: OpenSSL must not take the end of a connection for a close_notify.
 */
CURLcode tls_set_up(CURL *easy, void *ssl_ctx, void *data);

/* Whether the file has certificates (PEM) that can be trusted. */
bool tls_has_certificates(const char *file);

/*
 * Whether the files (PEM, which may be one) hold a certificate and its key, which must not need a
 * password: NULL, or what is wrong, constant.
 */
const char *tls_check_pair(const char *cert_file, const char *key_file);

#endif
