#include "net/transfer.h"

#include <curl/curl.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/word.h"
#include "formats/http_fields.h"
#include "formats/http_payload.h"
#include "formats/url.h"
#include "net/address.h"
#include "net/net.h"
#include "net/wire.h"

/* ---- bodies ---- */

/* Empty; allocates and opens nothing. For the thread of the counter, until body_let_go. */
static void body_init(struct body *b, const char *spool_dir, size_t *held)
{
	*b = (struct body){.spool_dir = spool_dir, .spool = -1, .held = held};
	buf_init(&b->memory, NET_MEMORY_MAX);
}

/* Gives the memory back to the counter. */
static void free_memory(struct body *b)
{
	if (b->held)
		*b->held -= b->memory.cap;
	buf_release(&b->memory);
}

/* Closes the file; the body is empty. */
static void body_release(struct body *b)
{
	if (b->spool >= 0)
		(void)close(b->spool);
	free_memory(b);
	body_init(b, b->spool_dir, b->held);
}

void body_let_go(struct body *b)
{
	if (b->held)
		*b->held -= b->memory.cap;
	b->held = NULL;
}

/* Moves what is in memory to a new file. */
static int write_spool(struct body *b, slice bytes, struct err *err)
{
	if (b->spool < 0 || io_write(b->spool, bytes.ptr, bytes.len))
		return err_set(err, ERR_IO, "cannot spool the body to %s: %s", b->spool_dir,
			strerror(errno));
	return 0;
}

/* Moves what is in memory to a new file. */
static int start_spool(struct body *b, struct err *err)
{
	int rc;

	b->spool = tempfile_open(b->spool_dir);
	rc = write_spool(b, buf_slice(&b->memory), err);
	if (rc == 0) {
		free_memory(b);
	} else if (b->spool >= 0) {
		(void)close(b->spool);
		b->spool = -1;
	}
	return rc;
}

static bool fits_memory(const struct body *b, size_t more)
{
	size_t len = b->memory.len;

	if (more > NET_MEMORY_MAX - len)
		return false;
	return len + more <= NET_MEMORY_MIN || more < b->memory.cap - len ||
	       *b->held + more <= NET_BODIES_MAX;
}

/*
 * Appends: 0, or ERR_IO with a sentence when the file cannot be made or written; the body is as
 * before then.
 */
static SP_MUST_CHECK int body_add(struct body *b, slice bytes, struct err *err)
{
	int rc = 0;

	if (b->spool < 0 && !fits_memory(b, bytes.len))
		TRY(start_spool(b, err));
	if (b->spool >= 0) {
		rc = write_spool(b, bytes, err);
		if (rc)
			(void)ftruncate(b->spool, (off_t)b->size);
	} else {
		size_t before = b->memory.cap;

		rc = buf_add(&b->memory, bytes);
		*b->held += b->memory.cap - before;
	}
	if (rc == 0)
		b->size += bytes.len;
	return rc;
}

/* ---- routes ---- */

enum {
	PORT_HTTP = 80,
	PORT_HTTPS = 443,
	ENTRY_MAX = DNS_NAME_MAX + DNS_ADDRESSES_MAX * (ADDRESS_TEXT_SIZE + 3) + 16,
};

/* Reads "http://host:port/" as request_split_url writes it. */
static void route_init(struct route *r, slice origin, unsigned allowed)
{
	bool tls = origin.len > 4 && origin.ptr[4] == 's';
	slice rest = slice_sub(origin, tls ? strlen("https://") : strlen("http://"), origin.len);
	const char *bracket = rest.len ? memchr(rest.ptr, ']', rest.len) : NULL;
	size_t end = bracket ? (size_t)(bracket - rest.ptr) + 1 : 0;
	slice host;
	uint64_t port;

	while (end < rest.len && rest.ptr[end] != ':' && rest.ptr[end] != '/')
		end++;
	host = slice_sub(rest, 0, end);
	*r = (struct route){.port = tls ? PORT_HTTPS : PORT_HTTP, .allowed = allowed};
	/* ":port/", or "/" alone. */
	if (end < rest.len && parse_u64(slice_sub(rest, end + 1, rest.len - 1), &port) == 0)
		r->port = (unsigned)port;
	r->is_literal = address_parse(host, &r->literal);
	if (host.len > 1 && host.ptr[0] == '[')
		host = slice_sub(host, 1, host.len - 1);
	r->host = mem_strdup(host);
}

/* The handle must be gone. Safe on a zeroed struct. */
static void route_release(struct route *r)
{
	curl_slist_free_all(r->addresses);
	if (r->share)
		(void)curl_share_cleanup(r->share);
	free(r->host);
	*r = (struct route){0};
}

/*
 * Lets libcurl connect to those of the addresses that are allowed, and to no others, by a cache of
 * names that only this handle has: what is put into that of the multi handle stays there for good,
 * for a server of the same name and port that another handle may have under other rules. 0, or
 * ERR_STATE when none is allowed: why has the sentence then.
 */
static SP_MUST_CHECK int route_set(
	struct route *r, CURL *easy, const struct dns_answer *answer, char *why, size_t size)
{
	BUF_SCOPED(entry, ENTRY_MAX); /* "host:port:address,address" */
	size_t count = 0;

