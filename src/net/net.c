#include "net/net.h"

#include <curl/curl.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/dns.h"
#include "net/list.h"
#include "net/tls.h"
#include "net/transfer.h"
#include "net/wire.h"

/* A lookup of its own: a name's addresses are wanted, but no connection yet. */

struct lookup;
LIST_DECLARE(lookup_list, struct lookup);

struct lookup {
	struct net_lookup result; /* first: it is what net_next_lookup hands out */
	struct dns_waiter waiter;
	struct lookups *lookups;
	struct lookup *prev, *next;
	struct lookup_list *list;
	char *records;
};

LIST_DEFINE(lookup_list, struct lookup)

/* Zero-initialise. */
struct lookups {
	struct lookup_list open, finished;
};

static void lookup_free(struct lookup *l)
{
	if (!l)
		return;
	dns_leave(&l->waiter);
	lookup_list_remove(l);
	free(l->records);
	free(l);
}

static void free_all(struct lookup_list *list)
{
	struct lookup *next;

	for (struct lookup *l = list->first; l; l = next) {
		next = l->next;
		lookup_free(l);
	}
}

/* Ends all that are open and frees all. */
static void lookups_release(struct lookups *l)
{
	free_all(&l->open);
	free_all(&l->finished);
}

/* The next finished one, the caller's then, or NULL. */
static struct lookup *lookups_next(struct lookups *l)
{
	struct lookup *first = l->finished.first;

	if (first)
		lookup_list_remove(first);
	return first;
}

static void fill(struct lookup *l, const struct address *list, size_t count)
{
	char text[ADDRESS_TEXT_SIZE];

	for (size_t i = 0; i < count; i++)
		l->result.classes |= ADDRESS_SET(address_range(&list[i])->class);
	address_format(&list[0], text);
	(void)snprintf(l->result.ip, sizeof l->result.ip, "%s", text);
}

static void on_answer(struct dns_waiter *w, const struct dns_answer *answer)
{
	struct lookup *l = (void *)((char *)w - offsetof(struct lookup, waiter));

	l->result.failure = answer->failure;
	l->result.date = answer->date;
	if (answer->failure != NET_FAILURE_NONE)
		(void)snprintf(l->result.detail, sizeof l->result.detail, "%s", answer->detail);
	else
		fill(l, answer->list, answer->count);
	if (answer->records && (l->records = strdup(answer->records)))
		l->result.records = slice_str(l->records);
	lookup_list_append(&l->lookups->finished, l);
}

static struct lookup *new_lookup(struct lookups *lookups, uint64_t tag)
{
	struct lookup *l = mem_new(1, sizeof *l);

	l->result.tag = tag;
	l->result.records = SLICE("");
	l->lookups = lookups;
	l->waiter.answered = on_answer;
	lookup_list_append(&lookups->open, l);
	return l;
}

/* Asks for the host of a URL, or knows it by itself. 0 or ERR_NOMEM. */
static int lookup_start(struct lookups *lookups, struct dns *dns, slice host, uint64_t tag)
{
	struct lookup *l = new_lookup(lookups, tag);
	struct address literal;
	int rc;

	if (!l)
		return ERR_NOMEM;
	if (address_parse(host, &literal)) {
		fill(l, &literal, 1);
		lookup_list_append(&lookups->finished, l);
		return 0;
	}
	rc = dns_ask(dns, host, &l->waiter);
	if (rc)
		lookup_free(l);
	return rc;
}

/* One that knows nothing, since a proxy would do the asking. */
static int lookup_skip(struct lookups *lookups, uint64_t tag)
{
	struct lookup *l = new_lookup(lookups, tag);

	if (!l)
		return ERR_NOMEM;
	lookup_list_append(&lookups->finished, l);
	return 0;
}

enum {
	EVENTS_MAX = 64, /* taken from epoll at once */
	NS_PER_MS = 1000000,
};

#define DEFAULT_SPOOL_DIR "/tmp"
#define NEVER             INT64_MAX
#define WATCHED           (UINT64_C(1) << 32) /* in an event's data, above the descriptor */
#define DNS               (UINT64_C(1) << 33)
#define AWAY_MIN          (100 * NS_PER_MS) /* shorter absences of the caller are not worth it */

