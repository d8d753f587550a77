#include "tls_server.h"

#include <netinet/in.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define RESPONSE "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

struct tls_server {
	SSL_CTX *context;
	int listener;
	int stop;
	unsigned port;
	pthread_t thread;
};

/* A certificate for localhost that only its own key vouches for. */
static X509 *self_signed(EVP_PKEY *key)
{
	X509 *cert = X509_new();
	X509_NAME *name;

	if (!cert)
		return NULL;
	name = X509_get_subject_name(cert);
	(void)X509_set_version(cert, 2);
	(void)ASN1_INTEGER_set(X509_get_serialNumber(cert), 1);
	(void)X509_gmtime_adj(X509_getm_notBefore(cert), -60);
	(void)X509_gmtime_adj(X509_getm_notAfter(cert), 3600);
	(void)X509_set_pubkey(cert, key);
	(void)X509_NAME_add_entry_by_txt(
		name, "CN", MBSTRING_ASC, (const unsigned char *)"localhost", -1, -1, 0);
	(void)X509_set_issuer_name(cert, name);
	if (X509_sign(cert, key, EVP_sha256()) > 0)
		return cert;
	X509_free(cert);
	return NULL;
}

static SSL_CTX *new_context(void)
{
	SSL_CTX *context = SSL_CTX_new(TLS_server_method());
	EVP_PKEY *key = EVP_EC_gen("P-256");
	X509 *cert = key ? self_signed(key) : NULL;

	if (context && (!cert || SSL_CTX_use_certificate(context, cert) != 1 ||
			       SSL_CTX_use_PrivateKey(context, key) != 1)) {
		SSL_CTX_free(context);
		context = NULL;
	}
	X509_free(cert);
	EVP_PKEY_free(key);
	return context;
}

/* One handshake, and a response to whoever trusts us enough. */
static void serve(struct tls_server *s, int fd)
{
	SSL *ssl = SSL_new(s->context);
	char request[4096];

	if (ssl && SSL_set_fd(ssl, fd) == 1 && SSL_accept(ssl) == 1 &&
		SSL_read(ssl, request, sizeof request) > 0) {
		(void)SSL_write(ssl, RESPONSE, (int)strlen(RESPONSE));
		(void)SSL_shutdown(ssl);
	}
	SSL_free(ssl);
	(void)close(fd);
}

static void *accept_all(void *argument)
{
	struct tls_server *s = argument;

	for (;;) {
		struct pollfd fds[] = {
			{.fd = s->stop, .events = POLLIN}, {.fd = s->listener, .events = POLLIN}};
		int fd;

		if (poll(fds, 2, -1) < 0 || fds[0].revents)
			return NULL;
		fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC);
		if (fd >= 0)
			serve(s, fd);
	}
}

static bool start(struct tls_server *s)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof a;

	s->context = new_context();
	s->stop = eventfd(0, EFD_CLOEXEC);
	s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (!s->context || s->stop < 0 || s->listener < 0)
		return false;
	if (bind(s->listener, (struct sockaddr *)&a, len) < 0 || listen(s->listener, 16) < 0 ||
		getsockname(s->listener, (struct sockaddr *)&a, &len) < 0)
		return false;
	s->port = ntohs(a.sin_port);
	return pthread_create(&s->thread, NULL, accept_all, s) == 0;
}

static void release(struct tls_server *s)
{
	if (s->listener >= 0)
		(void)close(s->listener);
	if (s->stop >= 0)
		(void)close(s->stop);
	SSL_CTX_free(s->context);
	free(s);
}

struct tls_server *tls_server_start(void)
{
	struct tls_server *s = calloc(1, sizeof *s);

	if (!s || start(s))
		return s;
	release(s);
	return NULL;
}

void tls_server_stop(struct tls_server *s)
{
	if (!s)
		return;
	(void)eventfd_write(s->stop, 1);
	(void)pthread_join(s->thread, NULL);
	release(s);
}

unsigned tls_server_port(const struct tls_server *s)
{
	return s->port;
}
