#include "formats/url_parser.h"

#include "tap.h"

/* Expected values by hand, after the WHATWG URL Standard, section 3.5; NULL: failure. */
static void test_ipv4(void)
{
	static const struct {
		const char *in;
		const char *want;
	} rows[] = {
		{"192.0.2.1", "192.0.2.1"},
		{"192.0.2.1.", "192.0.2.1"},
		{"0", "0.0.0.0"},
		{"4294967295", "255.255.255.255"},
		{"4294967296", NULL},
		{"99999999999999999999999999", NULL},
		{"1.2", "1.0.0.2"},
		{"1.2.3", "1.2.0.3"},
		{"1.16777215", "1.255.255.255"},
		{"1.16777216", NULL},
		{"1.2.65535", "1.2.255.255"},
		{"1.2.65536", NULL},
		{"1.2.3.255", "1.2.3.255"},
		{"1.2.3.256", NULL},
		{"256.1", NULL},
		{"1.2.3.4.5", NULL},
		{"1..2", NULL},
		{"1.2..", NULL},
		{".1", NULL},
		{"0x", "0.0.0.0"},
		{"0xFf.0XA", "255.0.0.10"},
		{"0xg", NULL},
		{"010.07", "8.0.0.7"},
		{"08", NULL},
		{"00", "0.0.0.0"},
		{"1.a", NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		uint32_t address = 0;
		struct err err = {0};
		struct buf out;
		int rc;

		tap_case("IPv4: %s", rows[i].in);
		buf_init(&out, 64);
		rc = url_ipv4_parse(slice_str(rows[i].in), &address, &err);
		CHECK_INT(rc, rows[i].want ? 0 : ERR_SYNTAX);
		if (rc == 0 && CHECK_INT(url_ipv4_add(&out, address), 0))
			CHECK_STR(buf_str(&out), rows[i].want);
		else
			CHECK(err.text[0] != '\0');
		buf_release(&out);
	}
}

static void test_ends_in_number(void)
{
	static const struct {
		const char *in;
		bool want;
	} rows[] = {
		{"1", true},
		{"a.1", true},
		{"a.1.", true},
		{"a.0x1f", true},
		{"a.0x", true},
		{"a.09", true},
		{"a.99999999999999999999", true},
		{"", false},
		{".", false},
		{"1.a", false},
		{"a.1a", false},
		{"a.0xg", false},
		{"a.1..", false},
		{"a.-1", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_note("'%s'", rows[i].in);
		CHECK_INT(url_ends_in_number(slice_str(rows[i].in)), rows[i].want);
	}
}

static void test_ipv6(void)
{
	static const struct {
		const char *in;
		const char *want;
	} rows[] = {
		{"::", "[::]"},
		{"::1", "[::1]"},
		{"1::", "[1::]"},
		{"1:2:3:4:5:6:7:8", "[1:2:3:4:5:6:7:8]"},
		{"0001:0:0:0:0:0:00a:B", "[1::a:b]"},
		{"1:0:0:2:0:0:0:3", "[1:0:0:2::3]"},
		{"1:0:0:2:3:0:0:4", "[1::2:3:0:0:4]"},
		{"1:0:2:0:3:0:4:0", "[1:0:2:0:3:0:4:0]"},
		{"0:0:1:2:3:4:5:6", "[::1:2:3:4:5:6]"},
		{"1:2:3:4:5:6:0:0", "[1:2:3:4:5:6::]"},
		{"::2:3:4:5:6:7:8", "[0:2:3:4:5:6:7:8]"},
		{"1:2:3:4:5:6:7::", "[1:2:3:4:5:6:7:0]"},
		{"::192.0.2.1", "[::c000:201]"},
		{"1:2:3:4:5:6:192.0.2.1", "[1:2:3:4:5:6:c000:201]"},
		{"", NULL},
		{":", NULL},
		{":1", NULL},
		{"1:", NULL},
		{"1", NULL},
		{"1::2::3", NULL},
		{":::", NULL},
		{"1:2:3:4:5:6:7", NULL},
		{"1:2:3:4:5:6:7:8:9", NULL},
		{"::1:2:3:4:5:6:7:8", NULL},
		{"12345::", NULL},
		{"g::", NULL},
		{"1.2.3.4", NULL},
		{"::.1", NULL},
		{"::1.2.3", NULL},
		{"::1.2.3.", NULL},
		{"::1.2.3.4.5", NULL},
		{"::1.2.3.4x", NULL},
		{"::01.2.3.4", NULL},
		{"::256.2.3.4", NULL},
		{"::a.2.3.4", NULL},
		{"1:2:3:4:5:6:7:1.2.3.4", NULL},
		{"1:2:3:4:5:1.2.3.4", NULL},
		{"::1%eth0", NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		uint16_t pieces[URL_IPV6_PIECES];
		struct err err = {0};
		struct buf out;
		int rc;

		tap_case("IPv6: %s", rows[i].in);
		buf_init(&out, 64);
		rc = url_ipv6_parse(slice_str(rows[i].in), pieces, &err);
		CHECK_INT(rc, rows[i].want ? 0 : ERR_SYNTAX);
		if (rc == 0 && CHECK_INT(url_ipv6_add(&out, pieces), 0))
			CHECK_STR(buf_str(&out), rows[i].want);
		else
			CHECK(err.text[0] != '\0');
		buf_release(&out);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_ipv4();
	TAP_RUN(test_ends_in_number);
	test_ipv6();
	return tap_done();
}
