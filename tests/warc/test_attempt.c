/* The metadata block of an attempt: what is written, and that it reads back to the nanosecond. */
#include "warc/attempt.h"

#include <limits.h>
#include <string.h>

#include "tap.h"
#include "warc/warc_header.h"
#include "warc/warc_request.h"

enum { BLOCK_MAX = 1 << 16 };

static struct attempt full(void)
{
	struct attempt a = {
		.capture = SLICE("urn:uuid:00000000-0000-4000-8000-000000000001"),
		.url = SLICE("http://example.org/"),
		.kind = SLICE("page"),
		.via = SLICE("http://example.org/index"),
		.leg = ATTEMPT_PROBE,
		.purpose = SLICE("canary"),
		.single = true,
		.number = 2,
		.wall = {1300000000000000001, 1300000000000000002, 1300000000999999999},
		.clock = {1, 2, INT64_MAX},
		.status = 200,
		.truncated = true,
		.failure = SLICE("timeout: no byte for 30 s"),
		.has_state = true,
		.close_delimited = true,
		.stand_in = SLICE("login: a form"),
		.sign_set = 1,
		.rule_set = 2,
		.rules = SLICE("nonce=2 white-space=12"),
		.compared = SLICE("<urn:uuid:00000000-0000-4000-8000-000000000007>"),
		.masked = 49999,
		.has_class = true,
	};

	a.state.kind = a.class.kind = DIGEST_SHA256;
	for (unsigned i = 0; i < DIGEST_SIZE_MAX; i++) {
		a.state.bytes[i] = (unsigned char)(i * 7 + 1);
		a.class.bytes[i] = (unsigned char)(i * 5 + 2);
	}
	return a;
}

static void test_fields(void)
{
	struct attempt a = full();
	struct buf out;

	buf_init(&out, BLOCK_MAX);
	CHECK_INT(attempt_format(&a, &out), 0);
	/* 1300000000 is 2011-03-13T07:06:40Z (date -u -d @1300000000). */
	CHECK_STR(buf_str(&out),
		"capture: urn:uuid:00000000-0000-4000-8000-000000000001\r\n"
		"leg: probe\r\n"
		"purpose: canary\r\n"
		"attempt: 2\r\n"
		"kind: page\r\n"
		"via: http://example.org/index\r\n"
		"single: true\r\n"
		"requestSent: 2011-03-13T07:06:40.000000001Z\r\n"
		"firstByte: 2011-03-13T07:06:40.000000002Z\r\n"
		"lastByte: 2011-03-13T07:06:40.999999999Z\r\n"
		"monotonicRequestSent: 1\r\n"
		"monotonicFirstByte: 2\r\n"
		"monotonicLastByte: 9223372036854775807\r\n"
		"status: 200\r\n"
		"truncated: true\r\n"
		"failure: timeout: no byte for 30 s\r\n"
		"state: sha256:"
		"01080f161d242b323940474e555c636a71787f868d949ba2a9b0b7bec5ccd3da\r\n"
		"closeDelimited: true\r\n"
		"standIn: login: a form\r\n"
		"signSet: 1\r\n"
		"ruleSet: 2\r\n"
		"rules: nonce=2 white-space=12\r\n"
		"maskedMillionths: 49999\r\n"
		"compared: <urn:uuid:00000000-0000-4000-8000-000000000007>\r\n"
		"normalised: sha256:"
		"02070c11161b20252a2f34393e43484d52575c61666b70757a7f84898e93989d\r\n");
	buf_release(&out);
}

