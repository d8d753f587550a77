#include "net/failure.h"

#include <stdio.h>

#include <string.h>

const char *net_failure_name(enum net_failure failure)
{
	static const char *const names[] = {
#define X(name, word) [name] = (word),
		NET_FAILURES(X)
#undef X
	};

	return names[failure];
}

bool net_failure_is_transient(enum net_failure failure)
{
	return failure == NET_FAILURE_DNS || failure == NET_FAILURE_CONNECT ||
	       failure == NET_FAILURE_TIMEOUT || failure == NET_FAILURE_RESET;
}

static const struct {
	CURLcode code;
	enum net_failure failure;
} TABLE[] = {
	{CURLE_OK, NET_FAILURE_NONE},
	{CURLE_COULDNT_RESOLVE_HOST, NET_FAILURE_DNS},
	/* The URL has been parsed before: what libcurl refuses is a host no DNS can have. */
	{CURLE_URL_MALFORMAT, NET_FAILURE_DNS},
	{CURLE_COULDNT_CONNECT, NET_FAILURE_CONNECT},
	{CURLE_COULDNT_RESOLVE_PROXY, NET_FAILURE_CONNECT},
	{CURLE_PROXY, NET_FAILURE_CONNECT},
	{CURLE_INTERFACE_FAILED, NET_FAILURE_CONNECT},
	{CURLE_NO_CONNECTION_AVAILABLE, NET_FAILURE_CONNECT},
	{CURLE_SSL_CONNECT_ERROR, NET_FAILURE_TLS},
	{CURLE_PEER_FAILED_VERIFICATION, NET_FAILURE_TLS},
	{CURLE_SSL_CERTPROBLEM, NET_FAILURE_TLS},
	{CURLE_SSL_CIPHER, NET_FAILURE_TLS},
	{CURLE_SSL_CACERT_BADFILE, NET_FAILURE_TLS},
	{CURLE_SSL_CRL_BADFILE, NET_FAILURE_TLS},
	{CURLE_SSL_ISSUER_ERROR, NET_FAILURE_TLS},
	{CURLE_SSL_INVALIDCERTSTATUS, NET_FAILURE_TLS},
	{CURLE_SSL_PINNEDPUBKEYNOTMATCH, NET_FAILURE_TLS},
	{CURLE_SSL_CLIENTCERT, NET_FAILURE_TLS},
	{CURLE_USE_SSL_FAILED, NET_FAILURE_TLS},
	{CURLE_OPERATION_TIMEDOUT, NET_FAILURE_TIMEOUT},
	{CURLE_RECV_ERROR, NET_FAILURE_RESET},
	{CURLE_SEND_ERROR, NET_FAILURE_RESET},
	{CURLE_GOT_NOTHING, NET_FAILURE_RESET},
	{CURLE_PARTIAL_FILE, NET_FAILURE_RESET},
	{CURLE_SSL_SHUTDOWN_FAILED, NET_FAILURE_RESET},
	{CURLE_UNSUPPORTED_PROTOCOL, NET_FAILURE_PROTOCOL},
	{CURLE_WEIRD_SERVER_REPLY, NET_FAILURE_PROTOCOL},
	{CURLE_BAD_CONTENT_ENCODING, NET_FAILURE_PROTOCOL},
	/* Streams that are reset or refused, connections that go away: the texts tell them apart.
	 */
	{CURLE_HTTP2, NET_FAILURE_RESET},
	{CURLE_HTTP2_STREAM, NET_FAILURE_RESET},
	{CURLE_HTTP3, NET_FAILURE_PROTOCOL},
	{CURLE_FILESIZE_EXCEEDED, NET_FAILURE_TOO_LARGE},
#if LIBCURL_VERSION_NUM >= 0x080600
	{CURLE_TOO_LARGE, NET_FAILURE_TOO_LARGE},
#endif
};

/* What libcurl says of certificates that it does not trust, or that are another server's. */
static bool is_distrust(const char *text)
{
	return strstr(text, "certificate problem") || strstr(text, "certificate subject name") ||
	       strstr(text, "subject alternative name") ||
	       strstr(text, "certificate verify failed");
}

bool failure_is_of_proxy_login(const char *text)
{
	return strstr(text, "407 from proxy") ||
	       strstr(text, "CONNECT tunnel failed, response 407") ||
	       strstr(text, "was rejected by the SOCKS5") || strstr(text, "SOCKS5 server (1 ");
}

void failure_explain_tls(const char *text, char *ret, size_t size)
{
	/* What OpenSSL says when the answer to its greeting is HTTP, or nothing of TLS, or none. */
	static const struct {
		const char *part, *meaning;
	} KNOWN[] = {
		{"wrong version number", NET_NO_TLS},
		{"http request", NET_NO_TLS},
		{"packet length too long", NET_NO_TLS},
		{"Recv failure: Connection reset", NET_TLS_REFUSED},
		{"SSL_connect: SSL_ERROR_SYSCALL", NET_TLS_REFUSED},
		{"unexpected eof while reading", NET_TLS_REFUSED},
		{"certificate required",
			"the server wants a certificate of its clients, and there is none to give"},
	};
	const char *meaning = text;

	for (size_t i = 0; i < sizeof KNOWN / sizeof KNOWN[0]; i++)
		if (strstr(text, KNOWN[i].part))
			meaning = KNOWN[i].meaning;
	(void)snprintf(ret, size, "%s%s", meaning,
		is_distrust(text) ? "; trust it with --cacert, or do not check with --insecure"
				  : "");
}

enum net_failure failure_of_curl(CURLcode code)
{
	for (size_t i = 0; i < sizeof TABLE / sizeof TABLE[0]; i++) {
		if (TABLE[i].code == code)
			return TABLE[i].failure;
	}
	return NET_FAILURE_LOCAL;
}