	buf_printf(&entry, "%s:%u:", r->host, r->port);
	for (size_t i = 0; i < answer->count; i++) {
		char text[ADDRESS_TEXT_SIZE];

		if (!address_is_allowed(&answer->list[i], r->allowed))
			continue;
		address_format(&answer->list[i], text);
		buf_printf(&entry, answer->list[i].size == ADDRESS_V6_SIZE ? "%s[%s]" : "%s%s",
			count++ > 0 ? "," : "", text);
	}
	if (count == 0 || entry.error) {
		if (answer->count > 0)
			address_explain(&answer->list[0], why, size);
		return ERR_STATE;
	}
	r->addresses = curl_slist_append(NULL, buf_str(&entry));
	r->share = curl_share_init();
	if (!r->addresses || !r->share ||
		curl_share_setopt(r->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS) != CURLSHE_OK ||
		curl_easy_setopt(easy, CURLOPT_SHARE, r->share) != CURLE_OK ||
		curl_easy_setopt(easy, CURLOPT_RESOLVE, r->addresses) != CURLE_OK)
		mem_end();
	return 0;
}

/* ---- transfers ---- */

/*
 * What a request looks like on the wire: the request line and the header fields. libcurl is given
 * the origin alone to connect to, and the target apart from it, so that path and query go out byte
 * for byte.
 */

enum { FIELD_MAX = 64 << 10 }; /* bytes of one header field */

#define DEFAULT_AGENT "stillpoint/" STILLPOINT_VERSION

/*
 * Besides Host and User-Agent. Codings are those that any reader of archives can undo. no-cache
 * asks caches on the way for what the origin has now.
 */
static const struct net_header USUAL[] = {
	{SLICE_INIT("Accept"),
		SLICE_INIT("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")},
	{SLICE_INIT("Accept-Encoding"), SLICE_INIT("gzip, br")},
	{SLICE_INIT("Cache-Control"), SLICE_INIT("no-cache")},
};

/*
 * Origin ("http://host:port/") and target ("/path?query") of the URL, into empty buffers.
 * Credentials and fragment are left out. 0, or ERR_SYNTAX for what is no HTTP URL.
 */
static int request_split_url(slice url, struct buf *origin, struct buf *target, struct err *err)
{
	URL_SCOPED(u);
	int rc = url_parse(&u, url, NULL, err);

	if (rc == ERR_LIMIT)
		return ERR_SYNTAX;
	TRY(rc);
	if (!url_is_http(&u))
		return err_set(err, ERR_SYNTAX, "only http and https URLs can be fetched");
	buf_add(origin, url_part(&u, u.scheme));
	buf_add_str(origin, "://");
	buf_add(origin, url_part(&u, u.host));
	if (u.port != URL_NO_PORT)
		TRY(url_add_port(origin, u.port));
	buf_add_char(origin, '/');
	buf_add(target, url_part(&u, u.path));
	if (u.has_query)
		buf_add_char(target, '?');
	buf_add(target, url_part(&u, u.query));
	return origin->error ? origin->error : target->error;
}

/* A token of RFC 9110, section 5.6.2. */
static bool is_token(slice s)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];

		if (c <= ' ' || c >= 0x7f || strchr("\"(),/:;<=>?@[\\]{}", c))
			return false;
	}
	return s.len > 0;
}

static int add_field(struct curl_slist **list, slice name, slice value, struct err *err)
{
	BUF_SCOPED(line, FIELD_MAX);
	struct curl_slist *longer;

	if (!is_token(name) || !fields_is_value(value))
		return err_set(err, ERR_SYNTAX, "header field %.*s: not allowed in HTTP",
			(int)(name.len < 64 ? name.len : 64), name.ptr ? name.ptr : "");
	buf_add(&line, name);
	/* To libcurl "Name:" means to leave it out, "Name;" that it is empty. */
	buf_add_str(&line, value.len > 0 ? ": " : ";");
	if (buf_add(&line, value))
		return err_set(
			err, ERR_SYNTAX, "header field %.*s: too long", (int)name.len, name.ptr);
	longer = curl_slist_append(*list, buf_str(&line));
	if (!longer)
		mem_end();
	*list = longer;
	return 0;
}

/* Adds the field unless the request names it itself. */
static int add_usual(const struct net_request *request, struct curl_slist **list, slice name,
	slice value, struct err *err)
{
	for (size_t i = 0; i < request->header_count; i++)
		if (word_is(request->headers[i].name, name))
			return 0;
	return add_field(list, name, value, err);
}

/*
 * The header fields for libcurl: the request's own, and the usual ones it does not name itself. A
 * list that is not there yet is made; it is freed with curl_slist_free_all, whatever is returned.
 * 0, or ERR_SYNTAX for a name or value that HTTP does not allow.
 */
static int request_headers(const struct net_request *request, const char *user_agent,
	struct curl_slist **ret, struct err *err)
{
	if (*ret)
		return 0;
	TRY(add_usual(request, ret, SLICE("User-Agent"),
		slice_str(user_agent ? user_agent : DEFAULT_AGENT), err));
	for (size_t i = 0; i < sizeof USUAL / sizeof USUAL[0]; i++)
		TRY(add_usual(request, ret, USUAL[i].name, USUAL[i].value, err));
	for (size_t i = 0; i < request->header_count; i++)
		TRY(add_field(ret, request->headers[i].name, request->headers[i].value, err));
	return 0;
}

