#include "httpd/httpd.h"

#include <microhttpd.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "httpd/listen.h"
#include "httpd/waker.h"

enum {
	CONNECTIONS_MAX = 4096,
	IDLE_SECONDS = 60,
	CONNECTION_MEMORY = 128 << 10, /* head of a request, and fields of its response */
	BLOCK_SIZE = 32 << 10,         /* of a body that is sent in pieces */
};

struct httpd {
	struct httpd_params params;
	struct MHD_Daemon *daemon;
	struct waker waker;
	uint16_t port;
	atomic_uint_fast64_t connections; /* so far */
};

/*
 * One request and its response, from the request line until the last byte is sent. It is made when
 * the target is known, for that is the only moment at which libmicrohttpd shows it as sent.
 */
struct exchange {
	struct httpd *httpd;
	struct MHD_Connection *connection;
	char *target;  /* owned; NULL: no memory or too long */
	bool begun;    /* libmicrohttpd has shown it once */
	bool answered; /* the handler has been called */
	bool paused;   /* pause_ns has begun */
	struct buf body;
	bool body_cut;
	struct httpd_response response;
};

const char *httpd_request_field(const struct httpd_request *q, const char *name)
{
	return MHD_lookup_connection_value(q->connection, MHD_HEADER_KIND, name);
}

static void drop_stream(struct httpd_response *r)
{
	if (r->stream.read && r->stream.free)
		r->stream.free(r->stream.context);
	r->stream = (struct httpd_stream){0};
}

static void spoil(struct httpd_response *r)
{
	drop_stream(r);
	r->status = MHD_HTTP_INTERNAL_SERVER_ERROR;
	buf_reset(&r->headers);
	buf_reset(&r->body);
}

void httpd_header(struct httpd_response *r, const char *name, const char *value)
{
	size_t name_size = strlen(name) + 1, value_size = strlen(value) + 1;

	if (value[strcspn(value, "\r\n")] || buf_reserve(&r->headers, name_size + value_size)) {
		spoil(r);
		return;
	}
	/* Room is there: two strings, each with its NUL. */
	(void)buf_add(&r->headers, (slice){name, name_size});
	(void)buf_add(&r->headers, (slice){value, value_size});
}

static void *begin_exchange(void *context, const char *uri, struct MHD_Connection *connection)
{
	struct exchange *e = calloc(1, sizeof *e);

	if (!e)
		return NULL;
	e->httpd = context;
	e->connection = connection;
	if (strlen(uri) <= HTTPD_TARGET_MAX)
		e->target = strdup(uri);
	buf_init(&e->response.headers, HTTPD_HEADERS_MAX);
	buf_init(&e->response.body, HTTPD_BODY_MAX);
	buf_init(&e->body, e->httpd->params.body_max);
	return e;
}

static void end_exchange(void *context, struct MHD_Connection *connection, void **state,
	enum MHD_RequestTerminationCode code)
{
	struct exchange *e = *state;

	(void)context;
	(void)connection;
	(void)code;
	*state = NULL;
	if (!e)
		return;
	drop_stream(&e->response);
	buf_release(&e->response.headers);
	buf_release(&e->response.body);
	buf_release(&e->body);
	free(e->target);
	free(e);
}

/* The Host field without its port; the colons of an IPv6 address stand in brackets. */
static slice host_of(const char *field)
{
	slice host = slice_str(field ? field : "");
	size_t at = host.len;

	while (at > 0 && host.ptr[at - 1] >= '0' && host.ptr[at - 1] <= '9')
		at--;
	if (at > 0 && host.ptr[at - 1] == ':')
		host.len = at - 1;
	return host;
}

/* Numbers the connections; without memory a connection is number 0. */
static void notify_connection(void *context, struct MHD_Connection *connection, void **state,
	enum MHD_ConnectionNotificationCode code)
{
	struct httpd *h = context;
	uint64_t *number;

	(void)connection;
	if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
		free(*state);
		return;
	}
	number = malloc(sizeof *number);
	if (number)
		*number = atomic_fetch_add(&h->connections, 1);
	*state = number;
}