static void check_same(const struct attempt *got, const struct attempt *want)
{
	CHECK_SLICE(got->capture, want->capture);
	CHECK_SLICE(got->url, want->url);
	CHECK_SLICE(got->kind, want->kind);
	CHECK_SLICE(got->via, want->via);
	CHECK_SLICE(got->purpose, want->purpose);
	CHECK_SLICE(got->stand_in, want->stand_in);
	CHECK_INT(got->sign_set, want->sign_set);
	CHECK_SLICE(got->failure, want->failure);
	CHECK(!got->via.ptr == !want->via.ptr && !got->failure.ptr == !want->failure.ptr);
	CHECK_INT(got->leg, want->leg);
	CHECK_INT(got->single, want->single);
	CHECK_INT(got->number, want->number);
	CHECK(memcmp(&got->wall, &want->wall, sizeof got->wall) == 0);
	CHECK(memcmp(&got->clock, &want->clock, sizeof got->clock) == 0);
	CHECK_INT(got->status, want->status);
	CHECK_INT(got->truncated, want->truncated);
	CHECK_INT(got->has_state, want->has_state);
	CHECK(!want->has_state || digest_eq(&got->state, &want->state));
	CHECK_INT(got->close_delimited, want->close_delimited);
	CHECK_INT(got->rule_set, want->rule_set);
	CHECK_SLICE(got->rules, want->rules);
	CHECK_INT(got->masked, want->masked);
	CHECK_INT(got->has_class, want->has_class);
	CHECK(!want->has_class || digest_eq(&got->class, &want->class));
}

static void check_round_trip(const struct attempt *a)
{
	struct attempt again = {0};
	struct arena arena;
	struct err err = {0};
	struct buf out;

	buf_init(&out, BLOCK_MAX);
	arena_init(&arena, BLOCK_MAX);
	CHECK_INT(attempt_format(a, &out), 0);
	CHECK_INT(attempt_parse(buf_slice(&out), a->url, &arena, &again, &err), 0);
	/* The strings are the arena's: the block may go. */
	if (out.ptr)
		memset(out.ptr, '#', out.len);
	check_same(&again, a);
	buf_release(&out);
	arena_release(&arena);
}

static void test_round_trip(void)
{
	static const int64_t times[] = {1, -1, 999999, 1000000, 1299999999999999999,
		9214646399999999999 /* end of 2261 */, -9214560000000000000 /* start of 1678 */};
	struct attempt a = full();

	check_round_trip(&a);
	for (size_t i = 0; i < ARRAY_LEN(times); i++) {
		a.wall.first_byte = times[i];
		a.clock.first_byte = times[i];
		check_round_trip(&a);
	}
	a.clock.sent = INT64_MIN;
	a.number = UINT_MAX;
	for (int leg = ATTEMPT_VISIT; leg < ATTEMPT_LEGS; leg++) {
		a.leg = (enum attempt_leg)leg;
		check_round_trip(&a);
	}
	a = (struct attempt){.capture = SLICE("x"), .number = 1, .url = SLICE("u")};
	check_round_trip(&a);
}

static void test_refused_values(void)
{
	static const struct {
		const char *label;
		slice failure;
		int64_t sent;
		int want;
	} rows[] = {
		{"line feed", SLICE_INIT("a\nstatus: 200"), 1, ERR_SYNTAX},
		{"carriage return", SLICE_INIT("a\rb"), 1, ERR_SYNTAX},
		{"NUL", SLICE_INIT("a\0b"), 1, ERR_SYNTAX},
		{"a year that is not read", SLICE_INIT("a"), INT64_MAX, ERR_RANGE},
		{"another", SLICE_INIT("a"), INT64_MIN, ERR_RANGE},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct attempt a = full();
		struct buf out;

		tap_case("refused: %s", rows[i].label);
		buf_init(&out, BLOCK_MAX);
		CHECK_INT(buf_add_str(&out, "before"), 0);
		a.failure = rows[i].failure;
		a.wall.sent = rows[i].sent;
		CHECK_INT(attempt_format(&a, &out), rows[i].want);
		CHECK_STR(buf_str(&out), "before");
		buf_release(&out);
	}
}