/* What libcurl's codes mean to us. */

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

/* Whether libcurl says that a proxy wants another user name and password. */
static bool failure_is_of_proxy_login(const char *text)
{
	return strstr(text, "407 from proxy") ||
	       strstr(text, "CONNECT tunnel failed, response 407") ||
	       strstr(text, "was rejected by the SOCKS5") || strstr(text, "SOCKS5 server (1 ");
}

/*
 * What a TLS library's text means where people would not know, and what to do about certificates
 * that are not trusted.
 */
static void failure_explain_tls(const char *text, char *ret, size_t size)
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
	};
	const char *meaning = text;

	for (size_t i = 0; i < sizeof KNOWN / sizeof KNOWN[0]; i++)
		if (strstr(text, KNOWN[i].part))
			meaning = KNOWN[i].meaning;
	(void)snprintf(ret, size, "%s%s", meaning,
		is_distrust(text) ? "; trust it with --cacert, or do not check with --insecure"
				  : "");
}

static enum net_failure failure_of_curl(CURLcode code)
{
	for (size_t i = 0; i < sizeof TABLE / sizeof TABLE[0]; i++) {
		if (TABLE[i].code == code)
			return TABLE[i].failure;
	}
	return NET_FAILURE_LOCAL;
}

/* Fields of the head that libcurl has read. */

static bool has_token(const char *list, const char *token)
{
	size_t len = strlen(token);

	while (*list) {
		size_t word = strcspn(list, " \t,;");

		if (word == len && strncasecmp(list, token, len) == 0)
			return true;
		list += word + (list[word] != '\0');
	}
	return false;
}

/* Value of the i-th field of that name in the final head, or NULL; until the next call. */
static const char *curl_field(CURL *easy, const char *name, size_t i)
{
	struct curl_header *h;

	return curl_easy_header(easy, name, i, CURLH_HEADER, -1, &h) == CURLHE_OK ? h->value : NULL;
}

static bool curl_fields_are_chunked(CURL *easy)
{
	const char *value;

	for (size_t i = 0; (value = curl_field(easy, "Transfer-Encoding", i)); i++) {
		if (has_token(value, "chunked"))
			return true;
	}
	return false;
}

/* Nobody knows which is meant (RFC 9112, section 6.3); libcurl takes the last. */
static bool curl_fields_have_two_lengths(CURL *easy)
{
	char first[32] = "";
	const char *value;

	for (size_t i = 0; (value = curl_field(easy, "Content-Length", i)); i++) {
		if (i == 0)
			(void)snprintf(first, sizeof first, "%s", value);
		else if (strcmp(first, value) != 0)
			return true;
	}
	return false;
}

enum {
	TARGET_MAX = 2 * URL_MAX, /* of a proxy's, origin and path */
	REQUEST_HEAD_MAX = 1 << 20,
	MS_PER_SECOND = 1000,
};

static int64_t stamp(const struct transfer *t)
{
	return clock_monotonic(t->shared->params.clock);
}

/* One line of printable ASCII: libcurl's texts may quote what the server said. */
static void set_detail(struct transfer *t, const char *text)
{
	size_t len = strnlen(text, sizeof t->fetch.detail - 1);

	while (len > 0 && (unsigned char)text[len - 1] <= ' ')
		len--;
	memcpy(t->fetch.detail, text, len);
	t->fetch.detail[len] = '\0';
	for (char *p = t->fetch.detail; *p; p++) {
		if ((unsigned char)*p < ' ' || (unsigned char)*p >= 0x7f)
			*p = '?';
	}
}

/* The first failure found is the one that counts: later ones follow from it. */
static void note_failure(struct transfer *t, enum net_failure failure, const char *text)
{
	char shown[sizeof t->fetch.detail];

	if (t->fetch.failure != NET_FAILURE_NONE)
		return;
	t->fetch.failure = failure;
	if (failure == NET_FAILURE_TLS)
		failure_explain_tls(text, shown, sizeof shown);
	set_detail(t, failure == NET_FAILURE_TLS ? shown : text);
}

/* Not the server's fault. */
static void note_starved(struct transfer *t, int error)
{
	char text[sizeof t->fetch.detail];

	if (t->fetch.failure != NET_FAILURE_NONE)
		return;
	(void)snprintf(text, sizeof text, "no socket: %s", strerror(error));
	note_failure(t, NET_FAILURE_LOCAL, text);
	t->fetch.starved = true;
}

/* Another address was reached after all. */
static void forget_starved(struct transfer *t)
{
	if (!t->fetch.starved)
		return;
	t->fetch.starved = false;
	t->fetch.failure = NET_FAILURE_NONE;
	t->fetch.detail[0] = '\0';
}

/* Starts a new window at now and moves the transfer to the end of the running ones. */
static void transfer_restart_window(struct transfer *t)
{
	t->window_start = clock_monotonic(clock_system());
	t->window_bytes = 0;
	transfer_list_append(&t->shared->running, t);
}