struct net {
	struct transfer_shared shared;
	CURLM *multi;
	struct dns *dns;
	struct lookups lookups;
	int epoll;
	int64_t timer; /* when libcurl wants to be called, system's clock, or NEVER */
	int64_t left;  /* when net_wait returned, same clock; 0 before the first */
	bool woken;    /* a watched descriptor is readable */
};

static int64_t now(void)
{
	return clock_monotonic(clock_system());
}

/* Saturates: a wait without end is as good as one for centuries. */
static int64_t after(int64_t from, double seconds)
{
	double ns = seconds * (double)CLOCK_NS_PER_SECOND;

	if (!(ns > 0))
		return from;
	return ns < (double)(NEVER - from) ? from + (int64_t)ns : NEVER;
}

static int on_timer(CURLM *multi, long ms, void *userdata)
{
	struct net *net = userdata;

	(void)multi;
	net->timer = ms < 0 ? NEVER : now() + (int64_t)ms * NS_PER_MS;
	return 0;
}

/*
 * A socket that epoll does not know yet is one whose first events these are; libcurl remembers that
 * for us, until it removes the socket.
 */
static int watch_socket(struct net *net, curl_socket_t fd, uint32_t events, bool is_known)
{
	struct epoll_event event = {.events = events, .data.u64 = (uint32_t)fd};
	int op = is_known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;

	if (epoll_ctl(net->epoll, op, fd, &event) == 0) {
		(void)curl_multi_assign(net->multi, fd, net);
		return 0;
	}
	if (errno != (is_known ? ENOENT : EEXIST))
		return -1;
	op = is_known ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
	return epoll_ctl(net->epoll, op, fd, &event);
}

// cppcheck-suppress constParameter ; it is libcurl's type of function
static int on_socket(CURL *easy, curl_socket_t fd, int what, void *userdata, void *assigned)
{
	struct net *net = userdata;

	(void)easy;
	if (what == CURL_POLL_REMOVE) {
		(void)epoll_ctl(net->epoll, EPOLL_CTL_DEL, fd, NULL);
		return 0;
	}
	return watch_socket(net, fd,
		(what & CURL_POLL_IN ? EPOLLIN : 0) | (what & CURL_POLL_OUT ? EPOLLOUT : 0),
		assigned != NULL);
}

static int check(CURLMcode code, struct err *err)
{
	if (code == CURLM_OK)
		return 0;
	return err_set(err, ERR_IO, "libcurl: %s", curl_multi_strerror(code));
}

static void fill_defaults(struct net_params *p)
{
	if (!p->clock)
		p->clock = clock_system();
	if (!p->spool_dir)
		p->spool_dir = DEFAULT_SPOOL_DIR;
	if (!(p->connect_timeout > 0))
		p->connect_timeout = NET_CONNECT_TIMEOUT;
	if (!(p->stall_timeout > 0))
		p->stall_timeout = NET_STALL_TIMEOUT;
	if (!(p->timeout > 0))
		p->timeout = NET_TIMEOUT;
	if (p->max_body == 0)
		p->max_body = NET_BODY_MAX;
	if (p->max_kept == 0 || p->max_kept > NET_KEPT_MAX)
		p->max_kept = NET_KEPT_MAX;
	if (p->max_head == 0 || p->max_head > NET_HEAD_MAX)
		p->max_head = NET_HEAD_MAX;
}