static void test_parse(void)
{
	static const struct {
		const char *label, *block;
		int want;
	} rows[] = {
		{"least", "capture: c\r\nleg: visit\r\n", 0},
		{"LF, any case, any order", "LEG: late\nattempt: 3\nCapture:c\n", 0},
		{"fields of a later version", "capture: c\nleg: side\nweather: fine\n", 0},
		{"a flag that is not set", "capture: c\nleg: side\nsingle: false\n", 0},
		{"nothing", "", ERR_NOTFOUND},
		{"another producer's metadata", "fetchTimeMs: 12\r\nvia: x\r\n", ERR_NOTFOUND},
		{"no leg", "capture: c\r\nattempt: 1\r\n", ERR_NOTFOUND},
		{"unknown leg", "capture: c\r\nleg: third\r\n", ERR_UNSUPPORTED},
		{"unknown leg, damaged", "capture: c\r\nleg: third\r\nstatus: x\r\n", ERR_SYNTAX},
		{"unknown leg, twice", "capture: c\r\nleg: a\r\nleg: visit\r\n", ERR_SYNTAX},
		{"leg twice", "capture: c\r\nleg: visit\r\nleg: revisit\r\n", ERR_SYNTAX},
		{"number", "capture: c\r\nleg: visit\r\nattempt: one\r\n", ERR_SYNTAX},
		{"large number", "capture: c\r\nleg: visit\r\nstatus: 4294967296\r\n", ERR_SYNTAX},
		{"date", "capture: c\r\nleg: visit\r\nfirstByte: yesterday\r\n", ERR_SYNTAX},
		{"reading", "capture: c\r\nleg: visit\r\nmonotonicFirstByte: 1.5\r\n", ERR_SYNTAX},
		{"flag", "capture: c\r\nleg: visit\r\ntruncated: yes\r\n", ERR_SYNTAX},
		{"digest", "capture: c\r\nleg: visit\r\nstate: sha256:00\r\n", ERR_SYNTAX},
		{"digest, algorithm", "capture: c\r\nleg: visit\r\nstate: crc:00\r\n", ERR_SYNTAX},
		{"CR inside", "capture: c\rd\r\nleg: visit\r\n", ERR_SYNTAX},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct attempt a = {.number = 77};
		struct err err = {0};
		struct arena arena;
		int rc;

		tap_case("parse: %s", rows[i].label);
		arena_init(&arena, BLOCK_MAX);
		rc = attempt_parse(slice_str(rows[i].block), SLICE("u"), &arena, &a, &err);
		CHECK_INT(rc, rows[i].want);
		CHECK((rc != 0) == (err.text[0] != '\0'));
		if (rc == 0)
			CHECK_SLICE(a.capture, SLICE("c"));
		else
			CHECK_INT(a.number, 77);
		arena_release(&arena);
	}
}

static void test_full(void)
{
	slice block = SLICE("capture: c\r\nleg: visit\r\n");
	struct attempt a = {0};
	struct err err = {0};
	struct arena arena;

	arena_init(&arena, 8);
	CHECK_INT(attempt_parse(block, SLICE("u"), &arena, &a, &err), ERR_LIMIT);
	arena_release(&arena);
}

/* ---- in the header of a revisit record ---- */

enum { STEP = 997 };

/* A look that found what the archive has. */
static struct attempt same_body(void)
{
	struct attempt a = full();

	a.leg = ATTEMPT_REVISIT;
	a.purpose = a.failure = (slice){0};
	a.truncated = false;
	a.is_revisit = a.has_payload = true;
	a.payload = a.state;
	a.record_id = SLICE("<urn:uuid:00000000-0000-4000-8000-000000000002>");
	a.original.record = SLICE("<urn:uuid:00000000-0000-4000-8000-000000000003>");
	a.original.url = SLICE("http://example.org/other");
	a.original.date = INT64_C(1299999999) * 1000000000;
	a.clock = (struct attempt_times){77, 78, 77 + a.wall.last_byte - a.wall.sent};
	a.protocol = SLICE("h2 tls/1.3");
	a.cipher = SLICE("TLS_AES_128_GCM_SHA256");
	a.address = SLICE("192.0.2.17");
	return a;
}