/* A window is good, and ends, when it has so many bytes. */
static void note_progress(struct transfer *t, size_t bytes)
{
	t->window_bytes += bytes;
	if ((double)t->window_bytes >= ceil(t->shared->params.stall_timeout * NET_STALL_SPEED))
		transfer_restart_window(t);
}

/*
 * Bytes that wait on a kept connection before anything was asked: no answer to what is about to be
 * asked, but libcurl would take them for it (7.88 does, whenever they came).
 */
static bool has_stray_bytes(const struct transfer *t, const struct socket_ends *ends)
{
	long connects = 0;

	/* HTTP/2 has frames of its own to send at any time, and knows whose each of them is. */
	if (t->tls.h2 || curl_easy_getinfo(t->easy, CURLINFO_NUM_CONNECTS, &connects) != CURLE_OK ||
		connects > 0 || !ends->remote_ip)
		return false;
	return sockets_have_input(&t->shared->sockets, ends);
}

/* One that was made under other rules: for another request, or before an answer changed. */
static bool leads_astray(const struct transfer *t, const struct socket_ends *ends)
{
	struct address remote;

	return !t->shared->params.proxy && ends->remote_ip &&
	       address_parse(slice_str(ends->remote_ip), &remote) &&
	       !address_is_allowed(&remote, t->route.allowed);
}

/*
 * Connected, nothing sent. Called once more when a kept connection proved dead and libcurl starts
 * over with a new one: what belonged to the old one is forgotten.
 */
static int on_connected(
	void *userdata, char *remote_ip, char *local_ip, int remote_port, int local_port)
{
	struct transfer *t = userdata;
	struct socket_ends ends = {
		.remote_ip = remote_ip, .remote_port = remote_port, .local_port = local_port};

	(void)local_ip;
	tls_look(t->easy, &t->tls);
	t->shuns = (t->http1 && t->tls.h2) || has_stray_bytes(t, &ends) || leads_astray(t, &ends);
	if (t->shuns)
		return CURL_PREREQFUNC_ABORT;
	forget_starved(t);
	/* A proxy's address is not the server's. */
	(void)snprintf(t->fetch.ip, sizeof t->fetch.ip, "%s",
		remote_ip && !t->shared->params.proxy ? remote_ip : "");
	buf_reset(&t->request_head);
	t->received = 0;
	t->tls_closed = false;
	t->fetch.monotonic = (struct net_times){0};
	transfer_restart_window(t);
	t->fetch.monotonic.sent = stamp(t);
	return CURL_PREREQFUNC_OK;
}

static int on_debug(CURL *easy, curl_infotype type, char *data, size_t size, void *userdata)
{
	struct transfer *t = userdata;

	(void)easy;
	if (type == CURLINFO_DATA_IN)
		t->received += size;
	if (type == CURLINFO_SSL_DATA_IN)
		tls_hear(&t->talk, data, size);
	if (type != CURLINFO_HEADER_OUT && (type != CURLINFO_DATA_OUT || t->hides_post))
		return 0;
	if (buf_add(&t->request_head, (slice){data, size}))
		note_failure(t, NET_FAILURE_LOCAL, "no memory for the request's head");
	return 0;
}

static bool is_interim(const struct transfer *t)
{
	return t->fetch.status / 100 == 1;
}

/* Whether the body has all its bytes, although libcurl waits for more. */
static bool is_at_end(struct transfer *t)
{
	t->ended = t->has_end && t->body.size >= t->end;
	return t->ended;
}

/* The empty line has come. */
static bool end_head(struct transfer *t)
{
	long status = 0;

	(void)curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
	t->head_whole = true;
	t->fetch.status = (unsigned)status;
	if (status == 101)
		note_failure(t, NET_FAILURE_PROTOCOL,
			"the server switched protocols without being asked");
	else if (status < 100)
		note_failure(t, NET_FAILURE_PROTOCOL, "no HTTP status");
	/* libcurl waits for the end of the connection then. */
	if (!is_interim(t) && !t->tls.h2)
		t->has_end = framing_identity_end(buf_slice(&t->head), &t->end);
	return t->fetch.failure == NET_FAILURE_NONE && !is_at_end(t);
}

/* Takes the bytes out of what the caller may still receive. */
static bool spend(struct transfer *t, size_t bytes)
{
	note_progress(t, bytes);
	if (!t->budget)
		return true;
	if (*t->budget < bytes) {
		*t->budget = 0;
		note_failure(
			t, NET_FAILURE_TOO_LARGE, "the limit of bytes is reached (--max-bytes)");
		return false;
	}
	*t->budget -= bytes;
	return true;
}

/* One line of a head, with its end. Returning anything but its size ends the transfer. */
static size_t on_header(char *ptr, size_t size, size_t count, void *userdata)
{
	struct transfer *t = userdata;
	slice line = {ptr, size * count};

	if (t->fetch.monotonic.first_byte == 0)
		t->fetch.monotonic.first_byte = stamp(t);
	if (t->head_whole && is_interim(t)) {
		buf_reset(&t->head);
		t->head_whole = false;
	}
	if (!spend(t, line.len))
		return 0;
	if (t->head_whole)
		return line.len; /* a trailer */
	t->head_received += line.len;
	if (t->head_received > t->shared->params.max_head ||
		(t->tls.h2 ? h2_add_line(line, &t->head) : buf_add(&t->head, line))) {
		note_failure(t, NET_FAILURE_TOO_LARGE, "the response's head is too large");
		return 0;
	}
	/* As libcurl sees it: an empty line may end in LF alone. */
	if ((line.ptr[0] == '\r' || line.ptr[0] == '\n') && !end_head(t))
		return 0;
	return line.len;
}

