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

/* What rules make of a response: noise counts for nothing, the head and the framing do. */
static void test_normal(void)
{
	static const struct {
		const char *label, *head, *body;
		bool is_read, has_digest, same; /* as the first */
	} rows[] = {
		{"noise", HEAD "Content-Length: 17\r\n\r\n", "<!-- 1 --><p>text", true, true, true},
		{"other noise", HEAD "Content-Length: 17\r\n\r\n", "<!-- 2 --><p>text", true, true,
			true},
		{"other text", HEAD "Content-Length: 17\r\n\r\n", "<!-- 1 --><p>next", true, true,
			false},
		{"another media type",
			"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
			"Content-Length: 17\r\n\r\n",
			"<!-- 1 --><p>text", true, true, false},
		{"another status",
			"HTTP/1.1 203 OK\r\nContent-Type: text/html\r\n"
			"Content-Length: 17\r\n\r\n",
			"<!-- 1 --><p>text", true, true, false},
		{"a target", HEAD "Location: /x\r\nContent-Length: 17\r\n\r\n", "<!-- 1 --><p>text",
			true, true, false},
		{"close-delimited", HEAD "\r\n", "<!-- 1 --><p>text", true, false, false},
		{"cut off", HEAD "Content-Length: 18\r\n\r\n", "<!-- 1 --><p>text", false, false,
			false},
		{"no text", HEAD "Content-Length: 17\r\n\r\n", "<!-- 1- --><p><p>", true, false,
			false},
		{"no media type", "HTTP/1.1 200 OK\r\nContent-Length: 17\r\n\r\n",
			"<!-- 1 --><p>text", false, false, false},
		{"two media types", HEAD "Content-Type: text/html\r\nContent-Length: 17\r\n\r\n",
			"<!-- 1 --><p>text", false, false, false},
		{"no HTML",
			"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 17\r\n\r\n",
			"<!-- 1 --><p>text", false, false, false},
	};
	struct state_result result;
	struct err err = {0};
	struct digest first = {0};
	struct reading r;

	CHECK_INT(reading_init(&r, BODY_MAX), 0);
	r.normalise = true;
	for (size_t i = 0; i < ARRAY_LEN(rows) * 2; i++) {
		struct net_fetch f = fetch(rows[i / 2].head, rows[i / 2].body);

		tap_case("normalised: %s%s", rows[i / 2].label, i & 1 ? ", with links" : "");
		CHECK_INT(
			reading_read(&r, &f, i & 1 ? READING_LINKS : READING_STATE, &result, &err),
			0);
		first = i == 0 ? r.normal.digest : first;
		CHECK_INT(r.normal.is_read, rows[i / 2].is_read);
		CHECK_INT(r.normal.has_digest, rows[i / 2].has_digest);
		CHECK_INT(rows[i / 2].has_digest && digest_eq(&r.normal.digest, &first),
			rows[i / 2].same);
	}
	r.normalise = false;
	CHECK_INT(
		reading_read(&r,
			&(struct net_fetch){.status = 200, .head = SLICE(HEAD "\r\n"), .spool = -1},
			READING_STATE, &result, &err),
		0);
	CHECK(!r.normal.is_read);
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
	test_normal();
	TAP_RUN(test_again);
	TAP_RUN(test_spool);
	TAP_RUN(test_not_whole);
	return tap_done();
}