/* Its record, with our lines as they are given. */
static int put_record(const struct attempt *a, slice lines, struct buf *out)
{
	struct field extra[ATTEMPT_PROTOCOL_FIELDS];
	struct warc_entry e = {.type = WARC_TYPE_REVISIT,
		.profile = WARC_PROFILE_IDENTICAL,
		.date = a->wall.sent,
		.url = attempt_target(a),
		.ip = a->address,
		.payload = &a->payload,
		.refers_to = a->original.record,
		.refers_to_url = a->original.url,
		.refers_to_date = a->original.date,
		.extra = extra,
		.extra_count = attempt_protocol(a, extra),
		.lines = lines};
	struct warc_entry_facts facts = {0};
	struct err err = {0};

	memcpy(facts.id.text, a->record_id.ptr, a->record_id.len);
	return warc_entry_record(&e, &facts, out, &err);
}

/* What a reader makes of a record with these lines. */
static int read_back(const struct attempt *a, slice lines, struct arena *arena, struct attempt *ret,
	unsigned *form)
{
	struct warc_header h = {0};
	struct err err = {0};
	struct buf out;
	int rc;

	buf_init(&out, BLOCK_MAX);
	CHECK_INT(put_record(a, lines, &out), 0);
	CHECK_INT(warc_header_parse(&h, out.ptr, out.len - 4, &err), 0);
	rc = attempt_parse_header(&h, arena, ret, form, &err);
	memset(out.ptr, '#', out.len);
	CHECK(rc == 0 || err.text[0]);
	warc_header_release(&h);
	buf_release(&out);
	return rc;
}

static void check_header(const struct attempt *a)
{
	struct attempt again = {0}, want = *a;
	unsigned form = 0;
	struct arena arena;
	struct buf lines;

	buf_init(&lines, BLOCK_MAX);
	arena_init(&arena, BLOCK_MAX);
	CHECK_INT(attempt_format_header(a, 3, &lines), 0);
	CHECK_INT(read_back(a, buf_slice(&lines), &arena, &again, &form), 0);
	CHECK_INT(form, 3);
	want.has_state = false; /* it follows from the body */
	check_same(&again, &want);
	CHECK(again.is_revisit && again.has_payload && digest_eq(&again.payload, &a->payload));
	CHECK_SLICE(again.record_id, a->record_id);
	CHECK_SLICE(again.original.record, a->original.record);
	CHECK_SLICE(again.original.url, a->original.url);
	CHECK(again.original.date == a->original.date);
	CHECK_SLICE(again.protocol, a->protocol);
	CHECK_SLICE(again.cipher, a->cipher);
	CHECK_SLICE(again.address, a->address);
	CHECK_SLICE(again.redacted, a->redacted);
	CHECK_SLICE(again.compared, a->compared);
	CHECK_SLICE(again.target, a->target);
	CHECK_SLICE(again.post, a->post);
	CHECK_SLICE(again.deceit, a->deceit);
	arena_release(&arena);
	buf_release(&lines);
}

static void test_header(void)
{
	struct attempt a = same_body();
	struct buf lines;

	buf_init(&lines, BLOCK_MAX);
	CHECK_INT(attempt_format_header(&a, 1, &lines), 0);
	CHECK_STR(buf_str(&lines),
		"stillpoint-attempt: urn:uuid:00000000-0000-4000-8000-000000000001 revisit 2 200 1 "
		"1 77 1 999999997\r\n"
		"stillpoint-kind: page\r\n"
		"stillpoint-via: http://example.org/index\r\n"
		"stillpoint-single: true\r\n"
		"stillpoint-closeDelimited: true\r\n"
		"stillpoint-standIn: login: a form\r\n"
		"stillpoint-signSet: 1\r\n"
		"stillpoint-ruleSet: 2\r\n"
		"stillpoint-rules: nonce=2 white-space=12\r\n"
		"stillpoint-maskedMillionths: 49999\r\n"
		"stillpoint-compared: <urn:uuid:00000000-0000-4000-8000-000000000007>\r\n"
		"stillpoint-normalised: sha256:"
		"02070c11161b20252a2f34393e43484d52575c61666b70757a7f84898e93989d\r\n");
	buf_release(&lines);
	for (int leg = ATTEMPT_VISIT; leg < ATTEMPT_LEGS; leg++) {
		a.leg = (enum attempt_leg)leg;
		check_header(&a);
	}
	/* Times on both sides of a second, and an answer that takes years. */
	for (int64_t add = 0; add < 2000000000; add += 1000000 * STEP) {
		a = same_body();
		a.wall.sent += add;
		a.wall.first_byte = a.wall.sent;
		a.wall.last_byte = a.wall.sent + add * STEP * STEP;
		a.clock.first_byte = a.clock.sent;
		a.clock.last_byte = a.clock.sent + add * STEP * STEP;
		check_header(&a);
	}
	a = same_body();
	a.protocol = SLICE("tls/1.3");
	a.redacted = SLICE("cookie, authorization");
	a.deceit = SLICE("score=0.5");
	check_header(&a);
	a.protocol = a.cipher = a.address = (slice){0};
	a.single = a.close_delimited = a.has_class = false;
	a.kind = a.via = a.stand_in = a.rules = a.compared = (slice){0};
	a.number = a.masked = a.rule_set = a.sign_set = 0;
	check_header(&a);
}