/*
 * libcurl knows where a chunked body ends, but hands out all it has read, also what came behind.
 * A connection with such bytes must not be used again: they could be taken for the next response.
 */
static slice within_chunks(struct transfer *t, slice bytes)
{
	uint64_t before = t->chunks.consumed;
	slice in = bytes, data;

	while (in.len > 0 && !http_chunked_complete(&t->chunks)) {
		if (http_chunked_next(&t->chunks, &in, &data))
			return bytes;
	}
	if (in.len > 0)
		(void)curl_easy_setopt(t->easy, CURLOPT_FORBID_REUSE, 1L);
	return slice_sub(bytes, 0, (size_t)(t->chunks.consumed - before));
}

static bool add_to_body(struct transfer *t, slice bytes)
{
	uint64_t left = t->shared->params.max_body - t->body.size;
	char text[sizeof t->fetch.detail];
	struct err err = {0};

	if (body_add(&t->body, slice_sub(bytes, 0, bytes.len < left ? bytes.len : (size_t)left),
		    &err)) {
		note_failure(t, NET_FAILURE_LOCAL, err.text);
		return false;
	}
	if (bytes.len > left) {
		(void)snprintf(text, sizeof text, "the body has more than %llu bytes (--max-body)",
			(unsigned long long)t->shared->params.max_body);
		note_failure(t, NET_FAILURE_TOO_LARGE, text);
	}
	return bytes.len <= left;
}

static size_t on_body(char *ptr, size_t size, size_t count, void *userdata)
{
	struct transfer *t = userdata;
	slice bytes = {ptr, size * count};

	if (!spend(t, bytes.len))
		return 0;
	if (!t->body_began) {
		t->body_began = true;
		t->chunked = !t->tls.h2 && curl_fields_are_chunked(t->easy);
	}
	if (t->chunked)
		bytes = within_chunks(t, bytes);
	else if (t->has_end)
		bytes = slice_sub(bytes, 0, (size_t)(t->end - t->body.size));
	return add_to_body(t, bytes) && !is_at_end(t) ? size * count : 0;
}

/* The last gate, whatever libcurl was told to connect to. The user's own proxy is let through. */
static curl_socket_t on_open(void *userdata, curlsocktype purpose, struct curl_sockaddr *to)
{
	struct transfer *t = userdata;
	char why[sizeof t->fetch.detail];
	curl_socket_t fd;
	struct address a;

	if (!address_of_socket(&to->addr, &a)) {
		note_failure(t, NET_FAILURE_FORBIDDEN, "not an internet address");
		return CURL_SOCKET_BAD;
	}
	if (!t->shared->params.proxy && !address_is_allowed(&a, t->route.allowed)) {
		address_explain(&a, why, sizeof why);
		note_failure(t, NET_FAILURE_FORBIDDEN, why);
		return CURL_SOCKET_BAD;
	}
	fd = sockets_open(&t->shared->sockets, purpose, to);
	if (fd == CURL_SOCKET_BAD && sockets_error_is_local(errno))
		note_starved(t, errno);
	return fd;
}

/* Called at every turn, the last one included, while the connection is still there. */
static int on_progress(
	void *userdata, curl_off_t expected, curl_off_t got, curl_off_t to_send, curl_off_t sent)
{
	struct transfer *t = userdata;

	(void)expected, (void)got, (void)to_send, (void)sent;
	if (t->tls.version[0] && !t->tls_closed)
		t->tls_closed = tls_is_closed(t->easy);
	return 0;
}

static long milliseconds(double seconds)
{
	double ms = ceil(seconds * MS_PER_SECOND);

	return ms < (double)INT32_MAX ? (long)ms : INT32_MAX;
}

#define SET(option, value) ok = ok && curl_easy_setopt(easy, (option), (value)) == CURLE_OK

