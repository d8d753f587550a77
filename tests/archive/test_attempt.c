/* The metadata block of an attempt: what is written, and that it reads back to the nanosecond. */
#include "archive/attempt.h"

#include <limits.h>
#include <string.h>

#include "tap.h"

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

static void test_no_memory(void)
{
	slice block = SLICE("capture: c\r\nleg: visit\r\n");
	struct attempt a = {0};
	struct err err = {0};
	struct arena arena;

	arena_init(&arena, 8);
	CHECK_INT(attempt_parse(block, SLICE("u"), &arena, &a, &err), ERR_NOMEM);
	arena_release(&arena);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_fields);
	TAP_RUN(test_round_trip);
	TAP_RUN(test_no_memory);
	test_refused_values();
	test_parse();
	return tap_done();
}