static int open_multi(struct net *net, struct err *err)
{
	CURLMcode code = CURLM_OUT_OF_MEMORY;

	net->multi = curl_multi_init();
	if (net->multi)
		code = curl_multi_setopt(net->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
	if (code == CURLM_OK)
		code = curl_multi_setopt(net->multi, CURLMOPT_SOCKETDATA, net);
	if (code == CURLM_OK)
		code = curl_multi_setopt(net->multi, CURLMOPT_TIMERFUNCTION, on_timer);
	if (code == CURLM_OK)
		code = curl_multi_setopt(net->multi, CURLMOPT_TIMERDATA, net);
	if (code == CURLM_OK)
		code = curl_multi_setopt(
			net->multi, CURLMOPT_MAXCONNECTS, (long)net->shared.params.max_kept);
	return check(code, err);
}

static int open_loop(struct net *net, struct err *err)
{
	net->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (net->epoll < 0)
		return err_set(err, ERR_IO, "epoll: %s", strerror(errno));
	return open_multi(net, err);
}

int net_close_kept(struct net *net, bool *ret_any, struct err *err)
{
	bool is_busy = net->shared.running.first || net->shared.waiting.first;

	*ret_any = !is_busy && net->shared.sockets.len > 0;
	if (!*ret_any)
		return 0;
	/* libcurl closes connections with the handle that keeps them. */
	(void)curl_multi_cleanup(net->multi);
	net->timer = NEVER;
	return open_multi(net, err);
}

int net_new(const struct net_params *params, struct net **ret, struct err *err)
{
	struct net *net = mem_new(1, sizeof *net);
	int rc;

	/* Counted and guarded by libcurl itself: every net does it, and undoes it. */
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
		free(net);
		return err_set(err, ERR_IO, "libcurl cannot be initialised");
	}
	net->epoll = -1;
	net->timer = NEVER;
	net->shared.net = net;
	net->shared.params = *params;
	fill_defaults(&net->shared.params);
	net->shared.wall_offset = clock_offset(net->shared.params.clock);
	rc = open_loop(net, err);
	if (rc == 0)
		rc = dns_new(
			&(struct dns_params){
				.clock = net->shared.params.clock,
				.servers = net->shared.params.dns,
				.epoll = net->epoll,
				.mark = DNS,
				.keep_records = net->shared.params.dns_records,
			},
			&net->dns, err);
	if (rc) {
		net_free(net);
		return rc;
	}
	*ret = net;
	return 0;
}

int net_check_dns(const char *servers, struct err *err)
{
	struct dns *dns = NULL;
	int rc;

	if (!servers[0])
		return err_set(err, ERR_USAGE,
			"the list is empty; expected addresses such as 192.0.2.1,192.0.2.2:5353");
	rc = dns_new(&(struct dns_params){.clock = clock_system(), .servers = servers, .epoll = -1},
		&dns, err);

	dns_free(dns);
	return rc;
}

int net_check_certificates(const char *file, struct err *err)
{
	if (access(file, R_OK))
		return err_set(err, ERR_USAGE, "%s: %s", file, strerror(errno));
	if (!tls_has_certificates(file))
		return err_set(
			err, ERR_USAGE, "%s: no certificate found; expected a PEM file", file);
	return 0;
}

int net_check_pair(const char *cert_file, const char *key_file, struct err *err)
{
	const char *key = key_file ? key_file : cert_file, *problem;

	if (access(cert_file, R_OK))
		return err_set(err, ERR_USAGE, "--cert %s: %s", cert_file, strerror(errno));
	if (access(key, R_OK))
		return err_set(err, ERR_USAGE, "--key %s: %s", key, strerror(errno));
	problem = tls_check_pair(cert_file, key);
	if (!problem)
		return 0;
	return err_set(err, ERR_USAGE, "--cert %s%s%s: %s", cert_file, key_file ? " --key " : "",
		key_file ? key_file : "", problem);
}

void net_free(struct net *net)
{
	if (!net)
		return;
	net_cancel(net);
	while (net->shared.finished.first)
		transfer_free(net->shared.finished.first);
	lookups_release(&net->lookups);
	dns_free(net->dns);
	transfer_shared_release(&net->shared);
	/* Its callbacks use epoll to the last. */
	(void)curl_multi_cleanup(net->multi);
	sockets_release(&net->shared.sockets);
	if (net->epoll >= 0)
		(void)close(net->epoll);
	free(net);
	curl_global_cleanup();
}

/* Its addresses are known: libcurl may have it. */
static void begin(struct net *net, struct transfer *t, const struct dns_answer *answer)
{
	CURLMcode code;

	if (!transfer_set_route(t, answer))
		return;
	transfer_list_append(&net->shared.waiting, t);
	code = curl_multi_add_handle(net->multi, t->easy);
	if (code != CURLM_OK)
		transfer_fail(t, NET_FAILURE_LOCAL, "libcurl: %s", curl_multi_strerror(code));
}

static void on_resolved(struct dns_waiter *w, const struct dns_answer *answer)
{
	struct transfer *t = (void *)((char *)w - offsetof(struct transfer, waiter));

	begin(t->shared->net, t, answer);
}