/* What makes a fetch exact: nothing decoded, followed, added or remembered. */
static bool set_options(struct transfer *t, const struct net_request *request)
{
	const struct net_params *params = &t->shared->params;
	CURL *easy = t->easy;
	bool ok = true;

	/* What makes a fetch exact: nothing decoded, followed, added or remembered. */
	SET(CURLOPT_HTTP09_ALLOWED, 0L);
	SET(CURLOPT_HTTP_TRANSFER_DECODING, 0L);
	SET(CURLOPT_HTTP_CONTENT_DECODING, 0L);
	SET(CURLOPT_FOLLOWLOCATION, 0L);
	SET(CURLOPT_PROTOCOLS_STR, "http,https");
	SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	SET(CURLOPT_NOSIGNAL, 1L);
	SET(CURLOPT_DNS_CACHE_TIMEOUT, 0L); /* what it is told (net/transfer.h) does not age */

	/* HTTP/2 only where TLS agrees on it: in clear it would take fields that nobody asked for.
	 */
	SET(CURLOPT_HTTP_VERSION, params->http2 && !t->http1 ? (long)CURL_HTTP_VERSION_2TLS
							     : (long)CURL_HTTP_VERSION_1_1);
	SET(CURLOPT_SSL_CTX_FUNCTION, tls_set_up);
	if (params->ca_file)
		SET(CURLOPT_CAINFO, params->ca_file);
	if (t->shows_cert) {
		SET(CURLOPT_SSLCERT, params->cert_file);
		SET(CURLOPT_SSLKEY, params->key_file ? params->key_file : params->cert_file);
	}
	if (params->insecure) {
		SET(CURLOPT_SSL_VERIFYPEER, 0L);
		SET(CURLOPT_SSL_VERIFYHOST, 0L);
	}

	/* What the environment says of proxies is not asked: a capture must not depend on it. */
	SET(CURLOPT_PROXY, params->proxy ? params->proxy : "");
	SET(CURLOPT_NOPROXY, "");
	SET(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);

	SET(CURLOPT_PRIVATE, t);
	SET(CURLOPT_ERRORBUFFER, t->error);
	SET(CURLOPT_PREREQFUNCTION, on_connected);
	SET(CURLOPT_PREREQDATA, t);
	SET(CURLOPT_OPENSOCKETFUNCTION, on_open);
	SET(CURLOPT_OPENSOCKETDATA, t);
	SET(CURLOPT_CLOSESOCKETFUNCTION, sockets_close);
	SET(CURLOPT_CLOSESOCKETDATA, &t->shared->sockets);
	SET(CURLOPT_HEADERFUNCTION, on_header);
	SET(CURLOPT_HEADERDATA, t);
	SET(CURLOPT_WRITEFUNCTION, on_body);
	SET(CURLOPT_WRITEDATA, t);
	SET(CURLOPT_DEBUGFUNCTION, on_debug);
	SET(CURLOPT_DEBUGDATA, t);
	SET(CURLOPT_VERBOSE, 1L); /* or nobody calls on_debug */
	SET(CURLOPT_XFERINFOFUNCTION, on_progress);
	SET(CURLOPT_XFERINFODATA, t);
	SET(CURLOPT_NOPROGRESS, t->is_https ? 0L : 1L);
	if (request->post.ptr) {
		SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->post.len);
		SET(CURLOPT_COPYPOSTFIELDS, request->post.ptr);
	}
	return ok;
}

static int set_up(struct transfer *t, const struct net_request *request, struct err *err)
{
	const struct net_params *params = &t->shared->params;
	struct curl_slist **headers = request->header_count ? &t->headers : &t->shared->usual;
	CURL *easy = t->easy;
	BUF_SCOPED(origin, TARGET_MAX);
	BUF_SCOPED(path, TARGET_MAX);
	BUF_SCOPED(target, TARGET_MAX);
	bool ok;

	if (buf_add(&t->url, request->url))
		return err_set(err, ERR_SYNTAX, "URL: %s", err_name(ERR_LIMIT));
	TRY(request_split_url(request->url, &origin, &path, err));
	route_init(&t->route, buf_slice(&origin), params->allowed | request->allowed);
	/* A proxy that does not hand a connection through, but asks for us, wants the whole URL. */
	if (proxy_asks_for_us(params->proxy, buf_slice(&origin)))
		buf_add(&target, slice_sub(buf_slice(&origin), 0, origin.len - 1));
	TRY(buf_add(&target, buf_slice(&path)));
	TRY(request_headers(request, params->user_agent, headers, err));
	t->budget = request->budget;
	t->http1 = request->http1;
	t->shows_cert = request->shows_cert && params->cert_file;
	t->is_https = word_starts(request->url, SLICE("https:"));
	ok = set_options(t, request);
	SET(CURLOPT_URL, buf_str(&origin));
	SET(CURLOPT_REQUEST_TARGET, buf_str(&target));
	SET(CURLOPT_HTTPHEADER, *headers);
	return ok ? 0 : ERR_NOMEM;
}

int transfer_new(struct transfer_shared *shared, const struct net_request *request,
	struct transfer **ret, struct err *err)
{
	struct transfer *t = mem_new(1, sizeof *t);
	int rc = ERR_NOMEM;

	t->shared = shared;
	t->hides_post = request->hides_post;
	t->fetch = (struct net_fetch){
		.tag = request->tag, .is_post = request->post.ptr != NULL, .spool = -1};
	t->begun = clock_monotonic(clock_system());
	buf_init(&t->url, URL_MAX);
	buf_init(&t->request_head, REQUEST_HEAD_MAX);
	buf_init(&t->head, NET_HEAD_MAX);
	body_init(&t->body, shared->params.spool_dir, &shared->held);
	t->easy = curl_easy_init();
	if (t->easy)
		rc = set_up(t, request, err);
	if (rc) {
		transfer_free(t);
		return err_code(err, rc);
	}
	*ret = t;
	return 0;
}

static bool refuse(struct transfer *t, enum net_failure failure, const char *text)
{
	note_failure(t, failure, text);
	transfer_finish(t, CURLE_OK);
	return false;
}