/* What needs several records. */
static void test_no_header(void)
{
	struct buf out;

	buf_init(&out, BLOCK_MAX);
	for (int i = 0; i < 14; i++) {
		struct attempt a = same_body();

		switch (i) {
		case 0:
			a.is_revisit = false;
			break;
		case 13:
			a.post = SLICE("q=1");
			a.target = SLICE("http://example.org/");
			break;
		case 1:
			a.has_payload = false;
			break;
		case 2:
			a.has_state = false;
			break;
		case 3:
			a.truncated = true;
			break;
		case 4:
			a.failure = SLICE("timeout");
			break;
		case 5:
			a.retired = 1;
			break;
		case 6:
			a.original.record = (slice){0};
			break;
		case 7:
			a.original.date = 0;
			break;
		case 8:
			a.capture = SLICE("two words");
			break;
		case 9:
			a.clock.last_byte++; /* a clock that was set */
			break;
		case 10:
			a.wall.sent = 0;
			break;
		case 11:
			a.wall.first_byte = a.wall.sent - 1;
			break;
		default:
			a.clock.sent = -5;
			break;
		}
		CHECK_INT(attempt_format_header(&a, 1, &out), ERR_RANGE);
		CHECK_INT(out.len, 0);
	}
	buf_release(&out);
}

