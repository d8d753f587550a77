#include "net/wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/word.h"
#include "formats/http_fields.h"
#include "formats/url.h"
#include "net/net.h"

/* ---- sockets ---- */

curl_socket_t sockets_open(void *data, curlsocktype purpose, struct curl_sockaddr *address)
{
	struct sockets *s = data;
	curl_socket_t fd =
		socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);

	(void)purpose;
	if (fd >= 0 && sockets_push(s, (struct net_socket){.fd = fd})) {
		(void)close(fd);
		return CURL_SOCKET_BAD;
	}
	return fd;
}

bool sockets_error_is_local(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM ||
	       error == EADDRNOTAVAIL || error == ENETDOWN;
}

bool sockets_are_short(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return sockets_error_is_local(errno);
	(void)close(fd);
	return false;
}

int sockets_close(void *data, curl_socket_t fd)
{
	struct sockets *s = data;

	for (size_t i = 0; i < s->len; i++)
		if (s->ptr[i].fd == fd) {
			s->ptr[i] = s->ptr[--s->len];
			break;
		}
	return close(fd);
}

/* The port of an address, and the address itself as text; 0 for one that is not of the internet. */
static int read_address(const struct sockaddr_storage *a, char out[INET6_ADDRSTRLEN])
{
	const struct sockaddr_in *v4 = (const void *)a;
	const struct sockaddr_in6 *v6 = (const void *)a;

	switch (a->ss_family) {
	case AF_INET:
		return inet_ntop(AF_INET, &v4->sin_addr, out, INET6_ADDRSTRLEN)
			       ? ntohs(v4->sin_port)
			       : 0;
	case AF_INET6:
		return inet_ntop(AF_INET6, &v6->sin6_addr, out, INET6_ADDRSTRLEN)
			       ? ntohs(v6->sin6_port)
			       : 0;
	default:
		return 0;
	}
}

/* Asks for the ends, unless it is not connected yet. */
static void learn_ends(struct net_socket *s)
{
	struct sockaddr_storage local = {0}, remote = {0};
	socklen_t local_size = sizeof local, remote_size = sizeof remote;
	char ip[INET6_ADDRSTRLEN];

	if (getpeername(s->fd, (struct sockaddr *)&remote, &remote_size) < 0 ||
		getsockname(s->fd, (struct sockaddr *)&local, &local_size) < 0)
		return;
	s->remote_port = read_address(&remote, s->remote_ip);
	s->local_port = read_address(&local, ip);
}

static bool is_between(struct net_socket *s, const struct socket_ends *ends)
{
	if (s->local_port == 0)
		learn_ends(s);
	return s->local_port != 0 && s->local_port == ends->local_port &&
	       s->remote_port == ends->remote_port && strcmp(s->remote_ip, ends->remote_ip) == 0;
}

bool sockets_have_input(struct sockets *s, const struct socket_ends *ends)
{
	char byte;

	for (size_t i = 0; i < s->len; i++)
		if (is_between(&s->ptr[i], ends))
			return recv(s->ptr[i].fd, &byte, sizeof byte, MSG_PEEK | MSG_DONTWAIT) > 0;
	return false;
}

/* ---- proxies ---- */

static const slice SCHEMES[] = {
	SLICE_INIT("http://"),
	SLICE_INIT("socks5://"),
	SLICE_INIT("socks5h://"),
};

static bool is_known(slice text)
{
	for (size_t i = 0; i < sizeof SCHEMES / sizeof SCHEMES[0]; i++) {
		if (word_starts(text, SCHEMES[i]))
			return true;
	}
	return false;
}

bool proxy_resolves(const char *proxy)
{
	return proxy && !word_starts(slice_str(proxy), SCHEMES[1]);
}

bool proxy_asks_for_us(const char *proxy, slice origin)
{
	return proxy && word_starts(slice_str(proxy), SCHEMES[0]) &&
	       word_starts(origin, SCHEMES[0]);
}

/* Nothing but what a proxy has: somebody who writes more means something else. */
static bool is_bare(const struct url *u)
{
	return url_part(u, u->path).len <= 1 && !u->has_query && !u->has_fragment &&
	       url_part(u, u->host).len > 0;
}

static bool show(const struct url *u, char *out)
{
	slice scheme = url_part(u, u->scheme), host = url_part(u, u->host);
	char port[16] = "";
	int n;

	if (u->port != URL_NO_PORT)
		(void)snprintf(port, sizeof port, ":%d", (int)u->port);
	n = snprintf(out, NET_PROXY_SIZE, "%.*s://%.*s%s", (int)scheme.len, scheme.ptr,
		(int)host.len, host.ptr, port);
	return n > 0 && n < NET_PROXY_SIZE;
}