static uint64_t connection_number(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	const uint64_t *number = info ? info->socket_context : NULL;

	return number ? *number : 0;
}

static void call_handler(struct exchange *e, const char *method)
{
	struct httpd *h = e->httpd;
	struct httpd_request q = {
		.method = slice_str(method),
		.connection = e->connection,
		.port = h->port,
		.body = buf_slice(&e->body),
		.body_cut = e->body_cut,
		.connection_number = connection_number(e->connection),
		.host = host_of(MHD_lookup_connection_value(
			e->connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST)),
	};

	e->answered = true;
	if (!e->target) {
		e->response.status = MHD_HTTP_URI_TOO_LONG;
		if (h->params.policy)
			httpd_header(&e->response, "Content-Security-Policy", h->params.policy);
		return;
	}
	q.target = slice_str(e->target);
	q.path = slice_sub(q.target, 0, strcspn(e->target, "?"));
	h->params.handler(h->params.context, &q, &e->response);
	if (e->response.status == 0)
		spoil(&e->response);
}

/*
 * libmicrohttpd ends a connection in good order, whatever SO_LINGER says. To dissolve the
 * association is what makes Linux send a reset at once (tcp_disconnect).
 */
static enum MHD_Result reset(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct sockaddr nobody = {.sa_family = AF_UNSPEC};

	if (info)
		(void)connect(info->connect_fd, &nobody, sizeof nobody);
	return MHD_NO;
}

/* Gives out the body piece by piece, with what is to happen in its middle. */
static ssize_t read_body(void *context, uint64_t at, char *out, size_t room)
{
	struct exchange *e = context;
	const struct httpd_response *r = &e->response;
	size_t middle = r->body.len / 2, end = r->body.len;

	if (at >= middle && r->end == HTTPD_TRUNCATED)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	if (at == middle && r->pause_ns > 0 && !e->paused) {
		e->paused = true;
		if (waker_sleep(&e->httpd->waker, e->connection, r->pause_ns))
			return 0;
	}
	if (at < middle)
		end = middle;
	if (room > end - at)
		room = end - at;
	memcpy(out, r->body.ptr + at, room);
	return (ssize_t)room;
}

/* libmicrohttpd takes no 0 for the end. */
static ssize_t read_stream(void *context, uint64_t at, char *out, size_t room)
{
	struct httpd_stream *stream = context;
	ssize_t n = stream->read(stream->context, out, room);

	(void)at;
	if (n < 0)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	return n > 0 ? n : MHD_CONTENT_READER_END_OF_STREAM;
}

static struct MHD_Response *make_response(struct exchange *e)
{
	struct httpd_response *r = &e->response;
	struct MHD_Response *m;

	if (r->stream.read)
		return MHD_create_response_from_callback(
			r->stream.has_size ? r->stream.size : MHD_SIZE_UNKNOWN, BLOCK_SIZE,
			read_stream, &r->stream, NULL);
	if (r->body.len > 1 && (r->pause_ns > 0 || r->end == HTTPD_TRUNCATED))
		return MHD_create_response_from_callback(
			r->body.len, BLOCK_SIZE, read_body, e, NULL);
	m = MHD_create_response_from_buffer(r->body.len, r->body.ptr, MHD_RESPMEM_MUST_FREE);
	if (m)
		r->body = (struct buf){.max = r->body.max}; /* it is the response's now */
	return m;
}

/* libmicrohttpd refuses fields without a value, and the response would be lost with them. */
static bool is_blank(const char *value)
{
	return value[strspn(value, " \t")] == '\0';
}

static bool add_headers(struct MHD_Response *m, const struct buf *headers)
{
	size_t at = 0;

	while (at < headers->len) {
		const char *name = headers->ptr + at;
		const char *value = name + strlen(name) + 1;

		if (!is_blank(value) && MHD_add_response_header(m, name, value) != MHD_YES)
			return false;
		at = (size_t)(value - headers->ptr) + strlen(value) + 1;
	}
	return true;
}

static enum MHD_Result send_response(struct exchange *e)
{
	enum MHD_Result result = MHD_NO;
	struct MHD_Response *m;