static void test_bad_header(void)
{
	static const char C[] = "stillpoint-attempt: ";
	static const struct {
		const char *lines;
		int rc;
	} rows[] = {
		{"", ERR_NOTFOUND},
		{"stillpoint-capture: x\r\n", ERR_NOTFOUND},
		{"@u revisit 1 200 1 5 77 1 2\r\n", 0},
		{"@u revisit 1 200 1 5 77 1 2\r\nstillpoint-later: 7\r\n", 0},
		{"@u revisit 1 200 1 5 77 1 2\r\nSTILLPOINT-VIA: x\r\n", 0},
		{"@u orbit 1 200 1 5 77 1 2\r\n", ERR_UNSUPPORTED},
		{"@u revisit 1 200 1 5 77 1\r\n", ERR_SYNTAX},
		{"@u revisit 1 200 1 5 77 1 2 3\r\n", ERR_SYNTAX},
		{"@u revisit 1 200 1 5 77 1 2 \r\n", 0}, /* blanks at the end are no value */
		{"@u  revisit 1 200 1 5 77 1 2\r\n", ERR_SYNTAX},
		{"@\r\n", ERR_SYNTAX},
		{"@u revisit -1 200 1 5 77 1 2\r\n", ERR_SYNTAX},
		{"@u revisit 1 0 1 5 77 1 2\r\n", ERR_SYNTAX},
		{"@u revisit 1 200 4294967296 5 77 1 2\r\n", ERR_SYNTAX},
		{"@u revisit 1 200 1 1000000000 77 1 2\r\n", ERR_SYNTAX},
		{"@u revisit 1 200 1 5 0 1 2\r\n", ERR_SYNTAX},
		{"@u revisit 1 200 1 5 9223372036854775807 1 2\r\n", ERR_SYNTAX},
		{"@u revisit 1 200 1 5 77 9223372036854775807 2\r\n", ERR_SYNTAX},
		{"@u revisit 1 200 1 5 77 1 18446744073709551615\r\n", ERR_SYNTAX},
		{"@u revisit 1 200 1 5 77 1 2\r\n@u revisit 1 200 1 5 77 1 2\r\n", ERR_SYNTAX},
		{"@u revisit 1 200 1 5 77 1 2\r\nstillpoint-leg: visit\r\n", ERR_SYNTAX},
		{"@u revisit 1 200 1 5 77 1 2\r\nstillpoint-capture: v\r\n", ERR_SYNTAX},
		{"@u revisit 1 200 1 5 77 1 2\r\nstillpoint-status: 404\r\n", ERR_SYNTAX},
		{"@u revisit 1 200 1 5 77 1 2\r\nstillpoint-retired: "
		 "2026-01-01T00:00:00Z\r\n",
			ERR_SYNTAX},
		{"@u revisit 1 200 1 5 77 1 2\r\nstillpoint-via: a\r\nstillpoint-via: a\r\n",
			ERR_SYNTAX},
		{"@u revisit 1 200 1 5 77 1 2\r\nstillpoint-single: yes\r\n", ERR_SYNTAX},
		{"@u revisit 1 200 1 5 77 1 2\r\nstillpoint-normalised: sha256:12\r\n", ERR_SYNTAX},
	};
	struct attempt a = same_body(), got;
	struct arena arena;
	struct buf lines;

	arena_init(&arena, 1 << 20);
	buf_init(&lines, BLOCK_MAX);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		unsigned form;

		buf_reset(&lines);
		for (const char *p = rows[i].lines; *p; p++)
			CHECK(*p == '@' ? buf_add_str(&lines, C) == 0
					: buf_add_char(&lines, *p) == 0);
		CHECK_INT(read_back(&a, buf_slice(&lines), &arena, &got, &form), rows[i].rc);
	}
	buf_release(&lines);
	arena_release(&arena);
}

/* ---- forms of requests ---- */

static void test_forms(void)
{
	static const struct {
		const char *url, *head, *form;
	} rows[] = {
		{"http://example.org/a?b=1",
			"GET /a?b=1 HTTP/1.1\r\nHost: example.org\r\nA: b\r\n\r\n",
			"GET {path} HTTP/1.1\r\nHost: {host}\r\nA: b\r\n\r\n"},
		{"https://u:p@example.org:8443/",
			"GET / HTTP/1.1\r\nHost: example.org:8443\r\n\r\n",
			"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n"},
		{"http://[::1]:80/x", "GET /x HTTP/1.1\r\nHost: [::1]:80\r\n\r\n",
			"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n"},
		{"http://example.org", "GET / HTTP/1.1\r\nHost: example.org\r\n\r\n",
			"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n"},
		/* To a proxy. */
		{"http://example.org/a",
			"GET http://example.org/a HTTP/1.1\r\nHost: example.org\r\n\r\n",
			"GET {url} HTTP/1.1\r\nHost: {host}\r\n\r\n"},
		/* What is otherwise stands as it was sent. */
		{"http://example.org/a", "GET /b HTTP/1.1\r\nHost: example.org\r\n\r\n",
			"GET /b HTTP/1.1\r\nHost: {host}\r\n\r\n"},
		{"http://example.org/a", "GET /a HTTP/1.1\r\nHost: EXAMPLE.org\r\n\r\n",
			"GET {path} HTTP/1.1\r\nHost: EXAMPLE.org\r\n\r\n"},
		{"http://example.org/a", "GET /a HTTP/1.1\r\nA: b\r\nHost: example.org\r\n\r\n",
			"GET {path} HTTP/1.1\r\nA: b\r\nHost: example.org\r\n\r\n"},
		{"http://example.org/a", "GET /a HTTP/1.1\r\n\r\n", "GET {path} HTTP/1.1\r\n\r\n"},
		{"http://example.org/a", "GET /a\r\nHost: example.org\r\n\r\n",
			"GET /a\r\nHost: example.org\r\n\r\n"},
		{"http://example.org/a", "\x16\x03 no HTTP", "\x16\x03 no HTTP"},
		{"http:///", "GET / HTTP/1.1\r\nHost: \r\n\r\n",
			"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n"},
		/* What would be read as ours has no form. */
		{"http://example.org/a", "GET {url} HTTP/1.1\r\nHost: example.org\r\n\r\n", NULL},
		{"http://example.org/a", "GET /a HTTP/1.1\r\nHost: {host}\r\n\r\n", NULL},
	};
	struct buf form, head;

	buf_init(&form, BLOCK_MAX);
	buf_init(&head, BLOCK_MAX);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		slice url = slice_str(rows[i].url);

		buf_reset(&form);
		buf_reset(&head);
		CHECK_INT(request_form_make(slice_str(rows[i].head), url, &form),
			rows[i].form ? 0 : ERR_UNSUPPORTED);
		if (!rows[i].form)
			continue;
		CHECK_STR(buf_str(&form), rows[i].form);
		CHECK_INT(request_form_fill(buf_slice(&form), url, &head), 0);
		CHECK_STR(buf_str(&head), rows[i].head);
	}
	buf_release(&form);
	buf_release(&head);
}

