#include "net/httpd.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/word.h"
#include "net/httpd_workers.h"

/* ---- which hosts it answers for ---- */

enum { TEXT_SIZE = 64 };

/* A numeric address; IPv4 as mapped into IPv6. */
static bool read_host(slice text, struct in6_addr *ret)
{
	char copy[TEXT_SIZE];
	struct in_addr v4;

	if (text.len == 0 || text.len >= sizeof copy)
		return false;
	memcpy(copy, text.ptr, text.len);
	copy[text.len] = '\0';
	if (inet_pton(AF_INET6, copy, ret) == 1)
		return true;
	if (inet_pton(AF_INET, copy, &v4) != 1)
		return false;
	memset(ret, 0, sizeof *ret);
	ret->s6_addr[10] = ret->s6_addr[11] = 0xff;
	memcpy(ret->s6_addr + 12, &v4, sizeof v4);
	return true;
}

bool hosts_allow(slice host, const char *address, const struct httpd_names *names)
{
	struct in6_addr asked, own;

	if (host.len == 0)
		return true;
	if (host.len > 2 && host.ptr[0] == '[' && host.ptr[host.len - 1] == ']')
		host = slice_sub(host, 1, host.len - 1);
	if (read_host(host, &asked))
		return strcmp(address, "0.0.0.0") == 0 || strcmp(address, "::") == 0 ||
		       (read_host(slice_str(address), &own) &&
			       memcmp(&asked, &own, sizeof own) == 0);
	if (host.ptr[host.len - 1] == '.')
		host.len--;
	if (word_is(host, SLICE("localhost")))
		return true;
	for (size_t i = 0; i < names->len; i++)
		if (word_is(host, slice_str(names->ptr[i])))
			return true;
	return false;
}

/* ---- log ---- */

enum {
	LINE_MAX_SIZE = 64 << 10,
};

struct httpd_log {
	const char *path;
	pthread_mutex_t lock;
	FILE *file;
};

static int open_file(const char *path, FILE **ret, struct err *err)
{
	FILE *file = file_stream(path, "ab");

	if (!file)
		return err_set(err, ERR_IO, "%s: %s", path, file_problem(errno));
	*ret = file;
	return 0;
}

int httpd_log_open(const char *path, struct httpd_log **ret, struct err *err)
{
	struct httpd_log *l = calloc(1, sizeof *l);
	int rc = l ? open_file(path, &l->file, err) : err_code(err, ERR_NOMEM);

	if (rc) {
		free(l);
		return rc;
	}
	l->path = path;
	(void)pthread_mutex_init(&l->lock, NULL);
	*ret = l;
	return 0;
}

void httpd_log_close(struct httpd_log *l)
{
	if (!l)
		return;
	(void)fclose(l->file);
	(void)pthread_mutex_destroy(&l->lock);
	free(l);
}

int httpd_log_reopen(struct httpd_log *l, struct err *err)
{
	FILE *file = NULL;

	TRY(open_file(l->path, &file, err));
	(void)pthread_mutex_lock(&l->lock);
	(void)fclose(l->file);
	l->file = file;
	(void)pthread_mutex_unlock(&l->lock);
	return 0;
}

/* As Apache does it. */
static int add_quoted(struct buf *out, const char *text)
{
	int rc = 0;

	for (const char *s = text && *text ? text : "-"; rc == 0 && *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			rc = buf_printf(out, "\\%c", c);
		else if (c < ' ' || c > '~')
			rc = buf_printf(out, "\\x%02x", (unsigned)c);
		else
			rc = buf_add_char(out, (char)c);
	}
	return rc;
}

static int add_address(struct buf *out, const struct in6_addr *a)
{
	char text[INET6_ADDRSTRLEN] = "-";

	if (IN6_IS_ADDR_V4MAPPED(a))
		(void)inet_ntop(AF_INET, a->s6_addr + 12, text, sizeof text);
	else
		(void)inet_ntop(AF_INET6, a, text, sizeof text);
	return buf_add_str(out, text);
}