int net_start(struct net *net, const struct net_request *request, struct err *err)
{
	struct transfer *t;
	int rc;

	TRY(transfer_new(&net->shared, request, &t, err));
	if (t->route.is_literal || proxy_resolves(net->shared.params.proxy)) {
		begin(net, t, NULL);
		return 0;
	}
	t->waiter.answered = on_resolved;
	transfer_list_append(&net->shared.resolving, t);
	rc = dns_ask(net->dns, slice_str(t->route.host), &t->waiter);
	if (rc) {
		transfer_free(t);
		return err_code(err, rc);
	}
	return 0;
}

int net_lookup(struct net *net, slice host, uint64_t tag, struct err *err)
{
	int rc = proxy_resolves(net->shared.params.proxy)
			 ? lookup_skip(&net->lookups, tag)
			 : lookup_start(&net->lookups, net->dns, host, tag);

	return err_code(err, rc);
}

struct net_lookup *net_next_lookup(struct net *net)
{
	struct lookup *l = lookups_next(&net->lookups);

	return l ? &l->result : NULL;
}

void net_lookup_free(struct net_lookup *lookup)
{
	lookup_free((struct lookup *)(void *)lookup);
}

struct net_fetch *net_next(struct net *net)
{
	struct transfer *t = net->shared.finished.first;

	if (!t)
		return NULL;
	transfer_list_remove(t);
	body_let_go(&t->body);
	return &t->fetch;
}

void net_fetch_free(struct net_fetch *fetch)
{
	transfer_free((struct transfer *)(void *)fetch);
}

int net_watch(struct net *net, int fd, struct err *err)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = WATCHED | (uint32_t)fd};

	if (epoll_ctl(net->epoll, EPOLL_CTL_ADD, fd, &event) < 0)
		return err_set(
			err, ERR_IO, "descriptor %d cannot be watched: %s", fd, strerror(errno));
	return 0;
}

void net_cancel_some(struct net *net, net_choose *choose, void *context, enum net_failure failure,
	const char *text)
{
	struct transfer_list *lists[] = {
		&net->shared.running, &net->shared.waiting, &net->shared.resolving};
	struct transfer *next;

	for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
		for (struct transfer *t = lists[i]->first; t; t = next) {
			struct net_running running = {
				.tag = t->fetch.tag,
				.seconds = clock_seconds(now() - t->begun - t->excused),
				.bytes = t->head_received + t->body.size,
			};

			next = t->next;
			if (choose && !choose(context, &running))
				continue;
			dns_leave(&t->waiter);
			(void)curl_multi_remove_handle(net->multi, t->easy);
			transfer_fail(t, failure, "%s", text);
		}
}

void net_cancel(struct net *net)
{
	net_cancel_some(net, NULL, NULL, NET_FAILURE_ABORTED, "given up before it was complete");
}

/* Of several addresses the one that answered is tried first from now on. */
static void remember_address(struct net *net, const struct transfer *t)
{
	struct address a;

	if (t->route.addresses && address_parse(slice_str(t->fetch.ip), &a))
		dns_prefer(net->dns, slice_str(t->route.host), &a);
}

/* Takes what libcurl has finished. */
static void collect(struct net *net)
{
	CURLMsg *message;
	int left;

	while ((message = curl_multi_info_read(net->multi, &left))) {
		CURLcode code = message->data.result; /* gone with the handle */
		CURL *easy = message->easy_handle;
		char *private = NULL;
		struct transfer *t;

		(void)curl_easy_getinfo(easy, CURLINFO_PRIVATE, &private);
		(void)curl_multi_remove_handle(net->multi, easy);
		t = (struct transfer *)(void *)private;
		remember_address(net, t);
		if (!transfer_may_start_over(t, code) ||
			curl_multi_add_handle(net->multi, easy) != CURLM_OK)
			transfer_finish(t, code);
	}
}

static int act(struct net *net, curl_socket_t fd, int events, struct err *err)
{
	int running;
	int rc = check(curl_multi_socket_action(net->multi, fd, events, &running), err);

	collect(net);
	return rc;
}

/* When the oldest window ends, or NEVER. */
static int64_t stall_deadline(const struct net *net)
{
	const struct transfer *t = net->shared.running.first;

	return t ? after(t->window_start, net->shared.params.stall_timeout) : NEVER;
}

/*
 * A window that is still there when its time is over did not get its bytes. Not libcurl's
 * LOW_SPEED_LIMIT, which counts in whole seconds.
 */