bool transfer_set_route(struct transfer *t, const struct dns_answer *answer)
{
	const struct net_params *params = &t->shared->params;
	double gone = clock_seconds(clock_monotonic(clock_system()) - t->begun);
	char why[sizeof t->fetch.detail] = "";
	CURL *easy = t->easy;
	bool ok = true;

	/* Checked before anything: of a literal there is no answer. */
	if (port_is_refused(t->route.port)) {
		port_explain(t->route.port, why, sizeof why);
		return refuse(t, NET_FAILURE_FORBIDDEN, why);
	}
	if (t->route.is_literal && !address_is_allowed(&t->route.literal, t->route.allowed)) {
		address_explain(&t->route.literal, why, sizeof why);
		return refuse(t, NET_FAILURE_FORBIDDEN, why);
	}
	if (answer) {
		t->fetch.no_name = answer->no_name;
		t->fetch.starved = answer->failure == NET_FAILURE_LOCAL;
		if (answer->failure != NET_FAILURE_NONE)
			return refuse(t, answer->failure, answer->detail);
		if (route_set(&t->route, easy, answer, why, sizeof why))
			return refuse(t, NET_FAILURE_FORBIDDEN, why);
	}
	/* Of time, what is left of it when the name has been resolved. */
	SET(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(fmax(params->connect_timeout - gone, 1e-3)));
	SET(CURLOPT_TIMEOUT_MS, milliseconds(fmax(params->timeout - gone, 1e-3)));
	SET(CURLOPT_MAX_RECV_SPEED_LARGE, (curl_off_t)params->max_speed);
	return ok || refuse(t, NET_FAILURE_LOCAL, "libcurl has no memory");
}

bool transfer_may_start_over(struct transfer *t, CURLcode code)
{
	if (code != CURLE_ABORTED_BY_CALLBACK || !t->shuns)
		return false;
	t->shuns = false;
	t->error[0] = '\0';
	return curl_easy_setopt(t->easy, CURLOPT_FRESH_CONNECT, 1L) == CURLE_OK;
}

static void release_handle(struct transfer *t)
{
	curl_easy_cleanup(t->easy);
	curl_slist_free_all(t->headers);
	route_release(&t->route);
	t->easy = NULL;
	t->headers = NULL;
}

void transfer_shared_release(struct transfer_shared *shared)
{
	curl_slist_free_all(shared->usual);
	shared->usual = NULL;
}

void transfer_free(struct transfer *t)
{
	if (!t)
		return;
	dns_leave(&t->waiter);
	transfer_list_remove(t);
	release_handle(t);
	body_release(&t->body);
	buf_release(&t->head);
	buf_release(&t->request_head);
	buf_release(&t->url);
	free(t);
}

/*
 * libcurl takes more for a head than readers of the archive will ("HTTP/1.1 200OK"). What they
 * could not read is not kept as a response.
 */
static bool head_is_readable(const struct transfer *t)
{
	struct payload p = {0};
	bool good;

	payload_start_unchecked(&p, PAYLOAD_HTTP);
	good = payload_feed(&p, buf_slice(&t->head)) == 0 && p.state == PAYLOAD_BODY &&
	       p.body == 0 && p.status == t->fetch.status;
	payload_release(&p);
	return good;
}

/* Forgets the response: it is none that could be kept. */
static void drop_response(struct transfer *t, enum net_failure failure, const char *text)
{
	t->head_whole = false;
	body_release(&t->body);
	note_failure(t, failure, text);
}

/* What a proxy says for itself is not the server's answer. */
static void judge_proxy(struct transfer *t, CURLcode code)
{
	if (!t->shared->params.proxy)
		return;
	if ((t->head_whole && t->fetch.status == 407) || failure_is_of_proxy_login(t->error))
		drop_response(t, NET_FAILURE_CONNECT,
			strchr(t->shared->params.proxy, '@')
				? "the proxy refuses the user name and password of --proxy"
				: "the proxy wants a user name and password (--proxy)");
	else if (code != CURLE_OK && t->fetch.monotonic.sent == 0 &&
		 failure_of_curl(code) == NET_FAILURE_RESET)
		note_failure(t, NET_FAILURE_CONNECT,
			t->error[0] ? t->error : "the proxy refused the connection");
}

/*
 * What becomes of the connection to a server that asks for a certificate and gets none it likes
 * depends on its version of TLS and on timing: an alert within the handshake or behind it, which a
 * reset may overtake, or nothing but the end. Without an alert it may also have another reason, for
 * which there are retries.
 */
static void judge_certificate(struct transfer *t, CURLcode code)
{
	enum net_failure failure = failure_of_curl(code);

	if (!t->talk.asked || t->fetch.monotonic.first_byte || is_distrust(t->error) ||
		(failure != NET_FAILURE_TLS && failure != NET_FAILURE_RESET))
		return;
	note_failure(t, t->talk.refusing ? NET_FAILURE_TLS : failure,
		t->shows_cert ? NET_BAD_CERTIFICATE : NET_NO_CERTIFICATE);
}

static bool has_no_body(unsigned status)
{
	return status == 204 || status == 304;
}

/* Whether nothing but the end of its connection, or stream, shows where the body ends. */
static bool is_unlimited(const struct transfer *t)
{
	return !t->chunked && !has_no_body(t->fetch.status) &&
	       !curl_field(t->easy, "Content-Length", 0);
}

