#include "net/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include "tap.h"

/*
 * Both ends of every range, and what lies just outside. Sources: IANA IPv4 and IPv6 Special-Purpose
 * Address Registries (RFC 6890); RFC 4291, section 2.4; the clouds' own manuals for metadata.
 */
static const struct {
	const char *text;
	enum address_class class;
	const char *range;
} ROWS[] = {
	{"0.0.0.0", ADDRESS_RESERVED, "0.0.0.0/8"},
	{"0.255.255.255", ADDRESS_RESERVED, "0.0.0.0/8"},
	{"1.0.0.0", ADDRESS_PUBLIC, ""},
	{"9.255.255.255", ADDRESS_PUBLIC, ""},
	{"10.0.0.0", ADDRESS_PRIVATE, "10.0.0.0/8"},
	{"10.255.255.255", ADDRESS_PRIVATE, "10.0.0.0/8"},
	{"11.0.0.0", ADDRESS_PUBLIC, ""},
	{"100.63.255.255", ADDRESS_PUBLIC, ""},
	{"100.64.0.0", ADDRESS_SHARED, "100.64.0.0/10"},
	{"100.100.100.200", ADDRESS_METADATA, "100.100.100.200/32"},
	{"100.100.100.201", ADDRESS_SHARED, "100.64.0.0/10"},
	{"100.127.255.255", ADDRESS_SHARED, "100.64.0.0/10"},
	{"100.128.0.0", ADDRESS_PUBLIC, ""},
	{"126.255.255.255", ADDRESS_PUBLIC, ""},
	{"127.0.0.0", ADDRESS_LOOPBACK, "127.0.0.0/8"},
	{"127.255.255.255", ADDRESS_LOOPBACK, "127.0.0.0/8"},
	{"128.0.0.0", ADDRESS_PUBLIC, ""},
	{"168.63.129.15", ADDRESS_PUBLIC, ""},
	{"168.63.129.16", ADDRESS_METADATA, "168.63.129.16/32"},
	{"169.253.255.255", ADDRESS_PUBLIC, ""},
	{"169.254.0.0", ADDRESS_LINK_LOCAL, "169.254.0.0/16"},
	{"169.254.169.253", ADDRESS_LINK_LOCAL, "169.254.0.0/16"},
	{"169.254.169.254", ADDRESS_METADATA, "169.254.169.254/32"},
	{"169.254.170.2", ADDRESS_METADATA, "169.254.170.0/24"},
	{"169.254.255.255", ADDRESS_LINK_LOCAL, "169.254.0.0/16"},
	{"169.255.0.0", ADDRESS_PUBLIC, ""},
	{"172.15.255.255", ADDRESS_PUBLIC, ""},
	{"172.16.0.0", ADDRESS_PRIVATE, "172.16.0.0/12"},
	{"172.31.255.255", ADDRESS_PRIVATE, "172.16.0.0/12"},
	{"172.32.0.0", ADDRESS_PUBLIC, ""},
	{"191.255.255.255", ADDRESS_PUBLIC, ""},
	{"192.0.0.0", ADDRESS_RESERVED, "192.0.0.0/24"},
	{"192.0.0.192", ADDRESS_METADATA, "192.0.0.192/32"},
	{"192.0.1.0", ADDRESS_PUBLIC, ""},
	{"192.0.2.0", ADDRESS_RESERVED, "192.0.2.0/24"},
	{"192.0.2.255", ADDRESS_RESERVED, "192.0.2.0/24"},
	{"192.0.3.0", ADDRESS_PUBLIC, ""},
	{"192.88.99.1", ADDRESS_RESERVED, "192.88.99.0/24"},
	{"192.88.100.0", ADDRESS_PUBLIC, ""},
	{"192.167.255.255", ADDRESS_PUBLIC, ""},
	{"192.168.0.0", ADDRESS_PRIVATE, "192.168.0.0/16"},
	{"192.168.255.255", ADDRESS_PRIVATE, "192.168.0.0/16"},
	{"192.169.0.0", ADDRESS_PUBLIC, ""},
	{"198.17.255.255", ADDRESS_PUBLIC, ""},
	{"198.18.0.0", ADDRESS_RESERVED, "198.18.0.0/15"},
	{"198.19.255.255", ADDRESS_RESERVED, "198.18.0.0/15"},
	{"198.20.0.0", ADDRESS_PUBLIC, ""},
	{"198.51.100.7", ADDRESS_RESERVED, "198.51.100.0/24"},
	{"203.0.113.255", ADDRESS_RESERVED, "203.0.113.0/24"},
	{"203.0.114.0", ADDRESS_PUBLIC, ""},
	{"223.255.255.255", ADDRESS_PUBLIC, ""},
	{"224.0.0.0", ADDRESS_MULTICAST, "224.0.0.0/4"},
	{"239.255.255.255", ADDRESS_MULTICAST, "224.0.0.0/4"},
	{"240.0.0.0", ADDRESS_RESERVED, "240.0.0.0/4"},
	{"255.255.255.254", ADDRESS_RESERVED, "240.0.0.0/4"},
	{"255.255.255.255", ADDRESS_RESERVED, "255.255.255.255/32"},

	{"::", ADDRESS_RESERVED, "::/128"},
	{"::1", ADDRESS_LOOPBACK, "::1/128"},
	{"::2", ADDRESS_RESERVED, "0.0.0.0/8"},
	{"::7f00:1", ADDRESS_LOOPBACK, "127.0.0.0/8"},
	{"::808:808", ADDRESS_RESERVED, "::/96"},
	{"::ffff:8.8.8.8", ADDRESS_PUBLIC, ""},
	{"::ffff:10.1.2.3", ADDRESS_PRIVATE, "10.0.0.0/8"},
	{"::ffff:127.0.0.1", ADDRESS_LOOPBACK, "127.0.0.0/8"},
	{"::ffff:169.254.169.254", ADDRESS_METADATA, "169.254.169.254/32"},
	{"::ffff:0:10.1.2.3", ADDRESS_PRIVATE, "10.0.0.0/8"},
	{"::ffff:0:8.8.8.8", ADDRESS_RESERVED, "::ffff:0:0:0/96"},
	{"::1:0:0:0", ADDRESS_RESERVED, "not in 2000::/3"},
	{"64:ff9b::8.8.8.8", ADDRESS_PUBLIC, ""},
	{"64:ff9b::192.168.1.1", ADDRESS_PRIVATE, "192.168.0.0/16"},
	{"64:ff9b::169.254.169.254", ADDRESS_METADATA, "169.254.169.254/32"},
	{"64:ff9b:1::8.8.8.8", ADDRESS_RESERVED, "64:ff9b:1::/48"},
	{"100::1", ADDRESS_RESERVED, "100::/64"},
	{"1fff:ffff::", ADDRESS_RESERVED, "not in 2000::/3"},
	{"2000::", ADDRESS_PUBLIC, ""},
	/* Teredo of RFC 4380, section 4: server 65.54.227.120, client 192.0.2.45 */
	{"2001:0:4136:e378:8000:63bf:3fff:fdd2", ADDRESS_RESERVED, "192.0.2.0/24"},
	{"2001:0:4136:e378:8000:63bf:f7f7:f7f7", ADDRESS_PUBLIC, ""},
	{"2001:0:7f00:1:8000:63bf:f7f7:f7f7", ADDRESS_LOOPBACK, "127.0.0.0/8"},
	{"2001:2::1", ADDRESS_RESERVED, "2001:2::/48"},
	{"2001:2:1::1", ADDRESS_PUBLIC, ""},
	{"2001:1f:ffff::", ADDRESS_RESERVED, "2001:10::/28"},
	{"2001:2f::", ADDRESS_RESERVED, "2001:20::/28"},
	{"2001:30::", ADDRESS_PUBLIC, ""},
	{"2001:db8::1", ADDRESS_RESERVED, "2001:db8::/32"},
	{"2001:db9::", ADDRESS_PUBLIC, ""},
	{"2002:808:808::1", ADDRESS_PUBLIC, ""},
	{"2002:a00:1::", ADDRESS_PRIVATE, "10.0.0.0/8"},
	{"2002:a9fe:a9fe::", ADDRESS_METADATA, "169.254.169.254/32"},
	{"2606:2800:220:1::1", ADDRESS_PUBLIC, ""},
	{"3ffe:ffff::", ADDRESS_PUBLIC, ""},
	{"3fff::", ADDRESS_RESERVED, "3fff::/20"},
	{"3fff:fff:ffff::", ADDRESS_RESERVED, "3fff::/20"},
	{"3fff:1000::", ADDRESS_PUBLIC, ""},
	{"4000::", ADDRESS_RESERVED, "not in 2000::/3"},
	{"5f00::1", ADDRESS_RESERVED, "5f00::/16"},
	{"fbff:ffff::", ADDRESS_RESERVED, "not in 2000::/3"},
	{"fc00::", ADDRESS_PRIVATE, "fc00::/7"},
	{"fd00:ec2::253", ADDRESS_PRIVATE, "fc00::/7"},
	{"fd00:ec2::254", ADDRESS_METADATA, "fd00:ec2::254/128"},
	{"fd20:ce::254", ADDRESS_METADATA, "fd20:ce::254/128"},
	{"fdff:ffff::", ADDRESS_PRIVATE, "fc00::/7"},
	{"fe00::", ADDRESS_RESERVED, "not in 2000::/3"},
	{"fe80::1", ADDRESS_LINK_LOCAL, "fe80::/10"},
	{"febf:ffff::", ADDRESS_LINK_LOCAL, "fe80::/10"},
	{"fec0::1", ADDRESS_PRIVATE, "fec0::/10"},
	{"ff02::1", ADDRESS_MULTICAST, "ff00::/8"},
	{"ffff:ffff::", ADDRESS_MULTICAST, "ff00::/8"},
};

