/* What keeps a server answering: workers, budgets of requests, and the limits of connections. */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "net/client.h"
#include "net/httpd.h"
#include "net/httpd_workers.h"
#include "tap.h"

/* What the handlers of a test have seen; context of the server. */
struct seen {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned begun, ended;
	enum work_end end;
	unsigned reads;
};

static void count(struct seen *s, unsigned *counter)
{
	(void)pthread_mutex_lock(&s->lock);
	++*counter;
	(void)pthread_cond_broadcast(&s->changed);
	(void)pthread_mutex_unlock(&s->lock);
}

static void wait_for(struct seen *s, const unsigned *counter, unsigned wanted)
{
	(void)pthread_mutex_lock(&s->lock);
	while (*counter < wanted)
		(void)pthread_cond_wait(&s->changed, &s->lock);
	(void)pthread_mutex_unlock(&s->lock);
}

static enum httpd_lane lane(void *context, const struct httpd_request *q)
{
	(void)context;
	return slice_eq(q->path, SLICE("/")) ? HTTPD_NOW : HTTPD_QUERY;
}

/* Nothing in three turns of four, then a byte; ten bytes in all. */
static ssize_t read_slowly(void *context, char *out, size_t room)
{
	struct seen *s = context;

	(void)room;
	if (++s->reads % 4)
		return HTTPD_AGAIN;
	*out = 'x';
	return s->reads <= 40;
}

static void handle(void *context, const struct httpd_request *q, struct httpd_response *r)
{
	struct seen *s = context;

	r->status = 200;
	if (slice_eq(q->path, SLICE("/endless"))) {
		count(s, &s->begun);
		while (work_step(q->work))
			;
		s->end = q->work->end;
		count(s, &s->ended);
	}
	if (slice_eq(q->path, SLICE("/stream")))
		r->stream = (struct httpd_stream){.read = read_slowly, .context = s, .slow = true};
}

static struct httpd *start(struct seen *s)
{
	struct httpd_params p = {.address = "127.0.0.1",
		.handler = handle,
		.lane = lane,
		.context = s,
		.any_host = true};
	struct httpd *h = NULL;
	struct err err = {0};

	*s = (struct seen){.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
	if (!CHECK_INT(httpd_start(&p, &h, &err), 0))
		tap_note("%s", err.text);
	return h;
}

static int ask(struct httpd *h, const char *path)
{
	char text[200];
	int fd = client_connect(httpd_port(h));

	(void)snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: a\r\n\r\n", path);
	CHECK(write(fd, text, strlen(text)) > 0);
	return fd;
}

static bool answers(struct httpd *h, const char *path, const char *wanted)
{
	struct buf response;
	bool ok;

	buf_init(&response, CLIENT_RESPONSE_MAX);
	ok = client_get(httpd_port(h), path, &response) == 0 &&
	     strstr(buf_str(&response), wanted) != NULL;
	buf_release(&response);
	return ok;
}

/* More endless requests than workers: pages are answered, and the server stops all the same. */
static void test_endless_requests_hold_nobody_up(void)
{
	struct seen s;
	struct httpd *h = start(&s);
	int fds[20];

	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		fds[i] = ask(h, "/endless");
	wait_for(&s, &s.begun, 1);
	CHECK(answers(h, "/", " 200 "));
	CHECK(httpd_stop(h));
	CHECK_INT(s.end, WORK_CANCELLED);
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		(void)close(fds[i]);
}

static void test_a_client_that_leaves_ends_its_request(void)
{
	struct seen s;
	struct httpd *h = start(&s);
	int fd = ask(h, "/endless");

	wait_for(&s, &s.begun, 1);
	(void)close(fd);
	wait_for(&s, &s.ended, 1);
	CHECK_INT(s.end, WORK_CANCELLED);
	CHECK(httpd_stop(h));
}

static void test_one_address_has_its_share(void)
{
	struct seen s;
	struct httpd *h = start(&s);
	int fds[WORKERS_ADDRESS_JOBS_MAX + 8];
	struct pollfd ready[ARRAY_LEN(fds)];
	char text[64] = "";

	for (size_t i = 0; i < ARRAY_LEN(fds); i++) {
		fds[i] = ask(h, "/endless");
		ready[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
	}
	/* The first that is answered was refused. */
	CHECK(poll(ready, ARRAY_LEN(ready), -1) > 0);
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		if (ready[i].revents && !*text)
			CHECK(read(fds[i], text, sizeof text - 1) > 0);
	CHECK(strstr(text, " 503 "));
	CHECK(httpd_stop(h));
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		(void)close(fds[i]);
}

static void test_slow_streams_are_read_in_turns(void)
{
	struct seen s;
	struct httpd *h = start(&s);

	CHECK(answers(h, "/stream", "\r\n1\r\nx\r\n"));
	CHECK_INT(s.reads, 44);
	CHECK(httpd_stop(h));
}

static void test_work_counts(void)
{
	atomic_bool stopping = false;
	struct work w = {.stopping = &stopping, .fd = -1, .limit_ns = INT64_MAX / 2};

	work_turn_begin(&w);
	for (int i = 0; i < 1000; i++)
		CHECK(work_step(&w));
	CHECK_INT(w.steps, 1000);
	w.spent_ns = w.limit_ns;
	work_refresh(&w);
	CHECK(work_step(&w));
	w.spent_ns = w.limit_ns + 1;
	w.looked = 0;
	CHECK(!work_step(&w));
	CHECK_INT(w.end, WORK_SPENT);
	CHECK(work_step(NULL));
}

static bool is_dropped(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_DONTWAIT) == 0;
}

/* Idle ones of one address: the oldest goes, one with a request stays. */
static void test_peers(void)
{
	struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr = {htonl(0x7f000001)}};
	struct sockaddr_in other = {.sin_family = AF_INET, .sin_addr = {htonl(0x7f000002)}};
	struct peer *list[PEERS_ADDRESS_MAX + 2], *stranger;
	int pair[2];
	struct peers p;