static int add_time(struct buf *out, int64_t ns)
{
	static const char *const MONTHS[] = {
		"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
	time_t seconds = (time_t)(ns / CLOCK_NS_PER_SECOND);
	struct tm t;

	(void)gmtime_r(&seconds, &t);
	return buf_printf(out, " - - [%02d/%s/%04d:%02d:%02d:%02d +0000] \"", t.tm_mday,
		MONTHS[t.tm_mon], t.tm_year + 1900, t.tm_hour, t.tm_min, t.tm_sec);
}

static int add_line(struct buf *out, const struct httpd_logged *x)
{
	add_address(out, &x->address);
	TRY(add_time(out, x->time));
	TRY(add_quoted(out, x->method));
	TRY(buf_add_char(out, ' '));
	TRY(add_quoted(out, x->target));
	TRY(buf_add_char(out, ' '));
	TRY(add_quoted(out, x->version));
	TRY(buf_printf(out, "\" %u %llu \"", x->status, (unsigned long long)x->size));
	TRY(add_quoted(out, x->referer));
	TRY(buf_add_str(out, "\" \""));
	TRY(add_quoted(out, x->agent));
	return buf_add_str(out, "\"\n");
}

/*
 * One write, so that lines of several threads and programs do not mix. A log that cannot be written
 * keeps nobody from reading.
 */
static void httpd_log_write(struct httpd_log *l, const struct httpd_logged *x)
{
	struct buf line;

	buf_init(&line, LINE_MAX_SIZE);
	if (add_line(&line, x) == 0) {
		(void)pthread_mutex_lock(&l->lock);
		if (fwrite(line.ptr, 1, line.len, l->file) != line.len || fflush(l->file))
			clearerr(l->file);
		(void)pthread_mutex_unlock(&l->lock);
	}
	buf_release(&line);
}

/* ---- how many connections a peer may have ---- */

void peers_init(struct peers *p, size_t max)
{
	*p = (struct peers){.max = max < PEERS_MAX ? max : PEERS_MAX};
	(void)pthread_mutex_init(&p->lock, NULL);
}

void peers_release(struct peers *p)
{
	(void)pthread_mutex_destroy(&p->lock);
}

static void unlink_peer(struct peer *x)
{
	struct peer_list *list = x->list;

	if (!list)
		return;
	*(x->older ? &x->older->newer : &list->oldest) = x->newer;
	*(x->newer ? &x->newer->older : &list->newest) = x->older;
	list->len--;
	x->older = x->newer = NULL;
	x->list = NULL;
}

static void link_peer(struct peer_list *list, struct peer *x)
{
	x->since = clock_monotonic(clock_system());
	x->older = list->newest;
	x->newer = NULL;
	*(list->newest ? &list->newest->newer : &list->oldest) = x;
	list->newest = x;
	list->len++;
	x->list = list;
}

/* Its event loop sees the end and closes it. */
static void drop(struct peer *x)
{
	unlink_peer(x);
	(void)shutdown(x->fd, SHUT_RDWR);
}

static bool is_of(const struct peer *x, const struct in6_addr *address)
{
	return memcmp(&x->address, address, sizeof *address) == 0;
}

static struct peer *oldest_of(
	const struct peers *p, const struct in6_addr *address, size_t *ret_count)
{
	struct peer *oldest = NULL;

	*ret_count = 0;
	for (struct peer *x = p->idle.oldest; x; x = x->newer) {
		if (!is_of(x, address))
			continue;
		if (!oldest)
			oldest = x;
		++*ret_count;
	}
	return oldest;
}

static void make_room(struct peers *p, const struct in6_addr *address)
{
	int64_t late = clock_monotonic(clock_system()) - PEERS_HEAD_SECONDS * CLOCK_NS_PER_SECOND;
	struct peer *same;
	size_t count;

	while (p->idle.oldest && p->idle.oldest->since < late)
		drop(p->idle.oldest);
	same = oldest_of(p, address, &count);
	if (same && count >= PEERS_ADDRESS_MAX)
		drop(same);
	if (p->idle.oldest && p->idle.len >= PEERS_IDLE_MAX)
		drop(p->idle.oldest);
	if (p->busy.oldest && p->idle.len + p->busy.len >= p->max)
		drop(p->busy.oldest);
}

static struct in6_addr address_of(const struct sockaddr *a)
{
	struct in6_addr mapped = {{{0}}};

	if (a && a->sa_family == AF_INET6) {
		mapped = ((const struct sockaddr_in6 *)a)->sin6_addr;
	} else if (a && a->sa_family == AF_INET) {
		mapped.s6_addr[10] = mapped.s6_addr[11] = 0xff;
		memcpy(mapped.s6_addr + 12, &((const struct sockaddr_in *)a)->sin_addr, 4);
	}
	return mapped;
}

struct peer *peers_add(struct peers *p, int fd, const struct sockaddr *address)
{
	struct peer *x = mem_new(1, sizeof *x);

	x->fd = fd;
	x->address = address_of(address);
	(void)pthread_mutex_lock(&p->lock);
	x->number = p->count++;
	make_room(p, &x->address);
	link_peer(&p->idle, x);
	(void)pthread_mutex_unlock(&p->lock);
	return x;
}

/* What was dropped stays so. */
static void move(struct peers *p, struct peer_list *to, struct peer *x)
{
	(void)pthread_mutex_lock(&p->lock);
	if (x->list) {
		unlink_peer(x);
		link_peer(to, x);
	}
	(void)pthread_mutex_unlock(&p->lock);
}

void peers_begin(struct peers *p, struct peer *x)
{
	move(p, &p->busy, x);
}

void peers_end(struct peers *p, struct peer *x)
{
	move(p, &p->idle, x);
}

void peers_remove(struct peers *p, struct peer *x)
{
	(void)pthread_mutex_lock(&p->lock);
	unlink_peer(x);
	(void)pthread_mutex_unlock(&p->lock);
	free(x);
}

/* ---- server ---- */

/* The socket that a server listens on, made here so that a failure has its true reason. */

enum { BACKLOG = 4096 };

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* The length of the address, or 0 when it is none. */
static socklen_t read_address(const char *text, uint16_t port, union address *ret)
{
	memset(ret, 0, sizeof *ret);
	if (inet_pton(AF_INET, text, &ret->v4.sin_addr) == 1) {
		ret->v4.sin_family = AF_INET;
		ret->v4.sin_port = htons(port);
		return sizeof ret->v4;
	}
	memset(ret, 0, sizeof *ret);
	if (inet_pton(AF_INET6, text, &ret->v6.sin6_addr) == 1) {
		ret->v6.sin6_family = AF_INET6;
		ret->v6.sin6_port = htons(port);
		return sizeof ret->v6;
	}
	return 0;
}

int httpd_address_parse(const char *text, char *ret_address, uint16_t *ret_port, struct err *err)
{
	const char *colon = strrchr(text, ':');
	char address[HTTPD_ADDRESS_SIZE];
	slice host = {text, colon ? (size_t)(colon - text) : 0};
	union address parsed;
	uint64_t port;

	if (host.len >= 2 && host.ptr[0] == '[' && host.ptr[host.len - 1] == ']')
		host = slice_sub(host, 1, host.len - 1);
	if (host.len == 0 || host.len >= sizeof address)
		goto refuse;
	memcpy(address, host.ptr, host.len);
	address[host.len] = '\0';
	if (parse_u64(slice_str(colon + 1), &port) || port > UINT16_MAX ||
		read_address(address, 0, &parsed) == 0)
		goto refuse;
	memcpy(ret_address, address, host.len + 1);
	*ret_port = (uint16_t)port;
	return 0;
refuse:
	return err_set(err, ERR_SYNTAX,
		"'%.99s' is not an address to listen on (like 127.0.0.1:8080 or [::1]:0)", text);
}

static int bind_and_listen(int fd, const union address *address, socklen_t len)
{
	int yes = 1;

	/* Or a restart would have to wait until the old connections are forgotten. */
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0)
		return -1;
	if (bind(fd, &address->any, len) != 0)
		return -1;
	return listen(fd, BACKLOG);
}

