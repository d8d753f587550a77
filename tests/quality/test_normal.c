/* The normalised digest of a revisit record: that of its head with the body of the other record. */
#include "quality/normal_reader.h"

#include <string.h>

#include "tap.h"

#define BODY  "<p class=a>Caf\xc3\xa9, word for word</p><!-- 13:04:05 -->"
#define HTML  "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
#define SIZED "Content-Length: 52\r\n\r\n"

static void read_response(
	struct normal_reader *r, const char *head, struct state_result *state, struct normal *shown)
{
	normal_reader_start(r);
	CHECK_INT(normal_reader_feed(r, slice_str(head)), 0);
	CHECK_INT(normal_reader_feed(r, SLICE(BODY)), 0);
	CHECK_INT(normal_reader_finish(r, state, shown), 0);
}

/* What the head of a revisit record and the body under the other head make. */
static void combine(struct normal_reader *r, const char *original, const char *head,
	struct state_result *state, struct normal *shown)
{
	struct normal_original of = {.state = state, .shown = shown};

	read_response(r, original, state, shown);
	of.manner = normal_reader_manner(r);
	state->coding = (slice){0};
	normal_reader_start(r);
	CHECK_INT(normal_reader_feed(r, slice_str(head)), 0);
	CHECK_INT(normal_reader_combine(r, &of, state, shown), 0);
}

static const struct {
	const char *label, *original, *head;
	bool is_read, has_digest;
} ROWS[] = {
	{"the same head", HTML SIZED, HTML SIZED, true, true},
	{"other fields", HTML SIZED, HTML "ETag: \"x\"\r\n" SIZED, true, true},
	{"another status", HTML SIZED,
		"HTTP/1.1 203 OK\r\nContent-Type: text/html; charset=utf-8\r\n" SIZED, true, true},
	{"another Location", HTML SIZED, HTML "Location: /x\r\n" SIZED, true, true},
	{"another charset", HTML SIZED,
		"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=latin1\r\n" SIZED, false,
		false},
	{"another type", HTML SIZED, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n" SIZED, false,
		false},
	{"a type of two", HTML SIZED, HTML "Content-Type: text/html\r\n" SIZED, false, false},
	{"the original of no type", "HTTP/1.1 200 OK\r\n" SIZED, HTML SIZED, false, false},
	{"only the original is close-delimited", HTML "\r\n", HTML SIZED, true, true},
	{"only the other is close-delimited", HTML SIZED, HTML "\r\n", true, false},
};

static void test_combine(void)
{
	struct normal_reader r;

	CHECK_INT(normal_reader_init(&r), 0);
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct state_result whole, combined;
		struct normal direct, shown;

		tap_case("%s", ROWS[i].label);
		combine(&r, ROWS[i].original, ROWS[i].head, &combined, &shown);
		CHECK_INT(shown.is_read, ROWS[i].is_read);
		CHECK_INT(shown.has_digest, ROWS[i].has_digest);
		read_response(&r, ROWS[i].head, &whole, &direct);
		CHECK(digest_eq(&combined.state, &whole.state));
		CHECK_INT(combined.close_delimited, whole.close_delimited);
		if (!shown.is_read)
			continue;
		CHECK_INT(direct.has_digest, shown.has_digest);
		CHECK(!direct.has_digest || digest_eq(&direct.digest, &shown.digest));
		CHECK_INT(direct.masked, shown.masked);
		CHECK_STR(direct.rules, shown.rules);
	}
	normal_reader_release(&r);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_combine();
	return tap_done();
}