int net_check_proxy(const char *text, char *ret_shown, struct err *err)
{
	char shown[NET_PROXY_SIZE];
	struct url url;
	bool good;

	url_init(&url);
	good = is_known(slice_str(text)) && url_parse(&url, slice_str(text), NULL, NULL) == 0 &&
	       is_bare(&url) && show(&url, shown);
	url_release(&url);
	if (!good)
		return err_set(err, ERR_SYNTAX,
			"a proxy must be http://HOST:PORT, socks5://HOST:PORT or "
			"socks5h://HOST:PORT");
	memcpy(ret_shown, shown, sizeof shown);
	return 0;
}

/* ---- heads of HTTP/2 ---- */

#define VERSION   "HTTP/2"
#define AS_IF     "HTTP/1.1"
#define END_OLD   " " VERSION "\r\n"
#define DIGITS_AT (sizeof VERSION " " - 1)

/* RFC 9110, section 15, and RFC 6585. Readers want a word there; none is wrong. */
static const struct {
	unsigned status;
	const char *text;
} REASONS[] = {
	{100, "Continue"},
	{103, "Early Hints"},
	{200, "OK"},
	{201, "Created"},
	{202, "Accepted"},
	{203, "Non-Authoritative Information"},
	{204, "No Content"},
	{205, "Reset Content"},
	{206, "Partial Content"},
	{300, "Multiple Choices"},
	{301, "Moved Permanently"},
	{302, "Found"},
	{303, "See Other"},
	{304, "Not Modified"},
	{307, "Temporary Redirect"},
	{308, "Permanent Redirect"},
	{400, "Bad Request"},
	{401, "Unauthorized"},
	{402, "Payment Required"},
	{403, "Forbidden"},
	{404, "Not Found"},
	{405, "Method Not Allowed"},
	{406, "Not Acceptable"},
	{408, "Request Timeout"},
	{409, "Conflict"},
	{410, "Gone"},
	{421, "Misdirected Request"},
	{425, "Too Early"},
	{429, "Too Many Requests"},
	{451, "Unavailable For Legal Reasons"},
	{500, "Internal Server Error"},
	{501, "Not Implemented"},
	{502, "Bad Gateway"},
	{503, "Service Unavailable"},
	{504, "Gateway Timeout"},
};

static const char *reason_of(uint64_t status)
{
	for (size_t i = 0; i < sizeof REASONS / sizeof REASONS[0]; i++) {
		if (REASONS[i].status == status)
			return REASONS[i].text;
	}
	return "Unknown";
}

static int add_status_line(slice line, struct buf *out)
{
	slice digits = fields_trim(slice_sub(line, DIGITS_AT, line.len));
	uint64_t status;

	/* What is no status is left as it is: no reader will take it for one. */
	if (parse_u64(digits, &status))
		return buf_add(out, line);
	return buf_printf(out, AS_IF " %llu %s\r\n", (unsigned long long)status, reason_of(status));
}

/* Section 8.2.2: a response that has one of these is malformed. They would change the framing. */
static bool is_of_connection(slice line)
{
	static const slice NAMES[] = {
		SLICE_INIT("connection:"),
		SLICE_INIT("keep-alive:"),
		SLICE_INIT("proxy-connection:"),
		SLICE_INIT("transfer-encoding:"),
		SLICE_INIT("upgrade:"),
	};

	for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
		if (word_starts(line, NAMES[i]))
			return true;
	}
	return false;
}

int h2_add_line(slice line, struct buf *out)
{
	if (slice_eq(slice_sub(line, 0, DIGITS_AT), SLICE(VERSION " ")))
		return add_status_line(line, out);
	return is_of_connection(line) ? 0 : buf_add(out, line);
}

int h2_mend_request(struct buf *head)
{
	const char *end = head->len ? memchr(head->ptr, '\n', head->len) : NULL;
	size_t line = end ? (size_t)(end - head->ptr) + 1 : 0, at;

	if (line < strlen(END_OLD) ||
		memcmp(head->ptr + line - strlen(END_OLD), END_OLD, strlen(END_OLD)) != 0)
		return 0;
	at = line - strlen(VERSION "\r\n");
	TRY(buf_reserve(head, strlen(AS_IF) - strlen(VERSION)));
	memmove(head->ptr + at + strlen(AS_IF), head->ptr + at + strlen(VERSION),
		head->len - at - strlen(VERSION) + 1);
	memcpy(head->ptr + at, AS_IF, strlen(AS_IF));
	head->len += strlen(AS_IF) - strlen(VERSION);
	return 0;
}