/* A listening, non-blocking socket; the caller closes it. 0, or ERR_IO with a sentence. */
static int listen_open(
	const char *address, uint16_t port, int *ret_fd, uint16_t *ret_port, struct err *err)
{
	union address a;
	socklen_t len = read_address(address, port, &a);
	int fd, error;

	if (len == 0)
		return err_set(err, ERR_SYNTAX, "'%.99s' is not a numeric address", address);
	fd = socket(a.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return err_set(err, ERR_IO, "cannot make a socket: %s", strerror(errno));
	if (bind_and_listen(fd, &a, len) != 0 || getsockname(fd, &a.any, &len) != 0) {
		error = errno;
		(void)close(fd);
		return err_set(err, ERR_IO, "cannot listen on %s port %u: %s", address,
			(unsigned)port, strerror(error));
	}
	*ret_port = ntohs(a.any.sa_family == AF_INET ? a.v4.sin_port : a.v6.sin6_port);
	*ret_fd = fd;
	return 0;
}

enum {
	CONNECTIONS_MAX = 2 * PEERS_MAX, /* an event loop may have more than its share */
	PAGE_WORKERS = 4,
	QUERY_WORKERS = 4,
	FILES_KEPT = 256, /* descriptors for other things than connections */
	IDLE_SECONDS = 60,
	CONNECTION_MEMORY = 128 << 10, /* head of a request, and fields of its response */
	BLOCK_SIZE = 32 << 10,         /* of a body that is sent in pieces */
};

struct httpd {
	struct httpd_params params;
	char address[HTTPD_ADDRESS_SIZE];
	struct MHD_Daemon *daemon;
	struct waker waker;
	struct peers peers;
	struct workers workers[HTTPD_LANES]; /* none for HTTPD_NOW */
	atomic_bool stopping;
	uint16_t port;
};

static const int64_t LIMIT_NS = 10 * (int64_t)CLOCK_NS_PER_SECOND; /* of a request's work */

/*
 * One request and its response, from the request line until the last byte is sent. It is made when
 * the target is known, for that is the only moment at which libmicrohttpd shows it as sent.
 */
struct exchange {
	struct httpd *httpd;
	struct MHD_Connection *connection;
	const char *method, *version;
	uint64_t sent; /* bytes of the body that were given to libmicrohttpd */
	char *target;  /* owned; NULL: no memory or too long */
	bool begun;    /* libmicrohttpd has shown it once */
	bool answered; /* the handler has been called */
	enum httpd_lane lane;
	struct worker_job job;
	struct work work;
	struct buf ahead; /* of a slow stream, not sent yet */
	size_t ahead_at;
	ssize_t ahead_end; /* 1: there is more; else what read said */
	bool paused;       /* pause_ns has begun */
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
	struct exchange *e = mem_new(1, sizeof *e);

	e->httpd = context;
	e->connection = connection;
	if (strlen(uri) <= HTTPD_TARGET_MAX)
		e->target = strdup(uri);
	buf_init(&e->response.headers, HTTPD_HEADERS_MAX);
	buf_init(&e->response.body, HTTPD_BODY_MAX);
	buf_init(&e->body, e->httpd->params.body_max);
	buf_init(&e->ahead, BLOCK_SIZE + 1);
	return e;
}

static struct peer *peer_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

static void notify_connection(void *context, struct MHD_Connection *connection, void **state,
	enum MHD_ConnectionNotificationCode code)
{
	struct httpd *h = context;
	const union MHD_ConnectionInfo *fd, *address;

	if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
		if (*state)
			peers_remove(&h->peers, *state);
		*state = NULL;
		return;
	}
	fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	address = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	if (fd)
		*state =
			peers_add(&h->peers, fd->connect_fd, address ? address->client_addr : NULL);
}