	if (e->response.end == HTTPD_RESET)
		return reset(e->connection);
	m = make_response(e);
	if (m && add_headers(m, &e->response.headers))
		result = MHD_queue_response(e->connection, e->response.status, m);
	if (m)
		MHD_destroy_response(m);
	return result;
}

/* What is due now; called when the fields are there, at the end of a body, and after a sleep. */
static enum MHD_Result go_on(struct exchange *e, const char *method)
{
	if (!e->begun) {
		e->begun = true; /* to answer before the body is here would cut it off */
		return MHD_YES;
	}
	if (!e->answered) {
		call_handler(e, method);
		if (e->response.wait_ns > 0 &&
			waker_sleep(&e->httpd->waker, e->connection, e->response.wait_ns))
			return MHD_YES;
	}
	return send_response(e);
}

static void take_body(struct exchange *e, slice bytes)
{
	size_t room = e->body.max - e->body.len;

	if (bytes.len > room || buf_add(&e->body, bytes)) {
		e->body_cut = true;
		(void)buf_add(&e->body, slice_sub(bytes, 0, room));
	}
}

/* libmicrohttpd's parameters. NOLINTNEXTLINE(readability-function-size) */
static enum MHD_Result access_handler(void *context, struct MHD_Connection *connection,
	const char *url, const char *method, const char *version, const char *upload,
	size_t *upload_len, void **state)
{
	(void)context;
	(void)connection;
	(void)url;
	(void)version;
	if (!*state)
		return MHD_NO;
	if (*upload_len > 0) {
		take_body(*state, (slice){upload, *upload_len});
		*upload_len = 0;
		return MHD_YES;
	}
	return go_on(*state, method);
}

/* Escapes stay as they are. */
static size_t keep_escapes(void *context, struct MHD_Connection *connection, char *text)
{
	(void)context;
	(void)connection;
	return strlen(text);
}

SP_PRINTF(2, 0)
static void log_message(void *context, const char *fmt, va_list ap)
{
	char text[256];

	(void)context;
	if (!log_enabled(LOG_LEVEL_DEBUG))
		return;
	(void)vsnprintf(text, sizeof text, fmt, ap);
	log_debug("httpd", "%s", text);
}

static struct MHD_Daemon *start_daemon(struct httpd *h, int fd)
{
	unsigned threads = h->params.threads > 1 ? h->params.threads : 0;
	unsigned flags =
		MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;

	/* The logger first, or it misses what is said about the other options. */
	return MHD_start_daemon(flags, 0, NULL, NULL, access_handler, h, MHD_OPTION_EXTERNAL_LOGGER,
		log_message, NULL, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_THREAD_POOL_SIZE,
		threads, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
		MHD_OPTION_URI_LOG_CALLBACK, begin_exchange, h, MHD_OPTION_UNESCAPE_CALLBACK,
		keep_escapes, NULL, MHD_OPTION_NOTIFY_COMPLETED, end_exchange, NULL,
		MHD_OPTION_NOTIFY_CONNECTION, notify_connection, h, MHD_OPTION_END);
}

int httpd_start(const struct httpd_params *params, struct httpd **ret_httpd, struct err *err)
{
	struct httpd *h = calloc(1, sizeof *h);
	int fd, rc;

	if (!h)
		return err_code(err, ERR_NOMEM);
	h->params = *params;
	rc = listen_open(params->address, params->port, &fd, &h->port, err);
	if (rc) {
		free(h);
		return rc;
	}
	rc = waker_init(&h->waker);
	if (rc == 0) {
		h->daemon = start_daemon(h, fd); /* closes fd when it stops */
		if (h->daemon) {
			*ret_httpd = h;
			return 0;
		}
		waker_stop(&h->waker);
		waker_release(&h->waker);
	}
	(void)close(fd);
	free(h);
	return err_set(err, ERR_IO, "the HTTP server cannot start");
}

uint16_t httpd_port(const struct httpd *h)
{
	return h->port;
}

void httpd_stop(struct httpd *h)
{
	if (!h)
		return;
	waker_stop(&h->waker);
	MHD_stop_daemon(h->daemon);
	waker_release(&h->waker);
	free(h);
}