/* The words are those of archives: docs/archive.md. */
static void test_purposes(void)
{
	static const struct {
		const char *word;
		enum attempt_purpose purpose;
		bool is_look; /* of a probe */
	} rows[] = {
		{"", PURPOSE_NONE, false},
		{"noise", PURPOSE_NOISE, true},
		{"canary", PURPOSE_CANARY, true},
		{"variant", PURPOSE_VARIANT, false},
		{"language", PURPOSE_LANGUAGE, false},
		{"cloaking", PURPOSE_CLOAKING, false},
		{"session", PURPOSE_SESSION, false},
		{"cookies", PURPOSE_COOKIES, false},
		{"post", PURPOSE_POST, false},
		{"audit", PURPOSE_AUDIT, false},
		{"cookie: sid", PURPOSE_COOKIE_GATE, false},
		{"cookie", PURPOSE_OTHER, false},
		{"noisy", PURPOSE_OTHER, false},
		{"Noise", PURPOSE_OTHER, false},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct attempt a = {.leg = ATTEMPT_PROBE, .purpose = slice_str(rows[i].word)};

		CHECK_INT(attempt_purpose(&a), rows[i].purpose);
		CHECK(attempt_is_look(&a) == rows[i].is_look);
		a.leg = ATTEMPT_LOOK;
		CHECK(attempt_is_look(&a));
		a.leg = ATTEMPT_SIDE;
		CHECK(!attempt_is_look(&a));
		if (rows[i].purpose != PURPOSE_NONE && rows[i].purpose < PURPOSE_COOKIE_GATE)
			CHECK_SLICE(attempt_purpose_word(rows[i].purpose), slice_str(rows[i].word));
	}
}

static void test_failures(void)
{
	static const struct {
		const char *text;
		enum attempt_failure failure;
	} rows[] = {
		{"hours: its visit", FAILURE_HOURS},
		{"slow: it held up", FAILURE_SLOW},
		{"aborted: the time", FAILURE_ABORTED},
		{"host-down: its server", FAILURE_HOST_DOWN},
		{"dns: there is no", FAILURE_DNS},
		{"slow", FAILURE_OTHER},
		{"slower: it", FAILURE_OTHER},
		{"timeout: slow: x", FAILURE_OTHER},
		{"", FAILURE_OTHER},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		CHECK_INT(attempt_failure(slice_str(rows[i].text)), rows[i].failure);
	CHECK_INT(attempt_failure((slice){0}), FAILURE_OTHER);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_fields);
	TAP_RUN(test_purposes);
	TAP_RUN(test_failures);
	TAP_RUN(test_round_trip);
	TAP_RUN(test_full);
	test_refused_values();
	test_parse();
	TAP_RUN(test_header);
	TAP_RUN(test_no_header);
	TAP_RUN(test_bad_header);
	TAP_RUN(test_forms);
	return tap_done();
}