static void end_stalled(struct net *net)
{
	while (stall_deadline(net) <= now()) {
		struct transfer *t = net->shared.running.first;

		(void)curl_multi_remove_handle(net->multi, t->easy);
		transfer_fail(t, NET_FAILURE_TIMEOUT, "stalled: %llu bytes in %g seconds",
			(unsigned long long)t->window_bytes, net->shared.params.stall_timeout);
	}
}

/* When the one that has waited longest for its name has waited long enough, or NEVER. */
static int64_t resolve_deadline(const struct net *net)
{
	const struct transfer *t = net->shared.resolving.first;

	return t ? after(t->begun, net->shared.params.connect_timeout) : NEVER;
}

static void end_unresolved(struct net *net)
{
	while (resolve_deadline(net) <= now()) {
		struct transfer *t = net->shared.resolving.first;

		dns_leave(&t->waiter);
		transfer_fail(t, NET_FAILURE_DNS, "the DNS server did not answer in %g seconds",
			net->shared.params.connect_timeout);
	}
}

static int run_timers(struct net *net, struct err *err)
{
	int rc = 0;

	if (net->timer <= now()) {
		net->timer = NEVER;
		rc = act(net, CURL_SOCKET_TIMEOUT, 0, err);
	}
	if (dns_deadline(net->dns) <= now())
		dns_run(net->dns);
	end_stalled(net);
	end_unresolved(net);
	return rc;
}

/* Rounded up, so as not to wake too early and spin. */
static int milliseconds_until(int64_t deadline)
{
	int64_t left = deadline - now();
	int64_t ms = left / NS_PER_MS + (left % NS_PER_MS > 0);

	if (ms < 0)
		return 0;
	return ms < INT32_MAX ? (int)ms : INT32_MAX;
}

static int64_t min_time(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int dispatch(struct net *net, const struct epoll_event *event, struct err *err)
{
	int events = 0;

	if (event->data.u64 & WATCHED) {
		net->woken = true;
		return 0;
	}
	if (event->data.u64 & DNS) {
		dns_ready(net->dns, (int)(uint32_t)event->data.u64, event->events);
		return 0;
	}
	/* Of errors libcurl learns by looking itself, which it does when given nothing. */
	if (event->events & EPOLLIN)
		events |= CURL_CSELECT_IN;
	if (event->events & EPOLLOUT)
		events |= CURL_CSELECT_OUT;
	return act(net, (curl_socket_t)(uint32_t)event->data.u64, events, err);
}

static int poll_events(struct net *net, int64_t deadline, struct err *err)
{
	struct epoll_event events[EVENTS_MAX];
	int rc = 0;
	int n = epoll_wait(net->epoll, events, EVENTS_MAX, milliseconds_until(deadline));

	if (n < 0 && errno != EINTR)
		return err_set(err, ERR_IO, "epoll: %s", strerror(errno));
	for (int i = 0; i < n && rc == 0; i++)
		rc = dispatch(net, &events[i], err);
	return rc;
}

/*
 * Time that the caller spent elsewhere (a slow disk, a large page) is not the servers' fault: what
 * they sent meanwhile has not been looked at.
 */
static void excuse_absence(struct net *net)
{
	int64_t away = now() - net->left;

	if (net->left == 0 || away < AWAY_MIN)
		return;
	for (struct transfer *t = net->shared.running.first; t; t = t->next) {
		t->window_start += away;
		t->excused += away;
	}
	for (struct transfer *t = net->shared.waiting.first; t; t = t->next)
		t->excused += away;
	for (struct transfer *t = net->shared.resolving.first; t; t = t->next)
		t->begun += away;
}

static bool has_finished(const struct net *net)
{
	return net->shared.finished.len > 0 || net->lookups.finished.first;
}

/* When something is to be done, whatever the sockets say. */
static int64_t next_timer(const struct net *net)
{
	return min_time(min_time(net->timer, dns_deadline(net->dns)),
		min_time(stall_deadline(net), resolve_deadline(net)));
}

int net_wait(struct net *net, double seconds, struct err *err)
{
	int64_t deadline = after(now(), seconds);
	int rc;

	excuse_absence(net);
	net->woken = false;
	do {
		int64_t until = deadline;

		rc = run_timers(net, err);
		until = has_finished(net) ? 0 : min_time(until, next_timer(net));
		if (rc == 0)
			rc = poll_events(net, until, err);
	} while (rc == 0 && !net->woken && !has_finished(net) && now() < deadline);
	net->left = now();
	return rc;
}
