#include "net/tls.h"

#include <openssl/ssl.h>
#include <stdio.h>
#include <string.h>

/* As the registry of ALPN identifiers would write it. */
static const char *version_name(int version)
{
	switch (version) {
	case TLS1_VERSION:
		return "tls/1.0";
	case TLS1_1_VERSION:
		return "tls/1.1";
	case TLS1_2_VERSION:
		return "tls/1.2";
	case TLS1_3_VERSION:
		return "tls/1.3";
	default:
		return "";
	}
}

static bool speaks_h2(const SSL *ssl)
{
	const unsigned char *name = NULL;
	unsigned len = 0;

	SSL_get0_alpn_selected(ssl, &name, &len);
	return len == 2 && memcmp(name, "h2", 2) == 0;
}

static const SSL *session_of(CURL *easy)
{
	struct curl_tlssessioninfo *session = NULL;

	if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || !session ||
		session->backend != CURLSSLBACKEND_OPENSSL)
		return NULL;
	return session->internals;
}

bool tls_is_closed(CURL *easy)
{
	const SSL *ssl = session_of(easy);

	return ssl && (SSL_get_shutdown(ssl) & SSL_RECEIVED_SHUTDOWN);
}

void tls_look(CURL *easy, struct tls_facts *ret)
{
	const SSL *ssl = session_of(easy);
	const SSL_CIPHER *cipher;
	const char *name;

	*ret = (struct tls_facts){0};
	if (!ssl)
		return;
	cipher = SSL_get_current_cipher(ssl);
	name = cipher ? SSL_CIPHER_standard_name(cipher) : NULL;
	(void)snprintf(ret->version, sizeof ret->version, "%s", version_name(SSL_version(ssl)));
	(void)snprintf(ret->cipher, sizeof ret->cipher, "%s", name ? name : "");
	ret->h2 = speaks_h2(ssl);
}

/* RFC 8446, sections 4 and 6: a handshake message has its type and its length, an alert two bytes.
 */
void tls_hear(struct tls_talk *talk, const char *message, size_t size)
{
	enum { CERTIFICATE_REQUEST = 13, HEAD = 4, ALERT = 2, CLOSE_NOTIFY = 0, FATAL = 2 };
	const unsigned char *m = (const unsigned char *)message;

	if (size > HEAD && m[0] == CERTIFICATE_REQUEST &&
		((size_t)m[1] << 16 | (size_t)m[2] << 8 | m[3]) == size - HEAD)
		*talk = (struct tls_talk){.asked = true};
	if (size == ALERT && m[0] == FATAL && m[1] != CLOSE_NOTIFY)
		talk->refusing = talk->asked;
}

CURLcode tls_set_up(CURL *easy, void *ssl_ctx, void *data)
{
	(void)easy, (void)data;
#ifdef SSL_OP_IGNORE_UNEXPECTED_EOF
	(void)SSL_CTX_clear_options(ssl_ctx, SSL_OP_IGNORE_UNEXPECTED_EOF);
#endif
	return CURLE_OK;
}

bool tls_has_certificates(const char *file)
{
	SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
	bool has = ctx && SSL_CTX_load_verify_file(ctx, file) == 1;

	SSL_CTX_free(ctx);
	return has;
}

/* In place of OpenSSL's, which asks at the terminal. */
static int no_password(char *buf, int size, int for_writing, void *data)
{
	(void)buf, (void)size, (void)for_writing, (void)data;
	return -1;
}

const char *tls_check_pair(const char *cert_file, const char *key_file)
{
	SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
	const char *problem = NULL;

	if (ctx)
		SSL_CTX_set_default_passwd_cb(ctx, no_password);
	if (!ctx || SSL_CTX_use_certificate_chain_file(ctx, cert_file) != 1)
		problem = "no certificate found; expected a PEM file";
	else if (SSL_CTX_use_PrivateKey_file(ctx, key_file, SSL_FILETYPE_PEM) != 1 ||
		 SSL_CTX_check_private_key(ctx) != 1)
		problem = "no key found that fits it; expected a PEM file without a password";
	SSL_CTX_free(ctx);
	return problem;
}