static void test_ranges(void)
{
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct address a;

		tap_case("range: %s", ROWS[i].text);
		if (!CHECK(address_parse(slice_str(ROWS[i].text), &a)))
			continue;
		CHECK_INT(address_range(&a)->class, ROWS[i].class);
		CHECK_STR(address_range(&a)->text, ROWS[i].range);
		CHECK_INT(address_is_allowed(&a, 0), ROWS[i].class == ADDRESS_PUBLIC);
		CHECK(address_is_allowed(&a, ADDRESS_SET(ROWS[i].class)));
		CHECK(address_is_allowed(&a, ADDRESS_ALL));
		CHECK_INT(address_is_allowed(&a, ADDRESS_ALL & ~ADDRESS_SET(ROWS[i].class)),
			ROWS[i].class == ADDRESS_PUBLIC);
	}
}

static void test_text(void)
{
	static const struct {
		const char *text, *want; /* NULL: no address */
	} rows[] = {
		{"1.2.3.4", "1.2.3.4"},
		{"[::1]", "::1"},
		{"::1", "::1"},
		{"[fd00::2]", "fd00::2"},
		{"[1.2.3.4]", NULL},
		{"[]", NULL},
		{"", NULL},
		{"1.2.3", NULL},
		{"example.org", NULL},
		{"1.2.3.4.", NULL},
		{"00000000000000000000000000000000000000000000000001.2.3.4", NULL},
	};
	char text[ADDRESS_TEXT_SIZE], sentence[128];
	struct address a = {0}, b = {0};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("text: '%s'", rows[i].text);
		CHECK_INT(address_parse(slice_str(rows[i].text), &a), rows[i].want != NULL);
		if (!rows[i].want)
			continue;
		address_format(&a, text);
		CHECK_STR(text, rows[i].want);
	}
	tap_case("text: a sentence");
	CHECK(address_parse(SLICE("10.1.2.3"), &a));
	address_explain(&a, sentence, sizeof sentence);
	CHECK_STR(sentence, "10.1.2.3 is a private address (10.0.0.0/8)");
	tap_case("text: equal ones");
	CHECK(address_parse(SLICE("10.1.2.3"), &b) && address_equal(&a, &b));
	CHECK(address_parse(SLICE("::ffff:10.1.2.3"), &b) && !address_equal(&a, &b));
}

static void test_sockets(void)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f000002)};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	struct sockaddr other = {.sa_family = AF_UNIX};
	char text[ADDRESS_TEXT_SIZE];
	struct address a;

	tap_case("sockets");
	CHECK(address_of_socket((struct sockaddr *)&v4, &a));
	address_format(&a, text);
	CHECK_STR(text, "127.0.0.2");
	CHECK(address_of_socket((struct sockaddr *)&v6, &a));
	address_format(&a, text);
	CHECK_STR(text, "::1");
	CHECK(!address_of_socket(&other, &a));
}

static void test_local_names(void)
{
	static const struct {
		const char *name;
		bool local;
	} rows[] = {{"localhost", true}, {"LOCALHOST.", true}, {"a.localhost", true},
		{"localhost.example", false}, {"notlocalhost", false}, {"host", false}, {"", false},
		{".", false}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("local names: '%s'", rows[i].name);
		CHECK_INT(address_name_is_local(slice_str(rows[i].name)), rows[i].local);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_ranges();
	test_text();
	test_sockets();
	test_local_names();
	return tap_done();
}
