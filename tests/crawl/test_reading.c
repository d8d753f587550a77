/* Reading a response: its state whatever it is read for, its links, its body, from a spool too. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "crawl/reading.h"
#include "tap.h"

enum { BODY_MAX = 16 };

#define PAGE "<a href=\"/x\">x</a><img src=y.png>"
#define HEAD "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"

static struct net_fetch fetch(const char *head, const char *body)
{
	return (struct net_fetch){.status = 200,
		.head = slice_str(head),
		.body = slice_str(body),
		.body_size = strlen(body),
		.spool = -1};
}

static void test_modes(void)
{
	struct net_fetch f = fetch(HEAD "Content-Length: 33\r\n\r\n", PAGE);
	struct state_result state, links, body;
	struct err err = {0};
	struct reading r;

	CHECK_INT(reading_init(&r, BODY_MAX), 0);
	CHECK_INT(reading_read(&r, &f, READING_STATE, &state, &err), 0);
	CHECK_INT((int64_t)r.body.len, 0);
	CHECK_INT(reading_read(&r, &f, READING_LINKS, &links, &err), 0);
	CHECK_INT((int64_t)r.links.list.len, 2);
	CHECK_INT(reading_read(&r, &f, READING_BODY, &body, &err), 0);
	CHECK_SLICE(buf_slice(&r.body), slice_sub(SLICE(PAGE), 0, BODY_MAX));
	CHECK(state.whole && digest_eq(&state.state, &links.state));
	CHECK(digest_eq(&state.state, &body.state));
	CHECK_SLICE(reading_field(&r, SLICE("content-type")), SLICE("text/html"));
	CHECK(reading_field(&r, SLICE("location")).ptr == NULL);
	reading_release(&r);
}

/* One response after the other: nothing of the last is left. */
static void test_again(void)
{
	struct net_fetch page = fetch(HEAD "Content-Length: 33\r\n\r\n", PAGE);
	struct net_fetch plain = fetch("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n", "A");
	struct net_fetch header =
		fetch("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nLink: </z>; rel=next\r\n\r\n", "A");
	struct state_result result;
	struct err err = {0};
	struct reading r;

	CHECK_INT(reading_init(&r, BODY_MAX), 0);
	CHECK_INT(reading_read(&r, &page, READING_LINKS, &result, &err), 0);
	CHECK_INT(reading_read(&r, &plain, READING_LINKS, &result, &err), 0);
	CHECK_INT((int64_t)r.links.list.len, 0);
	CHECK_INT(reading_read(&r, &header, READING_LINKS, &result, &err), 0);
	CHECK_INT((int64_t)r.links.list.len, 1);
	reading_release(&r);
}

static void test_spool(void)
{
	struct net_fetch memory = fetch(HEAD "Content-Length: 33\r\n\r\n", PAGE), file = memory;
	struct state_result want, got;
	struct err err = {0};
	struct reading r;

	file.spool = open(tap_tempdir(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (!CHECK(file.spool >= 0))
		return;
	CHECK_INT(write(file.spool, memory.body.ptr, memory.body.len), (int64_t)memory.body.len);
	file.body = (slice){0};
	CHECK_INT(reading_init(&r, BODY_MAX), 0);
	CHECK_INT(reading_read(&r, &memory, READING_STATE, &want, &err), 0);
	CHECK_INT(reading_read(&r, &file, READING_LINKS, &got, &err), 0);
	CHECK(digest_eq(&got.state, &want.state) && got.whole);
	CHECK_INT((int64_t)r.links.list.len, 2);
	file.body_size++;
	CHECK_INT(reading_read(&r, &file, READING_STATE, &got, &err), ERR_IO);
	reading_release(&r);
	(void)close(file.spool);
}

static void test_not_whole(void)
{
	struct net_fetch f = fetch(HEAD "Content-Length: 99\r\n\r\n", PAGE);
	struct net_fetch none = fetch("no head at all", "");
	struct state_result result;
	struct err err = {0};
	struct reading r;

	CHECK_INT(reading_init(&r, BODY_MAX), 0);
	CHECK_INT(reading_read(&r, &f, READING_LINKS, &result, &err), 0);
	CHECK(!result.whole);
	CHECK_INT((int64_t)r.links.list.len, 2); /* what came of it shows the way all the same */
	CHECK_INT(reading_read(&r, &none, READING_LINKS, &result, &err), ERR_SYNTAX);
	reading_release(&r);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_modes);
	TAP_RUN(test_again);
	TAP_RUN(test_spool);
	TAP_RUN(test_not_whole);
	return tap_done();
}