static void log_exchange(struct exchange *e)
{
	const struct peer *peer = peer_of(e->connection);
	struct httpd_logged x = {
		.time = clock_realtime(clock_system()),
		.method = e->method,
		.target = e->target,
		.version = e->version,
		.status = e->response.status,
		.size = e->sent,
	};

	if (!e->method)
		return; /* no whole request came */
	if (peer)
		x.address = peer->address;
	x.referer = MHD_lookup_connection_value(
		e->connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_REFERER);
	x.agent = MHD_lookup_connection_value(
		e->connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_USER_AGENT);
	httpd_log_write(e->httpd->params.log, &x);
}

static void end_exchange(void *context, struct MHD_Connection *connection, void **state,
	enum MHD_RequestTerminationCode code)
{
	struct exchange *e = *state;

	(void)context;
	(void)code;
	*state = NULL;
	if (!e)
		return;
	if (e->httpd->params.log)
		log_exchange(e);
	if (peer_of(connection))
		peers_end(&e->httpd->peers, peer_of(connection));
	drop_stream(&e->response);
	buf_release(&e->response.headers);
	buf_release(&e->response.body);
	buf_release(&e->body);
	buf_release(&e->ahead);
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

static struct httpd_request request_of(struct exchange *e)
{
	struct peer *peer = peer_of(e->connection);
	struct httpd_request q = {
		.method = slice_str(e->method),
		.connection = e->connection,
		.port = e->httpd->port,
		.body = buf_slice(&e->body),
		.body_cut = e->body_cut,
		.connection_number = peer ? peer->number : 0,
		.host = host_of(MHD_lookup_connection_value(
			e->connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST)),
		.target = slice_str(e->target),
		.work = &e->work,
	};

