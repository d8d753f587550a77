#include "net/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

/* ---- addresses ---- */

/*
 * IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890, RFC 8190; 3fff::/20 by RFC 9637,
 * 5f00::/16 by RFC 9602), RFC 4291 for what is global at all, RFC 6052, 3056 and 4380 for addresses
 * within addresses.
 */

enum { BITS = 8 };

/* The first row that fits counts. */
struct row {
	uint8_t prefix[ADDRESS_V6_SIZE]; /* the rest is 0 */
	unsigned bits;
	struct address_range range;
};

static const struct address_range PUBLIC = {ADDRESS_PUBLIC, ""};
static const struct address_range NOT_GLOBAL = {ADDRESS_RESERVED, "not in 2000::/3"};

#define ROW(bits, class, text, ...)     \
	{                               \
		{__VA_ARGS__}, (bits),  \
		{                       \
			(class), (text) \
		}                       \
	}

static const struct row V4[] = {
	ROW(8, ADDRESS_RESERVED, "0.0.0.0/8", 0),
	ROW(8, ADDRESS_PRIVATE, "10.0.0.0/8", 10),
	ROW(32, ADDRESS_METADATA, "100.100.100.200/32", 100, 100, 100, 200), /* Alibaba */
	ROW(10, ADDRESS_SHARED, "100.64.0.0/10", 100, 64),
	ROW(8, ADDRESS_LOOPBACK, "127.0.0.0/8", 127),
	ROW(32, ADDRESS_METADATA, "168.63.129.16/32", 168, 63, 129, 16),     /* Azure */
	ROW(32, ADDRESS_METADATA, "169.254.169.254/32", 169, 254, 169, 254), /* most of them */
	ROW(24, ADDRESS_METADATA, "169.254.170.0/24", 169, 254, 170),        /* AWS containers */
	ROW(16, ADDRESS_LINK_LOCAL, "169.254.0.0/16", 169, 254),
	ROW(12, ADDRESS_PRIVATE, "172.16.0.0/12", 172, 16),
	ROW(32, ADDRESS_METADATA, "192.0.0.192/32", 192, 0, 0, 192), /* Oracle */
	ROW(24, ADDRESS_RESERVED, "192.0.0.0/24", 192, 0, 0),
	ROW(24, ADDRESS_RESERVED, "192.0.2.0/24", 192, 0, 2),
	ROW(24, ADDRESS_RESERVED, "192.88.99.0/24", 192, 88, 99),
	ROW(16, ADDRESS_PRIVATE, "192.168.0.0/16", 192, 168),
	ROW(15, ADDRESS_RESERVED, "198.18.0.0/15", 198, 18),
	ROW(24, ADDRESS_RESERVED, "198.51.100.0/24", 198, 51, 100),
	ROW(24, ADDRESS_RESERVED, "203.0.113.0/24", 203, 0, 113),
	ROW(4, ADDRESS_MULTICAST, "224.0.0.0/4", 224),
	ROW(32, ADDRESS_RESERVED, "255.255.255.255/32", 255, 255, 255, 255),
	ROW(4, ADDRESS_RESERVED, "240.0.0.0/4", 240),
};

static const struct row V6[] = {
	ROW(128, ADDRESS_RESERVED, "::/128", 0),
	ROW(128, ADDRESS_LOOPBACK, "::1/128", [15] = 1),
	ROW(48, ADDRESS_RESERVED, "64:ff9b:1::/48", 0x00, 0x64, 0xff, 0x9b, 0, 1),
	ROW(64, ADDRESS_RESERVED, "100::/64", 0x01),
	ROW(48, ADDRESS_RESERVED, "2001:2::/48", 0x20, 0x01, 0, 2),
	ROW(28, ADDRESS_RESERVED, "2001:10::/28", 0x20, 0x01, 0, 0x10),
	ROW(28, ADDRESS_RESERVED, "2001:20::/28", 0x20, 0x01, 0, 0x20),
	ROW(32, ADDRESS_RESERVED, "2001:db8::/32", 0x20, 0x01, 0x0d, 0xb8),
	ROW(20, ADDRESS_RESERVED, "3fff::/20", 0x3f, 0xff),
	ROW(16, ADDRESS_RESERVED, "5f00::/16", 0x5f),
	ROW(128, ADDRESS_METADATA, "fd00:ec2::254/128", 0xfd, 0, 0x0e, 0xc2, [14] = 2, 0x54),
	ROW(128, ADDRESS_METADATA, "fd20:ce::254/128", 0xfd, 0x20, 0, 0xce, [14] = 2, 0x54),
	ROW(7, ADDRESS_PRIVATE, "fc00::/7", 0xfc),
	ROW(10, ADDRESS_LINK_LOCAL, "fe80::/10", 0xfe, 0x80),
	ROW(10, ADDRESS_PRIVATE, "fec0::/10", 0xfe, 0xc0), /* site-local, deprecated */
	ROW(8, ADDRESS_MULTICAST, "ff00::/8", 0xff),
};

/* Where other addresses stand within an address. */
static const struct {
	struct row row; /* its range is that of the outer one, when the inner one is public */
	unsigned at;
	uint8_t mask; /* over each byte */
} INNER[] = {
	{ROW(96, ADDRESS_PUBLIC, "", [10] = 0xff, 0xff), 12, 0},                 /* mapped */
	{ROW(96, ADDRESS_RESERVED, "::ffff:0:0:0/96", [8] = 0xff, 0xff), 12, 0}, /* translated */
	{ROW(96, ADDRESS_RESERVED, "::/96", 0), 12, 0},                          /* compatible */
	{ROW(96, ADDRESS_PUBLIC, "", 0x00, 0x64, 0xff, 0x9b), 12, 0},            /* NAT64 */
	{ROW(32, ADDRESS_PUBLIC, "", 0x20, 0x01), 4, 0},     /* Teredo: its server … */
	{ROW(32, ADDRESS_PUBLIC, "", 0x20, 0x01), 12, 0xff}, /* … and its client */
	{ROW(16, ADDRESS_PUBLIC, "", 0x20, 0x02), 2, 0},     /* 6to4 */
};