	peers_init(&p, PEERS_MAX);
	CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	stranger = peers_add(&p, -1, (struct sockaddr *)&other);
	list[0] = peers_add(&p, -1, (struct sockaddr *)&from);
	peers_begin(&p, list[0]);
	list[1] = peers_add(&p, pair[0], (struct sockaddr *)&from);
	for (size_t i = 2; i <= PEERS_ADDRESS_MAX; i++)
		list[i] = peers_add(&p, -1, (struct sockaddr *)&from);
	CHECK(!is_dropped(pair[1]));
	list[PEERS_ADDRESS_MAX + 1] = peers_add(&p, -1, (struct sockaddr *)&from);
	CHECK(is_dropped(pair[1]));
	CHECK(stranger->list && list[0]->list && !list[1]->list && list[2]->list);
	peers_end(&p, list[1]); /* what was dropped stays so */
	CHECK(!list[1]->list);
	peers_end(&p, list[0]);
	CHECK(list[0]->list == &p.idle);
	CHECK_INT(p.busy.len, 0);
	for (size_t i = 0; i < ARRAY_LEN(list); i++)
		peers_remove(&p, list[i]);
	peers_remove(&p, stranger);
	CHECK_INT(p.idle.len, 0);
	peers_release(&p);
	(void)close(pair[0]);
	(void)close(pair[1]);
}

/* So many in all: where none idles, the oldest request goes. */
static void test_peers_in_all(void)
{
	struct sockaddr_in from = {.sin_family = AF_INET};
	struct peer *list[4];
	struct peers p;

	peers_init(&p, 3);
	for (size_t i = 0; i < ARRAY_LEN(list); i++) {
		list[i] = peers_add(&p, -1, (struct sockaddr *)&from);
		peers_begin(&p, list[i]);
	}
	CHECK(!list[0]->list && list[1]->list && list[3]->list);
	for (size_t i = 0; i < ARRAY_LEN(list); i++)
		peers_remove(&p, list[i]);
	peers_release(&p);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_endless_requests_hold_nobody_up);
	TAP_RUN(test_a_client_that_leaves_ends_its_request);
	TAP_RUN(test_one_address_has_its_share);
	TAP_RUN(test_slow_streams_are_read_in_turns);
	TAP_RUN(test_work_counts);
	TAP_RUN(test_peers);
	TAP_RUN(test_peers_in_all);
	return tap_done();
}