	q.path = slice_sub(q.target, 0, strcspn(e->target, "?"));
	return q;
}

static void call_handler(struct exchange *e)
{
	struct httpd *h = e->httpd;
	struct httpd_request q = request_of(e);

	work_turn_begin(&e->work);
	h->params.handler(h->params.context, &q, &e->response);
	work_turn_end(&e->work);
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

/* A worker's turn with a slow stream. */
static bool read_ahead(struct worker_job *job)
{
	struct exchange *e = (struct exchange *)((char *)job - offsetof(struct exchange, job));
	struct httpd_stream *stream = &e->response.stream;
	ssize_t n = -1;

	work_turn_begin(&e->work);
	buf_reset(&e->ahead);
	e->ahead_at = 0;
	if (buf_reserve(&e->ahead, BLOCK_SIZE) == 0 && work_step(&e->work))
		n = stream->read(stream->context, e->ahead.ptr, BLOCK_SIZE);
	if (n == HTTPD_AGAIN && !work_step(&e->work))
		n = -1;
	work_turn_end(&e->work);
	if (n > 0) {
		e->ahead.len = (size_t)n;
		work_refresh(&e->work);
	}
	e->ahead_end = n > 0 ? 1 : n;
	return n != HTTPD_AGAIN;
}

static ssize_t read_slow_stream(struct exchange *e, char *out, size_t room)
{
	size_t n = e->ahead.len - e->ahead_at;

	if (n > 0) {
		n = n < room ? n : room;
		memcpy(out, e->ahead.ptr + e->ahead_at, n);
		e->ahead_at += n;
		return (ssize_t)n;
	}
	if (e->ahead_end <= 0)
		return e->ahead_end;
	e->job.run = read_ahead;
	return workers_put(&e->httpd->workers[e->lane ? e->lane : HTTPD_PAGE], &e->job, true)
		       ? HTTPD_AGAIN
		       : -1;
}

/* libmicrohttpd takes no 0 for the end; it asks again after 0, or when it is resumed. */
static ssize_t read_stream(void *context, uint64_t at, char *out, size_t room)
{
	struct exchange *e = context;
	struct httpd_stream *stream = &e->response.stream;
	ssize_t n = stream->slow ? read_slow_stream(e, out, room)
				 : stream->read(stream->context, out, room);

	(void)at;
	if (n == HTTPD_AGAIN)
		return 0;
	if (n < 0)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	e->sent += (uint64_t)n;
	return n > 0 ? n : MHD_CONTENT_READER_END_OF_STREAM;
}

static struct MHD_Response *make_response(struct exchange *e)
{
	struct httpd_response *r = &e->response;
	struct MHD_Response *m;

	if (r->stream.read)
		return MHD_create_response_from_callback(
			r->stream.has_size ? r->stream.size : MHD_SIZE_UNKNOWN, BLOCK_SIZE,
			read_stream, e, NULL);
	if (r->body.len > 1 && (r->pause_ns > 0 || r->end == HTTPD_TRUNCATED))
		return MHD_create_response_from_callback(
			r->body.len, BLOCK_SIZE, read_body, e, NULL);
	e->sent = strcmp(e->method, MHD_HTTP_METHOD_HEAD) == 0 ? 0 : r->body.len;
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

/* A worker's turn with a request. */
static bool answer_later(struct worker_job *job)
{
	struct exchange *e = (struct exchange *)((char *)job - offsetof(struct exchange, job));

	call_handler(e);
	return true;
}

static void refuse(struct exchange *e, unsigned status)
{
	e->response.status = status;
	if (e->httpd->params.policy)
		httpd_header(&e->response, "Content-Security-Policy", e->httpd->params.policy);
	if (status == MHD_HTTP_SERVICE_UNAVAILABLE)
		httpd_header(&e->response, "Retry-After", "10");
	if (status == MHD_HTTP_MISDIRECTED_REQUEST) {
		httpd_header(&e->response, "Content-Type", "text/plain");
		(void)buf_add_str(&e->response.body,
			"This server does not go by that name. Give it with --host-name.\n");
	}
}

static enum MHD_Result count_host(
	void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
	unsigned *count = context;

	(void)kind;
	(void)value;
	*count += strcasecmp(name, MHD_HTTP_HEADER_HOST) == 0;
	return MHD_YES;
}

/* One Host, which only clients of HTTP/1.0 may leave out (RFC 9112 §3.2). */
static bool has_one_host(const struct exchange *e, slice host)
{
	unsigned count = 0;

	(void)MHD_get_connection_values(e->connection, MHD_HEADER_KIND, count_host, &count);
	return count == 1 ? host.len > 0
			  : (count == 0 && strcmp(e->version, MHD_HTTP_VERSION_1_1) != 0);
}

/* Has the request answered, by this thread or another; true: it is suspended. */
static bool answer(struct exchange *e)
{
	struct httpd *h = e->httpd;
	struct peer *peer = peer_of(e->connection);
	struct httpd_request q;

	e->answered = true;
	e->work = (struct work){
		.stopping = &h->stopping, .fd = peer ? peer->fd : -1, .limit_ns = LIMIT_NS};
	e->ahead_end = 1;
	e->job = (struct worker_job){.run = answer_later, .connection = e->connection};
	if (peer) {
		e->job.address = peer->address;
		peers_begin(&h->peers, peer);
	}
	if (!e->target) {
		refuse(e, MHD_HTTP_URI_TOO_LONG);
		return false;
	}
	q = request_of(e);
	if (!has_one_host(e, q.host)) {
		refuse(e, MHD_HTTP_BAD_REQUEST);
		return false;
	}
	if (!h->params.any_host && !hosts_allow(q.host, h->params.address, &h->params.names)) {
		refuse(e, MHD_HTTP_MISDIRECTED_REQUEST);
		return false;
	}
	e->lane = h->params.lane ? h->params.lane(h->params.context, &q) : HTTPD_NOW;
	if (e->lane == HTTPD_NOW)
		call_handler(e);
	else if (workers_put(&h->workers[e->lane], &e->job, false))
		return true;
	else
		refuse(e, MHD_HTTP_SERVICE_UNAVAILABLE);
	return false;
}

/* What is due now; called when the fields are there, at the end of a body, and after a sleep. */
static enum MHD_Result go_on(struct exchange *e, const char *method, const char *version)
{
	if (!e->begun) {
		e->begun = true; /* to answer before the body is here would cut it off */
		return MHD_YES;
	}
	e->method = method;
	e->version = version;
	if (!e->answered && answer(e))
		return MHD_YES;
	if (e->response.status == 0)
		refuse(e, MHD_HTTP_SERVICE_UNAVAILABLE); /* the server stops */
	if (e->response.wait_ns > 0) {
		int64_t wait = e->response.wait_ns;

		e->response.wait_ns = 0;
		if (waker_sleep(&e->httpd->waker, e->connection, wait))
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
	if (!*state)
		return MHD_NO;
	if (*upload_len > 0) {
		take_body(*state, (slice){upload, *upload_len});
		*upload_len = 0;
		return MHD_YES;
	}
	return go_on(*state, method, version);
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

static size_t connections_max(void)
{
	struct rlimit limit;

	/* There may be another server in the same program. */
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < 2 * FILES_KEPT)
		return FILES_KEPT / 2;
	return limit.rlim_cur / 2 < SIZE_MAX ? (size_t)(limit.rlim_cur - FILES_KEPT) / 2 : SIZE_MAX;
}

static int start_workers(struct httpd *h)
{
	static const unsigned COUNTS[] = {
		[HTTPD_PAGE] = PAGE_WORKERS, [HTTPD_QUERY] = QUERY_WORKERS};
	int rc = 0;

	for (int i = HTTPD_PAGE; rc == 0 && i < HTTPD_LANES; i++)
		rc = workers_init(&h->workers[i], h->params.lane ? COUNTS[i] : 0);
	return rc;
}

/* Whatever is suspended goes on, so that the daemon can stop. */
static bool stop_workers(struct httpd *h)
{
	bool ended = true;

	atomic_store(&h->stopping, true);
	for (int i = HTTPD_PAGE; i < HTTPD_LANES; i++)
		if (h->workers[i].last)
			ended = workers_stop(&h->workers[i]) && ended;
	waker_stop(&h->waker);
	return ended;
}

static void release(struct httpd *h)
{
	for (int i = HTTPD_PAGE; i < HTTPD_LANES; i++)
		if (h->workers[i].last)
			workers_release(&h->workers[i]);
	waker_release(&h->waker);
	peers_release(&h->peers);
	free(h);
}

int httpd_start(const struct httpd_params *params, struct httpd **ret_httpd, struct err *err)
{
	struct httpd *h = mem_new(1, sizeof *h);
	int fd = -1, rc;

	h->params = *params;
	(void)snprintf(h->address, sizeof h->address, "%s", params->address);
	h->params.address = h->address;
	rc = listen_open(params->address, params->port, &fd, &h->port, err);
	if (rc || waker_init(&h->waker)) {
		if (rc == 0)
			(void)close(fd);
		free(h);
		return rc ? rc : err_code(err, ERR_NOMEM);
	}
	peers_init(&h->peers, connections_max());
	rc = start_workers(h);
	if (rc == 0)
		h->daemon = start_daemon(h, fd); /* closes fd when it stops */
	if (h->daemon) {
		*ret_httpd = h;
		return 0;
	}
	(void)close(fd);
	if (stop_workers(h))
		release(h);
	return err_set(err, ERR_IO, "the HTTP server cannot start");
}

uint16_t httpd_port(const struct httpd *h)
{
	return h->port;
}

bool httpd_stop(struct httpd *h)
{
	if (!h)
		return true;
	if (!stop_workers(h))
		return false;
	MHD_stop_daemon(h->daemon);
	release(h);
	return true;
}