static bool fits(const struct address *a, const struct row *row)
{
	unsigned whole = row->bits / BITS, rest = row->bits % BITS;
	uint8_t mask = (uint8_t)(0xff << (BITS - rest));

	return memcmp(a->bytes, row->prefix, whole) == 0 &&
	       (rest == 0 || ((a->bytes[whole] ^ row->prefix[whole]) & mask) == 0);
}

static const struct address_range *find(
	const struct address *a, const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (fits(a, &rows[i]))
			return &rows[i].range;
	return NULL;
}

static const struct address_range *range_v4(const struct address *a)
{
	const struct address_range *range = find(a, V4, sizeof V4 / sizeof V4[0]);

	return range ? range : &PUBLIC;
}

/* NULL for one without an address within it. */
static const struct address_range *range_of_inner(const struct address *outer)
{
	const struct address_range *last = NULL;

	for (size_t i = 0; i < sizeof INNER / sizeof INNER[0]; i++) {
		struct address inner = {.size = ADDRESS_V4_SIZE};
		const struct address_range *range;

		if (!fits(outer, &INNER[i].row))
			continue;
		for (unsigned k = 0; k < ADDRESS_V4_SIZE; k++)
			inner.bytes[k] = outer->bytes[INNER[i].at + k] ^ INNER[i].mask;
		range = range_v4(&inner);
		if (range->class != ADDRESS_PUBLIC)
			return range;
		last = &INNER[i].row.range;
	}
	return last;
}

static const struct address_range *range_v6(const struct address *a)
{
	const struct address_range *range = find(a, V6, sizeof V6 / sizeof V6[0]);

	if (!range)
		range = range_of_inner(a);
	if (range)
		return range;
	return a->bytes[0] >> 5 == 1 ? &PUBLIC : &NOT_GLOBAL;
}

const struct address_range *address_range(const struct address *a)
{
	return a->size == ADDRESS_V4_SIZE ? range_v4(a) : range_v6(a);
}

bool address_is_allowed(const struct address *a, unsigned set)
{
	return ((set | ADDRESS_SET(ADDRESS_PUBLIC)) & ADDRESS_SET(address_range(a)->class)) != 0;
}

void address_explain(const struct address *a, char *out, size_t size)
{
	static const char *const words[] = {
#define X(name, text) [name] = (text),
		ADDRESS_CLASSES(X)
#undef X
	};
	const struct address_range *range = address_range(a);
	char text[ADDRESS_TEXT_SIZE];

	address_format(a, text);
	(void)snprintf(out, size, "%s is %s (%s)", text, words[range->class], range->text);
}

bool address_equal(const struct address *a, const struct address *b)
{
	return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

void address_format(const struct address *a, char out[ADDRESS_TEXT_SIZE])
{
	if (!inet_ntop(a->size == ADDRESS_V4_SIZE ? AF_INET : AF_INET6, a->bytes, out,
		    ADDRESS_TEXT_SIZE))
		out[0] = '\0';
}

bool address_parse(slice text, struct address *ret)
{
	struct address a = {0};
	char copy[ADDRESS_TEXT_SIZE];
	bool brackets = text.len > 2 && text.ptr[0] == '[' && text.ptr[text.len - 1] == ']';

	if (brackets)
		text = slice_sub(text, 1, text.len - 1);
	if (text.len >= sizeof copy)
		return false;
	memcpy(copy, text.ptr, text.len);
	copy[text.len] = '\0';
	if (!brackets && inet_pton(AF_INET, copy, a.bytes) == 1)
		a.size = ADDRESS_V4_SIZE;
	else if (inet_pton(AF_INET6, copy, a.bytes) == 1)
		a.size = ADDRESS_V6_SIZE;
	if (a.size > 0)
		*ret = a;
	return a.size > 0;
}

bool address_of_socket(const struct sockaddr *from, struct address *ret)
{
	struct address a = {0};

	if (from->sa_family == AF_INET) {
		a.size = ADDRESS_V4_SIZE;
		memcpy(a.bytes, &((const struct sockaddr_in *)(const void *)from)->sin_addr,
			ADDRESS_V4_SIZE);
	} else if (from->sa_family == AF_INET6) {
		a.size = ADDRESS_V6_SIZE;
		memcpy(a.bytes, &((const struct sockaddr_in6 *)(const void *)from)->sin6_addr,
			ADDRESS_V6_SIZE);
	} else {
		return false;
	}
	*ret = a;
	return true;
}

bool address_name_is_local(slice name)
{
	slice local = SLICE("localhost");

	if (name.len > 1 && name.ptr[name.len - 1] == '.')
		name.len--;
	if (name.len < local.len ||
		strncasecmp(name.ptr + name.len - local.len, local.ptr, local.len) != 0)
		return false;
	return name.len == local.len || name.ptr[name.len - local.len - 1] == '.';
}

/* ---- ports ---- */

/* Port 0 is none. */
static const uint16_t REFUSED[] = {0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43,
	53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135,
	137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548,
	554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190,
	5060, 5061, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080};

bool port_is_refused(unsigned port)
{
	for (size_t i = 0; i < sizeof REFUSED / sizeof REFUSED[0]; i++)
		if (REFUSED[i] == port)
			return true;
	return false;
}

void port_explain(unsigned port, char *out, size_t size)
{
	(void)snprintf(out, size,
		"port %u belongs to another service than the web, and browsers refuse it", port);
}