/* What libcurl takes for a whole response is held against what we know ourselves. */
static void judge(struct transfer *t, CURLcode code)
{
	bool bad_chunks = t->chunked && t->chunks.state == HTTP_CHUNKED_BAD;
	long error = 0;

	if (t->ended && t->fetch.failure == NET_FAILURE_NONE)
		code = CURLE_OK;
	if (code == CURLE_COULDNT_CONNECT &&
		curl_easy_getinfo(t->easy, CURLINFO_OS_ERRNO, &error) == CURLE_OK &&
		sockets_error_is_local((int)error))
		note_starved(t, (int)error);
	judge_proxy(t, code);
	judge_certificate(t, code);
	if (t->head_whole && !is_interim(t) && !head_is_readable(t))
		drop_response(t, NET_FAILURE_PROTOCOL, "the response's head cannot be read");
	if (bad_chunks)
		note_failure(t, NET_FAILURE_PROTOCOL, "malformed chunked body");
	/* A line of the head beyond libcurl's own maximum. */
	if (code == CURLE_OUT_OF_MEMORY && t->fetch.monotonic.sent && !t->head_whole)
		note_failure(t, NET_FAILURE_TOO_LARGE, "the response's head is too large");
	/* What libcurl says of a head that begins with a folded field. */
	if (code == CURLE_BAD_FUNCTION_ARGUMENT && t->fetch.monotonic.first_byte)
		note_failure(t, NET_FAILURE_PROTOCOL, "the response's head cannot be read");
	if (code != CURLE_OK)
		note_failure(t, failure_of_curl(code),
			t->error[0] ? t->error : curl_easy_strerror(code));
	else if (!t->head_whole || is_interim(t))
		note_failure(t, NET_FAILURE_RESET, "the connection ended within the head");
	else if (t->chunked && !http_chunked_complete(&t->chunks))
		note_failure(t, NET_FAILURE_RESET, "the chunked body is not whole");
	else if (!t->chunked && curl_fields_have_two_lengths(t->easy))
		note_failure(t, NET_FAILURE_PROTOCOL, "two different content lengths");
	else if (t->tls.version[0] && !t->tls.h2 && is_unlimited(t) && !t->tls_closed)
		note_failure(
			t, NET_FAILURE_RESET, "the TLS connection ended without a close_notify");
}

static struct net_times wall_times(struct net_times m, int64_t offset)
{
	return (struct net_times){
		.sent = m.sent ? m.sent + offset : 0,
		.first_byte = m.first_byte ? m.first_byte + offset : 0,
		.last_byte = m.last_byte ? m.last_byte + offset : 0,
	};
}

/* How the answer came. The handle is still there. */
static void note_protocol(struct transfer *t)
{
	struct net_fetch *f = &t->fetch;
	long version = 0;

	(void)curl_easy_getinfo(t->easy, CURLINFO_HTTP_VERSION, &version);
	(void)snprintf(f->tls, sizeof f->tls, "%s", t->tls.version);
	(void)snprintf(f->cipher, sizeof f->cipher, "%s", t->tls.cipher);
	if (t->tls.h2)
		(void)snprintf(f->protocol, sizeof f->protocol, "h2");
	else if (t->head_whole)
		(void)snprintf(f->protocol, sizeof f->protocol, "http/1.%c",
			version == CURL_HTTP_VERSION_1_0 ? '0' : '1');
	f->open_ended = t->tls.h2 && f->failure == NET_FAILURE_NONE && is_unlimited(t);
	if (t->tls.h2 && h2_mend_request(&t->request_head))
		buf_reset(&t->request_head);
}

/* The fetch as the caller sees it. */
static void fill(struct transfer *t)
{
	struct net_fetch *f = &t->fetch;

	if (!t->head_whole || is_interim(t)) {
		buf_reset(&t->head);
		f->status = 0;
	}
	f->url = buf_slice(&t->url);
	f->truncated = f->failure != NET_FAILURE_NONE && f->status != 0;
	f->request_head = buf_slice(&t->request_head);
	f->head = buf_slice(&t->head);
	f->body = buf_slice(&t->body.memory);
	f->body_size = t->body.size;
	if (f->failure == NET_FAILURE_NONE && t->received > t->body.size)
		f->excess = t->received - t->body.size;
	f->spool = t->body.spool;
	if (f->spool >= 0)
		(void)lseek(f->spool, 0, SEEK_SET);
	f->wall = wall_times(f->monotonic, t->shared->wall_offset);
}

void transfer_finish(struct transfer *t, CURLcode code)
{
	long connects = 0;

	t->fetch.monotonic.last_byte = stamp(t);
	judge(t, code);
	(void)curl_easy_getinfo(t->easy, CURLINFO_NUM_CONNECTS, &connects);
	t->fetch.reused = t->fetch.monotonic.sent != 0 && connects == 0;
	t->fetch.wants_cert = t->talk.asked && !t->shows_cert;
	note_protocol(t);
	release_handle(t);
	fill(t);
	transfer_list_append(&t->shared->finished, t);
}

void transfer_fail(struct transfer *t, enum net_failure failure, const char *fmt, ...)
{
	char text[sizeof t->fetch.detail];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	note_failure(t, failure, text);
	transfer_finish(t, CURLE_OK);
}
